//! The kernel: one skeleton for both halves of a step.
//!
//! For lanes of points: nine derivatives, with folded stencils where the points' class has such; what absorbing layers make of them; the rates of the
//! fields; the step and the sponge. An array is read and written once in a sweep; what neighbouring points share stays in the cache, because a
//! worker goes through its planes column of rows by column of rows.
//!
//! The arithmetic of a point is the same wherever it stands: no result depends on threads, tiles, parts or the place in a register.

mod tiles;
mod updates;

use std::marker::PhantomData;
use std::ops::Range;

use craton_device::{Isa, Kernel, Lanes, Scalar};
use craton_numerics::staggered::{GridPoints, MAX_HALF_LENGTH};

use crate::classes::Classes;
use crate::layout::{GROUP, Layout};
use crate::sponge::Taper;

pub use tiles::{SlabTile, Tile, tiles};
pub use updates::{MaterialArrays, Stresses, Update, Velocities, borrow};

/// Rows along y that are taken together through all planes of a tile.
const ROWS: usize = 32;

/// What a sweep reads.
pub struct Sweep<'a, T: Scalar> {
    /// Where points stand.
    pub layout: &'a Layout,
    /// The field under the derivative of row c along axis a.
    pub sources: [[&'a [T]; 3]; 3],
    /// λ, 1/μ, ρ.
    pub material: MaterialArrays<&'a [T]>,
    /// Coefficients c_1 to c_L over the spacing, along each axis [1/m].
    pub coefficients: [[T; MAX_HALF_LENGTH]; 3],
    /// Where stencils are folded.
    pub classes: &'a Classes<T>,
    /// Sponges, if there are any.
    pub taper: Option<&'a Taper<T>>,
    /// Time step [s].
    pub dt: T,
}

/// A floating-point type that the sweeps are compiled for, here and in no other crate: `f32` or `f64`.
pub trait Precision: Scalar {
    /// Moves the velocities of a tile by one step.
    fn move_velocities(sweep: &Sweep<Self>, isa: Isa, tile: &mut Tile<Self>);

    /// Moves the stresses of a tile by one step.
    fn move_stresses(sweep: &Sweep<Self>, isa: Isa, tile: &mut Tile<Self>);
}

macro_rules! precision {
    ($($scalar:ty),*) => { $(
        impl Precision for $scalar {
            fn move_velocities(sweep: &Sweep<Self>, isa: Isa, tile: &mut Tile<Self>) {
                sweep.run::<Velocities>(isa, tile);
            }

            fn move_stresses(sweep: &Sweep<Self>, isa: Isa, tile: &mut Tile<Self>) {
                sweep.run::<Stresses>(isa, tile);
            }
        }
    )* };
}

precision!(f32, f64);

impl<T: Scalar> Sweep<'_, T> {
    /// Chooses the kernel by the half-length of the stencil.
    fn run<U: Update>(&self, isa: Isa, tile: &mut Tile<T>) {
        const { assert!(MAX_HALF_LENGTH == 8) };
        match self.layout.halo {
            1 => self.run_long::<U, 1>(isa, tile),
            2 => self.run_long::<U, 2>(isa, tile),
            3 => self.run_long::<U, 3>(isa, tile),
            4 => self.run_long::<U, 4>(isa, tile),
            5 => self.run_long::<U, 5>(isa, tile),
            6 => self.run_long::<U, 6>(isa, tile),
            7 => self.run_long::<U, 7>(isa, tile),
            8 => self.run_long::<U, 8>(isa, tile),
            other => unreachable!("no stencil has a half-length of {other}"),
        }
    }

    fn run_long<U: Update, const L: usize>(&self, isa: Isa, tile: &mut Tile<T>) {
        T::dispatch(isa, TileKernel::<T, U, L> { sweep: self, tile, update: PhantomData });
    }
}

/// A tile on its way through the dispatch.
struct TileKernel<'a, 'b, 't, T: Scalar, U, const L: usize> {
    sweep: &'a Sweep<'b, T>,
    tile: &'a mut Tile<'t, T>,
    update: PhantomData<U>,
}

/// A row of points and what is known about it.
struct Row<T> {
    j: usize,
    k: usize,
    /// Place of its first point in the arrays, and in the tile's fields.
    at: usize,
    in_tile: usize,
    /// Points of each field that are to be written.
    count: [usize; 6],
    /// The sponges' factors along y and z for each field.
    taper: [T; 6],
}

