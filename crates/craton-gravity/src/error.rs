//! What can be wrong with prisms and points.

use craton_device::gpu::GpuError;

use crate::{Field, Points};

/// Places and densities of which sums are made.
const LARGEST: f64 = 1e30;

/// Why prisms or points are refused, or sums of them are not made.
#[derive(Debug, thiserror::Error)]
pub enum GravityError {
    /// A number of a prism that is not finite, or so large that sums would not be.
    #[error("prism {prism}: {what} is {value}, but must be finite{}: check its row", at_most(*value))]
    NotFinite {
        /// Number of the prism, from 0.
        prism: usize,
        /// Which number.
        what: &'static str,
        /// The value given.
        value: f64,
    },
    /// A prism without a volume.
    #[error(
        "prism {prism}: {low_name} = {low} m and {high_name} = {high} m, but {high_name} must be the larger: swap them, or leave the prism out"
    )]
    Empty {
        /// Number of the prism, from 0.
        prism: usize,
        /// Name of the lower bound.
        low_name: &'static str,
        /// Its value [m].
        low: f64,
        /// Name of the upper bound.
        high_name: &'static str,
        /// Its value [m].
        high: f64,
    },
    /// A coordinate of a point that is not finite, or so large that sums would not be.
    #[error("point {point}: {axis} is {value}, but must be finite{}: check its row", at_most(*value))]
    PointNotFinite {
        /// Number of the point, from 0.
        point: usize,
        /// x, y or z.
        axis: &'static str,
        /// The value given.
        value: f64,
    },
    /// A height of a surface that is not finite.
    #[error(
        "{surface}: the height of point {point:?} (x, y, from 0) is {value}, but must be finite: fill the gap, or cut the grid"
    )]
    HeightNotFinite {
        /// Top or bottom.
        surface: &'static str,
        /// Numbers of the point along x and y, from 0.
        point: [usize; 2],
        /// The value given.
        value: f64,
    },
    /// Planes of a mesh, or points of a grid, that do not ascend or are too few.
    #[error("along {axis}: number {} of {count} is not below the next one: places must be finite and ascend, and be two at least", plane + 1)]
    Planes {
        /// x, y or z.
        axis: &'static str,
        /// Number of the first one that does not, from 0.
        plane: usize,
        /// How many there are.
        count: usize,
    },
    /// A cell of a mesh whose density is not finite.
    #[error("cell {cell:?} (x, y, z upwards, from 0): its density is {value}, but must be finite")]
    CellNotFinite {
        /// Its numbers along x, y and z, from 0.
        cell: [usize; 3],
        /// The value given.
        value: f64,
    },
    /// Numbers that are not as many as what they belong to.
    #[error("the number of {what} is {given}, but must be that of the {owners}, {expected}: give one for each")]
    Count {
        /// What was given.
        what: &'static str,
        /// How many.
        given: usize,
        /// What each belongs to.
        owners: &'static str,
        /// How many there are.
        expected: usize,
    },
    /// A GPU that fails.
    #[error(transparent)]
    Gpu(#[from] GpuError),
}

/// What a number may be at most, told of those that are larger.
fn at_most(value: f64) -> String {
    if value.is_finite() { format!(", and at most {LARGEST:e}") } else { String::new() }
}

impl GravityError {
    /// Whether sums of such places and densities are finite.
    pub(crate) fn is_sound(value: f64) -> bool {
        value.abs() <= LARGEST
    }

    /// Refuses numbers that are not as many as their owners.
    pub(crate) fn check_count(
        what: &'static str,
        given: usize,
        owners: &'static str,
        expected: usize,
    ) -> Result<(), Self> {
        if given == expected { Ok(()) } else { Err(Self::Count { what, given, owners, expected }) }
    }

    /// Refuses weights of fields that are not as many as the points.
    pub(crate) fn check_weights(weights: &[(Field, &[f64])], points: &Points) -> Result<(), Self> {
        weights.iter().try_for_each(|(_, of)| Self::check_count("weights", of.len(), "points", points.len()))
    }
}
