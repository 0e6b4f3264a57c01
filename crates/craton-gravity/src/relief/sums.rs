//! The correction at points, and its transpose.

use std::borrow::Cow;
use std::ops::Range;

use craton_device::{Isa, Kernel, Lanes, Scalar, Workers};
use rayon::prelude::*;

use super::Relief;
use super::masses::Masses;
use super::near::{Around, Block, sum_of_lanes};
use crate::fields::Needs;
use crate::{Field, Fields, GRAVITATIONAL_CONSTANT, GoOn, Gravity, GravityError, Points};

/// Rows of columns per parallel task of the transposed product.
const ROWS: usize = 8;

impl Relief {
    /// The difference between the body below the smooth surface and the flat columns.
    ///
    /// To be added to the sum over the prisms below the [flat tops](Relief::flat). On the surface the tensor is its limit from above. The result is
    /// bit-identical for any number of threads, and independent of the other points.
    ///
    /// # Arguments
    /// * `density` – density of each column below the surface [kg/m³], x fastest; minus that density if the body lies above the surface
    /// * `fields` – fields to compute, all in one pass
    /// * `isa` – instruction set; results of different ones may differ by round-off
    /// # Domain and errors
    /// [`GravityError::Count`] unless there is one density per column. The error of the attraction and the tensor is below 1e-6 of those of the body, apart
    /// from the interpolation of the heights. Verified by `relief::stations_on_a_dipping_plane`, `relief::stations_on_a_gaussian_hill` and
    /// `relief::the_tensor_jumps_across_the_surface_as_it_must`.
    /// # Panics
    /// If this processor lacks `isa`.
    pub fn forward(
        &self,
        density: &[f64],
        points: &Points,
        fields: Fields,
        workers: &Workers,
        isa: Isa,
    ) -> Result<Gravity, GravityError> {
        let gravity = self.forward_while(density, points, fields, workers, isa, &|| true)?;
        Ok(gravity.expect("never cancelled"))
    }

    /// Like [`Relief::forward`], but can be cancelled: returns `None` if `go_on` returns `false`.
    ///
    /// # Arguments
    /// * `go_on` – cancellation callback; every thread calls it at each point
    pub fn forward_while(
        &self,
        density: &[f64],
        points: &Points,
        fields: Fields,
        workers: &Workers,
        isa: Isa,
        go_on: GoOn,
    ) -> Result<Option<Gravity>, GravityError> {
        GravityError::check_count("densities", density.len(), "columns", self.columns())?;
        let needs = Needs::of(fields.leaving_out_edges());
        let columns = self.x.len();
        let at_points: Option<Vec<[f64; 10]>> = workers.run(|| {
            // A common density is a factor of the sums over volumes.
            let common = density.first().copied().filter(|first| density.iter().all(|density| density == first));
            let [four, nine] = [&self.four, &self.nine].map(|masses| match common {
                Some(_) => Cow::Borrowed(masses.volumes()),
                None => Cow::Owned(masses.times(density, columns)),
            });
            let is_open = |a: usize, b: usize| density[a] == density[b] && self.range(a) == self.range(b);
            let of_point = |index: usize| {
                if !go_on() {
                    return None;
                }
                let point = points.get(index);
                let around = Around::new(self, &point);
                let mut sums =
                    f64::dispatch(isa, Far { relief: self, around: &around, point, four: &four, nine: &nine });
                sums.iter_mut().for_each(|sum| *sum *= common.unwrap_or(1.0));
                let mut visit = |column: usize, fields: [f64; 10]| {
                    sums.iter_mut().zip(fields).for_each(|(sum, field)| *sum += density[column] * field);
                };
                let (block, is_open, visit) = (&around.block, &is_open, &mut visit);
                f64::dispatch(isa, Block { relief: self, block, point, needs, is_open, visit });
                Some(sums)
            };
            (0..points.len()).into_par_iter().map(of_point).collect()
        });
        let Some(at_points) = at_points else { return Ok(None) };
        let of = |field: Field| at_points.iter().map(|sums| GRAVITATIONAL_CONSTANT * sums[field as usize]).collect();
        Ok(Some(Gravity::new(fields, fields.iter().map(of).collect())))
    }

    /// For each column, the sum over points and fields of the correction per unit density times a weight.
    ///
    /// With A the matrix of [`Relief::forward`] from densities to fields, this is Aᵀ times the weights; bit-identical for any number of threads.
    ///
    /// # Arguments
    /// * `weights` – fields, each with one weight per point
    /// # Domain and errors
    /// [`GravityError::Count`] unless every field has one weight per point. Verified by `relief::transpose_is_the_adjoint_of_forward`.
    /// # Panics
    /// If this processor lacks `isa`.
    pub fn transpose(
        &self,
        points: &Points,
        weights: &[(Field, &[f64])],
        workers: &Workers,
        isa: Isa,
    ) -> Result<Vec<f64>, GravityError> {
        let product = self.transpose_while(points, weights, workers, isa, &|| true)?;
        Ok(product.expect("never cancelled"))
    }

