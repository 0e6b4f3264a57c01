//! Distribution of many shots: workers take them from the journal, and one writer writes them to the file.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::fs::File;
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::{Duration, Instant};

use craton_acquisition::survey::Shot;
use craton_device::Workers;
use craton_run::Progress;
use craton_run::journal::{Claim, ClaimRequest, ClaimResult, Done, Failed, Journal};

use super::gathers::checksum;
use super::grid::Window;
use super::pace::Pace;
use super::shot_devices::Computer;
use super::shot_files::ShotFiles;
use super::shots::{Engine, Recording, Shots, Trouble};
use super::waiting::Waiting;
use crate::device::{CPU, GPU, kind_name};
use crate::error::{Error, SurveyError};

/// Interval at which a worker checks for shots that other processes hold.
const POLL_INTERVAL: Duration = Duration::from_millis(200);
/// Largest number of shots in the queue of the writer.
const WAITING: usize = 4;
/// Code of failures in the journal.
const FAILED_SHOT: u16 = 1;

/// The job of the workers, whose shots have results `R`.
pub struct Job<'a, R = Recording> {
    /// The input of the shots.
    pub shots: &'a Shots<'a>,
    /// The shots by number, as in the file and the journal.
    pub pieces: &'a [&'a Shot],
    /// The output files.
    pub output: &'a dyn ShotFiles<R>,
    /// Whether all shots are computed on one kind of device.
    pub one_kind: bool,
}

/// A worker: its device, and its connection to the journal.
pub struct Worker<'a, R = Recording> {
    /// What computes.
    pub computer: Computer<'a, R>,
    /// Its connection to the journal.
    pub journal: Journal,
}

/// The work of a worker, or of all workers with one name.
#[derive(Debug, Clone, PartialEq)]
pub struct Share {
    /// Its name.
    pub name: String,
    /// Kind of its device.
    pub device: u8,
    /// Number of computed shots.
    pub shots: usize,
    /// Busy time and total time; a shared device is divided into equal parts.
    pub busy: [Duration; 2],
}

impl Share {
    /// An empty share.
    fn of<R>(worker: &Worker<R>) -> Self {
        Self { name: worker.computer.name.clone(), device: worker.computer.device, shots: 0, busy: [Duration::ZERO; 2] }
    }

    /// Fraction of idle time: waiting for shots, for the writer, or for the other workers at the end.
    pub fn idle(&self) -> f64 {
        let [busy, all] = self.busy.map(|time| time.as_secs_f64());
        if all > 0.0 { (1.0 - busy / all).max(0.0) } else { 0.0 }
    }

    /// Adds the work of another worker.
    pub fn add(&mut self, other: &Self) {
        self.shots += other.shots;
        self.busy = [0, 1].map(|time| self.busy[time] + other.busy[time]);
    }
}

/// How workers ended.
pub struct Ended {
    /// The work of each worker.
    pub shares: Vec<Share>,
    /// Whether the user has interrupted the program.
    pub stopped: bool,
    /// Failed devices, and why they failed.
    pub lost: Vec<(String, Error)>,
}

/// A shot on its way to the file.
struct Written {
    worker: usize,
    piece: u32,
    bytes: Vec<u8>,
    seconds: f64,
}

