//! Maps and slices of a scalar field, and series of them.

use std::path::{Path, PathBuf};

use crate::axis::{Axis, Side};
use crate::canvas::Canvas;
use crate::colour::{Colour, ColourMap};
use crate::colour_bar::ColourBar;
use crate::colour_scale::{ColourScale, fitting_range};
use crate::error::Result;
use crate::field_layout::{BAR_ROOM, Proportion, bar_place};
use crate::layout::{self, Area, Paper};
use crate::pen::{FRAME, Pen};
use crate::raster::{Hillshade, Raster};
use crate::symbols;
use crate::ticks::{self, Unit};
use crate::trace::{all_finite, checked_range};

/// Options of a map.
#[derive(Clone, Debug)]
pub struct MapOptions<'a> {
    /// Size and resolution.
    pub paper: Paper,
    /// Title above the picture.
    pub title: String,
    /// Simulated time \[s\], written next to the title.
    pub time: Option<f64>,
    /// Names of the axes: "x" and "y" for a map, "x" and "z" for a section.
    pub axes: [String; 2],
    /// Name of the coloured quantity.
    pub quantity: String,
    /// Its unit, such as "m/s".
    pub unit: String,
    /// The colours.
    pub colours: ColourMap,
    /// Reverses the colour map.
    pub reversed: bool,
    /// Values of the first and the last colour; fitted when left out, symmetric about zero for diverging maps.
    pub range: Option<[f64; 2]>,
    /// Fraction of the values within a fitted range, up to 1.
    pub part: f64,
    /// Contour levels.
    pub contours: Vec<f64>,
    /// Heights \[m\], shown by shading and contours.
    pub relief: Option<Raster<'a>>,
    /// Sources \[m\], shown as stars.
    pub sources: Vec<[f64; 2]>,
    /// Stations \[m\], shown as triangles.
    pub stations: Vec<[f64; 2]>,
}

impl Default for MapOptions<'_> {
    fn default() -> Self {
        Self {
            paper: Paper { width: 720.0, ..Paper::default() },
            title: String::new(),
            time: None,
            axes: ["x".into(), "y".into()],
            quantity: String::new(),
            unit: String::new(),
            colours: ColourMap::Vik,
            reversed: false,
            range: None,
            part: 1.0,
            contours: Vec::new(),
            relief: None,
            sources: Vec::new(),
            stations: Vec::new(),
        }
    }
}

/// Draws a scalar field with its colour bar, both axes to the same scale.
///
/// Only fields with an aspect ratio above six are stretched, which the note then states.
///
/// # Arguments
/// * `field` – the values; NaN is left white
/// * `path` – the PNG file, replaced in one step
/// # Errors
/// `Error::Length`, `Error::Range`, `Error::NotFinite`, `Error::Nothing`, `Error::Paper`, `Error::Write`
pub fn map(field: &Raster<'_>, options: &MapOptions<'_>, path: impl AsRef<Path>) -> Result<()> {
    field.check("the field")?;
    if let Some(relief) = &options.relief {
        relief.check("the relief")?;
    }
    for (what, marks) in [("sources", &options.sources), ("stations", &options.stations)] {
        all_finite(marks.as_flattened(), || format!("a position of the {what}"))?;
    }
    let range = match options.range {
        Some(range) => checked_range("the range of colours", range)?,
        None => fitting_range(field.present(), options.colours, options.part),
    };
    let picture = Picture {
        field,
        options,
        colours: ColourScale {
            map: options.colours,
            reversed: options.reversed,
            soft: false,
            range,
            logarithmic: false,
        },
    };
    picture.draw()?.save(path.as_ref())
}

struct Picture<'a> {
    field: &'a Raster<'a>,
    options: &'a MapOptions<'a>,
    colours: ColourScale,
}

