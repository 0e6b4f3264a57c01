//! The discretised scalar wave equation: factors, layers, sources.

use craton_device::{AlignedVec, Scalar};
use craton_fd_kernels::{AcousticPrecision, ScalarWeights};
use rayon::prelude::*;

use super::layers::ScalarLayer;
use super::stencil::CentralStencil;
use crate::acoustic::medium::AcousticMedium;
use crate::acoustic::setup::{PRESSURE, Setup};
use crate::acoustic::taps::{AcousticField, Drive, Listener, PointWeight, Weights, drives};
use crate::boundary::Side;
use crate::error::FdError;

/// Checks that a medium fulfils the requirements of the scalar wave equation.
///
/// # Errors
/// Two dimensions, attenuation, or a density that varies.
pub fn require<T: Scalar>(medium: &AcousticMedium<T>) -> Result<(), FdError> {
    let refuse = |found| Err(FdError::Scalar { found });
    match medium {
        _ if medium.axes().len() < 3 => refuse("two dimensions"),
        _ if medium.mechanisms().is_some() => refuse("attenuation"),
        _ if !medium.has_constant_density() => refuse("a density that varies"),
        _ => Ok(()),
    }
}

/// What all devices need in addition to the set-up of a shot.
pub struct ScalarParts<T: AcousticPrecision> {
    pub weights: ScalarWeights<T>,
    /// c² dt² [m²], with the layout of the pressure; zero beyond the grid.
    pub factor: AlignedVec<T>,
    pub layers: [Option<ScalarLayer<T>>; 6],
}

impl<T: AcousticPrecision> ScalarParts<T> {
    /// Discretises the equation.
    ///
    /// # Arguments
    /// * `width` – points of a vector along x, for the layers
    ///
    /// # Errors
    /// Layers whose parameters are out of range.
    pub fn new(setup: &Setup<T>, stencil: &CentralStencil, width: usize) -> Result<Self, FdError> {
        let mut layers = [const { None }; 6];
        for (side, layer) in layers.iter_mut().enumerate() {
            *layer = match &setup.options.boundaries.sides[side] {
                Side::Free if side == 5 => None,
                Side::Layer(layer) if layer.cells == 0 => None,
                Side::Layer(own) => Some(ScalarLayer::new((&setup.grid, &setup.layout), side, own, setup.dt, width)?),
                _ => return Err(FdError::Unserved { side }),
            };
        }
        Ok(Self { weights: weights(setup, stencil), factor: factor(setup), layers })
    }
}

fn weights<T: AcousticPrecision>(setup: &Setup<T>, stencil: &CentralStencil) -> ScalarWeights<T> {
    let own = stencil.coefficients();
    let near = match craton_fd_kernels::layer_half_length(own.len()) {
        1 => [1.0, 0.0],
        _ => [9.0 / 8.0, -1.0 / 24.0],
    };
    let second = |h: f64| {
        std::array::from_fn(|m| match m {
            0 => T::from_f64(-2.0 * own.iter().sum::<f64>() / (h * h)),
            _ => T::from_f64(own.get(m - 1).map_or(0.0, |w| w / (h * h))),
        })
    };
    ScalarWeights {
        second: setup.grid.spacing.map(second),
        first: setup.grid.spacing.map(|h| near.map(|c| T::from_f64(c / h))),
    }
}

fn factor<T: AcousticPrecision>(setup: &Setup<T>) -> AlignedVec<T> {
    let (layout, [nx, ny, nz]) = (&setup.layout, setup.grid.cells);
    let mut factor = AlignedVec::zeroed(layout.len());
    factor.par_chunks_mut(layout.stride[2]).enumerate().for_each(|(number, plane)| {
        let Some(k) = layout.plane(number).filter(|&k| k < nz) else { return };
        for (j, i) in (0..ny).flat_map(|j| (0..nx).map(move |i| (j, i))) {
            let square = setup.medium.kappa([i, j, k]) / setup.medium.rho([i, j, k]);
            plane[layout.row(j, k) + i - number * layout.stride[2]] = T::from_f64(square * setup.dt * setup.dt);
        }
    });
    factor
}

/// Weighted points of all sources: increment of each point per step for a unit amplitude.
///
/// # Errors
/// A position outside the grid, a source of another field.
pub fn sources<T: Scalar>(
    sources: &[Drive],
    weights: &Weights<T>,
    dt: f64,
) -> Result<Vec<(usize, usize, PointWeight<T>)>, FdError> {
    if sources.iter().any(|source| source.field != AcousticField::Pressure) {
        return Err(FdError::Scalar { found: "a source of velocity" });
    }
    let mut taps = drives(sources, weights, dt)?;
    // The change of the rate of pressure lasts for a step.
    taps.iter_mut().for_each(|(field, _, tap)| {
        debug_assert_eq!(*field, PRESSURE);
        tap.weight = tap.weight * T::from_f64(dt);
    });
    Ok(taps)
}

/// Amplitude of a source in each step: its history, and zero in all later steps.
pub fn amplitudes<T: Scalar>(source: &Drive) -> Vec<T> {
    source.history.iter().copied().chain([0.0]).map(T::from_f64).collect()
}

/// Checks that receivers record pressure.
///
/// # Errors
/// A receiver of velocity.
pub fn check_listeners(listeners: &[Listener]) -> Result<(), FdError> {
    match listeners.iter().all(|listener| listener.field == AcousticField::Pressure) {
        true => Ok(()),
        false => Err(FdError::Scalar { found: "a receiver of velocity" }),
    }
}
