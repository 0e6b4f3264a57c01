//! Surveys that are stopped, or short of memory, where no command stops them.

use std::fs;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};

use craton_acquisition::survey::{Array, Shot};
use craton_comm::{Ranks, Solo};
use craton_device::Workers;
use craton_device::gpu::Gpu;
use craton_run::journal::Journal;
use craton_run::{Bytes, Cancel, OutputDirectory, Plan as Pieces, Progress, ProgressMode, RunStatus};

use super::completion::{Completion, CompletionContext, complete};
use super::crew::Crew;
use super::grid::Window;
use super::session::Session;
use super::shots::{Engine, GpuEngine, Heard, Shots, Trouble};
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

/// With so many threads.
fn session_on(folder: &Path, threads: usize) -> Session {
    let file = folder.join("it.toml");
    fs::write(&file, SURVEY).expect("written");
    let options = RunOptions {
        overrides: vec![format!("output.directory='{}'", folder.join("results").display())],
        device: Some("cpu".parse().expect("a device")),
        threads: Some(threads),
        ..RunOptions::default()
    };
    let alone: Arc<dyn Ranks> = Arc::new(Solo);
    Session::new(&file, &options, &alone).expect("a survey")
}

pub fn run(mut session: Session) -> RunStatus {
    let plan = session.plan().expect("a plan");
    session.run(&plan).expect("a survey").expect("a report").status
}

#[test]
fn the_comparison_with_checksums_can_be_stopped() {
    let folder = tempfile::tempdir().expect("a folder");
    assert_eq!(run(session(folder.path())), RunStatus::Complete);
    let [file, partial] = ["gathers.segy", "gathers.segy.partial"].map(|name| folder.path().join("results").join(name));
    let expected = fs::read(&file).expect("gathers");
    fs::rename(&file, &partial).expect("renamed");
    let plan = session(folder.path()).plan().expect("a plan");
    let results = OutputDirectory::share(&folder.path().join("results"), false).expect("a folder");
    let journal = Journal::open(&results.journal(), plan.identity, 8).expect("a journal");
    let pieces = Pieces { piece: "shot", first: 8, total: 8, times: None, units: ("points", 1.0) };
    let progress = Mutex::new(Progress::new(pieces, ProgressMode::Silent));
    let workers = Workers::new(Some(1)).expect("a thread");
    // Each shot that is compared asks once.
    let desk = CompletionContext { cancel: &Cancel::at_poll(4), progress: &progress };
    let ended = complete(&plan, &results, &journal, &desk, &workers).expect("a disk");
    assert!(matches!(ended, Completion::Stopped));
    assert!(partial.exists() && !file.exists());
    drop((journal, results));
    assert_eq!(run(session(folder.path())), RunStatus::Complete);
    assert!(fs::read(&file).expect("gathers") == expected);
}

#[test]
fn copies_of_files_can_be_stopped() {
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
    // The second of eight shots is left out.
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
fn no_more_shots_are_computed_at_a_time_than_there_is_memory_for() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut session = session_on(folder.path(), 4);
    let plan = session.plan().expect("a plan");
    let needed = |crew: &Crew| crew.bytes(&plan.grids, &plan.largest, plan.channels);
    let fit = |crew: &mut Crew, room| crew.fit(&plan.grids, &plan.largest, plan.channels, room);
    let of_four = needed(&session.crew);
    assert_eq!(fit(&mut session.crew, Some(of_four)), None);
    assert_eq!(fit(&mut session.crew, None), None);
    let told = fit(&mut session.crew, Some(Bytes(of_four.0 - 1))).expect("a word");
    assert!(
        told.contains(" of memory allow only 3 of 4 concurrent shots on cores, with ")
            && told.contains("method.fd.aperture"),
        "{told}"
    );
    assert!(needed(&session.crew) < of_four);
    // One at a time is refused if there is no room for it, and else has all cores.
    let mut alone = session_on(folder.path(), 4);
    let told = fit(&mut alone.crew, Some(Bytes(1))).expect("a word");
    assert!(told.contains("allow only 1 of 4"), "{told}");
    assert!(alone.crew.name().starts_with("CPU, 4 threads"), "{}", alone.crew.name());
    assert_eq!(run(alone), RunStatus::Complete);
}

/// What is heard of shots, or why one of them has failed.
fn computed(engine: &mut GpuEngine, shots: &[&Shot], window: &Window) -> Result<Vec<Heard>, Error> {
    match engine.compute(shots, window) {
        Ok(outcomes) => outcomes.into_iter().collect(),
        Err(Trouble::Shots(error)) => Err(error),
        Err(_) => panic!("more than the shots is lost"),
    }
}

#[test]
fn shots_that_do_not_fit_side_by_side_are_computed_alone() {
    if Gpu::emulated_for_tests().is_none() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let mut session = session(folder.path());
    let plan = session.plan().expect("a plan");
    let results = OutputDirectory::share(&folder.path().join("results"), false).expect("a folder");
    let shots = Shots {
        grids: &plan.grids,
        clock: &plan.clock,
        source: session.setup.source,
        heard: &session.setup.heard,
        frames: &plan.frames,
        folder: Some(&results),
        cancel: &Cancel::new(),
        halt: AtomicBool::new(false),
    };
    let two: Vec<&Shot> = session.setup.survey.shots().iter().take(2).collect();
    let device = |memory| Gpu::emulated_with(memory).expect("a device");
    let engine = |gpu: &Gpu, at_once| GpuEngine::new(&shots, gpu.clone(), at_once, Arc::default());
    let [(expected, both), (_, one)] = [2, 1].map(|at_once| {
        let gpu = device(1 << 30);
        let mut engine = engine(&gpu, at_once);
        (computed(&mut engine, &two[..at_once], &plan.largest).expect("room for all"), gpu.bytes_held())
    });
    let little = device(one + (both - one) / 2);
    let mut alone = engine(&little, 2);
    assert!(computed(&mut alone, &two, &plan.largest).expect("room for one") == expected);
    assert_eq!(alone.at_once(), 1);
    assert!(computed(&mut alone, &two, &plan.largest).expect("shots that were taken together before") == expected);
    // One that is refused says nothing of the room for others.
    let outside = Shot { source: Array::point([1e6, 0.0, 0.0]), ..two[1].clone() };
    let mut beside = engine(&device(1 << 30), 2);
    let Ok(outcomes) = beside.compute(&[two[0], &outside], &plan.largest) else { panic!("both are refused") };
    assert!(matches!(&outcomes[..], [Ok(heard), Err(_)] if *heard == expected[0]));
    assert_eq!(beside.at_once(), 2);
    // What else is on a device may go again, and shots that failed leave nothing there.
    let shared = device(2 * both);
    let other = shared.zeroed::<u8>(2 * both - one / 2).expect("room");
    let (held, mut beside) = (shared.bytes_held(), engine(&shared, 2));
    let failed = computed(&mut beside, &two, &plan.largest).expect_err("no room").to_string();
    assert!(failed.contains("out of memory"), "{failed}");
    assert_eq!(shared.bytes_held(), held);
    drop(other);
    assert!(computed(&mut beside, &two[..1], &plan.largest).expect("room for one") == expected[..1]);
}
