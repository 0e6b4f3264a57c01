//! Density and elasticity at a point.

use craton_physics::{Love, Stiffness};

use crate::ModelError;
use crate::check::{positive, require};

/// Slowest P speed that is plausible in SI units \[m/s\]: all materials are faster, and values in km/s are smaller.
pub(crate) const SLOWEST_VP: f64 = 100.0;

/// A medium with at least this P speed \[m/s\] is not a gas ...
const NO_GAS_VP: f64 = 1000.0;

/// ... so its density must be at least this \[kg/m³\]; values in g/cm³ are smaller.
const LIGHTEST_NO_GAS: f64 = 50.0;

/// Elastic properties of a medium.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Elasticity {
    /// An isotropic medium.
    Isotropic {
        /// Speed of P waves \[m/s\].
        vp: f64,
        /// Speed of S waves \[m/s\], 0 in a fluid.
        vs: f64,
    },
    /// A transversely isotropic solid.
    Transverse {
        /// Moduli along and across the axis \[Pa\].
        love: Love,
        /// Symmetry axis, a unit vector \[–\].
        axis: [f64; 3],
    },
    /// A solid with up to 21 independent coefficients.
    Anisotropic(Stiffness),
}

/// A validated medium.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Medium {
    rho: f64,
    elasticity: Elasticity,
}

impl Medium {
    /// Creates an isotropic solid, or a fluid if `vs` is 0.
    ///
    /// # Arguments
    /// * `vp`, `vs` – speeds of P and S waves \[m/s\]
    /// * `rho` – density \[kg/m³\]
    /// # Errors
    /// A density or a vp that is not positive, a vs that is negative or too large for a positive bulk modulus (vp² > 4/3 vs²), values that
    /// are not in SI units.
    pub fn isotropic(vp: f64, vs: f64, rho: f64) -> Result<Self, ModelError> {
        positive("vp", vp, "m/s", "give the speed of P waves")?;
        // Messages are written only for values that are refused: volumes have many points.
        if vp < SLOWEST_VP {
            let allowed = format!("at least {SLOWEST_VP} m/s");
            require(false, "vp", vp, allowed, "it seems to be in km/s; convert it to m/s")?;
        }
        check_density(rho, vp)?;
        let largest = 0.75f64.sqrt() * vp;
        if !(vs.is_finite() && vs >= 0.0 && vs < largest) {
            let allowed = format!(
                "between 0 and {largest:.6} m/s (vp sqrt(3)/2, above which the bulk modulus is negative) for vp = {vp} m/s"
            );
            require(false, "vs", vs, allowed, "set it to 0 for a fluid")?;
        }
        Ok(Self::of_checked(Elasticity::Isotropic { vp, vs }, rho))
    }

    /// Creates a medium from values that are known to be valid.
    #[inline]
    pub(crate) fn of_checked(elasticity: Elasticity, rho: f64) -> Self {
        Self { rho, elasticity }
    }

    /// Creates an anisotropic solid from 21 coefficients.
    ///
    /// # Arguments
    /// * `stiffness` – coefficients \[Pa\]
    /// * `rho` – density \[kg/m³\]
    /// # Errors
    /// Coefficients that are not finite or not positive definite, a density that is not positive, values that are not in SI units.
    pub fn anisotropic(stiffness: Stiffness, rho: f64) -> Result<Self, ModelError> {
        stiffness.check()?;
        positive("rho", rho, "kg/m3", "give the density")?;
        let vp = stiffness.fastest(rho);
        require(
            vp >= SLOWEST_VP,
            "speed of the fastest wave",
            vp,
            format!("at least {SLOWEST_VP} m/s"),
            "the coefficients seem to be in GPa; convert them to Pa",
        )?;
        check_density(rho, vp)?;
        Ok(Self { rho, elasticity: Elasticity::Anisotropic(stiffness) })
    }

    /// Creates a transversely isotropic solid.
    ///
    /// # Arguments
    /// * `love` – moduli along and across the axis \[Pa\]
    /// * `axis` – symmetry axis, a unit vector \[–\]
    /// * `rho` – density \[kg/m³\]
    /// # Errors
    /// As [`Self::anisotropic`].
    pub fn transversely_isotropic(love: Love, axis: [f64; 3], rho: f64) -> Result<Self, ModelError> {
        let general = Self::anisotropic(Stiffness::transversely_isotropic(love), rho)?;
        Ok(Self { elasticity: Elasticity::Transverse { love, axis }, ..general })
    }

