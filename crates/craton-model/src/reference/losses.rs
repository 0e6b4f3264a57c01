//! Quality factors of reference Earths.

use super::{ReferenceEarth, ak135, height};
use crate::{LossProfile, Losses};

/// Quality factor of the bulk modulus in PREM above the inner core.
const QKAPPA: f64 = 57_823.0;

/// Losses of the shells of PREM, from the top down to the inner core: Dziewonski & Anderson (1981), table II.
const SHELLS: [Losses; 6] = [
    shell(600.0),
    shell(80.0),
    shell(143.0),
    shell(312.0),
    Losses { bulk: 1.0 / QKAPPA, shear: 0.0 },
    Losses { bulk: 1.0 / 1327.7, shear: 1.0 / 84.6 },
];

/// A shell of crust or mantle with this quality factor of the shear modulus.
const fn shell(qmu: f64) -> Losses {
    Losses { bulk: 1.0 / QKAPPA, shear: 1.0 / qmu }
}

impl ReferenceEarth {
    /// Losses of the model: those of PREM, of AK135-F for AK135, and for IASP91, which has none of its own, those of PREM between its own boundaries.
    pub(super) fn losses(self) -> LossProfile {
        let bottoms = match self {
            Self::Ak135 => return ak135::losses(),
            Self::Ak135F => return ak135::losses_f(),
            Self::Prem | Self::PremAnisotropic => [80.0, 220.0, 670.0, 2891.0, 5149.5, 6371.0],
            Self::Iasp91 => [120.0, 210.0, 660.0, 2889.0, 5153.9, 6371.0],
        };
        let mut top = 0.0;
        let mut knots = Vec::new();
        for (bottom, losses) in bottoms.into_iter().zip(SHELLS) {
            knots.extend([(height(top), losses), (height(bottom), losses)]);
            top = bottom;
        }
        LossProfile::new(knots)
    }
}
