//! Engines that compute shots, on a CPU or a GPU.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use craton_acquisition::survey::{Array, Shot, WeightedPoint};
use craton_device::Workers;
use craton_device::gpu::{Gpu, GpuError};
use craton_fd::GpuSetupError;
use craton_fd::acoustic::{AcousticField, AcousticGpu, AcousticShot, Drive, Listener, Placed};
use craton_run::{Cancel, OutputDirectory};
use craton_sim::Failure;

use super::config::Quantity;
use super::frames::Frames;
use super::grid::{Grids, Window};
use super::time_axis::Clock;
use crate::error::Error;

/// Number of points times steps of a shot between two checks for interruption.
const BETWEEN_CHECKS: f64 = 1e8;

/// Approximate speed ratio of a GPU to a CPU.
pub const GPU_FACTOR: u64 = 100;

/// The input of the shots.
pub struct Shots<'a> {
    /// The grid.
    pub grids: &'a Grids,
    /// Source wavelets per step, and the conversion of recordings to traces.
    pub clock: &'a Clock,
    /// The field that a source acts on.
    pub source: AcousticField,
    /// The recorded fields: channels of the first quantity, followed by those of the next.
    pub quantities: &'a [Quantity],
    /// The snapshots.
    pub frames: &'a Frames,
    /// The folder of the snapshots, if there are any.
    pub folder: Option<&'a OutputDirectory>,
    /// Whether the user has interrupted the program.
    pub cancel: &'a Cancel,
    /// Whether results are no longer needed.
    pub halt: AtomicBool,
}

/// Why shots were not computed.
pub enum Trouble {
    /// Interrupted.
    Stopped,
    /// These shots have failed; other shots may succeed.
    Shots(Error),
    /// The device has failed, and would fail with other shots.
    Device(Error),
    /// Snapshots cannot be written.
    Output(Error),
}

/// Samples of a shot at each step, `[step][channel]`.
pub type Recording = Vec<f32>;

/// The result of a shot, or why it has failed.
pub type Outcome<R = Recording> = Result<R, Error>;

/// A device that computes shots, with their recordings or other results `R`.
pub trait Engine<R = Recording>: Send {
    /// Number of shots that are most efficiently computed together.
    fn at_once(&self) -> usize;

    /// Expected time of a shot [s], measured with some steps.
    ///
    /// # Errors
    /// A shot that cannot be computed.
    fn estimate(&mut self, shot: &Shot) -> Result<f64, Error>;

    /// Total time of the time loops.
    fn busy(&self) -> Duration;

    /// Computes shots of one window.
    ///
    /// # Returns
    /// For each shot its result, or why it has failed.
    /// # Errors
    /// Why no shot was computed.
    fn compute(&mut self, shots: &[&Shot], window: &Window) -> Result<Vec<Outcome<R>>, Trouble>;
}

impl Shots<'_> {
    /// Stops all work on shots.
    pub fn halt(&self) {
        self.halt.store(true, Ordering::Relaxed);
    }

    /// Whether to stop.
    pub fn is_over(&self) -> bool {
        self.halt.load(Ordering::Relaxed) || self.cancel.is_cancelled()
    }

    /// The sources of a shot: one for each delay of its points.
    ///
    /// # Errors
    /// A source amplitude that is not finite.
    pub fn drives(&self, shot: &Shot) -> Result<Vec<Drive>, Error> {
        let mut delays: Vec<f64> = Vec::new();
        let mut drives: Vec<Drive> = Vec::new();
        for WeightedPoint { position, weight, delay } in shot.source.points() {
            let number = delays.iter().position(|&known| known == delay).unwrap_or(delays.len());
            if number == delays.len() {
                let history = self.clock.history(shot.number, delay)?;
                drives.push(Drive { places: Vec::new(), field: self.source, history });
                delays.push(delay);
            }
            drives[number].places.push(Placed { position, weight });
        }
        Ok(drives)
    }

    /// The recorded channels of a shot.
    pub fn listeners(&self, shot: &Shot) -> Vec<Listener> {
        let listener = |array: &Array, field: AcousticField| Listener { places: placed(array), field };
        let of_quantity = |quantity: &Quantity| {
            let field = quantity.field();
            shot.spread.receivers().map(move |receiver| listener(&receiver.array, field))
        };
        self.quantities.iter().flat_map(of_quantity).collect()
    }

    /// The step up to which shots run: that of their next frame, or the last one.
    fn until(&self, shots: &[&Shot], step: u64) -> u64 {
        self.frames.next(shots, step).map_or(self.grids.axis.steps, |next| next.min(self.grids.axis.steps))
    }

    /// Writes the snapshots of a shot on a GPU.
    ///
    /// # Arguments
    /// * `number`, `shot` – its index among the concurrent shots
    /// * `now` – its latest recordings, which are returned
    fn follow(
        &self,
        (number, shot): (usize, &Shot),
        operator: &AcousticGpu,
        now: Vec<f32>,
    ) -> Result<Vec<f32>, Trouble> {
        // Reading the whole field takes as long as this many steps.
        let finite = |values: Vec<f32>| match values.iter().all(|value| value.is_finite()) {
            true => Ok(values),
            false => operator.check(number).map(|()| values).map_err(failed),
        };
        let now = finite(now)?;
        let pressure = |cells: &_| finite(operator.pressure_in(number, cells).map_err(failed)?);
        self.frames.write(shot, operator.step(), self.folder, pressure)?;
        Ok(now)
    }

    /// Number of steps until the next check.
    pub fn steps_at_once(&self, window: &Window) -> u64 {
        (BETWEEN_CHECKS / self.grids.points(window) as f64).ceil() as u64
    }
}

