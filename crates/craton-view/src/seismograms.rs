//! Seismograms: a row per station, a panel per component, one time axis.

use std::path::Path;

use crate::canvas::Canvas;
use crate::colour::Colour;
use crate::error::Result;
use crate::layout::{self, Paper};
use crate::pen::TRACE;
use crate::table::{Cell, Table};
use crate::ticks;
use crate::trace::{self, Scaling, Trace};

/// Options of seismograms.
#[derive(Clone, Debug, Default)]
pub struct SeismogramOptions {
    /// Size and resolution.
    pub paper: Paper,
    /// Title above the picture.
    pub title: String,
    /// Unit of the samples, such as "m/s".
    pub unit: String,
    /// Which traces share one amplitude scale.
    pub scaling: Scaling,
    /// Time window \[s\]; all of every trace when left out.
    pub window: Option<[f64; 2]>,
}

/// Draws all components of all stations; every trace is labelled with its peak.
///
/// # Arguments
/// * `traces` – in any order; rows and columns follow their first appearance
/// * `path` – the PNG file, replaced in one step
/// # Errors
/// `Error::Nothing`, `Error::NoSamples`, `Error::TimeStep`, `Error::NotFinite`, `Error::Range`, `Error::Window`,
/// `Error::Paper`, `Error::Write`
pub fn seismograms(traces: &[Trace<'_>], options: &SeismogramOptions, path: impl AsRef<Path>) -> Result<()> {
    trace::check(traces)?;
    let window = trace::window(traces.iter(), options.window)?;
    let note = note(options);
    let top = layout::heading_height(&options.title, &note);
    let table = Table::new(traces.iter(), 54.0);
    let (mut canvas, sheet) = Canvas::new(&options.paper, top + table.height())?;
    layout::heading(&mut canvas, &sheet, &options.title, &note);
    let table = table.place(&sheet, top, window);
    table.draw(&mut canvas, traces.iter());
    let peaks = trace::shared_peaks(&traces.iter().collect::<Vec<_>>(), window, options.scaling);
    for (trace, peak) in traces.iter().zip(peaks) {
        draw(&mut canvas, &table.cell(trace), trace, window, peak, &options.unit);
    }
    canvas.save(path.as_ref())
}

fn note(options: &SeismogramOptions) -> String {
    let scale = match options.scaling {
        Scaling::Common => "one amplitude scale for all traces",
        Scaling::PerStation => "one amplitude scale per station",
        Scaling::PerTrace => "each trace on its own amplitude scale, round-off on its station's",
    };
    format!("Numbers are peak amplitudes; {scale}")
}

/// Draws a trace and writes its peak next to it.
fn draw(canvas: &mut Canvas, cell: &Cell<'_>, trace: &Trace<'_>, window: [f64; 2], peak: f64, unit: &str) {
    const FILLED: f64 = 0.44;
    const LEAST_ROOM: f64 = 16.0;
    let zero = cell.area.centre()[1];
    let gain = if peak > 0.0 { FILLED * cell.area.height() / peak } else { 0.0 };
    let line = trace.polyline(window, &cell.time.scale, |value| zero - gain * value, canvas.pixel());
    canvas.line(&line, &TRACE);
    if cell.area.height() >= LEAST_ROOM {
        cell.write(canvas, &[line], 11.0, &ticks::measured(trace.peak(window), unit), Colour::SOFT_INK);
    }
}
