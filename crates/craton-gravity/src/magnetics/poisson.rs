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
        let component = |row: [f64; 6]| {
            let mut values = vec![0.0; tensor[0].len()];
            // A component that diverges does not affect fields that do not depend on it.
            for (coefficient, of) in row.into_iter().zip(&tensor).filter(|(coefficient, _)| *coefficient != 0.0) {
                values.iter_mut().zip(*of).for_each(|(value, of)| *value += coefficient * of);
            }
            values
        };
        Magnetic::new(self.coefficients().map(component).into())
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
