//! The gradient of a shot, on cores or on a GPU.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use craton_acquisition::survey::Shot;
use craton_device::Workers;
use craton_device::gpu::Gpu;
use craton_fd::acoustic::{
    AcousticMedium, FluidGradient, GradientGpu, GradientOperator, GridGradient, StoragePlan, gradient_of_shot,
};
use craton_run::Bytes;

use super::devices::device_bytes_of_channels;
use super::observed::{ExpectedGathers, Observed, ObservedTraces, in_words, refuse_shot};
use super::{Comparison, GradientOptions, MisfitAndGradient, ModelGradient, checked, every};
use crate::error::{Error, SurveyError};
use crate::survey::Gather;
use crate::survey::grid::{Grids, Window};
use crate::survey::setup::Setup;
use crate::survey::shots::{Engine, GPU_FACTOR, Outcome, Shots, Trouble, is_out_of_memory, trouble_of};
use crate::survey::time_axis::Clock;

/// What the gradient of every shot needs.
pub struct Target<'a> {
    /// The survey.
    pub setup: &'a Setup,
    /// What the traces are compared with.
    pub comparison: Comparison<'a>,
    /// Options.
    pub options: GradientOptions,
    /// Steps per stored step of the forward fields.
    every: u64,
}

impl<'a> Target<'a> {
    /// The target of a survey; observed gathers are checked.
    ///
    /// # Errors
    /// Gathers that do not match.
    pub fn new(
        (setup, grids, clock): (&'a Setup, &Grids, &Clock),
        comparison: Comparison<'a>,
        options: GradientOptions,
    ) -> Result<Self, Error> {
        if let Comparison::Gathers(observed) = comparison {
            observed.check(&ExpectedGathers::new(setup, grids))?;
        }
        Ok(Self { setup, comparison, options, every: every(clock, &options)? })
    }

    /// Steps per stored step of the forward fields.
    pub fn every(&self) -> u64 {
        self.every
    }

    /// Number of fields whose increments are stored.
    pub fn stored_fields(&self, grids: &Grids) -> usize {
        match (self.has_density(grids.edges()), self.setup.is_plane) {
            (false, _) => 1,
            (true, true) => 3,
            (true, false) => 4,
        }
    }

    /// Host memory of the gradient of a shot on the whole box and model [bytes].
    pub fn bytes_of_gradient(&self, grids: &Grids) -> f64 {
        let of_cell = if self.has_density(grids.edges()) { VALUES_WITH_DENSITY } else { 1 };
        let of_model = ModelGradient::zeros(self.setup, &self.options);
        let values = of_cell * grids.grid().n_cells() + of_model.velocity.len() + of_model.density.len();
        (size_of::<f64>() * values) as f64
    }

    /// Whether the buoyancies of faces depend on a parameter. Inside a cell the flow depends on the compliances on its way, so they depend on the speed if
    /// it varies there, even with a constant density.
    fn has_density(&self, edges: [f64; 3]) -> bool {
        let fluid = &self.setup.fluid;
        self.options.density || fluid.density_follows_speed() || fluid.varies_in_cells(edges)
    }
}

/// Values of a [`FluidGradient`] with density per cell.
const VALUES_WITH_DENSITY: usize = 8;

/// Memory of a GPU with which no gradient is tried any more [bytes].
const LEAST_ROOM: u64 = 1 << 20;

/// What computes the gradients of an engine.
pub enum Place {
    /// The cores of this processor, or some of them.
    Cores,
    /// A GPU.
    Gpu {
        /// Its queue.
        gpu: Gpu,
        /// Held during the time loops: shots of two engines of the GPU would compete for its cache.
        turn: Arc<Mutex<()>>,
    },
}

/// A device that computes gradients of shots, one shot after the other.
pub struct GradientEngine<'a> {
    shots: &'a Shots<'a>,
    target: &'a Target<'a>,
    place: Place,
    /// Memory for forward fields; on a GPU with all that shots need there [bytes].
    room: u64,
    /// Threads that compute, or that do the host work of a GPU.
    workers: Arc<Workers>,
    /// The operators of the last shot, reused for the next one with the same cells.
    operators: Option<Operators>,
    busy: Duration,
}

struct Operators {
    window: Window,
    medium: Arc<AcousticMedium<f32>>,
    runs: Runs,
}

/// The forward run and the adjoint run.
enum Runs {
    Cores(Box<GradientOperator<f32>>),
    Gpu(Box<GradientGpu>),
}

impl<'a> GradientEngine<'a> {
    /// An engine.
    ///
    /// # Arguments
    /// * `room` – memory for forward fields; on a GPU with all that shots need there [bytes]
    /// * `workers` – threads that compute, or that do the host work of a GPU
    pub fn new(
        shots: &'a Shots<'a>,
        target: &'a Target<'a>,
        (place, room): (Place, u64),
        workers: Arc<Workers>,
    ) -> Self {
        Self { shots, target, place, room, workers, operators: None, busy: Duration::ZERO }
    }

