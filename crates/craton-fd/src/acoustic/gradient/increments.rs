//! What steps add to the fields of a shot: the forward fields that a gradient correlates with the adjoint fields.

use std::ops::Range;

use craton_device::Scalar;
use rayon::prelude::*;

use crate::acoustic::layout::Layout;

/// Smallest number of values that threads share.
const GRAIN: usize = 1 << 16;

/// Increments of some fields in some steps: value after the step minus value before it, sources included.
///
/// The factors of the update and of sources are proportional to the modulus or the buoyancy of the point, so the derivative of an increment to the
/// logarithm of this parameter is the increment itself.
pub struct Increments<T> {
    layout: Layout,
    /// The stored fields, in ascending order.
    fields: Vec<usize>,
    /// Steps per stored step.
    every: u64,
    /// The steps that may be stored.
    steps: Range<u64>,
    /// `[stored step][field][plane][row][x]`, of cells, and of the faces below them or at the top.
    values: Vec<T>,
}

impl<T: Scalar> Increments<T> {
    /// Creates an empty store.
    ///
    /// # Arguments
    /// * `fields` – the stored fields
    /// * `every` – steps per stored step, at least 1
    pub fn new(layout: Layout, fields: Vec<usize>, every: u64) -> Self {
        Self { layout, fields, every, steps: 0..0, values: Vec::new() }
    }

    /// An empty store of the same kind.
    pub fn none(&self) -> Self {
        Self::new(self.layout.clone(), self.fields.clone(), self.every)
    }

    /// Prepares for some steps; earlier ones are forgotten.
    pub fn begin(&mut self, steps: Range<u64>) {
        let stored = steps.end / self.every - steps.start / self.every;
        self.values.resize(stored as usize * self.values_per_step(), T::default());
        self.steps = steps;
    }

    /// Weight of a stored step in a sum over all steps.
    pub fn weight(&self) -> f64 {
        self.every as f64
    }

    /// Number of values of a stored step.
    pub fn values_per_step(&self) -> usize {
        self.fields.len() * points(&self.layout)
    }

    /// The increments of a field in a plane; `None` if they are not stored.
    pub fn plane(&self, (field, plane): (usize, usize), step: u64) -> Option<&[T]> {
        Some(&self.values[self.place((field, plane), step)?])
    }

    /// Keeps the values of a plane before a step.
    pub fn before(&mut self, (field, plane): (usize, usize), step: u64, values: &[T]) {
        self.each_row((field, plane), step, |own, row| own.copy_from_slice(&values[row]));
    }

    /// Subtracts the values before a step from those after it.
    pub fn after(&mut self, (field, plane): (usize, usize), step: u64, values: &[T]) {
        self.each_row((field, plane), step, |own, row| {
            own.iter_mut().zip(&values[row]).for_each(|(own, &value)| *own = value - *own);
        });
    }

    /// Applies a function to the stored rows of a plane, with their ranges in the array of the field.
    fn each_row(&mut self, (field, plane): (usize, usize), step: u64, apply: impl Fn(&mut [T], Range<usize>) + Sync) {
        let Some(place) = self.place((field, plane), step) else { return };
        let Self { layout, values, .. } = self;
        each_row(&mut values[place], layout, plane, apply);
    }

    fn place(&self, (field, plane): (usize, usize), step: u64) -> Option<Range<usize>> {
        let number = self.fields.iter().position(|&own| own == field)?;
        if !self.steps.contains(&step) || !(step + 1).is_multiple_of(self.every) {
            return None;
        }
        let stored = ((step + 1) / self.every - self.steps.start / self.every) as usize - 1;
        let len = in_plane(&self.layout);
        let first = stored * self.values_per_step() + number * points(&self.layout) + plane * len;
        Some(first..first + len)
    }
}

/// Number of points of a field: cells, and the faces above the uppermost ones.
pub fn points(layout: &Layout) -> usize {
    in_plane(layout) * (layout.cells[2] + 1)
}

/// Number of points of a plane.
pub fn in_plane(layout: &Layout) -> usize {
    layout.cells[0] * layout.cells[1]
}

/// Applies a function to the rows of a plane without padding, with the ranges of the same points in the array of a field.
pub fn each_row<U: Send>(
    values: &mut [U],
    layout: &Layout,
    plane: usize,
    apply: impl Fn(&mut [U], Range<usize>) + Sync,
) {
    let nx = layout.cells[0];
    let of_row = |(j, own): (usize, &mut [U])| {
        let first = layout.row(j, plane);
        apply(own, first..first + nx);
    };
    match values.len() >= 2 * GRAIN {
        true => values.par_chunks_exact_mut(nx).enumerate().for_each(of_row),
        false => values.chunks_exact_mut(nx).enumerate().for_each(of_row),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn increments_are_stored_for_the_requested_steps() {
        let layout = Layout::new([5, 1, 3], 2);
        let mut field = vec![0.0_f64; layout.len()];
        for every in [1, 3] {
            let mut increments = Increments::new(layout.clone(), vec![3], every);
            increments.begin(4..11);
            for step in 4..11_u64 {
                increments.before((3, 1), step, &field);
                field[layout.row(0, 1) + 2] += step as f64;
                increments.after((3, 1), step, &field);
            }
            for step in 0..14 {
                let is_stored = (4..11).contains(&step) && (step + 1) % every == 0;
                let plane = increments.plane((3, 1), step);
                assert_eq!(plane.map(|plane| plane[2]), is_stored.then_some(step as f64), "{step}");
                assert_eq!(increments.plane((0, 1), step), None);
            }
        }
    }
}
