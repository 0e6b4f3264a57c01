//! An Earth model with sources and stations: plan and two vertical sections, unfolded like a box.

use std::path::Path;

use crate::axis::{Axis, Side};
use crate::beachball;
use crate::canvas::Canvas;
use crate::colour::{Colour, ColourMap};
use crate::colour_bar::{ColourBar, ColourScale, fitting_range};
use crate::error::{Error, Result};
use crate::layout::{self, Area, MARGIN, Paper};
use crate::pen::{FRAME, HEADING, NOTE, Pen};
use crate::raster::{Hillshade, Raster};
use crate::symbols::{self, Names};
use crate::table::distance;
use crate::ticks::{self, Unit};
use crate::trace::{all_finite, checked_range};

/// A material property at any point: x east, y north, z up \[m\]; NaN where there is no rock.
pub type Property<'a> = dyn Fn([f64; 3]) -> f64 + 'a;

/// A height \[m\] at any place: x east, y north \[m\].
pub type Height<'a> = dyn Fn([f64; 2]) -> f64 + 'a;

/// A source in a picture of a model.
#[derive(Clone, Debug)]
pub struct SourceMark {
    /// x east, y north, z up \[m\].
    pub position: [f64; 3],
    /// Moment tensor in Voigt order xx, yy, zz, yz, xz, xy, shown as a beachball; a star without one.
    pub moment_tensor: Option<[f64; 6]>,
}

/// A station in a picture of a model.
#[derive(Clone, Debug)]
pub struct StationMark {
    /// Name, written on the plan where there is room.
    pub label: String,
    /// x east, y north, z up \[m\].
    pub position: [f64; 3],
}

/// What is shown of a model.
pub struct ModelView<'a> {
    /// Ends of the domain along x, y and z \[m\].
    pub domain: [[f64; 2]; 3],
    /// The property that is coloured.
    pub property: &'a Property<'a>,
    /// Height of the ground; level at the top of the domain when left out.
    pub topography: Option<&'a Height<'a>>,
    /// Interfaces, drawn as lines in the sections.
    pub interfaces: &'a [&'a Height<'a>],
    /// Sources.
    pub sources: &'a [SourceMark],
    /// Stations.
    pub stations: &'a [StationMark],
}

/// How a model is drawn.
#[derive(Clone, Debug)]
pub struct ModelOptions {
    /// Size and resolution.
    pub paper: Paper,
    /// Title above the picture.
    pub title: String,
    /// What is coloured, such as "vs".
    pub quantity: String,
    /// Its unit, such as "m/s".
    pub unit: String,
    /// The colours.
    pub colours: ColourMap,
    /// Exchanges the ends of the colour map.
    pub reversed: bool,
    /// Values of the first and the last colour; fitted when left out.
    pub range: Option<[f64; 2]>,
    /// Where the sections cut, x and y \[m\]; through the first source, else through the middle, when left out.
    pub through: Option<[f64; 2]>,
    /// Height of the plan \[m\]; just below the ground when left out.
    pub plan_height: Option<f64>,
    /// Factor on heights in the sections; 1, or more for flat models, when left out.
    pub vertical_exaggeration: Option<f64>,
}

impl Default for ModelOptions {
    fn default() -> Self {
        Self {
            paper: Paper::default(),
            title: String::new(),
            quantity: "vs".into(),
            unit: "m/s".into(),
            colours: ColourMap::Batlow,
            reversed: false,
            range: None,
            through: None,
            plan_height: None,
            vertical_exaggeration: None,
        }
    }
}

/// Draws a model: the plan, below it the x–z section, beside it the y–z section, all to one scale.
///
/// # Arguments
/// * `view` – the model; its property is asked at every pixel
/// * `path` – the PNG file, replaced in one step
/// # Errors
/// `Error::Range`, `Error::NotFinite`, `Error::Nothing` if the property is NaN everywhere, `Error::Paper`, `Error::Write`
pub fn model_section(view: &ModelView<'_>, options: &ModelOptions, path: impl AsRef<Path>) -> Result<()> {
    check(view)?;
    let through = options.through.unwrap_or_else(|| {
        let middle = [0, 1].map(|axis| (view.domain[axis][0] + view.domain[axis][1]) / 2.0);
        let first = view.sources.first();
        first.map_or(middle, |source| [source.position[0], source.position[1]])
    });
    let values = sampled(view, through, options.plan_height);
    if values.is_empty() {
        return Err(Error::Nothing { what: "values of the model" });
    }
    let range = match options.range {
        Some(range) => checked_range("the range of colours", range)?,
        // A model is never negative, so a diverging map has no zero to respect.
        None => fitting_range(values.iter().copied(), ColourMap::Batlow, 1.0),
    };
    let picture = Picture {
        view,
        options,
        through,
        beyond: ColourBar::beyond(values.into_iter(), range),
        colours: ColourScale { map: options.colours, reversed: options.reversed, range },
    };
    picture.draw()?.save(path.as_ref())
}

