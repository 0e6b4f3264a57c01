//! A row of points, cut into groups of sixteen: all that moves with it stands in slices of one length, so that one comparison serves every read.

use std::ops::Range;

use craton_device::{Lanes, Scalar};
use craton_numerics::staggered::GridPoints;

use super::stretch::Stretch;
use super::taps::Taps;
use super::updates::{MAX_PARAMETERS, Parameter};
use super::{MaterialArrays, Sweep, Tile, Update};
use crate::classes::Classes;
use crate::layout::{GROUP, Layout};
use crate::sponge;

/// Some points along x.
pub type Group<T> = [T; GROUP];

/// Axes of the slabs that a row may lie in: in a narrow grid both of x.
const SLAB_AXES: [usize; 4] = [0, 0, 1, 2];
/// Which of them a side's is.
const SLAB_OF_SIDE: [usize; 6] = [0, 1, 2, 2, 3, 3];

/// `count` groups of an array from place `first` on.
#[inline(always)]
pub fn groups<T>(values: &[T], first: usize, count: usize) -> &[Group<T>] {
    &values[first..].as_chunks().0[..count]
}

/// The same to be changed.
#[inline(always)]
pub fn groups_mut<T>(values: &mut [T], first: usize, count: usize) -> &mut [Group<T>] {
    &mut values[first..].as_chunks_mut().0[..count]
}

