//! Drawing of profiles.

use crate::axis::{Axis, Side};
use crate::canvas::Canvas;
use crate::colour::line_colour;
use crate::colour_scale::{ends, widened};
use crate::error::Result;
use crate::field_layout::FOOT;
use crate::field_profile::{FieldProfileOptions, ProfileAxis, ProfileCurve, ProfilePanel};
use crate::key::Key;
use crate::layout::{self, Area, MARGIN};
use crate::pen::{FRAME, HEADING, Pen};
use crate::symbol_text::write_symbols;
use crate::ticks::Unit;

/// Checked profiles, their options and the names of their curves.
pub(crate) struct Picture<'a> {
    pub(crate) panels: &'a [ProfilePanel<'a>],
    pub(crate) options: &'a FieldProfileOptions,
    pub(crate) labels: Vec<&'a str>,
}

/// From the title of the picture to those of its panels.
const BELOW_TITLE: f64 = 6.0;
/// Room for the title of a panel.
const ABOVE: f64 = 22.0;
/// Between panels side by side.
const GAP: f64 = 18.0;

impl Picture<'_> {
    pub(crate) fn draw(&self) -> Result<Canvas> {
        let key = if self.labels.len() > 1 { "key" } else { "" };
        let top = layout::heading_height(&self.options.title, key) + BELOW_TITLE;
        let (mut canvas, sheet) = Canvas::new(&self.options.paper, top + self.height() + FOOT + MARGIN)?;
        layout::heading(&mut canvas, &sheet, &self.options.title, "");
        if self.labels.len() > 1 {
            self.draw_key(&mut canvas, Key::new(&sheet, top - BELOW_TITLE - 4.0));
        }
        let body = Area {
            left: sheet.left + MARGIN,
            top,
            right: sheet.right - MARGIN,
            bottom: (sheet.bottom - MARGIN - FOOT).max(top + 1.0),
        };
        // The width of the numbers of a vertical axis depends on the panel heights, which do not depend on it.
        let (areas, left) = (self.areas(&body), body.left);
        let wide = (0..areas.len()).map(|index| self.axes(index, &areas[index])[1].thickness()).fold(0.0, f64::max);
        let body = Area { left: (left + wide).min(body.right - 1.0), ..body };
        for (index, area) in self.areas(&body).iter().enumerate() {
            self.draw_panel(&mut canvas, index, area);
        }
        Ok(canvas)
    }

    /// Height of all panels if the paper does not set one.
    fn height(&self) -> f64 {
        match (self.options.axis, self.panels.len() as f64) {
            (ProfileAxis::Depth, _) => 620.0,
            (ProfileAxis::Distance, count) => (420.0 / count).max(150.0) * count,
        }
    }

    fn areas(&self, body: &Area) -> Vec<Area> {
        let count = self.panels.len();
        let area = |index: usize| match self.options.axis {
            ProfileAxis::Distance => body.row(index, count),
            ProfileAxis::Depth => body.column(index, count, GAP.min(body.width() / (2 * count) as f64)),
        };
        (0..count).map(area).map(|area| Area { top: (area.top + ABOVE).min(area.bottom - 1.0), ..area }).collect()
    }

    /// The horizontal and the vertical axis of a panel.
    fn axes(&self, index: usize, area: &Area) -> [Axis; 2] {
        let (across, down) = ([area.left, area.right], [area.top, area.bottom]);
        let places = widened(ends(self.curves().flat_map(|curve| curve.places.iter().copied())));
        let unit = Unit::for_length(places[0].abs().max(places[1].abs()));
        let title = |usual: &str| match self.options.axis_title.as_str() {
            "" => usual.to_owned(),
            title => title.to_owned(),
        };
        let (values, name) = (self.range(index), self.panels[index].unit);
        match self.options.axis {
            ProfileAxis::Distance => [
                Axis::linear(Side::Bottom, places, across, &title("Distance"), unit),
                Axis::of_values(Side::Left, values, [area.bottom, area.top], "", name),
            ],
            ProfileAxis::Depth => [
                Axis::of_values(Side::Bottom, values, across, "", name),
                Axis::linear(Side::Left, places, down, &title("Depth"), unit),
            ],
        }
    }

    fn curves(&self) -> impl Iterator<Item = &ProfileCurve<'_>> {
        self.panels.iter().flat_map(|panel| panel.curves)
    }

    /// The value range of a panel, with a margin.
    fn range(&self, index: usize) -> [f64; 2] {
        const ROOM: f64 = 0.06;
        let [low, high] = widened(ends(self.panels[index].values()));
        let room = ROOM * (high - low);
        [low - room, high + room]
    }

    fn draw_panel(&self, canvas: &mut Canvas, index: usize, area: &Area) {
        let [across, up] = &self.axes(index, area);
        across.draw_grid(canvas, area);
        up.draw_grid(canvas, area);
        let lines = self.panels[index].curves.iter().map(|curve| {
            let place = |(&place, &value): (&f64, &f64)| match self.options.axis {
                ProfileAxis::Distance => [across.scale.at(place), up.scale.at(value)],
                ProfileAxis::Depth => [across.scale.at(value), up.scale.at(place)],
            };
            curve.places.iter().zip(curve.values).map(place).collect()
        });
        let lines: Vec<Vec<[f64; 2]>> = lines.collect();
        for (order, (curve, line)) in self.panels[index].curves.iter().zip(&lines).enumerate() {
            let above = lines[order + 1..].iter().filter(|other| coincide(line, other)).count();
            draw_curve(canvas, line, &self.pen(curve.label, above));
        }
        canvas.frame(area, &FRAME);
        let (is_first, is_last) = (index == 0, index + 1 == self.panels.len());
        let [bottom, left] = match self.options.axis {
            ProfileAxis::Distance => [is_last, true],
            ProfileAxis::Depth => [true, is_first],
        };
        for (axis, _) in [(across, bottom), (up, left)].into_iter().filter(|(_, drawn)| *drawn) {
            axis.draw(canvas, area);
        }
        let title = HEADING.cut(self.panels[index].title, area.width());
        write_symbols(canvas, [area.left, area.top - 8.0], &title, &HEADING);
    }

    /// The pen of a curve, wider if others cover it.
    fn pen(&self, label: &str, above: usize) -> Pen {
        const MOST: usize = 3;
        let index = self.labels.iter().position(|other| *other == label).unwrap_or(0);
        Pen::new(line_colour(index, self.labels.len()), 1.3 + 2.0 * above.min(MOST) as f64)
    }

    fn draw_key(&self, canvas: &mut Canvas, mut key: Key) {
        for label in &self.labels {
            let [x, y] = key.sign(canvas, label);
            let pen = Pen { width: 2.0, ..self.pen(label, 0) };
            canvas.rule([x - 7.0, y], [x + 7.0, y], &pen);
        }
    }
}

/// Whether one line mostly covers the other.
fn coincide(line: &[[f64; 2]], other: &[[f64; 2]]) -> bool {
    const NEAR: f64 = 1.0;
    let hidden = line.iter().zip(other).filter(|(a, b)| (a[0] - b[0]).hypot(a[1] - b[1]) < NEAR).count();
    line.len() == other.len() && 2 * hidden > line.len()
}

/// Draws the segments of a curve between missing values, and markers if it has few points.
fn draw_curve(canvas: &mut Canvas, points: &[[f64; 2]], pen: &Pen) {
    const FEW: usize = 60;
    let is_there = |point: &[f64; 2]| point.iter().all(|position| position.is_finite());
    for run in points.split(|point| !is_there(point)) {
        canvas.line(run, pen);
        if points.len() <= FEW || run.len() == 1 {
            for point in run {
                canvas.disc(*point, 0.6 * pen.width + 1.2, pen.colour);
            }
        }
    }
}
