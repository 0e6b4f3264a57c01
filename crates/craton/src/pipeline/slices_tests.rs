//! Processes that mesh slices of the domain compute what one process computes.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use craton_comm::{Ranks, on_threads, thread_ranks};
use craton_device::Workers;
use craton_run::RunStatus;

use super::tests::{bytes_in, stopped};
use super::{Session, alone, solve};
use crate::meshing::{Processes, mesh_of_process};
use crate::options::{Computing, ResumeOptions, RunOptions};
use crate::simulation::Memory;

/// A layer above a rock that attenuates, in eight tiles. A source and a receiver are on faces between tiles, a fibre crosses all of them.
const SCENARIO: &str = r#"
duration = 0.02
[domain]
x = [0.0, 3200.0]
y = [0.0, 2400.0]
z = [-300.0, 0.0]
[boundaries]
bottom = "rigid"
[model.layered]
layers = [
    { vp = 2500.0, vs = 1200.0, rho = 2100.0, qmu = 300.0, qkappa = 1000.0 },
    { top = -100.0, vp = 3500.0, vs = 2000.0, rho = 2500.0, qmu = 400.0, qkappa = 1000.0 },
]
[attenuation]
reference_frequency = 10.0
[[source]]
position = [1600.0, 1200.0, -130.0]
moment_tensor = { xx = 1.0e14, yy = 2.0e14, xz = 1.5e14 }
time_function.gaussian = { sigma = 0.02, centre = 0.04 }
[[source]]
position = [790.0, 620.0, -40.0]
force = [1.0e10, 0.0, 2.0e10]
time_function.gaussian = { sigma = 0.02, centre = 0.05 }
[receivers]
quantities = ["displacement", "velocity", "strain", "pressure"]
stations = [
    { code = "XX.IN", position = [1500.0, 1230.0, -110.0] },
    { code = "XX.EDGE", position = [1600.0, 1200.0, -100.0] },
    { code = "XX.TOP", position = [860.0, 700.0, 0.0] },
]
fibre = [{ name = "F", path = [[700.0, 500.0, -60.0], [2500.0, 1900.0, -150.0]], gauge_length = 60.0, spacing = 30.0 }]
[method.sem]
max_frequency = 20.0
points_per_wavelength = 5.0
element_size = 50.0
doubling = false
[output]
directory = "results"
seismograms = ["sac"]
[output.snapshots]
surface = { every = 0.01, quantities = ["displacement", "velocity", "pressure"] }
volume = { every = 0.02, quantities = ["velocity"] }
slices = [
    { x = 1590.0, every = 0.01, quantities = ["velocity", "strain"] },
    { z = -110.0, every = 0.01, quantities = ["displacement"], png = false },
]
"#;

/// A scenario file, and a folder for results.
struct Case {
    folder: tempfile::TempDir,
    file: PathBuf,
    changes: Vec<String>,
}

impl Case {
    fn new(changes: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("box.toml");
        std::fs::write(&file, SCENARIO).unwrap();
        Self { folder, file, changes: changes.iter().map(|&change| change.to_owned()).collect() }
    }

    /// Number of elements in the mesh of the last process, and in the whole mesh; `None` without slices.
    fn slices(&self, count: usize, parts: usize) -> Option<(usize, usize)> {
        let scenario = crate::Scenario::read(&self.file, &self.changes).unwrap();
        let session = Session::of(scenario, &Computing::default(), &alone()).unwrap();
        let processes = Processes { rank: count - 1, count, parts: &|_| parts };
        let made = mesh_of_process(&session.setup, Some(processes), |_| Ok(())).unwrap();
        made.slices.map(|slices| (made.mesh.n_elements(), slices.elements_of_whole))
    }

