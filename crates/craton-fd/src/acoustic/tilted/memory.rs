//! Memory variables of the derivatives in the absorbing layers, plane by plane.

use craton_device::AlignedVec;
use craton_fd_kernels::{AcousticPrecision, Memory, Stretching};

use crate::acoustic::layers::Layer;
use crate::acoustic::setup::Setup;
use crate::layout::GROUP;

/// Memory variables of all derivatives of a half of the step in a plane: of component i along axis j, for both sides of j; empty outside the layers.
pub struct PlaneMemory<T: AcousticPrecision>([[[AlignedVec<T>; 2]; 3]; 3]);

impl<T: AcousticPrecision> PlaneMemory<T> {
    /// Zeros for plane k.
    pub fn new(setup: &Setup<T>, k: usize) -> Self {
        let len = |i: usize, j: usize, end: usize| {
            let layer = setup.layers[2 * j + end].as_ref().filter(|layer| layer.holds(k));
            let is_there = setup.axes.contains(&i) && setup.axes.contains(&j);
            layer.filter(|_| is_there).map_or(0, |layer| layer.shape().iter().product())
        };
        let of = |i: usize, j: usize| [0, 1].map(|end| AlignedVec::zeroed(len(i, j, end)));
        Self([0, 1, 2].map(|i| [0, 1, 2].map(|j| of(i, j))))
    }

    /// Resets all variables to zero.
    pub fn rest(&mut self) {
        self.0.as_flattened_mut().as_flattened_mut().iter_mut().for_each(|own| own.fill(T::default()));
    }

    /// Bytes held in memory.
    pub fn bytes(&self) -> usize {
        self.0.as_flattened().as_flattened().iter().map(AlignedVec::bytes).sum()
    }

    /// The variables of the derivative of component i along axis j in row (row, k).
    ///
    /// # Arguments
    /// * `at` – 0 if the derivative is located at faces, 1 at centres
    pub fn row<'a>(
        &'a mut self,
        layers: &'a [Option<Layer<T>>; 6],
        [i, j]: [usize; 2],
        (row, k): (usize, usize),
        at: usize,
    ) -> [Option<Memory<'a, T>>; 2] {
        let [low, high] = &mut self.0[i][j];
        let of_side = |values: &'a mut AlignedVec<T>, side: usize| {
            let layer = layers[side].as_ref().filter(|_| !values.is_empty())?;
            let ([width, rows], range, factors) = (layer.shape(), &layer.range, layer.factors_at(at));
            let first = if j == 1 { row.checked_sub(range.start).filter(|&number| number < rows)? } else { row };
            let values = &mut values[first * width..][..width];
            let across = |index: usize| Stretching::Across(factors.map(|list| list[index - range.start]));
            Some(match j {
                0 => Memory { values, first: range.start / GROUP, factors: Stretching::Along(factors) },
                1 => Memory { values, first: 0, factors: across(row) },
                _ => Memory { values, first: 0, factors: across(k) },
            })
        };
        [of_side(low, 2 * j), of_side(high, 2 * j + 1)]
    }
}
