//! The kernel: one skeleton for both halves of a step.
//!
//! For lanes of points: nine derivatives, what absorbing layers make of them, the rates of the fields, the step and the sponge. An array is read and
//! written once in a sweep; what neighbouring points share stays in the cache, because a worker goes through its planes column of rows by column
//! of rows.
//!
//! | file | what it does |
//! |---|---|
//! | this one | the way through a tile, row by row |
//! | `row` | the way through a row, group by group: the kernel |
//! | `taps` | derivatives, regular and folded |
//! | `stretch` | what absorbing layers make of them |
//! | `updates` | the two halves of a step |
//! | `tiles` | what one worker changes |
//!
//! The arithmetic of a point is the same wherever it stands: no result depends on threads, tiles, parts or the place in a register.

mod row;
mod stretch;
mod taps;
mod tiles;
mod updates;

use std::marker::PhantomData;

use craton_device::{Isa, Kernel, Lanes, Scalar};
use craton_numerics::staggered::MAX_HALF_LENGTH;

use crate::classes::Classes;
use crate::layout::{GROUP, Layout};
use crate::sponge::Taper;

use row::Row;
pub use row::{groups, groups_mut};
pub use stretch::{Factors, Stretch, along};
pub use taps::Taps;
pub use tiles::{SlabTile, Tile, tiles};
pub use updates::{MaterialArrays, Stresses, Update, Velocities, borrow};

/// What a worker keeps near while it goes through the planes of a column [bytes]: a part of a core's second-level cache.
const NEAR: usize = 1 << 19;

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

impl<T: Scalar, U: Update, const L: usize> Kernel<T> for TileKernel<'_, '_, '_, T, U, L> {
    type Output = ();

    #[inline(always)]
    fn run<V: Lanes<Scalar = T>>(self) {
        let Self { sweep, tile, .. } = self;
        let rows = rows(sweep.layout, size_of::<T>());
        let coefficients = sweep.coefficients.map(|c| std::array::from_fn(|m| V::splat(c[m])));
        for [x, y, z] in std::mem::take(&mut tile.points) {
            let groups = x.start / GROUP..x.end.div_ceil(GROUP);
            for first in y.clone().step_by(rows) {
                for k in z.clone() {
                    for j in first..(first + rows).min(y.end) {
                        Row::<V, L>::new::<U>(sweep, tile, [j, k]).advance::<U>(&coefficients, groups.clone());
                    }
                }
            }
        }
    }
}

/// Rows along y that are taken together through all planes of a tile: so many that the planes of the three fields which have derivatives along z stay near.
fn rows(layout: &Layout, bytes_per_value: usize) -> usize {
    let planes = 3 * 2 * layout.halo;
    (NEAR / (planes * layout.stride[1] * bytes_per_value)).saturating_sub(2 * layout.halo).clamp(4, 32)
}
