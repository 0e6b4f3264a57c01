//! A map of a chunk of the sphere with its outline, sources, stations and an optional field.

use std::path::Path;

use crate::azimuthal::Azimuthal;
use crate::canvas::Canvas;
use crate::chunk_field::Coloured;
use crate::colour::Colour;
use crate::error::{Error, Result};
use crate::field_layout::BAR_ROOM;
use crate::graticule::{Graticule, Sheet};
use crate::key::Key;
use crate::layout::{self, Area, MARGIN, Paper};
use crate::pen::{FRAME, Pen};
use crate::source_signs::SourceSigns;
use crate::symbols::{self, Names};
use crate::trace::all_finite;
use crate::{SourceMark, StationMark};

/// Contents of a map of a chunk of the sphere.
#[derive(Clone, Copy, Debug)]
pub struct ChunkView<'a> {
    /// Longitude and latitude of the centre of the map \[degrees\], north upwards.
    pub centre: [f64; 2],
    /// Outline as longitudes and latitudes \[degrees\], in order.
    pub outline: &'a [[f64; 2]],
    /// Name of the outline in the key; empty if it is not explained.
    pub outline_name: &'a str,
    /// Sources at longitude and latitude \[degrees\]; the third coordinate is ignored. Moment tensors are in east, north and up.
    pub sources: &'a [SourceMark],
    /// Stations at longitude and latitude \[degrees\]; the third coordinate is ignored. Stations with an empty name are not labelled.
    pub stations: &'a [StationMark],
}

/// Options of a map of a chunk of the sphere.
#[derive(Clone, Debug)]
pub struct ChunkMapOptions {
    /// Size and resolution.
    pub paper: Paper,
    /// Title above the picture.
    pub title: String,
}

impl Default for ChunkMapOptions {
    fn default() -> Self {
        Self { paper: Paper { width: 760.0, ..Paper::default() }, title: String::new() }
    }
}

/// Margin around the chunk, relative to its size.
const AROUND: f64 = 0.05;
/// Room for degree labels at the sides.
const DEGREES: f64 = 44.0;
/// Room for degree labels above and below.
const LINE: f64 = 22.0;
const INSIDE: Colour = Colour::rgb(239, 243, 247);
const OUTLINE: Pen = Pen::new(Colour::BLUE, 1.6);
/// Number of stations above which names are omitted.
const MANY: usize = 60;

/// Draws a map in Lambert's azimuthal equal-area projection, with meridians and parallels at round degrees.
///
/// # Arguments
/// * `path` – the PNG file, replaced in one step
/// # Errors
/// `Error::Nothing` for an outline of fewer than three points, `Error::NotFinite`, `Error::Paper`, `Error::Write`
///
/// Verified by `chunks::every_chunk_fills_its_map_and_shows_its_contents`.
pub fn chunk_map(view: &ChunkView<'_>, options: &ChunkMapOptions, path: impl AsRef<Path>) -> Result<()> {
    picture(view, None, options)?.save(path.as_ref())
}

/// Draws a map with an optional field.
///
/// # Errors
/// Those of [`chunk_map`] except `Error::Write`.
pub(crate) fn picture(view: &ChunkView<'_>, field: Option<&Coloured<'_>>, options: &ChunkMapOptions) -> Result<Canvas> {
    check(view)?;
    let projection = Azimuthal::about(view.centre);
    let [low, high] = bounds(view, &projection);
    let span = [high[0] - low[0], high[1] - low[1]];
    let top = layout::heading_height(&options.title, "legend") + LINE;
    let beside = if field.is_some() { BAR_ROOM } else { 0.0 };
    let paper = options.paper;
    let room = [
        paper.width - 2.0 * (MARGIN + DEGREES) - beside,
        paper.height.map_or(f64::INFINITY, |h| h - top - LINE - MARGIN),
    ];
    // Limits maps that are much taller than wide to the shape of a page.
    let scale = (room[0] / span[0]).min(room[1].min(1.3 * room[0]) / span[1]).max(1.0);
    let (width, height) = (scale * span[0], scale * span[1]);
    let (mut canvas, sheet) = Canvas::new(&paper, top + height + LINE + MARGIN)?;
    layout::heading(&mut canvas, &sheet, &options.title, "");
    let left = sheet.centre()[0] - 0.5 * (width + beside);
    let area = Area { left, top, right: left + width, bottom: top + height };
    let map = Map { view, field, sheet: Sheet { projection, corner: low, scale, area } };
    map.draw_key(&mut canvas, &sheet, top - LINE - 8.0);
    map.draw(&mut canvas);
    Ok(canvas)
}

fn check(view: &ChunkView<'_>) -> Result<()> {
    if view.outline.len() < 3 {
        return Err(Error::Nothing { what: "points of the outline" });
    }
    all_finite(&view.centre, || "the centre".into())?;
    all_finite(view.outline.as_flattened(), || "a place of the outline".into())?;
    for source in view.sources {
        all_finite(&source.position, || "a position of the sources".into())?;
        all_finite(source.moment_tensor.as_ref().map_or(&[], |tensor| &tensor[..]), || "a moment tensor".into())?;
    }
    for station in view.stations {
        all_finite(&station.position, || format!("the position of station {}", station.label))?;
    }
    Ok(())
}

/// Lower left and upper right corner of the map, in radii of the sphere.
fn bounds(view: &ChunkView<'_>, projection: &Azimuthal) -> [[f64; 2]; 2] {
    let nothing = [[f64::INFINITY; 2], [f64::NEG_INFINITY; 2]];
    let reach = |[low, high]: [[f64; 2]; 2], [x, y]: [f64; 2]| {
        [[low[0].min(x), low[1].min(y)], [high[0].max(x), high[1].max(y)]]
    };
    let [low, high] = view.outline.iter().map(|place| projection.forward(*place)).fold(nothing, reach);
    let around = AROUND * (high[0] - low[0]).max(high[1] - low[1]);
    [low.map(|end| end - around), high.map(|end| end + around)]
}

