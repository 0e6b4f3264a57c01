//! The correction of columns of slices for a smooth surface and a density that is a linear function of height.

use std::ops::Range;

use craton_device::{Isa, Kernel, Lanes, Scalar, Workers};
use rayon::prelude::*;

use super::Relief;
use super::column::Boundary;
use super::masses::{THREE, TWO};
use super::near::{Around, Patches, below_surface, floor, sum_of_lanes, walls};
use super::slices::{Line, Slices};
use super::sums::Far;
use crate::closed_form::height_form;
use crate::fields::Needs;
use crate::layer::share_of_face;
use crate::pair::Body;
use crate::{Field, Fields, GRAVITATIONAL_CONSTANT, GoOn, Gravity, GravityError, Points, Prism};

impl Relief {
    /// The difference between the body below the smooth surface, whose density is a linear function of height, and its slices; returns `None` if `go_on`
    /// returns `false`.
    ///
    /// To be added to the sum over the slices with [`Fields::leaving_out_edges`]. Slices around a point are replaced by the body itself, so that the field near
    /// the surface has no error of slices; farther away that error is of third order in their thickness. The result is bit-identical for any number of
    /// threads, and independent of the other points.
    ///
    /// # Arguments
    /// * `slices` – of all columns
    /// * `fields`, `isa`, `go_on` – as for [`Relief::forward_while`]
    /// # Domain and errors
    /// [`GravityError::Count`] for another number of columns. Verified by `relief_linear::a_hill_of_linear_density_has_the_field_of_a_quadrature`.
    pub fn forward_sliced_while(
        &self,
        slices: &Slices,
        points: &Points,
        fields: Fields,
        workers: &Workers,
        isa: Isa,
        go_on: GoOn,
    ) -> Result<Option<Gravity>, GravityError> {
        GravityError::check_count("columns", slices.columns(), "columns of the surface", self.columns())?;
        let needs = Needs::of(fields.leaving_out_edges());
        let at_points: Option<Vec<[f64; 10]>> = workers.run(|| {
            let line = |column: usize| slices.line(column);
            let (four, nine) = (self.four.linear(self, TWO, line), self.nine.linear(self, THREE, line));
            let of_point = |index: usize| {
                if !go_on() {
                    return None;
                }
                let point = points.get(index);
                let around = Around::new(self, &point);
                let far = Far { relief: self, around: &around, point, four: &four, nine: &nine };
                let mut sums = f64::dispatch(isa, far);
                let near = f64::dispatch(isa, Sliced { relief: self, slices, block: &around.block, point, needs });
                sums.iter_mut().zip(near).for_each(|(sum, near)| *sum += near);
                Some(sums)
            };
            (0..points.len()).into_par_iter().map(of_point).collect()
        });
        let Some(at_points) = at_points else { return Ok(None) };
        let of = |field: Field| at_points.iter().map(|sums| GRAVITATIONAL_CONSTANT * sums[field as usize]).collect();
        Ok(Some(Gravity::new(fields, fields.iter().map(of).collect())))
    }
}

/// Kernel that computes the correction of the columns of a block, per unit of G.
struct Sliced<'a> {
    relief: &'a Relief,
    slices: &'a Slices,
    block: &'a [Range<usize>; 2],
    point: [f64; 3],
    needs: Needs,
}

impl Kernel<f64> for Sliced<'_> {
    type Output = [f64; 10];
    const DOUBLE: Isa = Isa::Avx512;

    #[inline(always)]
    fn run<V: Lanes<Scalar = f64>>(self) -> [f64; 10] {
        let Self { relief, slices, block, point, needs } = self;
        let lifted = relief.lifted(point);
        let floor = floor(relief, block, lifted[2]);
        let patches = Patches::new(relief, block, &lifted);
        let mut total = [0.0; 10];
        let is_open = |a: usize, b: usize| slices.line(a) == slices.line(b) && relief.range(a) == relief.range(b);
        for row in block[1].clone() {
            for i in block[0].clone() {
                let column = row * relief.x.len() + i;
                let Some(line) = slices.line(column) else { continue };
                let mut boundary = Boundary::<V, true>::new(&relief.rules);
                let walls = walls(relief, block, column, &is_open);
                below_surface(&mut boundary, &patches.quarters(column), walls, floor - lifted[2]);
                add_linear(&mut total, line, lifted[2], &boundary.sums, &boundary.of_height());
                let low = subtract_slices::<V>(&mut total, slices, column, floor, &point, needs);
                add_between::<V>(&mut total, relief, column, line, [low, floor], &lifted);
            }
        }
        total
    }
}

