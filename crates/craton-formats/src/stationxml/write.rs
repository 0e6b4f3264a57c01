//! Channels to a file.

use std::io::{self, Write};
use std::path::Path;

use crate::DateTime;
use crate::atomic;
use crate::error::Result;
use crate::xml::escaped;

/// A channel of a seismogram, as StationXML has it.
#[derive(Clone, Debug, PartialEq)]
pub struct XmlChannel {
    /// Codes of the network and of the station.
    pub station: [String; 2],
    /// Codes of the location, which may be empty, and of the channel.
    pub channel: [String; 2],
    /// Latitude [degrees].
    pub latitude: f64,
    /// Longitude [degrees].
    pub longitude: f64,
    /// Elevation of the ground [m].
    pub elevation: f64,
    /// Depth of the instrument below the ground [m].
    pub burial: f64,
    /// Direction that counts as positive: clockwise from north and downwards from the horizontal [degrees]; `None` of what has none.
    pub direction: Option<[f64; 2]>,
    /// Samples per second.
    pub sample_rate: f64,
    /// The first and the last moment, to the second.
    pub epoch: [DateTime; 2],
}

/// Writes channels as StationXML 1.2 of level "channel", whole or not at all; neighbours of one network, and of one station, share its element.
///
/// Verified by `stations::channels_that_are_written_are_read`.
///
/// # Arguments
/// * `source` – who made them
/// * `created` – when, as RFC 3339 writes it
/// # Errors
/// [`crate::FormatError::Io`] if the file cannot be written.
pub fn write(path: &Path, source: &str, created: &str, channels: &[XmlChannel]) -> Result<()> {
    atomic::write_with(path, |out| {
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
    })
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

/// The attributes of an epoch.
fn epoch(channel: &XmlChannel) -> String {
    let [start, end] = channel.epoch.map(|moment| moment.iso());
    format!(" startDate=\"{start}\" endDate=\"{end}\"")
}
