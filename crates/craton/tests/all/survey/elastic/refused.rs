//! Elastic surveys that are refused, and warnings about others.

use craton::survey::{GradientOptions, survey_gradient};

use super::super::inputs::{check_report, line};
use super::*;

#[test]
fn impossible_elastic_surveys_are_refused() {
    let folder = written(SEA);
    let refused =
        |changes: &[&str]| error_text(survey(&folder.path().join("it.toml"), &options(folder.path(), changes)));
    let cases: [(&[&str], &[&str]); 5] = [
        (
            &["model.layered.layers=[{ vp = 1500.0, rho = 1000.0 }]"],
            &["model.layered.layers[0].vs", "is missing", "0 in water"],
        ),
        (
            &["model.layered.layers[1].vs=1800"],
            &["model.layered.layers[1].vs", "too large for vp = 2000", "1800", "< 1732.1 m/s"],
        ),
        (
            &["output.snapshots={ shots = [1], times = [0.1], slices = [{ depth = 100.0 }] }"],
            &["output.snapshots", "not available with method.fd.equation"],
        ),
        (&["model.layered.layers[1].qp=40", "attenuation.reference_frequency=10"], &["qs", "is missing"]),
        (
            &["attenuation={ reference_frequency = 10.0, relation = { factor = 0.05 } }"],
            &["attenuation.relation", "give qp and qs"],
        ),
    ];
    for (changes, words) in cases {
        let message = refused(changes);
        assert!(words.iter().all(|word| message.contains(word)), "{changes:?}: {message}");
    }
}

/// A folder with the sea as a volume of constant speed, with points 80 m apart, and a file of values 4 m apart that vary.
fn volume() -> tempfile::TempDir {
    let (before, after) = SEA.split_once("[model.layered]").expect("a table");
    let after = &after[after.find("[[acquisition").expect("a table")..];
    let velocity = "velocity = { file = 'vp.bin', shape = [5, 7], spacing = [80.0, 80.0], axes = ['depth', 'x'] }";
    let folder = written(&format!("{before}[model.volume]\n{velocity}\n{after}"));
    let files = [("vp.bin", 35, [2000.0_f32; 2]), ("vs.bin", 42, [900.0; 2]), ("fine.bin", 81 * 121, [2000.0, 2010.0])];
    for (name, count, values) in files {
        let values: Vec<u8> = (0..count).flat_map(|number| values[number % 2].to_le_bytes()).collect();
        std::fs::write(folder.path().join(name), values).expect("written");
    }
    folder
}

#[test]
fn volumes_need_speeds_of_shear_waves_on_their_own_grid() {
    let folder = volume();
    let refused =
        |changes: &[&str]| error_text(survey(&folder.path().join("it.toml"), &options(folder.path(), changes)));
    let message = refused(&[]);
    assert!(message.contains("model.volume.vs") && message.contains("is missing"), "{message}");
    let other = "model.volume.vs={ file = 'vs.bin', shape = [6, 7], spacing = [64.0, 80.0], axes = ['depth', 'x'] }";
    let message = refused(&[other]);
    assert!(message.contains("model.volume.vs.file") && message.contains("other points along z"), "{message}");
    let message = refused(&["model.volume.vs=1900"]);
    assert!(message.contains("vs") && message.contains("1900"), "{message}");
    // A volume of constant speeds equals a layer.
    let found = computed(
        folder.path(),
        &["model.volume.vs=900", "model.volume.density=1900", "duration=0.1", "receivers.quantities=['velocity_z']"],
    );
    let layer = "model={ layered = { layers = [{ vp = 2000.0, vs = 900.0, rho = 1900.0 }] } }";
    let expected = computed(folder.path(), &[layer, "duration=0.1", "receivers.quantities=['velocity_z']"]);
    assert!(found.iter().zip(&expected).all(|(found, expected)| found.samples == expected.samples));
}

const FINE: &str = "{ file = 'fine.bin', shape = [81, 121], spacing = [4.0, 4.0], axes = ['depth', 'x'] }";

#[test]
fn densities_of_volumes_are_those_of_rock_and_may_be_too_fine() {
    let folder = volume();
    let rock = 310.0 * 2000.0_f64.powf(0.25);
    let common = ["model.volume.vs=900", "duration=0.1", "receivers.quantities=['velocity_z']"];
    let run = |density: &str| computed(folder.path(), &[&common[..], &[density]].concat());
    let [found, expected] = ["duration=0.1", &format!("model.volume.density={rock:?}")].map(run);
    assert_eq!(found.len(), expected.len());
    assert!(found.iter().zip(&expected).all(|(found, expected)| found.samples == expected.samples));
    let report = check_report(folder.path(), &common);
    assert!(report.contains("1025 kg/m3 where vs is 0, and 310 vp^0.25 elsewhere"), "{report}");
    let report = check_report(folder.path(), &[&common[..], &[&format!("model.volume.density={FINE}")]].concat());
    assert!(
        report.contains("model.volume.density.file: the points are 4 m apart along x, those of velocity.file 80 m"),
        "{report}"
    );
}

/// Each cell of a volume with a finer grid keeps averages over its solids.
#[test]
fn the_memory_of_a_fine_volume_includes_averages_inside_cells() {
    let folder = volume();
    let memory = |changes: &[&str]| {
        let report = check_report(folder.path(), &[changes, &["model.volume.vs=900", "compute.device='cpu'"]].concat());
        let line = line(&report, "memory");
        let mut words = line.split_whitespace().skip_while(|word| word.parse::<f64>().is_err());
        let number: f64 = words.next().and_then(|word| word.parse().ok()).unwrap_or_else(|| panic!("{line}"));
        assert_eq!(words.next(), Some("MB"), "{line}");
        1e6 * number
    };
    let [fine, coarse] = [&[&*format!("model.volume.velocity={FINE}")][..], &[]].map(memory);
    let more = fine - coarse;
    // The box and its layers have 64 x 56 x 40 cells.
    let cells = 64.0 * 56.0 * 40.0;
    assert!(more > 350.0 * cells && more < 2.0 * 350.0 * cells, "{fine} and {coarse} bytes");
}

