//! Comparison of test traces with reference traces, with their residuals.

use std::path::Path;

use crate::canvas::Canvas;
use crate::colour::Colour;
use crate::error::Result;
use crate::layout::{self, Area, MARGIN, Paper};
use crate::pen::{NOTE, Pen, TRACE};
use crate::table::{Cell, PlacedTable, Table};
use crate::ticks;
use crate::trace::{self, Scaling, Trace};

/// A reference trace and the trace that is compared with it.
#[derive(Clone, Copy, Debug)]
pub struct TracePair<'a> {
    /// The reference trace, which also names the panel.
    pub reference: Trace<'a>,
    /// The trace to compare; it may have a different time step.
    pub test: Trace<'a>,
    /// Text of the misfit, such as "rel. L2 0.83 %"; may be empty.
    pub note: &'a str,
}

/// Options of a comparison.
#[derive(Clone, Debug)]
pub struct OverlayOptions {
    /// Size and resolution.
    pub paper: Paper,
    /// Title above the picture.
    pub title: String,
    /// Unit of the samples, such as "m/s".
    pub unit: String,
    /// Name of the reference in the legend.
    pub reference_name: String,
    /// Name of the test in the legend.
    pub test_name: String,
    /// Which pairs share one amplitude scale.
    pub scaling: Scaling,
    /// Time window \[s\]; all of every trace when left out.
    pub window: Option<[f64; 2]>,
    /// Factor on the residual; a round one that fits when left out.
    pub amplification: Option<f64>,
}

impl Default for OverlayOptions {
    fn default() -> Self {
        Self {
            paper: Paper::default(),
            title: String::new(),
            unit: String::new(),
            reference_name: "reference".into(),
            test_name: "test".into(),
            scaling: Scaling::default(),
            window: None,
            amplification: None,
        }
    }
}

/// Fractions of the height of a panel.
const TRACES_MIDDLE: f64 = 0.40;
const TRACES_REACH: f64 = 0.31;
const RESIDUAL_MIDDLE: f64 = 0.85;
const RESIDUAL_REACH: f64 = 0.13;

const TEST: Pen = Pen::new(Colour::VERMILION, 1.2).dashed(5.0, 4.0);
const RESIDUAL: Pen = Pen::new(Colour::BLUE, 0.8);

