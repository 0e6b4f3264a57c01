//! Computing time of snapshots: times per value, byte and picture on one core of about 3 GHz.
//!
//! They are correct within a factor of about two, which is sufficient to find before the run that frames take longer
//! than the waves.

use super::shown::Shown;
use crate::config::Snapshot;

/// Time to read a field at a node [s].
const AT_NODE: f64 = 1e-7;
/// Time per GLL point of an element to interpolate a vector at one position in it [s].
const INTERPOLATE: f64 = 2.5e-8;
/// Time per GLL point to interpolate gradients [s].
const DIFFERENTIATE: f64 = 6e-8;
/// Time to interpolate a component between grid points [s].
const BETWEEN_CELLS: f64 = 2e-6;
/// Time per number read from a grid, including its share in gradients [s].
const OF_GRID: f64 = 2e-8;
/// Time per byte of a file [s].
const BYTE: f64 = 2e-9;
/// Time until a frame and the list of frames are safely on a disk [s].
const FILES: f64 = 0.01;
/// Time to draw, compress and write a picture of a million pixels [s].
const PICTURE: f64 = 0.06;
/// Time per point of a picture to read it once [s]; the colour scale requires a first pass, by one thread.
const POINT: f64 = 1e-7;

/// The snapshots of a run, and their time.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Writing {
    /// Number of frames of all series.
    pub frames: u64,
    /// Number of their pictures.
    pub pictures: u64,
    /// Time of both, in addition to the steps [s].
    pub seconds: f64,
}

/// One frame of a series.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Frame {
    /// Time to compute its values on one thread [s].
    pub values: f64,
    /// Size of its file [bytes].
    pub bytes: u64,
    /// Number of its pictures.
    pub pictures: u64,
    /// Number of points of each.
    pub drawn: u64,
}

impl Frame {
    /// Time from the wavefield to the files [s].
    pub fn seconds(&self, threads: usize) -> f64 {
        let (threads, drawn) = (threads as f64, self.drawn as f64 * POINT);
        let pictures = self.pictures as f64 * (drawn + (PICTURE + drawn) / threads);
        self.values / threads + self.bytes as f64 * BYTE + FILES + pictures
    }
}

/// Time to compute all quantities at positions in elements with this number of GLL points, on one thread [s].
///
/// # Arguments
/// * `on_nodes` – whether continuous quantities are given at nodes, without interpolation
pub fn in_elements(snapshot: &Snapshot, places: u64, gll_points: u64, on_nodes: bool) -> f64 {
    let of_place = |shown: Shown| match shown.is_nodal() {
        true if on_nodes => AT_NODE,
        true => INTERPOLATE * gll_points as f64,
        false => DIFFERENTIATE * gll_points as f64,
    };
    places as f64 * Shown::all(snapshot).into_iter().map(of_place).sum::<f64>()
}

/// The same time for positions in a grid, of which this many numbers are read [s].
pub fn in_cells(snapshot: &Snapshot, places: u64, numbers: u64) -> f64 {
    let components: usize = Shown::all(snapshot).into_iter().map(|shown| shown.components().max(3)).sum();
    places as f64 * components as f64 * BETWEEN_CELLS + numbers as f64 * OF_GRID
}