    fn session(&self, device: &str, results: &Path, ranks: &Arc<dyn Ranks>) -> Session {
        let directory = format!("output.directory={}", results.display());
        let overrides = self.changes.iter().cloned().chain([directory]).collect();
        let (device, devices) = device.split_once('*').unwrap_or((device, "1"));
        let (device, devices) = (Some(device.parse().unwrap()), Some(devices.parse().unwrap()));
        let options = RunOptions { overrides, device, devices, ..RunOptions::default() };
        Session::new(&self.file, &options, ranks).unwrap()
    }

    /// A run on ranks in threads, each with the devices; `session` may change the session of each.
    fn on_ranks(&self, count: usize, session: impl Fn(&Arc<dyn Ranks>) -> Session + Sync, status: RunStatus) {
        std::thread::scope(|scope| {
            for rank in thread_ranks(count) {
                let (ranks, session): (Arc<dyn Ranks>, _) = (Arc::new(rank), &session);
                scope.spawn(move || {
                    let report = solve(session(&ranks), &mut ()).unwrap();
                    assert_eq!(report.map(|report| report.status), ranks.is_root().then_some(status));
                    ranks.finish().unwrap();
                });
            }
        });
    }

    /// Memory that the first of four ranks requires [bytes].
    fn memory_of_four(&self) -> u64 {
        let memory = on_threads(4, |rank| {
            let ranks: Arc<dyn Ranks> = Arc::new(rank);
            let mut session = self.session("cpu", Path::new("results"), &ranks);
            session.discretised(&Workers::new(Some(1)).unwrap()).unwrap().preflight.memory.0
        });
        memory[0]
    }

    fn run(&self, count: usize, device: &str) -> PathBuf {
        let results = self.folder.path().join(format!("{count}_{device}"));
        self.on_ranks(count, |ranks| self.session(device, &results, ranks), RunStatus::Complete);
        results
    }

    /// A run that is interrupted after a step.
    fn interrupted(&self, count: usize, results: &Path) {
        let stopped = |ranks: &Arc<dyn Ranks>| stopped(self.session("cpu", results, ranks));
        self.on_ranks(count, stopped, RunStatus::Interrupted);
    }

    /// A run that is interrupted after a step on some ranks and completed on others, and its checkpoint.
    fn over(&self, first: usize, then: usize) -> (PathBuf, Vec<u8>) {
        let results = self.folder.path().join(format!("{first}_then_{then}"));
        self.interrupted(first, &results);
        let checkpoint = std::fs::read(&checkpoints(&results)[0]).unwrap();
        self.on_ranks(then, |ranks| resumed(&results, ranks), RunStatus::Complete);
        (results, checkpoint)
    }
}

fn resumed(results: &Path, ranks: &Arc<dyn Ranks>) -> Session {
    let options = ResumeOptions { device: Some("cpu".parse().unwrap()), ..ResumeOptions::default() };
    Session::resumed(results, &options, ranks).unwrap()
}

/// A checkpoint without its header.
fn blocks(checkpoint: &[u8]) -> &[u8] {
    let header = u32::from_le_bytes(*checkpoint[12..].first_chunk().unwrap()) as usize;
    &checkpoint[24 + header..]
}

