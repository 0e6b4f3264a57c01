//! Interruption of surveys during file operations, and surveys with little memory.

use std::fs;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};

use craton_acquisition::survey::{Array, Shot};
use craton_comm::{Ranks, Solo};
use craton_device::Workers;
use craton_device::gpu::Gpu;
use craton_run::journal::Journal;
use craton_run::{Bytes, Cancel, OutputDirectory, Progress, ProgressMode, RunStatus, WorkPlan};

use super::SurveyFile;
use super::completion::{Completion, CompletionContext, complete};
use super::grid::Window;
use super::session::Session;
use super::shot_devices::ShotDevices;
use super::shots::{Engine, GpuEngine, Recording, Shots, Trouble};
use super::worker_tests::one_thread;
use crate::error::Error;
use crate::options::RunOptions;

const SURVEY: &str = r#"
duration = 0.1
[domain]
x = [0.0, 600.0]
depth = [0.0, 400.0]
[model.layered]
layers = [{ vp = 1500.0, rho = 1000.0 }]
[acquisition.fixed]
shot_line = [{ from = [100.0, 0.0, 50.0], to = [500.0, 0.0, 50.0], count = 8 }]
receiver_line = [{ from = [50.0, 0.0, 100.0], to = [550.0, 0.0, 100.0], count = 6 }]
[source]
time_function.ricker = { frequency = 15.0 }
[method.fd]
max_frequency = 25.0
order = 4
[output]
directory = "results"
sample_interval = 0.004
"#;

pub fn session(folder: &Path) -> Session {
    session_on(folder, 1)
}

/// A session with this number of threads.
fn session_on(folder: &Path, threads: usize) -> Session {
    session_of(folder, SURVEY, threads)
}

fn session_of(folder: &Path, survey: &str, threads: usize) -> Session {
    let file = folder.join("it.toml");
    fs::write(&file, survey).expect("written");
    let options = RunOptions {
        overrides: vec![format!("output.directory='{}'", folder.join("results").display())],
        device: Some("cpu".parse().expect("a device")),
        threads: Some(threads),
        ..RunOptions::default()
    };
    let alone: Arc<dyn Ranks> = Arc::new(Solo);
    Session::new(SurveyFile::read(&file, &options.overrides).expect("a survey"), &options, &alone).expect("a survey")
}

pub fn run(mut session: Session) -> RunStatus {
    let plan = session.plan().expect("a plan");
    session.run(&plan).expect("a survey").expect("a report").status
}

#[test]
fn the_comparison_with_checksums_can_be_interrupted() {
    let folder = tempfile::tempdir().expect("a folder");
    assert_eq!(run(session(folder.path())), RunStatus::Complete);
    let [file, partial] = ["gathers.segy", "gathers.segy.partial"].map(|name| folder.path().join("results").join(name));
    let expected = fs::read(&file).expect("gathers");
    fs::rename(&file, &partial).expect("renamed");
    let plan = session(folder.path()).plan().expect("a plan");
    let results = OutputDirectory::share(&folder.path().join("results"), false, 0).expect("a folder");
    let journal = Journal::open(&results.journal(), plan.identity, 8).expect("a journal");
    let pieces = WorkPlan { piece: "shot", first: 8, total: 8, times: None, units: ("points", 1.0) };
    let progress = Mutex::new(Progress::new(pieces, ProgressMode::Silent));
    let workers = Workers::new(Some(1)).expect("a thread");
    // Each compared shot polls the flag once.
    let context = CompletionContext { cancel: &Cancel::at_poll(4), progress: &progress };
    let ended = complete(&plan, &results, &journal, &context, &workers).expect("a disk");
    assert!(matches!(ended, Completion::Stopped));
    assert!(partial.exists() && !file.exists());
    drop((journal, results));
    assert_eq!(run(session(folder.path())), RunStatus::Complete);
    assert!(fs::read(&file).expect("gathers") == expected);
}

