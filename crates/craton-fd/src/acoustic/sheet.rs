//! Update of the rows of a plane across z by half a step, distributed over threads.

use craton_device::Isa;
use craton_numerics::staggered::MAX_HALF_LENGTH;

use super::layers::Layer;
use super::layout::Layout;
use super::relaxation::PressureRelaxation;
use crate::layout::GROUP;
use craton_fd_kernels::{AcousticPrecision, Memory, RelaxingRow, Slope, Stretching};

/// Minimum number of values per thread.
const GRAIN: usize = 1 << 15;

/// Parameters that all rows of a plane share.
pub struct Common<'a, T: AcousticPrecision> {
    pub layout: &'a Layout,
    /// The field and the axis of each derivative.
    pub sources: &'a [(&'a [T], usize)],
    /// Coefficients over the spacing along each axis.
    pub coefficients: &'a [[T; MAX_HALF_LENGTH]; 3],
    pub half_length: usize,
    /// Whether the derivatives are at faces, as for the velocity update: the value above a face then has the index of the face.
    pub is_velocity: bool,
    /// Factors of the update, an array of the size of the field.
    pub factor: &'a [T],
    /// Relaxation of the pressure; none for velocities, and without losses.
    pub relaxation: Option<&'a PressureRelaxation<T>>,
    pub plane: usize,
    pub isa: Isa,
}

/// Rows of a plane, with their memory variables of layers.
pub struct Sheet<'a, T: AcousticPrecision> {
    /// The first row.
    row: usize,
    rows: usize,
    /// The field from the first point of the first row on.
    target: &'a mut [T],
    /// Memory variables of the relaxation from the first row on, `[row][set]`; empty without relaxation.
    memory: &'a mut [T],
    shares: [Option<Share<'a, T>>; 6],
}

/// Memory variables of a layer for the rows of a sheet.
struct Share<'a, T: AcousticPrecision> {
    values: &'a mut [T],
    width: usize,
    /// Its range of rows.
    rows: [usize; 2],
    factors: [&'a [T]; 3],
    /// Axis, and index along it of its first factors.
    axis: usize,
    start: usize,
}

impl<'a, T: AcousticPrecision> Share<'a, T> {
    fn new(layer: &'a mut Layer<T>, side: usize, half: usize, plane: usize, all_rows: usize) -> Option<Self> {
        if !layer.holds(plane) {
            return None;
        }
        let (axis, range, width) = (side / 2, layer.range.clone(), layer.width);
        let rows = if axis == 1 { [range.start, range.end] } else { [0, all_rows] };
        let (values, factors) = layer.plane_and_factors(half, plane);
        Some(Self { values, width, rows, factors, axis, start: range.start })
    }

    fn split(self, row: usize) -> [Option<Self>; 2] {
        let Self { values, width, rows: [first, end], factors, axis, start } = self;
        let middle = row.clamp(first, end);
        let (low, high) = values.split_at_mut((middle - first) * width);
        let part = |values, rows: [usize; 2]| {
            (rows[0] < rows[1]).then_some(Self { values, width, rows, factors, axis, start })
        };
        [part(low, [first, middle]), part(high, [middle, end])]
    }

    /// Memory variables of a row.
    fn row(&mut self, row: usize, plane: usize) -> Option<Memory<'_, T>> {
        let Self { width, rows: [first, end], factors, axis, start, .. } = *self;
        if !(first..end).contains(&row) {
            return None;
        }
        let values = &mut self.values[(row - first) * width..][..width];
        let at = |index: usize| Stretching::Across(factors.map(|list: &[T]| list[index - start]));
        Some(match axis {
            0 => Memory { values, first: start / GROUP, factors: Stretching::Along(factors) },
            1 => Memory { values, first: 0, factors: at(row) },
            _ => Memory { values, first: 0, factors: at(plane) },
        })
    }
}