/// Adds the fields of a linear density, from those of unit density and of one that is the height above the point at height `z`.
#[inline(always)]
fn add_linear<V: Lanes<Scalar = f64>>(total: &mut [f64; 10], line: Line, z: f64, unit: &[V; 10], height: &[V; 10]) {
    let (density, slope) = (line.at(z), line.slope);
    for field in 0..10 {
        total[field] += density * sum_of_lanes(unit[field]) + slope * sum_of_lanes(height[field]);
    }
}

/// Subtracts the slices of a column down to the first face below the floor; returns the height of this face, or of the bottom of the column [m].
///
/// The slices below that face get the densities of a column that ends there (`layer.rs`), which changes the two uppermost ones.
#[inline(always)]
fn subtract_slices<V: Lanes<Scalar = f64>>(
    total: &mut [f64; 10],
    slices: &Slices,
    column: usize,
    floor: f64,
    point: &[f64; 3],
    needs: Needs,
) -> f64 {
    let (mut low, mut first) = (slices.bottom(column), None);
    let all = slices.of(column).count();
    for (number, prism) in slices.of(column).enumerate() {
        if first.is_none() && prism.top <= floor {
            first = Some(number);
            low = prism.top;
        }
        let Some(first) = first else {
            add_prism::<V>(total, &prism, -prism.density, point, needs);
            continue;
        };
        let own = share_of_face(number - first, all - first) - share_of_face(number - first + 1, all - first);
        let change = own - (share_of_face(number, all) - share_of_face(number + 1, all));
        // The slope is one with height, that of the shares one with depth.
        let slope = slices.line(column).map_or(0.0, |line| -line.slope);
        if change != 0.0 {
            add_prism::<V>(total, &prism, change * slope * (prism.top - prism.bottom), point, needs);
        }
        if number - first == 1 {
            break;
        }
    }
    low
}

/// Adds a prism with a density.
#[inline(always)]
fn add_prism<V: Lanes<Scalar = f64>>(
    total: &mut [f64; 10],
    prism: &Prism,
    density: f64,
    point: &[f64; 3],
    needs: Needs,
) {
    let values = Body::<V>::new(&prism.bounds()).at(&splat(point), needs);
    for (sum, value) in total.iter_mut().zip(values) {
        *sum += density * first_lane(value);
    }
}

/// Adds the part of a column between two heights with its linear density: with a negative sign if they descend.
#[inline(always)]
fn add_between<V: Lanes<Scalar = f64>>(
    total: &mut [f64; 10],
    relief: &Relief,
    column: usize,
    line: Line,
    [from, to]: [f64; 2],
    point: &[f64; 3],
) {
    if from == to {
        return;
    }
    let [i, j] = relief.place(column);
    let [x, y] = [(&relief.x, i), (&relief.y, j)].map(|(axis, at)| [axis.edges[at], axis.edges[at + 1]]);
    let bounds = [x, y, [from.min(to), from.max(to)]];
    let needs = Needs::of(Fields::ALL.leaving_out_edges());
    let unit = Body::<V>::new(&bounds).at(&splat(point), needs);
    let mut offsets = [[V::constant(0.0); 2]; 3];
    let mut size = [V::constant(0.0); 3];
    for axis in 0..3 {
        for side in 0..2 {
            offsets[axis][side] = V::splat(bounds[axis][side] - point[axis]);
        }
        size[axis] = V::splat(bounds[axis][1] - bounds[axis][0]);
    }
    let height = height_form(&offsets, &size);
    let sign = if from < to { 1.0 } else { -1.0 };
    let (density, slope) = (sign * line.at(point[2]), sign * line.slope);
    for field in 0..10 {
        total[field] += density * first_lane(unit[field]) + slope * first_lane(height[field]);
    }
}

#[inline(always)]
fn splat<V: Lanes<Scalar = f64>>(point: &[f64; 3]) -> [V; 3] {
    [V::splat(point[0]), V::splat(point[1]), V::splat(point[2])]
}

#[inline(always)]
fn first_lane<V: Lanes<Scalar = f64>>(value: V) -> f64 {
    let mut lanes = [0.0; 16];
    value.store(&mut lanes, 0);
    lanes[0]
}
