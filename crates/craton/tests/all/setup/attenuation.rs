//! Quality factors and the attenuation of a run.

use craton_model::Losses;

use crate::setup::common::{TABLE, errors, example, folder, set_up};

/// Quality factors of both layers of the default scenario, and the table `attenuation`.
const LAYERS: [(&str, &str); 2] =
    [("rho = 2600.0", "rho = 2600.0, qp = 120.0, qs = 40.0"), ("rho = 2700.0", "rho = 2700.0, qp = 155.9, qs = 69.3")];
const ATTENUATION: (&str, &str) = ("[[source]]", "[attenuation]\nreference_frequency = 2.5\n[[source]]");

#[test]
fn quality_factors_of_layers_become_losses() {
    let folder = folder(&[]);
    let setup = set_up(folder.path(), &[LAYERS[0], LAYERS[1], ATTENUATION]).expect("a good scenario");
    let attenuation = setup.model.attenuation().expect("attenuation");
    assert_eq!((attenuation.reference(), attenuation.mechanisms()), (2.5, 3));
    assert_eq!(attenuation.relaxation().band(), [0.05, 5.0]);
    let losses = setup.model.losses(0, [0.0, 0.0, -500.0]);
    assert_eq!(losses.shear, 1.0 / 40.0);
    assert!((losses.of_p_waves(4000.0, 2000.0) * 120.0 - 1.0).abs() < 1e-12);
    let off = ("[[source]]", "[attenuation]\nenabled = false\n[[source]]");
    assert!(set_up(folder.path(), &[LAYERS[0], off]).expect("elastic").model.attenuation().is_none());
    // Only one layer has losses.
    let model = set_up(folder.path(), &[LAYERS[0], ATTENUATION]).expect("a good scenario").model;
    assert_eq!([model.relaxes(0), model.relaxes(1)], [true, false]);
}

#[test]
fn invalid_quality_factors_are_refused_with_a_cure() {
    let with = |quality: &str| {
        let layer = format!("rho = 2600.0, {quality}");
        errors(folder(&[]).path(), &[("rho = 2600.0", &layer), ATTENUATION])
    };
    for (quality, key, part) in [
        ("qs = 40.0", "layers[0].qp", "is missing, although qs is given"),
        ("qp = 120.0", "layers[0].qs", "is missing, although qp is given"),
        ("qp = 120.0, qs = 40.0, qmu = 40.0", "layers[0].qmu", "set qp and qs, or qkappa and qmu"),
        ("qp = 120.0, qs = 3.0", "layers[0].qs = 3", "at least 5"),
        ("qp = 120.0, qs = 0.02", "layers[0].qs = 0.02", "it seems to be 1/Q; set Q"),
        ("qp = 400.0, qs = 40.0", "layers[0].qp = 400", "compression gains energy"),
    ] {
        let found = with(quality);
        assert!(found.contains(key) && found.contains(part), "{quality}: {found}");
    }
    let errors = |changes: &[(&str, &str)]| errors(folder(&[]).path(), changes);
    let missing = errors(&LAYERS);
    assert!(missing.contains("attenuation: is required, because the model has quality factors"), "{missing}");
    let without = ("[[source]]", "[attenuation]\nmechanisms = 4\n[[source]]");
    let reference = errors(&[LAYERS[0], without]);
    assert!(reference.contains("attenuation.reference_frequency: is missing"), "{reference}");
    let elsewhere = ("[[source]]", "[attenuation]\nreference_frequency = 1\nband = [20.0, 50.0]\n[[source]]");
    let band = errors(&[LAYERS[0], elsewhere]);
    assert!(band.contains("attenuation.band = [20, 50]: does not cover the frequencies of the run"), "{band}");
}

#[test]
fn quality_factors_of_tables_are_linear_between_rows() {
    let rows = "[model.depth_table]\nrows = [[0.0, 4000.0, 2000.0, 2600.0, 100.0, 50.0], [1000.0, 4000.0, 2000.0, 2600.0, 200.0, 100.0], \
                [1000.0, 6000.0, 3464.0, 2700.0, 155.9, 69.3]]";
    let folder =
        folder(&[("table.txt", "depth vp vs rho qkappa qmu\n0 4000 2000 2600 1000 50\n500 4100 2050 2600 1000 50\n")]);
    let model = set_up(folder.path(), &[(TABLE.0, rows), ATTENUATION]).expect("a good scenario").model;
    assert!((model.losses(0, [0.0, 0.0, -500.0]).shear - 0.015).abs() < 1e-15);
    assert_eq!(model.losses(0, [0.0, 0.0, -1000.0]).shear, 0.01);
    assert_eq!(model.losses(1, [0.0, 0.0, -1000.0]).shear, 1.0 / 69.3);
    let file = "[model.depth_table]\nfile = \"table.txt\"";
    let model = set_up(folder.path(), &[(TABLE.0, file), ATTENUATION]).expect("a good scenario").model;
    assert_eq!(model.losses(0, [0.0, 0.0, -300.0]), Losses::of_moduli(1000.0, 50.0).expect("quality factors"));
    let five = "[model.depth_table]\nrows = [[0.0, 4000.0, 2000.0, 2600.0, 100.0]]";
    let found = errors(folder.path(), &[(TABLE.0, five), ATTENUATION]);
    assert!(found.contains("model.depth_table.rows[0]: has five numbers"), "{found}");
}

#[test]
fn a_reference_earth_has_its_own_quality_factors() {
    let setup = example("bolivia");
    let model = &setup.model;
    let qmu = |z: f64| 1.0 / model.losses(model.region_at([0.0, 0.0, z]), [0.0, 0.0, z]).shear;
    for (z, expected) in [(-10e3, 600.0), (-70e3, 600.0), (-90e3, 80.0), (-300e3, 143.0), (-1000e3, 312.0)] {
        assert!((qmu(z) / expected - 1.0).abs() < 1e-12, "{z}: {}", qmu(z));
    }
    assert!(model.regions().iter().any(|region| region.top == craton_model::Interface::Flat(-80e3)));
    assert_eq!(model.attenuation().expect("attenuation").reference(), 1.0);
}

#[test]
fn a_relation_gives_quality_factors_where_the_model_has_none() {
    let relation = "[attenuation]\nreference_frequency = 1.0\nrelation = { factor = 0.02 }\n[[source]]";
    let model = set_up(folder(&[]).path(), &[LAYERS[1], ("[[source]]", relation)]).expect("a good scenario").model;
    assert_eq!(model.losses(0, [0.0, 0.0, -500.0]).shear, 1.0 / 40.0);
    assert_eq!(model.losses(1, [0.0, 0.0, -1500.0]).shear, 1.0 / 69.3);
}
