//! Factors of the sponges at every point.

use craton_device::{AlignedVec, Scalar};
use craton_numerics::staggered::GridPoints;

/// Factors along each axis at whole and at half points; a point has the product of three.
pub struct Taper<T: Scalar> {
    factors: [[AlignedVec<T>; 2]; 3],
}

impl<T: Scalar> Taper<T> {
    /// Of a block.
    ///
    /// # Arguments
    /// * `factors` – `[axis]`, at whole points and at half ones, in whole groups from the block's first point on
    pub fn new(factors: [[AlignedVec<T>; 2]; 3]) -> Self {
        Self { factors }
    }

    /// Factors along an axis from the block's first point on.
    #[inline(always)]
    pub fn along(&self, axis: usize, points: GridPoints) -> &[T] {
        &self.factors[axis][usize::from(points == GridPoints::Half)]
    }
}
