//! Selections of cells that are read repeatedly, for frames: fields at the points around them, gathered from all parts on the first rank.

use std::ops::Range;
use std::sync::Arc;

use craton_device::Scalar;
use rayon::prelude::*;

use crate::grid::Grid;
use crate::interpolate::{Interpolation, reach};
use crate::stencil::Derivative;
use crate::window::{LARGEST, Window};
use craton_fd_kernels::{Field, voigt};

/// A vector field that can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Vector {
    /// Velocity half a step before the current one [m/s].
    Velocity,
    /// Displacement at the current step [m]: the running sum of velocity, kept for selections that request it.
    Displacement,
}

/// Cells that are read repeatedly, and the fields that are read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Selection {
    /// Indices along each axis.
    pub cells: [Range<usize>; 3],
    /// Whether displacement is read in addition to velocity; its sum needs three more values per point.
    pub displacement: bool,
    /// Whether strain is read; its stencils need a wider margin.
    pub strain: bool,
}

impl Selection {
    /// Upper bound of the number of values in memory, on the first rank and on the devices. The counts are floats, so that they cannot overflow.
    ///
    /// # Arguments
    /// * `radius` – radius of the interpolation between points
    /// * `half_length` – half-length of the stencil
    pub fn numbers(&self, grid: &Grid, radius: usize, half_length: usize) -> Numbers {
        let margin = reach(radius, half_length) + if self.strain { half_length } else { 0 };
        let along = |axis: usize| (self.cells[axis].len() + 2 * margin + 1).min(grid.cells[axis] + 1) as f64;
        let (points, is_summed) = (along(0) * along(1) * along(2), f64::from(u8::from(self.displacement)));
        Numbers {
            // Values received from parts and the assembled field, twice if displacement is read too; strain.
            here: points * (6.0 + 6.0 * is_summed + if self.strain { 6.0 } else { 0.0 }),
            sums: 3.0 * points * is_summed,
            // A brick has at least one plane.
            together: 3.0 * points.min((LARGEST as f64).max(along(0) * along(1))),
        }
    }

    /// Encodes the selection as words for other ranks.
    pub(crate) fn to_words(&self) -> Vec<u32> {
        let ends = self.cells.iter().flat_map(|range| [range.start as u32, range.end as u32]);
        ends.chain([u32::from(self.displacement), u32::from(self.strain)]).collect()
    }

    /// Decodes the words of [`Self::to_words`].
    pub(crate) fn from_words(words: &[u32]) -> Self {
        let range = |axis: usize| words[2 * axis] as usize..words[2 * axis + 1] as usize;
        Self { cells: [range(0), range(1), range(2)], displacement: words[6] == 1, strain: words[7] == 1 }
    }
}

/// Numbers of values that a selection needs in memory.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Numbers {
    /// On the first rank, during a read.
    pub here: f64,
    /// Displacements that are kept on the devices and in checkpoints.
    pub sums: f64,
    /// Staging buffer of a device.
    pub together: f64,
}

/// A registered selection, kept by all ranks.
#[derive(Debug, Clone)]
pub struct Selected {
    /// The points that are read.
    pub window: Arc<Window>,
    /// Whether velocities are summed to displacements.
    pub is_summed: bool,
}

impl Selected {
    /// Selects the points that the interpolation within the cells of a selection depends on.
    pub fn new(selection: &Selection, interpolation: &Interpolation) -> Self {
        let Interpolation { grid, boundaries, derivatives, .. } = interpolation;
        let margin = interpolation.reach() + if selection.strain { derivatives.stencil().half_length() } else { 0 };
        let window = Window::around(grid, boundaries, &selection.cells, margin);
        Self { window: Arc::new(window), is_summed: selection.displacement }
    }

    /// Number of values of a vector field at its points.
    pub fn values(&self) -> usize {
        3 * self.window.len()
    }
}

/// A vector field at the points around the cells of a selection, which can be interpolated between them.
#[derive(Debug, Clone)]
pub struct Values<T> {
    pub(crate) interpolation: Arc<Interpolation>,
    pub(crate) window: Arc<Window>,
    /// `[component][k][j][i]`.
    pub(crate) values: Vec<T>,
}

impl<T: Scalar> Values<T> {
    /// Interpolates the field at a position [m] in the cells of the selection, as at a receiver; `None` outside the box and in air.
    pub fn at(&self, position: [f64; 3]) -> Option<[f64; 3]> {
        let mut vector = [0.0; 3];
        for (c, (value, values)) in vector.iter_mut().zip(self.components()).enumerate() {
            *value = interpolated(&self.interpolation, &self.window, Field::Velocity(c), values, position)?;
        }
        Some(vector)
    }

    /// Extrapolates the field by a time [s] with rates of change at the same selection.
    #[must_use]
    pub fn after(mut self, time: f64, rates: &Self) -> Self {
        let time = T::from_f64(time);
        self.values.par_iter_mut().zip(&rates.values).for_each(|(value, &rate)| *value = *value + time * rate);
        self
    }

