//! Sums of prisms over points.

use std::ops::Range;

use craton_device::{Isa, Kernel, Lanes, Scalar, Workers};
use rayon::prelude::*;

use crate::fields::Needs;
use crate::pair::Body;
use crate::tile::{TILE, Tile};
use crate::{Field, Fields, GRAVITATIONAL_CONSTANT, Points, Prisms};

/// Prisms whose sum is made before it is added to that of the blocks before: so sums do not depend on threads, and their round-off grows slowly.
pub const BLOCK: usize = 4096;

/// Blocks whose sums wait at the same time for those before them.
const WAVE: usize = 64;

/// Whether work may go on: asked by all threads that do it.
pub type GoOn<'a> = &'a (dyn Fn() -> bool + Sync);

/// Sums of all fields at the points of a tile, `[field][point]`.
pub(crate) type Sums = [[f64; TILE]; Field::ALL.len()];

/// Fields of gravity at points.
#[derive(Debug, Clone, PartialEq)]
pub struct Gravity {
    fields: Fields,
    /// `[field][point]`, of the fields asked for.
    values: Vec<Vec<f64>>,
}

impl Gravity {
    /// From the sums of each tile, `[field][point]`.
    pub(crate) fn of_tiles(fields: Fields, tiles: &[Tile], sums: &[Sums]) -> Self {
        let of = |field: Field| {
            let parts = tiles.iter().zip(sums);
            parts.flat_map(|(tile, sums)| sums[field as usize][..tile.range.len()].iter().copied()).collect()
        };
        Self { fields, values: fields.iter().map(of).collect() }
    }

    /// Fields and what they are at the points, in the order of their places.
    pub(crate) fn new(fields: Fields, values: Vec<Vec<f64>>) -> Self {
        Self { fields, values }
    }

    /// What was asked for.
    pub fn fields(&self) -> Fields {
        self.fields
    }

    /// A field at all points, to be changed; none if it was not asked for.
    pub(crate) fn get_mut(&mut self, field: Field) -> Option<&mut [f64]> {
        let place = self.fields.iter().position(|asked| asked == field)?;
        Some(&mut self.values[place])
    }

    /// Puts the tensor that some points have elsewhere in its place.
    ///
    /// # Arguments
    /// * `points` – their numbers, `other` – at these points, in their order
    /// # Panics
    /// If there are not so many points.
    pub fn put_tensor(&mut self, points: &[usize], other: &Self) {
        for field in Fields::TENSOR.iter() {
            if let (Some(values), Some(others)) = (self.get_mut(field), other.get(field)) {
                points.iter().zip(others).for_each(|(&point, value)| values[point] = *value);
            }
        }
    }

    /// A field at all points, SI units; none if it was not asked for.
    pub fn get(&self, field: Field) -> Option<&[f64]> {
        let place = self.fields.iter().position(|asked| asked == field)?;
        Some(&self.values[place])
    }
}

/// Gravity of prisms at points.
///
/// Each pair of a prism and a point has V, |g| and the tensor's norm to 1e-10, however far or near; beside a prism's centre, where g vanishes, to 1e-10 of G
/// times density times the shortest side. Verified by `reference::ten_digits_inside_near_and_far`. The result has the same bits for any number of threads,
/// and for any other points beside a point. Verified by `laws::threads_and_neighbours_change_no_bit`.
///
/// # Arguments
/// * `fields` – what is computed, all in one pass
/// * `isa` – the instruction set; another one may change the last bits
/// # Domain and errors
/// Lengths from 1e-30 to 1e30 m. On faces the tensor is that seen from outside; on edges and corners its components without a limit are NaN, or as
/// [`Fields::leaving_out_edges`] has it: [`crate::Limits`] makes of it what the body has there that all prisms are. Verified by `singular::on_edges_and_corners_only_what_has_no_limit_is_nan`.
/// # Panics
/// If this processor lacks `isa`.
pub fn forward(prisms: &Prisms, points: &Points, fields: Fields, workers: &Workers, isa: Isa) -> Gravity {
    forward_while(prisms, points, fields, workers, isa, &|| true).expect("nothing asks it to stop")
}

/// As [`forward`], as long as it may go on; `None` if it may not.
///
/// # Arguments
/// * `go_on` – asked by every thread about once a second or more often
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

/// The kernel: a block of prisms at the points of a tile.
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
