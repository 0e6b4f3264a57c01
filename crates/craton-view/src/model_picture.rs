//! Drawing of the three views of a model.

use crate::axis::{Axis, Side};
use crate::canvas::Canvas;
use crate::colour::Colour;
use crate::colour_bar::draw_legend;
use crate::colour_scale::ColourScale;
use crate::error::Result;
use crate::key::Key;
use crate::layout::{self, Area};
use crate::model_layout::Places;
use crate::model_section::{Height, ModelOptions, ModelView, SourceMark};
use crate::pen::{FRAME, HEADING, Pen};
use crate::raster::{Hillshade, Raster};
use crate::source_signs::SourceSigns;
use crate::symbols::{self, Names};
use crate::ticks::{self, Unit};

/// A checked model, its options and its colours.
pub(crate) struct Picture<'a> {
    pub(crate) view: &'a ModelView<'a>,
    pub(crate) options: &'a ModelOptions,
    /// Positions of the sections, x and y \[m\].
    pub(crate) through: [f64; 2],
    pub(crate) colours: ColourScale,
    /// Samples of the property from all views.
    pub(crate) values: Vec<f64>,
}

/// A view of the model: its area and the axes of the domain along it.
struct View {
    area: Area,
    across: Axis,
    up: Axis,
}

impl Picture<'_> {
    pub(crate) fn draw(&self) -> Result<Canvas> {
        let top = layout::heading_height(&self.options.title, "legend") + 18.0;
        let spans = self.view.domain.map(|[low, high]| high - low);
        let paper = self.options.paper;
        let places = Places::new(spans, (paper.width, paper.height), top, self.options.vertical_exaggeration);
        let (mut canvas, sheet) = Canvas::new(&paper, places.height)?;
        layout::heading(&mut canvas, &sheet, &self.options.title, "");
        self.draw_key(&mut canvas, &sheet, top - 28.0, places.exaggeration);
        self.draw_plan(&mut canvas, &places.plan);
        self.draw_along_x(&mut canvas, &places.along_x);
        self.draw_along_y(&mut canvas, &places.along_y);
        self.draw_colours(&mut canvas, &places.legend);
        Ok(canvas)
    }

    fn unit(&self) -> Unit {
        let ends = self.view.domain.as_flattened().iter();
        Unit::for_length(ends.fold(0.0, |largest, end| f64::max(largest, end.abs())))
    }

    fn axis(&self, side: Side, axis: usize, positions: [f64; 2]) -> Axis {
        Axis::linear(side, self.view.domain[axis], positions, ["x", "y", "z"][axis], self.unit())
    }

    /// Draws the plan with the traces of the sections, mechanisms and names.
    fn draw_plan(&self, canvas: &mut Canvas, area: &Area) {
        let x = self.axis(Side::Bottom, 0, [area.left, area.right]);
        let y = self.axis(Side::Left, 1, [area.bottom, area.top]);
        let heights = self.relief();
        let relief = heights.as_ref().map(|(size, heights)| Raster {
            size: *size,
            x: self.view.domain[0],
            y: self.view.domain[1],
            values: heights,
        });
        let hillshade = relief.map(Hillshade::new);
        canvas.shade(area, |[column, row]| {
            let place = [x.scale.value_at(column), y.scale.value_at(row)];
            let value = (self.view.property)(self.view.plan_point(place, self.options.plan_height));
            let light = hillshade.as_ref().map_or(1.0, |shade| shade.light(place[0], place[1]));
            value.is_finite().then(|| self.colours.colour(value).lit(light))
        });
        self.draw_cuts(canvas, area, [x.scale.at(self.through[0]), y.scale.at(self.through[1])]);
        canvas.frame(area, &FRAME);
        self.draw_marks(canvas, area, |[east, north, _]| [x.scale.at(east), y.scale.at(north)], None);
        y.draw(canvas, area);
        let heading = match self.options.plan_height {
            Some(height) => format!("Plan at z = {}", self.unit().write(height)),
            None => "Plan of the surface".into(),
        };
        canvas.text([area.left, area.top - 9.0], &heading, &HEADING);
    }

    /// Marks the sections on the plan.
    fn draw_cuts(&self, canvas: &mut Canvas, area: &Area, [x, y]: [f64; 2]) {
        let pen = Pen::new(Colour::INK.with_opacity(0.6), 0.8).dashed(6.0, 4.0);
        if (area.left..=area.right).contains(&x) {
            canvas.rule([x, area.top], [x, area.bottom], &pen);
        }
        if (area.top..=area.bottom).contains(&y) {
            canvas.rule([area.left, y], [area.right, y], &pen);
        }
    }

    /// Heights of the ground on a raster, if the plan follows it and it is not level.
    fn relief(&self) -> Option<([usize; 2], Vec<f64>)> {
        const COUNT: usize = 200;
        let topography = self.view.topography.filter(|_| self.options.plan_height.is_none())?;
        let along = |axis: usize, index: usize| {
            let [low, high] = self.view.domain[axis];
            low + (high - low) * index as f64 / (COUNT - 1) as f64
        };
        let places = (0..COUNT).flat_map(|j| (0..COUNT).map(move |i| (i, j)));
        let heights: Vec<f64> = places.map(|(i, j)| topography([along(0, i), along(1, j)])).collect();
        heights.iter().any(|height| *height != heights[0]).then_some(([COUNT; 2], heights))
    }

    fn draw_along_x(&self, canvas: &mut Canvas, area: &Area) {
        let view = View {
            area: *area,
            across: self.axis(Side::Bottom, 0, [area.left, area.right]),
            up: self.axis(Side::Left, 2, [area.bottom, area.top]),
        };
        let y = self.through[1];
        self.shade(canvas, &view, &|x, z| [x, y, z]);
        for interface in self.lines() {
            let line = steps(area.left, area.right).map(|column| {
                let height = interface([view.across.scale.value_at(column), y]);
                [column, view.up.scale.at(height)]
            });
            draw_inside(canvas, area, line);
        }
        self.finish_section(canvas, &view, &|[x, _, z]| [x, z], 1);
        view.up.draw(canvas, area);
    }

    fn draw_along_y(&self, canvas: &mut Canvas, area: &Area) {
        // Depth increases to the right, away from the plan.
        let view = View {
            area: *area,
            across: self.axis(Side::Bottom, 2, [area.right, area.left]),
            up: self.axis(Side::Left, 1, [area.bottom, area.top]),
        };
        let x = self.through[0];
        self.shade(canvas, &view, &|z, y| [x, y, z]);
        for interface in self.lines() {
            let line = steps(area.top, area.bottom).map(|row| {
                let height = interface([x, view.up.scale.value_at(row)]);
                [view.across.scale.at(height), row]
            });
            draw_inside(canvas, area, line);
        }
        self.finish_section(canvas, &view, &|[_, y, z]| [z, y], 0);
    }

    /// Colours a section; `point` maps its coordinates to a point of the model.
    fn shade(&self, canvas: &mut Canvas, view: &View, point: &dyn Fn(f64, f64) -> [f64; 3]) {
        canvas.shade(&view.area, |[column, row]| {
            let point = point(view.across.scale.value_at(column), view.up.scale.value_at(row));
            let value = (self.view.property)(point);
            value.is_finite().then(|| self.colours.colour(value))
        });
    }

    /// Draws the overlays of a section; `flat` picks the coordinates along its axes, and `axis` is normal to it.
    fn finish_section(&self, canvas: &mut Canvas, view: &View, flat: &dyn Fn([f64; 3]) -> [f64; 2], axis: usize) {
        let area = &view.area;
        canvas.frame(area, &FRAME);
        let place = |position| {
            let [across, up] = flat(position);
            [view.across.scale.at(across), view.up.scale.at(up)]
        };
        self.draw_marks(canvas, area, place, Some(axis));
        view.across.draw(canvas, area);
        let heading = format!("{} = {}", ["x", "y"][axis], self.unit().write(self.through[axis]));
        let long = format!("Section at {heading}");
        let fits = HEADING.width_of(&long) <= area.width();
        canvas.text([area.left, area.top - 9.0], if fits { &long } else { &heading }, &HEADING);
    }

    fn lines(&self) -> impl Iterator<Item = &Height<'_>> {
        self.view.interfaces.iter().copied().chain(self.view.topography)
    }

    /// Draws sources, then stations, and on the plan mechanisms and names.
    ///
    /// # Arguments
    /// * `section` – axis normal to a section; `None` for the plan
    fn draw_marks(
        &self,
        canvas: &mut Canvas,
        area: &Area,
        place: impl Fn([f64; 3]) -> [f64; 2],
        section: Option<usize>,
    ) {
        const MANY: usize = 60;
        let (view, plan) = (self.view, section.is_none());
        let inside = |position: [f64; 3]| Some(place(position)).filter(|&at| area.contains(at));
        let station_size = if view.stations.len() > MANY { 3.0 } else { 5.0 };
        let mut names = Names::default();
        let sources = view.sources.iter().filter_map(|s| Some((s, inside(s.position)?)));
        SourceSigns::new(sources, plan).draw(canvas, &mut names);
        let stations: Vec<_> = view.stations.iter().filter_map(|s| Some((s, inside(s.position)?))).collect();
        for (station, at) in &stations {
            let is_off = section.is_some_and(|axis| self.is_off(station.position, axis));
            symbols::draw_station(canvas, *at, station_size, is_off);
            names.keep_clear(*at, station_size);
        }
        if plan && view.stations.len() <= MANY {
            for (station, at) in stations {
                names.write(canvas, area, at, station_size, &station.label);
            }
        }
    }

    /// Whether a position is visibly off the section normal to an axis.
    fn is_off(&self, position: [f64; 3], axis: usize) -> bool {
        const NEAR: f64 = 0.02;
        let [low, high] = self.view.domain[axis];
        (position[axis] - self.through[axis]).abs() > NEAR * (high - low)
    }

    /// Writes the key of the symbols in a line below the title.
    fn draw_key(&self, canvas: &mut Canvas, sheet: &Area, baseline: f64, exaggeration: f64) {
        let mut key = Key::new(sheet, baseline);
        // Stars on the sections; on the plan a beachball if there is a mechanism.
        for plan in [false, true] {
            let shown = |source: &&SourceMark| source.moment_tensor.is_some() || !plan;
            let first = self.view.sources.iter().find(shown).map(|source| (source, [0.0; 2]));
            SourceSigns::new(first.into_iter(), plan).explain(canvas, &mut key);
        }
        if !self.view.stations.is_empty() {
            let at = key.sign(canvas, "station");
            symbols::draw_station(canvas, at, 5.0, false);
        }
        if self.view.stations.iter().any(|station| (0..2).any(|axis| self.is_off(station.position, axis))) {
            let at = key.sign(canvas, "station off the section");
            symbols::draw_station(canvas, at, 5.0, true);
        }
        if (exaggeration - 1.0).abs() > 1e-9 {
            key.text(canvas, &format!("heights × {}", ticks::brief(exaggeration)));
        }
    }

    fn draw_colours(&self, canvas: &mut Canvas, area: &Area) {
        let (title, unit) = (&self.options.quantity, &self.options.unit);
        draw_legend(canvas, area, || self.values.iter().copied(), self.colours, title, unit);
    }
}

/// Positions at every unit from one end to the other.
fn steps(from: f64, to: f64) -> impl Iterator<Item = f64> {
    let count = (to - from).ceil().max(1.0) as u32;
    (0..=count).map(move |index| from + (to - from) * f64::from(index) / f64::from(count))
}

/// Draws a line clipped to an area.
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
