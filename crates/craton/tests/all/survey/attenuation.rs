//! Surveys with attenuation.

use craton::config::VolumeAxis::{Depth, X};
use craton::survey::SurveyFile;
use craton::{Given, Inputs, Survey};
use craton_numerics::misfit::relative_l2;
use craton_testkit::references::ReferenceTraces;

/// A fluid around a source at 600 m depth and a receiver 200 m east of it; `model` and more keys are to follow.
const BOX: &str = r#"
    duration = 1.17
    domain = { x = [-600.0, 800.0], depth = [0.0, 1200.0] }
    boundaries.top = "absorbing"
    acquisition.fixed.shot_line = [{ from = [0.0, 0.0, 600.0], to = [0.0, 0.0, 600.0], count = 1 }]
    acquisition.fixed.receiver_line = [{ from = [200.0, 0.0, 600.0], to = [200.0, 0.0, 600.0], count = 1 }]
    source = { amplitude = 1e6, time_function.ricker = { frequency = 15.0, centre = 0.1 } }
    method.fd = { max_frequency = 45.0, points_per_wavelength = PER_WAVELENGTH, MEMORY }
    output = { directory = "unused", sample_interval = 0.001 }
"#;
const FLUID: &str = "model.layered.layers = [{ vp = 2000.0, rho = 2000.0, qp = 30.0 }]";
const REFERENCE: &str = "attenuation = { reference_frequency = 15.0 }";

fn survey(parts: &[&str], memory: &str, per_wavelength: f64, inputs: Inputs) -> Result<Survey, String> {
    let text = [BOX].iter().chain(parts).copied().collect::<Vec<_>>().join("\n");
    let memory = if memory.is_empty() { String::new() } else { format!(", memory = \"{memory}\"") };
    let text = text.replace("PER_WAVELENGTH", &format!("{per_wavelength:?}")).replace(", MEMORY", &memory);
    let file = SurveyFile::from_toml(&text, ".", inputs).map_err(|error| format!("{error:?} {error}"))?;
    Survey::new(file).map_err(|error| format!("{error:?} {error}"))
}

fn trace(parts: &[&str], memory: &str, per_wavelength: f64) -> Vec<f64> {
    let survey = survey(parts, memory, per_wavelength, Inputs::new()).expect("a sound survey");
    survey.gather(0).expect("a gather").traces[0].iter().map(|&sample| f64::from(sample)).collect()
}

#[test]
fn traces_agree_with_the_closed_form_of_constant_q() {
    let reference = ReferenceTraces::read("acoustic", "viscous_2d_kjartansson.txt").unwrap();
    let exact = &reference.receivers[0].components[0];
    for (memory, per_wavelength, more, most) in [
        ("coarse", 6.0, "", 5e-3),
        ("full", 6.0, "", 5e-3),
        ("coarse", 4.0, "", 5e-3),
        ("coarse", 6.0, ", mechanisms = 4", 2e-3),
        ("full", 6.0, ", mechanisms = 5", 2e-3),
    ] {
        let attenuation = REFERENCE.replace(" }", &format!("{more} }}"));
        let found = trace(&[FLUID, &attenuation], memory, per_wavelength);
        let misfit = relative_l2(&[&found], &[&exact[..found.len()]]).unwrap();
        assert!(misfit < most, "{memory} {per_wavelength} {more}: {misfit}");
    }
}

#[test]
fn an_almost_infinite_q_is_elastic() {
    let elastic = trace(&["model.layered.layers = [{ vp = 2000.0, rho = 2000.0 }]"], "", 5.0);
    let almost = "model.layered.layers = [{ vp = 2000.0, rho = 2000.0, qp = 1e9 }]";
    for memory in ["coarse", "full"] {
        let misfit = relative_l2(&[&trace(&[almost, REFERENCE], memory, 5.0)], &[&elastic]).unwrap();
        assert!(misfit < 1e-5, "{memory}: {misfit}");
    }
    let disabled = trace(&[FLUID, "attenuation = { enabled = false }"], "", 5.0);
    assert!(disabled == elastic);
}

