//! Mechanism of a point source, independent of the method.

use craton_acquisition::Mechanism;

/// Mechanism of a point source; its time history is a dimensionless factor.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum SourceMechanism {
    /// Force [N], x, y, z.
    Force([f64; 3]),
    /// Moment tensor [N m], xx, yy, zz, yz, xz, xy.
    Moment([f64; 6]),
}

impl SourceMechanism {
    /// Whether it is a moment tensor with a deviatoric part, which a fluid cannot sustain.
    pub fn is_shear(&self) -> bool {
        let &Self::Moment([xx, yy, zz, yz, xz, xy]) = self else { return false };
        let mean = (xx + yy + zz) / 3.0;
        let deviatoric = [xx - mean, yy - mean, zz - mean, yz, xz, xy].map(f64::abs);
        // The rotation of an isotropic tensor leaves round-off.
        deviatoric.into_iter().fold(0.0, f64::max) > 1e-9 * mean.abs()
    }
}

impl From<&Mechanism> for SourceMechanism {
    fn from(mechanism: &Mechanism) -> Self {
        match mechanism {
            Mechanism::Moment(tensor) => Self::Moment(tensor.to_voigt()),
            Mechanism::Force(force) => Self::Force(*force),
        }
    }
}
