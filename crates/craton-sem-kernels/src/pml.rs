//! Perfectly matched layers: filters of derivatives and forces along the absorbing axes of a batch, and the damping of short waves across them.
//!
//! The derivative along an absorbing axis is multiplied by 1/s, s = κ + d / (α + iω), and so is the part of the force that tests it. Each is a recursive
//! filter with one memory variable, by the bilinear rule: a valid stretching at each frequency of the time scheme.

use craton_device::{AlignedVec, Lanes, Scalar};

use crate::stiffness::Cube;
use crate::tables::Tables;
use crate::{ElementData, Memory};

/// Number of absorbing axes of an element: zeta, then eta, then xi.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Pml {
    /// An element of the domain.
    None,
    /// One axis: the layer of a side.
    Side,
    /// Two axes: where layers meet.
    Edge,
    /// Three axes.
    Corner,
}

impl Pml {
    /// The layer with this number of absorbing axes, 0 to 3.
    pub const fn with_axes(count: usize) -> Self {
        match count {
            0 => Self::None,
            1 => Self::Side,
            2 => Self::Edge,
            _ => Self::Corner,
        }
    }

    /// Number of absorbing axes.
    pub const fn axes(self) -> usize {
        self as usize
    }
}

/// Constants of an absorbing axis at a point: D = d / κ [1/s], β = α + D [1/s], 1/κ, and the damping of short waves [kg/s].
pub const PML_CONSTANTS: usize = 4;

/// Coefficients of the filters for a time step, A, B, 1/κ, and the damping, in the layout of the constants.
pub(crate) fn coefficients<T: Scalar>(elements: &ElementData<T>, lanes: usize, dt: f64) -> AlignedVec<T> {
    let mut all = AlignedVec::from_slice(&elements.pml);
    let half = T::from_f64(0.5 * dt);
    for constants in all.chunks_exact_mut(PML_CONSTANTS * lanes) {
        for lane in 0..lanes {
            let (rate, decay) = (constants[lane], constants[lanes + lane]);
            let [one, loss] = [T::from_f64(1.0), half * decay];
            let e = one / (one + loss);
            constants[lane] = half * rate * e;
            constants[lanes + lane] = (one - loss) * e;
        }
    }
    all
}

/// The absorbing axes of a batch.
pub struct Stretching<'a, V> {
    /// Number of absorbing axes.
    axes: usize,
    /// `[axis][point along it][coefficient]`, zeta first.
    coefficients: &'a [[V; PML_CONSTANTS]],
    /// `[axis][derivative, force][point][component]`.
    memory: &'a mut [V],
    /// Number of points along an axis.
    along: usize,
}

/// What a filter applies to.
#[derive(Clone, Copy)]
pub enum Filtered {
    /// The derivative along the axis.
    Derivative,
    /// The force that tests this derivative.
    Force,
}

/// The absorbing axes of a batch, or none: for degree 4, elements of the domain have a version without filters.
pub trait Stretch<V: Lanes> {
    /// Whether an axis absorbs: xi 0, eta 1, zeta 2.
    fn is_absorbing(&self, axis: usize) -> bool;

    /// Filters a value at a point, and advances the memory of the filter by one step.
    fn filter<const C: usize>(&mut self, axis: usize, what: Filtered, point: [usize; 3], value: [V; C]) -> [V; C];
}

/// No absorbing axis.
pub struct Unstretched;

impl<V: Lanes> Stretch<V> for Unstretched {
    #[inline(always)]
    fn is_absorbing(&self, _axis: usize) -> bool {
        false
    }

    #[inline(always)]
    fn filter<const C: usize>(&mut self, _axis: usize, _what: Filtered, _point: [usize; 3], value: [V; C]) -> [V; C] {
        value
    }
}

impl<V: Lanes> Stretch<V> for Stretching<'_, V> {
    #[inline(always)]
    fn is_absorbing(&self, axis: usize) -> bool {
        axis + self.axes > 2
    }

    #[inline(always)]
    fn filter<const C: usize>(&mut self, axis: usize, what: Filtered, point: [usize; 3], value: [V; C]) -> [V; C] {
        let n = self.along;
        let [a, b, inverse, _] = self.coefficients[(2 - axis) * n + point[axis]];
        let place = (2 * (2 - axis) + what as usize) * n.pow(3) + point[0] + n * (point[1] + n * point[2]);
        let memory = &mut self.memory[place * C..][..C];
        let mut filtered = value;
        for c in 0..C {
            let added = a * value[c];
            let sum = memory[c] + added;
            memory[c] = b.mul_add(sum, added);
            filtered[c] = inverse * (value[c] - sum);
        }
        filtered
    }
}