    /// Rotates the medium.
    ///
    /// # Arguments
    /// * `rotation` – rotation matrix that maps a direction before the rotation to the direction after it
    pub(crate) fn rotated(&self, rotation: &[[f64; 3]; 3]) -> Self {
        let elasticity = match self.elasticity {
            Elasticity::Anisotropic(stiffness) => {
                Elasticity::Anisotropic(stiffness.rotated(rotation).expect("the rotation matrix is orthonormal"))
            }
            Elasticity::Transverse { love, axis } => Elasticity::Transverse { love, axis: rotate(rotation, axis) },
            isotropic @ Elasticity::Isotropic { .. } => isotropic,
        };
        Self { elasticity, ..*self }
    }

    /// Bulk and shear modulus \[Pa\]: Voigt's averages of an anisotropic solid.
    pub fn mean_moduli(&self) -> (f64, f64) {
        match self.elasticity {
            Elasticity::Isotropic { vp, vs } => {
                let mu = self.rho * vs * vs;
                (self.rho * vp * vp - 4.0 / 3.0 * mu, mu)
            }
            Elasticity::Transverse { love, .. } => love.mean_moduli(),
            Elasticity::Anisotropic(stiffness) => {
                let (lambda, mu) = stiffness.isotropic_average();
                (lambda + 2.0 / 3.0 * mu, mu)
            }
        }
    }

    /// Speeds of P and S waves \[m/s\]; those of the mean moduli of an anisotropic solid.
    pub fn mean_speeds(&self) -> [f64; 2] {
        if let Elasticity::Isotropic { vp, vs } = self.elasticity {
            return [vp, vs];
        }
        let (kappa, mu) = self.mean_moduli();
        [kappa + 4.0 / 3.0 * mu, mu].map(|modulus| (modulus / self.rho).sqrt())
    }

    /// The medium with its mean bulk and shear modulus multiplied by factors, and the new mean moduli \[Pa\]. The anisotropic part does not change.
    pub(crate) fn stiffened(&self, [bulk, shear]: [f64; 2]) -> (Self, [f64; 2]) {
        let (kappa, mu) = self.mean_moduli();
        let (more_kappa, more_mu) = ((bulk - 1.0) * kappa, (shear - 1.0) * mu);
        let more_lambda = more_kappa - 2.0 / 3.0 * more_mu;
        let elasticity = match self.elasticity {
            Elasticity::Isotropic { vp, vs } => Elasticity::Isotropic {
                vp: (vp * vp + (more_lambda + 2.0 * more_mu) / self.rho).sqrt(),
                vs: vs * shear.sqrt(),
            },
            Elasticity::Transverse { love: Love { a, c, f, l, n }, axis } => {
                let more_p = more_lambda + 2.0 * more_mu;
                let love = Love { a: a + more_p, c: c + more_p, f: f + more_lambda, l: l + more_mu, n: n + more_mu };
                Elasticity::Transverse { love, axis }
            }
            Elasticity::Anisotropic(Stiffness(coefficients)) => {
                let more = Stiffness::isotropic(more_lambda, more_mu);
                Elasticity::Anisotropic(Stiffness(std::array::from_fn(|index| coefficients[index] + more.0[index])))
            }
        };
        (Self { elasticity, ..*self }, [bulk * kappa, shear * mu])
    }

    /// Density \[kg/m³\].
    pub fn rho(&self) -> f64 {
        self.rho
    }

    /// Elastic properties.
    pub fn elasticity(&self) -> &Elasticity {
        &self.elasticity
    }

    /// Whether it is a fluid.
    pub fn is_fluid(&self) -> bool {
        matches!(self.elasticity, Elasticity::Isotropic { vs: 0.0, .. })
    }

    /// Elastic coefficients \[Pa\], computed from the speeds for an isotropic medium.
    pub fn stiffness(&self) -> Stiffness {
        match self.elasticity {
            Elasticity::Isotropic { vp, vs } => Stiffness::from_speeds(vp, vs, self.rho),
            Elasticity::Transverse { love, axis } => Stiffness::transversely_isotropic_about(love, axis),
            Elasticity::Anisotropic(stiffness) => stiffness,
        }
    }

    /// Phase speed of the slowest wave \[m/s\]: vs, vp in a fluid, the minimum over all directions in an anisotropic solid.
    pub fn slowest(&self) -> f64 {
        match self.elasticity {
            Elasticity::Isotropic { vp, vs: 0.0 } => vp,
            Elasticity::Isotropic { vs, .. } => vs,
            Elasticity::Transverse { love, .. } => love.slowest(self.rho),
            Elasticity::Anisotropic(stiffness) => stiffness.slowest(self.rho),
        }
    }

