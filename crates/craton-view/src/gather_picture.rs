//! Drawing of a gather.

use std::ops::Range;

use crate::axis::{Axis, Scale, Side};
use crate::canvas::Canvas;
use crate::colour::{Colour, ColourMap};
use crate::colour_bar::ColourBar;
use crate::colour_scale::ColourScale;
use crate::error::Result;
use crate::field_layout;
use crate::gain::{Amplifier, Amplitudes};
use crate::gather::{Gather, GatherOptions, GatherStyle};
use crate::gather_pixels::{Pixels, Rows, columns_of, shown};
use crate::gather_places::Places;
use crate::layout::{self, Area, MARGIN};
use crate::pen::{FRAME, Pen, TRACE};
use crate::ticks::{self, Unit};
use crate::trace::all_finite;
use crate::wiggle::Wiggle;

/// A checked gather, its options and the shown window.
pub(crate) struct Picture<'a> {
    pub(crate) gather: &'a Gather<'a>,
    pub(crate) options: &'a GatherOptions,
    /// Time window \[s\].
    pub(crate) window: [f64; 2],
    /// Samples in it.
    pub(crate) shown: Range<usize>,
    pub(crate) places: Places<'a>,
}

/// Smallest distance between wiggles.
const ROOM: f64 = 6.0;
/// Deflection of a wiggle at the clip, relative to the distance between wiggles.
const DEFLECTION: f64 = 1.3;

