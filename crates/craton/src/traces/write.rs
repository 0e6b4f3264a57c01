//! Traces to files.

use std::path::{Path, PathBuf};

use craton_acquisition::Quantity;
use craton_formats::FormatError;
use craton_formats::sac;
use craton_formats::text_trace::{self, SpecfemName, SpecfemQuantity, TextTrace, band_letter};

use super::Trace;
use super::name::word_of;
use super::sac_header::as_sac;
use crate::config::SeismogramFormat;

/// The name of the file of a trace; none for a quantity that the form cannot hold (SPECFEM knows no strain).
pub fn file_name(trace: &Trace, format: SeismogramFormat) -> Option<String> {
    match format {
        SeismogramFormat::Sac => Some(format!("{}.sac", trace.name)),
        SeismogramFormat::Text => Some(format!("{}.txt", trace.name)),
        SeismogramFormat::Specfem => Some(specfem_name(trace)?.to_string()),
    }
}

/// Writes a trace into a folder under the name that its form gives it, whole or not at all.
///
/// # Returns
/// The file; none for a quantity that the form cannot hold.
/// # Errors
/// A folder that cannot be written to, a sample that is not finite.
pub fn write(folder: &Path, trace: &Trace, format: SeismogramFormat) -> Result<Option<PathBuf>, FormatError> {
    let Some(name) = file_name(trace, format) else { return Ok(None) };
    let file = folder.join(name);
    match format {
        SeismogramFormat::Sac => sac::write(&file, &as_sac(trace))?,
        SeismogramFormat::Text => text_trace::write(&file, &as_text(trace, header(trace)))?,
        SeismogramFormat::Specfem => text_trace::write_plain(&file, &as_text(trace, Vec::new()))?,
    }
    Ok(Some(file))
}

fn as_text(trace: &Trace, header: Vec<(String, String)>) -> TextTrace {
    TextTrace { header, start_time: trace.start, dt: trace.dt, samples: trace.samples.clone() }
}

fn header(trace: &Trace) -> Vec<(String, String)> {
    let [network, station, location] = trace.name.codes();
    let code = |code: &str| (!code.is_empty()).then(|| code.to_owned());
    let quantity = trace.name.quantity;
    let lines = [
        ("network", code(network)),
        ("station", code(station)),
        ("location", code(location)),
        ("quantity", quantity.map(|quantity| word_of(quantity).to_owned())),
        ("unit", quantity.map(|_| trace.unit().to_owned())),
        ("component", code(&trace.name.component)),
        ("position", trace.position.map(|[x, y, z]| format!("{x} {y} {z}"))),
        ("offset", trace.offset.map(|offset| offset.to_string())),
    ];
    lines.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?))).collect()
}

fn specfem_name(trace: &Trace) -> Option<SpecfemName> {
    let quantity = match trace.name.quantity? {
        Quantity::Displacement => SpecfemQuantity::Displacement,
        Quantity::Velocity => SpecfemQuantity::Velocity,
        Quantity::Acceleration => SpecfemQuantity::Acceleration,
        Quantity::Pressure => SpecfemQuantity::Pressure,
        Quantity::Strain => return None,
    };
    let [network, station, _] = trace.name.codes();
    Some(SpecfemName {
        network: network.to_owned(),
        station: station.to_owned(),
        band: band_letter(trace.dt),
        component: trace.name.component.chars().next()?,
        quantity,
    })
}