/// Runs the workers until no shot is left, the user interrupts, or the output fails.
///
/// # Errors
/// A file that cannot be written, an unreadable journal, or shots of another kind of device if one kind is required.
pub fn work<R: Send>(job: &Job<R>, workers: &mut [Worker<R>], progress: &Mutex<Progress>) -> Result<Ended, Error> {
    let (sender, receiver) = sync_channel(WAITING);
    let left = workers[0].journal.summary()?;
    let gpus = workers.iter().filter(|worker| worker.computer.device == GPU).count();
    let pace = Pace::new((left.pieces - left.done) as usize, gpus);
    let lost = Mutex::new(Vec::new());
    let begun = Instant::now();
    let mut shares: Vec<Share> = workers.iter().map(Share::of).collect();
    let waiting = Waiting::new(workers.iter().map(|worker| worker.journal.worker()).collect(), progress);
    let mut files = job.output.open()?;
    let outcome = std::thread::scope(|scope| {
        let mut threads = Vec::new();
        let mut journals: Vec<&Journal> = Vec::new();
        for (number, worker) in workers.iter_mut().enumerate() {
            let (sender, pace, lost) = (sender.clone(), &pace, &lost);
            let Worker { computer: Computer { name, device, engine, finishers, .. }, journal } = worker;
            journals.push(&*journal);
            let finishing = Cell::default();
            let own = Own { number, name, device: *device, finishers, journal, waiting: &waiting, finishing };
            threads.push(scope.spawn(move || {
                // In every case: other processes would wait forever for the shots that it holds.
                let mut end = End { shots: job.shots, pace, is_gpu: own.device == GPU, is_well: false };
                let worked = own.work(job, &mut **engine, &sender, pace, lost);
                end.is_well = worked.is_ok();
                worked.map(|()| own.busy(&**engine))
            }));
        }
        drop(sender);
        let written = write(job, &mut files, &journals, &receiver, &mut shares, &pace, progress);
        // Results are no longer needed.
        if written.is_err() {
            job.shots.halt();
        }
        drop(receiver);
        let ends: Vec<Result<Duration, Error>> = threads
            .into_iter()
            .map(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect();
        written?;
        ends.into_iter().collect::<Result<Vec<Duration>, Error>>()
    });
    for ((share, busy), worker) in shares.iter_mut().zip(outcome?).zip(workers) {
        share.busy = [busy, begun.elapsed() / worker.computer.sharing as u32];
    }
    let stopped = job.shots.cancel.is_cancelled();
    Ok(Ended { shares, stopped, lost: lost.into_inner().expect("no worker panics") })
}

/// Notifies the other threads of how a worker's thread has ended, including a panic.
struct End<'a> {
    shots: &'a Shots<'a>,
    pace: &'a Pace,
    is_gpu: bool,
    is_well: bool,
}

impl Drop for End<'_> {
    fn drop(&mut self) {
        if self.is_gpu {
            self.pace.gpu_ended();
        }
        if !self.is_well {
            self.shots.halt();
        }
    }
}

/// The part of a worker that its thread owns, without the device.
struct Own<'a> {
    number: usize,
    name: &'a str,
    device: u8,
    finishers: &'a Workers,
    journal: &'a Journal,
    waiting: &'a Waiting<'a>,
    /// Total time of making traces.
    finishing: Cell<Duration>,
}

