//! The sweeps of a step over all planes across z.

use craton_device::AlignedVec;
use craton_fd_kernels::{AcousticPrecision, Pairs, TiltedRow};
use craton_numerics::staggered::MAX_HALF_LENGTH;
use rayon::prelude::*;

use super::memory::PlaneMemory;
use super::operator::TiltedOperator;
use crate::acoustic::layout::Layout;
use crate::acoustic::setup::{PRESSURE, Setup};
use crate::layout::GROUP;

/// Voigt index of the stress on two axes.
const VOIGT: [[usize; 3]; 3] = [[0, 5, 4], [5, 1, 3], [4, 3, 2]];
/// Axes of the stresses yz, xz and xy.
const SHEARS: [[usize; 2]; 3] = [[1, 2], [0, 2], [0, 1]];

/// Weights of the derivatives across and of the interpolation, of the half-length of the stencil.
pub struct Stencils<T> {
    half_length: usize,
    /// Of the central derivative along each axis [1/m].
    central: [[T; MAX_HALF_LENGTH]; 3],
    /// Of the interpolation to the middle between points [–].
    middle: [T; MAX_HALF_LENGTH],
}

impl<T: AcousticPrecision> Stencils<T> {
    /// Taylor's weights, of the order of the staggered derivative.
    pub fn new(setup: &Setup<T>) -> Self {
        let half_length = setup.options.stencil.half_length();
        let number = |own: &[f64], m: usize, scale: f64| T::from_f64(own.get(m).map_or(0.0, |own| own * scale));
        let [central, middle] = [central(half_length), middle(half_length)];
        Self {
            half_length,
            central: setup.grid.spacing.map(|h| std::array::from_fn(|m| number(&central, m, 1.0 / h))),
            middle: std::array::from_fn(|m| number(&middle, m, 1.0)),
        }
    }
}

/// Weights w of the derivative f'(0) ≈ Σ w_m (f(m) - f(-m)) for m from 1 on.
fn central(half_length: usize) -> Vec<f64> {
    let n = half_length as i32;
    let weight = |m: i32| {
        let others = (1..=n).filter(|&k| k != m);
        others.map(|k| f64::from(k * k) / f64::from(k * k - m * m)).product::<f64>() / (2.0 * f64::from(m))
    };
    (1..=n).map(weight).collect()
}

/// Weights w of the interpolation f(0) ≈ Σ w_m (f(m - 1/2) + f(1/2 - m)) for m from 1 on.
fn middle(half_length: usize) -> Vec<f64> {
    let n = half_length as i32;
    let square = |m: i32| f64::from((2 * m - 1).pow(2));
    let weight =
        |m: i32| (1..=n).filter(|&k| k != m).map(|k| square(k) / (square(k) - square(m))).product::<f64>() / 2.0;
    (1..=n).map(weight).collect()
}

/// A plane of a sweep.
struct Plane<'a, T: AcousticPrecision> {
    setup: &'a Setup<T>,
    stencils: &'a Stencils<T>,
    k: usize,
}

impl<'a, T: AcousticPrecision> Plane<'a, T> {
    /// Range of a row of whole groups in its array.
    fn row(&self, j: usize) -> std::ops::Range<usize> {
        let first = self.setup.layout.row(j, self.k);
        first..first + self.setup.layout.groups * GROUP
    }

    /// The same in the plane alone.
    fn in_plane(&self, j: usize) -> std::ops::Range<usize> {
        let (row, first) = (self.row(j), plane_start(&self.setup.layout, self.k));
        row.start - first..row.end - first
    }

    /// The staggered derivative of component i of a field along its axis.
    fn staggered(
        &self,
        (source, at): (&[T], usize),
        [i, j]: [usize; 2],
        memory: &mut PlaneMemory<T>,
        to: (&mut [T], bool),
    ) {
        let Setup { layout, layers, coefficients, options, .. } = self.setup;
        let stride = layout.stride[i];
        let above = self.row(j).start + if at == 0 { 0 } else { stride };
        let memory = memory.row(layers, [i, i], (j, self.k), at);
        let pairs =
            Pairs { source, around: [above, above - stride], stride, weights: &coefficients[i], is_sum: false, memory };
        T::sum_pairs(options.isa, self.stencils.half_length, pairs, to);
    }

