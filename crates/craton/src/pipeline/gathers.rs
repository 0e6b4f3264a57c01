//! Files with the seismograms of all receivers: ASDF and SEG-Y.

use std::collections::BTreeMap;
use std::path::Path;

use craton_acquisition::Quantity;
use craton_formats::asdf::{AsdfSamples, AsdfTrace, AsdfWriter};
use craton_formats::segy::{self, BinaryHeader, Geometry, SampleFormat, Scalars, TextHeader, TraceHeader};
use craton_formats::{Refused, quakeml, stationxml};

use crate::config::GatherFormat;
use crate::error::Error;
use crate::setup::Setup;
use crate::simulation::Output;
use crate::traces::{self, NO_DATE, Trace, codes_of, word_of};

/// Name of the ASDF file.
const ASDF: &str = "seismograms.h5";

/// Writes the gathers of a run into the folder of its seismograms.
///
/// # Errors
/// A file that cannot be written; a trace that the format cannot represent.
pub fn write(setup: &Setup, traces: &[Trace], output: &mut Output) -> Result<(), Error> {
    if traces.is_empty() {
        return Ok(());
    }
    for format in &setup.output.gathers {
        match format {
            GatherFormat::Asdf => asdf(setup, traces, &output.folder.file(Path::new(traces::FOLDER).join(ASDF))?)?,
            GatherFormat::Segy => {
                for ((quantity, component), own) in by_component(traces) {
                    let name = format!("{}_{component}.sgy", word_of(quantity));
                    let lines = ["Receivers in the order of the scenario".to_owned()];
                    segy(setup, &own, &lines, &output.folder.file(Path::new(traces::FOLDER).join(name))?)?;
                }
            }
        }
    }
    Ok(())
}

/// The sources, stations and traces in one file. Strain has no channel codes and is left out.
///
/// Verified by `gathers_contain_the_seismograms` and `validation/readers/check_asdf.py`.
fn asdf(setup: &Setup, traces: &[Trace], file: &Path) -> Result<(), Error> {
    let mut writer = AsdfWriter::create(file)?;
    let events = traces::events(setup);
    if !events.is_empty() {
        writer.add_events(&quakeml::to_bytes(&events))?;
    }
    let event = events.first().map(|event| event.public_id.as_str());
    let mut stations: BTreeMap<[String; 2], Vec<_>> = BTreeMap::new();
    for channel in traces::channels(traces) {
        stations.entry(channel.station.clone()).or_default().push(channel);
    }
    let source = concat!("Craton ", env!("CARGO_PKG_VERSION"));
    for ([network, station], channels) in &stations {
        let document = stationxml::to_bytes(source, &craton_run::utc_now(), channels);
        writer.add_station(network, station, &document)?;
    }
    for trace in traces {
        let Some(quantity) = trace.name.quantity.filter(|quantity| *quantity != Quantity::Strain) else { continue };
        let [network, station, location, channel] = codes_of(trace);
        writer.add_trace(&AsdfTrace {
            network: &network,
            station: &station,
            location: &location,
            channel: &channel,
            tag: word_of(quantity),
            start: trace.situation.zero.unwrap_or(NO_DATE).later_by(trace.start),
            sampling_rate: trace.dt.recip(),
            samples: AsdfSamples::F64(&trace.samples),
            event_id: event,
        })?;
    }
    Ok(writer.finish()?)
}

/// The traces of each quantity and component, in the order of the receivers.
fn by_component(traces: &[Trace]) -> BTreeMap<(Quantity, &str), Vec<&Trace>> {
    let mut all: BTreeMap<(Quantity, &str), Vec<&Trace>> = BTreeMap::new();
    for trace in traces {
        if let Some(quantity) = trace.name.quantity {
            all.entry((quantity, &trace.name.component)).or_default().push(trace);
        }
    }
    all
}

/// Traces of one quantity and component as those of one shot.
///
/// # Arguments
/// * `more` – lines of the text header
///
/// Verified by `gathers_contain_the_seismograms`.
pub fn segy(setup: &Setup, own: &[&Trace], more: &[String], file: &Path) -> Result<(), Error> {
    let refused = |refused: Refused| Error::Format(refused.unwritable(file));
    let first = own[0];
    let quantity = first.name.quantity.expect("a quantity of this run");
    let binary = BinaryHeader::new(first.dt, first.samples.len(), SampleFormat::Ieee).map_err(refused)?;
    let source = setup.event.position.or_else(|| setup.source_positions().next()).unwrap_or_default();
    let surface = |[x, y, _]: [f64; 3]| setup.model.surface().elevation(x, y);
    let geometry = |trace: &Trace| {
        let receiver = trace.position.unwrap_or_default();
        let ([sx, sy, sz], [rx, ry, rz]) = (source, receiver);
        Geometry {
            source: [sx, sy],
            receiver: [rx, ry],
            cdp: [0.5 * (sx + rx), 0.5 * (sy + ry)],
            source_surface_elevation: surface(source),
            source_depth: surface(source) - sz,
            receiver_elevation: rz,
            ..Geometry::default()
        }
    };
    let scalars = Scalars::best(|| own.iter().map(|trace| geometry(trace))).map_err(refused)?;
    let trace = |(number, trace): (i32, &&Trace)| {
        let mut header = TraceHeader {
            trace_in_line: number,
            trace_in_file: number,
            field_record: 1,
            trace_in_record: number,
            trace_id: trace_code(quantity, &trace.name.component),
            coordinate_units: 1,
            measurement_unit: unit_code(quantity),
            ..TraceHeader::default()
        };
        header.set_geometry(&geometry(trace), scalars)?;
        header.set_start(first.start);
        Ok(segy::Trace { header, samples: trace.samples.iter().map(|&sample| sample as f32).collect() })
    };
    let all: Result<Vec<_>, Refused> = (1..).zip(own).map(trace).collect();
    let mut lines = vec![
        format!("Craton {}: {} {}", env!("CARGO_PKG_VERSION"), word_of(quantity), first.name.component),
        format!("Unit {}, first sample at {} s", first.unit(), first.start),
        "Coordinates x, y and elevations z of the model".to_owned(),
    ];
    lines.extend_from_slice(more);
    let text = TextHeader::cards(&lines).map_err(refused)?;
    Ok(segy::write(file, &text, &binary, &all.map_err(refused)?)?)
}

/// Trace identification code.
fn trace_code(quantity: Quantity, component: &str) -> i16 {
    match (quantity, component) {
        (Quantity::Pressure, _) => 11,
        (quantity, _) if !quantity.is_vector() => -1,
        (Quantity::Rotation | Quantity::RotationRate, _) => -1,
        (_, "Z") => 12,
        (_, "Y" | "N" | "T") => 13,
        (_, "X" | "E" | "R") => 14,
        _ => 1,
    }
}

/// Code of the unit of the samples.
fn unit_code(quantity: Quantity) -> i16 {
    match quantity {
        Quantity::Pressure => 1,
        Quantity::Displacement => 5,
        Quantity::Velocity => 6,
        Quantity::Acceleration => 7,
        _ => -1,
    }
}
