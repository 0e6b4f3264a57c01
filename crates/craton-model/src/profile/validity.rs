//! Proof that a depth-dependent medium is valid at every height.

use crate::{ModelError, Transverse};

/// Largest number of bisections of a span: down to 1/65536 of it.
const MOST_HALVINGS: usize = 16;

/// Properties along a vertical line.
pub(crate) struct VerticalProperties<'a> {
    /// Properties at a height \[m\].
    pub at: &'a dyn Fn(f64) -> Transverse,
    /// Bounds of the properties between two heights \[m\].
    pub ranges: &'a dyn Fn([f64; 2]) -> Transverse<[f64; 2]>,
    /// Whether the medium is isotropic at all heights.
    pub is_isotropic: bool,
}

impl VerticalProperties<'_> {
    /// Refuses a span with an invalid medium at any height. The span is bisected until the ranges of its properties prove that all media
    /// are valid, or until an invalid one is found, whose height is returned with the reason. Verified by
    /// `invalid_profiles_are_refused_with_their_height`.
    pub fn check(&self, [low, high]: [f64; 2]) -> Result<(), (f64, ModelError)> {
        for z in [high, low] {
            (self.at)(z).check().map_err(|error| (z, error))?;
        }
        self.check_between([low, high], MOST_HALVINGS)
    }

    fn check_between(&self, [low, high]: [f64; 2], halvings: usize) -> Result<(), (f64, ModelError)> {
        if halvings == 0 || are_valid_media(&(self.ranges)([low, high]), self.is_isotropic) {
            return Ok(());
        }
        let middle = 0.5 * (low + high);
        (self.at)(middle).check().map_err(|error| (middle, error))?;
        self.check_between([low, middle], halvings - 1)?;
        self.check_between([middle, high], halvings - 1)
    }
}

/// Whether all properties within ranges make valid media.
pub(crate) fn are_valid_media(ranges: &Transverse<[f64; 2]>, is_isotropic: bool) -> bool {
    if is_isotropic {
        let end = |(p, s)| Transverse::isotropic(ranges.vpv[p], ranges.vsv[s], ranges.rho[0]);
        return [(0, 1), (1, 0)].into_iter().all(|ends| end(ends).check().is_ok());
    }
    // Corners suffice for positive definiteness, since (A - N) C - F² is concave in each property.
    (0..64_usize).all(|corner| {
        let ends = Transverse { vpv: 0, vph: 1, vsv: 2, vsh: 3, eta: 4, rho: 5 };
        ranges.join(ends, |range, bit| range[corner >> bit & 1]).check().is_ok()
    })
}
