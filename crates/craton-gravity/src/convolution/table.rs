//! Tables of the fields of one cell of a layer at rows of offsets.

use craton_device::{AlignedVec, Isa, Kernel, Lanes, Scalar};

use super::LANES;
use super::axis::{Axis, Run, Window};
use super::touching::{is_tensor, may_touch, outside, touches};
use crate::fields::Needs;
use crate::pair::{Body, RowBody, RowScratch};
use crate::{Field, Fields};

/// Fields of a cell per unit of G times density, a row of offsets at a time.
pub struct Table {
    fields: Vec<Field>,
    needs: Needs,
    /// x of the points relative to the lower bound of the cell [m], padded to whole lanes with the last one.
    places: AlignedVec<f64>,
}

/// Fields at a row of offsets.
#[derive(Default)]
pub struct RowOfFields {
    /// `[field][column]`, padded to whole lanes.
    values: Vec<f64>,
    scratch: RowScratch,
}

impl Table {
    /// Prepares a table for the offsets along x.
    pub fn new(x: &Axis, fields: Fields) -> Self {
        let columns = x.offsets.len();
        let mut places = AlignedVec::zeroed(columns.next_multiple_of(LANES));
        for column in 0..places.len() {
            places[column] = -x.offsets[column.min(columns - 1)];
        }
        Self { fields: fields.iter().collect(), needs: Needs::of(fields), places }
    }

    /// The fields of the table.
    pub fn fields(&self) -> &[Field] {
        &self.fields
    }

    /// Fills `into` with the fields of a cell between the heights `bounds` at points of height `z` [m], at all offsets along x and the offset `row` along y.
    /// The tensor is set to zero where points touch the cell; these pairs are evaluated directly (`touching.rs`).
    pub fn row(&self, [x, y]: &[Axis; 2], bounds: [f64; 2], z: f64, row: usize, isa: Isa, into: &mut RowOfFields) {
        let Self { fields, needs, places } = self;
        let cell = [[0.0, x.side], [0.0, y.side], bounds];
        let offset = y.offsets[row];
        let RowOfFields { values, scratch } = into;
        values.resize(fields.len() * places.len(), 0.0);
        f64::dispatch(isa, Row { cell: &cell, x: places, y: -offset, z, fields, needs: *needs, values, scratch });
        let (along_y, height) = (outside(offset, y.side), outside(bounds[0] - z, bounds[1] - bounds[0]));
        if may_touch(along_y) && may_touch(height) {
            let tensors = fields.iter().zip(values.chunks_mut(places.len())).filter(|(field, _)| is_tensor(**field));
            tensors.for_each(|(_, values)| clear(values, x, [along_y, height]));
        }
    }

    /// Copies the values of a field at the offsets of a window along x into a zero-padded line.
    ///
    /// # Arguments
    /// * `row` – result of [`row`](Self::row); `field` – index of the field in the table
    pub fn copy(&self, row: &RowOfFields, field: usize, window: &Window, line: &mut [f64]) {
        line[window.gap.clone()].fill(0.0);
        let values = &row.values[field * self.places.len()..][..self.places.len()];
        let is_odd = is_odd(self.fields[field], 0);
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

/// Whether a field is an odd function of the offset along x or y.
pub fn is_odd(field: Field, axis: usize) -> bool {
    match field {
        Field::East | Field::EastUp => axis == 0,
        Field::North | Field::NorthUp => axis == 1,
        Field::EastNorth => true,
        Field::Potential | Field::Up | Field::EastEast | Field::NorthNorth | Field::UpUp => false,
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
        let body = RowBody::<V>::new(Body::new(self.cell), [V::splat(self.y), V::splat(self.z)], self.needs);
        body.fill(self.x, self.fields, self.values, self.scratch);
    }
}
