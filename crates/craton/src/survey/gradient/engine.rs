//! The gradient of a shot on the cores of this processor.

use std::sync::Arc;
use std::time::{Duration, Instant};

use craton_acquisition::survey::Shot;
use craton_device::Workers;
use craton_fd::acoustic::{
    AcousticAdjoint, AcousticMedium, AcousticOperator, FluidGradient, StoragePlan, gradient_of_shot,
};
use craton_run::Bytes;

use super::observed::{ExpectedGathers, Observed, ObservedTraces, in_words, refuse_shot};
use super::{GradientOptions, MisfitAndGradient, ModelGradient, every};
use crate::error::{Error, SurveyError};
use crate::survey::grid::{Grids, Window};
use crate::survey::setup::Setup;
use crate::survey::shot_devices::ShotDevices;
use crate::survey::shots::{Engine, Outcome, Shots, Trouble};
use crate::survey::time_axis::Clock;

/// What the gradient of every shot needs.
pub struct Target<'a> {
    /// The survey.
    pub setup: &'a Setup,
    /// The observed gathers.
    pub observed: &'a dyn Observed,
    /// Options.
    pub options: GradientOptions,
    /// Steps per stored step of the forward fields.
    every: u64,
    /// Memory of an engine for stored fields [bytes].
    room: u64,
}

impl<'a> Target<'a> {
    /// The target of a survey, whose observed gathers are compared with it.
    ///
    /// # Arguments
    /// * `engines` – devices, and number of engines
    /// # Errors
    /// Gathers that do not match; insufficient memory for the operators.
    pub fn new(
        (setup, grids, clock): (&'a Setup, &Grids, &Clock),
        observed: &'a dyn Observed,
        options: GradientOptions,
        (devices, engines): (&ShotDevices, usize),
    ) -> Result<Self, Error> {
        observed.check(&ExpectedGathers::new(setup, grids))?;
        let target = Self { setup, observed, options, every: every(clock, &options)?, room: 0 };
        let of_cell = if target.has_density(grids.edges()) { VALUES_WITH_DENSITY } else { 1 };
        let of_model = ModelGradient::zeros(setup, &options);
        let values = of_cell * grids.grid().n_cells() + of_model.velocity.len() + of_model.density.len();
        let bytes = (size_of::<f64>() * values) as f64;
        let room = devices.gradient_room(grids, setup.survey.shots(), (engines, bytes))?;
        Ok(Self { room, ..target })
    }

    /// Requires the memory for the forward fields of the largest shot, before the first shot is computed.
    ///
    /// # Errors
    /// Insufficient memory.
    pub fn require_memory(&self, grids: &Grids, workers: Arc<Workers>) -> Result<(), Error> {
        let windows = self.setup.survey.shots().iter().map(|shot| grids.window(shot));
        let Some(window) = windows.max_by_key(|window| grids.points(window)) else { return Ok(()) };
        let forward = AcousticOperator::new(grids.medium_of(&window), grids.options.clone(), grids.axis.dt, workers)?;
        storage((self, self.has_density(grids.edges())), grids.axis.steps, &forward, grids.points(&window)).map(drop)
    }

    /// Whether the buoyancies of faces depend on a parameter. Inside a cell the flow depends on the compliances on its way, so they depend on the speed if
    /// it varies there, even with a constant density.
    fn has_density(&self, edges: [f64; 3]) -> bool {
        let fluid = &self.setup.fluid;
        self.options.density || fluid.density_follows_speed() || fluid.varies_in_cells(edges)
    }
}

/// Memory of both operators and the gradient per point of a shot [bytes], without stored fields.
pub const GRADIENT_BYTES_PER_POINT: f64 = 300.0;

/// Values of a [`FluidGradient`] with density per cell.
const VALUES_WITH_DENSITY: usize = 8;

/// Cores that compute gradients of shots, one shot after the other.
pub struct GradientEngine<'a> {
    shots: &'a Shots<'a>,
    target: &'a Target<'a>,
    workers: Arc<Workers>,
    /// The operators of the last shot, reused for the next one with the same cells.
    operators: Option<Operators>,
    busy: Duration,
}

struct Operators {
    window: Window,
    medium: Arc<AcousticMedium<f32>>,
    forward: AcousticOperator<f32>,
    adjoint: AcousticAdjoint<f32>,
}

impl<'a> GradientEngine<'a> {
    /// An engine on these threads.
    pub fn new(shots: &'a Shots<'a>, target: &'a Target<'a>, workers: Arc<Workers>) -> Self {
        Self { shots, target, workers, operators: None, busy: Duration::ZERO }
    }

