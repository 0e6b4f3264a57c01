//! Writing of seismogram files.

use std::path::{Path, PathBuf};

use craton_acquisition::Quantity;
use craton_formats::FormatError;
use craton_formats::sac;
use craton_formats::text_trace::{self, SpecfemName, SpecfemQuantity, TextTrace, band_letter};

use super::miniseed::channel_code;
use super::name::word_of;
use super::sac_header::as_sac;
use super::{SPHERE, Situation, Trace, miniseed};
use crate::config::SeismogramFormat;

/// The files of traces, each with its name and contents: a trace, or in miniSEED the consecutive components of one
/// seismogram. Quantities that the format does not support are left out (strain in SPECFEM and miniSEED).
pub fn files(traces: &[Trace], format: SeismogramFormat) -> impl Iterator<Item = (String, &[Trace])> {
    let shared = traces.chunk_by(move |one, next| {
        format == SeismogramFormat::Miniseed && file_name(one, format) == file_name(next, format)
    });
    shared.filter_map(move |traces| Some((file_name(&traces[0], format)?, traces)))
}

/// The file name of a trace; `None` if the format does not support its quantity.
pub(crate) fn file_name(trace: &Trace, format: SeismogramFormat) -> Option<String> {
    if trace.is_of_fibre() {
        return None;
    }
    match format {
        SeismogramFormat::Sac => Some(format!("{}.sac", trace.name)),
        SeismogramFormat::Text => Some(format!("{}.txt", trace.name)),
        SeismogramFormat::Specfem => Some(specfem_name(trace)?.to_string()),
        SeismogramFormat::Miniseed => match trace.name.quantity {
            Some(Quantity::Strain) => None,
            Some(quantity) => Some(format!("{}.{}.mseed", trace.name.station, word_of(quantity))),
            None => Some(format!("{}.mseed", trace.name.station)),
        },
    }
}

/// Writes traces to a folder under the names of their format, each file atomically.
///
/// # Returns
/// The files, see [`files`].
/// # Errors
/// A folder without write permission, a sample that is not finite, a code or date that the format does not support.
pub fn write(folder: &Path, traces: &[Trace], format: SeismogramFormat) -> Result<Vec<PathBuf>, FormatError> {
    let mut written = Vec::new();
    for (name, traces) in files(traces, format) {
        traces.iter().try_for_each(|trace| trace.name.check()).map_err(|refused| refused.unwritable(folder))?;
        let (file, trace) = (folder.join(name), &traces[0]);
        match format {
            SeismogramFormat::Sac => sac::write(&file, &as_sac(trace))?,
            SeismogramFormat::Text => text_trace::write(&file, &as_text(trace, header(trace)))?,
            SeismogramFormat::Specfem => text_trace::write_plain(&file, &as_text(trace, Vec::new()))?,
            SeismogramFormat::Miniseed => miniseed::write(&file, traces)?,
        }
        written.push(file);
    }
    Ok(written)
}

fn as_text(trace: &Trace, header: Vec<(String, String)>) -> TextTrace {
    TextTrace { header, start_time: trace.start, dt: trace.dt, samples: trace.samples.clone() }
}

fn header(trace: &Trace) -> Vec<(String, String)> {
    let [network, station, location] = trace.name.codes();
    let code = |code: &str| (!code.is_empty()).then(|| code.to_owned());
    let quantity = trace.name.quantity;
    let Situation { way, radial, convergence, on_sphere, .. } = &trace.situation;
    let lines = [
        ("network", code(network)),
        ("station", code(station)),
        ("location", code(location)),
        ("quantity", quantity.map(|quantity| word_of(quantity).to_owned())),
        ("unit", quantity.map(|_| trace.unit().to_owned())),
        ("component", code(&trace.name.component)),
        ("channel", channel_code(&trace.name.component, trace.dt)),
        ("position", trace.position.map(|[x, y, z]| format!("{x} {y} {z}"))),
        ("offset", trace.offset.map(|offset| offset.to_string())),
        ("distance", way.map(|way| way.distance.to_string())),
        ("azimuth", way.map(|way| way.azimuth.to_string())),
        ("back_azimuth", way.map(|way| way.back_azimuth.to_string())),
        ("distance_degrees", way.and_then(|way| Some(way.arc?.to_string()))),
        ("convergence", Some(convergence).filter(|convergence| **convergence != 0.0).map(f64::to_string)),
        ("radial_azimuth", radial.map(|radial| radial.to_string())),
        ("surface", on_sphere.then(|| SPHERE.to_owned())),
    ];
    lines.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?))).collect()
}

fn specfem_name(trace: &Trace) -> Option<SpecfemName> {
    let quantity = match trace.name.quantity? {
        Quantity::Displacement => SpecfemQuantity::Displacement,
        Quantity::Velocity => SpecfemQuantity::Velocity,
        Quantity::Acceleration => SpecfemQuantity::Acceleration,
        Quantity::Pressure => SpecfemQuantity::Pressure,
        _ => return None,
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
