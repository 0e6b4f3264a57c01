//! AK135, from the table used by travel-time programs, and AK135-F, its variant with the densities and quality factors of Montagner & Kennett
//! (1996).

use std::path::Path;

use craton_formats::table::{self, Table};

use super::{Law, Shell, height};
use crate::{LossProfile, Losses, TransverseRow, depth_table};

/// The table of AK135 with its provenance.
const AK135: &str = include_str!("../../data/ak135.txt");

/// The table of AK135-F with its provenance.
const AK135_F: &str = include_str!("../../data/ak135f.txt");

/// The quality factors of AK135-F below the crust of AK135, with their provenance.
const QUALITY: &str = include_str!("../../data/ak135f_quality.txt");

pub(super) fn shells() -> Vec<Shell> {
    shells_of(AK135)
}

pub(super) fn shells_f() -> Vec<Shell> {
    shells_of(AK135_F)
}

pub(super) fn losses() -> LossProfile {
    losses_of(QUALITY)
}

pub(super) fn losses_f() -> LossProfile {
    losses_of(AK135_F)
}

fn shells_of(text: &str) -> Vec<Shell> {
    let rows = TransverseRow::from_table(&read(text)).expect("the table has these columns");
    let shell = |piece: &[TransverseRow]| {
        let depth = [piece[0].depth / 1000.0, piece[piece.len() - 1].depth / 1000.0];
        Shell { depth, law: Law::Lines(piece.iter().map(TransverseRow::knot).collect()) }
    };
    depth_table::pieces(&rows).map(shell).collect()
}

/// The losses of a table with the quality factors of P waves and of the shear modulus.
///
/// In solids, the former follow from the latter: the bulk modulus has no losses (Montagner & Kennett 1996, equation 2.6).
/// Verified by `the_p_waves_of_ak135_f_lose_energy_by_shear_alone`.
fn losses_of(text: &str) -> LossProfile {
    let table = read(text);
    let [depth, qp, qmu] =
        ["depth_km", "qp", "qmu"].map(|name| table.require(name).expect("the table has this column"));
    let losses = |row: usize| match qmu[row] {
        0.0 => Losses { bulk: 1.0 / qp[row], shear: 0.0 },
        qmu => Losses { bulk: 0.0, shear: 1.0 / qmu },
    };
    LossProfile::new((0..table.row_count()).map(|row| (height(depth[row]), losses(row))).collect())
}

fn read(text: &str) -> Table {
    table::parse(text, Path::new("ak135.txt")).expect("the table is part of the program")
}