struct Map<'a> {
    view: &'a ChunkView<'a>,
    field: Option<&'a Coloured<'a>>,
    sheet: Sheet,
}

impl Map<'_> {
    fn draw(&self, canvas: &mut Canvas) {
        let area = &self.sheet.area;
        let outline: Vec<[f64; 2]> = self.view.outline.iter().map(|place| self.sheet.at(*place)).collect();
        canvas.polygon(&outline, INSIDE, None);
        if let Some(field) = self.field {
            field.draw(canvas, &self.sheet, DEGREES);
        }
        let graticule = Graticule::over(&self.sheet);
        graticule.draw(canvas, &self.sheet);
        canvas.polygon(&outline, INSIDE.with_opacity(0.0), Some(&OUTLINE));
        canvas.frame(area, &FRAME);
        let degrees = graticule.write(canvas, &self.sheet);
        self.draw_marks(canvas, &degrees);
    }

    /// Draws sources, stations on top of them, and names that avoid degree labels inside the map.
    fn draw_marks(&self, canvas: &mut Canvas, degrees: &[[f64; 2]]) {
        let area = &self.sheet.area;
        let size = if self.view.stations.len() > MANY { 3.0 } else { 5.0 };
        let mut names = Names::default();
        degrees.iter().for_each(|at| names.keep_clear(*at, 10.0));
        self.signs(&self.turned_sources()).draw(canvas, &mut names);
        for station in self.view.stations {
            symbols::draw_station(canvas, self.at(station.position), size, false);
            names.keep_clear(self.at(station.position), size);
        }
        if self.view.stations.len() <= MANY {
            for station in self.view.stations.iter().filter(|station| !station.label.is_empty()) {
                names.write(canvas, area, self.at(station.position), size, &station.label);
            }
        }
    }

    /// Position of a geographic point on the sheet.
    fn at(&self, [longitude, latitude, _]: [f64; 3]) -> [f64; 2] {
        self.sheet.at([longitude, latitude])
    }

    fn signs<'s>(&self, turned: &'s [SourceMark]) -> SourceSigns<'s> {
        SourceSigns::new(turned.iter().map(|source| (source, self.at(source.position))), true)
    }

    fn turned_sources(&self) -> Vec<SourceMark> {
        self.view.sources.iter().map(|source| self.turned(source)).collect()
    }

    /// A source with its tensor rotated to the right and up directions of the map.
    fn turned(&self, source: &SourceMark) -> SourceMark {
        let [longitude, latitude, _] = source.position;
        let (sin, cos) = self.sheet.projection.turn_of_north([longitude, latitude]).sin_cos();
        // Rotates the components of the tensor from local east and north to right and up of the map.
        let turned = |[ee, nn, zz, nz, ez, en]: [f64; 6]| {
            [
                cos * cos * ee + sin * sin * nn + 2.0 * sin * cos * en,
                sin * sin * ee + cos * cos * nn - 2.0 * sin * cos * en,
                zz,
                cos * nz - sin * ez,
                cos * ez + sin * nz,
                (cos * cos - sin * sin) * en + sin * cos * (nn - ee),
            ]
        };
        SourceMark { position: source.position, moment_tensor: source.moment_tensor.map(turned) }
    }

    /// Writes the key of the symbols in a line below the title.
    fn draw_key(&self, canvas: &mut Canvas, paper: &Area, baseline: f64) {
        let mut key = Key::new(paper, baseline);
        if let Some(time) = self.field.and_then(Coloured::time) {
            key.text(canvas, &time);
        }
        self.signs(&self.turned_sources()).explain(canvas, &mut key);
        if !self.view.stations.is_empty() {
            let at = key.sign(canvas, "station");
            symbols::draw_station(canvas, at, 5.0, false);
        }
        if !self.view.outline_name.is_empty() {
            let [x, y] = key.sign(canvas, self.view.outline_name);
            canvas.rule([x - 8.0, y], [x + 8.0, y], &OUTLINE);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mechanism_is_rotated_with_the_local_meridian() {
        let view = ChunkView { centre: [0.0, 60.0], outline: &[], outline_name: "", sources: &[], stations: &[] };
        let area = Area { left: 0.0, top: 0.0, right: 1.0, bottom: 1.0 };
        let projection = Azimuthal::about(view.centre);
        let map = Map { view: &view, field: None, sheet: Sheet { projection, corner: [-1.0; 2], scale: 1.0, area } };
        for place in [[0.0, 60.0], [35.0, 50.0], [-100.0, 70.0]] {
            // A dipole towards north and up: its components right and up on the map, and vertical.
            let at = |step: f64| map.sheet.projection.forward([place[0], place[1] + step]);
            let [right, up] = [0, 1].map(|axis| at(1e-3)[axis] - at(-1e-3)[axis]);
            let motion = [right / right.hypot(up), up / right.hypot(up), 1.0];
            let mark =
                SourceMark { position: [place[0], place[1], 0.0], moment_tensor: Some([0.0, 1.0, 1.0, 1.0, 0.0, 0.0]) };
            let turned = map.turned(&mark).moment_tensor.unwrap();
            let pairs = [(0, 0), (1, 1), (2, 2), (1, 2), (0, 2), (0, 1)];
            for (found, (a, b)) in turned.into_iter().zip(pairs) {
                assert!((found - motion[a] * motion[b]).abs() < 1e-6, "{place:?}: {turned:?} {motion:?}");
            }
        }
    }
}
