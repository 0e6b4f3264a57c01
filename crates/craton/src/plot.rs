//! Plots of seismograms.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use craton_acquisition::Quantity;
use craton_view::{RecordSectionOptions, SeismogramOptions, SpectraOptions, Spread, Trace as ViewTrace};

use crate::compare::lowpassed;
use crate::error::Error;
use crate::options::{PlotKind, PlotOptions};
use crate::traces::{DEGREE, Trace, read_file, read_folder, word_of};

/// Plots the seismograms of a results folder, a folder of seismograms, or one file: one picture per quantity.
///
/// # Returns
/// The pictures.
/// # Errors
/// Unreadable files, no trace of the requested stations and components, a low-pass corner above the Nyquist frequency.
pub fn plot(from: &Path, options: &PlotOptions) -> Result<Vec<PathBuf>, Error> {
    let alone = from.is_file();
    let traces = if alone { read_file(from)? } else { read_folder(from)? };
    let here = if alone { from.parent().unwrap_or(Path::new("")) } else { from };
    let folder = options.directory.as_deref().unwrap_or(here);
    let kind = match options.kind {
        PlotKind::Section => "section",
        PlotKind::Traces => "traces",
        PlotKind::Spectra => "spectra",
    };
    let mut pictures = Vec::new();
    for (quantity, traces) in by_quantity(traces, options)? {
        let word = quantity.map(word_of).unwrap_or("traces");
        let picture = folder.join(format!("{kind}_{word}.png"));
        draw(&traces, quantity, options, &picture)?;
        pictures.push(picture);
    }
    Ok(pictures)
}

/// The requested traces by quantity, filtered.
fn by_quantity(traces: Vec<Trace>, options: &PlotOptions) -> Result<BTreeMap<Option<Quantity>, Vec<Trace>>, Error> {
    let is_requested = |names: &[String], given: &str| names.is_empty() || names.iter().any(|name| name == given);
    let mut sorted: BTreeMap<Option<Quantity>, Vec<Trace>> = BTreeMap::new();
    let example = traces.first().map(|trace| trace.name.to_string()).unwrap_or_default();
    for mut trace in traces {
        let has_station = is_requested(&options.stations, &trace.name.station);
        if has_station && is_requested(&options.components, &trace.name.component) {
            trace.samples = lowpassed(&trace, options.lowpass)?;
            sorted.entry(trace.name.quantity).or_default().push(trace);
        }
    }
    if sorted.is_empty() { Err(Error::NothingAsked { example }) } else { Ok(sorted) }
}

fn draw(traces: &[Trace], quantity: Option<Quantity>, options: &PlotOptions, picture: &Path) -> Result<(), Error> {
    let unit = quantity.map_or("", Quantity::unit).to_owned();
    let title = quantity.map_or("", word_of).to_owned();
    let views: Vec<ViewTrace<'_>> = traces.iter().map(view).collect();
    let PlotOptions { window, reduction_speed, .. } = *options;
    match options.kind {
        PlotKind::Section => {
            let everywhere = traces.iter().all(|trace| trace.offset.is_some());
            let spread = if everywhere { Spread::Offset } else { Spread::Index };
            let degree = traces.iter().all(|trace| trace.situation.on_sphere).then_some(DEGREE);
            let shown = RecordSectionOptions { title, unit, spread, window, degree, ..Default::default() };
            let options = RecordSectionOptions { reduction_speed, ..shown };
            craton_view::record_section(&views, &options, picture)?;
        }
        PlotKind::Traces => {
            let options = SeismogramOptions { title, unit, window, ..Default::default() };
            craton_view::seismograms(&views, &options, picture)?;
        }
        PlotKind::Spectra => {
            let options = SpectraOptions { title, unit, ..Default::default() };
            craton_view::spectra(&views, &options, picture)?;
        }
    }
    Ok(())
}

/// A trace for a picture.
pub(crate) fn view(trace: &Trace) -> ViewTrace<'_> {
    ViewTrace {
        label: &trace.name.station,
        component: &trace.name.component,
        t0: trace.start,
        dt: trace.dt,
        samples: &trace.samples,
        offset_m: trace.offset,
    }
}
