//! Benchmark: time to read prisms from text and from NumPy files, and UBC-GIF models.
//!
//! `cargo bench -p craton-formats --bench tables -- [ROWS]` writes files of `ROWS` rows (default 1 million) to the folder for temporary
//! files, reads them, and prints a Markdown table. The files were just written, so they are read from the page cache.

#![allow(clippy::print_stdout)] // a benchmark's result is what it prints

use std::error::Error;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::time::Instant;

use craton_formats::ubc::{Mesh, Model};
use craton_formats::{Refused, atomic, npy, table};

/// Number of rounds; the best and the median are reported.
const ROUNDS: usize = 3;
const NAMES: [&str; 7] = ["west", "east", "south", "north", "bottom", "top", "density"];

fn main() -> Result<(), Box<dyn Error>> {
    let rows = std::env::args().skip(1).find_map(|word| word.parse().ok()).unwrap_or(1_000_000);
    let folder = tempfile::tempdir()?;
    let csv = folder.path().join("prisms.csv");
    write_prisms(&csv, rows)?;
    println!("| file | rows | MB | s, best (median) | MB/s | peak MB |");
    println!("|---|---|---|---|---|---|");
    measure("csv", &csv, rows, || Ok(table::read_columns(&csv, &NAMES)?.row_count()))?;
    let npy = folder.path().join("prisms.npy");
    let columns = table::read_columns(&csv, &NAMES)?.into_columns();
    npy::write(&npy, &columns.iter().map(Vec::as_slice).collect::<Vec<_>>())?;
    drop(columns);
    measure("npy", &npy, rows, || Ok(npy::read_columns(&npy, &NAMES)?[0].len()))?;
    let (mesh, model) = (mesh(rows)?, folder.path().join("prisms.den"));
    Model { densities_g_cm3: (0..mesh.cell_count()).map(density).collect() }.write(&model, &mesh)?;
    measure("UBC model", &model, mesh.cell_count(), || Ok(Model::read(&model, &mesh)?.densities_g_cm3.len()))
}

/// Writes prisms with coordinates rounded to cm.
fn write_prisms(path: &Path, rows: usize) -> craton_formats::Result<()> {
    atomic::write_with(path, |out| {
        writeln!(out, "{}", NAMES.join(","))?;
        for row in 0..rows {
            let (i, j, k) = (row % 400, row / 400 % 400, row / 160_000);
            let (x, y, z) = (431_250.25 + 12.5 * i as f64, 6_120_000.75 + 12.5 * j as f64, -6.25 * k as f64);
            let density = density(row);
            writeln!(out, "{x:.2},{:.2},{y:.2},{:.2},{:.2},{z:.2},{density:.3}", x + 12.5, y + 12.5, z - 6.25)?;
        }
        Ok(())
    })
}

fn density(cell: usize) -> f64 {
    -320.0 + ((cell * 7919) % 64_000) as f64 * 0.01
}

/// A mesh of about `cells` cells.
fn mesh(cells: usize) -> Result<Mesh, Refused> {
    Mesh::new([0.0; 3], [vec![12.5; 400], vec![12.5; 400], vec![6.25; cells.div_ceil(160_000)]])
}

fn measure(
    name: &str,
    path: &Path,
    rows: usize,
    read: impl Fn() -> Result<usize, Box<dyn Error>>,
) -> Result<(), Box<dyn Error>> {
    let mut times = Vec::new();
    for _ in 0..ROUNDS {
        let start = Instant::now();
        assert_eq!(read()?, rows);
        times.push(start.elapsed().as_secs_f64());
    }
    times.sort_by(f64::total_cmp);
    let megabytes = fs::metadata(path)?.len() as f64 / 1e6;
    let (best, median) = (times[0], times[ROUNDS / 2]);
    println!(
        "| {name} | {rows} | {megabytes:.0} | {best:.2} ({median:.2}) | {:.0} | {:.0} |",
        megabytes / best,
        peak()
    );
    Ok(())
}

/// Peak resident memory [MB]; zero if the system does not report it.
fn peak() -> f64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<f64>().ok());
    kilobytes.unwrap_or(0.0) / 1000.0
}