    /// Computes the strain at the points of the stresses: the normal components, and the shear components if requested.
    pub fn strain(&self, with_shear: bool) -> Strain<T> {
        let [half, all] = [3, 6];
        let fields = (0..if with_shear { all } else { half }).map(|index| self.strain_of(index)).collect();
        Strain { interpolation: Arc::clone(&self.interpolation), window: Arc::clone(&self.window), fields }
    }

    fn components(&self) -> impl Iterator<Item = &[T]> {
        self.values.chunks_exact(self.window.len())
    }

    /// Component `index` of strain in Voigt order.
    fn strain_of(&self, index: usize) -> Vec<T> {
        let pairs = (0..3).flat_map(|c| (0..3).map(move |axis| [c, axis]));
        let pairs: Vec<[usize; 2]> = pairs.filter(|&[c, axis]| voigt(c, axis) == index).collect();
        let slopes: Vec<Slope<T>> = pairs.iter().map(|&[c, axis]| Slope::new(self, c, axis)).collect();
        let share = 1.0 / pairs.len() as f64;
        let [x, y, z] = self.window.indices();
        let mut strain = vec![T::default(); self.window.len()];
        strain.par_chunks_exact_mut(x.len()).enumerate().for_each(|(row, strain)| {
            let [j, k] = [y[row % y.len()], z[row / y.len()]];
            for (value, &i) in strain.iter_mut().zip(x) {
                *value = T::from_f64(share * slopes.iter().map(|slope| slope.at([i, j, k])).sum::<f64>());
            }
        });
        strain
    }
}

/// The derivative of a vector component along an axis.
struct Slope<'a, T> {
    of: &'a Values<T>,
    component: usize,
    derivative: Derivative,
    /// Coefficients far from interfaces [–].
    regular: Vec<f64>,
}

impl<'a, T: Scalar> Slope<'a, T> {
    fn new(of: &'a Values<T>, component: usize, axis: usize) -> Self {
        let derivative = Derivative { target: Field::stress(component, axis), axis };
        let derivatives = &of.interpolation.derivatives;
        Self { of, component, derivative, regular: derivatives.coefficients(&derivative, derivatives.regular()) }
    }

    /// The derivative at a point of its target field; NaN if the stencil reaches beyond the values that were read.
    fn at(&self, point: [usize; 3]) -> f64 {
        let Values { interpolation, window, values } = self.of;
        let (derivatives, axis) = (&interpolation.derivatives, self.derivative.axis);
        let point = point.map(|i| i as i64);
        let shape = interpolation.shape(&self.derivative, point);
        let near_interface;
        let coefficients = if shape == derivatives.regular() {
            &self.regular
        } else {
            near_interface = derivatives.coefficients(&self.derivative, shape);
            &near_interface
        };
        let first = point[axis] + self.derivative.first_tap(derivatives.stencil().half_length());
        let tap = |(along, &coefficient): (i64, &f64)| {
            let mut place = point;
            place[axis] = along;
            let inside = interpolation.boundaries.inside(&interpolation.grid, Field::Velocity(self.component), place);
            let value = inside.map_or(Some(0.0), |place| {
                let place = window.find(place)?;
                Some(values[self.component * window.len() + place].to_f64())
            });
            coefficient * value.unwrap_or(f64::NAN)
        };
        let taps = (first..).zip(coefficients).filter(|(_, coefficient)| **coefficient != 0.0);
        taps.map(tap).sum::<f64>() / interpolation.grid.spacing[axis]
    }
}

/// Strain [–] or strain rate [1/s] at the points around the cells of a selection, which can be interpolated between them.
#[derive(Debug, Clone)]
pub struct Strain<T> {
    interpolation: Arc<Interpolation>,
    window: Arc<Window>,
    /// Three or six components in Voigt order, at the points of the stresses.
    fields: Vec<Vec<T>>,
}

impl<T: Scalar> Strain<T> {
    /// Interpolates the components at a position [m], in Voigt order xx, yy, zz, yz, xz, xy; those not requested are zero. `None` outside the box and
    /// in air.
    pub fn at(&self, position: [f64; 3]) -> Option<[f64; 6]> {
        let mut strain = [0.0; 6];
        for (index, values) in self.fields.iter().enumerate() {
            strain[index] = interpolated(&self.interpolation, &self.window, Field::Stress(index), values, position)?;
        }
        Some(strain)
    }
}

/// Interpolates a field at a position from its values at the points of a window.
fn interpolated<T: Scalar>(
    interpolation: &Interpolation,
    window: &Window,
    field: Field,
    values: &[T],
    position: [f64; 3],
) -> Option<f64> {
    let weights = interpolation.weights(field, position).ok()?;
    let product = |&(point, weight): &([usize; 3], f64)| weight * values[window.place(point)].to_f64();
    Some(weights.iter().map(product).sum())
}
