//! Record sections: wiggles arranged by offset or by index.

use std::path::Path;

use crate::axis::{Axis, Scale, Side};
use crate::canvas::Canvas;
use crate::colour::Colour;
use crate::error::{Error, Result};
use crate::layout::{self, Area, MARGIN, Paper};
use crate::pen::{FRAME, HEADING, Pen, SMALL, TRACE};
use crate::table::heading_of;
use crate::ticks::{self, Tick, Unit};
use crate::trace::{self, Scaling, Trace, distinct};
use crate::wiggle::Wiggle;

/// Arrangement of the traces of a record section.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Spread {
    /// By offset.
    #[default]
    Offset,
    /// Evenly spaced, in their order.
    Index,
}

/// A line over a section by offset, such as a travel-time curve.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// Its name, written at its far end.
    pub label: String,
    /// Points of offset \[m\] and time \[s\], before any reduction.
    pub points: Vec<[f64; 2]>,
}

/// Options of a record section.
#[derive(Clone, Debug)]
pub struct RecordSectionOptions {
    /// Size and resolution.
    pub paper: Paper,
    /// Title above the picture.
    pub title: String,
    /// Unit of the samples, such as "m/s".
    pub unit: String,
    /// Arrangement of the traces.
    pub spread: Spread,
    /// Which traces share one amplitude scale.
    pub scaling: Scaling,
    /// Half height of the largest wiggle relative to the mean trace spacing; above 1 neighbours overlap.
    pub gain: f64,
    /// Fills the positive lobes of each trace.
    pub fill: bool,
    /// Time window \[s\], after the reduction; all of every trace when left out.
    pub window: Option<[f64; 2]>,
    /// Reduction velocity \[m/s\]: times are reduced by offset over velocity.
    pub reduction_speed: Option<f64>,
    /// Length of a degree \[m\], to show offsets on a sphere in degrees; in metres or kilometres when left out.
    pub degree: Option<f64>,
    /// Lines over the traces, for sections by offset.
    pub curves: Vec<Curve>,
}

impl Default for RecordSectionOptions {
    fn default() -> Self {
        Self {
            paper: Paper::default(),
            title: String::new(),
            unit: String::new(),
            spread: Spread::default(),
            scaling: Scaling::PerTrace,
            gain: 1.0,
            fill: true,
            window: None,
            reduction_speed: None,
            degree: None,
            curves: Vec::new(),
        }
    }
}

/// The name of a line over the traces.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Name<'a> {
    label: &'a str,
    /// Left end of its base line.
    place: [f64; 2],
    width: f64,
}

impl Name<'_> {
    /// Height of a name including spacing.
    const HEIGHT: f64 = 11.0;

    /// Moves the name above conflicting ones, or below them if it would leave the panel; `None` if one of them has the same text or there is no room.
    fn clear_of(self, others: &[Self], area: &Area) -> Option<Self> {
        let above = self.moved(others, -Self::HEIGHT)?;
        let is_inside = |name: &Self| (Self::highest(area)..=area.bottom).contains(&name.place[1]);
        if is_inside(&above) { Some(above) } else { self.moved(others, Self::HEIGHT).filter(is_inside) }
    }

    /// Moves the name away from each conflicting one; `None` if one of them has the same text.
    fn moved(mut self, others: &[Self], by: f64) -> Option<Self> {
        while let Some(other) = others.iter().find(|other| self.touches(other)) {
            if other.label == self.label {
                return None;
            }
            self.place[1] = other.place[1] + by;
        }
        Some(self)
    }

    /// The highest base line in a panel.
    fn highest(area: &Area) -> f64 {
        area.top + 10.0
    }

    fn touches(&self, other: &Self) -> bool {
        let ([x, y], [left, base]) = (self.place, other.place);
        (y - base).abs() < Self::HEIGHT && x < left + other.width && left < x + self.width
    }
}

/// Style of lines over the traces.
const CURVE: Pen = Pen::new(Colour::VERMILION, 1.1);

/// Approximate number of traces that fit next to each other; beyond it wiggles overlap.
const MOST_GAPS: usize = 60;

