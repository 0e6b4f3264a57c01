//! What snapshots will need, known before the run.

use craton_mesh::{HexMesh, Side};
use craton_model::Interface;

use super::pictures::SMOOTH;
use super::plane_of;
use super::point_grid::PointGrid;
use super::rhythm::Rhythm;
use super::shown::Shown;
use crate::config::Snapshot;
use crate::placing::TimeAxis;
use crate::setup::Setup;

/// Bytes of a picture in its file, about.
const PICTURE: u64 = 400_000;
/// Bytes of a picture while it is drawn, coloured and compressed.
const CANVAS: u64 = 12_000_000;
/// Bytes of a point of a picture while it is drawn: the value in the file and out of it.
const DRAWN_POINT: u64 = 40;
/// Bytes of a point of a picture for all its frames: where it lies in the mesh, or between other points.
const PLACED_POINT: u64 = 80;

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
    /// Points of the pictures, if there are any.
    drawn: Option<u64>,
}

impl Needs {
    /// What the snapshots of a scenario need on its mesh.
    pub fn new(setup: &Setup, mesh: &HexMesh) -> Self {
        let wanted = &setup.output.snapshots;
        let degree = setup.method.degree as u64;
        let mut needs = Self::default();
        if let Some(surface) = &wanted.surface {
            let top: Vec<u32> =
                mesh.faces.iter().filter(|face| face.side == Side::Top).map(|face| face.element).collect();
            let drawn = PointGrid::new(mesh, setup.method.degree, [0, 1], &top).len() as u64;
            needs.add_cells(surface, top.len() as u64 * degree.pow(2), 4, Some(drawn));
        }
        let level = matches!(setup.model.surface(), Interface::Flat(_));
        for slice in &wanted.slices {
            let (axis, at) = plane_of(slice);
            let Some(grid) = PointGrid::across(mesh, setup.method.degree, axis, at) else { continue };
            let points = grid.len() as u64;
            let values = points * bytes_per_point(&slice.snapshot);
            // Where the ground may cut the plane, its picture is finer.
            let drawn = if level { grid } else { grid.refined(SMOOTH) };
            needs.add(&slice.snapshot, 40 * points + values, values + points, Some(drawn.len() as u64));
        }
        if let Some(volume) = &wanted.volume {
            needs.add_cells(volume, mesh.n_elements() as u64 * degree.pow(3), 8, None);
        }
        needs
    }

    /// Memory [bytes], as if all series wrote a frame at once.
    pub fn memory(&self) -> u64 {
        self.0.iter().map(|series| series.memory).sum()
    }

    /// Memory [bytes] while the frames are drawn, one series after the other, as many pictures at once as there are threads.
    pub fn drawing(&self, threads: usize) -> u64 {
        let of_points = |points: u64| points * PLACED_POINT + threads as u64 * (CANVAS + points * DRAWN_POINT);
        self.0.iter().filter_map(|series| series.drawn).map(of_points).max().unwrap_or(0)
    }

    /// Disk for all frames of a run [bytes].
    pub fn disk(&self, axis: &TimeAxis) -> u64 {
        let of_series = |series: &SeriesNeeds| series.frame.saturating_mul(Rhythm::new(series.every, axis).frames());
        self.0.iter().map(of_series).fold(0, u64::saturating_add)
    }

    /// Cells with as many corners each, and about as many points.
    fn add_cells(&mut self, wanted: &Snapshot, cells: u64, corners: u64, drawn: Option<u64>) {
        let values = cells * bytes_per_point(wanted);
        self.add(wanted, cells * (36 + 4 * corners) + values, values + cells * (24 + 8 * corners + 9), drawn);
    }

    /// A series that holds `memory` bytes, and writes `frame` at a time; `drawn` points are in a picture of it, if it can be drawn.
    fn add(&mut self, wanted: &Snapshot, memory: u64, frame: u64, drawn: Option<u64>) {
        let drawn = drawn.filter(|_| wanted.png);
        let pictures = drawn.map_or(0, |_| PICTURE * Shown::all(wanted).len() as u64);
        self.0.push(SeriesNeeds { memory, frame: frame + pictures, every: wanted.every, drawn });
    }
}

/// Bytes of all quantities at one point.
fn bytes_per_point(wanted: &Snapshot) -> u64 {
    Shown::all(wanted).into_iter().map(|shown| 4 * shown.components() as u64).sum()
}
