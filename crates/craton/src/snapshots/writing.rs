//! How long snapshots take a run: times per value, byte and picture, as one core of about 3 GHz needs them.
//!
//! They are right to a factor of two or so: enough to tell, before the run, that frames take longer than the waves.

use super::shown::Shown;
use crate::config::Snapshot;

/// Seconds to read a field at a node.
const AT_NODE: f64 = 1e-7;
/// Seconds per GLL point of an element to interpolate a vector at one place in it.
const INTERPOLATE: f64 = 2.5e-8;
/// The same for what follows from gradients.
const DIFFERENTIATE: f64 = 6e-8;
/// Seconds to interpolate a component between the points of a grid.
const BETWEEN_CELLS: f64 = 2e-6;
/// Seconds per number that is read of a grid, with its share in slopes.
const OF_GRID: f64 = 2e-8;
/// Seconds per byte of a file.
const BYTE: f64 = 2e-9;
/// Seconds until a frame and the list of frames are safe on a disk.
const FILES: f64 = 0.01;
/// Seconds to draw, compress and write a picture, whatever it shows: a million pixels.
const PICTURE: f64 = 0.06;
/// Seconds per point of a picture to read it once; the scale of colours takes a first reading, by one thread.
const POINT: f64 = 1e-7;

/// What the snapshots of a run are, and how long they take it.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Writing {
    /// Frames of all series.
    pub frames: u64,
    /// Pictures of them.
    pub pictures: u64,
    /// Time for both, beside the steps [s].
    pub seconds: f64,
}

/// One frame of a series.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Frame {
    /// Time to work out its values by one thread [s].
    pub values: f64,
    /// Bytes of its file.
    pub bytes: u64,
    /// Its pictures.
    pub pictures: u64,
    /// Points of each.
    pub drawn: u64,
}

impl Frame {
    /// Time from the wave field to the files [s].
    pub fn seconds(&self, threads: usize) -> f64 {
        let (threads, drawn) = (threads as f64, self.drawn as f64 * POINT);
        let pictures = self.pictures as f64 * (drawn + (PICTURE + drawn) / threads);
        self.values / threads + self.bytes as f64 * BYTE + FILES + pictures
    }
}

/// Time to work out all that is shown at so many places in elements of so many GLL points, by one thread [s].
///
/// # Arguments
/// * `on_nodes` – whether what is continuous is shown at nodes, where there is nothing to interpolate
pub fn in_elements(wanted: &Snapshot, places: u64, gll_points: u64, on_nodes: bool) -> f64 {
    let of_place = |shown: Shown| match shown.is_nodal() {
        true if on_nodes => AT_NODE,
        true => INTERPOLATE * gll_points as f64,
        false => DIFFERENTIATE * gll_points as f64,
    };
    places as f64 * Shown::all(wanted).into_iter().map(of_place).sum::<f64>()
}

/// The same at so many places in a grid, of which so many numbers are read [s].
pub fn in_cells(wanted: &Snapshot, places: u64, numbers: u64) -> f64 {
    let components: usize = Shown::all(wanted).into_iter().map(|shown| shown.components().max(3)).sum();
    places as f64 * components as f64 * BETWEEN_CELLS + numbers as f64 * OF_GRID
}