/// Draws the traces of every component in a panel of its own, time to the right, offset or order upwards.
///
/// # Arguments
/// * `traces` – in any order; panels follow the first appearance of components
/// * `path` – the PNG file, replaced in one step
/// # Errors
/// `Error::Nothing`, `Error::NoSamples`, `Error::TimeStep`, `Error::NotFinite`, `Error::NoOffset`, `Error::NotPositive`, `Error::Range`,
/// `Error::Window`, `Error::Paper`, `Error::Write`
pub fn record_section(traces: &[Trace<'_>], options: &RecordSectionOptions, path: impl AsRef<Path>) -> Result<()> {
    trace::check(traces)?;
    trace::check_positive("the speed of reduction", options.reduction_speed)?;
    trace::check_positive("the gain of a record section", options.gain)?;
    let traces = reduced(traces, options)?;
    let section = Section::new(&traces, options)?;
    let note = section.note();
    let top = layout::heading_height(&options.title, &note);
    let (mut canvas, sheet) = Canvas::new(&options.paper, top + 560.0)?;
    layout::heading(&mut canvas, &sheet, &options.title, &note);
    section.draw(&mut canvas, &sheet, top);
    canvas.save(path.as_ref())
}

/// The traces with their times reduced.
fn reduced<'a>(traces: &[Trace<'a>], options: &RecordSectionOptions) -> Result<Vec<Trace<'a>>> {
    let needs_offset = options.spread == Spread::Offset || options.reduction_speed.is_some();
    let reduce = |trace: &Trace<'a>| {
        if needs_offset && trace.offset_m.is_none() {
            return Err(Error::NoOffset { trace: trace.name() });
        }
        let delay = match (options.reduction_speed, trace.offset_m) {
            (Some(speed), Some(offset)) => offset.abs() / speed,
            _ => 0.0,
        };
        Ok(Trace { t0: trace.t0 - delay, ..*trace })
    };
    traces.iter().map(reduce).collect()
}

/// Data shared by all panels.
struct Section<'a> {
    traces: &'a [Trace<'a>],
    options: &'a RecordSectionOptions,
    components: Vec<&'a str>,
    window: [f64; 2],
    /// Peak that sets the scale of each trace.
    peaks: Vec<f64>,
    /// Position of each trace on the vertical axis: offset \[m\] or index.
    places: Vec<f64>,
    /// Mean distance of neighbouring traces on that axis, with a lower limit for visibility.
    spacing: f64,
}

