//! The kernel of the scalar wave equation: updates the pressure of a row of points by a step.
//!
//! ```text
//! p(n+1) = p(n) + (p(n) - p(n-1)) + c² dt² Σ_a T_a
//! ```
//!
//! T_a is the second derivative along axis a. In an absorbing layer normal to a it is stretched twice, with a memory variable for each stretch:
//!
//! ```text
//! ψ(n) = b ψ(n-1) + g D p(n)          at faces normal to the axis
//! q(n) = D² p(n) + D ψ(n)             at centres
//! χ(n) = b χ(n-1) + g q(n)            T = q + χ
//! ```
//!
//! D² is the stencil of the interior, D a staggered derivative of half-length [`layer_half_length`]. A point computes the ψ of all faces that it needs from
//! those of the previous step, and stores one of them in another array, so that points are independent of each other.

use std::ops::Range;

use craton_device::{Isa, Kernel, Lanes, Scalar};
use craton_numerics::staggered::MAX_HALF_LENGTH;

use crate::layout::GROUP;
use crate::sweep::{Group, groups, groups_mut};

/// Largest number of groups whose derivatives are computed one axis after the other.
const RUN: usize = 8;
/// Values next to a point that the derivatives in a layer read on either side, at most.
const REACH: usize = 3;

/// Half-length of the staggered derivatives in absorbing layers: the values that they read are those of the second derivative.
pub const fn layer_half_length(half_length: usize) -> usize {
    if half_length >= REACH { 2 } else { 1 }
}

/// Coefficients of the derivatives along each axis.
#[derive(Debug, Clone, Copy)]
pub struct ScalarWeights<T> {
    /// Of the second derivative, from the centre outward, divided by the square of the spacing [1/m²].
    pub second: [[T; MAX_HALF_LENGTH + 1]; 3],
    /// Of the first derivative in layers, divided by the spacing [1/m].
    pub first: [[T; 2]; 3],
}

/// A row of points of the scalar wave equation.
pub struct ScalarRow<'a, T: Scalar> {
    /// Pressure at the present step, the whole array.
    pub now: &'a [T],
    /// Index of the row's first point in it.
    pub at: usize,
    /// Distance in memory between neighbours along each axis.
    pub stride: [usize; 3],
    /// Coefficients of the derivatives.
    pub weights: &'a ScalarWeights<T>,
    /// c² dt² [m²]; zero beyond the end of the row.
    pub factor: &'a [T],
    /// Parts of the layers of both sides normal to each axis.
    pub layers: [[Option<ScalarLayer<'a, T>>; 2]; 3],
    /// Pressure at the previous step, in whole groups; becomes that of the next step.
    pub target: &'a mut [T],
}

/// The part of an absorbing layer in a row.
pub struct ScalarLayer<'a, T> {
    /// The number of the row's group at which it begins.
    pub first: usize,
    /// ψ of the previous step, the whole array.
    pub before: &'a [T],
    /// Index in it of the face below the layer's first point of the row.
    pub lower: usize,
    /// Distance between faces along the axis.
    pub step: usize,
    /// Which face of a point it stores: 0 the lower one, 1 the upper one.
    pub own: usize,
    /// ψ of this step at these faces, in whole groups.
    pub after: &'a mut [T],
    /// χ, in whole groups.
    pub memory: &'a mut [T],
    /// Factors of the recursions.
    pub factors: ScalarFactors<'a, T>,
}

/// Decay and gain of the memory variables of a layer.
#[derive(Clone, Copy)]
pub enum ScalarFactors<'a, T> {
    /// The layer is normal to the row.
    Along {
        /// At faces, from the one before the lower face of the first point on.
        faces: [&'a [T]; 2],
        /// At centres.
        centres: [&'a [T]; 2],
    },
    /// The layer is parallel to the row, whose points have the same factors.
    Across {
        /// At the faces -1, 0, 1 and 2, relative to the lower face.
        faces: [[T; 2]; 4],
        /// At the centre.
        centres: [T; 2],
    },
}

/// The update of a row with a stencil of half-length L.
struct RowKernel<'a, T: Scalar, const L: usize>(ScalarRow<'a, T>);