/// The files of the checkpoints of a run, in ascending order.
fn checkpoints(results: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(results.join("checkpoints")).unwrap();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

#[test]
fn slices_compute_the_bits_of_the_whole_mesh() {
    let case = Case::new(&[]);
    // The last of eight has its tile and three neighbours.
    assert_eq!([case.slices(8, 1), case.slices(4, 2)], [Some((9216, 18432)), Some((13824, 18432))]);
    assert_eq!(case.slices(3, 1), None);
    let files = |results: PathBuf| {
        let snapshots = ["surface", "slice_x_1590", "slice_z_-110", "volume"].map(|name| format!("snapshots/{name}"));
        let folders: Vec<&str> = snapshots.iter().map(String::as_str).chain(["seismograms"]).collect();
        bytes_in(&results, &folders)
    };
    let alone = files(case.run(1, "cpu"));
    assert!(alone.len() > 30, "{}", alone.len());
    for found in [case.run(4, "cpu"), case.run(2, "cpu*2"), case.run(3, "cpu")] {
        assert!(files(found.clone()) == alone, "{}", found.display());
    }
    let [(four, saved_by_four), (three, saved_by_three)] = [case.over(4, 1), case.over(3, 4)];
    for found in [four, three] {
        assert!(files(found.clone()) == alone, "{}", found.display());
    }
    // The headers name different results folders.
    assert!(blocks(&saved_by_four) == blocks(&saved_by_three));
}

#[test]
fn layers_outside_slices_are_those_of_the_whole_mesh() {
    let case = Case::new(&[
        "domain.x=[0.0, 6400.0]",
        "boundaries.bottom=absorbing",
        "method.sem.absorbing={ cpml = { elements = 2 } }",
        "output.snapshots={ surface = { every = 0.01, quantities = [\"velocity\"] } }",
    ]);
    let slice = case.slices(4, 1);
    assert!(slice.is_some_and(|(here, whole)| here < whole), "{slice:?}");
    let files = |results: PathBuf| bytes_in(&results, &["snapshots/surface", "seismograms"]);
    let alone = files(case.run(1, "cpu"));
    assert!(files(case.run(4, "cpu")) == alone);
}

/// A layer of 8 m across the box, with local time steps, in eight tiles along x. A source and a receiver are on the face between two tiles.
const THIN_LAYER: [&str; 7] = [
    "domain={ x = [0.0, 12800.0], y = [0.0, 600.0], z = [-300.0, 0.0] }",
    "model.layered={ layers = [{ vp = 2500.0, vs = 1200.0, rho = 2100.0, qmu = 300.0, qkappa = 1000.0 }, \
     { top = -100.0, vp = 3500.0, vs = 2000.0, rho = 2500.0, qmu = 400.0, qkappa = 1000.0 }, \
     { top = -108.0, vp = 3500.0, vs = 2000.0, rho = 2500.0, qmu = 400.0, qkappa = 1000.0 }] }",
    "source=[{ position = [1600.0, 300.0, -130.0], moment_tensor = { xx = 1.0e14, yy = 2.0e14, xz = 1.5e14 }, \
     time_function = { gaussian = { sigma = 0.02, centre = 0.04 } } }]",
    "receivers={ quantities = [\"velocity\", \"strain\"], stations = [\
     { code = \"XX.IN\", position = [1500.0, 330.0, -110.0] }, { code = \"XX.EDGE\", position = [1600.0, 300.0, -104.0] }] }",
    "output.snapshots={ surface = { every = 0.01, quantities = [\"velocity\"] } }",
    "method.sem.local_time_steps=true",
    "method.sem.degree=2",
];

/// A number in the record of a run.
fn figure(results: &Path, name: &str) -> f64 {
    let record = std::fs::read_to_string(results.join("run.json")).unwrap();
    let record: serde_json::Value = serde_json::from_str(&record).unwrap();
    record["figures"][name].as_f64().unwrap_or_else(|| panic!("{name}: {record}"))
}

#[test]
fn levels_in_slices_are_those_of_the_whole_mesh() {
    let fourth = [&THIN_LAYER[..], &["method.sem.points_per_wavelength=2.5"]].concat();
    // Elements in the layer at the bottom have the whole step.
    let layer = ["boundaries.bottom=absorbing", "method.sem.absorbing.bottom.cpml.elements=2"];
    let files = |results: &Path| bytes_in(results, &["snapshots/surface", "seismograms"]);
    for changes in [fourth.clone(), [&fourth[..], &layer].concat()] {
        let case = Case::new(&changes);
        let slice = case.slices(4, 1);
        assert!(slice.is_some_and(|(here, whole)| 2 * here <= whole), "{slice:?}");
        let [sliced, whole] =
            [&case, &Case::new(&[&changes[..], &["compute.partition=slices"]].concat())].map(Case::memory_of_four);
        assert!(sliced < whole, "{sliced} of {whole}");
        let alone = case.run(1, "cpu");
        assert!(figure(&alone, "finest_level_of_time_steps") > 1.0);
        let (found, saved_by_two) = case.over(2, 4);
        for name in ["gain_of_local_time_steps", "elements", "nodes", "stable_dt_s"] {
            assert_eq!(figure(&found, name), figure(&alone, name), "{name}");
        }
        assert!(files(&found) == files(&alone));
        if changes == fourth {
            assert!(files(&case.run(2, "cpu*2")) == files(&alone), "two parts on each of two ranks");
            let (found, saved_by_four) = case.over(4, 1);
            assert!(files(&found) == files(&alone), "four ranks, then one");
            assert!(blocks(&saved_by_four) == blocks(&saved_by_two));
        }
    }
}

#[test]
fn levels_in_a_corner_need_the_whole_mesh() {
    // The top of the second layer rises from 100 m to 8 m below the surface in a corner.
    let depth = |x: f64, y: f64| {
        let slope = ((x.max(y) - 600.0) / 800.0).clamp(0.0, 1.0);
        8.0 + 46.0 * (1.0 - (std::f64::consts::PI * slope).cos())
    };
    let points = (0..=24).flat_map(|y| (0..=32).map(move |x| [x, y].map(|index| 100.0 * f64::from(index))));
    let rows: String = points.map(|[x, y]| format!("{x} {y} {}\n", -depth(x, y))).collect();
    let changes = [
        "model.layered={ layers = [{ vp = 2500.0, vs = 1200.0, rho = 2100.0, qmu = 300.0, qkappa = 1000.0 }, \
         { top = \"top.xyz\", vp = 3500.0, vs = 2000.0, rho = 2500.0, qmu = 400.0, qkappa = 1000.0 }] }",
        "receivers.fibre=[]",
        "output.snapshots={}",
        "method.sem.local_time_steps=true",
        "method.sem.degree=2",
        "method.sem.points_per_wavelength=2.5",
    ];
    let [case, always_whole] = [&[][..], &["compute.partition=slices"]].map(|more| {
        let case = Case::new(&[&changes[..], more].concat());
        std::fs::write(case.folder.path().join("top.xyz"), &rows).unwrap();
        case
    });
    assert!(case.slices(4, 1).is_some());
    assert_eq!(case.memory_of_four(), always_whole.memory_of_four());
    let [alone, four] = [case.run(1, "cpu"), case.run(4, "cpu")];
    assert!(figure(&alone, "finest_level_of_time_steps") > 1.0);
    assert!(bytes_in(&four, &["seismograms"]) == bytes_in(&alone, &["seismograms"]));
}

#[test]
fn a_damaged_block_of_a_checkpoint_is_named_and_the_checkpoint_before_is_used() {
    let case = Case::new(&[]);
    let results = case.folder.path().join("results");
    case.interrupted(2, &results);
    let stopped = |ranks: &Arc<dyn Ranks>| stopped(resumed(&results, ranks));
    case.on_ranks(2, stopped, RunStatus::Interrupted);
    let [_, newest] = &checkpoints(&results)[..] else { panic!("two checkpoints") };
    let mut bytes = std::fs::read(newest).unwrap();
    // A quarter of the file is before the end of the first field.
    let place = bytes.len() / 4;
    bytes[place] ^= 1;
    std::fs::write(newest, bytes).unwrap();
    let messages = on_threads(2, |rank| {
        let (ranks, mut told): (Arc<dyn Ranks>, _) = (Arc::new(rank), Memory::new());
        let report = solve(resumed(&results, &ranks), &mut told).unwrap();
        assert_eq!(report.map(|report| report.status), ranks.is_root().then_some(RunStatus::Complete));
        ranks.finish().unwrap();
        told.messages
    });
    let skipped = messages[0].iter().find(|message| message.starts_with("skipped"));
    assert!(skipped.is_some_and(|message| message.contains("block ")), "{messages:?}");
    let expected = bytes_in(&case.run(1, "cpu"), &["seismograms"]);
    assert!(bytes_in(&results, &["seismograms"]) == expected);
}
