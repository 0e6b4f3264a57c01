//! Update of a row of points by half of a step, several groups of sixteen points at a time: the nine derivatives one after the other, those of points near
//! interfaces again, absorbing layers, and the step itself. Derivatives stay in the L1 cache. Each loop uses few rows, so that their addresses fit in
//! registers, and all slices have the same length, so that reads need no separate bounds checks.

use std::ops::Range;

use craton_device::{Lanes, Scalar};
use craton_numerics::staggered::GridPoints;

use super::stretch::Stretch;
use super::taps::Taps;
use super::updates::{MAX_FACTORS, MAX_PARAMETERS, Parameter};
use super::{MaterialArrays, Sweep, Tile, Update};
use crate::layout::{GROUP, Layout};
use crate::taper;

/// Adjacent points along x.
pub type Group<T> = [T; GROUP];

/// Maximum number of groups processed at a time.
pub const RUN: usize = 16;

/// Derivatives at the points of a run: of row c along axis a at `[c][a]`.
pub type Slopes<T> = [[[Group<T>; RUN]; 3]; 3];

/// `count` groups of an array from index `first` on.
#[inline(always)]
pub fn groups<T>(values: &[T], first: usize, count: usize) -> &[Group<T>] {
    &values[first..].as_chunks().0[..count]
}

/// The same, mutable.
#[inline(always)]
pub fn groups_mut<T>(values: &mut [T], first: usize, count: usize) -> &mut [Group<T>] {
    &mut values[first..].as_chunks_mut().0[..count]
}

/// Successive groups of a row.
pub struct Run {
    /// Row and plane.
    pub row: [usize; 2],
    /// The first group, and how many there are.
    first: usize,
    pub count: usize,
    /// Index of the first point in the arrays of the block.
    pub at: usize,
}

impl Run {
    /// Creates a run of groups of row [j, k].
    #[inline(always)]
    pub fn new(layout: &Layout, [j, k]: [usize; 2], groups: Range<usize>) -> Self {
        let at = layout.at([0, j as i64, k as i64]) + groups.start * GROUP;
        Self { row: [j, k], first: groups.start, count: groups.len(), at }
    }

    /// Computes the derivatives.
    #[inline(always)]
    pub fn differentiate<U: Update, V: Lanes, const L: usize>(
        &self,
        sweep: &Sweep<V::Scalar>,
        coefficients: &[[V; L]; 3],
        slopes: &mut Slopes<V::Scalar>,
    ) {
        let ([j, k], classes) = (self.row, &sweep.inputs.classes[U::HALF]);
        let class = &classes.row(j, k)[self.first..][..self.count];
        // Few groups are near interfaces: they are found once, not for each derivative.
        let (mut beside, mut found) = ([0; RUN], 0);
        for group in 0..self.count {
            beside[found] = group;
            found += usize::from(class[group] != 0);
        }
        let own = self.at - sweep.start;
        for c in 0..3 {
            for axis in 0..3 {
                let (above, stride) = (own + sweep.above[c][axis], sweep.inputs.layout.stride[axis]);
                let taps = Taps::<V::Scalar, L>::new(sweep.sources[c][axis], above, stride, self.count);
                let slopes = &mut slopes[c][axis][..self.count];
                taps.slopes(&coefficients[axis], slopes);
                for &group in &beside[..found] {
                    if let Some(folded) = classes.folded(class[group], 3 * c + axis) {
                        taps.folded_slopes::<V>(folded, group, &mut slopes[group]);
                    }
                }
            }
        }
    }

