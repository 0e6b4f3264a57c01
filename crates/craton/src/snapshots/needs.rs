//! What snapshots will need, known before the run.

use craton_mesh::{HexMesh, Side};
use craton_model::Interface;

use super::pictures::SMOOTH;
use super::plane_of;
use super::point_grid::PointGrid;
use super::rhythm::Rhythm;
use super::shown::Shown;
use super::writing::{Frame, Writing, values};
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
    disk: u64,
    /// What takes time of a frame.
    frame: Frame,
    /// Simulated time between frames [s].
    every: f64,
    /// Points of the pictures, if there are any.
    drawn: Option<u64>,
}

impl Needs {
    /// What the snapshots of a scenario need on its mesh.
    pub fn new(setup: &Setup, mesh: &HexMesh) -> Self {
        let wanted = &setup.output.snapshots;
        let degree = setup.method.sem().degree as u64;
        let gll_points = (degree + 1).pow(3);
        let mut needs = Self::default();
        if let Some(surface) = &wanted.surface {
            let top: Vec<u32> =
                mesh.faces.iter().filter(|face| face.side == Side::Top).map(|face| face.element).collect();
            let drawn = PointGrid::new(mesh, setup.method.sem().degree, [0, 1], &top).len() as u64;
            let cells = top.len() as u64 * degree.pow(2);
            needs.add_cells(surface, cells, 4, values(surface, cells, gll_points, true), drawn);
        }
        let level = matches!(setup.model.surface(), Interface::Flat(_));
        for slice in &wanted.slices {
            let (axis, at) = plane_of(slice);
            let Some(grid) = PointGrid::across(mesh, setup.method.sem().degree, axis, at) else { continue };
            let points = grid.len() as u64;
            let numbers = points * bytes_per_point(&slice.snapshot);
            let time = values(&slice.snapshot, points, gll_points, false);
            // Where the ground may cut the plane, its picture is finer.
            let drawn = if level { grid } else { grid.refined(SMOOTH) };
            let sizes = [40 * points + numbers, numbers + points];
            needs.add(&slice.snapshot, sizes, time, drawn.len() as u64);
        }
        if let Some(volume) = &wanted.volume {
            let cells = mesh.n_elements() as u64 * degree.pow(3);
            // Of the volume there are no pictures.
            let unseen = Snapshot { png: false, ..volume.clone() };
            needs.add_cells(&unseen, cells, 8, values(volume, cells, gll_points, true), 0);
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
        let of_series = |series: &SeriesNeeds| series.disk.saturating_mul(Rhythm::new(series.every, axis).frames());
        self.0.iter().map(of_series).fold(0, u64::saturating_add)
    }

    /// Frames and pictures of a run, and how long they take so many threads.
    pub fn writing(&self, axis: &TimeAxis, threads: usize) -> Writing {
        self.0.iter().fold(Writing::default(), |all, SeriesNeeds { frame, every, .. }| {
            let frames = Rhythm::new(*every, axis).frames();
            Writing {
                frames: all.frames + frames,
                pictures: all.pictures + frames * frame.pictures,
                seconds: all.seconds + frames as f64 * frame.seconds(threads),
            }
        })
    }

    /// Cells with as many corners each, and about as many points, whose values take `time` [s].
    fn add_cells(&mut self, wanted: &Snapshot, cells: u64, corners: u64, time: f64, drawn: u64) {
        let values = cells * bytes_per_point(wanted);
        let sizes = [cells * (36 + 4 * corners) + values, values + cells * (24 + 8 * corners + 9)];
        self.add(wanted, sizes, time, drawn);
    }

    /// A series that holds so many bytes and writes so many with each frame, whose values take `time` [s]; `drawn` points are in a picture.
    fn add(&mut self, wanted: &Snapshot, [memory, bytes]: [u64; 2], time: f64, drawn: u64) {
        let pictures = if wanted.png { Shown::all(wanted).len() as u64 } else { 0 };
        self.0.push(SeriesNeeds {
            memory,
            disk: bytes + PICTURE * pictures,
            frame: Frame { values: time, bytes, pictures, drawn },
            every: wanted.every,
            drawn: wanted.png.then_some(drawn),
        });
    }
}

/// Bytes of all quantities at one point.
fn bytes_per_point(wanted: &Snapshot) -> u64 {
    Shown::all(wanted).into_iter().map(|shown| 4 * shown.components() as u64).sum()
}