impl<'a, T: AcousticPrecision> Sheet<'a, T> {
    /// All rows of a plane.
    ///
    /// # Arguments
    /// * `field` – the field to update
    /// * `memory` – memory variables of the relaxation, `[row of the field][set]`
    /// * `layers` – layers of the six sides; only those across the axes of the derivatives are used
    pub fn new(
        common: &Common<'a, T>,
        field: &'a mut [T],
        memory: &'a mut [T],
        layers: &'a mut [Option<Layer<T>>; 6],
    ) -> Self {
        let Common { layout, plane, sources, is_velocity, .. } = *common;
        let (rows, half) = (layout.cells[1], usize::from(!is_velocity));
        let first = layout.row(0, plane);
        let mut shares = [const { None }; 6];
        for (side, layer) in layers.iter_mut().enumerate() {
            if let Some(layer) = layer
                && sources.iter().any(|&(_, axis)| axis == side / 2)
            {
                shares[side] = Share::new(layer, side, half, plane, rows);
            }
        }
        let target = &mut field[first..first + (rows - 1) * layout.stride[1] + layout.groups * GROUP];
        let sets = common.relaxation.map_or(0, PressureRelaxation::sets);
        let memory = &mut memory[sets * (first - GROUP)..][..sets * rows * layout.stride[1]];
        Self { row: 0, rows, target, memory, shares }
    }

    /// Updates the rows, recursively split over idle threads.
    pub fn advance(self, common: &Common<T>) {
        let width = common.layout.stride[1];
        if self.rows * width < 2 * GRAIN || self.rows < 2 {
            return self.advance_rows(common);
        }
        let [low, high] = self.split(common);
        rayon::join(|| low.advance(common), || high.advance(common));
    }

    fn split(self, common: &Common<T>) -> [Self; 2] {
        let Self { row, rows, target, memory, shares } = self;
        let (half, width) = (rows / 2, common.layout.stride[1]);
        let (low, high) = target.split_at_mut(half * width);
        let of_rows = common.relaxation.map_or(0, |relaxation| relaxation.sets() * half * width);
        let (memory, of_high_rows) = memory.split_at_mut(of_rows);
        let mut of_high = [const { None }; 6];
        let mut of_low = [const { None }; 6];
        for (side, share) in shares.into_iter().enumerate() {
            if let Some(share) = share {
                [of_low[side], of_high[side]] = share.split(row + half);
            }
        }
        [
            Self { row, rows: half, target: low, memory, shares: of_low },
            Self { row: row + half, rows: rows - half, target: high, memory: of_high_rows, shares: of_high },
        ]
    }

    fn advance_rows(mut self, common: &Common<T>) {
        let Common { layout, relaxation, plane, isa, .. } = *common;
        let (len, width) = (layout.groups * GROUP, layout.stride[1]);
        let mut change = vec![T::default(); if relaxation.is_some() { len } else { 0 }];
        for row in self.row..self.row + self.rows {
            let number = row - self.row;
            let target = &mut self.target[number * width..][..len];
            let Some(relaxation) = relaxation else {
                advance_row(common, row, &mut self.shares, target);
                continue;
            };
            change.fill(T::default());
            advance_row(common, row, &mut self.shares, &mut change);
            let sets = relaxation.row(row, plane);
            let memory = &mut self.memory[number * sets.len() * width..][..sets.len() * width];
            let loss = &relaxation.loss[layout.row(row, plane)..][..len];
            T::relax(isa, RelaxingRow { loss, change: &change, sets: &sets, memory, stride: width, target });
        }
    }
}

/// Adds the unrelaxed change of a row to `target`.
fn advance_row<T: AcousticPrecision>(
    common: &Common<T>,
    row: usize,
    shares: &mut [Option<Share<T>>; 6],
    target: &mut [T],
) {
    let Common { layout, sources, coefficients, half_length, is_velocity, factor, plane, isa, .. } = *common;
    let at = layout.row(row, plane);
    let factor = &factor[at..at + target.len()];
    let mut shares = shares.iter_mut();
    let mut memory = || shares.next().and_then(|share| share.as_mut()?.row(row, plane));
    let mut of_axis = [const { [None, None] }; 3];
    for pair in &mut of_axis {
        *pair = [memory(), memory()];
    }
    let mut slope = |number: usize| {
        let (source, axis) = sources[number];
        let stride = layout.stride[axis];
        let above = if is_velocity { at } else { at + stride };
        Slope { source, above, stride, coefficients: &coefficients[axis], memory: std::mem::take(&mut of_axis[axis]) }
    };
    match sources.len() {
        1 => T::move_by_one(isa, half_length, [slope(0)], factor, target),
        2 => T::move_by_two(isa, half_length, [slope(0), slope(1)], factor, target),
        _ => T::move_by_three(isa, half_length, [slope(0), slope(1), slope(2)], factor, target),
    }
}