#[test]
fn copying_of_files_can_be_interrupted() {
    let folder = tempfile::tempdir().expect("a folder");
    assert_eq!(run(session(folder.path())), RunStatus::Complete);
    let gathers = session(folder.path()).plan().expect("a plan").gathers;
    let [file, partial, copied] = ["gathers.segy", "gathers.segy.partial", "gathers.segy.copied"]
        .map(|name| folder.path().join("results").join(name));
    let stop_at = |shot| {
        let cancel = Cancel::at_poll(shot);
        move || !cancel.is_cancelled()
    };
    let whole = fs::read(&file).expect("gathers");
    fs::rename(&file, &partial).expect("renamed");
    // Leaves out the second of eight shots.
    assert!(!gathers.finish(&[1], stop_at(7)).expect("a disk"));
    assert!(!file.exists() && !copied.exists() && fs::read(&partial).expect("gathers") == whole);
    assert!(gathers.finish(&[1], stop_at(8)).expect("a disk"));
    let without = fs::read(&file).expect("gathers");
    assert!(without.len() < whole.len() && !partial.exists());
    assert!(!gathers.reopen(&[1], stop_at(1)).expect("a disk"));
    assert!(!partial.exists() && !copied.exists() && fs::read(&file).expect("gathers") == without);
    assert!(gathers.reopen(&[1], stop_at(8)).expect("a disk"));
    assert!(!file.exists() && gathers.is_begun());
}

#[test]
fn memory_limits_the_number_of_concurrent_shots() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut session = session_on(folder.path(), 4);
    let plan = session.plan().expect("a plan");
    let needed = |devices: &ShotDevices| devices.bytes(&plan.grids, &plan.largest, plan.channels);
    let fit = |devices: &mut ShotDevices, room| devices.fit(&plan.grids, &plan.largest, plan.channels, room);
    let of_four = needed(&session.devices);
    assert_eq!(fit(&mut session.devices, Some(of_four)), None);
    assert_eq!(fit(&mut session.devices, None), None);
    let warning = fit(&mut session.devices, Some(Bytes(of_four.0 - 1))).expect("a warning");
    assert!(
        warning.contains(" of memory allow only 3 of 4 concurrent shots on cores, with ")
            && warning.contains("method.fd.aperture"),
        "{warning}"
    );
    assert!(needed(&session.devices) < of_four);
    // A single shot has all cores.
    let mut alone = session_on(folder.path(), 4);
    let warning = fit(&mut alone.devices, Some(Bytes(1))).expect("a warning");
    assert!(warning.contains("allow only 1 of 4"), "{warning}");
    assert!(alone.devices.name().starts_with("CPU, 4 threads"), "{}", alone.devices.name());
    assert_eq!(run(alone), RunStatus::Complete);
}

/// The recordings of shots, or why one of them has failed.
fn computed(engine: &mut GpuEngine, shots: &[&Shot], window: &Window) -> Result<Vec<Recording>, Error> {
    match engine.compute(shots, window) {
        Ok(outcomes) => outcomes.into_iter().collect(),
        Err(Trouble::Shots(error)) => Err(error),
        Err(_) => panic!("only shots may fail"),
    }
}

#[test]
fn shots_that_do_not_fit_concurrently_are_computed_one_by_one() {
    if Gpu::emulated_for_tests().is_none() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let mut session = session(folder.path());
    let plan = session.plan().expect("a plan");
    let results = OutputDirectory::share(&folder.path().join("results"), false, 0).expect("a folder");
    let shots = Shots {
        grids: &plan.grids,
        clock: &plan.clock,
        source: session.setup.source,
        quantities: &session.setup.heard,
        frames: &plan.frames,
        folder: Some(&results),
        cancel: &Cancel::new(),
        halt: AtomicBool::new(false),
    };
    let two: Vec<&Shot> = session.setup.survey.shots().iter().take(2).collect();
    let device = |memory| Gpu::emulated_with(memory).expect("a device");
    let engine = |gpu: &Gpu, at_once| GpuEngine::new(&shots, gpu.clone(), at_once, Arc::default(), one_thread());
    let [(expected, both), (_, one)] = [2, 1].map(|at_once| {
        let gpu = device(1 << 30);
        let mut engine = engine(&gpu, at_once);
        (computed(&mut engine, &two[..at_once], &plan.largest).expect("room for all"), gpu.bytes_held())
    });
    let little = device(one + (both - one) / 2);
    let mut alone = engine(&little, 2);
    assert!(computed(&mut alone, &two, &plan.largest).expect("room for one") == expected);
    assert_eq!(alone.at_once(), 1);
    assert!(computed(&mut alone, &two, &plan.largest).expect("room for one") == expected);
    // A rejected shot does not affect the number of concurrent shots.
    let outside = Shot { source: Array::point([1e6, 0.0, 0.0]), ..two[1].clone() };
    let mut concurrent = engine(&device(1 << 30), 2);
    let Ok(outcomes) = concurrent.compute(&[two[0], &outside], &plan.largest) else { panic!("both are rejected") };
    assert!(matches!(&outcomes[..], [Ok(recording), Err(_)] if *recording == expected[0]));
    assert_eq!(concurrent.at_once(), 2);
    // Other data on a device may be freed later, and failed shots leave no data there.
    let shared = device(2 * both);
    let other = shared.zeroed::<u8>(2 * both - one / 2).expect("room");
    let (held, mut concurrent) = (shared.bytes_held(), engine(&shared, 2));
    let failed = computed(&mut concurrent, &two, &plan.largest).expect_err("no room").to_string();
    assert!(failed.contains("out of memory"), "{failed}");
    assert_eq!(shared.bytes_held(), held);
    drop(other);
    assert!(computed(&mut concurrent, &two[..1], &plan.largest).expect("room for one") == expected[..1]);
}

