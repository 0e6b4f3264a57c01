//! Quality factors of reference Earths.

use std::path::Path;

use craton_formats::table;

use super::{ReferenceEarth, height};
use crate::{LossProfile, Losses};

/// Quality factor of the bulk modulus in crust and mantle of PREM.
const QKAPPA: f64 = 57_823.0;

/// Quality factors of the shear modulus in the shells of PREM, from the top down: Dziewonski & Anderson (1981), table II.
const QMU: [f64; 4] = [600.0, 80.0, 143.0, 312.0];

impl ReferenceEarth {
    /// Losses of the model: those of PREM, of ak135-f for AK135, and for IASP91, which has none of its own, those of PREM between its own boundaries.
    pub(super) fn losses(self) -> LossProfile {
        let bottoms = match self {
            Self::Ak135 => return of_ak135(),
            Self::Prem | Self::PremAnisotropic => [80.0, 220.0, 670.0, 2891.0],
            Self::Iasp91 => [120.0, 210.0, 660.0, 2889.0],
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

/// The table of ak135-f with its provenance.
const AK135F: &str = include_str!("../../data/ak135f_quality.txt");

fn of_ak135() -> LossProfile {
    let table = table::parse(AK135F, Path::new("ak135f_quality.txt")).expect("the table is part of the program");
    let [depth, bulk, shear] =
        ["depth_km", "qkappa", "qmu"].map(|name| table.require(name).expect("the table has this column"));
    let knot = |row: usize| (height(depth[row]), Losses { bulk: 1.0 / bulk[row], shear: 1.0 / shear[row] });
    LossProfile::new((0..table.row_count()).map(knot).collect())
}
