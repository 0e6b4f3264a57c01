//! Frames as pictures.
//!
//! One scale of colours for a whole series is known only at its end: the pictures are drawn then, from the frames as they were written.

use std::collections::HashMap;
use std::path::Path;

use craton_device::Scalar;
use craton_formats::vtk::{TimeStep, read_f32};
use craton_mesh::{Location, Locator};
use craton_run::{Cancel, OutputDirectory};
use craton_sem::Solver;
use craton_view::{ColourMap, MapOptions, Paper, Raster, map};
use rayon::prelude::*;

use super::plane::Plane;
use super::point_grid::PointGrid;
use super::series::{FOLDER, Part, Series};
use super::shown::Shown;
use super::sub_cells::SubCells;
use crate::error::Error;
use crate::setup::Setup;

/// Part of the values of a frame that the scale of colours holds: the near field of a source would hide all else.
const WITHIN_SCALE: f64 = 0.98;
/// Sources and stations closer to a slice than this part of the domain's size are marked on it.
const NEAR: f64 = 0.01;
/// Points along the longer side of a slice that the ground cuts: so many that the ground looks smooth.
pub const SMOOTH: usize = 1000;
/// Pixels per unit of the paper: frames are seen as a film.
const SCALE: f64 = 1.5;

/// Draws all frames of a series, once for every quantity: `velocity_0001.png` and so on.
///
/// # Errors
/// A frame that cannot be read back, a picture that cannot be written; [`Error::Stopped`] when `cancel` is raised meanwhile.
pub fn draw<T: Scalar>(
    series: &Series<T>,
    setup: &Setup,
    operator: &dyn Solver<T>,
    folder: &OutputDirectory,
    cancel: &Cancel,
) -> Result<(), Error> {
    let Some(sheet) = Sheet::new(series, setup, operator) else { return Ok(()) };
    for &shown in &series.shown {
        let load = |frame: &TimeStep| -> Result<Vec<f64>, Error> {
            if cancel.is_cancelled() {
                return Err(Error::Stopped { stage: "pictures of snapshots" });
            }
            let values = read_f32(&folder.path().join(FOLDER).join(&frame.file), &shown.label())?;
            Ok(sheet.picture(&values, shown))
        };
        let tops: Result<Vec<f64>, Error> = series.frames.iter().map(|frame| Ok(high_value(load(frame)?))).collect();
        let options = sheet.options(setup, shown, tops?.into_iter().fold(0.0, f64::max));
        let draw = |(index, frame): (usize, &TimeStep)| -> Result<(), Error> {
            let name = format!("{}_{:04}.png", shown.name(), index + 1);
            let path = folder.file(Path::new(FOLDER).join(&series.name).join(name))?;
            let values = load(frame)?;
            let options = MapOptions { time: Some(frame.time), ..options.clone() };
            Ok(map(&sheet.raster(&values), &options, path)?)
        };
        operator.workers().run(|| series.frames.par_iter().enumerate().try_for_each(draw))?;
    }
    Ok(())
}

/// The value that [`WITHIN_SCALE`] of all others do not exceed.
fn high_value(values: Vec<f64>) -> f64 {
    let mut sizes: Vec<f64> = values.into_iter().filter(|value| !value.is_nan()).map(f64::abs).collect();
    let index = (WITHIN_SCALE * sizes.len().saturating_sub(1) as f64) as usize;
    if sizes.is_empty() { 0.0 } else { *sizes.select_nth_unstable_by(index, f64::total_cmp).1 }
}

/// A sheet of paper: its pixels, and where their values stand in the files of a series.
struct Sheet<'a, T: Scalar> {
    part: &'a Part<T>,
    title: String,
    grid: PointGrid,
    pixels: Pixels,
    /// Heights of the surface, if it is not level [m].
    relief: Option<Vec<f64>>,
    sources: Vec<[f64; 2]>,
    stations: Vec<[f64; 2]>,
}

/// Where the values of the pixels stand in the files of a series.
enum Pixels {
    /// At the points, one by one.
    Points,
    /// Between the points, if the pixel is below the ground; what is above is left out.
    BelowGround(Vec<Option<[(usize, f64); 4]>>),
    /// On the surface: the piece and the place in its element.
    OnSurface(Vec<Option<(usize, [f64; 3])>>),
}

impl<'a, T: Scalar> Sheet<'a, T> {
    /// The sheet for a series; none for the volume.
    fn new(series: &'a Series<T>, setup: &Setup, operator: &dyn Solver<T>) -> Option<Self> {
        let part = &series.part;
        let sources = setup.sources.iter().map(|source| source.position());
        let stations = setup.receivers.iter().map(|receiver| receiver.position());
        match part {
            Part::Volume(_) => None,
            Part::Slice(plane) => {
                let sizes = [setup.x, setup.y, setup.z].map(|[low, high]| high - low);
                let reach = NEAR * sizes.into_iter().fold(0.0, f64::max);
                let (sources, stations) = (plane.near(sources, reach), plane.near(stations, reach));
                let (grid, pixels) = over_plane(plane, setup);
                Some(Self { part, title: plane.title(), grid, pixels, relief: None, sources, stations })
            }
            Part::Surface(cells) => {
                let (grid, pixels, heights) = over_surface(cells, operator);
                let level = heights.iter().all(|height| (height - heights[0]).abs() < 1e-6 * (setup.x[1] - setup.x[0]));
                let flat = |[x, y, _]: [f64; 3]| [x, y];
                let (sources, stations) = (sources.map(flat).collect(), stations.map(flat).collect());
                let (title, relief) = ("surface".to_owned(), (!level).then_some(heights));
                Some(Self { part, title, grid, pixels, relief, sources, stations })
            }
        }
    }

