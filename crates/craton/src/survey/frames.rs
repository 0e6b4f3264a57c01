//! Snapshots: pressure frames of some shots, written during the computation and drawn when the survey is complete.
//!
//! A recomputed shot overwrites its frames, and is done when they are on the disk. So an interruption neither loses nor
//! duplicates frames, and missing frames are computed at the end.

use std::ops::Range;
use std::path::{Path, PathBuf};

use craton_acquisition::survey::Shot;
use craton_device::Workers;
use craton_formats::vtk::TimeStep;
use craton_run::{Bytes, Cancel, OutputDirectory};

use super::config::Slice;
use super::grid::{Grids, Window};
use super::setup::Setup;
use super::shots::Trouble;
use crate::error::Error;
use crate::number::{Number, counted};
use crate::snapshots::{FOLDER, Film, Marks, PICTURE, Pixels, Plane, PointGrid, Sampled, Shown, draw, frame_of_points};

/// All frames of a survey.
pub struct Frames {
    dt: f64,
    /// Time 0 of the traces after step 0 [s].
    zero: f64,
    /// The steps after which a frame is written, ascending.
    steps: Vec<u64>,
    shots: Vec<ShotFrames>,
}

/// The frames of a shot.
struct ShotFrames {
    number: u32,
    /// Its index in the journal.
    piece: usize,
    cuts: Vec<Cut>,
    marks: Marks,
}

/// A plane through the cells of a shot.
struct Cut {
    /// Name of its frame series.
    name: String,
    /// Title of its pictures.
    title: String,
    plane: Plane,
    /// The cells to read, including layers; along the normal axis those on both sides of the plane.
    cells: [Range<usize>; 3],
    /// The normal axis.
    axis: usize,
    /// Interpolation weight of the upper cells.
    upper: f64,
}

impl Frames {
    /// The frames that a survey requests.
    ///
    /// # Arguments
    /// * `order` – the shots by number, as in the journal
    pub fn new(setup: &Setup, grids: &Grids, order: &[usize]) -> Self {
        let (dt, zero) = (grids.axis.dt, grids.axis.times.zero);
        let Some(requested) = &setup.output.snapshots else {
            return Self { dt, zero, steps: Vec::new(), shots: Vec::new() };
        };
        let step = |&time: &f64| (((zero + time) / dt).round() as u64).clamp(1, grids.axis.steps);
        let mut steps: Vec<u64> = requested.times.iter().map(step).collect();
        steps.sort_unstable();
        steps.dedup();
        let of_shot = |(piece, &shot): (usize, &usize)| {
            let shot = &setup.survey.shots()[shot];
            requested.shots.contains(&shot.number).then(|| ShotFrames {
                number: shot.number,
                piece,
                cuts: cuts(setup, grids, shot, &requested.slices),
                marks: marks(setup, shot),
            })
        };
        Self { dt, zero, steps, shots: order.iter().enumerate().filter_map(of_shot).collect() }
    }

    /// Warnings for the user.
    pub fn warnings(&self) -> Vec<String> {
        let unseen = self.shots.iter().filter(|shot| shot.cuts.is_empty());
        let warning = |shot: &ShotFrames| {
            format!("no slice intersects the cells of shot {}, which has no snapshots", shot.number)
        };
        unseen.map(warning).collect()
    }

    fn count(&self) -> usize {
        self.steps.len() * self.shots.iter().map(|shot| shot.cuts.len()).sum::<usize>()
    }

    /// Size of all frames and their pictures [bytes].
    pub fn bytes(&self) -> u64 {
        let frame = |cut: &Cut| frame_of_points(cut.plane.grid.len() as u64, &[Shown::Pressure]) + PICTURE;
        self.steps.len() as u64 * self.shots.iter().flat_map(|shot| &shot.cuts).map(frame).sum::<u64>()
    }

    /// The number of frames, in words.
    pub fn line(&self) -> Option<(&'static str, String)> {
        let count = self.count();
        let description = || format!("{} and as many pictures, {}", counted(count, "frame"), Bytes(self.bytes()));
        (count > 0).then(|| ("snapshots", description()))
    }

