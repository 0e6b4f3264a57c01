//! The kernels of transversely isotropic media whose axis is tilted: sums over pairs of values in a row, and the laws at its points.
//!
//! Derivatives along an axis of a component along another one are located at edges. Here they are central derivatives of components that have been
//! interpolated to the centres; forces are the transpose of both, so that no energy is lost or gained.

use craton_device::{Isa, Kernel, Lanes, Scalar};
use craton_numerics::staggered::MAX_HALF_LENGTH;
use craton_physics::{tilted_slopes, tilted_stresses, transverse_rates};

use crate::acoustic::{Memory, stretch};
use crate::layout::GROUP;
use crate::sweep::{Group, Taps, groups, groups_mut};

/// A sum over pairs of values on either side of the points of a row: a derivative, or an interpolation.
pub struct Pairs<'a, T: Scalar> {
    /// The field.
    pub source: &'a [T],
    /// Indices of the values above and below the row's first point.
    pub around: [usize; 2],
    /// Distance between values.
    pub stride: usize,
    /// Weights of the pairs, from the middle outward.
    pub weights: &'a [T; MAX_HALF_LENGTH],
    /// Whether the values of a pair are added, for an interpolation, or subtracted.
    pub is_sum: bool,
    /// Memory variables of a derivative in the layers of both sides.
    pub memory: [Option<Memory<'a, T>>; 2],
}

/// Both pressures of a row, their factors and the axis of the medium.
pub struct TiltedRow<'a, T: Scalar> {
    /// Unit vector of the axis.
    pub axis: [&'a [T]; 3],
    /// ∂vᵢ/∂xᵢ; empty along y in 2D.
    pub slopes: [&'a [T]; 3],
    /// ∂vᵢ/∂xⱼ + ∂vⱼ/∂xᵢ of yz, xz, xy; only xz in 2D, the others are empty.
    pub shears: [&'a [T]; 3],
    /// Minus the time step times the bulk modulus along the axis.
    pub factor: &'a [T],
    /// √(1 + 2δ) and 1 + 2ε.
    pub moduli: [&'a [T]; 2],
    /// The normal stresses along and across the axis.
    pub targets: [&'a mut [T]; 2],
}

/// The sum over pairs, set or added to the values of a row.
pub(crate) struct PairKernel<'a, T: Scalar, const L: usize> {
    pub pairs: Pairs<'a, T>,
    pub target: &'a mut [T],
    pub adds: bool,
}

impl<T: Scalar, const L: usize> Kernel<T> for PairKernel<'_, T, L> {
    type Output = ();
    const DOUBLE: Isa = Isa::Portable;

    #[inline(always)]
    fn run<V: Lanes<Scalar = T>>(self) {
        let Self { pairs: Pairs { source, around, stride, weights, is_sum, memory: [low, high] }, target, adds } = self;
        let count = target.len() / GROUP;
        let taps = Taps::<T, L>::around(source, around, stride, count);
        let target = groups_mut(target, 0, count);
        let mut coefficients = [V::constant(0.0); L];
        for m in 0..L {
            coefficients[m] = V::splat(weights[m]);
        }
        let (mut low, mut high) = (stretch::<V>(low), stretch::<V>(high));
        for group in 0..count {
            for lane in (0..GROUP).step_by(V::COUNT) {
                let mut value = match is_sum {
                    true => taps.sum(&coefficients, group, lane),
                    false => taps.slope(&coefficients, group, lane),
                };
                for layer in [&mut low, &mut high].into_iter().flatten() {
                    layer.apply(group, lane, [&mut value]);
                }
                let value = if adds { V::load(&target[group], lane) + value } else { value };
                value.store(&mut target[group], lane);
            }
        }
    }
}

/// Minus the stresses of a row, Voigt order; those that do not act in 2D are empty.
pub(crate) struct StressKernel<'a, T: Scalar> {
    pub pressures: [&'a [T]; 2],
    pub axis: [&'a [T]; 3],
    pub targets: [&'a mut [T]; 6],
}

impl<T: Scalar> Kernel<T> for StressKernel<'_, T> {
    type Output = ();
    const DOUBLE: Isa = Isa::Portable;

    #[inline(always)]
    fn run<V: Lanes<Scalar = T>>(self) {
        let count = self.pressures[0].len() / GROUP;
        let [along, across] = self.pressures.map(|own| groups(own, 0, count));
        let axis = self.axis.map(|own| groups(own, 0, count));
        let mut targets = self.targets.map(|own| {
            let len = own.len() / GROUP;
            groups_mut(own, 0, len)
        });
        for group in 0..count {
            for lane in (0..GROUP).step_by(V::COUNT) {
                let load = |own: &[Group<T>]| V::load(&own[group], lane);
                let stresses = tilted_stresses(load(along), load(across), axis.map(load));
                for (target, stress) in targets.iter_mut().zip(stresses) {
                    if let Some(target) = target.get_mut(group) {
                        stress.store(target, lane);
                    }
                }
            }
        }
    }
}

/// The update of both pressures of a row.
pub(crate) struct PressureKernel<'a, T: Scalar>(pub TiltedRow<'a, T>);

impl<T: Scalar> Kernel<T> for PressureKernel<'_, T> {
    type Output = ();
    const DOUBLE: Isa = Isa::Portable;

    #[inline(always)]
    fn run<V: Lanes<Scalar = T>>(self) {
        let TiltedRow { axis, slopes, shears, factor, moduli, targets: [along, across] } = self.0;
        let count = along.len() / GROUP;
        let of_row = |own| groups(own, 0, count);
        let [slopes, shears] = [slopes, shears].map(|rows| rows.map(whole));
        let (axis, factor, moduli) = (axis.map(of_row), groups(factor, 0, count), moduli.map(of_row));
        let (along, across) = (groups_mut(along, 0, count), groups_mut(across, 0, count));
        for group in 0..count {
            for lane in (0..GROUP).step_by(V::COUNT) {
                let load = |own: &[Group<T>]| V::load(&own[group], lane);
                let or_zero = |own: &[Group<T>]| own.get(group).map_or(V::constant(0.0), |own| V::load(own, lane));
                let of_axis = tilted_slopes(axis.map(load), slopes.map(or_zero), shears.map(or_zero));
                let [coupling, lateral] = moduli.map(load);
                let changes = transverse_rates(load(factor), coupling, lateral, of_axis);
                for (target, change) in [&mut along[group], &mut across[group]].into_iter().zip(changes) {
                    let moved = V::load(target, lane) + change;
                    moved.without_negligible().store(target, lane);
                }
            }
        }
    }
}

/// All groups of a row.
#[inline(always)]
fn whole<T>(row: &[T]) -> &[Group<T>] {
    groups(row, 0, row.len() / GROUP)
}

/// The update of a velocity component of a row from minus the force per volume.
pub(crate) struct VelocityKernel<'a, T: Scalar> {
    pub force: &'a [T],
    pub factor: &'a [T],
    pub target: &'a mut [T],
}

