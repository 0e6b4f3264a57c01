//! What is sampled after every step.

use std::collections::BTreeMap;

use craton_device::Scalar;
use craton_numerics::staggered::StaggeredStencil;

use crate::block::Block;
use crate::error::FdError;
use crate::field::Field;
use crate::interpolate::{Interpolation, Weighted};
use crate::layout::Layout;
use crate::sources::owner;
use crate::stencil::Derivative;
use crate::sweep::Precision;

/// A point to be sampled.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Probe {
    /// Where [m].
    pub position: [f64; 3],
    /// The gradient of velocity (nine channels, row = component) instead of the velocity (three).
    pub gradient: bool,
}

impl Probe {
    /// Values it gives: 3, or 9 for a gradient.
    pub fn channels(&self) -> usize {
        if self.gradient { 9 } else { 3 }
    }
}

/// A probe ready to read: for each channel the points and their weights, in a fixed order.
pub struct ProbeReader {
    /// The taps of each channel.
    pub channels: Vec<Vec<Tap>>,
}

/// A velocity in a block.
pub struct Tap {
    block: usize,
    /// Which component.
    pub field: Field,
    /// Place in its array.
    pub at: usize,
    /// Of the sample.
    pub weight: f64,
}

impl ProbeReader {
    /// Looks for the points around a probe.
    ///
    /// # Errors
    /// A position outside the box or in air.
    pub fn new<T: Scalar>(
        probe: &Probe,
        interpolation: &Interpolation<T>,
        stencil: &StaggeredStencil,
        layouts: &[&Layout],
    ) -> Result<Self, FdError> {
        let channel = |index: usize| {
            let (component, weights) = if probe.gradient {
                (index / 3, slope_weights(probe.position, [index / 3, index % 3], interpolation, stencil)?)
            } else {
                (index, interpolation.weights(Field::Velocity(index), probe.position)?)
            };
            let field = Field::Velocity(component);
            let tap = |(point, weight): Weighted| {
                let (block, local) = owner(layouts, field, point);
                Tap { block, field, at: layouts[block].at(local.map(|i| i as i64)), weight }
            };
            Ok(weights.into_iter().map(tap).collect())
        };
        Ok(Self { channels: (0..probe.channels()).map(channel).collect::<Result<_, FdError>>()? })
    }

    /// Values it gives.
    pub fn channels(&self) -> usize {
        self.channels.len()
    }

    /// Reads all channels.
    pub fn read<T: Precision>(&self, blocks: &[Block<T>], values: &mut [T]) {
        for (value, taps) in values.iter_mut().zip(&self.channels) {
            let value_of = |tap: &Tap| tap.weight * blocks[tap.block].field(tap.field)[tap.at].to_f64();
            *value = T::from_f64(taps.iter().map(value_of).sum());
        }
    }
}

/// Weights of the velocities for the derivative of component `c` along `axis`: the interpolation of what the stencils give.
fn slope_weights<T: Scalar>(
    position: [f64; 3],
    [c, axis]: [usize; 2],
    interpolation: &Interpolation<T>,
    stencil: &StaggeredStencil,
) -> Result<Vec<Weighted>, FdError> {
    let grid = interpolation.medium.grid();
    let derivative = Derivative { target: Field::stress(c, axis), axis };
    // By place in reverse, so that x is fastest.
    let mut sums: BTreeMap<[usize; 3], f64> = BTreeMap::new();
    for (point, weight) in interpolation.weights(derivative.target, position)? {
        let global = point.map(|i| i as i64);
        let half_length = stencil.half_length();
        let shape = derivative.shape(|cell| interpolation.kind(cell), global, half_length);
        let coefficients = derivative.coefficients(shape, stencil);
        for (along, tap) in (global[axis] + derivative.first_tap(half_length)..).zip(coefficients) {
            if tap == 0.0 {
                continue;
            }
            let mut place = global;
            place[axis] = along;
            if let Some([i, j, k]) = interpolation.boundaries.inside(grid, Field::Velocity(c), place) {
                *sums.entry([k, j, i]).or_default() += weight * tap / grid.spacing[axis];
            }
        }
    }
    Ok(sums.into_iter().map(|([k, j, i], weight)| ([i, j, k], weight)).collect())
}