    /// The numbers of a picture from the field of a file.
    fn picture(&self, field: &[f32], shown: Shown) -> Vec<f64> {
        let value = |index: usize| shown.picture_value(&field[index * shown.components()..][..shown.components()]);
        match (&self.pixels, self.part) {
            (Pixels::OnSurface(places), Part::Surface(cells)) => {
                let at = |(piece, xi): (usize, [f64; 3])| match (cells.cell_around(piece, xi), shown.is_nodal()) {
                    ((_, corners), true) => corners.iter().map(|&(node, weight)| weight * value(node)).sum(),
                    ((cell, _), false) => value(cell),
                };
                places.iter().map(|place| place.map_or(f64::NAN, at)).collect()
            }
            (Pixels::BelowGround(places), _) => {
                let values: Vec<f64> = (0..field.len() / shown.components()).map(value).collect();
                places.iter().map(|place| place.map_or(f64::NAN, |corners| mean_of_present(&values, corners))).collect()
            }
            _ => (0..self.grid.len()).map(value).collect(),
        }
    }

    fn raster<'b>(&self, values: &'b [f64]) -> Raster<'b> {
        Raster { size: self.grid.count, x: self.grid.ends[0], y: self.grid.ends[1], values }
    }

    fn options(&self, setup: &Setup, shown: Shown, top: f64) -> MapOptions<'_> {
        let top = if top > 0.0 { top } else { 1.0 };
        let signed = shown == Shown::Pressure;
        let title = match setup.title.as_str() {
            "" => self.title.clone(),
            title => format!("{title} – {}", self.title),
        };
        let quantity = if signed { shown.name().to_owned() } else { format!("|{}|", shown.name()) };
        MapOptions {
            paper: Paper { scale: SCALE, ..MapOptions::default().paper },
            title,
            axes: self.grid.axes.map(|axis| ["x", "y", "z"][axis].to_owned()),
            quantity,
            unit: shown.unit().to_owned(),
            colours: if signed { ColourMap::Vik } else { ColourMap::Lajolla },
            reversed: !signed,
            range: Some([if signed { -top } else { 0.0 }, top]),
            relief: self.relief.as_ref().map(|heights| self.raster(heights)),
            sources: self.sources.clone(),
            stations: self.stations.clone(),
            ..MapOptions::default()
        }
    }
}

/// The mean of those values that are there, by their weights.
fn mean_of_present(values: &[f64], corners: [(usize, f64); 4]) -> f64 {
    let present = corners.iter().map(|&(point, weight)| (values[point], weight)).filter(|(value, _)| !value.is_nan());
    let (sum, whole) = present.fold((0.0, 0.0), |(sum, whole), (value, weight)| (sum + value * weight, whole + weight));
    sum / whole
}

/// The points of a slice; finer ones where the ground cuts it.
fn over_plane<T: Scalar>(plane: &Plane<T>, setup: &Setup) -> (PointGrid, Pixels) {
    if plane.is_whole() {
        return (plane.grid.clone(), Pixels::Points);
    }
    let grid = plane.grid.refined(SMOOTH);
    let below_ground = |index: usize| {
        let [x, y, z] = plane.position(&grid, index);
        (z <= setup.model.surface().elevation(x, y)).then(|| plane.grid.around(grid.point(index)))
    };
    let pixels = (0..grid.len()).map(below_ground).collect();
    (grid, Pixels::BelowGround(pixels))
}

/// A grid over the surface, what lies below its points, and their heights [m].
fn over_surface<T: Scalar>(cells: &SubCells<T>, operator: &dyn Solver<T>) -> (PointGrid, Pixels, Vec<f64>) {
    let mesh = operator.mesh();
    let top: Vec<u32> = cells.pieces.iter().map(|piece| piece.element).collect();
    let numbers: HashMap<u32, usize> = top.iter().enumerate().map(|(number, &element)| (element, number)).collect();
    let grid = PointGrid::new(mesh, operator.gll().points.len() - 1, [0, 1], &top);
    let locator = Locator::new(mesh);
    let below = |index: usize| {
        let [x, y] = grid.point(index);
        locator.locate_on_surface(x, y)
    };
    let places: Vec<Option<Location>> = operator.workers().run(|| (0..grid.len()).into_par_iter().map(below).collect());
    let height = |place: &Location| mesh.position(place.element, place.xi)[2];
    let heights = places.iter().map(|place| place.as_ref().map_or(f64::NAN, height)).collect();
    let pixels = places.iter().map(|place| place.map(|place| (numbers[&place.element], place.xi))).collect();
    (grid, Pixels::OnSurface(pixels), heights)
}