    /// Threads that compute, or that do the host work of a GPU.
    pub fn workers(&self) -> Arc<Workers> {
        Arc::clone(&self.workers)
    }

    /// Requires the memory for the forward fields of a shot, before the first shot is computed.
    ///
    /// # Errors
    /// Insufficient memory.
    pub fn require_memory(&mut self, window: &Window, channels: usize) -> Result<(), Error> {
        self.operators(window)?;
        self.storage(channels).map(drop)
    }

    fn operators(&mut self, window: &Window) -> Result<&mut Operators, Error> {
        if self.operators.as_ref().is_none_or(|known| known.window != *window) {
            self.operators = None;
            let grids = self.shots.grids;
            let (medium, workers) = (grids.medium_of(window), self.workers());
            let (own, options, dt) = (Arc::clone(&medium), grids.acoustic().options.clone(), grids.axis.dt);
            let runs = match &self.place {
                Place::Cores => Runs::Cores(Box::new(GradientOperator::new(own, options, dt, workers)?)),
                Place::Gpu { gpu, .. } => Runs::Gpu(Box::new(GradientGpu::new(gpu, own, options, dt, workers)?)),
            };
            self.operators = Some(Operators { window: window.clone(), medium, runs });
        }
        Ok(self.operators.as_mut().expect("it has just been made"))
    }

    /// Which forward fields of a shot are stored.
    fn storage(&self, channels: usize) -> Result<StoragePlan, Error> {
        let (grids, target) = (self.shots.grids, self.target);
        let density = target.has_density(grids.edges());
        let (sizes, room) = match &self.operators.as_ref().expect("made for the shot").runs {
            Runs::Cores(runs) => (runs.sizes(density), self.room),
            Runs::Gpu(runs) => {
                let others = runs.bytes(density) + device_bytes_of_channels(grids, channels) as u64;
                (runs.sizes(density), self.room.saturating_sub(others))
            }
        };
        StoragePlan::new(grids.axis.steps, target.every, sizes, room)
            .map_err(|least| SurveyError::GradientMemory { needed: Bytes(least), available: Bytes(room) }.into())
    }

    /// Misfit and gradient of a shot; `None` if it was stopped.
    fn of_shot(&mut self, shot: &Shot, window: &Window) -> Result<Option<MisfitAndGradient>, Error> {
        let (shots, target, workers) = (self.shots, self.target, self.workers());
        let observed = match target.comparison {
            Comparison::Gathers(observed) => Some(observed_of(observed, shot, shots.grids.axis.samples)?),
            Comparison::Function(_) => None,
        };
        self.operators(window)?;
        let plan = self.storage(shot.spread.len())?;
        let density = target.has_density(shots.grids.edges());
        let mut found = (0.0, 1.0);
        let residual = |samples: Vec<f32>| {
            workers.run(|| {
                let (misfit, scale, residual) = residual((shots, target), shot, observed.as_ref(), &samples)?;
                found = (misfit, scale);
                Ok::<_, Error>(residual)
            })
        };
        let gradient = self.gradient(shot, (density, &plan), residual)?;
        let Some(gradient) = gradient else { return Ok(None) };
        let medium = &self.operators.as_ref().expect("made for the shot").medium;
        let mut fluid = FluidGradient::zeros(shots.grids.grid(), density);
        shots.grids.add_gradient(window, medium, &gradient, &mut fluid);
        let mut model = ModelGradient::zeros(target.setup, &target.options);
        target.setup.fluid.add_gradient(shots.grids.grid(), shots.grids.edges(), &fluid, &mut model);
        let (misfit, scale) = found;
        model.velocity.iter_mut().chain(&mut model.density).for_each(|value| *value *= scale);
        Ok(Some(MisfitAndGradient { misfit, gradient: model }))
    }

    /// As [`Self::of_shot`], with more checkpoints if other data take the memory of a GPU.
    fn with_less_memory(&mut self, shot: &Shot, window: &Window) -> Result<Option<MisfitAndGradient>, Error> {
        loop {
            match self.of_shot(shot, window) {
                Err(error) if is_out_of_memory(&error) => {
                    // The remaining data take memory.
                    self.operators = None;
                    self.room /= 2;
                    if self.room < LEAST_ROOM {
                        return Err(error);
                    }
                }
                found => return found,
            }
        }
    }

