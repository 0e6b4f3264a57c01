//! Pictures of frames.
//!
//! The common colour scale of a series is known only at its end; the pictures are then drawn from the frame files.

use std::path::Path;

use craton_device::Workers;
use craton_formats::vtk::{TimeStep, read_f32};
use craton_model::geodesy::EARTH_RADIUS;
use craton_run::{Cancel, OutputDirectory};
use craton_view::{
    ChunkField, ChunkMapOptions, ChunkView, ColourMap, FieldColours, MapOptions, Paper, Raster, SourceMark,
    StationMark, chunk_field, map,
};
use rayon::prelude::*;

use super::film::{FOLDER, Film};
use super::point_grid::PointGrid;
use super::shown::Shown;
use crate::error::Error;
use crate::pipeline::chunk_map::{centre, outline, outline_name};
use crate::setup::Setup;

/// Fraction of the values of a frame within the colour scale; otherwise the near field of a source would dominate.
const WITHIN_SCALE: f64 = 0.98;
/// Pixels per unit of the sheet: frames are viewed as a movie.
const SCALE: f64 = 1.5;
/// Width of the sheet for maps of the sphere, which have degrees on both sides.
const ON_SPHERE: f64 = 820.0;

/// Draws all frames of a series, once for every quantity: `velocity_0001.png` and so on.
///
/// # Arguments
/// * `heading` – beginning of the titles
/// * `chunk` – the scenario, if it is in a chunk of the sphere: horizontal sheets are drawn on its map
/// # Errors
/// An unreadable frame, a picture that cannot be written; [`Error::Stopped`] if `cancel` is raised.
pub fn draw(
    film: &Film,
    sheet: &Sheet,
    heading: &str,
    chunk: Option<&Setup>,
    workers: &Workers,
    folder: &OutputDirectory,
    cancel: &Cancel,
) -> Result<(), Error> {
    for &shown in &film.shown {
        let load = |frame: &TimeStep| -> Result<Vec<f64>, Error> {
            if cancel.is_cancelled() {
                return Err(Error::Stopped { stage: "pictures of snapshots" });
            }
            let values = read_f32(&folder.path().join(FOLDER).join(&frame.file), &shown.label())?;
            Ok(sheet.picture(&values, shown))
        };
        let tops: Result<Vec<f64>, Error> = film.frames.iter().map(|frame| Ok(high_value(load(frame)?))).collect();
        let options = sheet.options(heading, shown, tops?.into_iter().fold(0.0, f64::max));
        let draw = |(index, frame): (usize, &TimeStep)| -> Result<(), Error> {
            let path = folder.file(film.picture(shown, index + 1))?;
            let values = load(frame)?;
            let options = MapOptions { time: Some(frame.time), ..options.clone() };
            sheet.draw(chunk, &values, &options, (index, &path))
        };
        workers.run(|| film.frames.par_iter().enumerate().try_for_each(draw))?;
    }
    Ok(())
}

/// The quantile [`WITHIN_SCALE`] of all values.
fn high_value(values: Vec<f64>) -> f64 {
    let mut sizes: Vec<f64> = values.into_iter().filter(|value| !value.is_nan()).map(f64::abs).collect();
    let index = (WITHIN_SCALE * sizes.len().saturating_sub(1) as f64) as usize;
    if sizes.is_empty() { 0.0 } else { *sizes.select_nth_unstable_by(index, f64::total_cmp).1 }
}

/// A corner of a pixel among the values of a file, and its weight.
pub type Corner = (usize, f64);

/// A sheet: its pixels, and the positions of their values in the files of a series.
pub struct Sheet {
    /// Title.
    pub title: String,
    /// Positions of the pixels.
    pub grid: PointGrid,
    /// Positions of their values.
    pub pixels: Pixels,
    /// Elevations of the surface at the pixels, if it is not horizontal [m].
    pub relief: Option<Vec<f64>>,
    /// Angle by which the Earth turns from one picture to the next [degrees].
    pub rotate: f64,
    /// Marked sources, along the axes of the grid [m].
    pub sources: Vec<[f64; 2]>,
    /// Marked stations, along the axes of the grid [m].
    pub stations: Vec<[f64; 2]>,
}

/// The markers of a sheet.
pub struct Marks {
    /// Sources [m].
    pub sources: Vec<[f64; 3]>,
    /// Stations [m].
    pub stations: Vec<[f64; 3]>,
    /// The largest extent of the domain [m].
    pub extent: f64,
}

impl Marks {
    /// The markers of a scenario.
    pub fn of(setup: &Setup) -> Self {
        Self {
            sources: setup.source_positions().collect(),
            stations: setup.receivers.iter().map(|receiver| receiver.position()).collect(),
            extent: match setup.frame.is_globe() {
                true => 2.0 * EARTH_RADIUS,
                false => [setup.x, setup.y, setup.z].map(|[low, high]| high - low).into_iter().fold(0.0, f64::max),
            },
        }
    }
}

/// Positions of the values of the pixels in the files of a series.
pub enum Pixels {
    /// At the points, one by one.
    Points,
    /// Between the points, if the pixel is below the ground; other pixels are left out.
    BelowGround(Vec<Option<[Corner; 4]>>),
    /// On a surface: the index of a cell for cell values, and its corners.
    OnSurface(Vec<Option<(usize, [Corner; 4])>>),
}