fn placed(array: &Array) -> Vec<Placed> {
    array.points().map(|point| Placed { position: point.position, weight: point.weight }).collect()
}

/// The cores of this processor, or some of them.
pub struct CpuEngine<'a> {
    shots: &'a Shots<'a>,
    workers: Arc<Workers>,
    /// The operator of the last shot, reused for the next one with the same cells.
    operator: Option<(Window, AcousticShot<f32>)>,
    busy: Duration,
}

impl<'a> CpuEngine<'a> {
    /// An engine on these threads.
    pub fn new(shots: &'a Shots<'a>, workers: Arc<Workers>) -> Self {
        Self { shots, workers, operator: None, busy: Duration::ZERO }
    }

    fn operator(&mut self, window: &Window) -> Result<&mut AcousticShot<f32>, Error> {
        let grids = self.shots.grids;
        if self.operator.as_ref().is_none_or(|(known, _)| known != window) {
            // Two at a time would double the memory.
            self.operator = None;
            let (medium, workers) = (grids.medium_of(window), Arc::clone(&self.workers));
            let operator = AcousticShot::new(medium, grids.acoustic().options.clone(), grids.axis.dt, workers)?;
            self.operator = Some((window.clone(), operator));
        }
        let (_, operator) = self.operator.as_mut().expect("it has just been made");
        Ok(operator)
    }

    /// Computes shots one after the other.
    fn one_by_one(&mut self, shots: &[&Shot], window: &Window) -> Result<Vec<Outcome>, Trouble> {
        let all = self.shots;
        let mut outcomes = Vec::with_capacity(shots.len());
        for shot in shots {
            let operator = self.operator(window).map_err(Trouble::Shots)?;
            let drives = all.drives(shot).map_err(Trouble::Shots)?;
            operator.place(&drives, &all.listeners(shot)).map_err(|error| Trouble::Shots(error.into()))?;
            let (steps, at_once) = (all.grids.axis.steps, all.steps_at_once(window));
            while operator.step() < steps {
                if all.is_over() {
                    return Err(Trouble::Stopped);
                }
                let until = all.until(&[shot], operator.step());
                operator.advance(at_once.min(until - operator.step()));
                operator.check().map_err(|error| Trouble::Shots(error.into()))?;
                let pressure = |cells: &_| Ok(operator.pressure_in(cells));
                all.frames.write(shot, operator.step(), all.folder, pressure)?;
            }
            outcomes.push(Ok(operator.take_samples()));
        }
        Ok(outcomes)
    }
}

impl Engine for CpuEngine<'_> {
    fn at_once(&self) -> usize {
        1
    }

    fn estimate(&mut self, shot: &Shot) -> Result<f64, Error> {
        let all = self.shots;
        let window = all.grids.window(shot);
        let at_once = all.steps_at_once(&window);
        let begun = Instant::now();
        let operator = self.operator(&window)?;
        let moves = Instant::now();
        operator.advance(at_once);
        let seconds = moves.elapsed().as_secs_f64();
        self.busy += begun.elapsed();
        Ok(seconds / at_once as f64 * all.grids.axis.steps as f64)
    }

    fn busy(&self) -> Duration {
        self.busy
    }

    fn compute(&mut self, shots: &[&Shot], window: &Window) -> Result<Vec<Outcome>, Trouble> {
        let begun = Instant::now();
        let outcomes = self.one_by_one(shots, window);
        self.busy += begun.elapsed();
        outcomes
    }
}

/// A GPU with several concurrent shots of one window.
pub struct GpuEngine<'a> {
    shots: &'a Shots<'a>,
    gpu: Gpu,
    at_once: usize,
    /// Held during the time loop: shots of two threads would compete for the cache.
    turn: Arc<Mutex<()>>,
    /// Threads that make the weights of sources and receivers.
    workers: Arc<Workers>,
    operator: Option<(Window, AcousticGpu)>,
    busy: Duration,
}

impl<'a> GpuEngine<'a> {
    /// An engine on this GPU.
    ///
    /// # Arguments
    /// * `at_once` – number of concurrent shots
    /// * `turn` – lock shared by all engines on this GPU
    /// * `workers` – threads that make the weights of sources and receivers
    pub fn new(shots: &'a Shots<'a>, gpu: Gpu, at_once: usize, turn: Arc<Mutex<()>>, workers: Arc<Workers>) -> Self {
        Self { shots, gpu, at_once, turn, workers, operator: None, busy: Duration::ZERO }
    }

