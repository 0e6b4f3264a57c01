//! Quantities of frames, and their values at many positions.

use craton_device::Workers;
use craton_formats::vtk::{Field, Values};
use craton_model::Medium;
use craton_physics::{Sym3, stress_anisotropic};
use rayon::prelude::*;

pub use crate::config::Shown;
use crate::config::Snapshot;

impl Shown {
    /// The quantities of a series, without duplicates.
    pub fn all(snapshot: &Snapshot) -> Vec<Self> {
        let mut all = Vec::new();
        for &shown in &snapshot.quantities {
            if !all.contains(&shown) {
                all.push(shown);
            }
        }
        all
    }

    /// Its name, as in the scenario.
    pub fn name(self) -> &'static str {
        match self {
            Self::Displacement => "displacement",
            Self::Velocity => "velocity",
            Self::Strain => "strain",
            Self::Pressure => "pressure",
        }
    }

    /// Its unit; empty for strain.
    pub fn unit(self) -> &'static str {
        match self {
            Self::Displacement => "m",
            Self::Velocity => "m/s",
            Self::Strain => "",
            Self::Pressure => "Pa",
        }
    }

    /// Its name in a file, with the unit.
    pub fn label(self) -> String {
        match self.unit() {
            "" => self.name().to_owned(),
            unit => format!("{} [{unit}]", self.name()),
        }
    }

    /// Number of components: x, y, z; or xx, yy, zz, xy, yz, xz in VTK's order; or one.
    pub fn components(self) -> usize {
        match self {
            Self::Displacement | Self::Velocity => 3,
            Self::Strain => 6,
            Self::Pressure => 1,
        }
    }

    /// Whether it is continuous between elements, so that it is given at nodes; discontinuous quantities are given
    /// inside cells.
    pub fn is_nodal(self) -> bool {
        matches!(self, Self::Displacement | Self::Velocity)
    }

    /// Rotates a value to other axes.
    ///
    /// # Arguments
    /// * `axes` – the new axes, as unit vectors in the present ones
    ///
    /// Verified by `values_are_turned_as_vectors_and_tensors`.
    pub fn turn(self, axes: &[[f64; 3]; 3], values: &mut [f32]) {
        match self {
            Self::Pressure => {}
            Self::Displacement | Self::Velocity => {
                let vector = [0, 1, 2].map(|c| f64::from(values[c]));
                for (value, axis) in values.iter_mut().zip(axes) {
                    *value = (axis[0] * vector[0] + axis[1] * vector[1] + axis[2] * vector[2]) as f32;
                }
            }
            Self::Strain => {
                let [xx, yy, zz, xy, yz, xz] = std::array::from_fn(|c| f64::from(values[c]));
                let tensor = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]];
                for (value, [a, b]) in values.iter_mut().zip([[0, 0], [1, 1], [2, 2], [0, 1], [1, 2], [0, 2]]) {
                    let sum = |i: usize| (0..3).map(|j| axes[a][i] * tensor[i][j] * axes[b][j]).sum::<f64>();
                    *value = (0..3).map(sum).sum::<f64>() as f32;
                }
            }
        }
    }

    /// The scalar for a picture: the length of a vector, the norm of a tensor, or the pressure.
    pub fn picture_value(self, values: &[f32]) -> f64 {
        let squares = |values: &[f32]| values.iter().map(|&value| f64::from(value).powi(2)).sum::<f64>();
        match self {
            Self::Displacement | Self::Velocity => squares(values).sqrt(),
            Self::Strain => (squares(&values[..3]) + 2.0 * squares(&values[3..])).sqrt(),
            Self::Pressure => f64::from(values[0]),
        }
    }
}

/// A sampled field of a frame.
#[derive(Debug, Clone, PartialEq)]
pub struct Sampled {
    shown: Shown,
    label: String,
    values: Vec<f32>,
}

impl Sampled {
    /// Samples a field at `count` positions on all workers.
    ///
    /// # Arguments
    /// * `sample` – writes the value at the position with an index, into an array of NaN
    pub fn new(shown: Shown, count: usize, workers: &Workers, sample: impl Fn(usize, &mut [f32]) + Sync) -> Self {
        let mut values = vec![f32::NAN; count * shown.components()];
        let places = values.par_chunks_mut(shown.components()).enumerate();
        workers.run(|| places.for_each(|(index, value)| sample(index, value)));
        Self { shown, label: shown.label(), values }
    }

    /// A field of pressure at all positions.
    pub fn pressure(values: Vec<f32>) -> Self {
        Self { shown: Shown::Pressure, label: Shown::Pressure.label(), values }
    }

    /// The quantity.
    pub fn shown(&self) -> Shown {
        self.shown
    }

    /// The values, position by position, with the components of each in order: x, y, z; or xx, yy, zz, xy, yz, xz; or one.
    pub fn values(&self) -> &[f32] {
        &self.values
    }

    /// The field for a file.
    pub fn field(&self) -> Field<'_> {
        let components = self.shown.components();
        Field { name: &self.label, components, values: Values::F32(&self.values) }
    }
}

/// Pressure [Pa], minus the mean normal stress, from a displacement gradient: `[i][j]` is the derivative of component i
/// along x_j.
pub fn pressure(medium: &Medium, displacement_gradient: [[f64; 3]; 3]) -> f64 {
    let Sym3 { xx, yy, zz, .. } = stress_anisotropic(&medium.stiffness().0, displacement_gradient);
    -(xx + yy + zz) / 3.0
}

/// A value in the order of the file.
pub fn store(from: &[f64], to: &mut [f32]) {
    for (to, from) in to.iter_mut().zip(from) {
        *to = *from as f32;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_turned_as_vectors_and_tensors() {
        // New x is old y, new y old z, new z old x.
        let axes = [[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]];
        let mut vector = [1.0, 2.0, 3.0];
        Shown::Velocity.turn(&axes, &mut vector);
        assert_eq!(vector, [2.0, 3.0, 1.0]);
        // xx, yy, zz, xy, yz, xz.
        let mut tensor = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
        Shown::Strain.turn(&axes, &mut tensor);
        assert_eq!(tensor, [2.0, 3.0, 1.0, 5.0, 6.0, 4.0]);
        let mut pressure = [7.0];
        Shown::Pressure.turn(&axes, &mut pressure);
        assert_eq!(pressure, [7.0]);
    }
}
