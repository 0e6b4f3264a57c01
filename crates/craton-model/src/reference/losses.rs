//! Quality factors of reference Earths.

use super::{ReferenceEarth, height};
use crate::{LossProfile, Losses};

/// Quality factor of the bulk modulus in crust and mantle of PREM.
const QKAPPA: f64 = 57_823.0;

/// Quality factors of the shear modulus in the shells of PREM, from the top down: Dziewonski & Anderson (1981), table II.
const QMU: [f64; 4] = [600.0, 80.0, 143.0, 312.0];

impl ReferenceEarth {
    /// Losses of the model. Models without quality factors of their own have those of PREM, with its shells between their nearest boundaries.
    pub(super) fn losses(self) -> LossProfile {
        let bottoms = match self {
            Self::Prem | Self::PremAnisotropic => [80.0, 220.0, 670.0, 2891.0],
            Self::Iasp91 => [120.0, 210.0, 660.0, 2889.0],
            Self::Ak135 => [77.5, 210.0, 660.0, 2891.5],
        };
        let mut top = 0.0;
        let mut knots = Vec::new();
        for (bottom, qmu) in bottoms.into_iter().zip(QMU) {
            let losses = Losses { bulk: 1.0 / QKAPPA, shear: 1.0 / qmu };
            knots.extend([(height(top), losses), (height(bottom), losses)]);
            top = bottom;
        }
        LossProfile::new(knots)
    }
}