impl<'a> Section<'a> {
    fn new(traces: &'a [Trace<'a>], options: &'a RecordSectionOptions) -> Result<Self> {
        let window = trace::window(traces.iter(), options.window)?;
        let components = distinct(traces.iter().map(|trace| trace.component));
        let peaks = trace::shared_peaks(&traces.iter().collect::<Vec<_>>(), window, options.scaling);
        let places = places(traces, options.spread);
        let fullest = components
            .iter()
            .map(|component| traces.iter().filter(|trace| trace.component == *component).count())
            .fold(1, usize::max);
        let (low, high) = ends(&places);
        let gaps = (fullest - 1).min(MOST_GAPS) as f64;
        let spacing = if high > low && gaps > 0.0 { (high - low) / gaps } else { (0.1 * high.abs()).max(1.0) };
        Ok(Self { traces, options, components, window, peaks, places, spacing })
    }

    fn note(&self) -> String {
        let largest = self.peaks.iter().fold(0.0, |a, &b| f64::max(a, b));
        let largest = ticks::measured(largest, &self.options.unit);
        match self.options.scaling {
            Scaling::Common => format!("One amplitude scale for all traces, largest peak {largest}"),
            Scaling::PerStation => format!("One amplitude scale per station, largest peak {largest}"),
            Scaling::PerTrace if self.has_round_off() => format!(
                "Each trace scaled to its own peak; what is below {:.0e} of another component of its station, to that",
                trace::ROUND_OFF
            ),
            Scaling::PerTrace => "Each trace scaled to its own peak".into(),
        }
    }

    /// Whether a trace is not scaled by its own peak.
    fn has_round_off(&self) -> bool {
        self.traces.iter().zip(&self.peaks).any(|(trace, &peak)| trace.peak(self.window) < peak)
    }

    fn draw(&self, canvas: &mut Canvas, sheet: &Area, top: f64) {
        const GAP: f64 = 18.0;
        let names = self.name_width();
        let mut body = Area {
            left: sheet.left + MARGIN,
            top: top + 20.0,
            right: sheet.right - MARGIN - names,
            bottom: sheet.bottom - MARGIN - 38.0,
        };
        body.left += self.upright_axis(&body).thickness();
        let upright = self.upright_axis(&body);
        let count = self.components.len();
        for (index, component) in self.components.iter().enumerate() {
            let area = body.column(index, count, GAP);
            let time = self.time_axis(&area);
            time.draw_grid(canvas, &area);
            upright.draw_grid(canvas, &area);
            self.draw_wiggles(canvas, component, &time.scale, &upright.scale);
            self.draw_curves(canvas, &area, [&time.scale, &upright.scale]);
            canvas.frame(&area, &FRAME);
            time.draw(canvas, &area);
            canvas.text([area.left, area.top - 9.0], &heading_of(component), &HEADING);
            if index == 0 {
                upright.draw(canvas, &area);
            }
            if index + 1 == count && names > 0.0 {
                self.draw_names(canvas, component, &area, &upright.scale);
            }
        }
    }

    fn upright_range(&self) -> [f64; 2] {
        let (low, high) = ends(&self.places);
        let room = self.spacing * self.options.gain.clamp(1.0, 3.0) * 1.1;
        [low - room, high + room]
    }

    fn upright_axis(&self, area: &Area) -> Axis {
        let range = self.upright_range();
        match self.options.spread {
            Spread::Offset => {
                let unit = self.options.degree.map_or_else(|| Unit::for_length(range[1]), Unit::degrees);
                Axis::linear(Side::Left, range, [area.bottom, area.top], "Offset", unit)
            }
            Spread::Index => {
                // The first trace at the top; names instead of numbers.
                let scale = Scale::linear(range, [area.top, area.bottom]);
                let skip = (11.0 / scale.magnification()).ceil().max(1.0) as usize;
                let first = self.components[0];
                let own = |index: &usize| self.traces[*index].component == first;
                let ticks = (0..self.traces.len()).filter(own).step_by(skip);
                let tick = |index: usize| Tick {
                    value: self.places[index],
                    label: crate::pen::LABEL.cut(self.traces[index].label, 110.0).into_owned(),
                };
                Axis::marked(Side::Left, scale, ticks.map(tick).collect(), String::new())
            }
        }
    }

    fn time_axis(&self, area: &Area) -> Axis {
        let unit = Unit::for_time(self.window[1] - self.window[0]);
        let title = match self.options.reduction_speed {
            Some(speed) => format!("Time − offset / {} m/s", ticks::brief(speed)),
            None => "Time".into(),
        };
        Axis::linear(Side::Bottom, self.window, [area.left, area.right], &title, unit)
    }

    fn draw_wiggles(&self, canvas: &mut Canvas, component: &str, time: &Scale, upright: &Scale) {
        let reach = self.options.gain * self.spacing * upright.magnification();
        let fill = self.options.fill.then(|| Colour::INK.with_opacity(0.35));
        let wiggle = Wiggle { pen: Pen { width: 0.9, ..TRACE }, fill };
        let own = self.traces.iter().zip(&self.places).zip(&self.peaks);
        for ((trace, place), peak) in own.filter(|((trace, _), _)| trace.component == component) {
            let zero = upright.at(*place);
            let gain = if *peak > 0.0 { reach / peak } else { 0.0 };
            let line = trace.polyline(self.window, time, |value| gain * value, canvas.pixel());
            wiggle.draw(canvas, &line, |[along, deflection]| [along, zero - deflection]);
        }
    }

    /// Draws the lines over the traces, clipped to the panel, each with its name at the end of its longest part.
    fn draw_curves(&self, canvas: &mut Canvas, area: &Area, [time, upright]: [&Scale; 2]) {
        if self.options.spread != Spread::Offset {
            return;
        }
        let slowness = self.options.reduction_speed.map_or(0.0, |speed| 1.0 / speed);
        let mut names = Vec::new();
        for curve in &self.options.curves {
            let place =
                |&[offset, seconds]: &[f64; 2]| [time.at(seconds - offset.abs() * slowness), upright.at(offset)];
            let points: Vec<[f64; 2]> = curve.points.iter().map(place).collect();
            let is_inside =
                |[x, y]: &[f64; 2]| (area.left..=area.right).contains(x) && (area.top..=area.bottom).contains(y);
            let parts = points.split(|point| !is_inside(point));
            let mut longest: &[[f64; 2]] = &[];
            for part in parts.filter(|part| part.len() > 1) {
                canvas.line(part, &CURVE);
                longest = if part.len() > longest.len() { part } else { longest };
            }
            if let Some(&[x, y]) = longest.last() {
                let width = SMALL.width_of(&curve.label);
                let place = [(x + 3.0).min(area.right - width - 3.0), (y - 3.0).max(Name::highest(area))];
                let name = Name { label: &curve.label, place, width }.clear_of(&names, area);
                names.extend(name.inspect(|name| canvas.text(name.place, name.label, &SMALL)));
            }
        }
    }

    /// Room for the names of stations on the right of a section by offset.
    fn name_width(&self) -> f64 {
        if self.options.spread == Spread::Index {
            return 0.0;
        }
        let widths = self.traces.iter().map(|trace| SMALL.width_of(trace.label));
        widths.fold(0.0, f64::max).min(90.0) + 6.0
    }

    fn draw_names(&self, canvas: &mut Canvas, component: &str, area: &Area, upright: &Scale) {
        let mut names: Vec<(f64, &str)> = self
            .traces
            .iter()
            .zip(&self.places)
            .filter(|(trace, _)| trace.component == component)
            .map(|(trace, place)| (upright.at(*place), trace.label))
            .collect();
        names.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut last = f64::NEG_INFINITY;
        for (y, name) in names {
            if y - last >= 10.0 {
                let at = [area.right + 6.0, y + SMALL.half_height()];
                canvas.text(at, &SMALL.cut(name, 90.0), &SMALL);
                last = y;
            }
        }
    }
}