impl<T: Scalar, const L: usize> Kernel<T> for RowKernel<'_, T, L> {
    type Output = ();
    // Shots are computed in single precision; double precision is for tests of the operator.
    const DOUBLE: Isa = Isa::Portable;

    #[inline(always)]
    fn run<V: Lanes<Scalar = T>>(self) {
        let ScalarRow { now, at, stride, weights, factor, mut layers, target } = self.0;
        let count = target.len() / GROUP;
        let (factor, target) = (groups(factor, 0, count), groups_mut(target, 0, count));
        let mut sums = [[[T::default(); GROUP]; RUN]; 3];
        for start in (0..count).step_by(RUN) {
            let run = start..count.min(start + RUN);
            for axis in 0..3 {
                let sums = &mut sums[axis][..run.len()];
                second_derivative::<V, L>(now, at + start * GROUP, stride[axis], &weights.second[axis], sums);
                for layer in layers[axis].iter_mut().flatten() {
                    stretch::<V, L>(layer, (now, at, stride[axis]), &weights.first[axis], run.clone(), sums);
                }
            }
            let centre = groups(now, at + start * GROUP, run.len());
            for group in 0..run.len() {
                for lane in (0..GROUP).step_by(V::COUNT) {
                    let [x, y, z] = [0, 1, 2].map(|axis| V::load(&sums[axis][group], lane));
                    let (own, target) = (V::load(&centre[group], lane), &mut target[start + group]);
                    let increment = own - V::load(target, lane);
                    let moved = own + V::load(&factor[start + group], lane).mul_add((x + y) + z, increment);
                    moved.without_negligible().store(target, lane);
                }
            }
        }
    }
}

/// The second derivative at the points of some groups from index `at` on. With one axis at a time, the addresses of all rows stay in registers.
#[inline(always)]
fn second_derivative<V: Lanes, const L: usize>(
    now: &[V::Scalar],
    at: usize,
    stride: usize,
    weights: &[V::Scalar; MAX_HALF_LENGTH + 1],
    sums: &mut [Group<V::Scalar>],
) {
    let (count, own) = (sums.len(), groups(now, at, sums.len()));
    let mut pairs: [[&[Group<V::Scalar>]; 2]; L] = [[&[]; 2]; L];
    for (m, pair) in (1..).zip(&mut pairs) {
        *pair = [groups(now, at + m * stride, count), groups(now, at - m * stride, count)];
    }
    let weights = weights.map(V::splat);
    for group in 0..count {
        for lane in (0..GROUP).step_by(V::COUNT) {
            let mut sum = weights[0] * V::load(&own[group], lane);
            for m in 0..L {
                let [above, below] = pairs[m].map(|rows| V::load(&rows[group], lane));
                sum = weights[m + 1].mul_add(above + below, sum);
            }
            sum.store(&mut sums[group], lane);
        }
    }
}

