//! AK135: Kennett, Engdahl & Buland (1995), from the table used by travel-time programs.

use std::path::Path;

use craton_formats::table;

use super::{Law, Shell};
use crate::{TransverseRow, depth_table};

/// The table with its provenance.
const TABLE: &str = include_str!("../../data/ak135.txt");

pub(super) fn shells() -> Vec<Shell> {
    let table = table::parse(TABLE, Path::new("ak135.txt")).expect("the table is part of the program");
    let rows = TransverseRow::from_table(&table).expect("the table has these columns");
    let shell = |piece: &[TransverseRow]| {
        let depth = [piece[0].depth / 1000.0, piece[piece.len() - 1].depth / 1000.0];
        Shell { depth, law: Law::Lines(piece.iter().map(TransverseRow::knot).collect()) }
    };
    depth_table::pieces(&rows).map(shell).collect()
}
