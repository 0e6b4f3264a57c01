//! Tables of the fields of one cell of a layer at rows of offsets.

use craton_device::{AlignedVec, Isa, Kernel, Lanes, Scalar};

use super::LANES;
use super::axis::{Axis, Run, Window};
use super::quantity::{Quantities, Quantity, THIRDS};
use super::touching::{may_touch, outside, touches};
use crate::Field;
use crate::fields::Needs;
use crate::magnetics::ThirdBody;
use crate::pair::{Body, RowBody, RowScratch};

/// Quantities of a cell per unit of G times density, a row of offsets at a time.
pub struct Table {
    quantities: Vec<Quantity>,
    /// The fields, which come first.
    fields: Vec<Field>,
    needs: Needs,
    /// x of the points relative to the lower bound of the cell [m], padded to whole lanes with the last one.
    places: AlignedVec<f64>,
}

/// Quantities at a row of offsets.
#[derive(Default)]
pub struct RowOfFields {
    /// `[quantity][column]`, padded to whole lanes.
    values: Vec<f64>,
    scratch: RowScratch,
}

impl Table {
    /// Prepares a table for the offsets along x.
    pub fn new(x: &Axis, quantities: Quantities) -> Self {
        let columns = x.offsets.len();
        let mut places = AlignedVec::zeroed(columns.next_multiple_of(LANES));
        for column in 0..places.len() {
            places[column] = -x.offsets[column.min(columns - 1)];
        }
        Self {
            quantities: quantities.iter().collect(),
            fields: quantities.fields.iter().collect(),
            needs: Needs::of(quantities.fields),
            places,
        }
    }

    /// The quantities of the table.
    pub fn quantities(&self) -> &[Quantity] {
        &self.quantities
    }

    /// Fills `into` with the quantities of a cell between the heights `bounds` at points of height `z` [m], at all offsets along x and the offset `row` along
    /// y. Singular ones are set to zero where points touch the cell; these pairs are evaluated directly (`touching.rs`).
    pub fn row(&self, [x, y]: &[Axis; 2], bounds: [f64; 2], z: f64, row: usize, isa: Isa, into: &mut RowOfFields) {
        let Self { quantities, fields, needs, places } = self;
        let cell = [[0.0, x.side], [0.0, y.side], bounds];
        let offset = y.offsets[row];
        let RowOfFields { values, scratch } = into;
        values.resize(quantities.len() * places.len(), 0.0);
        f64::dispatch(isa, Row { cell: &cell, x: places, y: -offset, z, fields, needs: *needs, values, scratch });
        let (along_y, height) = (outside(offset, y.side), outside(bounds[0] - z, bounds[1] - bounds[0]));
        if may_touch(along_y) && may_touch(height) {
            let all = quantities.iter().zip(values.chunks_mut(places.len()));
            all.filter(|(of, _)| of.is_singular()).for_each(|(_, values)| clear(values, x, [along_y, height]));
        }
    }

    /// Copies the values of a quantity at the offsets of a window along x into a zero-padded line.
    ///
    /// # Arguments
    /// * `row` – result of [`row`](Self::row); `of` – index of the quantity in the table
    pub fn copy(&self, row: &RowOfFields, of: usize, window: &Window, line: &mut [f64]) {
        line[window.gap.clone()].fill(0.0);
        let values = &row.values[of * self.places.len()..][..self.places.len()];
        let is_odd = self.quantities[of].is_odd(0);
        for &Run { at, len, column, step, is_mirrored } in &window.runs {
            let line = &mut line[at..at + len];
            let reach = (len - 1) * step + 1;
            let sign = if is_odd && is_mirrored { -1.0 } else { 1.0 };
            let values =
                if is_mirrored { &values[column..column + reach] } else { &values[column + 1 - reach..=column] };
            match (is_mirrored, step) {
                (false, 1) => line.iter_mut().zip(values.iter().rev()).for_each(|(place, value)| *place = *value),
                (true, 1) => line.iter_mut().zip(values).for_each(|(place, value)| *place = sign * value),
                (false, _) => (0..len).for_each(|n| line[n] = values[reach - 1 - n * step]),
                (true, _) => (0..len).for_each(|n| line[n] = sign * values[n * step]),
            }
        }
    }
}

/// Sets values to zero where points touch the cell.
///
/// # Arguments
/// * `others` – distance of the points outside the cell along y and z
fn clear(values: &mut [f64], x: &Axis, others: [f64; 2]) {
    for (value, &offset) in values.iter_mut().zip(&x.offsets) {
        if touches([outside(offset, x.side), others[0], others[1]]) {
            *value = 0.0;
        }
    }
}

/// Kernel that evaluates a cell at a row of points.
struct Row<'a> {
    cell: &'a [[f64; 2]; 3],
    x: &'a [f64],
    y: f64,
    z: f64,
    fields: &'a [Field],
    needs: Needs,
    values: &'a mut [f64],
    scratch: &'a mut RowScratch,
}

impl Kernel<f64> for Row<'_> {
    type Output = ();
    const DOUBLE: Isa = Isa::Avx512;

    #[inline(always)]
    fn run<V: Lanes<Scalar = f64>>(self) {
        let others = [V::splat(self.y), V::splat(self.z)];
        let (fields, thirds) = self.values.split_at_mut(self.fields.len() * self.x.len());
        if !fields.is_empty() {
            RowBody::<V>::new(Body::new(self.cell), others, self.needs).fill(self.x, self.fields, fields, self.scratch);
        }
        if thirds.is_empty() {
            return;
        }
        let body = ThirdBody::<V>::new(self.cell);
        for lane in (0..self.x.len()).step_by(V::COUNT) {
            let all = body.at(&[V::load(self.x, lane), others[0], others[1]]);
            for (third, values) in THIRDS.iter().zip(thirds.chunks_mut(self.x.len())) {
                all[third.index].store(values, lane);
            }
        }
    }
}