    /// The gradient of a shot on its grid; `None` if it was stopped.
    fn gradient(
        &mut self,
        shot: &Shot,
        (density, plan): (bool, &StoragePlan),
        residual: impl FnOnce(Vec<f32>) -> Result<Vec<f32>, Error>,
    ) -> Result<Option<GridGradient>, Error> {
        let shots = self.shots;
        let (drives, listeners) = (shots.drives(shot)?, shots.listeners(shot));
        let of_shot = (&drives[..], &listeners[..]);
        let Operators { window, runs, .. } = self.operators.as_mut().expect("made for the shot");
        let (at_once, goes_on) = (shots.steps_at_once(window), || !shots.is_over());
        match (runs, &self.place) {
            (Runs::Gpu(runs), Place::Gpu { turn, .. }) => {
                let take = || Some(turn.lock().expect("no thread panics"));
                let mut own_turn = take();
                // Another engine computes meanwhile.
                let residual = |samples: Vec<f32>| {
                    drop(own_turn.take());
                    let residual = residual(samples);
                    own_turn = take();
                    residual
                };
                let pieces = (GPU_FACTOR * at_once, &goes_on as &dyn Fn() -> bool);
                gradient_of_shot(&mut **runs, of_shot, density, plan, residual, pieces)
            }
            (Runs::Cores(runs), _) => {
                gradient_of_shot(&mut **runs, of_shot, density, plan, residual, (at_once, &goes_on))
            }
            (Runs::Gpu(_), Place::Cores) => unreachable!("the runs of an engine are on its device"),
        }
    }
}

/// The observed traces of a shot, before it is computed.
fn observed_of(observed: &dyn Observed, shot: &Shot, samples: usize) -> Result<ObservedTraces, Error> {
    let observed = observed.traces(shot)?;
    let (number, found, needed) = (shot.number, observed.len(), shot.spread.len());
    if found != needed {
        return Err(refuse_shot(format!("shot {number} has {found} traces instead of {needed}")));
    }
    for (receiver, trace) in shot.spread.receivers().zip(&observed) {
        let Some(trace) = trace else { continue };
        let own = in_words([number, receiver.channel]);
        if trace.len() != samples {
            return Err(refuse_shot(format!("{own} has {} samples instead of {samples}", trace.len())));
        }
        if let Some(sample) = trace.iter().position(|value| !value.is_finite()) {
            let value = trace[sample];
            return Err(refuse_shot(format!("{own} has the value {value} at sample {sample}, which is not finite")));
        }
    }
    Ok(observed)
}

/// Misfit of a shot, and its derivative with respect to the samples of the steps, divided by a power of two so that the adjoint fields are neither tiny nor
/// huge: misfit, this power, `[step][channel]`.
///
/// # Arguments
/// * `observed` – the observed traces, unless the calling program computes the misfit
fn residual(
    (shots, target): (&Shots, &Target),
    shot: &Shot,
    observed: Option<&ObservedTraces>,
    samples: &[f32],
) -> Result<(f64, f64, Vec<f32>), Error> {
    let (width, is_velocity) = (shot.spread.len(), target.setup.heard[0].is_velocity());
    let traces = shots.clock.traces((samples, width), 0..width, is_velocity)?;
    let axis = &shots.grids.axis;
    let (misfit, residuals) = match (target.comparison, observed) {
        (Comparison::Function(misfit), _) => {
            let gather = Gather::new(shot, axis, traces, Vec::new());
            let found = misfit(&gather).and_then(|found| checked(found, &gather));
            found.map_err(|problem| SurveyError::OwnMisfit { problem })?
        }
        (_, Some(observed)) => target.options.misfit.of_traces(&traces, observed, axis.interval),
        (Comparison::Gathers(_), None) => unreachable!("the observed traces have been read"),
    };
    let largest = residuals.iter().flatten().fold(0.0_f64, |most, value| most.max(value.abs()));
    let scale = if largest > 0.0 { largest.log2().floor().exp2() } else { 1.0 };
    let residual = shots.clock.transposed(&residuals, scale, samples.len() / width, is_velocity)?;
    Ok((misfit, scale, residual))
}

impl Engine<MisfitAndGradient> for GradientEngine<'_> {
    fn at_once(&self) -> usize {
        1
    }

    fn estimate(&mut self, _: &Shot) -> Result<f64, Error> {
        Ok(0.0)
    }

    fn busy(&self) -> Duration {
        self.busy
    }

    fn compute(&mut self, shots: &[&Shot], window: &Window) -> Result<Vec<Outcome<MisfitAndGradient>>, Trouble> {
        let begun = Instant::now();
        let of_shot = |shot: &&Shot| match self.with_less_memory(shot, window) {
            Ok(Some(found)) => Ok(Ok(found)),
            Ok(None) => Err(Trouble::Stopped),
            Err(error) => Err(trouble_of(error)),
        };
        let outcomes = shots.iter().map(of_shot).collect();
        self.busy += begun.elapsed();
        outcomes
    }
}
