//! The elastic kernel, generic over the two halves of a step.
//!
//! For each vector of points it computes nine derivatives, stretches them in absorbing layers, computes the rates of the fields, and applies relaxation, time step
//! and sponge. Values that neighbouring points share stay in the cache, because a worker traverses its planes in columns of rows.
//!
//! | file | what it does |
//! |---|---|
//! | this file | the loop over a box of points, row by row |
//! | `row` | the kernel: the loop over a row, several groups at a time |
//! | `taps` | derivatives, regular and folded |
//! | `stretch` | stretching of derivatives by absorbing layers |
//! | `updates` | the two halves of a step |
//! | `relax` | relaxation of stress |
//! | `tile` | the data that one worker updates |
//!
//! The arithmetic of a point is independent of its position: no result depends on threads, tiles, parts or lanes.

mod relax;
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
use crate::relaxation::Relaxation;
use crate::taper::Taper;

use relax::RelaxKernel;
pub use row::{Group, groups, groups_mut};
use row::{RUN, Run};
pub use stretch::{Factors, Stretch, along};
pub use taps::Taps;
pub use tile::{SlabTile, Tile};
pub use updates::{MaterialArrays, Stresses, Update, Velocities};

/// Constant inputs of both halves of a step.
#[derive(Clone, Copy)]
pub struct SweepInputs<'a, T: Scalar> {
    /// Memory layout of the block.
    pub layout: &'a Layout,
    /// λ, 1/μ, ρ.
    pub material: MaterialArrays<&'a [T]>,
    /// Coefficients c_1 to c_L divided by the spacing, along each axis [1/m].
    pub coefficients: [[T; MAX_HALF_LENGTH]; 3],
    /// Where the stencils of velocities and stresses are folded.
    pub classes: &'a [Classes<T>; 2],
    /// Sponges, if there are any.
    pub taper: Option<&'a Taper<T>>,
    /// Relaxation of the moduli, if any medium attenuates waves.
    pub relaxation: Option<&'a Relaxation<T>>,
    /// Time step [s].
    pub dt: T,
}

/// Inputs of one half of a step.
pub struct Sweep<'a, T: Scalar> {
    inputs: SweepInputs<'a, T>,
    /// The field that row c differentiates along axis a.
    sources: [[&'a [T]; 3]; 3],
    /// Index in the arrays of the block at which these begin.
    start: usize,
    /// Distance from a point to the value above it, for row c along each axis.
    above: [[usize; 3]; 3],
    /// The numbers 0, 1, 2, ...
    numbers: Group<T>,
}

impl<'a, T: Scalar> Sweep<'a, T> {
    /// Creates the inputs of one half of a step.
    ///
    /// # Arguments
    /// * `others` – the fields that are not updated: six stresses for velocities, three velocities for stresses
    /// * `start` – index in the arrays of the block at which these begin
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

/// A floating-point type for which the sweeps are compiled, only in this crate: `f32` or `f64`.
pub trait Precision: Scalar {
    /// Advances the velocities at some points of a tile by one step.
    fn move_velocities(sweep: &Sweep<Self>, isa: Isa, tile: &mut Tile<Self>, points: &Points);

    /// Advances the stresses at some points of a tile by one step.
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
    /// Selects the kernel by the half-length of the stencil.
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
        T::dispatch(isa, TileKernel::<T, U, L> { sweep: self, isa, tile, points, update: PhantomData });
    }
}

/// The sweep over points of a tile, to be dispatched to an instruction set.
struct TileKernel<'a, 'b, 't, T: Scalar, U, const L: usize> {
    sweep: &'a Sweep<'b, T>,
    isa: Isa,
    tile: &'a mut Tile<'t, T>,
    points: &'a Points,
    update: PhantomData<U>,
}

impl<T: Scalar, U: Update, const L: usize> Kernel<T> for TileKernel<'_, '_, '_, T, U, L> {
    type Output = ();

    #[inline(always)]
    fn run<V: Lanes<Scalar = T>>(self) {
        let Self { sweep, isa, tile, points: [x, y, z], .. } = self;
        let relaxation = sweep.inputs.relaxation.filter(|_| U::HALF == 1);
        let coefficients = sweep.inputs.coefficients.map(|c| std::array::from_fn(|m| V::splat(c[m])));
        let groups = x.start / GROUP..x.end.div_ceil(GROUP);
        let mut slopes = [[[[T::default(); GROUP]; RUN]; 3]; 3];
        for k in z.clone() {
            for j in y.clone() {
                for first in groups.clone().step_by(RUN) {
                    let run = Run::new(sweep.inputs.layout, [j, k], first..groups.end.min(first + RUN));
                    run.differentiate::<U, V, L>(sweep, &coefficients, &mut slopes);
                    run.stretch::<U, V>(tile, &mut slopes);
                    run.mix::<U, V>(sweep, &mut slopes);
                    if let Some(relaxation) = relaxation {
                        T::dispatch(isa, RelaxKernel { sweep, relaxation, run: &run, tile, slopes: &slopes });
                    }
                    run.advance::<U, V>(sweep, tile, &slopes);
                }
            }
        }
    }
}
