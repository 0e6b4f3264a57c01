//! Writing events.

use std::io::{self, Write};
use std::path::Path;

use super::elements::COMPONENTS;
use super::{OriginType, QuakeEvent, QuakeMagnitude, QuakeMoment, QuakeOrigin, SourceTimeFunction, TimeFunctionShape};
use crate::atomic;
use crate::error::Result;
use crate::xml::escaped;

/// Writes events as QuakeML 1.2, atomically. Identifiers of the catalogue, of magnitudes and of moment tensors are derived from those of
/// the events. An origin that event and tensor share is written once.
///
/// Verified by `events::written_events_are_read_back`.
///
/// # Errors
/// [`crate::FormatError::Io`] if the file cannot be written.
pub fn write(path: &Path, events: &[QuakeEvent]) -> Result<()> {
    atomic::write_bytes(path, &to_bytes(events))
}

/// The file that [`write()`] writes, as bytes.
pub fn to_bytes(events: &[QuakeEvent]) -> Vec<u8> {
    let mut bytes = Vec::new();
    write_document(&mut bytes, events).expect("memory accepts all bytes");
    bytes
}

fn write_document(out: &mut impl Write, events: &[QuakeEvent]) -> io::Result<()> {
    writeln!(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>")?;
    let own = "xmlns=\"http://quakeml.org/xmlns/bed/1.2\"";
    writeln!(out, "<q:quakeml xmlns:q=\"http://quakeml.org/xmlns/quakeml/1.2\" {own}>")?;
    writeln!(out, "<eventParameters publicID=\"smi:local/catalogue\">")?;
    events.iter().try_for_each(|event| write_event(out, event))?;
    writeln!(out, "</eventParameters>")?;
    writeln!(out, "</q:quakeml>")
}

fn write_event(out: &mut impl Write, event: &QuakeEvent) -> io::Result<()> {
    let QuakeEvent { public_id, name, origin, moment, magnitudes, .. } = event;
    let id = escaped(public_id);
    writeln!(out, "<event publicID=\"{id}\">")?;
    writeln!(out, "  <preferredOriginID>{}</preferredOriginID>", escaped(&origin.public_id))?;
    if !magnitudes.is_empty() {
        writeln!(out, "  <preferredMagnitudeID>{id}/magnitude/1</preferredMagnitudeID>")?;
    }
    if let Some(moment) = moment {
        writeln!(out, "  <preferredFocalMechanismID>{}</preferredFocalMechanismID>", escaped(&moment.mechanism_id))?;
    }
    if !name.is_empty() {
        writeln!(out, "  <description><text>{}</text><type>earthquake name</type></description>", escaped(name))?;
    }
    write_origin(out, origin)?;
    let other = moment.as_ref().and_then(|moment| moment.origin.as_ref());
    other.filter(|other| other.public_id != origin.public_id).map_or(Ok(()), |other| write_origin(out, other))?;
    for (number, QuakeMagnitude { value, kind }) in magnitudes.iter().enumerate() {
        writeln!(out, "  <magnitude publicID=\"{id}/magnitude/{}\">", number + 1)?;
        writeln!(out, "    <mag><value>{value}</value></mag><type>{}</type>", escaped(kind))?;
        writeln!(out, "  </magnitude>")?;
    }
    moment.as_ref().map_or(Ok(()), |moment| write_mechanism(out, moment))?;
    writeln!(out, "</event>")
}

fn write_origin(out: &mut impl Write, origin: &QuakeOrigin) -> io::Result<()> {
    writeln!(out, "  <origin publicID=\"{}\">", escaped(&origin.public_id))?;
    let mut quantity = |name: &str, value: String| writeln!(out, "    <{name}><value>{value}</value></{name}>");
    quantity("time", origin.time.iso())?;
    quantity("latitude", origin.latitude.to_string())?;
    quantity("longitude", origin.longitude.to_string())?;
    origin.depth.map_or(Ok(()), |depth| quantity("depth", depth.to_string()))?;
    match origin.origin_type {
        OriginType::Hypocenter => writeln!(out, "    <type>hypocenter</type>")?,
        OriginType::Centroid => writeln!(out, "    <type>centroid</type>")?,
        OriginType::Other => {}
    }
    if !origin.agency.is_empty() {
        writeln!(out, "    <creationInfo><agencyID>{}</agencyID></creationInfo>", escaped(&origin.agency))?;
    }
    writeln!(out, "  </origin>")
}

fn write_mechanism(out: &mut impl Write, moment: &QuakeMoment) -> io::Result<()> {
    let id = escaped(&moment.mechanism_id);
    writeln!(out, "  <focalMechanism publicID=\"{id}\">")?;
    writeln!(out, "    <momentTensor publicID=\"{id}/tensor\">")?;
    if let Some(origin) = &moment.origin {
        writeln!(out, "      <derivedOriginID>{}</derivedOriginID>", escaped(&origin.public_id))?;
    }
    if let Some(scalar) = moment.scalar_moment {
        writeln!(out, "      <scalarMoment><value>{scalar:e}</value></scalarMoment>")?;
    }
    writeln!(out, "      <tensor>")?;
    for (name, value) in COMPONENTS.into_iter().zip(moment.spherical) {
        writeln!(out, "        <{name}><value>{value:e}</value></{name}>")?;
    }
    writeln!(out, "      </tensor>")?;
    moment.time_function.map_or(Ok(()), |function| write_time_function(out, function))?;
    writeln!(out, "    </momentTensor>")?;
    writeln!(out, "  </focalMechanism>")
}

fn write_time_function(out: &mut impl Write, function: SourceTimeFunction) -> io::Result<()> {
    let shape = match function.shape {
        TimeFunctionShape::BoxCar => "box car",
        TimeFunctionShape::Triangle => "triangle",
        TimeFunctionShape::Trapezoid => "trapezoid",
        TimeFunctionShape::Unknown => "unknown",
    };
    let SourceTimeFunction { duration, rise_time, decay_time, .. } = function;
    write!(out, "      <sourceTimeFunction><type>{shape}</type><duration>{duration}</duration>")?;
    for (name, time) in [("riseTime", rise_time), ("decayTime", decay_time)] {
        time.map_or(Ok(()), |time| write!(out, "<{name}>{time}</{name}>"))?;
    }
    writeln!(out, "</sourceTimeFunction>")
}