    /// Advances the memory variables of the layers, and stretches the derivatives in them.
    #[inline(always)]
    pub fn stretch<U: Update, V: Lanes>(&self, tile: &mut Tile<V::Scalar>, [x, y, z]: &mut Slopes<V::Scalar>) {
        for slab in &mut tile.slabs {
            let axis = slab.slab.axis();
            let Some(mut stretch) = Stretch::<V, 3>::new::<U>(slab, self.row) else { continue };
            let [x, y, z] = [&mut x[axis], &mut y[axis], &mut z[axis]];
            for group in 0..self.count {
                for lane in (0..GROUP).step_by(V::COUNT) {
                    let [mut a, mut b, mut c] =
                        [V::load(&x[group], lane), V::load(&y[group], lane), V::load(&z[group], lane)];
                    stretch.apply(self.first + group, lane, [&mut a, &mut b, &mut c]);
                    a.store(&mut x[group], lane);
                    b.store(&mut y[group], lane);
                    c.store(&mut z[group], lane);
                }
            }
        }
    }

    /// Changes the derivatives at points with several solids.
    #[inline(always)]
    pub fn mix<U: Update, V: Lanes>(&self, sweep: &Sweep<V::Scalar>, slopes: &mut Slopes<V::Scalar>) {
        let ([j, k], classes) = (self.row, &sweep.inputs.classes[U::HALF]);
        let class = &classes.row(j, k)[self.first..][..self.count];
        for group in 0..self.count {
            let Some(mixing) = classes.mixing(class[group], U::MIXING) else { continue };
            for lane in (0..GROUP).step_by(V::COUNT) {
                let mut factors = [V::constant(0.0); MAX_FACTORS];
                for factor in 0..U::MIXING {
                    factors[factor] = V::load(&mixing[factor], lane);
                }
                let mut of_group = of_group(slopes, group, lane);
                U::mix(factors, &mut of_group);
                for c in 0..3 {
                    for axis in 0..3 {
                        of_group[c][axis].store(&mut slopes[c][axis][group], lane);
                    }
                }
            }
        }
    }

    /// Number of points of each field from the first one of the run to the end of the row.
    #[inline(always)]
    pub fn live<U: Update>(&self, layout: &Layout) -> [usize; 6] {
        points_of::<U>(layout, self.row).map(|points| points.saturating_sub(self.first * GROUP))
    }

    /// Updates the fields of a tile from the derivatives.
    #[inline(always)]
    pub fn advance<U: Update, V: Lanes>(
        &self,
        sweep: &Sweep<V::Scalar>,
        tile: &mut Tile<V::Scalar>,
        slopes: &Slopes<V::Scalar>,
    ) {
        let live = self.live::<U>(sweep.inputs.layout);
        let whole = live[..U::FIELDS].iter().fold(self.count, |least, &points| least.min(points / GROUP));
        let step = Step::<V>::new::<U>(self, sweep, tile);
        for group in 0..whole {
            for lane in (0..GROUP).step_by(V::COUNT) {
                let (_, moved) = step.moved::<U>(slopes, group, lane);
                for field in 0..U::FIELDS {
                    moved[field].store(&mut step.targets[field][group], lane);
                }
            }
        }
        // At the end of the row, values that belong to no point remain unchanged.
        for group in whole..self.count {
            for lane in (0..GROUP).step_by(V::COUNT) {
                let (old, moved) = step.moved::<U>(slopes, group, lane);
                for field in 0..U::FIELDS {
                    let live = V::constant(live[field].saturating_sub(group * GROUP + lane).min(GROUP) as f64);
                    let value = V::select_less(V::load(&sweep.numbers, 0), live, moved[field], old[field]);
                    value.store(&mut step.targets[field][group], lane);
                }
            }
        }
    }
}