fn places(traces: &[Trace<'_>], spread: Spread) -> Vec<f64> {
    let number = |index: usize| {
        let trace = &traces[index];
        traces[..index].iter().filter(|other| other.component == trace.component).count() as f64
    };
    match spread {
        Spread::Offset => traces.iter().map(|trace| trace.offset_m.unwrap_or(0.0)).collect(),
        Spread::Index => (0..traces.len()).map(number).collect(),
    }
}

fn ends(values: &[f64]) -> (f64, f64) {
    let low = values.iter().copied().fold(f64::INFINITY, f64::min);
    let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    (low, high)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_curves_do_not_overlap_and_appear_once() {
        let name = |label, x, y| Name { label, place: [x, y], width: 12.0 };
        let area = Area { left: 50.0, top: 15.0, right: 300.0, bottom: 80.0 };
        let mut names: Vec<Name> = Vec::new();
        for (given, place) in [
            (name("pP", 100.0, 50.0), Some([100.0, 50.0])),
            (name("sP", 104.0, 48.0), Some([104.0, 39.0])),
            // Another branch of the same phase.
            (name("pP", 101.0, 52.0), None),
            (name("S", 109.0, 50.0), Some([109.0, 28.0])),
            (name("sS", 130.0, 50.0), Some([130.0, 50.0])),
            // At the top it would overlap the title.
            (name("PP", 105.0, 30.0), Some([105.0, 61.0])),
            (name("ScS", 105.0, 75.0), Some([105.0, 75.0])),
            (name("PcP", 105.0, 40.0), None),
        ] {
            let found = given.clear_of(&names, &area);
            assert_eq!(found.map(|name| name.place), place, "{given:?}");
            names.extend(found);
        }
    }
}
