//! Damping factors of the sponges.

use craton_device::{AlignedVec, Scalar};
use craton_numerics::staggered::GridPoints;

/// Factors along each axis at whole and at half points; the factor of a point is the product of three.
pub struct Taper<T: Scalar> {
    factors: [[AlignedVec<T>; 2]; 3],
}

impl<T: Scalar> Taper<T> {
    /// Creates the factors of a block.
    ///
    /// # Arguments
    /// * `factors` – `[axis][whole, half points]`, in whole groups from the block's first point on
    pub fn new(factors: [[AlignedVec<T>; 2]; 3]) -> Self {
        Self { factors }
    }

    /// Factors along an axis from the block's first point on.
    #[inline(always)]
    pub fn along(&self, axis: usize, points: GridPoints) -> &[T] {
        &self.factors[axis][usize::from(points == GridPoints::Half)]
    }
}