/// A homogeneous fluid, as layers and as grids of speed and quality factor.
#[test]
fn gridded_quality_factors_are_those_of_layers() {
    let axes = [(Depth, 0.0, 100.0, 13), (X, -600.0, 100.0, 15)];
    let grid = |value: f32| Given::volume(&axes, vec![value; 13 * 15]).expect("a sound volume");
    let inputs = || Inputs::new().with("vp", grid(2000.0)).with("qp", grid(30.0));
    let layered = trace(&[FLUID, REFERENCE], "", 5.0);
    let relation = "attenuation = { reference_frequency = 15.0, relation = { factor = 0.015 } }";
    for (qp, attenuation) in [("qp.file = \"qp\"", REFERENCE), ("qp = 30.0", REFERENCE), ("", relation)] {
        let comma = if qp.is_empty() { "" } else { ", " };
        let model = format!("model.volume = {{ velocity.file = \"vp\", density = 2000.0{comma}{qp} }}");
        let survey = survey(&[&model, attenuation], "", 5.0, inputs()).expect("a sound survey");
        let found: Vec<f64> = survey.gather(0).expect("a gather").traces[0].iter().map(|&p| f64::from(p)).collect();
        let misfit = relative_l2(&[&found], &[&layered]).unwrap();
        assert!(misfit < 1e-5, "{qp}: {misfit}");
    }
}

/// Speeds between those of the grid have the lowest quality factors of the relation.
#[test]
fn the_report_names_the_smallest_quality_factor_of_the_domain() {
    let axes = |bottom| [(Depth, 0.0, bottom, 2), (X, -600.0, 1400.0, 2)];
    let inputs = || {
        let vp = Given::volume(&axes(1200.0), vec![1500.0, 4500.0, 1500.0, 4500.0]).expect("a sound volume");
        // Water above rock that is below the domain.
        let qp = Given::volume(&axes(1300.0), vec![f32::INFINITY, 65.0, f32::INFINITY, 65.0]).expect("a sound volume");
        Inputs::new().with("vp", vp).with("qp", qp)
    };
    let smallest = |qp: &str, relation: &str| {
        let model = format!("model.volume = {{ velocity.file = \"vp\", density = 2000.0{qp} }}");
        let attenuation = format!("attenuation = {{ reference_frequency = 15.0{relation} }}");
        let survey = survey(&[&model, &attenuation], "", 3.0, inputs()).expect("a sound survey");
        1.0 / survey.setup().fluid.greatest_loss()
    };
    let found = smallest("", ", relation = { factor = 1.46e-13, exponent = 4.0 }");
    assert!((found - 5.0).abs() < 1e-6, "{found}");
    let found = smallest(", qp.file = \"qp\"", "");
    assert!((found / (65.0 * 13.0 / 12.0) - 1.0).abs() < 1e-5, "{found}");
}

#[test]
fn incomplete_or_impossible_attenuation_is_refused() {
    let refused = |parts: &[&str], inputs: Inputs| survey(parts, "", 5.0, inputs).err().expect("a refusal");
    let missing = refused(&[FLUID], Inputs::new());
    assert!(missing.contains("attenuation") && missing.contains("is required"), "{missing}");
    let without_reference = refused(&[FLUID, "attenuation = { mechanisms = 3 }"], Inputs::new());
    assert!(without_reference.contains("reference_frequency"), "{without_reference}");
    let band = refused(&[FLUID, "attenuation = { reference_frequency = 15.0, band = [0.001, 0.1] }"], Inputs::new());
    assert!(band.contains("does not cover the frequencies"), "{band}");
    let inverse = refused(&[&FLUID.replace("30.0", "0.03"), REFERENCE], Inputs::new());
    assert!(inverse.contains("qp") && inverse.contains('5'), "{inverse}");
    let axes = |spacing| [(Depth, 0.0, spacing, 13), (X, -600.0, spacing, 15)];
    let grid = |spacing, value: f32| Given::volume(&axes(spacing), vec![value; 13 * 15]).expect("a sound volume");
    let model = "model.volume = { velocity.file = \"vp\", density = 2000.0, qp.file = \"qp\" }";
    let small = Inputs::new().with("vp", grid(100.0, 2000.0)).with("qp", grid(50.0, 30.0));
    let small = refused(&[model, REFERENCE], small);
    assert!(small.contains("model.volume.qp") && small.contains("does not cover"), "{small}");
    let losses = Inputs::new().with("vp", grid(100.0, 2000.0)).with("qp", grid(100.0, 0.03));
    let losses = refused(&[model, REFERENCE], losses);
    assert!(losses.contains("model.volume.qp") && losses.contains("5 to inf"), "{losses}");
}
