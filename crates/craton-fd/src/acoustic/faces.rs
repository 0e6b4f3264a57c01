//! Buoyancies at the faces normal to one axis, where they differ from the mean of the adjacent cells.

use std::ops::Range;

use craton_device::Scalar;
use rayon::prelude::*;

/// Relative difference below which a face has the mean density of its cells: round-off in single precision.
const SAME: f64 = 1e-6;

/// Buoyancies [m³/kg] at all faces normal to an axis: one more face than cells along it.
#[derive(Debug, Clone)]
pub struct Faces<T> {
    axis: usize,
    /// Faces along each axis, x fastest.
    count: [usize; 3],
    values: Vec<T>,
}

impl<T: Scalar> Faces<T> {
    /// Zeros for all faces normal to an axis.
    pub fn new(axis: usize, cells: [usize; 3]) -> Self {
        let mut count = cells;
        count[axis] += 1;
        Self { axis, count, values: vec![T::default(); count.iter().product()] }
    }

    /// The axis that the faces are normal to.
    pub fn axis(&self) -> usize {
        self.axis
    }

    /// Buoyancy [m³/kg] of a face.
    pub fn at(&self, face: [usize; 3]) -> f64 {
        self.values[self.number(face)].to_f64()
    }

    /// The values of a plane across z.
    pub fn plane(&mut self, k: usize) -> &mut [T] {
        let len = self.count[0] * self.count[1];
        &mut self.values[k * len..][..len]
    }

    /// Bytes held in memory.
    pub fn bytes(&self) -> usize {
        self.values.len() * size_of::<T>()
    }

    /// Index of a face in its plane across z.
    pub fn in_plane(&self, i: usize, j: usize) -> usize {
        i + self.count[0] * j
    }

    /// Whether all faces have given buoyancies, to within round-off.
    pub fn equal(&self, buoyancy: impl Fn([usize; 3]) -> f64 + Sync) -> bool {
        let [nx, ny, _] = self.count;
        self.values.par_iter().enumerate().all(|(number, own)| {
            let expected = buoyancy([number % nx, number / nx % ny, number / (nx * ny)]);
            (own.to_f64() - expected).abs() <= SAME * expected
        })
    }

    /// The faces of some cells, with the outermost faces repeated around them.
    ///
    /// # Arguments
    /// * `cells`, `around` – as for [`super::AcousticMedium::part`]
    pub fn part(&self, cells: &[Range<usize>; 3], around: [[usize; 2]; 3]) -> Self {
        let total = [0, 1, 2].map(|axis| cells[axis].len() + around[axis][0] + around[axis][1]);
        let mut part = Self::new(self.axis, total);
        let ends = [0, 1, 2].map(|axis| {
            let Range { start, end } = cells[axis];
            [start, if axis == self.axis { end } else { end - 1 }]
        });
        let nearest = |axis: usize, i: usize| {
            let [first, last] = ends[axis];
            (first + i).saturating_sub(around[axis][0]).clamp(first, last)
        };
        let rows = part.count[1];
        part.values.par_chunks_exact_mut(part.count[0]).enumerate().for_each(|(row, copy)| {
            let [j, k] = [nearest(1, row % rows), nearest(2, row / rows)];
            copy.iter_mut().enumerate().for_each(|(i, copy)| *copy = self.values[self.number([nearest(0, i), j, k])]);
        });
        part
    }

    fn number(&self, [i, j, k]: [usize; 3]) -> usize {
        i + self.count[0] * (j + self.count[1] * k)
    }
}
