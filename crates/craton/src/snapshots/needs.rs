//! What snapshots will need, known before the run.

use craton_mesh::{HexMesh, Side};

use super::plane_of;
use super::point_grid::PointGrid;
use super::rhythm::Rhythm;
use super::shown::Shown;
use crate::config::Snapshot;
use crate::placing::TimeAxis;
use crate::setup::Setup;

/// Bytes of a picture, about.
const PICTURE: u64 = 400_000;

/// What each series keeps and writes.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Needs(Vec<SeriesNeeds>);

/// What one series keeps and writes.
#[derive(Debug, Clone, Copy, PartialEq)]
struct SeriesNeeds {
    /// Memory [bytes], with that of a frame while it is written.
    memory: u64,
    /// A frame, with its pictures [bytes].
    frame: u64,
    /// Simulated time between frames [s].
    every: f64,
}

impl Needs {
    /// What the snapshots of a scenario need on its mesh.
    pub fn new(setup: &Setup, mesh: &HexMesh) -> Self {
        let wanted = &setup.output.snapshots;
        let degree = setup.method.degree as u64;
        let mut needs = Self::default();
        if let Some(surface) = &wanted.surface {
            let faces = mesh.faces.iter().filter(|face| face.side == Side::Top).count() as u64;
            needs.add_cells(surface, faces * degree.pow(2), 4);
        }
        for slice in &wanted.slices {
            let (axis, at) = plane_of(slice);
            let points = PointGrid::across(mesh, setup.method.degree, axis, at).map_or(0, |grid| grid.len() as u64);
            let values = points * bytes_per_point(&slice.snapshot);
            needs.add(&slice.snapshot, 40 * points + values, values + points);
        }
        if let Some(volume) = &wanted.volume {
            needs.add_cells(volume, mesh.n_elements() as u64 * degree.pow(3), 8);
        }
        needs
    }

    /// Memory [bytes], as if all series wrote a frame at once.
    pub fn memory(&self) -> u64 {
        self.0.iter().map(|series| series.memory).sum()
    }

    /// Disk for all frames of a run [bytes].
    pub fn disk(&self, axis: &TimeAxis) -> u64 {
        let of_series = |series: &SeriesNeeds| series.frame.saturating_mul(Rhythm::new(series.every, axis).frames());
        self.0.iter().map(of_series).fold(0, u64::saturating_add)
    }

    /// Cells with as many corners each, and about as many points.
    fn add_cells(&mut self, wanted: &Snapshot, cells: u64, corners: u64) {
        let values = cells * bytes_per_point(wanted);
        self.add(wanted, cells * (36 + 4 * corners) + values, values + cells * (24 + 8 * corners + 9));
    }

    /// A series that holds `memory` bytes, and writes `frame` at a time.
    fn add(&mut self, wanted: &Snapshot, memory: u64, frame: u64) {
        let pictures = if wanted.png { PICTURE * wanted.quantities.len() as u64 } else { 0 };
        self.0.push(SeriesNeeds { memory, frame: frame + pictures, every: wanted.every });
    }
}

/// Bytes of all quantities at one point.
fn bytes_per_point(wanted: &Snapshot) -> u64 {
    let shown = wanted.quantities.iter().filter_map(|&quantity| Shown::new(quantity));
    shown.map(|shown| 4 * shown.components() as u64).sum()
}
