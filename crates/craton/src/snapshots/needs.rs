//! Memory and disk space of snapshots, estimated before the run.

use craton_mesh::{HexMesh, Side};
use craton_model::Interface;

use super::cells::{cells_of, selection};
use super::cut::Cut;
use super::elements::SMOOTH;
use super::point_grid::{MOST_POINTS, PointGrid};
use super::rhythm::Rhythm;
use super::shown::Shown;
use super::view::{View, What};
use super::writing::{Frame, Writing, in_cells, in_elements};
use crate::config::{Fd, Snapshot};
use crate::gridding::GridPlan;
use crate::setup::Setup;
use crate::time_axis::TimeAxis;

/// Approximate size of a picture file [bytes].
pub const PICTURE: u64 = 400_000;
/// Memory of a picture while it is drawn, coloured and compressed [bytes].
const CANVAS: u64 = 12_000_000;
/// Memory per point of a picture while it is drawn: the value in the file and out of it [bytes].
const DRAWN_POINT: u64 = 40;
/// Memory per point of a picture for all its frames: its location in the mesh, or between other points [bytes].
const PLACED_POINT: u64 = 80;

/// Largest number of cells that is counted; larger grids are rejected anyway.
const MOST_CELLS: f64 = 1e15;

/// Requirements of each series.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Needs(Vec<SeriesNeeds>);

/// Requirements of one series.
#[derive(Debug, Clone, Copy, PartialEq)]
struct SeriesNeeds {
    /// Memory [bytes], including that of a frame while it is written.
    memory: u64,
    /// Device memory [bytes].
    device: u64,
    /// Addition to the saved state [bytes].
    saved: u64,
    /// Size of a frame with its pictures [bytes].
    disk: u64,
    /// Contributions to the time of a frame.
    frame: Frame,
    /// Simulated time between frames [s].
    every: f64,
    /// Number of points of the pictures, if there are any.
    drawn: Option<u64>,
}

impl Needs {
    /// Requirements of the snapshots of a scenario on its mesh, as of [`crate::meshing::straight`].
    pub fn of_elements(setup: &Setup, mesh: &HexMesh) -> Self {
        let degree = setup.method.sem().degree;
        let (cells, gll_points) = (degree as u64, (degree as u64 + 1).pow(3));
        let level = matches!(setup.model.surface(), Interface::Flat(_));
        let mut needs = Self::default();
        for View { what, snapshot } in View::all(setup) {
            match what {
                What::Surface => {
                    let top: Vec<u32> =
                        mesh.faces.iter().filter(|face| face.side == Side::Top).map(|face| face.element).collect();
                    let drawn = PointGrid::of_surface(mesh, setup, &top).len() as u64;
                    let cells = top.len() as u64 * cells.pow(2);
                    needs.add_cells(snapshot, cells, 4, in_elements(snapshot, cells, gll_points, true), drawn);
                }
                What::Slice(cut) => {
                    let Some(grid) = PointGrid::of_cut(mesh, setup, &cut) else { continue };
                    let time = in_elements(snapshot, grid.len() as u64, gll_points, false);
                    // If the plane may intersect the ground, its pictures are finer.
                    let drawn = if level && !matches!(cut, Cut::GreatCircle(_)) {
                        grid.len()
                    } else {
                        grid.refined(SMOOTH).len()
                    };
                    needs.add_points(snapshot, grid.len() as u64, time, drawn as u64);
                }
                What::Volume => {
                    let cells = mesh.n_elements() as u64 * cells.pow(3);
                    let time = in_elements(snapshot, cells, gll_points, true);
                    needs.add_cells(&unseen(snapshot), cells, 8, time, 0);
                }
            }
        }
        needs
    }

