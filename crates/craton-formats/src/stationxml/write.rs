//! Writing channels.

use std::io::{self, Write};
use std::path::Path;

use crate::DateTime;
use crate::atomic;
use crate::error::Result;
use crate::xml::escaped;

/// A channel of a seismogram for StationXML.
#[derive(Clone, Debug, PartialEq)]
pub struct XmlChannel {
    /// Network code and station code.
    pub station: [String; 2],
    /// Location code, which may be empty, and channel code.
    pub channel: [String; 2],
    /// Latitude [degrees].
    pub latitude: f64,
    /// Longitude [degrees].
    pub longitude: f64,
    /// Elevation of the ground [m].
    pub elevation: f64,
    /// Depth of the instrument below the ground [m].
    pub burial: f64,
    /// Positive direction: azimuth clockwise from north and dip downward from horizontal [degrees]; `None` if the quantity has no
    /// direction.
    pub direction: Option<[f64; 2]>,
    /// Samples per second.
    pub sample_rate: f64,
    /// Start and end, to the second.
    pub epoch: [DateTime; 2],
}

/// Writes channels as StationXML 1.2 of level "channel", atomically. Consecutive channels of the same network or station share an element.
///
/// Verified by `stations::written_channels_are_read_back`.
///
/// # Arguments
/// * `source` – institution or program that created the file
/// * `created` – creation time, RFC 3339
/// # Errors
/// [`crate::FormatError::Io`] if the file cannot be written.
pub fn write(path: &Path, source: &str, created: &str, channels: &[XmlChannel]) -> Result<()> {
    atomic::write_bytes(path, &to_bytes(source, created, channels))
}

/// The file that [`write()`] writes, as bytes.
pub fn to_bytes(source: &str, created: &str, channels: &[XmlChannel]) -> Vec<u8> {
    let mut bytes = Vec::new();
    write_document(&mut bytes, source, created, channels).expect("memory accepts all bytes");
    bytes
}

fn write_document(out: &mut impl Write, source: &str, created: &str, channels: &[XmlChannel]) -> io::Result<()> {
    writeln!(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>")?;
    writeln!(out, "<FDSNStationXML xmlns=\"http://www.fdsn.org/xml/station/1\" schemaVersion=\"1.2\">")?;
    writeln!(out, "<Source>{}</Source>", escaped(source))?;
    writeln!(out, "<Created>{created}</Created>")?;
    for network in channels.chunk_by(|one, next| one.station[0] == next.station[0]) {
        writeln!(out, "<Network code=\"{}\">", escaped(&network[0].station[0]))?;
        let mut stations = network.chunk_by(|one, next| one.station == next.station);
        stations.try_for_each(|station| write_station(out, station))?;
        writeln!(out, "</Network>")?;
    }
    writeln!(out, "</FDSNStationXML>")
}

fn write_station(out: &mut impl Write, channels: &[XmlChannel]) -> io::Result<()> {
    let first = &channels[0];
    let code = escaped(&first.station[1]);
    writeln!(out, "  <Station code=\"{code}\"{}>", epoch(first))?;
    write_place(out, "    ", first, first.elevation)?;
    writeln!(out, "    <Site><Name>{code}</Name></Site>")?;
    for channel in channels {
        let [location, code] = channel.channel.each_ref().map(|code| escaped(code));
        writeln!(out, "    <Channel code=\"{code}\" locationCode=\"{location}\"{}>", epoch(channel))?;
        write_place(out, "      ", channel, channel.elevation - channel.burial)?;
        writeln!(out, "      <Depth>{}</Depth>", channel.burial)?;
        if let Some([azimuth, dip]) = channel.direction {
            writeln!(out, "      <Azimuth>{azimuth}</Azimuth>\n      <Dip>{dip}</Dip>")?;
        }
        writeln!(out, "      <SampleRate>{}</SampleRate>", channel.sample_rate)?;
        writeln!(out, "    </Channel>")?;
    }
    writeln!(out, "  </Station>")
}

fn write_place(out: &mut impl Write, indent: &str, channel: &XmlChannel, elevation: f64) -> io::Result<()> {
    let values = [("Latitude", channel.latitude), ("Longitude", channel.longitude), ("Elevation", elevation)];
    values.into_iter().try_for_each(|(name, value)| writeln!(out, "{indent}<{name}>{value}</{name}>"))
}

/// Date attributes of an epoch.
fn epoch(channel: &XmlChannel) -> String {
    let [start, end] = channel.epoch.map(|moment| moment.iso());
    format!(" startDate=\"{start}\" endDate=\"{end}\"")
}
