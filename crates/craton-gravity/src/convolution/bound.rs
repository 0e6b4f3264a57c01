//! What round-off a convolution may have.

use crate::{Field, Fields};

/// Round-off of one stage of a transform, in units of round-off: a rotation by a factor that is itself rounded, and a sum.
const STAGE: f64 = 6.7;

/// How much round-off of the transforms there may be in fields, root mean square over the points.
///
/// A transform of N places is wrong by less than 6.7 u log₂ N of the norm of what is transformed, u = 2⁻⁵³ (Higham, Accuracy and Stability of Numerical Algorithms, theorem
/// 24.2; it is one of lengths that are powers of two, and others are counted alike). So the product of the spectra of a density ρ and a field K is wrong by twice that, the
/// inverse transform once more in the mean over the places, where by Cauchy and Schwarz no sum exceeds |ρ| |K|. Adding up n products gives n + 3 more units:
/// (20.1 log₂ N + n + 3) u times the sum of |ρ| |K| over all layers. Round-off is not of one sign, as that bound has it: in fact it is ten to some hundred times smaller.
/// Verified by `convolution::round_off_is_below_its_bound_and_not_far_below`.
///
/// It is that of the transforms alone. Places that rounding has moved off the lattice, as far as [`Lattice::of`](crate::Lattice::of) lets it, are taken as those of the
/// lattice: what [`forward`](crate::forward) makes of the rounded ones differs by what a step in the last places of coordinates does to a field, which at 5e6 m and cells
/// of some metres is 1e-9 of the tensor.
#[derive(Debug, Clone, PartialEq)]
pub struct Bound {
    fields: Fields,
    values: Vec<f64>,
}

impl Bound {
    /// Of a field, in its unit; none if it was not asked for.
    pub fn get(&self, field: Field) -> Option<f64> {
        let place = self.fields.iter().position(|asked| asked == field)?;
        Some(self.values[place])
    }

    /// Of fields, in the order of their places.
    pub(super) fn new(fields: Fields, values: Vec<f64>) -> Self {
        Self { fields, values }
    }

    /// What the sum of products of norms must be multiplied with.
    ///
    /// # Arguments
    /// * `size` – places of a plane; `terms` – products of spectra that were added
    pub(super) fn factor(size: f64, terms: usize) -> f64 {
        let unit = 0.5 * f64::EPSILON;
        unit * (3.0 * STAGE * size.log2() + terms as f64 + 3.0)
    }
}