impl Picture<'_> {
    const HEIGHT: f64 = 620.0;

    pub(crate) fn draw(&self) -> Result<Canvas> {
        let top = layout::heading_height(&self.options.title, "note") + 6.0;
        let (mut canvas, sheet) = Canvas::new(&self.options.paper, top + Self::HEIGHT)?;
        let area = self.place(&canvas, &sheet, top);
        let time = self.time(&area);
        let across = self.places.axis(self.range(&area), [area.left, area.right]);
        let note = match self.options.style {
            GatherStyle::Density(colours) => self.draw_density(&mut canvas, &area, &across.scale, colours)?,
            GatherStyle::Wiggle => self.draw_wiggles(&mut canvas, &area, [&across, &time])?,
        };
        layout::heading(&mut canvas, &sheet, &self.options.title, &note);
        canvas.frame(&area, &FRAME);
        across.draw(&mut canvas, &area);
        time.draw(&mut canvas, &area);
        Ok(canvas)
    }

    /// The panel, snapped to pixels.
    fn place(&self, canvas: &Canvas, sheet: &Area, top: f64) -> Area {
        let beside = match self.options.style {
            GatherStyle::Density(_) => field_layout::BAR_ROOM,
            GatherStyle::Wiggle => 0.0,
        };
        let bottom = sheet.bottom - MARGIN - field_layout::FOOT;
        let open = Area { left: sheet.left + MARGIN, top, right: sheet.right - MARGIN - beside, bottom };
        let left = open.left + self.time(&open).thickness();
        Area {
            left: canvas.snap(left),
            top: canvas.snap(top),
            right: canvas.snap(open.right.max(left + 1.0)),
            bottom: canvas.snap(bottom.max(top + 1.0)),
        }
    }

    fn time(&self, area: &Area) -> Axis {
        let unit = Unit::for_time(self.window[1] - self.window[0]);
        Axis::linear(Side::Left, self.window, [area.top, area.bottom], "Time", unit)
    }

    /// Positions at the sides of the panel.
    fn range(&self, area: &Area) -> [f64; 2] {
        let [first, last] = self.places.ends();
        let half = match self.options.style {
            GatherStyle::Density(_) => 0.5 * self.places.spacing,
            GatherStyle::Wiggle => DEFLECTION * self.places.spacing.max((last - first) * ROOM / area.width()),
        };
        [first - half, last + half]
    }

    /// The samples of a trace in the window, after the gain.
    ///
    /// # Errors
    /// `Error::NotFinite` with the number of the trace, counted from 1
    fn amplified(&self, trace: usize, amplifier: &Amplifier) -> Result<Vec<f64>> {
        let count = self.gather.samples_per_trace;
        let samples = &self.gather.samples[trace * count..(trace + 1) * count];
        all_finite(samples, || format!("trace {} of the gather", trace + 1))?;
        let mut shown: Vec<f64> = samples[self.shown.clone()].iter().map(|&sample| f64::from(sample)).collect();
        amplifier.apply(&mut shown);
        Ok(shown)
    }

    /// Reduces all traces to rows of pixels, passes them on from left to right, and returns the statistics of their amplitudes.
    fn reduce(&self, rows: usize, mut take: impl FnMut(usize, &[[f32; 2]])) -> Result<Amplitudes> {
        let first = self.gather.t0 + self.shown.start as f64 * self.gather.dt;
        let amplifier = Amplifier::new(self.options.gain, first, self.gather.dt, self.shown.len());
        let place_of = |time: f64| (time - first) / self.gather.dt;
        let edges = Rows::new(rows, self.window.map(place_of), self.shown.len());
        let mut amplitudes = Amplitudes::new();
        let mut lobes = Vec::with_capacity(rows);
        for &trace in &self.places.order {
            let samples = self.amplified(trace, &amplifier)?;
            amplitudes.count(&samples);
            edges.lobes(&samples, &mut lobes);
            take(trace, &lobes);
        }
        Ok(amplitudes)
    }

    /// Colours the panel and returns the note.
    fn draw_density(&self, canvas: &mut Canvas, area: &Area, across: &Scale, map: ColourMap) -> Result<String> {
        let pixel = canvas.pixel();
        let [columns, rows] = pixels_of(canvas, area);
        let mut pixels = Pixels::new(columns, rows);
        let column = |place: f64| (across.at(place) - area.left) / pixel;
        let amplitudes = self.reduce(rows, |trace, lobes| {
            let cell = self.places.cell(trace).map(column);
            pixels.add(columns_of(cell, column(self.places.value(trace)), columns), lobes);
        })?;
        let clip = amplitudes.percentile(self.options.clip);
        let colours = ColourScale { map, reversed: false, soft: false, range: [-clip, clip], logarithmic: false };
        let index = |position: f64, from: f64| ((position - from) / pixel) as usize;
        canvas.shade(area, |[x, y]| {
            let value = pixels.value(index(x, area.left), index(y, area.top))?;
            Some(colours.colour(value))
        });
        self.draw_bar(canvas, area, colours, &amplitudes);
        Ok(self.note(clip, None))
    }

    fn draw_bar(&self, canvas: &mut Canvas, area: &Area, scale: ColourScale, amplitudes: &Amplitudes) {
        let (title, unit) = self.options.gain.measure(&self.options.quantity, &self.options.unit);
        let beyond = scale.beyond(amplitudes.range().into_iter());
        ColourBar { scale, title: &title, unit, beyond }.draw(canvas, &field_layout::bar_place(area));
    }

    /// Draws as many traces as fit and returns the note.
    fn draw_wiggles(&self, canvas: &mut Canvas, area: &Area, [across, time]: [&Axis; 2]) -> Result<String> {
        let drawn = self.places.apart(ROOM / across.scale.magnification());
        let mut next = drawn.iter().peekable();
        let mut traces = Vec::with_capacity(drawn.len());
        let [_, rows] = pixels_of(canvas, area);
        let amplitudes = self.reduce(rows, |trace, lobes| {
            if next.next_if_eq(&&trace).is_some() {
                traces.push((across.scale.at(self.places.value(trace)), lobes.to_vec()));
            }
        })?;
        time.draw_grid(canvas, area);
        let clip = amplitudes.percentile(self.options.clip);
        let reach = DEFLECTION * self.distance(&traces, across);
        let wiggle = Wiggle { pen: Pen { width: 0.7, ..TRACE }, fill: Some(Colour::INK) };
        let pixel = canvas.pixel();
        for (zero, lobes) in &traces {
            let point = |(row, lobes): (usize, &[f32; 2])| {
                let deflection = reach * (shown(*lobes) / clip).clamp(-1.0, 1.0);
                [area.top + (row as f64 + 0.5) * pixel, deflection]
            };
            let line: Vec<[f64; 2]> = lobes.iter().enumerate().map(point).collect();
            wiggle.draw(canvas, &line, |[along, deflection]| [zero + deflection, along]);
        }
        Ok(self.note(clip, Some(traces.len())))
    }

    /// Distance between wiggles on the sheet: the median, or that of all traces if only one wiggle is drawn.
    fn distance(&self, traces: &[(f64, Vec<[f32; 2]>)], across: &Axis) -> f64 {
        let mut gaps: Vec<f64> = traces.windows(2).map(|pair| pair[1].0 - pair[0].0).collect();
        gaps.sort_by(f64::total_cmp);
        let alone = self.places.spacing * across.scale.magnification() / 3.0;
        gaps.get(gaps.len() / 2).copied().unwrap_or(alone)
    }

    fn note(&self, clip: f64, drawn: Option<usize>) -> String {
        let (_, unit) = self.options.gain.measure(&self.options.quantity, &self.options.unit);
        let clip = ticks::measured(clip, unit);
        let clip = match (self.options.clip, self.options.style) {
            (100.0, _) => format!("Largest amplitude {clip}"),
            (percent, _) => format!("Clip {clip}, percentile {} of the amplitudes", ticks::brief(percent)),
        };
        let all = self.places.order.len();
        let thinned = drawn.filter(|&drawn| drawn < all).map(|drawn| format!("{drawn} of {all} traces drawn"));
        let parts: Vec<String> = [thinned, self.options.gain.note(), Some(clip)].into_iter().flatten().collect();
        parts.join("   ")
    }
}

/// Columns and rows of pixels in a pixel-aligned area.
fn pixels_of(canvas: &Canvas, area: &Area) -> [usize; 2] {
    [area.width(), area.height()].map(|length| (length / canvas.pixel()).round() as usize)
}
