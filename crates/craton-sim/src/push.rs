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
        xx != yy || xx != zz || [yz, xz, xy] != [0.0; 3]
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