impl<'a, V: Lanes> Stretching<'a, V> {
    /// The absorbing axes of a batch of elements with `along` points along an axis; none without memory.
    #[inline(always)]
    pub fn of_batch(
        elements: &ElementData<V::Scalar>,
        coefficients: &'a AlignedVec<V::Scalar>,
        memory: &'a mut [V],
        batch: usize,
        along: usize,
    ) -> Self {
        let axes = if coefficients.is_empty() { 0 } else { elements.rheology.pml.axes() };
        let rows = axes * along;
        let coefficients = match axes {
            0 => &[][..],
            _ => &V::cast(coefficients).as_chunks().0[batch * rows..][..rows],
        };
        Self { axes, coefficients, memory, along }
    }

    /// Damping of short waves along `line` at a point: the sum of the damping of the other absorbing axes [kg/s].
    #[inline(always)]
    fn damping(&self, line: usize, point: [usize; 3]) -> V {
        let mut sum = V::constant(0.0);
        for axis in 0..3 {
            if axis != line && self.is_absorbing(axis) {
                sum = sum + self.coefficients[(2 - axis) * self.along + point[axis]][3];
            }
        }
        sum
    }

    /// Passes minus the damping force on short waves to `emit`, point by point.
    ///
    /// In a layer, short waves of the mesh whose polarisation mixes compression and shear would grow. The two highest Legendre polynomials of the velocity along
    /// lines across the absorbing axes are damped in proportion to d.
    #[inline(always)]
    pub fn damp<const N: usize, const G: usize, const C: usize>(
        &self,
        tables: &Tables<V::Scalar, N, G>,
        velocity: &Cube<V, N, C>,
        mut emit: impl FnMut(usize, [V; C]),
    ) {
        let n = tables.along();
        for k in 0..n {
            for j in 0..n {
                for i in 0..n {
                    let point = [i, j, k];
                    let mut force = [V::constant(0.0); C];
                    for line in 0..3 {
                        // Zeta always absorbs; only where another axis absorbs, too, is it damped.
                        if line == 2 && self.axes == 1 {
                            continue;
                        }
                        let across = tables.weight[point[(line + 1) % 3]] * tables.weight[point[(line + 2) % 3]];
                        let factor = self.damping(line, point) * V::splat(-across);
                        let mut mode = [V::constant(0.0); C];
                        for m in 0..n {
                            let at = match line {
                                0 => velocity[k][j][m],
                                1 => velocity[k][m][i],
                                _ => velocity[m][j][i],
                            };
                            let entry = V::splat(tables.short_waves[point[line]][m]);
                            for c in 0..C {
                                mode[c] = entry.mul_add(at[c], mode[c]);
                            }
                        }
                        for c in 0..C {
                            force[c] = factor.mul_add(mode[c], force[c]);
                        }
                    }
                    emit(i + n * (j + n * k), force);
                }
            }
        }
    }

    /// Whether short waves are damped.
    #[inline(always)]
    pub fn damps(&self) -> bool {
        self.axes > 0
    }
}

impl<T: Scalar> Memory<T> {
    /// The memory variables of a batch: those of relaxation, then those of its absorbing axes.
    #[inline(always)]
    pub(crate) fn of_batch<'a, V: Lanes<Scalar = T>>(
        variables: &'a mut AlignedVec<T>,
        elements: &ElementData<T>,
        batch: usize,
        along: usize,
    ) -> [&'a mut [V]; 2] {
        if variables.is_empty() {
            return [&mut [], &mut []];
        }
        let (all, relaxing) = (elements.rheology.memory(along), elements.rheology.relaxing_memory(along));
        let (first, second) = V::cast_mut(variables)[batch * all..][..all].split_at_mut(relaxing);
        [first, second]
    }
}