/// Inputs and updated fields of the step of a run.
struct Step<'a, V: Lanes> {
    material: [&'a [Group<V::Scalar>]; MAX_PARAMETERS],
    taper: Option<Taper<'a, V>>,
    dt: V,
    targets: [&'a mut [Group<V::Scalar>]; 6],
}

impl<'a, V: Lanes> Step<'a, V> {
    #[inline(always)]
    fn new<U: Update>(run: &Run, sweep: &Sweep<'a, V::Scalar>, tile: &'a mut Tile<V::Scalar>) -> Self {
        let mut material: [&[Group<V::Scalar>]; MAX_PARAMETERS] = [&[]; MAX_PARAMETERS];
        for parameter in 0..U::PARAMETERS.len() {
            let (values, back) = parameter_of(&sweep.inputs.material, U::PARAMETERS[parameter]);
            let [x, y, z] = sweep.inputs.layout.stride;
            material[parameter] = groups(values, run.at - back[0] * x - back[1] * y - back[2] * z, run.count);
        }
        let taper = match sweep.inputs.taper {
            Some(sponge) => Some(Taper::new::<U>(sponge, run)),
            None => None,
        };
        let (mut fields, start) = (tile.fields.iter_mut(), run.at - tile.start);
        let targets = std::array::from_fn(|_| match fields.next() {
            Some(field) => groups_mut(field, start, run.count),
            None => &mut [],
        });
        Self { material, taper, dt: V::splat(sweep.inputs.dt), targets }
    }

    /// The fields before and after the step.
    #[inline(always)]
    fn moved<U: Update>(&self, slopes: &Slopes<V::Scalar>, group: usize, lane: usize) -> ([V; 6], [V; 6]) {
        let of_group = of_group(slopes, group, lane);
        let mut material = [V::constant(0.0); MAX_PARAMETERS];
        for parameter in 0..U::PARAMETERS.len() {
            material[parameter] = V::load(&self.material[parameter][group], lane);
        }
        let (mut old, mut fields) = ([V::constant(0.0); 6], U::rates(material, of_group));
        for field in 0..U::FIELDS {
            old[field] = V::load(&self.targets[field][group], lane);
            let mut value = self.dt.mul_add(fields[field], old[field]);
            if let Some(taper) = &self.taper {
                let is_half = matches!(U::field(field).points()[0], GridPoints::Half);
                value = value * (V::load(&taper.along_x[usize::from(is_half)][group], lane) * taper.across[field]);
            }
            fields[field] = value.without_negligible();
        }
        (old, fields)
    }
}

/// The derivatives at a vector of points of a group.
#[inline(always)]
fn of_group<V: Lanes>(slopes: &Slopes<V::Scalar>, group: usize, lane: usize) -> [[V; 3]; 3] {
    let mut values = [[V::constant(0.0); 3]; 3];
    for c in 0..3 {
        for axis in 0..3 {
            values[c][axis] = V::load(&slopes[c][axis][group], lane);
        }
    }
    values
}

/// Sponge factors: along x at whole and at half points, and for each field the factor of the row.
struct Taper<'a, V: Lanes> {
    along_x: [&'a [Group<V::Scalar>]; 2],
    across: [V; 6],
}

impl<'a, V: Lanes> Taper<'a, V> {
    #[inline(always)]
    fn new<U: Update>(sponge: &'a taper::Taper<V::Scalar>, run: &Run) -> Self {
        let ([j, k], mut across) = (run.row, [V::constant(1.0); 6]);
        for field in 0..U::FIELDS {
            let [_, y, z] = U::field(field).points();
            across[field] = V::splat(sponge.along(1, y)[j] * sponge.along(2, z)[k]);
        }
        let (whole, half) = (sponge.along(0, GridPoints::Whole), sponge.along(0, GridPoints::Half));
        let first = run.first * GROUP;
        Self { along_x: [groups(whole, first, run.count), groups(half, first, run.count)], across }
    }
}

/// Number of points of each field in row [j, k].
#[inline(always)]
fn points_of<U: Update>(layout: &Layout, [j, k]: [usize; 2]) -> [usize; 6] {
    let mut points = [0; 6];
    for field in 0..U::FIELDS {
        let [x, y, z] = layout.count(U::field(field));
        points[field] = if j < y && k < z { x } else { 0 };
    }
    points
}

/// The array of a parameter, and its offset back along x, y, z.
#[inline(always)]
fn parameter_of<'a, T: Scalar>(material: &MaterialArrays<&'a [T]>, parameter: Parameter) -> (&'a [T], [usize; 3]) {
    match parameter {
        Parameter::Lambda => (material.lambda, [0; 3]),
        Parameter::InverseMu(back) => (material.inverse_mu, back),
        Parameter::Rho(back) => (material.rho, back),
    }
}
