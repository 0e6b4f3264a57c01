//! Gradients of misfits with respect to the fluid, and first-order changes of samples (Born modelling).
//!
//! | file | contents |
//! |---|---|
//! | this one | the gradient of a shot on any device: forward run, residual, adjoint run |
//! | `operator` | both runs on a CPU |
//! | `gpu`, `gpu_adjoint` | both runs on a GPU, and the transposed scheme there |
//! | `injection` | the residual and monopoles on a GPU |
//! | `increments`, `device_increments` | what the forward steps add to the fields, on a CPU and on a GPU |
//! | `storage` | which increments are stored, and checkpoints between them |
//! | `adjoint`, `transposed` | the transposed scheme and its pieces |
//! | `born` | the linearised loop, whose transpose the adjoint is |
//! | `fluid` | from points of the grid to the fluid of cells, through the averages of the medium |

mod adjoint;
mod born;
mod device_increments;
mod fluid;
mod gpu;
mod gpu_adjoint;
mod increments;
mod injection;
mod operator;
mod storage;
mod transposed;

pub use adjoint::{AcousticAdjoint, GridGradient};
pub use born::{Born, Perturbation, Scattering};
pub use device_increments::DeviceIncrements;
pub use fluid::{FluidGradient, SlabGradient, slabs_transposed};
pub use gpu::GradientGpu;
pub use increments::Increments;
pub use operator::GradientOperator;
pub use storage::StoragePlan;

use std::ops::Range;

use super::setup::PRESSURE;
use super::taps::{Drive, Listener};

/// Sources and channels of a shot.
type Shot<'a> = (&'a [Drive], &'a [Listener]);

/// The forward run and the adjoint run of a shot on a device.
pub trait ShotGradient {
    /// A sample.
    type Value;
    /// Error of a shot that cannot be computed.
    type Problem;
    /// Error of the time loop.
    type Failure;

    /// Sets a new shot for the forward run, at rest before the first step.
    ///
    /// # Arguments
    /// * `with_density` – whether buoyancies are parameters
    /// * `every` – steps per stored step
    /// # Errors
    /// A position outside the grid, too little memory.
    fn place(&mut self, shot: Shot, with_density: bool, every: u64) -> Result<(), Self::Problem>;

    /// Adds a checkpoint of the forward run.
    ///
    /// # Errors
    /// Too little memory.
    fn keep_checkpoint(&mut self) -> Result<(), Self::Problem>;

    /// Restores the last checkpoint, and removes it.
    ///
    /// # Errors
    /// A device that fails.
    fn restore_checkpoint(&mut self) -> Result<(), Self::Problem>;

    /// Stores the increments of some steps of the forward run from now on; earlier ones are forgotten.
    ///
    /// # Errors
    /// Too little memory.
    fn begin_storing(&mut self, steps: Range<u64>) -> Result<(), Self::Problem>;

    /// Stores no further increments; the adjoint run uses the stored ones.
    fn end_storing(&mut self);

    /// Advances the forward run by some steps.
    ///
    /// # Errors
    /// A device that fails.
    fn advance(&mut self, steps: u64) -> Result<(), Self::Failure>;

    /// Checks that the fields of the forward run are finite.
    ///
    /// # Errors
    /// The step and the position of a value that is not finite.
    fn check(&self) -> Result<(), Self::Failure>;

    /// Takes the samples since the last call, `[step][channel]`.
    ///
    /// # Errors
    /// A device that fails.
    fn take_samples(&mut self) -> Result<Vec<Self::Value>, Self::Failure>;

    /// Sets the shot for the adjoint run, at rest after the last step.
    ///
    /// # Arguments
    /// * `residual` – derivative of the misfit with respect to each sample, `[step][channel]`
    /// # Errors
    /// A position outside the grid, too little memory.
    fn place_adjoint(&mut self, shot: Shot, residual: Vec<Self::Value>) -> Result<(), Self::Problem>;

    /// Goes back by some steps of the adjoint run, whose increments are stored.
    ///
    /// # Errors
    /// A device that fails.
    fn retreat(&mut self, steps: u64) -> Result<(), Self::Failure>;

    /// The gradient of the steps of the adjoint run. The stored increments may be dropped.
    ///
    /// # Errors
    /// A position outside the grid, a device that fails.
    fn gradient(&mut self, sources: &[Drive]) -> Result<GridGradient, Self::Problem>;
}

/// The gradient of a shot with respect to the points of its grid.
///
/// The forward run stores increments of the fields as planned, with checkpoints in between; between two checkpoints it is repeated, bit-identically. The
/// adjoint run correlates.
///
/// # Arguments
/// * `with_density` – whether buoyancies are parameters
/// * `plan` – which increments are stored
/// * `residual` – derivative of the misfit with respect to each sample from the samples, both `[step][channel]`
/// * `may_continue` – called every `at_once` steps; the run stops if it returns false
///
/// # Returns
/// `None` if the run was stopped.
/// # Errors
/// A position outside the grid, an unstable run, an error of `residual`.
pub fn gradient_of_shot<D: ShotGradient, E: From<D::Problem> + From<D::Failure>>(
    device: &mut D,
    shot: (&[Drive], &[Listener]),
    with_density: bool,
    plan: &StoragePlan,
    residual: impl FnOnce(Vec<D::Value>) -> Result<Vec<D::Value>, E>,
    pieces: (u64, &dyn Fn() -> bool),
) -> Result<Option<GridGradient>, E> {
    device.place(shot, with_density, plan.every())?;
    let segments = plan.segments();
    let (last, earlier) = segments.split_last().expect("a plan has a segment");
    for segment in earlier {
        device.keep_checkpoint()?;
        if !in_pieces(segment, pieces, |count| device.advance(count))? {
            return Ok(None);
        }
        device.check()?;
    }
    if !advance_and_store::<D, E>(device, last, pieces)? {
        return Ok(None);
    }
    device.check()?;
    let samples = device.take_samples()?;
    device.place_adjoint(shot, residual(samples)?)?;
    for segment in segments.iter().rev() {
        if segment.end != last.end {
            device.restore_checkpoint()?;
            if !advance_and_store::<D, E>(device, segment, pieces)? {
                return Ok(None);
            }
            device.take_samples()?;
        }
        if !in_pieces(segment, pieces, |count| device.retreat(count))? {
            return Ok(None);
        }
    }
    Ok(Some(device.gradient(shot.0)?))
}

/// Advances through a segment, whose increments are stored; returns false if it was stopped.
fn advance_and_store<D: ShotGradient, E: From<D::Problem> + From<D::Failure>>(
    device: &mut D,
    segment: &Range<u64>,
    pieces: (u64, &dyn Fn() -> bool),
) -> Result<bool, E> {
    device.begin_storing(segment.clone())?;
    let goes_on = in_pieces(segment, pieces, |count| device.advance(count))?;
    device.end_storing();
    Ok(goes_on)
}

/// Computes the steps of a segment in pieces; returns false if it was stopped.
fn in_pieces<F>(
    segment: &Range<u64>,
    (at_once, may_continue): (u64, &dyn Fn() -> bool),
    mut compute: impl FnMut(u64) -> Result<(), F>,
) -> Result<bool, F> {
    let mut left = segment.end - segment.start;
    while left > 0 {
        if !may_continue() {
            return Ok(false);
        }
        let count = left.min(at_once);
        compute(count)?;
        left -= count;
    }
    Ok(true)
}

/// The fields whose increments are stored, in ascending order.
fn stored_fields(axes: &[usize], with_density: bool) -> Vec<usize> {
    axes.iter().copied().filter(|_| with_density).chain([PRESSURE]).collect()
}