    /// Requirements of the snapshots of a scenario on its grid, with this size of a number [bytes].
    pub fn of_cells(setup: &Setup, fd: &Fd, plan: &GridPlan, bytes: usize) -> Self {
        let mut needs = Self::default();
        if plan.cells() > MOST_CELLS {
            return needs;
        }
        for View { what, snapshot } in View::all(setup) {
            let selection = selection(cells_of(what, &plan.grid, setup), snapshot);
            let numbers = selection.numbers(&plan.grid, plan.radius(), fd.order / 2);
            let axes = if let What::Slice(cut) = what { cut.axes() } else { [0, 1] };
            let most = if what == What::Surface { usize::MAX } else { MOST_POINTS };
            let points = PointGrid::over_cells(&plan.grid, &selection.cells, axes, most).len() as u64;
            let time = |places| in_cells(snapshot, places, numbers.here as u64);
            match what {
                What::Surface => needs.add_cells(snapshot, points, 4, time(points), points),
                What::Slice(_) => needs.add_points(snapshot, points, time(points), points),
                What::Volume => {
                    let cells: usize = selection.cells.iter().map(ExactSizeIterator::len).product();
                    needs.add_points(&unseen(snapshot), cells as u64, time(cells as u64), 0);
                }
            }
            let Some(series) = needs.0.last_mut() else { continue };
            let in_bytes = |numbers: f64| (numbers * bytes as f64) as u64;
            series.memory += in_bytes(numbers.here + numbers.sums);
            series.device = in_bytes(numbers.sums + numbers.together);
            series.saved = in_bytes(numbers.sums);
        }
        needs
    }

    /// Memory [bytes], as if all series wrote a frame at the same time.
    pub fn memory(&self) -> u64 {
        self.0.iter().map(|series| series.memory).sum()
    }

    /// Device memory for all series [bytes].
    pub fn device(&self) -> u64 {
        self.0.iter().map(|series| series.device).sum()
    }

    /// Addition to the saved state [bytes].
    pub fn saved(&self) -> u64 {
        self.0.iter().map(|series| series.saved).sum()
    }

    /// Memory [bytes] while frames are drawn, one series after the other, with one picture per thread at a time.
    pub fn drawing(&self, threads: usize) -> u64 {
        let of_points = |points: u64| points * PLACED_POINT + threads as u64 * (CANVAS + points * DRAWN_POINT);
        self.0.iter().filter_map(|series| series.drawn).map(of_points).max().unwrap_or(0)
    }

    /// Disk space of all frames of a run [bytes].
    pub fn disk(&self, axis: &TimeAxis) -> u64 {
        let of_series = |series: &SeriesNeeds| series.disk.saturating_mul(Rhythm::new(series.every, axis).frames());
        self.0.iter().map(of_series).fold(0, u64::saturating_add)
    }

    /// Frames and pictures of a run, and their time with this number of threads.
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

    /// Cells with this number of corners each, and about as many points, whose values take `time` [s].
    fn add_cells(&mut self, snapshot: &Snapshot, cells: u64, corners: u64, time: f64, drawn: u64) {
        let values = cells * bytes_per_point(&Shown::all(snapshot));
        let sizes = [cells * (36 + 4 * corners) + values, values + cells * (24 + 8 * corners + 9)];
        self.add(snapshot, sizes, time, drawn);
    }

    /// Points of a regular grid, whose values take `time` [s].
    fn add_points(&mut self, snapshot: &Snapshot, points: u64, time: f64, drawn: u64) {
        let frame = frame_of_points(points, &Shown::all(snapshot));
        self.add(snapshot, [39 * points + frame, frame], time, drawn);
    }

    /// A series with this memory and size per frame [bytes], whose values take `time` [s]; `drawn` points are in a
    /// picture.
    fn add(&mut self, snapshot: &Snapshot, [memory, bytes]: [u64; 2], time: f64, drawn: u64) {
        let pictures = if snapshot.png { Shown::all(snapshot).len() as u64 } else { 0 };
        self.0.push(SeriesNeeds {
            memory,
            device: 0,
            saved: 0,
            disk: bytes + PICTURE * pictures,
            frame: Frame { values: time, bytes, pictures, drawn },
            every: snapshot.every,
            drawn: snapshot.png.then_some(drawn),
        });
    }
}

/// The same without pictures, as for the volume.
fn unseen(snapshot: &Snapshot) -> Snapshot {
    Snapshot { png: false, ..snapshot.clone() }
}

/// Size of a frame of a regular grid in its file [bytes].
pub fn frame_of_points(points: u64, shown: &[Shown]) -> u64 {
    points * (bytes_per_point(shown) + 1)
}

/// Size of all quantities at one point [bytes].
fn bytes_per_point(shown: &[Shown]) -> u64 {
    shown.iter().map(|shown| 4 * shown.components() as u64).sum()
}