#[test]
fn surveys_of_constant_density_in_space_solve_the_scalar_wave_equation() {
    let space = SURVEY
        .replace("[domain]", "[domain]\ny = [-60.0, 60.0]")
        .replace("max_frequency = 25.0", "max_frequency = 12.0");
    let plan = |survey: &str| {
        let folder = tempfile::tempdir().expect("a folder");
        session_of(folder.path(), survey, 1).plan()
    };
    let chosen = |survey: &str| {
        let plan = plan(survey).expect("a plan");
        let grid = plan.grids.acoustic();
        assert_eq!(grid.options.equation.is_scalar(), grid.equation.is_scalar());
        (plan.grids.equation_name(), plan.grids.equation_in_words())
    };
    let scalar = chosen(&space);
    assert!(scalar.0 == "scalar" && scalar.1.contains("density is constant"), "{scalar:?}");
    let asked = |equation: &str| format!("order = 4\nequation = \"{equation}\"");
    let denser = "{ vp = 1500.0, rho = 1000.0 }, { top = 200.0, vp = 1600.0, rho = 1100.0 }";
    for (found, instead, reason) in [
        ("order = 4", asked("first_order").as_str(), "as requested"),
        ("{ vp = 1500.0, rho = 1000.0 }", denser, "the density varies"),
        ("[method.fd]", "[receivers]\nquantities = [\"pressure\", \"velocity_z\"]\n[method.fd]", "record velocity"),
        ("[source]", "[source]\nkind = \"force_z\"", "the source is a force"),
    ] {
        let first = chosen(&space.replace(found, instead));
        assert!(first.0 == "first_order" && first.1.contains(reason), "{first:?}");
    }
    assert!(chosen(SURVEY).1.contains("two-dimensional"));
    let refused = plan(&SURVEY.replace("order = 4", &asked("scalar"))).err().expect("refused").to_string();
    assert!(!refused.is_empty());
}

#[test]
fn both_equations_give_the_same_gathers_within_the_discretisation_error() {
    let space = SURVEY
        .replace("[domain]", "[domain]\ny = [-60.0, 60.0]")
        .replace("count = 8", "count = 1")
        .replace("order = 4", "order = 8");
    let gathers = |equation: &str| {
        let folder = tempfile::tempdir().expect("a folder");
        let survey = space.replace("order = 8", &format!("order = 8\nequation = \"{equation}\""));
        assert_eq!(run(session_of(folder.path(), &survey, 2)), RunStatus::Complete);
        let bytes = fs::read(folder.path().join("results/gathers.segy")).expect("gathers");
        // Samples of six traces of 26 big-endian numbers, each after a header of 240 bytes.
        let traces = bytes[3600..].chunks_exact(240 + 4 * 26).flat_map(|trace| trace[240..].as_chunks::<4>().0);
        traces.map(|bytes| f64::from(f32::from_be_bytes(*bytes))).collect::<Vec<f64>>()
    };
    let (scalar, first) = (gathers("scalar"), gathers("first_order"));
    let norm = |values: &mut dyn Iterator<Item = f64>| values.map(|value| value * value).sum::<f64>().sqrt();
    let difference = norm(&mut scalar.iter().zip(&first).map(|(a, b)| a - b));
    let size = norm(&mut first.iter().copied());
    assert!(size > 0.0 && difference > 0.0 && difference < 5e-3 * size, "{difference} of {size}");
}
