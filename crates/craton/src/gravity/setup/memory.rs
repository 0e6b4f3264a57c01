//! Memory of the bodies, estimated before they are read.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use craton_run::{Bytes, Room};

use super::bodies::MOST_CELLS;
use super::lists;
use crate::error::Problem;
use crate::gravity::GravityFile;
use crate::gravity::config::{Ball, Body, ListFormat};
use crate::inputs::Input;
use crate::key_path::KeyPath;
use crate::setup::findings::Checked;

/// Numbers of a prism: six faces and the density; a tesseroid also has a gradient.
const NUMBERS: f64 = 7.0;
/// Copies of the numbers while a list is read and while a sphere grows.
const COPIES: f64 = 2.0;
/// Bytes of a table from which the length of its lines is estimated.
const HEAD: u64 = 65_536;

/// The available memory, before anything is read.
pub fn room(file: &GravityFile) -> Room {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    Room::look(file.config.compute.threads.unwrap_or(cores), 1)
        .cured_by("fewer prisms or larger cells, fewer points, fewer threads")
}

/// Memory of the bodies whose number of prisms follows from the problem and the sizes of its files: lists and spheres.
///
/// Verified by `memory_follows_from_sizes_of_files_and_cells`.
pub fn of_bodies(file: &GravityFile) -> Bytes {
    let prisms = |body: &Body| match body {
        Body::Prisms(prisms) => rows(prisms.file.as_deref(), prisms.format, file).unwrap_or(0.0),
        Body::Tesseroids(cells) => rows(cells.file.as_deref(), cells.format, file).unwrap_or(0.0),
        // A larger number has its own problem.
        Body::Ball(Ball { radius, cell, .. }) => {
            Some(4.19 * (radius / cell).powi(3)).filter(|n| *n <= MOST_CELLS).unwrap_or(0.0)
        }
        _ => 0.0,
    };
    let all: f64 = file.config.bodies.iter().map(prisms).sum();
    Bytes((all * NUMBERS * COPIES * size_of::<f64>() as f64) as u64)
}

/// Rejects the slices of a layer if its prisms or tesseroids would not fit into memory, before they are built.
///
/// Verified by `slices_that_do_not_fit_into_memory_are_refused`.
///
/// # Arguments
/// * `slices` – in the thickest column; `cells` – prisms or tesseroids of all columns; `path` – key of the layer
pub fn fits_slices(room: &Room, slices: usize, cells: usize, noun: &str, path: &KeyPath) -> Checked<()> {
    let bytes = (cells as f64 * (NUMBERS + 1.0) * COPIES) * size_of::<f64>() as f64;
    let Err(error) = room.require(Bytes(bytes as u64)) else { return Ok(()) };
    let message = format!("{slices} in the thickest column result in {cells} {noun}: {error}");
    let problem = Problem::new(path.key("slices"), message);
    Err(problem.hint("set fewer `slices`, request a lower method.accuracy, or use fewer grid points").into())
}

/// Approximate number of rows in the file of a list.
fn rows(name: Option<&Path>, format: Option<ListFormat>, file: &GravityFile) -> Option<f64> {
    let name = name?;
    let Input::File(opened) = file.input(name) else { return None };
    let bytes = std::fs::metadata(&opened).ok()?.len() as f64;
    Some(match lists::format_of(name, format, file.inputs()) {
        ListFormat::Npy | ListFormat::Netcdf => bytes / (NUMBERS * size_of::<f64>() as f64),
        ListFormat::Table | ListFormat::Ubc => bytes / line_length(&opened)?,
    })
}

/// Mean length of the first lines of a text [bytes].
fn line_length(path: &Path) -> Option<f64> {
    let mut head = Vec::new();
    File::open(path).ok()?.take(HEAD).read_to_end(&mut head).ok()?;
    let lines = head.iter().filter(|&&byte| byte == b'\n').count();
    Some(head.len() as f64 / lines.max(1) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_follows_from_sizes_of_files_and_cells() {
        let folder = tempfile::tempdir().unwrap();
        let row = "0,10,0,10,-100,-90,300\n";
        std::fs::write(folder.path().join("ore.csv"), row.repeat(10_000)).unwrap();
        let of = |body: &str| {
            let text = format!(
                "fields = [\"g_d\"]\nbody = [{body}]\npoints.list.rows = [[0, 0, 9]]\noutput.directory = \"results\"\n"
            );
            let file = GravityFile::parse("it.toml", &text, folder.path().to_owned(), &[]).unwrap();
            of_bodies(&file).0 as f64 / 112.0
        };
        assert!((of("{ prisms.file = \"ore.csv\" }") / 10_000.0 - 1.0).abs() < 0.01);
        let ball = "{ ball = { centre = [0, 0, -50], radius = 20, cell = 0.1, density = 300 } }";
        assert!((of(ball) / 33.5e6 - 1.0).abs() < 0.01, "{}", of(ball));
        assert_eq!(of("{ prisms.file = \"nowhere.csv\" }"), 0.0);
        let room = Room::look(1, 1).cured_by("fewer prisms");
        if let Err(error) = room.require(Bytes(u64::MAX)) {
            assert!(error.to_string().contains("reduce the problem (fewer prisms), or"), "{error}");
        }
    }
    #[test]
    fn slices_that_do_not_fit_into_memory_are_refused() {
        let (room, path) = (Room::look(1, 1), KeyPath::default());
        assert!(fits_slices(&room, 5, 1000, "tesseroids", &path).is_ok());
        let Err(problem) = fits_slices(&room, 4096, 1 << 50, "tesseroids", &path) else {
            assert!(room.available().is_none(), "a limit of the memory is known");
            return;
        };
        let text = format!("{problem:?}");
        assert!(text.contains("4096 in the thickest column result in 1125899906842624 tesseroids"), "{text}");
    }
}
