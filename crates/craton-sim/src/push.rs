//! What a point source does, to whatever method.

use craton_acquisition::Mechanism;

/// What a point source does, for a history of one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Push {
    /// A force [N], x, y, z.
    Force([f64; 3]),
    /// A moment tensor [N m], xx, yy, zz, yz, xz, xy.
    Moment([f64; 6]),
}

impl Push {
    /// Whether it is a moment that a fluid cannot hold, any but that of an explosion.
    pub fn is_shear(&self) -> bool {
        let &Self::Moment([xx, yy, zz, yz, xz, xy]) = self else { return false };
        let mean = (xx + yy + zz) / 3.0;
        let beside = [xx - mean, yy - mean, zz - mean, yz, xz, xy].map(f64::abs);
        // What rotating an explosion leaves is round-off.
        beside.into_iter().fold(0.0, f64::max) > 1e-9 * mean.abs()
    }
}

impl From<&Mechanism> for Push {
    fn from(mechanism: &Mechanism) -> Self {
        match mechanism {
            Mechanism::Moment(tensor) => Self::Moment(tensor.to_voigt()),
            Mechanism::Force(force) => Self::Force(*force),
        }
    }
}
