//! Direct summation: the gravity of all prisms at every point.

use std::ops::Range;

use craton_device::{Isa, Kernel, Lanes, Scalar, Workers};
use rayon::prelude::*;

use crate::fields::Needs;
use crate::pair::Body;
use crate::tile::{TILE, Tile};
use crate::{Field, Fields, GRAVITATIONAL_CONSTANT, Points, Prisms};

/// Prisms per block. Each block is summed separately and added to the total in order, so that results do not depend on the number of threads and round-off
/// grows slowly.
pub const BLOCK: usize = 4096;

/// Blocks summed in parallel before their sums are added to the total.
const WAVE: usize = 64;

/// Cancellation callback: returns `false` when the work should stop. It is called from all worker threads.
pub type GoOn<'a> = &'a (dyn Fn() -> bool + Sync);

/// Sums of all fields at the points of a tile, `[field][point]`.
pub(crate) type Sums = [[f64; TILE]; Field::ALL.len()];

/// Gravity fields at points.
#[derive(Debug, Clone, PartialEq)]
pub struct Gravity {
    fields: Fields,
    /// `[field][point]`, of the requested fields.
    values: Vec<Vec<f64>>,
}

impl Gravity {
    /// Assembles the fields from the sums of all tiles, `[field][point]`.
    pub(crate) fn of_tiles(fields: Fields, tiles: &[Tile], sums: &[Sums]) -> Self {
        let of = |field: Field| {
            let parts = tiles.iter().zip(sums);
            parts.flat_map(|(tile, sums)| sums[field as usize][..tile.range.len()].iter().copied()).collect()
        };
        Self { fields, values: fields.iter().map(of).collect() }
    }

    /// Fields by their values at the points, in the order of [`Field::ALL`].
    pub fn new(fields: Fields, values: Vec<Vec<f64>>) -> Self {
        Self { fields, values }
    }

    /// The requested fields.
    pub fn fields(&self) -> Fields {
        self.fields
    }

    /// The fields in another order of the points: those at place `at` become those of point `order[at]`.
    pub(crate) fn unsorted(&self, order: &[usize]) -> Self {
        let of = |sorted: &Vec<f64>| {
            let mut values = vec![0.0; sorted.len()];
            order.iter().zip(sorted).for_each(|(&number, value)| values[number] = *value);
            values
        };
        Self { fields: self.fields, values: self.values.iter().map(of).collect() }
    }

    /// Mutable values of a field at all points; `None` if it was not requested.
    pub(crate) fn get_mut(&mut self, field: Field) -> Option<&mut [f64]> {
        let place = self.fields.iter().position(|asked| asked == field)?;
        Some(&mut self.values[place])
    }

    /// Adds the fields of another body at the same points; fields that `other` lacks stay as they are.
    ///
    /// # Panics
    /// If `other` has fewer points.
    pub fn add(&mut self, other: &Self) {
        for (values, field) in self.values.iter_mut().zip(self.fields.iter()) {
            if let Some(more) = other.get(field) {
                values.iter_mut().enumerate().for_each(|(point, value)| *value += more[point]);
            }
        }
    }

    /// Overwrites the tensor at some of the points.
    ///
    /// # Arguments
    /// * `points` – indices of the points
    /// * `other` – fields at those points, in the same order
    /// # Panics
    /// If an index is out of range.
    pub fn put_tensor(&mut self, points: &[usize], other: &Self) {
        for field in Fields::TENSOR.iter() {
            if let (Some(values), Some(others)) = (self.get_mut(field), other.get(field)) {
                points.iter().zip(others).for_each(|(&point, value)| values[point] = *value);
            }
        }
    }

    /// Values of a field at all points, in SI units; `None` if it was not requested.
    pub fn get(&self, field: Field) -> Option<&[f64]> {
        let place = self.fields.iter().position(|asked| asked == field)?;
        Some(&self.values[place])
    }
}