/// What a row of points reads and changes.
pub struct Row<'a, V: Lanes, const L: usize> {
    taps: [[Taps<'a, V::Scalar, L>; 3]; 3],
    material: [&'a [Group<V::Scalar>]; MAX_PARAMETERS],
    slabs: [Option<Stretch<'a, V, 3>>; SLAB_AXES.len()],
    taper: Option<Taper<'a, V>>,
    dt: V,
    /// The fields that change, and how many points of each are to be written.
    targets: [&'a mut [Group<V::Scalar>]; 6],
    points: [usize; 6],
    classes: &'a Classes<V::Scalar>,
    class: &'a [u32],
}

/// The sponges' factors: of each field along x, at whole points and at half ones, and those of the row.
struct Taper<'a, V: Lanes> {
    along_x: [&'a [Group<V::Scalar>]; 2],
    across: [V; 6],
}

impl<'a, V: Lanes> Taper<'a, V> {
    #[inline(always)]
    fn new<U: Update>(sponge: &'a sponge::Taper<V::Scalar>, [j, k]: [usize; 2], count: usize) -> Self {
        let mut across = [V::constant(1.0); 6];
        for field in 0..U::FIELDS {
            let [_, y, z] = U::field(field).points();
            across[field] = V::splat(sponge.along(1, y)[j] * sponge.along(2, z)[k]);
        }
        let (whole, half) = (sponge.along(0, GridPoints::Whole), sponge.along(0, GridPoints::Half));
        Self { along_x: [groups(whole, 0, count), groups(half, 0, count)], across }
    }
}

impl<'a, V: Lanes, const L: usize> Row<'a, V, L> {
    /// Row [j, k] of a tile.
    #[inline(always)]
    pub fn new<U: Update>(sweep: &Sweep<'a, V::Scalar>, tile: &'a mut Tile<'_, V::Scalar>, [j, k]: [usize; 2]) -> Self {
        let layout = sweep.layout;
        let (at, count) = (layout.at([0, j as i64, k as i64]), layout.groups());
        let in_tile = at - layout.plane(tile.planes.start);
        let taps = [
            [
                taps::<U, V::Scalar, 0, 0, L>(sweep, at, count),
                taps::<U, V::Scalar, 0, 1, L>(sweep, at, count),
                taps::<U, V::Scalar, 0, 2, L>(sweep, at, count),
            ],
            [
                taps::<U, V::Scalar, 1, 0, L>(sweep, at, count),
                taps::<U, V::Scalar, 1, 1, L>(sweep, at, count),
                taps::<U, V::Scalar, 1, 2, L>(sweep, at, count),
            ],
            [
                taps::<U, V::Scalar, 2, 0, L>(sweep, at, count),
                taps::<U, V::Scalar, 2, 1, L>(sweep, at, count),
                taps::<U, V::Scalar, 2, 2, L>(sweep, at, count),
            ],
        ];
        let mut material: [&[Group<V::Scalar>]; MAX_PARAMETERS] = [&[]; MAX_PARAMETERS];
        for parameter in 0..U::PARAMETERS.len() {
            let (values, back) = parameter_of(&sweep.material, U::PARAMETERS[parameter]);
            let [x, y, z] = layout.stride;
            material[parameter] = groups(values, at - back[0] * x - back[1] * y - back[2] * z, count);
        }
        let mut slabs = [const { None }; SLAB_AXES.len()];
        for slab in &mut tile.slabs {
            let place = SLAB_OF_SIDE[slab.slab.side];
            if let Some(stretch) = Stretch::new::<U>(slab, [j, k]) {
                slabs[place] = Some(stretch);
            }
        }
        let taper = match sweep.taper {
            Some(sponge) => Some(Taper::new::<U>(sponge, [j, k], count)),
            None => None,
        };
        let mut fields = tile.fields.iter_mut();
        let targets = std::array::from_fn(|_| match fields.next() {
            Some(field) => groups_mut(field, in_tile, count),
            None => &mut [],
        });
        let (dt, classes) = (V::splat(sweep.dt), sweep.classes);
        let points = points_of::<U>(layout, [j, k]);
        Self { taps, material, slabs, taper, dt, targets, points, classes, class: &classes.row(j, k)[..count] }
    }

    /// Moves some groups by one step: runs of regular ones, all of whose points are there, and the others one by one.
    #[inline(always)]
    pub fn advance<U: Update>(mut self, coefficients: &[[V; L]; 3], groups: Range<usize>) {
        let whole = self.points[..U::FIELDS].iter().fold(usize::MAX, |least, &points| least.min(points / GROUP));
        let mut group = groups.start;
        while group < groups.end {
            let end = groups.end.min(whole).max(group);
            let run = self.class[group..end].iter().take_while(|&&class| class == 0).count();
            for group in group..group + run {
                for lane in (0..GROUP).step_by(V::COUNT) {
                    let moved = self.moved::<U>(self.regular(coefficients, group, lane), group, lane);
                    for field in 0..U::FIELDS {
                        moved[field].store(&mut self.targets[field][group], lane);
                    }
                }
            }
            group += run;
            if run == 0 {
                self.advance_beside::<U>(coefficients, group);
                group += 1;
            }
        }
    }

    /// Moves a group beside a contact, or at the end of the row.
    #[inline(always)]
    fn advance_beside<U: Update>(&mut self, coefficients: &[[V; L]; 3], group: usize) {
        let folded = self.classes.folded(self.class[group]);
        for lane in (0..GROUP).step_by(V::COUNT) {
            let mut slopes = self.regular(coefficients, group, lane);
            for c in 0..3 {
                for axis in 0..3 {
                    if let Some(folded) = folded[3 * c + axis] {
                        slopes[c][axis] = self.taps[c][axis].folded_slope(folded, group, lane);
                    }
                }
            }
            let moved = self.moved::<U>(slopes, group, lane);
            for field in 0..U::FIELDS {
                let live = self.points[field].saturating_sub(group * GROUP + lane).min(V::COUNT);
                let mut lanes = [V::Scalar::default(); GROUP];
                moved[field].store(&mut lanes, 0);
                self.targets[field][group][lane..][..live].copy_from_slice(&lanes[..live]);
            }
        }
    }

    /// The derivatives far from contacts, of row c along axis a at `[c][a]`.
    #[inline(always)]
    fn regular(&self, [x, y, z]: &[[V; L]; 3], group: usize, lane: usize) -> [[V; 3]; 3] {
        let [a, b, c] = &self.taps;
        [
            [a[0].slope(x, group, lane), a[1].slope(y, group, lane), a[2].slope(z, group, lane)],
            [b[0].slope(x, group, lane), b[1].slope(y, group, lane), b[2].slope(z, group, lane)],
            [c[0].slope(x, group, lane), c[1].slope(y, group, lane), c[2].slope(z, group, lane)],
        ]
    }

    /// What the derivatives make of the fields; moves the memory of the layers.
    #[inline(always)]
    fn moved<U: Update>(&mut self, mut slopes: [[V; 3]; 3], group: usize, lane: usize) -> [V; 6] {
        for (slab, axis) in self.slabs.iter_mut().zip(SLAB_AXES) {
            if let Some(stretch) = slab {
                let [x, y, z] = &mut slopes;
                stretch.apply(group, lane, [&mut x[axis], &mut y[axis], &mut z[axis]]);
            }
        }
        let mut material = [V::constant(0.0); MAX_PARAMETERS];
        for parameter in 0..U::PARAMETERS.len() {
            material[parameter] = V::load(&self.material[parameter][group], lane);
        }
        let mut fields = U::rates(material, slopes);
        for field in 0..U::FIELDS {
            let mut value = self.dt.mul_add(fields[field], V::load(&self.targets[field][group], lane));
            if let Some(taper) = &self.taper {
                let is_half = matches!(U::field(field).points()[0], GridPoints::Half);
                value = value * (V::load(&taper.along_x[usize::from(is_half)][group], lane) * taper.across[field]);
            }
            fields[field] = value.without_negligible();
        }
        fields
    }
}

/// The values of the derivative of row C along an axis, for `count` groups from place `at` on.
#[inline(always)]
fn taps<'a, U: Update, T: Scalar, const C: usize, const AXIS: usize, const L: usize>(
    sweep: &Sweep<'a, T>,
    at: usize,
    count: usize,
) -> Taps<'a, T, L> {
    let stride = sweep.layout.stride[AXIS];
    let is_whole = matches!(U::target(C, AXIS).points()[AXIS], GridPoints::Whole);
    Taps::new(sweep.sources[C][AXIS], if is_whole { at } else { at + stride }, stride, count)
}

/// Points of each field in row [j, k].
#[inline(always)]
fn points_of<U: Update>(layout: &Layout, [j, k]: [usize; 2]) -> [usize; 6] {
    let mut points = [0; 6];
    for field in 0..U::FIELDS {
        let [x, y, z] = layout.count(U::field(field));
        points[field] = if j < y && k < z { x } else { 0 };
    }
    points
}

/// The array of a parameter, and steps back along x, y, z.
#[inline(always)]
fn parameter_of<'a, T: Scalar>(material: &MaterialArrays<&'a [T]>, parameter: Parameter) -> (&'a [T], [usize; 3]) {
    match parameter {
        Parameter::Lambda => (material.lambda, [0; 3]),
        Parameter::InverseMu(back) => (material.inverse_mu, back),
        Parameter::Rho(back) => (material.rho, back),
    }
}