fn check(view: &ModelView<'_>) -> Result<()> {
    for (what, range) in ["x of the domain", "y of the domain", "z of the domain"].into_iter().zip(view.domain) {
        checked_range(what, range)?;
    }
    for (index, source) in view.sources.iter().enumerate() {
        all_finite(&source.position, || format!("the position of source {index}"))?;
        all_finite(&source.moment_tensor.unwrap_or_default(), || format!("the moment tensor of source {index}"))?;
    }
    for station in view.stations {
        all_finite(&station.position, || format!("the position of station {}", station.label))?;
    }
    Ok(())
}

/// Height of the plan at a place: the wanted one, or a hair below the ground.
fn plan_point(view: &ModelView<'_>, place: [f64; 2], height: Option<f64>) -> [f64; 3] {
    let [bottom, top] = view.domain[2];
    let ground = view.topography.map_or(top, |topography| topography(place));
    let below = ground - 1e-6 * (top - bottom);
    [place[0], place[1], height.unwrap_or(below)]
}

/// The property on a coarse raster of all three views.
fn sampled(view: &ModelView<'_>, through: [f64; 2], plan_height: Option<f64>) -> Vec<f64> {
    const COUNT: u32 = 96;
    let along = |axis: usize, index: u32| {
        let [low, high] = view.domain[axis];
        low + (high - low) * (f64::from(index) + 0.5) / f64::from(COUNT)
    };
    let pairs = (0..COUNT).flat_map(|i| (0..COUNT).map(move |j| (i, j)));
    pairs
        .flat_map(|(i, j)| {
            [
                plan_point(view, [along(0, i), along(1, j)], plan_height),
                [along(0, i), through[1], along(2, j)],
                [through[0], along(1, i), along(2, j)],
            ]
        })
        .map(view.property)
        .filter(|value| value.is_finite())
        .collect()
}

struct Picture<'a> {
    view: &'a ModelView<'a>,
    options: &'a ModelOptions,
    through: [f64; 2],
    colours: ColourScale,
    beyond: [bool; 2],
}

/// Where the three views and the colour bar stand.
struct Places {
    plan: Area,
    along_x: Area,
    along_y: Area,
    bar: Area,
    height: f64,
    exaggeration: f64,
}

