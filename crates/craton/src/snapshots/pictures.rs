//! Frames as pictures.
//!
//! One scale of colours for a whole series is known only at its end: the pictures are drawn then, from the frames as they were written.

use std::collections::HashMap;
use std::path::Path;

use craton_device::Scalar;
use craton_formats::vtk::{TimeStep, read_f32};
use craton_mesh::{Locator, Side};
use craton_run::OutputDirectory;
use craton_sem::SemOperator;
use craton_view::{ColourMap, MapOptions, Raster, map};
use rayon::prelude::*;

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

/// Draws all frames of a series, once for every quantity: `velocity_0001.png` and so on.
///
/// # Errors
/// A frame that cannot be read back, a picture that cannot be written.
pub fn draw<T: Scalar>(
    series: &Series,
    setup: &Setup,
    operator: &SemOperator<T>,
    folder: &OutputDirectory,
) -> Result<(), Error> {
    let Some(sheet) = Sheet::new(series, setup, operator) else { return Ok(()) };
    for &shown in &series.shown {
        let load = |frame: &TimeStep| -> Result<Vec<f64>, Error> {
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
struct Sheet<'a> {
    part: &'a Part,
    title: String,
    grid: PointGrid,
    /// For the surface, the piece and the point in its element of every pixel.
    on_surface: Vec<Option<(usize, [f64; 3])>>,
    /// Heights of the surface, if it is not level [m].
    relief: Option<Vec<f64>>,
    sources: Vec<[f64; 2]>,
    stations: Vec<[f64; 2]>,
}

impl<'a> Sheet<'a> {
    /// The sheet for a series; none for the volume.
    fn new<T: Scalar>(series: &'a Series, setup: &Setup, operator: &SemOperator<T>) -> Option<Self> {
        let sources = setup.sources.iter().map(|source| source.position());
        let stations = setup.receivers.iter().map(|receiver| receiver.position());
        match &series.part {
            Part::Volume(_) => None,
            Part::Slice(plane) => {
                let reach =
                    NEAR * [setup.x, setup.y, setup.z].map(|[low, high]| high - low).into_iter().fold(0.0, f64::max);
                Some(Self {
                    part: &series.part,
                    title: plane.title(),
                    grid: plane.grid.clone(),
                    on_surface: Vec::new(),
                    relief: None,
                    sources: plane.near(sources, reach),
                    stations: plane.near(stations, reach),
                })
            }
            Part::Surface(cells) => {
                let (grid, on_surface, heights) = over_surface(cells, operator);
                let level = heights.iter().all(|height| *height == heights[0]);
                let flat = |[x, y, _]: [f64; 3]| [x, y];
                Some(Self {
                    part: &series.part,
                    title: "surface".to_owned(),
                    grid,
                    on_surface,
                    relief: (!level).then_some(heights),
                    sources: sources.map(flat).collect(),
                    stations: stations.map(flat).collect(),
                })
            }
        }
    }

    /// The numbers of a picture from the field of a file.
    fn picture(&self, field: &[f32], shown: Shown) -> Vec<f64> {
        let value = |index: usize| shown.picture_value(&field[index * shown.components()..][..shown.components()]);
        match self.part {
            Part::Surface(cells) => {
                let at = |(piece, xi): (usize, [f64; 3])| match (cells.cell_around(piece, xi), shown.is_nodal()) {
                    ((_, corners), true) => corners.iter().map(|&(node, weight)| weight * value(node)).sum(),
                    ((cell, _), false) => value(cell),
                };
                self.on_surface.iter().map(|place| place.map_or(f64::NAN, at)).collect()
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
        let title =
            if setup.title.is_empty() { self.title.clone() } else { format!("{}: {}", setup.title, self.title) };
        MapOptions {
            title,
            axes: self.grid.axes.map(|axis| ["x", "y", "z"][axis].to_owned()),
            quantity: shown.name().to_owned(),
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

/// A grid over the surface, the piece and point below each of its points, and their heights [m].
fn over_surface<T: Scalar>(
    cells: &SubCells,
    operator: &SemOperator<T>,
) -> (PointGrid, Vec<Option<(usize, [f64; 3])>>, Vec<f64>) {
    let mesh = operator.mesh();
    let top: Vec<u32> = mesh.faces.iter().filter(|face| face.side == Side::Top).map(|face| face.element).collect();
    let grid = PointGrid::new(mesh, operator.gll().points.len() - 1, [0, 1], &top);
    let numbers: HashMap<u32, usize> =
        cells.pieces.iter().enumerate().map(|(number, piece)| (piece.element, number)).collect();
    let locator = Locator::new(mesh);
    let below = |index: usize| {
        let [x, y] = grid.point(index);
        locator.locate_on_surface(x, y)
    };
    let places: Vec<_> = operator.workers().run(|| (0..grid.len()).into_par_iter().map(below).collect());
    let height = |place: &Option<craton_mesh::Location>| {
        place.map_or(f64::NAN, |place| mesh.position(place.element, place.xi)[2])
    };
    let heights = places.iter().map(height).collect();
    let on_surface = places.iter().map(|place| place.map(|place| (numbers[&place.element], place.xi))).collect();
    (grid, on_surface, heights)
}