    /// Like [`Relief::transpose`], but can be cancelled: returns `None` if `go_on` returns `false`.
    ///
    /// # Errors
    /// As [`Relief::transpose`].
    pub fn transpose_while(
        &self,
        points: &Points,
        weights: &[(Field, &[f64])],
        workers: &Workers,
        isa: Isa,
        go_on: GoOn,
    ) -> Result<Option<Vec<f64>>, GravityError> {
        GravityError::check_weights(weights, points)?;
        let fields: Fields = weights.iter().map(|&(field, _)| field).collect();
        let needs = Needs::of(fields.leaving_out_edges());
        let columns = self.x.len();
        let mut sums = vec![0.0; self.columns()];
        for masses in [&self.four, &self.nine] {
            if !go_on() {
                return Ok(None);
            }
            let values = workers.run(|| self.far_transposed(masses, points, weights, isa));
            masses.gather(&values, columns, &mut sums);
        }
        let near: Option<Vec<Vec<(usize, f64)>>> = workers.run(|| {
            let of_point = |index: usize| {
                if !go_on() {
                    return None;
                }
                let (point, mut found) = (points.get(index), Vec::new());
                let around = Around::new(self, &point);
                let mut visit = |column: usize, fields: [f64; 10]| {
                    let of = |(field, weights): &(Field, &[f64])| fields[*field as usize] * weights[index];
                    found.push((column, weights.iter().map(of).sum()));
                };
                let (block, is_open, visit) = (&around.block, &|_, _| false, &mut visit);
                f64::dispatch(isa, Block { relief: self, block, point, needs, is_open, visit });
                Some(found)
            };
            (0..points.len()).into_par_iter().map(of_point).collect()
        });
        let Some(near) = near else { return Ok(None) };
        near.into_iter().flatten().for_each(|(column, value)| sums[column] += value);
        sums.iter_mut().for_each(|sum| *sum *= GRAVITATIONAL_CONSTANT);
        Ok(Some(sums))
    }

    /// The weighted sums of the unit fields of all point masses.
    fn far_transposed(&self, masses: &Masses, points: &Points, weights: &[(Field, &[f64])], isa: Isa) -> Vec<f64> {
        let is_nine = std::ptr::eq(masses, &self.nine);
        let tasks = (0..self.y.len()).step_by(ROWS).map(|start| start..(start + ROWS).min(self.y.len()));
        let of_rows = |rows: Range<usize>| {
            let range = masses.of_rows(&rows);
            let mut sums = vec![0.0; range.len() + 16];
            for index in 0..points.len() {
                let point = points.get(index);
                let Around { block, nine, four } = Around::new(self, &point).of_rows(&rows);
                let columns = if is_nine { [nine, block] } else { [four, nine] };
                let weights = weights.iter().map(|(field, weights)| (*field, weights[index])).collect::<Vec<_>>();
                let (first, sums) = (range.start, &mut sums);
                let kernel = FarTransposed { masses, columns: &columns, point, weights: &weights, first, sums };
                f64::dispatch(isa, kernel);
            }
            sums.truncate(range.len());
            sums
        };
        tasks.collect::<Vec<_>>().into_par_iter().map(of_rows).collect::<Vec<_>>().concat()
    }
}

/// Kernel that sums the point masses at a point.
pub struct Far<'a> {
    pub relief: &'a Relief,
    pub around: &'a Around,
    pub point: [f64; 3],
    /// Masses [kg].
    pub four: &'a [f64],
    pub nine: &'a [f64],
}

impl Kernel<f64> for Far<'_> {
    type Output = [f64; 10];
    const DOUBLE: Isa = Isa::Avx512;

    #[inline(always)]
    fn run<V: Lanes<Scalar = f64>>(self) -> [f64; 10] {
        let mut sums = [V::constant(0.0); 10];
        let Around { block, nine, four } = self.around;
        let parts = [(&self.relief.nine, self.nine, nine, block), (&self.relief.four, self.four, four, nine)];
        for (masses, values, columns, except) in parts {
            for (row, run) in masses.runs(columns, except) {
                for at in run.clone().step_by(V::COUNT) {
                    let fields = masses.unit::<V>(&self.point, row, at);
                    let mass = Masses::mask::<V>(at, run.end) * V::load(values, masses.index(row, at));
                    for field in 0..fields.len() {
                        sums[field] = mass.mul_add(fields[field], sums[field]);
                    }
                }
            }
        }
        sums.map(sum_of_lanes)
    }
}

/// Kernel that adds the weighted fields of unit masses at a point to the values of the masses.
struct FarTransposed<'a> {
    masses: &'a Masses,
    /// The columns, and those that are left out.
    columns: &'a [[Range<usize>; 2]; 2],
    point: [f64; 3],
    weights: &'a [(Field, f64)],
    first: usize,
    sums: &'a mut [f64],
}

impl Kernel<f64> for FarTransposed<'_> {
    type Output = ();
    const DOUBLE: Isa = Isa::Avx512;

    #[inline(always)]
    fn run<V: Lanes<Scalar = f64>>(self) {
        let [columns, except] = self.columns;
        for (row, run) in self.masses.runs(columns, except) {
            for lane in run.clone().step_by(V::COUNT) {
                let fields = self.masses.unit::<V>(&self.point, row, lane);
                let at = self.masses.index(row, lane) - self.first;
                let mut value = V::constant(0.0);
                for (field, weight) in self.weights {
                    value = fields[*field as usize].mul_add(V::splat(*weight), value);
                }
                let sum = V::load(self.sums, at);
                Masses::mask::<V>(lane, run.end).mul_add(value, sum).store(self.sums, at);
            }
        }
    }
}