impl Picture<'_> {
    const LEFT: f64 = 54.0;
    const FOOT: f64 = 38.0;
    const GAP: [f64; 2] = [16.0, 34.0];
    const BAR_ROOM: f64 = 96.0;

    fn span(&self, axis: usize) -> f64 {
        self.view.domain[axis][1] - self.view.domain[axis][0]
    }

    fn draw(&self) -> Result<Canvas> {
        let note = "placed by the exaggeration below";
        let top = layout::heading_height(&self.options.title, note) + 18.0;
        let places = self.places(top);
        let (mut canvas, sheet) = Canvas::new(&self.options.paper, places.height)?;
        layout::heading(&mut canvas, &sheet, &self.options.title, "");
        self.draw_legend(&mut canvas, &sheet, top - 28.0, places.exaggeration);
        self.draw_plan(&mut canvas, &places.plan);
        self.draw_along_x(&mut canvas, &places);
        self.draw_along_y(&mut canvas, &places);
        let bar = ColourBar {
            scale: self.colours,
            title: &self.options.quantity,
            unit: &self.options.unit,
            beyond: self.beyond,
        };
        bar.draw(&mut canvas, &places.bar);
        Ok(canvas)
    }

    /// Finds the largest scale at which all views fit.
    fn places(&self, top: f64) -> Places {
        const LOWEST_SECTION: f64 = 70.0;
        const TALLEST: f64 = 1100.0;
        let paper = &self.options.paper;
        let [dx, dy, dz] = [0, 1, 2].map(|axis| self.span(axis));
        let width = paper.width - 2.0 * MARGIN - Self::LEFT - Self::GAP[0];
        let body_height = paper.height.map_or(TALLEST, |height| height - top - Self::GAP[1] - Self::FOOT - MARGIN);
        let scale_for = |width: f64, dz: f64| (width / (dx + dz)).min(body_height / (dy + dz)).max(1e-12);
        let exaggeration = self.options.vertical_exaggeration.unwrap_or_else(|| {
            let section = dz * scale_for(width, dz);
            if section >= LOWEST_SECTION { 1.0 } else { ticks::round_step(LOWEST_SECTION / section) }
        });
        let dz = dz * exaggeration;
        // The corner between the sections holds the bar if it is large enough.
        let corner = dz * scale_for(width, dz) >= 130.0;
        let width = if corner { width } else { width - Self::BAR_ROOM };
        let scale = scale_for(width, dz);
        let plan =
            Area { left: MARGIN + Self::LEFT, top, right: MARGIN + Self::LEFT + scale * dx, bottom: top + scale * dy };
        let along_x = Area { top: plan.bottom + Self::GAP[1], bottom: plan.bottom + Self::GAP[1] + scale * dz, ..plan };
        let along_y = Area { left: plan.right + Self::GAP[0], right: plan.right + Self::GAP[0] + scale * dz, ..plan };
        let bar = if corner {
            let left = along_y.left + 24.0;
            // The numbers of the upright section's axis need the upper part of the corner.
            Area { left, right: left + ColourBar::WIDTH, top: along_x.top + 24.0, bottom: along_x.bottom }
        } else {
            let left = along_y.right + 28.0;
            Area { left, right: left + ColourBar::WIDTH, top: plan.top, bottom: plan.bottom.min(plan.top + 320.0) }
        };
        Places { plan, along_x, along_y, bar, height: along_x.bottom + Self::FOOT + MARGIN, exaggeration }
    }

    fn unit(&self) -> Unit {
        let ends = self.view.domain.as_flattened().iter();
        Unit::for_length(ends.fold(0.0, |largest, end| f64::max(largest, end.abs())))
    }

    fn axis(&self, side: Side, axis: usize, positions: [f64; 2]) -> Axis {
        Axis::linear(side, self.view.domain[axis], positions, ["x", "y", "z"][axis], self.unit())
    }

    fn shade(&self, canvas: &mut Canvas, area: &Area, point: impl Fn([f64; 2]) -> [f64; 3]) {
        canvas.shade(area, |position| {
            let value = (self.view.property)(point(position));
            value.is_finite().then(|| self.colours.colour(value))
        });
    }

    fn draw_plan(&self, canvas: &mut Canvas, area: &Area) {
        let x = self.axis(Side::Bottom, 0, [area.left, area.right]);
        let y = self.axis(Side::Left, 1, [area.bottom, area.top]);
        let relief = self.relief();
        let raster = relief.as_ref().map(|(size, heights)| Raster {
            size: *size,
            x: self.view.domain[0],
            y: self.view.domain[1],
            values: heights,
        });
        let hillshade = raster.map(Hillshade::new);
        canvas.shade(area, |[column, row]| {
            let place = [x.scale.value_at(column), y.scale.value_at(row)];
            let value = (self.view.property)(plan_point(self.view, place, self.options.plan_height));
            let light = hillshade.as_ref().map_or(1.0, |shade| shade.light(place[0], place[1]));
            value.is_finite().then(|| self.colours.colour(value).lit(light))
        });
        let [cut_x, cut_y] = [x.scale.at(self.through[0]), y.scale.at(self.through[1])];
        for pen in [Pen::new(Colour::WHITE.with_opacity(0.7), 2.0), Pen::new(Colour::INK, 0.8).dashed(6.0, 4.0)] {
            canvas.rule([cut_x, area.top], [cut_x, area.bottom], &pen);
            canvas.rule([area.left, cut_y], [area.right, cut_y], &pen);
        }
        self.draw_marks(canvas, area, |[east, north, _]| [x.scale.at(east), y.scale.at(north)], true);
        canvas.frame(area, &FRAME);
        y.draw(canvas, area);
        let heading = match self.options.plan_height {
            Some(height) => format!("Plan at z = {}", distance(height)),
            None => "Plan of the surface".into(),
        };
        canvas.text([area.left, area.top - 9.0], &heading, &HEADING);
    }

    /// Heights of the ground on a raster, if the plan follows it.
    fn relief(&self) -> Option<([usize; 2], Vec<f64>)> {
        const COUNT: usize = 200;
        let topography = self.view.topography.filter(|_| self.options.plan_height.is_none())?;
        let along = |axis: usize, index: usize| {
            let [low, high] = self.view.domain[axis];
            low + (high - low) * index as f64 / (COUNT - 1) as f64
        };
        let places = (0..COUNT).flat_map(|j| (0..COUNT).map(move |i| (i, j)));
        let heights = places.map(|(i, j)| topography([along(0, i), along(1, j)])).collect();
        Some(([COUNT; 2], heights))
    }

    fn draw_along_x(&self, canvas: &mut Canvas, places: &Places) {
        let area = &places.along_x;
        let x = self.axis(Side::Bottom, 0, [area.left, area.right]);
        let z = self.axis(Side::Left, 2, [area.bottom, area.top]);
        self.shade(canvas, area, |[column, row]| [x.scale.value_at(column), self.through[1], z.scale.value_at(row)]);
        for interface in self.lines() {
            let points = samples(area.left, area.right).map(|column| {
                let height = interface([x.scale.value_at(column), self.through[1]]);
                [column, z.scale.at(height)]
            });
            draw_inside(canvas, area, points);
        }
        self.draw_marks(canvas, area, |[east, _, up]| [x.scale.at(east), z.scale.at(up)], false);
        canvas.frame(area, &FRAME);
        x.draw(canvas, area);
        z.draw(canvas, area);
        let heading = format!("Section at y = {}", distance(self.through[1]));
        canvas.text([area.left, area.top - 9.0], &heading, &HEADING);
    }

    fn draw_along_y(&self, canvas: &mut Canvas, places: &Places) {
        let area = &places.along_y;
        let y = self.axis(Side::Left, 1, [area.bottom, area.top]);
        // Depth grows to the right, away from the plan.
        let z = self.axis(Side::Bottom, 2, [area.right, area.left]);
        self.shade(canvas, area, |[column, row]| [self.through[0], y.scale.value_at(row), z.scale.value_at(column)]);
        for interface in self.lines() {
            let points = samples(area.top, area.bottom).map(|row| {
                let height = interface([self.through[0], y.scale.value_at(row)]);
                [z.scale.at(height), row]
            });
            draw_inside(canvas, area, points);
        }
        self.draw_marks(canvas, area, |[_, north, up]| [z.scale.at(up), y.scale.at(north)], false);
        canvas.frame(area, &FRAME);
        z.draw(canvas, area);
        let heading = format!("Section at x = {}", distance(self.through[0]));
        let heading = HEADING.cut(&heading, area.width().max(60.0)).into_owned();
        canvas.text([area.left, area.top - 9.0], &heading, &HEADING);
    }

    fn lines(&self) -> impl Iterator<Item = &Height<'_>> {
        self.view.interfaces.iter().copied().chain(self.view.topography)
    }

    /// Draws stations, then sources, and on the plan their names and mechanisms.
    fn draw_marks(&self, canvas: &mut Canvas, area: &Area, place: impl Fn([f64; 3]) -> [f64; 2], plan: bool) {
        let inside = |position: [f64; 3]| Some(place(position)).filter(|&at| area.contains(at));
        let station_size = if self.view.stations.len() > 60 { 3.0 } else { 5.0 };
        let source_size = match self.view.sources.len() {
            0..=8 => 1.0,
            9..=60 => 0.6,
            _ => 0.25,
        };
        let mut names = Names::default();
        let stations: Vec<_> = self.view.stations.iter().filter_map(|s| Some((s, inside(s.position)?))).collect();
        for (_, at) in &stations {
            symbols::draw_station(canvas, *at, station_size);
            names.keep_clear(*at, station_size);
        }
        for source in self.view.sources {
            let Some(at) = inside(source.position) else { continue };
            match &source.moment_tensor {
                Some(tensor) if plan => beachball::draw(canvas, at, 15.0 * source_size, tensor),
                _ => symbols::draw_star(canvas, at, 10.0 * source_size),
            }
            names.keep_clear(at, 15.0 * source_size);
        }
        if plan && self.view.stations.len() <= 60 {
            for (station, at) in stations {
                names.write(canvas, area, at, station_size, &station.label);
            }
        }
    }

    fn draw_legend(&self, canvas: &mut Canvas, sheet: &Area, baseline: f64, exaggeration: f64) {
        let mut x = sheet.left + MARGIN;
        let middle = baseline - NOTE.half_height();
        let mut entry = |canvas: &mut Canvas, name: &str, room: f64| {
            canvas.text([x + room, baseline], name, &NOTE);
            let left = x;
            x += room + NOTE.width_of(name) + 20.0;
            [left + 7.0, middle]
        };
        if !self.view.sources.is_empty() {
            let at = entry(canvas, "source", 20.0);
            symbols::draw_star(canvas, at, 8.0);
        }
        if !self.view.stations.is_empty() {
            let at = entry(canvas, "station", 20.0);
            symbols::draw_station(canvas, at, 5.0);
        }
        if (exaggeration - 1.0).abs() > 1e-9 {
            entry(canvas, &format!("heights × {}", ticks::brief(exaggeration)), 0.0);
        }
    }
}

/// Positions every unit from one end to the other.
fn samples(from: f64, to: f64) -> impl Iterator<Item = f64> {
    let count = (to - from).ceil().max(1.0) as u32;
    (0..=count).map(move |index| from + (to - from) * f64::from(index) / f64::from(count))
}

/// Draws the parts of a line that lie inside an area.
fn draw_inside(canvas: &mut Canvas, area: &Area, points: impl Iterator<Item = [f64; 2]>) {
    let pen = Pen::new(Colour::INK.with_opacity(0.75), 0.9);
    let mut run = Vec::new();
    for point in points {
        if area.contains(point) {
            run.push(point);
        } else {
            canvas.line(&run, &pen);
            run.clear();
        }
    }
    canvas.line(&run, &pen);
}