impl Picture<'_> {
    fn draw(&self) -> Result<Canvas> {
        let proportion = Proportion::of([self.field.x, self.field.y].map(|[low, high]| high - low), None);
        let note = self.note(&proportion);
        let title = self.options.title.as_str();
        let above = layout::heading_height(title, &note) + 4.0;
        let (mut canvas, sheet, area) = proportion.sheet(&self.options.paper, above, BAR_ROOM)?;
        layout::heading(&mut canvas, &sheet, title, &note);
        self.draw_field(&mut canvas, &area);
        self.draw_bar(&mut canvas, &area);
        Ok(canvas)
    }

    fn note(&self, proportion: &Proportion) -> String {
        let time = self.options.time.map(|time| format!("t = {} s", time_text(time)));
        let factor = ticks::brief(proportion.stretch);
        let stretched = proportion.is_stretched().then(|| format!("{} stretched × {factor}", self.options.axes[1]));
        let peak = self.field.present().fold(0.0, |peak, value| f64::max(peak, value.abs()));
        let peak = format!("peak {}", ticks::measured(peak, &self.options.unit));
        let peak = self.options.colours.is_diverging().then_some(peak);
        let parts: Vec<String> = [time, peak, stretched].into_iter().flatten().collect();
        parts.join("   ")
    }

    fn draw_field(&self, canvas: &mut Canvas, area: &Area) {
        let [x, y] = self.axes(area);
        let shade = self.options.relief.map(Hillshade::new);
        canvas.shade(area, |[column, row]| {
            let (x, y) = (x.scale.value_at(column), y.scale.value_at(row));
            let colour = self.colours.colour(self.field.at(x, y)?);
            Some(shade.as_ref().map_or(colour, |shade| colour.lit(shade.light(x, y))))
        });
        let place = |[east, north]: [f64; 2]| [x.scale.at(east), y.scale.at(north)];
        if let Some(relief) = self.options.relief {
            let pen = Pen::new(Colour::INK.with_opacity(0.3), 0.6);
            for level in relief_levels(&relief) {
                draw_contour(canvas, &relief, level, &pen, place);
            }
        }
        for level in &self.options.contours {
            let pen = Pen::new(Colour::INK.with_opacity(0.7), 0.8);
            draw_contour(canvas, self.field, *level, &pen, place);
        }
        canvas.frame(area, &FRAME);
        for station in self.options.stations.iter().map(|&at| place(at)).filter(|&at| area.contains(at)) {
            symbols::draw_station(canvas, station, 5.0, false);
        }
        for source in self.options.sources.iter().map(|&at| place(at)).filter(|&at| area.contains(at)) {
            symbols::draw_star(canvas, source, 9.0);
        }
        x.draw(canvas, area);
        y.draw(canvas, area);
    }

    fn axes(&self, area: &Area) -> [Axis; 2] {
        let (x, y) = (self.field.x, self.field.y);
        let largest = [x[0], x[1], y[0], y[1]].into_iter().fold(0.0, |a, b| f64::max(a, b.abs()));
        let unit = Unit::for_length(largest);
        let [across, up] = &self.options.axes;
        [
            Axis::linear(Side::Bottom, x, [area.left, area.right], across, unit),
            Axis::linear(Side::Left, y, [area.bottom, area.top], up, unit),
        ]
    }

    fn draw_bar(&self, canvas: &mut Canvas, area: &Area) {
        let bar = ColourBar {
            scale: self.colours,
            title: &self.options.quantity,
            unit: &self.options.unit,
            beyond: self.colours.beyond(self.field.present()),
        };
        bar.draw(canvas, &bar_place(area));
    }
}

/// A simulated time with a suitable number of decimals.
pub(crate) fn time_text(time: f64) -> String {
    let decimals = match time.abs() {
        size if size >= 100.0 => 1,
        size if size >= 0.1 || size == 0.0 => 2,
        _ => 5,
    };
    ticks::decimal(time, decimals)
}

fn draw_contour(canvas: &mut Canvas, raster: &Raster<'_>, level: f64, pen: &Pen, place: impl Fn([f64; 2]) -> [f64; 2]) {
    let pieces: Vec<_> = raster.contour(level).into_iter().map(|piece| piece.map(&place)).collect();
    canvas.pieces(&pieces, pen);
}

/// Round contour levels of a relief, excluding the very top and bottom, where a contour on a plain would only show noise.
fn relief_levels(relief: &Raster<'_>) -> Vec<f64> {
    const PLAIN: f64 = 0.02;
    let low = relief.present().fold(f64::INFINITY, f64::min);
    let high = relief.present().fold(f64::NEG_INFINITY, f64::max);
    let room = PLAIN * (high - low);
    if high > low {
        let levels = ticks::linear(low, high, 9).into_iter().map(|tick| tick.value);
        levels.filter(|level| *level > low + room && *level < high - room).collect()
    } else {
        Vec::new()
    }
}

/// A series of maps with a common colour scale, written one by one as frame_0001.png, frame_0002.png and so on.
#[derive(Clone, Debug)]
pub struct Frames<'a> {
    folder: PathBuf,
    options: MapOptions<'a>,
    written: usize,
}

impl<'a> Frames<'a> {
    /// A series in `folder`, which is created when the first frame is written.
    ///
    /// # Arguments
    /// * `range` – values of the first and the last colour of every frame
    pub fn new(folder: impl Into<PathBuf>, options: MapOptions<'a>, range: [f64; 2]) -> Self {
        Self { folder: folder.into(), options: MapOptions { range: Some(range), ..options }, written: 0 }
    }

    /// Draws the next frame and returns its path.
    ///
    /// # Arguments
    /// * `time` – simulated time \[s\]
    /// # Errors
    /// As `map`.
    pub fn push(&mut self, field: &Raster<'_>, time: f64) -> Result<PathBuf> {
        self.options.time = Some(time);
        let path = self.folder.join(format!("frame_{:04}.png", self.written + 1));
        map(field, &self.options, &path)?;
        self.written += 1;
        Ok(path)
    }
}

/// Draws a series of fields with a common colour scale, fitted to all of them unless the options fix it.
///
/// # Arguments
/// * `fields` – each with its simulated time \[s\]
/// * `folder` – output folder for frame_0001.png, frame_0002.png and so on
/// # Returns
/// The files in order.
/// # Errors
/// `Error::Nothing` if there is no field, else as `map`
pub fn frames(
    fields: &[(f64, Raster<'_>)],
    options: &MapOptions<'_>,
    folder: impl AsRef<Path>,
) -> Result<Vec<PathBuf>> {
    if fields.is_empty() {
        return Err(crate::error::Error::Nothing { what: "fields" });
    }
    let range = options.range.unwrap_or_else(|| {
        let values = fields.iter().flat_map(|(_, field)| field.present());
        fitting_range(values, options.colours, options.part)
    });
    let mut series = Frames::new(folder.as_ref(), options.clone(), range);
    fields.iter().map(|(time, field)| series.push(field, *time)).collect()
}