impl Own<'_> {
    /// Busy time of its device, including trace making on a CPU.
    fn busy<R>(&self, engine: &dyn Engine<R>) -> Duration {
        engine.busy() + if self.device == CPU { self.finishing.get() } else { Duration::ZERO }
    }

    /// Takes shots and computes them until there are none.
    fn work<R: Send>(
        &self,
        job: &Job<R>,
        engine: &mut dyn Engine<R>,
        sender: &SyncSender<Written>,
        pace: &Pace,
        lost: &Mutex<Vec<(String, Error)>>,
    ) -> Result<(), Error> {
        // Next to GPUs, the time per shot on cores must be known.
        let seconds = match self.device {
            // A shot that cannot be computed is reported when it is taken.
            CPU if pace.has_gpus() => engine.estimate(job.pieces[0]).unwrap_or(0.0),
            _ => 0.0,
        };
        let request = ClaimRequest { device: self.device, one_kind: job.one_kind, among: 0..job.pieces.len() as u32 };
        while !job.shots.is_over() {
            if self.device == CPU && !pace.may_begin(seconds, POLL_INTERVAL) {
                continue;
            }
            match self.journal.take(engine.at_once(), &request)? {
                ClaimResult::Pieces(claims) => {
                    pace.taken(claims.len());
                    self.waiting.is_over();
                    if let Some(error) = self.compute(job, engine, &claims, sender)? {
                        lost.lock().expect("no worker panics").push((self.name.to_owned(), error));
                        return Ok(());
                    }
                }
                ClaimResult::Wait => {
                    self.waiting.report(self.journal, job.pieces)?;
                    std::thread::sleep(POLL_INTERVAL);
                }
                ClaimResult::Exhausted => return Ok(()),
                ClaimResult::OtherKind { .. } => {
                    return Err(SurveyError::OtherKind { device: kind_name(self.device) }.into());
                }
            }
        }
        Ok(())
    }

    /// Computes shots and passes them to the writer; returns why the device has become unusable.
    fn compute<R: Send>(
        &self,
        job: &Job<R>,
        engine: &mut dyn Engine<R>,
        claims: &[Claim],
        sender: &SyncSender<Written>,
    ) -> Result<Option<Error>, Error> {
        let mut left: Vec<u32> = claims.iter().map(|claim| claim.piece).collect();
        let mut useless = None;
        for (window, pieces) in by_windows(job, claims) {
            let begun = Instant::now();
            let shots: Vec<&Shot> = pieces.iter().map(|&piece| job.pieces[piece as usize]).collect();
            match engine.compute(&shots, &window) {
                Ok(outcomes) => {
                    let seconds = begun.elapsed().as_secs_f64() / pieces.len() as f64;
                    for (&piece, outcome) in pieces.iter().zip(outcomes) {
                        match outcome {
                            Ok(result) => self.hand_over(job, piece, result, seconds, sender)?,
                            Err(error) => self.fail(&[piece], &error)?,
                        }
                    }
                }
                Err(Trouble::Stopped) => break,
                Err(Trouble::Shots(error)) => self.fail(&pieces, &error)?,
                Err(Trouble::Output(error)) => return Err(error),
                Err(Trouble::Device(error)) => {
                    // The shots are not at fault: others may take them.
                    useless = Some(error);
                    break;
                }
            }
            left.retain(|piece| !pieces.contains(piece));
        }
        self.journal.release(&left)?;
        Ok(useless)
    }

    /// Encodes the result of a shot, and passes its bytes to the writer.
    fn hand_over<R: Send>(
        &self,
        job: &Job<R>,
        piece: u32,
        result: R,
        seconds: f64,
        sender: &SyncSender<Written>,
    ) -> Result<(), Error> {
        let (shot, begun) = (job.pieces[piece as usize], Instant::now());
        let bytes = self.finishers.run(|| job.output.encode(piece as usize, shot, result, job.shots));
        self.finishing.set(self.finishing.get() + begun.elapsed());
        match bytes {
            Ok(bytes) => {
                // A stopped writer has reported its reason.
                let _ = sender.send(Written { worker: self.number, piece, bytes, seconds });
                Ok(())
            }
            Err(error) => self.fail(&[piece], &error),
        }
    }

    fn fail(&self, pieces: &[u32], error: &Error) -> Result<(), Error> {
        let reason = error.to_string();
        let failed: Vec<Failed> =
            pieces.iter().map(|&piece| Failed { piece, code: FAILED_SHOT, reason: &reason }).collect();
        Ok(self.journal.fail(&failed)?)
    }
}

/// Shots that can be computed concurrently: those with the same cells.
fn by_windows<R>(job: &Job<R>, claims: &[Claim]) -> Vec<(Window, Vec<u32>)> {
    let mut of_windows: Vec<(Window, Vec<u32>)> = Vec::new();
    for claim in claims {
        let window = job.shots.grids.window(job.pieces[claim.piece as usize]);
        match of_windows.iter_mut().find(|(known, _)| *known == window) {
            Some((_, pieces)) => pieces.push(claim.piece),
            None => of_windows.push((window, vec![claim.piece])),
        }
    }
    of_windows
}

/// Writes shots to the files as they arrive. All shots in the queue are written together, with one entry in the
/// journal.
fn write<R>(
    job: &Job<R>,
    files: &mut [File],
    journals: &[&Journal],
    receiver: &Receiver<Written>,
    shares: &mut [Share],
    pace: &Pace,
    progress: &Mutex<Progress>,
) -> Result<(), Error> {
    while let Ok(first) = receiver.recv() {
        let mut of_workers: BTreeMap<usize, Vec<Done>> = BTreeMap::new();
        for shot in std::iter::once(first).chain(receiver.try_iter().take(WAITING)) {
            // A worker that was considered dead has lost the shot: it belongs to another worker, and the files may be
            // complete.
            if !journals[shot.worker].holds(shot.piece)? {
                continue;
            }
            job.output.put(files, shot.piece as usize, &shot.bytes)?;
            let entry = Done { piece: shot.piece, checksum: checksum(&shot.bytes), seconds: shot.seconds as f32 };
            of_workers.entry(shot.worker).or_default().push(entry);
        }
        job.output.flush(files)?;
        for (worker, entries) in of_workers {
            let lost = journals[worker].finish(&entries)?.len();
            shares[worker].shots += entries.len() - lost;
            if shares[worker].device == GPU {
                entries.iter().for_each(|_| pace.done_by_gpu());
            }
        }
        // Other processes compute shots, too.
        let done = journals[0].summary()?.done;
        progress.lock().expect("no thread panics").update(u64::from(done));
    }
    Ok(())
}
