//! The acoustic kernel: updates a row of points by one half of a step.
//!
//! Both halves have the same form: a field changes by a factor times a sum of derivatives, one along each axis for pressure, a single one for a component
//! of velocity.

use craton_device::{Isa, Kernel, Lanes, Scalar};
use craton_numerics::staggered::MAX_HALF_LENGTH;
use craton_physics::acoustic_rate;

use crate::layout::GROUP;
use crate::pressure::RelaxingRow;
use crate::scalar::{self, ScalarRow};
use crate::sweep::{Factors, Stretch, Taps, along, groups, groups_mut};

/// A derivative at the points of a row.
pub struct Slope<'a, T: Scalar> {
    /// The differentiated field.
    pub source: &'a [T],
    /// Index of the value above the row's first point.
    pub above: usize,
    /// Distance between values.
    pub stride: usize,
    /// Coefficients divided by the spacing [1/m].
    pub coefficients: &'a [T; MAX_HALF_LENGTH],
    /// Its memory variables in the layers of both sides.
    pub memory: [Option<Memory<'a, T>>; 2],
}

/// Memory variables of a layer for a derivative in a row.
pub struct Memory<'a, T: Scalar> {
    /// Values of whole groups.
    pub values: &'a mut [T],
    /// The number of the row's group at which they begin.
    pub first: usize,
    /// Decay, gain and inverse stretch: one per value, or the same for all.
    pub factors: Stretching<'a, T>,
}

/// Factors of the points of a row in a layer.
#[derive(Clone, Copy)]
pub enum Stretching<'a, T> {
    /// One per point: the layer is normal to the row.
    Along([&'a [T]; 3]),
    /// The same for all points: the layer is parallel to the row.
    Across([T; 3]),
}

/// The update of a row of points.
struct RowKernel<'a, T: Scalar, const D: usize, const L: usize> {
    /// Its derivatives.
    slopes: [Slope<'a, T>; D],
    /// Minus the time step times the modulus or the buoyancy; zero beyond the end of the row.
    factor: &'a [T],
    /// The updated field, in whole groups.
    target: &'a mut [T],
}

impl<T: Scalar, const D: usize, const L: usize> Kernel<T> for RowKernel<'_, T, D, L> {
    type Output = ();
    // Shots are computed in single precision; double precision is for tests of the operator.
    const DOUBLE: Isa = Isa::Portable;

    #[inline(always)]
    fn run<V: Lanes<Scalar = T>>(self) {
        let count = self.target.len() / GROUP;
        let (factor, target) = (groups(self.factor, 0, count), groups_mut(self.target, 0, count));
        let mut slopes = self.slopes.into_iter();
        let mut next = || slopes.next().map(|slope| Part::<V, L>::new(slope, count));
        let (mut first, mut second, mut third) = (next(), next(), next());
        for group in 0..count {
            for lane in (0..GROUP).step_by(V::COUNT) {
                // Unrolled: a loop over the derivatives would keep them in memory.
                let slopes =
                    [slope(&mut first, group, lane), slope(&mut second, group, lane), slope(&mut third, group, lane)];
                let factor = V::load(&factor[group], lane);
                let change = match D {
                    1 => acoustic_rate(factor, [slopes[0]]),
                    2 => acoustic_rate(factor, [slopes[0], slopes[1]]),
                    _ => acoustic_rate(factor, slopes),
                };
                let moved = V::load(&target[group], lane) + change;
                moved.without_negligible().store(&mut target[group], lane);
            }
        }
    }
}

/// A derivative in SIMD lanes.
struct Part<'a, V: Lanes, const L: usize> {
    taps: Taps<'a, V::Scalar, L>,
    coefficients: [V; L],
    layers: [Option<Stretch<'a, V, 1>>; 2],
}

impl<'a, V: Lanes, const L: usize> Part<'a, V, L> {
    #[inline(always)]
    fn new(slope: Slope<'a, V::Scalar>, count: usize) -> Self {
        let [low, high] = slope.memory;
        let mut coefficients = [V::constant(0.0); L];
        for m in 0..L {
            coefficients[m] = V::splat(slope.coefficients[m]);
        }
        Self {
            taps: Taps::new(slope.source, slope.above, slope.stride, count),
            coefficients,
            layers: [stretch(low), stretch(high)],
        }
    }
}

