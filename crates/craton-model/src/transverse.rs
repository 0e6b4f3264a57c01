//! Transversely isotropic media with a vertical axis of symmetry.

use craton_physics::Love;

use crate::check::{positive, require};
use crate::medium::{SLOWEST_VP, check_density};
use crate::{Elasticity, Medium, ModelError, Polynomial};

/// Symmetry axis of media that depend on depth.
pub(crate) const VERTICAL: [f64; 3] = [0.0, 0.0, 1.0];

/// Vertical (v) and horizontal (h) speeds and density: numbers, or another type per property, such as polynomials or ranges.
///
/// For S waves, the letter is the polarisation of a wave that travels horizontally; vsv is also the speed of the S wave that travels
/// vertically.
///
/// # Source
/// Dziewonski & Anderson (1981), Preliminary reference Earth model, section 3.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Transverse<T = f64> {
    /// Speed of the vertical P wave \[m/s\].
    pub vpv: T,
    /// Speed of the horizontal P wave \[m/s\].
    pub vph: T,
    /// Speed of the horizontal S wave with vertical polarisation \[m/s\].
    pub vsv: T,
    /// Speed of the horizontal S wave with horizontal polarisation \[m/s\].
    pub vsh: T,
    /// Anisotropy parameter F / (A - 2 L) of Love's moduli \[–\], 1 in an isotropic medium.
    pub eta: T,
    /// Density \[kg/m³\].
    pub rho: T,
}

impl<T> Transverse<T> {
    /// Applies a function to each property.
    pub fn map<U>(self, mut change: impl FnMut(T) -> U) -> Transverse<U> {
        Transverse {
            vpv: change(self.vpv),
            vph: change(self.vph),
            vsv: change(self.vsv),
            vsh: change(self.vsh),
            eta: change(self.eta),
            rho: change(self.rho),
        }
    }

    /// Combines two sets of properties, property by property.
    pub(crate) fn join<U, V>(self, other: Transverse<U>, mut both: impl FnMut(T, U) -> V) -> Transverse<V> {
        Transverse {
            vpv: both(self.vpv, other.vpv),
            vph: both(self.vph, other.vph),
            vsv: both(self.vsv, other.vsv),
            vsh: both(self.vsh, other.vsh),
            eta: both(self.eta, other.eta),
            rho: both(self.rho, other.rho),
        }
    }

    /// All properties as an array.
    pub(crate) fn values(self) -> [T; 6] {
        [self.vpv, self.vph, self.vsv, self.vsh, self.eta, self.rho]
    }
}

impl Transverse {
    /// An isotropic medium, a fluid if `vs` is 0.
    pub fn isotropic(vp: f64, vs: f64, rho: f64) -> Self {
        Self { vpv: vp, vph: vp, vsv: vs, vsh: vs, eta: 1.0, rho }
    }

    /// Whether it is isotropic.
    pub fn is_isotropic(&self) -> bool {
        self.vpv == self.vph && self.vsv == self.vsh && self.eta == 1.0
    }

    /// Love's moduli \[Pa\].
    pub fn love(&self) -> Love {
        Love::from_speeds([self.vpv, self.vph], [self.vsv, self.vsh], self.eta, self.rho)
    }

    /// Refuses properties of an invalid medium.
    ///
    /// # Errors
    /// As [`Medium::isotropic`]; for an anisotropic medium, a speed or eta that is not positive, moduli that are not positive definite,
    /// values that are not in SI units.
    pub fn check(&self) -> Result<(), ModelError> {
        let Self { vpv, vph, vsv, vsh, eta, rho } = *self;
        if self.is_isotropic() {
            return Medium::isotropic(vpv, vsv, rho).map(|_| ());
        }
        for (what, vp) in [("vpv", vpv), ("vph", vph)] {
            positive(what, vp, "m/s", "give the speed of P waves")?;
            require(
                vp >= SLOWEST_VP,
                what,
                vp,
                format!("at least {SLOWEST_VP} m/s"),
                "it seems to be in km/s; convert it to m/s",
            )?;
        }
        for (what, vs) in [("vsv", vsv), ("vsh", vsh)] {
            positive(what, vs, "m/s", "a fluid is isotropic: vpv = vph, vsv = vsh = 0, eta = 1")?;
        }
        positive("eta", eta, "", "1 is isotropic")?;
        check_density(rho, vpv)?;
        Ok(self.love().check()?)
    }

    /// Converts validated properties to a medium.
    #[inline]
    pub fn medium(&self) -> Medium {
        let elasticity = match self.is_isotropic() {
            true => Elasticity::Isotropic { vp: self.vpv, vs: self.vsv },
            false => Elasticity::Transverse { love: self.love(), axis: VERTICAL },
        };
        Medium::of_checked(elasticity, self.rho)
    }
}

impl Transverse<Polynomial> {
    /// Polynomial properties of an isotropic medium.
    pub const fn isotropic_law(vp: Polynomial, vs: Polynomial, rho: Polynomial) -> Self {
        Self { vpv: vp, vph: vp, vsv: vs, vsh: vs, eta: Polynomial([1.0, 0.0, 0.0, 0.0]), rho }
    }
}
