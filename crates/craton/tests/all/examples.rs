//! Craton accepts and runs every example, here at so low a frequency that it takes a second.

use std::path::PathBuf;

use craton::options::RunOptions;
use craton::traces::read_folder;
use craton::{RunStatus, Scenario, run};

/// Name, overrides for a coarse run with few pictures, number of seismograms.
const EXAMPLES: [(&str, &[&str], usize); 8] = [
    ("full_space", &["method.sem.max_frequency=2.0"], 18),
    ("half_space", &["method.sem.max_frequency=1.5"], 12),
    ("loh1", &["method.sem.max_frequency=1.5"], 30),
    (
        "valley",
        &["method.sem.max_frequency=1.0", "output.snapshots.surface.every=1", "output.snapshots.slices[0].every=1"],
        39,
    ),
    (
        "anisotropic",
        &[
            "method.sem.max_frequency=3.0",
            "output.snapshots.slices[0].every=0.5",
            "output.snapshots.slices[1].every=0.5",
        ],
        75,
    ),
    ("bolivia_flat", &["method.sem.max_frequency=0.02"], 18),
    ("bolivia", &["method.sem.max_frequency=0.008", "duration=20"], 30),
    ("two_layers", &["method.fd.grid_spacing=800.0"], 3),
];

fn file(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name).join(format!("{name}.toml"))
}

#[test]
fn every_example_is_accepted() {
    for (name, ..) in EXAMPLES {
        if let Err(craton::Error::Scenario(errors)) = Scenario::read(&file(name), &[]) {
            panic!("{}", errors.lines());
        }
    }
}

#[test]
fn every_example_gives_finite_seismograms_at_every_station() {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, coarse, seismograms) in EXAMPLES {
        let results = folder.path().join(name);
        let shared = [format!("output.directory={}", results.display()), "compute.device=cpu".to_owned()];
        let overrides = coarse.iter().map(|&change| change.to_owned()).chain(shared).collect();
        let options = RunOptions { overrides, ..RunOptions::default() };
        let report = run(&file(name), &options).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(report.status, RunStatus::Complete, "{name}");
        let entries = std::fs::read_dir(&results).expect("a folder").map(|entry| entry.expect("an entry").file_name());
        let files: Vec<String> = entries.map(|file| file.to_string_lossy().into_owned()).collect();
        for (start, end) in [("model", ".png"), ("seismograms", ".png"), ("run", ".json")] {
            let found = files.iter().any(|file| file.starts_with(start) && file.ends_with(end));
            assert!(found, "{name}: no {start}*{end} in {files:?}");
        }
        let traces = read_folder(&results.join("seismograms")).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(traces.len(), seismograms, "{name}");
        let largest = traces.iter().map(|trace| peak(&trace.samples)).fold(0.0, f64::max);
        for trace in &traces {
            let peak = peak(&trace.samples);
            assert!(peak.is_finite() && peak <= largest, "{name}: {} is not finite", trace.name);
        }
        assert!(largest > 0.0, "{name}: all seismograms are zero");
    }
}

/// The largest sample; infinite if one is not finite.
fn peak(samples: &[f64]) -> f64 {
    samples.iter().fold(0.0, |peak, sample| if sample.is_finite() { sample.abs().max(peak) } else { f64::INFINITY })
}
