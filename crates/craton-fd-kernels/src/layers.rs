//! Memory variables of the convolutional perfectly matched layers, stored only in their slabs.

use std::ops::Range;

use craton_device::{AlignedVec, Lanes, Scalar};
use craton_numerics::staggered::GridPoints;

use crate::field::Field;
use crate::sweep::{Stresses, Update, Velocities};

/// The part of a side's layer in a block.
pub struct Slab<T: Scalar> {
    /// Side of the grid, 0 to 5.
    pub side: usize,
    /// Local indices along the axis; whole groups along x.
    pub range: Range<usize>,
    profiles: [Profile<T>; 2],
    shape: [usize; 3],
}

/// Factors of the recursion along the axis.
pub struct Profile<T: Scalar> {
    /// Factor of the memory variable [–].
    pub decay: AlignedVec<T>,
    /// Factor of the derivative in the recursion of the memory variable [–].
    pub gain: AlignedVec<T>,
    /// Factor of the derivative itself [–].
    pub inverse_stretch: AlignedVec<T>,
}

impl<T: Scalar> Slab<T> {
    /// Creates the part of a side's layer in a block.
    ///
    /// # Arguments
    /// * `range` – local indices along the axis; whole groups along x
    /// * `profiles` – factors at whole and half points of the range
    /// * `shape` – points along each axis that have memory variables
    pub fn new(side: usize, range: Range<usize>, profiles: [Profile<T>; 2], shape: [usize; 3]) -> Self {
        Self { side, range, profiles, shape }
    }

    /// The axis normal to the layer.
    #[inline(always)]
    pub fn axis(&self) -> usize {
        self.side / 2
    }

    /// Creates the memory variables for one half of the step, with zeros: `[k][j][component][i]`.
    pub fn memory(&self) -> AlignedVec<T> {
        AlignedVec::zeroed(self.memory_len())
    }

    /// Number of memory variables for one half of the step.
    pub fn memory_len(&self) -> usize {
        3 * self.shape.iter().product::<usize>()
    }

    /// The field at whose points the memory variables of component `c` are located, in a half of the step.
    pub fn target(&self, half: usize, c: usize) -> Field {
        match half {
            0 => Velocities::target(c, self.axis()),
            _ => Stresses::target(c, self.axis()),
        }
    }

    /// Its factors at whole and at half points of the range: decay, gain and inverse stretch of each.
    pub fn factors(&self) -> impl Iterator<Item = &[T]> {
        self.profiles.iter().flat_map(|at| [&at.decay[..], &at.gain[..], &at.inverse_stretch[..]])
    }

    /// Points along each axis that have memory variables.
    pub fn shape(&self) -> [usize; 3] {
        self.shape
    }

    /// Number of memory variables per plane normal to z.
    pub fn plane_len(&self) -> usize {
        3 * self.shape[0] * self.shape[1]
    }

    /// Planes normal to z that have memory variables.
    pub fn planes(&self, all: usize) -> Range<usize> {
        if self.axis() == 2 { self.range.clone() } else { 0..all }
    }

    /// Offset of the memory variables of row (j, k) from those of plane `first`, and the index along x of the first one; `None` outside the slab.
    #[inline(always)]
    pub fn row(&self, j: usize, k: usize, first: usize) -> Option<(usize, usize)> {
        let (j, first_x) = match self.axis() {
            0 => (j, self.range.start),
            1 if self.range.contains(&j) => (j - self.range.start, 0),
            2 if self.range.contains(&k) => (j, 0),
            _ => return None,
        };
        Some((((k - first) * self.shape[1] + j) * 3 * self.shape[0], first_x))
    }

    /// Length of a row of one component.
    #[inline(always)]
    pub fn width(&self) -> usize {
        self.shape[0]
    }

    /// Factors along the axis at the points of a field: decay, gain and inverse stretch.
    #[inline(always)]
    pub fn factors_of(&self, target: Field) -> [&[T]; 3] {
        let Profile { decay, gain, inverse_stretch } =
            &self.profiles[usize::from(target.points()[self.axis()] == GridPoints::Half)];
        [decay, gain, inverse_stretch]
    }
}

/// The memory variable advanced by one step, and the stretched derivative.
///
/// # Arguments
/// * `factors` – decay, gain and inverse stretch
#[inline(always)]
pub fn stretched<V: Lanes>([decay, gain, inverse_stretch]: [V; 3], memory: V, slope: V) -> (V, V) {
    let moved = decay.mul_add(memory, gain * slope).without_negligible();
    (moved, inverse_stretch.mul_add(slope, moved))
}