    /// The central derivative of component i of a field along axis `along`.
    fn across(&self, source: &[T], [i, along, j]: [usize; 3], memory: &mut PlaneMemory<T>, to: (&mut [T], bool)) {
        let Setup { layout, layers, options, .. } = self.setup;
        let (first, stride) = (self.row(j).start, layout.stride[along]);
        let memory = memory.row(layers, [i, along], (j, self.k), 1);
        let weights = &self.stencils.central[along];
        let around = [first + stride, first - stride];
        let pairs = Pairs { source, around, stride, weights, is_sum: false, memory };
        T::sum_pairs(options.isa, self.stencils.half_length, pairs, to);
    }

    /// The interpolation along an axis, to faces (0) or centres (1).
    fn between(&self, (source, at): (&[T], usize), [axis, j]: [usize; 2], to: (&mut [T], bool)) {
        let Setup { layout, options, .. } = self.setup;
        let stride = layout.stride[axis];
        let above = self.row(j).start + if at == 0 { 0 } else { stride };
        let (weights, around, memory) = (&self.stencils.middle, [above, above - stride], [None, None]);
        let pairs = Pairs { source, around, stride, weights, is_sum: true, memory };
        T::sum_pairs(options.isa, self.stencils.half_length, pairs, to);
    }
}

/// Index of the first value of a plane in its array.
fn plane_start(layout: &Layout, k: usize) -> usize {
    layout.row(0, k) / layout.stride[2] * layout.stride[2]
}

/// Planes of an array with cells, and the one above them; nothing of an empty array.
fn planes<'a, T: AcousticPrecision>(layout: &Layout, count: usize, values: &'a mut AlignedVec<T>) -> Vec<&'a mut [T]> {
    if values.is_empty() {
        return (0..count).map(|_| <&mut [T]>::default()).collect();
    }
    values[plane_start(layout, 0)..].chunks_mut(layout.stride[2]).take(count).collect()
}

/// The planes of several arrays, plane by plane.
fn planes_of<'a, T: AcousticPrecision, const N: usize>(
    layout: &Layout,
    count: usize,
    arrays: &'a mut [AlignedVec<T>; N],
) -> Vec<[&'a mut [T]; N]> {
    let mut all: [_; N] = arrays.each_mut().map(|values| planes(layout, count, values).into_iter());
    (0..count).map(|_| all.each_mut().map(|planes| planes.next().expect("as many planes"))).collect()
}

impl<T: AcousticPrecision> TiltedOperator<T> {
    /// Minus the stresses of all cells, odd beyond a free top.
    pub(super) fn set_stresses(&mut self) {
        let Self { setup, stencils, axis, pressures, stresses, .. } = self;
        let count = setup.grid.cells[2];
        planes_of(&setup.layout, count, stresses).into_par_iter().enumerate().for_each(|(k, mut targets)| {
            let plane = Plane { setup, stencils, k };
            for j in 0..setup.layout.cells[1] {
                let (row, own) = (plane.row(j), plane.in_plane(j));
                let pressures = pressures.each_ref().map(|values| &values[row.clone()]);
                let axis = axis.each_ref().map(|values| &values[row.clone()]);
                let targets = targets.each_mut().map(|plane| {
                    let own = if plane.is_empty() { 0..0 } else { own.clone() };
                    &mut plane[own]
                });
                T::tilted_stresses(setup.options.isa, pressures, axis, targets);
            }
        });
        stresses.iter_mut().for_each(|values| mirror(setup, values, true));
    }

    /// Forces across, even beyond a free top.
    pub(super) fn set_forces(&mut self) {
        let Self { setup, stencils, stresses, centred, memory: [memory, _], .. } = self;
        let count = setup.grid.cells[2];
        let all = planes_of(&setup.layout, count, centred).into_par_iter().zip(memory).enumerate();
        all.for_each(|(k, (targets, memory))| {
            let plane = Plane { setup, stencils, k };
            for (&i, j) in setup.axes.iter().flat_map(|i| (0..setup.layout.cells[1]).map(move |j| (i, j))) {
                let target = &mut targets[i][plane.in_plane(j)];
                for (number, &along) in setup.axes.iter().filter(|&&along| along != i).enumerate() {
                    let source = &stresses[VOIGT[i][along]];
                    plane.across(source, [i, along, j], memory, (&mut *target, number > 0));
                }
            }
        });
        mirror(setup, &mut centred[2], false);
    }