/// Draws every pair in a panel of its own, with the residual test − reference below.
///
/// The test is interpolated linearly between its samples, only for drawing the residual.
///
/// # Arguments
/// * `pairs` – in any order; rows and columns follow the first appearance of the reference's names
/// * `path` – the PNG file, replaced in one step
/// # Errors
/// `Error::Nothing`, `Error::NoSamples`, `Error::TimeStep`, `Error::NotFinite`, `Error::NotPositive`, `Error::Range`, `Error::Window`,
/// `Error::Paper`, `Error::Write`
pub fn overlay(pairs: &[TracePair<'_>], options: &OverlayOptions, path: impl AsRef<Path>) -> Result<()> {
    let both = || pairs.iter().flat_map(|pair| [&pair.reference, &pair.test]);
    let references = || pairs.iter().map(|pair| &pair.reference);
    trace::check(both())?;
    trace::check_positive("the amplification of residuals", options.amplification)?;
    let window = trace::window(both(), options.window)?;
    let residuals: Vec<Vec<f64>> = pairs.iter().map(residual).collect();
    let peaks = shared_peaks(pairs, window, options.scaling);
    let amplification =
        options.amplification.unwrap_or_else(|| fitting_amplification(pairs, &residuals, &peaks, window));

    let top = layout::heading_height(&options.title, "legend");
    let table = Table::new(references(), 78.0);
    let (mut canvas, sheet) = Canvas::new(&options.paper, top + table.height())?;
    layout::heading(&mut canvas, &sheet, &options.title, "");
    draw_legend(&mut canvas, &sheet, top, options, amplification);
    let table = table.place(&sheet, top, window);
    table.draw(&mut canvas, references());
    let panel = Panel { table: &table, window, amplification, unit: &options.unit };
    for ((pair, residual), peak) in pairs.iter().zip(&residuals).zip(peaks) {
        panel.draw(&mut canvas, pair, residual, peak);
    }
    canvas.save(path.as_ref())
}

/// Test − reference at the times of the reference; zero where the test says nothing.
fn residual(pair: &TracePair<'_>) -> Vec<f64> {
    let (reference, test) = (&pair.reference, &pair.test);
    let end = test.t0 + (test.samples.len() - 1) as f64 * test.dt;
    let slack = 1e-6 * test.dt;
    let difference = |(index, value): (usize, &f64)| {
        let time = reference.t0 + index as f64 * reference.dt;
        let covered = time >= test.t0 - slack && time <= end + slack;
        if covered { test.at(time) - value } else { 0.0 }
    };
    reference.samples.iter().enumerate().map(difference).collect()
}

/// The peak that sets the scale of each pair.
fn shared_peaks(pairs: &[TracePair<'_>], window: [f64; 2], scaling: Scaling) -> Vec<f64> {
    let references: Vec<&Trace<'_>> = pairs.iter().map(|pair| &pair.reference).collect();
    let tests: Vec<&Trace<'_>> = pairs.iter().map(|pair| &pair.test).collect();
    let references = trace::shared_peaks(&references, window, scaling);
    let tests = trace::shared_peaks(&tests, window, scaling);
    references.into_iter().zip(tests).map(|(a, b)| a.max(b)).collect()
}

/// The largest of ... 0.5, 1, 2, 5, 10 ... that keeps every residual in its room.
fn fitting_amplification(pairs: &[TracePair<'_>], residuals: &[Vec<f64>], peaks: &[f64], window: [f64; 2]) -> f64 {
    let largest = pairs
        .iter()
        .zip(residuals)
        .zip(peaks)
        .filter(|(_, peak)| **peak > 0.0)
        .map(|((pair, samples), peak)| Trace { samples, ..pair.reference }.peak(window) / peak)
        .fold(0.0, f64::max);
    let room = RESIDUAL_REACH / TRACES_REACH;
    if largest == 0.0 {
        return 1.0;
    }
    // The inverse of a 1, 2, 5 from above is a 1, 2, 5 from below. What is smaller than rounding stays small.
    1.0 / ticks::round_step((largest / room).max(1e-6))
}

fn draw_legend(canvas: &mut Canvas, sheet: &Area, top: f64, options: &OverlayOptions, amplification: f64) {
    let factor = ticks::brief(amplification);
    let entries = [
        (TRACE, options.reference_name.clone()),
        (TEST, options.test_name.clone()),
        (RESIDUAL, format!("{} − {}, × {factor}", options.test_name, options.reference_name)),
    ];
    let baseline = top - 10.0;
    let mut x = sheet.left + MARGIN;
    for (pen, name) in entries {
        let y = baseline - NOTE.half_height();
        canvas.rule([x, y], [x + 26.0, y], &pen);
        canvas.text([x + 32.0, baseline], &name, &NOTE);
        x += 32.0 + NOTE.width_of(&name) + 22.0;
    }
}

/// Data shared by all panels.
struct Panel<'a> {
    table: &'a PlacedTable<'a>,
    window: [f64; 2],
    amplification: f64,
    unit: &'a str,
}

impl Panel<'_> {
    fn draw(&self, canvas: &mut Canvas, pair: &TracePair<'_>, residual: &[f64], peak: f64) {
        let cell = self.table.cell(&pair.reference);
        let height = cell.area.height();
        let gain = if peak > 0.0 { TRACES_REACH * height / peak } else { 0.0 };
        let zero = cell.area.top + TRACES_MIDDLE * height;
        let place = |value: f64| zero - gain * value;
        let residual_zero = cell.area.top + RESIDUAL_MIDDLE * height;
        let reach = RESIDUAL_REACH * height;
        let residual_place = |value: f64| residual_zero - (self.amplification * gain * value).clamp(-reach, reach);
        let residual = Trace { samples: residual, ..pair.reference };
        let lines = [
            self.line(canvas, &cell, &pair.reference, &place, &TRACE),
            self.line(canvas, &cell, &pair.test, &place, &TEST),
            self.line(canvas, &cell, &residual, &residual_place, &RESIDUAL),
        ];
        self.write_notes(canvas, &cell, pair, &lines);
    }

    /// Draws a line, and returns it.
    fn line(
        &self,
        canvas: &mut Canvas,
        cell: &Cell<'_>,
        trace: &Trace<'_>,
        height: &dyn Fn(f64) -> f64,
        pen: &Pen,
    ) -> Vec<[f64; 2]> {
        let line = trace.polyline(self.window, &cell.time.scale, height, canvas.pixel());
        canvas.line(&line, pen);
        line
    }

    fn write_notes(&self, canvas: &mut Canvas, cell: &Cell<'_>, pair: &TracePair<'_>, lines: &[Vec<[f64; 2]>]) {
        const LEAST_ROOM: f64 = 24.0;
        if cell.area.height() < LEAST_ROOM {
            return;
        }
        let peak = ticks::measured(pair.reference.peak(self.window), self.unit);
        cell.write(canvas, lines, 11.0, &peak, Colour::SOFT_INK);
        cell.write(canvas, lines, 0.74 * cell.area.height(), pair.note, Colour::BLUE);
    }
}
