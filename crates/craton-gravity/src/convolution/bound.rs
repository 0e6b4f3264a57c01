//! Round-off bound of a convolution.

use crate::{Field, Fields};

/// Round-off of one stage of an FFT, in units of u = 2⁻⁵³: a multiplication by a rounded twiddle factor, and a sum.
const STAGE: f64 = 6.7;

/// Upper bound of the RMS round-off error of each field over the points, caused by the transforms.
///
/// The error of a transform of length N is less than 6.7 u log₂ N times the norm of its input, u = 2⁻⁵³ (Higham, Accuracy and Stability of Numerical
/// Algorithms, theorem 24.2, stated for powers of two and applied here to all lengths). The product of the spectra of a density ρ and a field K has twice that
/// error. The inverse transform adds it once more in the mean over the points, where by the Cauchy-Schwarz inequality no sum exceeds |ρ| |K|. Accumulating n
/// products adds n + 3 units: the bound is (20.1 log₂ N + n + 3) u times the sum of |ρ| |K| over all layers. It assumes that all round-off errors have the same
/// sign; actual errors are ten to several hundred times smaller. Verified by `convolution::round_off_is_below_its_bound_and_not_far_below`.
///
/// The bound covers the transforms only. Coordinates that rounding moved off the lattice, as far as [`Lattice::of`](crate::Lattice::of) accepts, are snapped to
/// it. The result of [`forward`](crate::forward) for the rounded coordinates differs by the effect of this shift, which for coordinates of 5e6 m and cells of a
/// few metres is 1e-9 of the tensor.
#[derive(Debug, Clone, PartialEq)]
pub struct Bound {
    fields: Fields,
    values: Vec<f64>,
}

impl Bound {
    /// The bound for a field, in its unit; `None` if the field was not requested.
    pub fn get(&self, field: Field) -> Option<f64> {
        let place = self.fields.iter().position(|asked| asked == field)?;
        Some(self.values[place])
    }

    /// Bounds of fields, in the order of [`Field::ALL`].
    pub(super) fn new(fields: Fields, values: Vec<f64>) -> Self {
        Self { fields, values }
    }

    /// Factor on the sum of products of norms.
    ///
    /// # Arguments
    /// * `size` – number of points of a plane; `terms` – number of accumulated products of spectra
    pub(super) fn factor(size: f64, terms: usize) -> f64 {
        let unit = 0.5 * f64::EPSILON;
        unit * (3.0 * STAGE * size.log2() + terms as f64 + 3.0)
    }
}
