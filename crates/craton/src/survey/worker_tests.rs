//! Surveys on several kinds of devices, including lost devices.

use std::fs;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use craton_acquisition::survey::Shot;
use craton_device::gpu::Gpu;
use craton_device::{Isa, Workers};
use craton_run::journal::{Journal, Status};
use craton_run::{Cancel, OutputDirectory, Progress, ProgressMode, RunStatus, WorkPlan};

use super::gathers::checksum;
use super::grid::Window;
use super::session::{Session, SurveyPlan};
use super::shot_devices::Computer;
use super::shots::{CpuEngine, Engine, GpuEngine, Outcome, Shots, Trouble};
use super::tests::{run, session};
use super::workers::{Ended, Job, Worker, work};
use crate::device::{CPU, GPU};
use crate::error::{Error, SurveyError};

/// Timeout of a device that waits for another; passing tests never reach it.
const TIMEOUT: Duration = Duration::from_secs(300);

/// An engine that calls a function before it computes shots.
struct Hooked<'a> {
    engine: Box<dyn Engine + 'a>,
    /// Called before shots are computed, with the number of earlier calls.
    before: Box<dyn FnMut(usize) -> Result<(), Trouble> + Send + 'a>,
    calls: usize,
}

impl Engine for Hooked<'_> {
    fn at_once(&self) -> usize {
        self.engine.at_once()
    }

    fn estimate(&mut self, shot: &Shot) -> Result<f64, Error> {
        self.engine.estimate(shot)
    }

    fn busy(&self) -> Duration {
        self.engine.busy()
    }

    fn compute(&mut self, shots: &[&Shot], window: &Window) -> Result<Vec<Outcome>, Trouble> {
        self.calls += 1;
        (self.before)(self.calls - 1)?;
        self.engine.compute(shots, window)
    }
}

/// A survey of eight shots for the workers of a test.
struct Site {
    session: Session,
    plan: SurveyPlan,
    folder: OutputDirectory,
    cancel: Cancel,
}

impl Site {
    fn new(folder: &Path) -> Self {
        let mut session = session(folder);
        let plan = session.plan().expect("a plan");
        let folder = OutputDirectory::share(&folder.join("results"), false, 0).expect("a folder");
        plan.gathers.begin().expect("files");
        Self { session, plan, folder, cancel: Cancel::new() }
    }

    fn shots(&self) -> Shots<'_> {
        Shots {
            grids: &self.plan.grids,
            clock: &self.plan.clock,
            source: self.session.setup.source,
            quantities: &self.session.setup.heard,
            frames: &self.plan.frames,
            folder: Some(&self.folder),
            cancel: &self.cancel,
            halt: AtomicBool::new(false),
        }
    }

    fn journal(&self) -> Journal {
        Journal::open(&self.folder.journal(), 1, self.plan.order.len() as u32).expect("a journal")
    }

    fn worker<'a>(
        &self,
        device: u8,
        engine: Box<dyn Engine + 'a>,
        before: impl FnMut(usize) -> Result<(), Trouble> + Send + 'a,
    ) -> Worker<'a> {
        let computer = Computer {
            name: if device == GPU { "GPU".into() } else { "CPU".into() },
            device,
            sharing: 1,
            engine: Box::new(Hooked { engine, before: Box::new(before), calls: 0 }),
            finishers: one_thread(),
        };
        Worker { computer, journal: self.journal() }
    }

    /// Runs the workers until no shot is left.
    fn work(&self, shots: &Shots, workers: &mut [Worker]) -> Ended {
        let pieces: Vec<&Shot> = self.plan.order.iter().map(|&shot| &self.session.setup.survey.shots()[shot]).collect();
        let job = Job { shots, pieces: &pieces, output: &self.plan.gathers, one_kind: false };
        let pieces = WorkPlan { piece: "shot", first: 0, total: 8, times: None, units: ("points", 1.0) };
        work(&job, workers, &Mutex::new(Progress::new(pieces, ProgressMode::Silent))).expect("work")
    }

    /// Bytes of the partial file, after a check that the journal has the checksums of all its shots.
    fn bytes(&self) -> Vec<u8> {
        let states = self.journal().states().expect("states");
        let done: Vec<(usize, u64)> = states
            .iter()
            .enumerate()
            .map(|(piece, state)| match state.status {
                Status::Done { checksum, .. } => (piece, checksum),
                other => panic!("shot {piece} is {other:?}"),
            })
            .collect();
        assert_eq!(self.plan.gathers.damaged(&done, || true).expect("files"), Some(Vec::new()));
        fs::read(self.folder.path().join("gathers.segy.partial")).expect("a file")
    }
}