    /// The next step with a frame of one of these shots.
    pub fn next(&self, shots: &[&Shot], step: u64) -> Option<u64> {
        let is_shown = shots.iter().any(|shot| self.of(shot).is_some());
        self.steps.iter().copied().find(|&next| next > step).filter(|_| is_shown)
    }

    /// Time of a step [s].
    fn time(&self, step: u64) -> f64 {
        self.dt * step as f64 - self.zero
    }

    fn of(&self, shot: &Shot) -> Option<&ShotFrames> {
        self.shots.iter().find(|own| own.number == shot.number)
    }

    /// Writes the frames of a shot at a step, if there are any.
    ///
    /// # Arguments
    /// * `pressure` – returns the pressure of some cells of the shot [Pa], x fastest
    /// # Errors
    /// A file that cannot be written, or an error of `pressure`.
    pub fn write(
        &self,
        shot: &Shot,
        step: u64,
        folder: Option<&OutputDirectory>,
        pressure: impl Fn(&[Range<usize>; 3]) -> Result<Vec<f32>, Trouble>,
    ) -> Result<(), Trouble> {
        let (Some(own), Ok(index), Some(folder)) = (self.of(shot), self.steps.binary_search(&step), folder) else {
            return Ok(());
        };
        for cut in &own.cuts {
            let values = cut.values(&pressure(&cut.cells)?);
            let write = || {
                let path = folder.file(cut.file(index))?;
                cut.plane.fields(vec![Sampled::pressure(values)]).write(&path, self.time(step))
            };
            write().map_err(Trouble::Output)?;
        }
        Ok(())
    }

    /// The files of all frames, relative to the results folder.
    ///
    /// # Arguments
    /// * `failed` – numbers of the failed shots
    pub fn files(&self, failed: &[u32]) -> Vec<PathBuf> {
        let shots = self.shots.iter().filter(|shot| !failed.contains(&shot.number));
        let cuts = shots.flat_map(|shot| &shot.cuts);
        cuts.flat_map(|cut| (0..self.steps.len()).map(|index| cut.file(index))).collect()
    }

    /// The shots with a missing frame, by journal index.
    pub fn missing(&self, folder: &OutputDirectory) -> Vec<usize> {
        let is_there = |cut: &Cut| (0..self.steps.len()).all(|index| folder.path().join(cut.file(index)).exists());
        let lost = self.shots.iter().filter(|shot| !shot.cuts.iter().all(is_there));
        lost.map(|shot| shot.piece).collect()
    }

    /// Lists the frames for ParaView and draws them, each series with a common colour scale.
    ///
    /// # Arguments
    /// * `failed` – numbers of the failed shots
    /// # Returns
    /// A line for the user about each series.
    /// # Errors
    /// An unreadable frame, a file that cannot be written; [`Error::Stopped`] if `cancel` is raised.
    pub fn finish(
        &self,
        heading: &str,
        failed: &[u32],
        workers: &Workers,
        folder: &OutputDirectory,
        cancel: &Cancel,
    ) -> Result<Vec<String>, Error> {
        let shots = self.shots.iter().filter(|shot| !failed.contains(&shot.number));
        let line = |(shot, cut): (&ShotFrames, &Cut)| {
            let frame = |(index, &step): (usize, &u64)| TimeStep {
                time: self.time(step),
                file: Film::file(&cut.name, index + 1, ENDING),
            };
            let film = Film {
                name: cut.name.clone(),
                shown: vec![Shown::Pressure],
                frames: self.steps.iter().enumerate().map(frame).collect(),
            };
            folder.file(film.list())?;
            film.write_list(folder)?;
            folder.remove_partial(&Path::new(FOLDER).join(&cut.name))?;
            let mut sheet = cut.plane.sheet(&shot.marks, cut.plane.grid.clone(), Pixels::Points);
            sheet.title.clone_from(&cut.title);
            draw(&film, &sheet, heading, None, workers, folder, cancel)?;
            Ok(format!("{} ({}, with pictures)", film.list().display(), counted(film.frames.len(), "frame")))
        };
        shots.flat_map(|shot| shot.cuts.iter().map(move |cut| (shot, cut))).map(line).collect()
    }
}

