//! The kernel: one skeleton for both halves of a step.
//!
//! For lanes of points: nine derivatives, what absorbing layers make of them, the rates of the fields, the step and the sponge. What neighbouring points
//! share stays in the cache, because a worker goes through its planes column of rows by column of rows.
//!
//! | file | what it does |
//! |---|---|
//! | this one | the way through a box of points, row by row |
//! | `row` | the way through a row, some groups at a time: the kernel |
//! | `taps` | derivatives, regular and folded |
//! | `stretch` | what absorbing layers make of them |
//! | `updates` | the two halves of a step |
//! | `tile` | what one worker changes |
//!
//! The arithmetic of a point is the same wherever it stands: no result depends on threads, tiles, parts or the place in a register.

mod row;
mod stretch;
mod taps;
mod tile;
mod updates;

use std::marker::PhantomData;
use std::ops::Deref;

use craton_device::{Isa, Kernel, Lanes, Scalar};
use craton_numerics::staggered::{GridPoints, MAX_HALF_LENGTH};

use crate::Points;
use crate::classes::Classes;
use crate::layout::{GROUP, Layout};
use crate::taper::Taper;

use row::{Group, RUN, Run};
pub use row::{groups, groups_mut};
pub use stretch::{Factors, Stretch, along};
pub use taps::Taps;
pub use tile::{SlabTile, Tile};
pub use updates::{MaterialArrays, Stresses, Update, Velocities};

/// What both halves of a step read and neither changes.
#[derive(Clone, Copy)]
pub struct SweepInputs<'a, T: Scalar> {
    /// Where points stand.
    pub layout: &'a Layout,
    /// λ, 1/μ, ρ.
    pub material: MaterialArrays<&'a [T]>,
    /// Coefficients c_1 to c_L over the spacing, along each axis [1/m].
    pub coefficients: [[T; MAX_HALF_LENGTH]; 3],
    /// Where the stencils of velocities and stresses are folded.
    pub classes: &'a [Classes<T>; 2],
    /// Sponges, if there are any.
    pub taper: Option<&'a Taper<T>>,
    /// Time step [s].
    pub dt: T,
}

/// What a sweep reads.
pub struct Sweep<'a, T: Scalar> {
    inputs: SweepInputs<'a, T>,
    /// The field under the derivative of row c along axis a.
    sources: [[&'a [T]; 3]; 3],
    /// Place in a block's arrays where these begin.
    start: usize,
    /// From the place of a point to the value above it, along each axis.
    above: [[usize; 3]; 3],
    /// 0, 1, 2 and so on.
    numbers: Group<T>,
}

impl<'a, T: Scalar> Sweep<'a, T> {
    /// A half of a step.
    ///
    /// # Arguments
    /// * `others` – the fields that do not move: six stresses for velocities, three velocities for stresses
    /// * `start` – place in a block's arrays where these begin
    pub fn new<U: Update>(inputs: SweepInputs<'a, T>, others: &'a [impl Deref<Target = [T]>], start: usize) -> Self {
        let first = if U::HALF == 0 { U::FIELDS } else { 0 };
        let sources = [0, 1, 2].map(|c| [0, 1, 2].map(|axis| &others[U::source(c, axis).index() - first][..]));
        let numbers = std::array::from_fn(|lane| T::from_f64(lane as f64));
        let above = [0, 1, 2].map(|c| {
            [0, 1, 2].map(|axis| match U::target(c, axis).points()[axis] {
                GridPoints::Whole => 0,
                GridPoints::Half => inputs.layout.stride[axis],
            })
        });
        Self { inputs, sources, start, above, numbers }
    }
}

/// A floating-point type that the sweeps are compiled for, here and in no other crate: `f32` or `f64`.
pub trait Precision: Scalar {
    /// Moves the velocities of some points of a tile by one step.
    fn move_velocities(sweep: &Sweep<Self>, isa: Isa, tile: &mut Tile<Self>, points: &Points);

    /// Moves the stresses of some points of a tile by one step.
    fn move_stresses(sweep: &Sweep<Self>, isa: Isa, tile: &mut Tile<Self>, points: &Points);
}

macro_rules! precision {
    ($($scalar:ty),*) => { $(
        impl Precision for $scalar {
            #[inline(never)]
            fn move_velocities(sweep: &Sweep<Self>, isa: Isa, tile: &mut Tile<Self>, points: &Points) {
                sweep.run::<Velocities>(isa, tile, points);
            }

            #[inline(never)]
            fn move_stresses(sweep: &Sweep<Self>, isa: Isa, tile: &mut Tile<Self>, points: &Points) {
                sweep.run::<Stresses>(isa, tile, points);
            }
        }
    )* };
}

precision!(f32, f64);

impl<T: Scalar> Sweep<'_, T> {
    /// Chooses the kernel by the half-length of the stencil.
    fn run<U: Update>(&self, isa: Isa, tile: &mut Tile<T>, points: &Points) {
        const { assert!(MAX_HALF_LENGTH == 8) };
        match self.inputs.layout.halo {
            1 => self.run_long::<U, 1>(isa, tile, points),
            2 => self.run_long::<U, 2>(isa, tile, points),
            3 => self.run_long::<U, 3>(isa, tile, points),
            4 => self.run_long::<U, 4>(isa, tile, points),
            5 => self.run_long::<U, 5>(isa, tile, points),
            6 => self.run_long::<U, 6>(isa, tile, points),
            7 => self.run_long::<U, 7>(isa, tile, points),
            8 => self.run_long::<U, 8>(isa, tile, points),
            other => unreachable!("no stencil has a half-length of {other}"),
        }
    }

    fn run_long<U: Update, const L: usize>(&self, isa: Isa, tile: &mut Tile<T>, points: &Points) {
        T::dispatch(isa, TileKernel::<T, U, L> { sweep: self, tile, points, update: PhantomData });
    }
}

/// Points of a tile on their way through the dispatch.
struct TileKernel<'a, 'b, 't, T: Scalar, U, const L: usize> {
    sweep: &'a Sweep<'b, T>,
    tile: &'a mut Tile<'t, T>,
    points: &'a Points,
    update: PhantomData<U>,
}

impl<T: Scalar, U: Update, const L: usize> Kernel<T> for TileKernel<'_, '_, '_, T, U, L> {
    type Output = ();

    #[inline(always)]
    fn run<V: Lanes<Scalar = T>>(self) {
        let Self { sweep, tile, points: [x, y, z], .. } = self;
        let coefficients = sweep.inputs.coefficients.map(|c| std::array::from_fn(|m| V::splat(c[m])));
        let groups = x.start / GROUP..x.end.div_ceil(GROUP);
        let mut slopes = [[[[T::default(); GROUP]; RUN]; 3]; 3];
        for k in z.clone() {
            for j in y.clone() {
                for first in groups.clone().step_by(RUN) {
                    let run = Run::new(sweep.inputs.layout, [j, k], first..groups.end.min(first + RUN));
                    run.differentiate::<U, V, L>(sweep, &coefficients, &mut slopes);
                    run.stretch::<U, V>(tile, &mut slopes);
                    run.advance::<U, V>(sweep, tile, &slopes);
                }
            }
        }
    }
}
