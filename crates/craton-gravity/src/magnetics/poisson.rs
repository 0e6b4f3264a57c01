//! Poisson's relation for bodies whose magnetisation has one direction.

use super::{FACTOR, Magnetic};
use crate::{Field, Fields, GRAVITATIONAL_CONSTANT, Gravity};

/// Magnetic fields from gravity gradients, for a magnetisation with one direction.
///
/// Take the magnetisation along the direction [A/m] as density, compute the tensor in any way (direct sums, tree, convolution, GPU), and convert it with
/// [`field`](Self::field). Fields of several directions add. The transposed product begins with [`weights`](Self::weights).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Poisson {
    direction: [f64; 3],
}

impl Poisson {
    /// The tensor components that the relation requires.
    pub const FIELDS: Fields = Fields::TENSOR;

    /// The relation for a unit vector (east, north, up).
    pub fn new(direction: [f64; 3]) -> Self {
        Self { direction }
    }

    /// Coefficients of the tensor components, in the order of [`Fields::TENSOR`], for the components of B [T per 1/s² and A/m over kg/m³].
    ///
    /// B = μ₀/(4πG) (T - I tr T) d: the diagonal component of a direction is minus the sum of the two others.
    fn coefficients(&self) -> [[f64; 6]; 3] {
        let [e, n, u] = self.direction;
        let rows = [[0.0, n, u, -e, 0.0, -e], [-n, e, 0.0, 0.0, u, -n], [-u, 0.0, e, -u, n, 0.0]];
        rows.map(|row| row.map(|value| FACTOR / GRAVITATIONAL_CONSTANT * value))
    }

    /// Flux density [T] from the tensor.
    ///
    /// # Arguments
    /// * `gravity` – contains all of [`Poisson::FIELDS`], of prisms whose densities are their magnetisations along the direction [A/m]
    /// # Domain and errors
    /// NaN where a required tensor component is.
    /// # Panics
    /// If a component is missing.
    pub fn field(&self, gravity: &Gravity) -> Magnetic {
        let tensor: Vec<&[f64]> =
            Fields::TENSOR.iter().map(|field| gravity.get(field).expect("all tensor components")).collect();
        Magnetic::new(self.coefficients().map(|row| combined(&row, &tensor)).into())
    }

    /// Coefficients of the third derivatives een, eeu, enn, enu, euu, nnu, nuu for the components of the gradient of B; the others follow from Laplace's
    /// equation.
    fn gradient_coefficients(&self) -> [[f64; 7]; 6] {
        let [e, n, u] = self.direction;
        let rows = [
            [n, u, -e, 0.0, -e, 0.0, 0.0],
            [e, 0.0, n, u, 0.0, 0.0, 0.0],
            [0.0, e, 0.0, n, u, 0.0, 0.0],
            [-n, 0.0, e, 0.0, 0.0, u, -n],
            [0.0, 0.0, 0.0, e, 0.0, n, u],
            [0.0, -u, 0.0, 0.0, e, -u, n],
        ];
        rows.map(|row| row.map(|value| FACTOR / GRAVITATIONAL_CONSTANT * value))
    }

    /// Magnetic fields from the tensor and, if there are any, seven third derivatives of the potential at all points, and bounds of their errors.
    ///
    /// # Arguments
    /// * `values` – `[quantity][point]`; `bounds` – `[quantity]`
    pub(crate) fn combine(&self, values: &[Vec<f64>], bounds: &[f64]) -> (Magnetic, Vec<f64>) {
        let ((tensor, thirds), (of_tensor, of_thirds)) = (values.split_at(6), bounds.split_at(6));
        let flux = self.coefficients();
        let gradient = if thirds.is_empty() { Vec::new() } else { self.gradient_coefficients().to_vec() };
        let components = flux.iter().map(|row| combined(row, tensor));
        let components = components.chain(gradient.iter().map(|row| combined(row, thirds))).collect();
        let bound = |row: &[f64], of: &[f64]| row.iter().zip(of).map(|(coefficient, of)| coefficient.abs() * of).sum();
        let bounds = flux.iter().map(|row| bound(row, of_tensor));
        let bounds = bounds.chain(gradient.iter().map(|row| bound(row, of_thirds))).collect();
        (Magnetic::new(components), bounds)
    }

    /// Weights of the tensor components for a transposed product: with them, [`crate::transpose`] or [`crate::GpuPrisms::transpose`] gives, for each prism, the
    /// sum over points of the weighted flux density per A/m.
    ///
    /// # Arguments
    /// * `weights` – of B east, north and up at each point
    pub fn weights(&self, weights: [&[f64]; 3]) -> Vec<(Field, Vec<f64>)> {
        let rows = self.coefficients();
        let of = |(component, field): (usize, Field)| {
            let at = |point: usize| (0..3).map(|row| rows[row][component] * weights[row][point]).sum();
            (field, (0..weights[0].len()).map(at).collect())
        };
        Fields::TENSOR.iter().enumerate().map(of).collect()
    }
}

/// A linear combination of fields, `[field][point]`. A field that diverges does not affect combinations that do not depend on it.
fn combined(coefficients: &[f64], fields: &[impl AsRef<[f64]>]) -> Vec<f64> {
    let mut values = vec![0.0; fields[0].as_ref().len()];
    for (coefficient, of) in coefficients.iter().zip(fields).filter(|(coefficient, _)| **coefficient != 0.0) {
        values.iter_mut().zip(of.as_ref()).for_each(|(value, of)| *value += coefficient * of);
    }
    values
}