/// Extension of frame files.
const ENDING: &str = "vti";

impl Cut {
    /// The file of a frame, relative to the results folder.
    fn file(&self, index: usize) -> PathBuf {
        Path::new(FOLDER).join(Film::file(&self.name, index + 1, ENDING))
    }

    /// The values at the points of the plane, interpolated linearly between the cells on both sides.
    fn values(&self, pressure: &[f32]) -> Vec<f32> {
        let [nx, ny, _] = self.cells.each_ref().map(Range::len);
        let stride = [1, nx, nx * ny];
        let grid = &self.plane.grid;
        let across = (self.cells[self.axis].len() - 1) * stride[self.axis];
        let [first, second] = grid.axes.map(|axis| stride[axis]);
        let value = |index: usize| {
            let below = index % grid.count[0] * first + index / grid.count[0] * second;
            let [low, high] = [pressure[below], pressure[below + across]].map(f64::from);
            ((1.0 - self.upper) * low + self.upper * high) as f32
        };
        (0..grid.len()).map(value).collect()
    }
}

/// The planes of a shot: the model plane in two dimensions, otherwise the planes that intersect its cells.
fn cuts(setup: &Setup, grids: &Grids, shot: &Shot, slices: &[Slice]) -> Vec<Cut> {
    let window = grids.window(shot);
    if setup.is_plane {
        let (name, title) = (format!("shot_{}", shot.number), format!("shot {}", shot.number));
        return cut(grids, &window, (1, 0.0), name, title).into_iter().collect();
    }
    let of_slice = |slice: &Slice| {
        let (axis, key, at) = slice.place();
        let name = format!("shot_{}_{key}_{at}", shot.number);
        let title = format!("shot {}, {key} = {} m", shot.number, Number(at));
        cut(grids, &window, (axis, if axis == 2 { -at } else { at }), name, title)
    };
    slices.iter().filter_map(of_slice).collect()
}

/// A plane through the cells of a window, if it intersects them.
fn cut(grids: &Grids, window: &Window, (axis, at): (usize, f64), name: String, title: String) -> Option<Cut> {
    let grid = grids.grid();
    let own = &window.cells[axis];
    // In units of cells, from the centre of the first one.
    let place = (at - grid.origin[axis]) / grid.spacing[axis] - 0.5 - own.start as f64;
    let last = own.len() - 1;
    if !(-0.5..=last as f64 + 0.5).contains(&place) {
        return None;
    }
    let place = place.clamp(0.0, last as f64);
    let low = (place as usize).min(last.saturating_sub(1));
    let around = grids.around();
    let mut cells = [0, 1, 2].map(|axis| around[axis][0]..around[axis][0] + window.cells[axis].len());
    cells[axis] = cells[axis].start + low..cells[axis].start + (low + 1).min(last) + 1;
    let points = PointGrid::over_cells(grid, &window.cells, [[1, 2], [0, 2], [0, 1]][axis], usize::MAX);
    Some(Cut {
        name,
        title,
        plane: Plane::whole(points, crate::snapshots::Cut::Coordinate { axis, at }),
        cells,
        axis,
        upper: place - low as f64,
    })
}

/// The markers on the pictures of a shot: its source.
fn marks(setup: &Setup, shot: &Shot) -> Marks {
    let extents = [0, 1, 2].map(|axis| setup.domain.high[axis] - setup.domain.low[axis]);
    let mut sources: Vec<[f64; 3]> = shot.source.points().map(|point| point.position).collect();
    if setup.is_plane {
        // The model is constant along y.
        sources.iter_mut().for_each(|position| position[1] = 0.0);
    }
    Marks { sources, stations: Vec::new(), extent: extents.into_iter().fold(0.0, f64::max) }
}
