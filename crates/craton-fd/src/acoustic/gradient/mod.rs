//! Gradients of misfits with respect to the fluid, and first-order changes of samples (Born modelling).
//!
//! | file | contents |
//! |---|---|
//! | this one | the gradient of a shot: forward run, residual, adjoint run |
//! | `increments` | what the forward steps add to the fields |
//! | `storage` | which increments are stored, and checkpoints between them |
//! | `adjoint`, `transposed` | the transposed scheme and its pieces |
//! | `born` | the linearised loop, whose transpose the adjoint is |
//! | `fluid` | from points of the grid to the fluid of cells, through the averages of the medium |

mod adjoint;
mod born;
mod fluid;
mod increments;
mod storage;
mod transposed;

pub use adjoint::{AcousticAdjoint, GridGradient};
pub use born::{Born, Perturbation, Scattering};
pub use fluid::{FluidGradient, SlabGradient, slabs_transposed};
pub use increments::Increments;
pub use storage::StoragePlan;

use std::ops::Range;

use super::operator::AcousticOperator;
use super::setup::PRESSURE;
use super::taps::{Drive, Listener};
use craton_fd_kernels::AcousticPrecision;

/// The gradient of a shot with respect to the points of its grid.
///
/// The forward run stores increments of the fields as planned, with checkpoints in between; between two checkpoints it is repeated, bit-identically. The
/// adjoint run correlates.
///
/// # Arguments
/// * `forward`, `adjoint` – operators of the same medium, options and time step
/// * `with_density` – whether buoyancies are parameters
/// * `plan` – which increments are stored
/// * `residual` – derivative of the misfit with respect to each sample from the samples, both `[step][channel]`
/// * `may_continue` – called every `at_once` steps; the run stops if it returns false
///
/// # Returns
/// `None` if the run was stopped.
/// # Errors
/// A position outside the grid, an unstable run, an error of `residual`.
pub fn gradient_of_shot<T: AcousticPrecision, E: From<crate::FdError> + From<craton_sim::Instability>>(
    (forward, adjoint): (&mut AcousticOperator<T>, &mut AcousticAdjoint<T>),
    (sources, channels): (&[Drive], &[Listener]),
    with_density: bool,
    plan: &StoragePlan,
    residual: impl FnOnce(Vec<T>) -> Result<Vec<T>, E>,
    (at_once, may_continue): (u64, &dyn Fn() -> bool),
) -> Result<Option<GridGradient>, E> {
    forward.place(sources, channels)?;
    let velocities = forward.setup().axes.iter().copied().filter(|_| with_density);
    let fields = velocities.chain([PRESSURE]).collect();
    let mut increments = Increments::new(forward.setup().layout.clone(), fields, plan.every());
    let in_pieces = |steps: u64, compute: &mut dyn FnMut(u64)| in_pieces(steps, at_once, may_continue, compute);
    let segments = plan.segments();
    let (last, earlier) = segments.split_last().expect("a plan has a segment");
    let mut checkpoints = Vec::new();
    for segment in earlier {
        checkpoints.push(forward.checkpoint());
        if !in_pieces(segment.end - segment.start, &mut |count| forward.advance(count)) {
            return Ok(None);
        }
        forward.check()?;
    }
    let record = |forward: &mut AcousticOperator<T>, segment: &Range<u64>, increments: &mut Increments<T>| {
        increments.begin(segment.clone());
        forward.increments = Some(std::mem::replace(increments, increments.none()));
        let goes_on = in_pieces(segment.end - segment.start, &mut |count| forward.advance(count));
        *increments = forward.increments.take().expect("it was given");
        goes_on
    };
    if !record(forward, last, &mut increments) {
        return Ok(None);
    }
    forward.check()?;
    adjoint.place(sources, channels, residual(forward.take_samples())?, with_density)?;
    for (number, segment) in segments.iter().enumerate().rev() {
        if let Some(state) = checkpoints.get(number) {
            forward.restore(state);
            checkpoints.truncate(number);
            if !record(forward, segment, &mut increments) {
                return Ok(None);
            }
            forward.take_samples();
        }
        if !in_pieces(segment.end - segment.start, &mut |count| adjoint.retreat(count, &increments)) {
            return Ok(None);
        }
    }
    Ok(Some(adjoint.gradient(sources)?))
}

/// Computes steps in pieces; returns false if it was stopped.
fn in_pieces(steps: u64, at_once: u64, may_continue: &dyn Fn() -> bool, compute: &mut dyn FnMut(u64)) -> bool {
    let mut left = steps;
    while left > 0 {
        if !may_continue() {
            return false;
        }
        let count = left.min(at_once);
        compute(count);
        left -= count;
    }
    true
}