    /// All components of the velocity.
    pub(super) fn move_velocities(&mut self) {
        let Self { setup, stencils, stresses, centred, velocities, memory: [memory, _], .. } = self;
        let count = setup.planes();
        let all = planes_of(&setup.layout, count, velocities).into_par_iter().zip(memory).enumerate();
        all.for_each(|(k, (targets, memory))| {
            let plane = Plane { setup, stencils, k };
            let mut force = AlignedVec::zeroed(setup.layout.groups * GROUP);
            for (i, j) in setup.moving(k).flat_map(|i| (0..setup.layout.cells[1]).map(move |j| (i, j))) {
                plane.staggered((&stresses[VOIGT[i][i]], 0), [i, j], memory, (&mut force, false));
                plane.between((&centred[i], 0), [i, j], (&mut force, true));
                let factor = &setup.factors[i][plane.row(j)];
                T::move_velocity(setup.options.isa, &force, factor, &mut targets[i][plane.in_plane(j)]);
            }
        });
    }

    /// Components of the velocity at the centres, even beyond a free top.
    pub(super) fn set_components(&mut self) {
        let Self { setup, stencils, velocities, centred, .. } = self;
        let count = setup.grid.cells[2];
        planes_of(&setup.layout, count, centred).into_par_iter().enumerate().for_each(|(k, targets)| {
            let plane = Plane { setup, stencils, k };
            for (&i, j) in setup.axes.iter().flat_map(|i| (0..setup.layout.cells[1]).map(move |j| (i, j))) {
                plane.between((&velocities[i], 1), [i, j], (&mut targets[i][plane.in_plane(j)], false));
            }
        });
        centred[..2].iter_mut().for_each(|values| mirror(setup, values, false));
    }

    /// Both pressures.
    pub(super) fn move_pressures(&mut self) {
        let Self { setup, stencils, axis, velocities, centred, pressures, memory: [_, memory], .. } = self;
        let count = setup.grid.cells[2];
        let all = planes_of(&setup.layout, count, pressures).into_par_iter().zip(memory).enumerate();
        all.for_each(|(k, (mut targets, memory))| {
            let plane = Plane { setup, stencils, k };
            let row = || AlignedVec::<T>::zeroed(setup.layout.groups * GROUP);
            let (mut slopes, mut shears) = ([row(), row(), row()], [row(), row(), row()]);
            for j in 0..setup.layout.cells[1] {
                for &i in setup.axes {
                    plane.staggered((&velocities[i], 1), [i, j], memory, (&mut slopes[i], false));
                }
                for (target, [a, b]) in shears.iter_mut().zip(SHEARS) {
                    if setup.axes.contains(&a) && setup.axes.contains(&b) {
                        plane.across(&centred[a], [a, b, j], memory, (target, false));
                        plane.across(&centred[b], [b, a, j], memory, (target, true));
                    }
                }
                let (of_row, own) = (plane.row(j), plane.in_plane(j));
                let ratios = setup.transverse.as_ref().expect("a tilted medium is transversely isotropic");
                T::move_tilted_pressures(
                    setup.options.isa,
                    TiltedRow {
                        axis: axis.each_ref().map(|values| &values[of_row.clone()]),
                        slopes: slopes.each_ref().map(|values| &values[..]),
                        shears: shears.each_ref().map(|values| &values[..]),
                        factor: &setup.factors[PRESSURE][of_row.clone()],
                        moduli: ratios.each_ref().map(|values| &values[of_row.clone()]),
                        targets: targets.each_mut().map(|plane| &mut plane[own.clone()]),
                    },
                );
            }
        });
    }
}

/// Sets the images of values at the centres beyond a free top.
fn mirror<T: AcousticPrecision>(setup: &Setup<T>, values: &mut AlignedVec<T>, is_odd: bool) {
    let (planes, len) = (setup.grid.cells[2], setup.layout.stride[2]);
    if !setup.is_free() || values.is_empty() {
        return;
    }
    for away in 0..setup.options.half_length().min(planes) {
        let [from, to] = [planes - 1 - away, planes + away].map(|k| plane_start(&setup.layout, k));
        let (low, high) = values.split_at_mut(to);
        for (to, &from) in high[..len].iter_mut().zip(&low[from..from + len]) {
            *to = if is_odd { T::default() - from } else { from };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stencils_are_exact_for_polynomials() {
        for half_length in 1..=8 {
            let (own, middle) = (central(half_length), middle(half_length));
            for power in 0..half_length as i32 {
                let slope: f64 = (1..).zip(&own).map(|(m, w)| 2.0 * w * f64::from(m).powi(2 * power + 1)).sum();
                let value: f64 = (0..).zip(&middle).map(|(m, w)| 2.0 * w * (f64::from(m) + 0.5).powi(2 * power)).sum();
                let expected = if power == 0 { 1.0 } else { 0.0 };
                let scale = (half_length as f64).powi(2 * power + 1);
                assert!((slope - expected).abs() < 1e-12 * scale && (value - expected).abs() < 1e-12 * scale);
            }
        }
    }
}