#[test]
fn an_acoustic_survey_reports_that_it_ignores_shear_waves() {
    let folder = written(SEA);
    let report = check_report(folder.path(), &["method.fd.equation='auto'"]);
    assert!(report.contains("the survey is acoustic and ignores vs"), "{report}");
    let report = check_report(folder.path(), &[]);
    assert!(
        report.contains("elastic, velocity and stress, as requested") && !report.contains("ignores vs"),
        "{report}"
    );
    // Nodes on a sea bottom inside cells move with it.
    let deep = ["model.layered.layers[1].top=103", "acquisition.fixed.receiver_line[0].from=[103.0, 106.0, 103.0]"];
    for changes in [&deep[..], &[&deep[..], &["method.fd.aperture=60"]].concat()] {
        let report = check_report(folder.path(), changes);
        assert!(report.contains("the interface of water and rock at z = -103.000 m is inside cells"), "{report}");
        assert!(
            report.contains("channel 2 of shot 1 (the largest shift of 2)") && report.contains("staircase interface"),
            "{report}"
        );
    }
}

#[test]
fn warnings_about_the_grid_name_keys_of_surveys_and_late_rayleigh_waves() {
    let folder = written(SEA);
    let solid = "model.layered.layers=[{ vp = 1200.0, vs = 500.0, rho = 1900.0 }]";
    let at = |depth: f64| {
        let [sources, receivers] =
            [("shot", 50.0), ("receiver", 100.0)].map(|(name, x)| {
                format!("acquisition.fixed.{name}_line=[{{ from = [{x:?}, 200.0, {depth:?}], to = [400.0, 200.0, {depth:?}], count = 2 }}]")
            });
        [sources, receivers, solid.to_owned(), "source.kind='force_z'".to_owned()]
    };
    let report = |depth: f64, more: &[&str]| {
        let changes = at(depth);
        check_report(folder.path(), &[&changes.each_ref().map(String::as_str)[..], more].concat())
    };
    // Cells of 10 m and waves of 18.2 m: 19 wavelengths along 350 m.
    let late = report(0.0, &[]);
    assert!(
        late.contains("Rayleigh waves of 25 Hz")
            && late.contains("from the source of shot 1 to channel 2, 19 wavelengths"),
        "{late}"
    );
    assert!(
        !report(200.0, &[]).contains("Rayleigh") && !report(0.0, &["boundaries.top='absorbing'"]).contains("Rayleigh")
    );
    let thick = report(0.0, &["boundaries.absorbing.cells=60"]);
    assert!(thick.contains("is thicker than the box") && thick.contains("(boundaries.absorbing.cells)"), "{thick}");
}

/// Soft rock is no water, and fast water no rock.
#[test]
fn default_densities_follow_from_both_speeds() {
    let folder = written(SEA);
    let rock = 310.0 * 800.0_f64.powf(0.25);
    let layers = |water: &str, rock: &str| {
        format!(
            "model.layered.layers=[{{ vp = 1560.0, vs = 0.0{water} }}, {{ top = 100.0, vp = 800.0, vs = 300.0{rock} }}]"
        )
    };
    let report = check_report(folder.path(), &[&layers("", "")]);
    for warning in
        ["layer 1 has no density; Craton derives 1025 kg/m3", "layer 2 has no density; Craton derives 1649 kg/m3"]
    {
        assert!(report.contains(warning), "{report}");
    }
    let run = |layers: &str| computed(folder.path(), &[layers, "duration=0.1", "receivers.quantities=['velocity_z']"]);
    let found = run(&layers("", ""));
    let expected = run(&layers(", rho = 1025.0", &format!(", rho = {rock:?}")));
    assert_eq!(found.len(), expected.len());
    assert!(found.iter().zip(&expected).all(|(found, expected)| found.samples == expected.samples));
}

#[test]
fn a_free_surface_of_a_solid_has_a_pressure_and_one_of_a_fluid_has_none() {
    let folder = written(SEA);
    let shallow = [
        "acquisition.fixed.shot_line[0].from=[203.0, 204.0, 0.0]",
        "acquisition.fixed.shot_line[0].to=[302.0, 205.0, 0.0]",
        "acquisition.fixed.receiver_line[0].from=[103.0, 106.0, 0.0]",
        "acquisition.fixed.receiver_line[0].to=[388.0, 304.0, 0.0]",
    ];
    let message = error_text(survey(&folder.path().join("it.toml"), &options(folder.path(), &shallow)));
    assert!(message.contains("is on the free surface, where the pressure is zero"), "{message}");
    let force = [&shallow[..], &["source.kind='force_z'"]].concat();
    let report = check_report(folder.path(), &force);
    assert!(report.contains("6 receivers on the free surface, where the pressure is zero"), "{report}");
    let report = check_report(folder.path(), &[&shallow[..], &["model.layered.layers[0].vs=600"]].concat());
    assert!(!report.contains("on the free surface"), "{report}");
}

#[test]
fn an_elastic_survey_has_no_gradient() {
    let folder = written(SEA);
    let outcome = survey_gradient(
        &folder.path().join("it.toml"),
        &folder.path().join("observed.segy"),
        &GradientOptions::default(),
        &options(folder.path(), &[]),
    );
    let Err(error) = outcome else { panic!("the survey was accepted") };
    let message = error.to_string();
    assert!(message.contains("method.fd.equation = \"elastic\" has no gradients"), "{message}");
}