/// Gravity of prisms at points.
///
/// For each pair of a prism and a point, the relative error of V, |g| and the norm of the tensor is at most 1e-10 at any distance; near the centre of a prism,
/// where g vanishes, the error of g is at most 1e-10 of G times density times the shortest side. Verified by `reference::ten_digits_inside_near_and_far`. The
/// result is bit-identical for any number of threads, and the value at a point does not depend on the other points. Verified by
/// `laws::results_do_not_depend_on_threads_or_other_points`.
///
/// # Arguments
/// * `fields` – fields to compute, all in one pass
/// * `isa` – instruction set; results of different ones may differ by round-off
/// # Domain and errors
/// Lengths from 1e-30 to 1e30 m. On a face the tensor is the limit from outside. On edges and corners the components that diverge are NaN, or contribute zero
/// with [`Fields::leaving_out_edges`]; [`crate::Limits`] then replaces them with the limit for the whole body. Verified by
/// `singular::on_edges_and_corners_only_divergent_components_are_nan`.
/// # Panics
/// If this processor lacks `isa`.
pub fn forward(prisms: &Prisms, points: &Points, fields: Fields, workers: &Workers, isa: Isa) -> Gravity {
    forward_while(prisms, points, fields, workers, isa, &|| true).expect("never cancelled")
}

/// Like [`forward`], but can be cancelled: returns `None` if `go_on` returns `false`.
///
/// # Arguments
/// * `go_on` – cancellation callback; every thread calls it at least about once a second
pub fn forward_while(
    prisms: &Prisms,
    points: &Points,
    fields: Fields,
    workers: &Workers,
    isa: Isa,
    go_on: GoOn,
) -> Option<Gravity> {
    let tiles = Tile::all(points);
    let blocks: Vec<Range<usize>> =
        (0..prisms.len()).step_by(BLOCK).map(|start| start..(start + BLOCK).min(prisms.len())).collect();
    let needs = Needs::of(fields);
    let sums: Option<Vec<Sums>> = workers.run(|| {
        let sum_of_tile = |points: &Tile| {
            let mut total: Sums = [[0.0; TILE]; Field::ALL.len()];
            for wave in blocks.chunks(WAVE) {
                if !go_on() {
                    return None;
                }
                let sum_of_block =
                    |block: &Range<usize>| f64::dispatch(isa, BlockSum { prisms, block: block.clone(), points, needs });
                for sum in wave.par_iter().map(sum_of_block).collect::<Vec<_>>() {
                    total.iter_mut().flatten().zip(sum.iter().flatten()).for_each(|(total, sum)| *total += sum);
                }
            }
            Some(total)
        };
        tiles.par_iter().map(sum_of_tile).collect()
    });
    Some(Gravity::of_tiles(fields, &tiles, &sums?))
}

/// Kernel that sums a block of prisms at the points of a tile.
struct BlockSum<'a> {
    prisms: &'a Prisms,
    block: Range<usize>,
    points: &'a Tile,
    needs: Needs,
}

impl Kernel<f64> for BlockSum<'_> {
    type Output = Sums;
    const DOUBLE: Isa = Isa::Avx512;

    #[inline(always)]
    fn run<V: Lanes<Scalar = f64>>(self) -> Sums {
        let mut sums: Sums = [[0.0; TILE]; Field::ALL.len()];
        for prism in self.block {
            let body = Body::<V>::new(&self.prisms.bounds(prism));
            let scale = V::splat(GRAVITATIONAL_CONSTANT * self.prisms.density()[prism]);
            for lane in (0..self.points.range.len()).step_by(V::COUNT) {
                let values = body.at(&self.points.points(lane), self.needs);
                for field in 0..values.len() {
                    let sum = &mut sums[field];
                    values[field].mul_add(scale, V::load(sum, lane)).store(sum, lane);
                }
            }
        }
        sums
    }
}
