//! Channels of stations, each with its epochs.

use std::path::Path;

use super::{XmlStation, is_placed, location, of_channel, of_station, open, stations_of};
use crate::DateTime;
use crate::error::Result;
use crate::text::read_text;
use crate::xml::{Element, XmlFile};

/// Limits of azimuth and dip [degrees].
const ANGLES: [(&str, [f64; 2]); 2] = [("Azimuth", [-360.0, 360.0]), ("Dip", [-90.0, 90.0])];

/// One epoch of a channel.
#[derive(Clone, Debug, PartialEq)]
pub struct ChannelEpoch {
    /// Line of the file at which the channel starts, from 1.
    pub line: usize,
    /// Channel code, such as `BHZ`.
    pub code: String,
    /// Location code; `""` is a valid code.
    pub location: String,
    /// Position and epoch of the channel, with codes and elevation of its station. A channel without coordinates has those of the station,
    /// one without dates those of the station.
    pub place: XmlStation,
    /// Whether the channel has coordinates or a depth of its own.
    pub is_placed: bool,
    /// Azimuth of the positive direction, clockwise from north [degrees].
    pub azimuth: Option<f64>,
    /// Dip of the positive direction, downward from horizontal [degrees]: -90 is up.
    pub dip: Option<f64>,
    /// Start and end of the epoch of the station; `None` if open.
    pub station_epoch: [Option<DateTime>; 2],
}

impl ChannelEpoch {
    /// Whether both the channel and its station are open at a time; they are closed at their end.
    pub fn is_open_at(&self, time: DateTime) -> bool {
        let [start, end] = self.station_epoch;
        self.place.is_open_at(time) && is_within(start, end, time)
    }
}

/// Whether a time is in an epoch, which excludes its end.
pub(super) fn is_within(start: Option<DateTime>, end: Option<DateTime>, time: DateTime) -> bool {
    let time = time.microseconds();
    start.is_none_or(|start| start.microseconds() <= time) && end.is_none_or(|end| time < end.microseconds())
}

/// Reads all epochs of all channels of a StationXML file, at least one, in the order of the file.
///
/// Verified by `choice::every_epoch_of_a_channel_is_read`.
///
/// # Errors
/// As [`read`](super::read); a file without channels, as at level "station"; an azimuth or dip that is no angle.
pub fn read_channels(path: &Path) -> Result<Vec<ChannelEpoch>> {
    parse_channels(&read_text(path)?, path)
}

/// As [`read_channels`], from the text of the file; `path` is used in messages.
///
/// # Errors
/// As [`read_channels`].
pub fn parse_channels(text: &str, path: &Path) -> Result<Vec<ChannelEpoch>> {
    let file = open(text, path)?;
    let channels = of_file(&file)?.into_iter().flat_map(|(_, channels)| channels).collect::<Vec<_>>();
    match channels.is_empty() {
        true => Err(no_channels(&file)),
        false => Ok(channels),
    }
}

/// The error of a file without channels.
pub(super) fn no_channels(file: &XmlFile) -> crate::FormatError {
    file.root().place().layout("the file has no channels", "request level=channel from the web service")
}

/// All stations, each with its channels.
pub(super) fn of_file(file: &XmlFile) -> Result<Vec<(XmlStation, Vec<ChannelEpoch>)>> {
    stations_of(file)
        .map(|(codes, station)| {
            let (own, owner) = of_station(codes, station)?;
            let channels = station.children("Channel").map(|channel| epoch(&own, channel, &owner));
            let channels = channels.collect::<Result<Vec<_>>>()?;
            Ok((own, channels))
        })
        .collect()
}

fn epoch(station: &XmlStation, channel: Element, owner: &str) -> Result<ChannelEpoch> {
    let (location, code) = (location(channel), channel.attribute("code"));
    let named = format!("channel {location}.{code} of {owner}");
    let is_placed = is_placed(channel);
    let place = match is_placed {
        true => of_channel(station, channel, owner)?,
        false => XmlStation {
            locations: vec![location.to_owned()],
            start: channel.date_attribute("startDate", &named)?.or(station.start),
            end: channel.date_attribute("endDate", &named)?.or(station.end),
            ..station.clone()
        },
    };
    let angle = |(name, limits)| {
        let element = channel.child(name);
        element.map(|element| element.number_within(limits, "degrees", &named)).transpose()
    };
    let [azimuth, dip] = ANGLES.map(angle);
    Ok(ChannelEpoch {
        line: channel.place().line,
        code: code.to_owned(),
        location: location.to_owned(),
        place,
        is_placed,
        azimuth: azimuth?,
        dip: dip?,
        station_epoch: [station.start, station.end],
    })
}
