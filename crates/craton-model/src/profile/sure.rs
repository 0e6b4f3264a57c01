//! Whether media that follow a law are media at every height.

use crate::{ModelError, Transverse};

/// How often a span is halved to show it: down to a part in 65 536 of it.
const MOST_HALVINGS: usize = 16;

/// Properties along a vertical.
pub(crate) struct Vertical<'a> {
    /// The properties at a height \[m\].
    pub at: &'a dyn Fn(f64) -> Transverse,
    /// What holds the properties between two heights \[m\].
    pub ranges: &'a dyn Fn([f64; 2]) -> Transverse<[f64; 2]>,
    /// Whether they have no direction anywhere.
    pub is_isotropic: bool,
}

impl Vertical<'_> {
    /// Refuses a span of heights that holds no medium somewhere: it is halved until the ranges of its properties show that
    /// every one of them would do, or until a height is found that would not, which is returned with the reason. Verified by
    /// `impossible_profiles_are_refused_with_their_height`.
    pub fn check(&self, [low, high]: [f64; 2]) -> Result<(), (f64, ModelError)> {
        for z in [high, low] {
            (self.at)(z).check().map_err(|error| (z, error))?;
        }
        self.check_between([low, high], MOST_HALVINGS)
    }

    fn check_between(&self, [low, high]: [f64; 2], halvings: usize) -> Result<(), (f64, ModelError)> {
        if halvings == 0 || are_surely_media(&(self.ranges)([low, high]), self.is_isotropic) {
            return Ok(());
        }
        let middle = 0.5 * (low + high);
        (self.at)(middle).check().map_err(|error| (middle, error))?;
        self.check_between([low, middle], halvings - 1)?;
        self.check_between([middle, high], halvings - 1)
    }
}

/// Whether all properties within ranges make media.
pub(crate) fn are_surely_media(ranges: &Transverse<[f64; 2]>, is_isotropic: bool) -> bool {
    if is_isotropic {
        let end = |(p, s)| Transverse::isotropic(ranges.vpv[p], ranges.vsv[s], ranges.rho[0]);
        return [(0, 1), (1, 0)].into_iter().all(|ends| end(ends).check().is_ok());
    }
    // Positive definite is what no property alone can break inside of its range: (A - N) C - F² is concave in each.
    (0..64_usize).all(|corner| {
        let ends = Transverse { vpv: 0, vph: 1, vsv: 2, vsh: 3, eta: 4, rho: 5 };
        ranges.join(ends, |range, bit| range[corner >> bit & 1]).check().is_ok()
    })
}