impl Sheet {
    /// A sheet for the surface, whose pixels have these elevations [m].
    pub fn of_surface(setup: &Setup, grid: PointGrid, pixels: Pixels, heights: Vec<f64>) -> Self {
        let level = heights.iter().all(|height| (height - heights[0]).abs() < 1e-6 * (setup.x[1] - setup.x[0]));
        let flat = |[x, y, _]: [f64; 3]| [x, y];
        Self {
            title: "surface".to_owned(),
            grid,
            pixels,
            relief: (!level).then_some(heights),
            rotate: setup.output.snapshots.surface.as_ref().map_or(0.0, |surface| surface.rotate),
            sources: setup.source_positions().map(flat).collect(),
            stations: setup.receivers.iter().map(|receiver| flat(receiver.position())).collect(),
        }
    }

    /// The numbers of a picture from a field of a file.
    fn picture(&self, field: &[f32], shown: Shown) -> Vec<f64> {
        let value = |index: usize| shown.picture_value(&field[index * shown.components()..][..shown.components()]);
        match &self.pixels {
            Pixels::Points => (0..self.grid.len()).map(value).collect(),
            Pixels::BelowGround(places) => {
                let values: Vec<f64> = (0..field.len() / shown.components()).map(value).collect();
                places.iter().map(|place| place.map_or(f64::NAN, |corners| mean_of_present(&values, corners))).collect()
            }
            Pixels::OnSurface(places) => {
                let at = |(cell, corners): (usize, [Corner; 4])| match shown.is_nodal() {
                    true => corners.iter().map(|&(node, weight)| weight * value(node)).sum(),
                    false => value(cell),
                };
                places.iter().map(|place| place.map_or(f64::NAN, at)).collect()
            }
        }
    }

    /// Draws the numbers of a picture: horizontal sheets of a chunk on its map, others on the axes of the grid.
    ///
    /// # Arguments
    /// * `picture` – number of the picture from 0, and its file
    fn draw(
        &self,
        chunk: Option<&Setup>,
        values: &[f64],
        options: &MapOptions,
        picture: (usize, &Path),
    ) -> Result<(), Error> {
        match chunk {
            Some(setup) if self.grid.axes == [0, 1] => self.draw_on_sphere(setup, values, options, picture),
            _ => Ok(map(&self.raster(values), options, picture.1)?),
        }
    }

    fn draw_on_sphere(
        &self,
        setup: &Setup,
        values: &[f64],
        options: &MapOptions,
        (number, path): (usize, &Path),
    ) -> Result<(), Error> {
        let [longitude, latitude] = centre(setup);
        let turned = longitude - self.rotate * number as f64;
        let centre = [(turned + 180.0).rem_euclid(360.0) - 180.0, latitude];
        let on_map = |place: &[f64; 2]| {
            let [longitude, latitude] = setup.frame.to_map(*place);
            [longitude, latitude, 0.0]
        };
        let source = |place| SourceMark { position: on_map(place), moment_tensor: None };
        let station = |place| StationMark { label: String::new(), position: on_map(place) };
        let view = ChunkView {
            centre,
            outline: &outline(setup, centre),
            outline_name: outline_name(setup),
            sources: &self.sources.iter().map(source).collect::<Vec<_>>(),
            stations: &self.stations.iter().map(station).collect::<Vec<_>>(),
        };
        let is_inside =
            |[x, y]: &[f64; 2]| (setup.x[0]..=setup.x[1]).contains(x) && (setup.y[0]..=setup.y[1]).contains(y);
        let field = ChunkField {
            raster: self.raster(values),
            place: &|[longitude, latitude]| setup.frame.to_model(longitude, latitude).ok().filter(is_inside),
            quantity: &options.quantity,
            unit: &options.unit,
            colours: FieldColours {
                map: Some(options.colours),
                reversed: options.reversed,
                range: options.range,
                ..FieldColours::default()
            },
            time: options.time,
        };
        let paper = Paper { width: ON_SPHERE, ..options.paper };
        Ok(chunk_field(&view, &field, &ChunkMapOptions { paper, title: options.title.clone() }, path)?)
    }

    fn raster<'b>(&self, values: &'b [f64]) -> Raster<'b> {
        Raster { size: self.grid.count, x: self.grid.ends[0], y: self.grid.ends[1], values }
    }

    fn options(&self, heading: &str, shown: Shown, top: f64) -> MapOptions<'_> {
        let top = if top > 0.0 { top } else { 1.0 };
        let signed = shown == Shown::Pressure;
        let title = match heading {
            "" => self.title.clone(),
            heading => format!("{heading} – {}", self.title),
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

/// Weighted mean of the existing values.
fn mean_of_present(values: &[f64], corners: [Corner; 4]) -> f64 {
    let present = corners.iter().map(|&(point, weight)| (values[point], weight)).filter(|(value, _)| !value.is_nan());
    let (sum, whole) = present.fold((0.0, 0.0), |(sum, whole), (value, weight)| (sum + value * weight, whole + weight));
    sum / whole
}