    /// Phase speed of the fastest wave \[m/s\]: vp, or the maximum over all directions in an anisotropic solid.
    pub fn fastest(&self) -> f64 {
        match self.elasticity {
            Elasticity::Isotropic { vp, .. } => vp,
            Elasticity::Transverse { love, .. } => love.fastest(self.rho),
            Elasticity::Anisotropic(stiffness) => stiffness.fastest(self.rho),
        }
    }
}

/// A direction after a rotation.
pub(crate) fn rotate(rotation: &[[f64; 3]; 3], direction: [f64; 3]) -> [f64; 3] {
    rotation.map(|row| row[0] * direction[0] + row[1] * direction[1] + row[2] * direction[2])
}

pub(crate) fn check_density(rho: f64, vp: f64) -> Result<(), ModelError> {
    positive("rho", rho, "kg/m3", "give the density")?;
    if rho < LIGHTEST_NO_GAS && vp >= NO_GAS_VP {
        let allowed = format!("at least {LIGHTEST_NO_GAS} kg/m3 where vp is {vp} m/s");
        require(false, "rho", rho, allowed, "it seems to be in g/cm3; convert it to kg/m3")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slowest_and_fastest_waves_of_solid_and_fluid() {
        let rock = Medium::isotropic(6000.0, 3464.0, 2700.0).unwrap();
        assert_eq!((rock.slowest(), rock.fastest()), (3464.0, 6000.0));
        let water = Medium::isotropic(1500.0, 0.0, 1000.0).unwrap();
        assert_eq!((water.slowest(), water.fastest()), (1500.0, 1500.0));
        assert!(water.is_fluid() && !rock.is_fluid());
    }

    #[test]
    fn isotropic_as_21_coefficients_has_the_same_waves() {
        let rock = Medium::isotropic(6000.0, 3464.0, 2700.0).unwrap();
        let same = Medium::anisotropic(rock.stiffness(), 2700.0).unwrap();
        assert!((same.slowest() / 3464.0 - 1.0).abs() < 1e-12);
        assert!((same.fastest() / 6000.0 - 1.0).abs() < 1e-12);
    }

    #[test]
    fn invalid_media_are_refused_with_value_range_and_hint() {
        let message = |vp, vs, rho| Medium::isotropic(vp, vs, rho).unwrap_err().to_string();
        assert_eq!(
            message(6000.0, 3464.0, -2700.0),
            "rho = -2700 is not allowed: it must be above 0 kg/m3; give the density"
        );
        assert_eq!(
            message(6000.0, 5500.0, 2700.0),
            "vs = 5500 is not allowed: it must be between 0 and 5196.152423 m/s (vp sqrt(3)/2, above which the bulk modulus \
             is negative) for vp = 6000 m/s; set it to 0 for a fluid"
        );
        assert_eq!(
            message(6.0, 3.464, 2700.0),
            "vp = 6 is not allowed: it must be at least 100 m/s; it seems to be in km/s; convert it to m/s"
        );
        assert_eq!(
            message(6000.0, 3464.0, 2.7),
            "rho = 2.7 is not allowed: it must be at least 50 kg/m3 where vp is 6000 m/s; it seems to be in g/cm3; convert it to kg/m3"
        );
        for (vp, vs, rho) in [(f64::NAN, 1.0, 1e3), (2e3, f64::NAN, 1e3), (2e3, -1.0, 1e3), (2e3, 1e3, f64::INFINITY)] {
            assert!(Medium::isotropic(vp, vs, rho).is_err());
        }
    }

    #[test]
    fn air_is_a_medium() {
        assert!(Medium::isotropic(340.0, 0.0, 1.2).is_ok());
    }

    #[test]
    fn coefficients_in_gigapascal_are_recognised() {
        let rock = Stiffness::from_speeds(6000.0, 3464.0, 2700.0);
        let in_gpa = Stiffness(rock.0.map(|c| c * 1e-9));
        let error = Medium::anisotropic(in_gpa, 2700.0).unwrap_err();
        assert!(error.to_string().ends_with("seem to be in GPa; convert them to Pa"), "{error}");
        let negative = Stiffness(rock.0.map(|c| -c));
        assert!(matches!(Medium::anisotropic(negative, 2700.0), Err(ModelError::Stiffness(_))));
    }
}
