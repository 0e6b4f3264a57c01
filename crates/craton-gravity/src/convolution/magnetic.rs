//! Magnetic fields of a lattice of prisms with one direction of magnetisation.

use craton_device::{Isa, Workers};

use super::Convolution;
use super::quantity::Quantities;
use crate::{Magnetic, MagneticFields, Poisson};

impl Convolution<'_> {
    /// Magnetic fields of the lattice at the points of the grid, for prisms that are magnetised along one direction, and bounds of their round-off.
    ///
    /// They equal those of [`crate::magnetic_forward`] for prisms exactly on the lattice. The result is bit-identical for any number of threads. Verified by
    /// `convolution_magnetic::fields_match_direct_sums_on_any_grid`.
    ///
    /// # Arguments
    /// * `direction` – unit vector (east, north, up). The densities of the prisms are their magnetisations along it [A/m]; fields of several directions add
    /// * `isa` – instruction set; results of different ones may differ by round-off
    /// * `progress` – called after each layer with the fraction of all layers it represents; `false` cancels
    /// # Returns
    /// The fields, and for each component, in the order of [`crate::MagneticField::ALL`], a bound as [`super::Bound`] in its unit; `None` if cancelled.
    /// # Domain and errors
    /// As for `magnetic_forward`: B on faces is the limit from outside, and the gradient on edges is NaN where that of `magnetic_forward` is. B is NaN where a
    /// component of the tensor is that it requires, as for [`Poisson::field`]. Verified by `convolution_magnetic::points_on_prisms_match_direct_sums`.
    /// # Panics
    /// If this processor lacks `isa`.
    pub fn magnetic_forward(
        &self,
        direction: [f64; 3],
        fields: MagneticFields,
        workers: &Workers,
        isa: Isa,
        progress: &(dyn Fn(f64) -> bool + Sync),
    ) -> Option<(Magnetic, Vec<f64>)> {
        let (values, bounds) = self.convolve(quantities(fields), workers, isa, progress)?;
        Some(Poisson::new(direction).combine(&values, &bounds))
    }

    /// Memory that [`Convolution::magnetic_forward`] needs [bytes], as [`Convolution::bytes`].
    pub fn magnetic_bytes(&self, fields: MagneticFields) -> u64 {
        self.bytes_of(quantities(fields))
    }
}

/// The tensor, and for a gradient the third derivatives.
fn quantities(fields: MagneticFields) -> Quantities {
    Quantities { fields: fields.tensor(), has_third: fields.has_gradient() }
}