impl<T: Scalar, U: Update, const L: usize> Kernel<T> for TileKernel<'_, '_, '_, T, U, L> {
    type Output = ();

    #[inline(always)]
    fn run<V: Lanes<Scalar = T>>(self) {
        let Self { sweep, tile, .. } = self;
        // All arrays have one length, which the compiler learns here: then it checks each place once for all of them.
        let len = sweep.layout.len();
        let MaterialArrays { lambda, inverse_mu, rho } = sweep.material;
        let lanes = LaneSweep::<V, L> {
            sources: sweep.sources.map(|row| row.map(|source| &source[..len])),
            material: MaterialArrays { lambda: &lambda[..len], inverse_mu: &inverse_mu[..len], rho: &rho[..len] },
            coefficients: sweep.coefficients.map(|c| std::array::from_fn(|m| V::splat(c[m]))),
            stride: sweep.layout.stride,
        };
        for [x, y, z] in std::mem::take(&mut tile.points) {
            let groups = x.start / GROUP..x.end.div_ceil(GROUP);
            for first in y.clone().step_by(ROWS) {
                for k in z.clone() {
                    for j in first..(first + ROWS).min(y.end) {
                        let row = Row::new::<U>(sweep, tile.planes.start, j, k);
                        sweep.run_row::<U, V, L>(&lanes, tile, &row, groups.clone());
                    }
                }
            }
        }
    }
}

/// What a sweep reads, as the lanes see it.
struct LaneSweep<'a, V: Lanes, const L: usize> {
    sources: [[&'a [V::Scalar]; 3]; 3],
    material: MaterialArrays<&'a [V::Scalar]>,
    coefficients: [[V; L]; 3],
    stride: [usize; 3],
}

impl<T: Scalar> Row<T> {
    #[inline(always)]
    fn new<U: Update>(sweep: &Sweep<T>, first_plane: usize, j: usize, k: usize) -> Self {
        let layout = sweep.layout;
        let at = layout.at([0, j as i64, k as i64]);
        let (mut count, mut taper) = ([0; 6], [T::constant(1.0); 6]);
        for field in 0..U::FIELDS {
            let [x, y, z] = layout.count(U::field(field));
            count[field] = if j < y && k < z { x } else { 0 };
            if let Some(sponge) = sweep.taper {
                let [_, y, z] = U::field(field).points();
                taper[field] = sponge.along(1, y)[j] * sponge.along(2, z)[k];
            }
        }
        Self { j, k, at, in_tile: at - layout.plane(first_plane), count, taper }
    }
}

impl<T: Scalar> Sweep<'_, T> {
    #[inline(always)]
    fn run_row<U: Update, V: Lanes<Scalar = T>, const L: usize>(
        &self,
        lanes: &LaneSweep<V, L>,
        tile: &mut Tile<T>,
        row: &Row<T>,
        groups: Range<usize>,
    ) {
        let points = self.layout.extent()[0];
        for (group, &class) in groups.clone().zip(&self.classes.row(row.j, row.k)[groups]) {
            let folded = self.classes.folded(class);
            let first = group * GROUP;
            for lane in (0..GROUP.min(points - first)).step_by(V::COUNT) {
                let i = first + lane;
                let mut slopes = match &folded {
                    None => lanes.slopes::<U>(row.at + i),
                    Some(taps) => lanes.folded_slopes::<U>(row.at + i, lane, taps),
                };
                for slab in &mut tile.slabs {
                    stretch::<U, V>(slab, row, i, &mut slopes);
                }
                let rates = U::rates(&lanes.material, row.at + i, lanes.stride, slopes);
                self.advance::<U, V>(tile, row, i, rates);
            }
        }
    }

    /// Moves the fields at lanes of points.
    #[inline(always)]
    fn advance<U: Update, V: Lanes<Scalar = T>>(&self, tile: &mut Tile<T>, row: &Row<T>, i: usize, rates: [V; 6]) {
        let dt = V::splat(self.dt);
        for field in 0..U::FIELDS {
            let live = row.count[field].saturating_sub(i);
            let values = &mut *tile.fields[field];
            let mut value = dt.mul_add(rates[field], V::load(values, row.in_tile + i));
            if let Some(sponge) = self.taper {
                let along_x = V::load(sponge.along(0, U::field(field).points()[0]), i);
                value = value * (along_x * V::splat(row.taper[field]));
            }
            value = value.without_negligible();
            if live >= V::COUNT {
                value.store(values, row.in_tile + i);
            } else if live > 0 {
                let mut lanes = [T::default(); GROUP];
                value.store(&mut lanes, 0);
                values[row.in_tile + i..][..live].copy_from_slice(&lanes[..live]);
            }
        }
    }
}