/// Advances the memory variables of a layer and stretches the second derivatives of the groups of a run in it.
#[inline(always)]
fn stretch<V: Lanes, const L: usize>(
    layer: &mut ScalarLayer<V::Scalar>,
    (now, at, stride): (&[V::Scalar], usize, usize),
    coefficients: &[V::Scalar; 2],
    run: Range<usize>,
    sums: &mut [Group<V::Scalar>],
) {
    let all = layer.after.len() / GROUP;
    let (start, end) = (run.start.max(layer.first), run.end.min(layer.first + all));
    if start >= end {
        return;
    }
    let (count, skipped) = (end - start, start - layer.first);
    let half = layer_half_length(L);
    let at = at + start * GROUP;
    // Values at centres -3 to 3 and faces -1 to 2; those that short derivatives do not need are never read.
    let mut values: [&[Group<V::Scalar>]; 2 * REACH + 1] = [&[]; 2 * REACH + 1];
    for m in REACH + 1 - 2 * half..REACH + 2 * half {
        values[m] = groups(now, at + m * stride - REACH * stride, count);
    }
    let mut before: [&[Group<V::Scalar>]; 4] = [&[]; 4];
    for face in 2 - half..2 + half {
        before[face] = groups(layer.before, layer.lower + skipped * GROUP + face * layer.step - layer.step, count);
    }
    let factors = Factors::<V>::new(&layer.factors, skipped, count);
    let after = groups_mut(layer.after, skipped * GROUP, count);
    let memory = groups_mut(layer.memory, skipped * GROUP, count);
    let [near, far] = coefficients.map(V::splat);
    for group in 0..count {
        for lane in (0..GROUP).step_by(V::COUNT) {
            let mut faces = [V::constant(0.0); 4];
            for face in 2 - half..2 + half {
                let value = |m: usize| V::load(&values[m][group], lane);
                let mut slope = near * (value(face + 2) - value(face + 1));
                if half == 2 {
                    slope = far.mul_add(value(face + 3) - value(face), slope);
                }
                let [decay, gain] = factors.face(face, group, lane);
                let moved = decay.mul_add(V::load(&before[face][group], lane), gain * slope);
                faces[face] = moved.without_negligible();
            }
            faces[1 + layer.own].store(&mut after[group], lane);
            let mut change = near * (faces[2] - faces[1]);
            if half == 2 {
                change = far.mul_add(faces[3] - faces[0], change);
            }
            let sum = &mut sums[start - run.start + group];
            let stretched = V::load(sum, lane) + change;
            let [decay, gain] = factors.centre(group, lane);
            let moved = decay.mul_add(V::load(&memory[group], lane), gain * stretched).without_negligible();
            moved.store(&mut memory[group], lane);
            (stretched + moved).store(sum, lane);
        }
    }
}

/// The factors of a layer in SIMD lanes.
enum Factors<'a, V: Lanes> {
    Along { faces: [[&'a [Group<V::Scalar>]; 2]; 4], centres: [&'a [Group<V::Scalar>]; 2] },
    Across { faces: [[V; 2]; 4], centres: [V; 2] },
}

impl<'a, V: Lanes> Factors<'a, V> {
    /// Those of `count` groups after the first `skipped` ones.
    #[inline(always)]
    fn new(factors: &ScalarFactors<'a, V::Scalar>, skipped: usize, count: usize) -> Self {
        let first = skipped * GROUP;
        match *factors {
            ScalarFactors::Along { faces, centres } => Self::Along {
                faces: [0, 1, 2, 3].map(|face| faces.map(|list| groups(list, first + face, count))),
                centres: centres.map(|list| groups(list, first, count)),
            },
            ScalarFactors::Across { faces, centres } => {
                Self::Across { faces: faces.map(|own| own.map(V::splat)), centres: centres.map(V::splat) }
            }
        }
    }

    #[inline(always)]
    fn face(&self, face: usize, group: usize, lane: usize) -> [V; 2] {
        match self {
            Self::Along { faces, .. } => faces[face].map(|list| V::load(&list[group], lane)),
            Self::Across { faces, .. } => faces[face],
        }
    }

    #[inline(always)]
    fn centre(&self, group: usize, lane: usize) -> [V; 2] {
        match self {
            Self::Along { centres, .. } => centres.map(|list| V::load(&list[group], lane)),
            Self::Across { centres, .. } => *centres,
        }
    }
}

/// Selects the kernel by the half-length of the stencil.
pub fn advance<T: Scalar>(isa: Isa, half_length: usize, row: ScalarRow<T>) {
    macro_rules! with {
        ($($length:literal),*) => {
            match half_length {
                $( $length => T::dispatch(isa, RowKernel::<T, $length>(row)), )*
                other => unreachable!("no stencil has a half-length of {other}"),
            }
        };
    }
    const { assert!(MAX_HALF_LENGTH == 8) };
    with!(1, 2, 3, 4, 5, 6, 7, 8);
}