impl<T: Scalar> Kernel<T> for VelocityKernel<'_, T> {
    type Output = ();
    const DOUBLE: Isa = Isa::Portable;

    #[inline(always)]
    fn run<V: Lanes<Scalar = T>>(self) {
        let count = self.target.len() / GROUP;
        let (force, factor) = (groups(self.force, 0, count), groups(self.factor, 0, count));
        let target = groups_mut(self.target, 0, count);
        for group in 0..count {
            for lane in (0..GROUP).step_by(V::COUNT) {
                let change = V::load(&factor[group], lane) * V::load(&force[group], lane);
                let moved = V::load(&target[group], lane) + change;
                moved.without_negligible().store(&mut target[group], lane);
            }
        }
    }
}

/// Sums over pairs, with the kernel compiled for their number.
pub(crate) fn sum_pairs<T: Scalar>(isa: Isa, half_length: usize, pairs: Pairs<T>, (target, adds): (&mut [T], bool)) {
    macro_rules! with {
        ($($length:literal),*) => {
            match half_length {
                $( $length => T::dispatch(isa, PairKernel::<T, $length> { pairs, target, adds }), )*
                other => unreachable!("no stencil has a half-length of {other}"),
            }
        };
    }
    const { assert!(MAX_HALF_LENGTH == 8) };
    with!(1, 2, 3, 4, 5, 6, 7, 8);
}