pub(super) fn one_thread() -> Arc<Workers> {
    Arc::new(Workers::new(Some(1)).expect("a thread"))
}

/// The gather file that the CPU computes alone.
fn alone() -> Vec<u8> {
    let folder = tempfile::tempdir().expect("a folder");
    assert_eq!(run(session(folder.path())), RunStatus::Complete);
    fs::read(folder.path().join("results/gathers.segy")).expect("gathers")
}

fn shots_of(ended: &Ended, device: u8) -> usize {
    ended.shares.iter().filter(|share| share.device == device).map(|share| share.shots).sum()
}

#[test]
fn a_gpu_and_a_core_compute_one_file() {
    let Some(gpu) = Gpu::emulated_for_tests() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let site = Site::new(folder.path());
    let shots = site.shots();
    let (begins, has_begun): (Sender<()>, Receiver<()>) = channel();
    let by_gpu = Box::new(GpuEngine::new(&shots, gpu, 1, Arc::default(), one_thread()));
    let by_core = Box::new(CpuEngine::new(&shots, one_thread()));
    let mut workers = [
        // The first shot measures the speed; before the second one, the GPU waits until the core computes.
        site.worker(GPU, by_gpu, move |call| {
            if call == 1 {
                has_begun.recv_timeout(TIMEOUT).expect("a core that helps");
            }
            Ok(())
        }),
        site.worker(CPU, by_core, move |_| {
            // The receiver is dropped after the first message.
            let _ = begins.send(());
            Ok(())
        }),
    ];
    let ended = site.work(&shots, &mut workers);
    drop(workers);
    let [of_gpu, of_core] = [GPU, CPU].map(|device| shots_of(&ended, device));
    assert!(of_gpu >= 2 && of_core >= 1 && of_gpu + of_core == 8, "{of_gpu} and {of_core}");
    assert!(ended.shares.iter().all(|share| (0.0..1.0).contains(&share.idle())), "{:?}", ended.shares);
    let done = site.journal().summary().expect("a summary").done_on;
    let known: Vec<(u8, u32)> = done.into_iter().map(|((_, device), shots)| (device, shots)).collect();
    assert_eq!(known, [(CPU, of_core as u32), (GPU, of_gpu as u32)]);
    let (found, expected) = (site.bytes(), alone());
    assert_eq!(found.len(), expected.len());
    // Without fused multiply-adds, the last bits on a CPU differ from those on a GPU.
    if Isa::detect() != Isa::Portable {
        assert_eq!(checksum(&found), checksum(&expected));
    }
}

#[test]
fn other_devices_compute_the_shots_of_a_lost_device() {
    let folder = tempfile::tempdir().expect("a folder");
    let site = Site::new(folder.path());
    let shots = site.shots();
    let lost = |call| match call {
        0 => Ok(()),
        _ => Err(Trouble::Device(SurveyError::ShotsLeft { reason: "unplugged".into() }.into())),
    };
    let engine = || Box::new(CpuEngine::new(&shots, one_thread()));
    // No worker is left for the other shots.
    let ended = site.work(&shots, &mut [site.worker(GPU, engine(), lost)]);
    assert_eq!((shots_of(&ended, GPU), ended.lost.len()), (1, 1));
    let summary = site.journal().summary().expect("a summary");
    assert_eq!(
        (summary.done, summary.free, summary.failed),
        (1, 7, 0),
        "the claimed shots are free, and have not failed"
    );
    // Another device is lost next to a core, which waits until the device has taken a second shot.
    let (takes, has_taken): (Sender<()>, Receiver<()>) = channel();
    let lost = move |call| {
        if call == 1 {
            takes.send(()).expect("a core that waits");
        }
        lost(call)
    };
    let mut waits = Some(has_taken);
    let wait = move |_| {
        if let Some(has_taken) = waits.take() {
            has_taken.recv_timeout(TIMEOUT).expect("a second shot");
        }
        Ok(())
    };
    let ended = site.work(&shots, &mut [site.worker(GPU, engine(), lost), site.worker(CPU, engine(), wait)]);
    assert_eq!((shots_of(&ended, GPU), shots_of(&ended, CPU)), (1, 6));
    assert!(ended.lost[0].0 == "GPU" && ended.lost[0].1.to_string().contains("unplugged"), "{:?}", ended.lost);
    assert!(site.bytes() == alone());
}
