//! Elastic surveys that are refused, and warnings about others.

use super::super::inputs::check_report;
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

#[test]
fn volumes_need_speeds_of_shear_waves_on_their_own_grid() {
    let (before, after) = SEA.split_once("[model.layered]").expect("a table");
    let after = &after[after.find("[[acquisition").expect("a table")..];
    let volume = "[model.volume]\nvelocity = { file = 'vp.bin', shape = [5, 7], spacing = [80.0, 80.0], axes = ['depth', 'x'] }\n";
    let folder = written(&format!("{before}{volume}{after}"));
    let write = |name: &str, count: usize, value: f32| {
        let values: Vec<u8> = (0..count).flat_map(|_| value.to_le_bytes()).collect();
        std::fs::write(folder.path().join(name), values).expect("written");
    };
    write("vp.bin", 35, 2000.0);
    write("vs.bin", 42, 900.0);
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
    let report = check_report(
        folder.path(),
        &["model.layered.layers[1].top=103", "acquisition.fixed.receiver_line[0].from=[103.0, 106.0, 103.0]"],
    );
    assert!(report.contains("the interface of water and rock at z = -103.000 m is inside cells"), "{report}");
    assert!(
        report.contains("channel 2 of shot 1 (the largest shift of 2)") && report.contains("staircase interface"),
        "{report}"
    );
}