    fn operator(&mut self, window: &Window) -> Result<&mut AcousticGpu, Error> {
        let grids = self.shots.grids;
        if self.operator.as_ref().is_none_or(|(known, _)| known != window) {
            self.operator = None;
            let (medium, options) = (grids.medium_of(window), grids.acoustic().options.clone());
            let operator = AcousticGpu::new(&self.gpu, medium, options, grids.axis.dt, self.at_once)?;
            self.operator = Some((window.clone(), operator));
        }
        let (_, operator) = self.operator.as_mut().expect("it has just been made");
        Ok(operator)
    }

    /// Computes at most as many shots as fit.
    fn concurrently(&mut self, shots: &[&Shot], window: &Window) -> Result<Vec<Outcome>, Trouble> {
        self.operator(window).map_err(of_shots)?;
        let Self { shots: all, turn, gpu, operator, workers, busy, .. } = self;
        let (_, operator) = operator.as_mut().expect("it has just been made");
        let placed = shots.iter().map(|shot| Ok((all.drives(shot)?, all.listeners(shot))));
        let placed = placed.collect::<Result<Vec<_>, Error>>().map_err(of_shots)?;
        workers.run(|| operator.place(&placed)).map_err(|error| of_shots(error.into()))?;
        let mut outcomes: Vec<Outcome> = shots.iter().map(|_| Ok(Recording::new())).collect();
        let steps = all.grids.axis.steps;
        let at_once = GPU_FACTOR * all.steps_at_once(window);
        while operator.step() < steps && outcomes.iter().any(Result::is_ok) {
            if all.is_over() {
                return Err(Trouble::Stopped);
            }
            let own_turn = turn.lock().expect("no thread panics");
            let begun = Instant::now();
            let until = all.until(shots, operator.step()).min(operator.step() + operator.longest_advance());
            let mut advance = || {
                while operator.step() < until && !all.is_over() {
                    operator.advance(at_once.min(until - operator.step())).map_err(failed)?;
                    gpu.synchronize().map_err(|error| Trouble::Device(error.into()))?;
                }
                Ok::<_, Trouble>(())
            };
            let moved = advance();
            *busy += begun.elapsed();
            drop(own_turn);
            moved?;
            for ((number, outcome), now) in
                outcomes.iter_mut().enumerate().zip(operator.take_samples().map_err(failed)?)
            {
                let Ok(recording) = outcome else { continue };
                match all.follow((number, shots[number]), operator, now) {
                    Ok(now) => recording.extend(now),
                    // The other shots continue.
                    Err(Trouble::Shots(error)) => *outcome = Err(error),
                    Err(trouble) => return Err(trouble),
                }
            }
        }
        Ok(outcomes)
    }
}

impl Engine for GpuEngine<'_> {
    fn at_once(&self) -> usize {
        self.at_once
    }

    fn estimate(&mut self, _: &Shot) -> Result<f64, Error> {
        // No other device is faster.
        Ok(0.0)
    }

    fn busy(&self) -> Duration {
        self.busy
    }

    fn compute(&mut self, shots: &[&Shot], window: &Window) -> Result<Vec<Outcome>, Trouble> {
        // The same holds for shots that were taken when memory seemed sufficient.
        if shots.len() <= self.at_once {
            let outcomes = self.concurrently(shots, window);
            let Err(Trouble::Shots(error)) = outcomes else { return outcomes };
            // The remaining data take memory.
            self.operator = None;
            if self.at_once > 1 && is_out_of_memory(&error) {
                // A single shot needs less memory.
                self.at_once = 1;
            } else if shots.len() == 1 {
                return Err(Trouble::Shots(error));
            }
        }
        // Only a shot that fails alone has failed.
        let mut alone = |shot| match self.compute(&[shot], window) {
            Ok(mut outcomes) => Ok(outcomes.remove(0)),
            Err(Trouble::Shots(error)) => Ok(Err(error)),
            Err(trouble) => Err(trouble),
        };
        shots.iter().map(|&shot| alone(shot)).collect()
    }
}

/// Classifies an error: unbounded growth is a failure of the shot, everything else of the device.
pub fn failed(failure: Failure) -> Trouble {
    match failure {
        Failure::Unstable(_) => Trouble::Shots(failure.into()),
        other => Trouble::Device(other.into()),
    }
}

/// Classifies an error of a shot that was set up and computed.
pub fn trouble_of(error: Error) -> Trouble {
    if matches!(error, Error::Failed(_)) { Trouble::Device(error) } else { of_shots(error) }
}

/// Classifies a set-up error: rejected shots and insufficient memory are failures of the shot, everything else of the
/// device.
pub fn of_shots(error: Error) -> Trouble {
    match error {
        _ if is_out_of_memory(&error) => Trouble::Shots(error),
        Error::GpuGrid(GpuSetupError::Device(_)) | Error::Device(_) => Trouble::Device(error),
        other => Trouble::Shots(other),
    }
}

/// Whether a device has too little memory.
pub fn is_out_of_memory(error: &Error) -> bool {
    matches!(error, Error::GpuGrid(GpuSetupError::Device(GpuError::OutOfMemory { .. })))
}