impl<V: Lanes, const L: usize> LaneSweep<'_, V, L> {
    /// Place of the first of the 2 L taps of a derivative at place `at`.
    #[inline(always)]
    fn first_tap<U: Update>(&self, c: usize, axis: usize, at: usize) -> usize {
        let is_whole = U::target(c, axis).points()[axis] == GridPoints::Whole;
        at - (if is_whole { L } else { L - 1 }) * self.stride[axis]
    }

    /// The regular derivatives, of row c along axis a at `[c][a]`, for lanes from place `at` on.
    #[inline(always)]
    fn slopes<U: Update>(&self, at: usize) -> [[V; 3]; 3] {
        [
            [self.slope::<U, 0, 0>(at), self.slope::<U, 0, 1>(at), self.slope::<U, 0, 2>(at)],
            [self.slope::<U, 1, 0>(at), self.slope::<U, 1, 1>(at), self.slope::<U, 1, 2>(at)],
            [self.slope::<U, 2, 0>(at), self.slope::<U, 2, 1>(at), self.slope::<U, 2, 2>(at)],
        ]
    }

    /// Σ c_m (f(i + m) - f(i - m)); row and axis are known when it is compiled, so that nothing is asked in the loop.
    #[inline(always)]
    fn slope<U: Update, const C: usize, const AXIS: usize>(&self, at: usize) -> V {
        let (first, coefficients) = (self.first_tap::<U>(C, AXIS, at), &self.coefficients[AXIS]);
        let stride = if AXIS == 0 { 1 } else { self.stride[AXIS] };
        let value = |m: usize| V::load(self.sources[C][AXIS], first + m * stride);
        let mut sum = coefficients[0] * (value(L) - value(L - 1));
        for m in 1..L {
            sum = coefficients[m].mul_add(value(L + m) - value(L - 1 - m), sum);
        }
        sum
    }

    /// The derivatives of a group that has folded stencils: Σ p_m (f(i + m) - f(i - m)) + q_m f(i + m) + r_m f(i - m). Lanes of regular
    /// points, with p = c and q = r = 0, get the same bits as in [`Self::slope`].
    #[inline(always)]
    fn folded_slopes<U: Update>(&self, at: usize, lane: usize, taps: &[&[V::Scalar]; 9]) -> [[V; 3]; 3] {
        let mut slopes = [[V::constant(0.0); 3]; 3];
        for c in 0..3 {
            for axis in 0..3 {
                let (first, taps) = (self.first_tap::<U>(c, axis, at), taps[3 * c + axis]);
                let value = |m: usize| V::load(self.sources[c][axis], first + m * self.stride[axis]);
                let tap = |m: usize, which: usize| V::load(taps, (3 * m + which) * GROUP + lane);
                let mut sum = V::constant(0.0);
                for m in 0..L {
                    let (above, below) = (value(L + m), value(L - 1 - m));
                    sum = if m == 0 { tap(m, 0) * (above - below) } else { tap(m, 0).mul_add(above - below, sum) };
                    sum = tap(m, 2).mul_add(below, tap(m, 1).mul_add(above, sum));
                }
                slopes[c][axis] = sum;
            }
        }
        slopes
    }
}

/// What a slab makes of the derivatives along its axis, where it holds these lanes.
#[inline(always)]
fn stretch<U: Update, V: Lanes>(
    tile: &mut SlabTile<V::Scalar>,
    row: &Row<V::Scalar>,
    i: usize,
    slopes: &mut [[V; 3]; 3],
) {
    let slab = tile.slab;
    let Some((place, first_x)) = slab.row(row.j, row.k, tile.first) else { return };
    let Some(within) = i.checked_sub(first_x).filter(|&within| within < slab.width()) else { return };
    let axis = slab.axis();
    let along = [i, row.j, row.k][axis] - slab.range.start;
    let [x, y, z] = slopes;
    slab.stretch::<U, V>(&mut tile.memory[place..], within, along, [&mut x[axis], &mut y[axis], &mut z[axis]]);
}