    fn operators(&mut self, window: &Window) -> Result<&mut Operators, Error> {
        if self.operators.as_ref().is_none_or(|known| known.window != *window) {
            self.operators = None;
            let grids = self.shots.grids;
            let medium = grids.medium_of(window);
            let parts = || (Arc::clone(&medium), grids.options.clone(), grids.axis.dt, Arc::clone(&self.workers));
            let (own, options, dt, workers) = parts();
            let forward = AcousticOperator::new(own, options, dt, workers)?;
            let (own, options, dt, workers) = parts();
            let adjoint = AcousticAdjoint::new(own, options, dt, workers)?;
            self.operators = Some(Operators { window: window.clone(), medium, forward, adjoint });
        }
        Ok(self.operators.as_mut().expect("it has just been made"))
    }

    /// Misfit and gradient of a shot; `None` if it was stopped.
    fn of_shot(&mut self, shot: &Shot, window: &Window) -> Result<Option<MisfitAndGradient>, Error> {
        let (shots, target, workers) = (self.shots, self.target, Arc::clone(&self.workers));
        let observed = observed_of(target, shot, shots.grids.axis.samples)?;
        let Operators { medium, forward, adjoint, .. } = self.operators(window)?;
        let axis = &shots.grids.axis;
        let density = target.has_density(shots.grids.edges());
        let plan = storage((target, density), axis.steps, forward, shots.grids.points(window))?;
        let (drives, listeners) = (shots.drives(shot)?, shots.listeners(shot));
        let mut found = (0.0, 1.0);
        let residual = |samples: Vec<f32>| {
            workers.run(|| {
                let (misfit, scale, residual) = residual(shots, target, &observed, &samples)?;
                found = (misfit, scale);
                Ok::<_, Error>(residual)
            })
        };
        let at_once = shots.steps_at_once(window);
        let gradient = gradient_of_shot(
            (forward, adjoint),
            (&drives, &listeners),
            density,
            &plan,
            residual,
            (at_once, &|| !shots.is_over()),
        )?;
        let Some(gradient) = gradient else { return Ok(None) };
        let mut fluid = FluidGradient::zeros(shots.grids.grid(), density);
        shots.grids.add_gradient(window, medium, &gradient, &mut fluid);
        let mut model = ModelGradient::zeros(target.setup, &target.options);
        target.setup.fluid.add_gradient(shots.grids.grid(), shots.grids.edges(), &fluid, &mut model);
        let (misfit, scale) = found;
        model.velocity.iter_mut().chain(&mut model.density).for_each(|value| *value *= scale);
        Ok(Some(MisfitAndGradient { misfit, gradient: model }))
    }
}

/// Which forward fields are stored.
fn storage(
    (target, density): (&Target, bool),
    steps: u64,
    forward: &AcousticOperator<f32>,
    points: usize,
) -> Result<StoragePlan, Error> {
    let fields = if density { 1 + if target.setup.is_plane { 2 } else { 3 } } else { 1 };
    let of_step = (points * fields * size_of::<f32>()) as u64;
    let sizes = [of_step + of_step / 50, forward.checkpoint_bytes() as u64];
    StoragePlan::new(steps, target.every, sizes, target.room)
        .map_err(|least| SurveyError::GradientMemory { needed: Bytes(least), available: Bytes(target.room) }.into())
}

/// The observed traces of a shot, before it is computed.
fn observed_of(target: &Target, shot: &Shot, samples: usize) -> Result<ObservedTraces, Error> {
    let observed = target.observed.traces(shot)?;
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
fn residual(
    shots: &Shots,
    target: &Target,
    observed: &ObservedTraces,
    samples: &[f32],
) -> Result<(f64, f64, Vec<f32>), Error> {
    let (width, is_velocity) = (observed.len(), target.setup.heard[0].is_velocity());
    let traces = shots.clock.traces((samples, width), 0..width, is_velocity)?;
    let interval = shots.grids.axis.interval;
    let (misfit, residuals) = target.options.misfit.of_traces(&traces, observed, interval);
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
        let of_shot = |shot: &&Shot| match self.of_shot(shot, window) {
            Ok(Some(found)) => Ok(Ok(found)),
            Ok(None) => Err(Trouble::Stopped),
            Err(error) => Err(Trouble::Shots(error)),
        };
        let outcomes = shots.iter().map(of_shot).collect();
        self.busy += begun.elapsed();
        outcomes
    }
}