/// The derivative at a vector of points, stretched by the layers.
#[inline(always)]
fn slope<V: Lanes, const L: usize>(part: &mut Option<Part<V, L>>, group: usize, lane: usize) -> V {
    let Some(Part { taps, coefficients, layers: [low, high] }) = part else { return V::constant(0.0) };
    let mut slope = taps.slope(coefficients, group, lane);
    if let Some(layer) = low {
        layer.apply(group, lane, [&mut slope]);
    }
    if let Some(layer) = high {
        layer.apply(group, lane, [&mut slope]);
    }
    slope
}

/// The memory variables and factors of a layer in SIMD lanes.
#[inline(always)]
fn stretch<'a, V: Lanes>(memory: Option<Memory<'a, V::Scalar>>) -> Option<Stretch<'a, V, 1>> {
    let memory = memory?;
    let count = memory.values.len() / GROUP;
    let factors = match memory.factors {
        Stretching::Along(factors) => along(factors, count),
        Stretching::Across([decay, gain, inverse]) => {
            Factors::Across([V::splat(decay), V::splat(gain), V::splat(inverse)])
        }
    };
    Some(Stretch::of([groups_mut(memory.values, 0, count)], [factors], memory.first))
}

/// A floating-point type for which the row kernel is compiled, only in this crate: `f32`, or for tests `f64`, which uses no vector instructions beyond the
/// baseline.
pub trait AcousticPrecision: Scalar {
    /// Updates a row from one derivative.
    fn move_by_one(isa: Isa, half_length: usize, row: [Slope<Self>; 1], factor: &[Self], target: &mut [Self]);

    /// Updates a row from the two derivatives in 2D.
    fn move_by_two(isa: Isa, half_length: usize, row: [Slope<Self>; 2], factor: &[Self], target: &mut [Self]);

    /// Updates a row from the three derivatives in 3D.
    fn move_by_three(isa: Isa, half_length: usize, row: [Slope<Self>; 3], factor: &[Self], target: &mut [Self]);

    /// Updates the pressure of a row where it relaxes.
    fn relax(isa: Isa, row: RelaxingRow<Self>);

    /// Updates a row of the scalar wave equation.
    fn advance_scalar(isa: Isa, half_length: usize, row: ScalarRow<Self>);
}

macro_rules! precision {
    ($($scalar:ty),*) => { $(
        impl AcousticPrecision for $scalar {
            #[inline(never)]
            fn move_by_one(isa: Isa, half_length: usize, row: [Slope<Self>; 1], factor: &[Self], target: &mut [Self]) {
                advance(isa, half_length, row, factor, target);
            }

            #[inline(never)]
            fn move_by_two(isa: Isa, half_length: usize, row: [Slope<Self>; 2], factor: &[Self], target: &mut [Self]) {
                advance(isa, half_length, row, factor, target);
            }

            #[inline(never)]
            fn move_by_three(isa: Isa, half_length: usize, row: [Slope<Self>; 3], factor: &[Self], target: &mut [Self]) {
                advance(isa, half_length, row, factor, target);
            }

            #[inline(never)]
            fn relax(isa: Isa, row: RelaxingRow<Self>) {
                Self::dispatch(isa, row);
            }

            #[inline(never)]
            fn advance_scalar(isa: Isa, half_length: usize, row: ScalarRow<Self>) {
                scalar::advance(isa, half_length, row);
            }
        }
    )* };
}

precision!(f32, f64);

/// Selects the kernel by the half-length of the stencil.
fn advance<T: Scalar, const D: usize>(
    isa: Isa,
    half_length: usize,
    slopes: [Slope<T>; D],
    factor: &[T],
    target: &mut [T],
) {
    macro_rules! with {
        ($($length:literal),*) => {
            match half_length {
                $( $length => T::dispatch(isa, RowKernel::<T, D, $length> { slopes, factor, target }), )*
                other => unreachable!("no stencil has a half-length of {other}"),
            }
        };
    }
    const { assert!(MAX_HALF_LENGTH == 8) };
    with!(1, 2, 3, 4, 5, 6, 7, 8);
}
