//! FDSN StationXML 1.x: networks and their stations, as distributed by web services of data centres.
//!
//! The reader extracts only what describes a receiver: codes, positions, dates. It reads files of level "station", "channel" and
//! "response"; files of level "station" have no burial and location codes. [`read`] gives every position of a station, [`read_chosen`] those of
//! the channels that a [`ChannelChoice`] includes, and [`read_channels`] every epoch of every channel.
//!
//! Source: FDSN StationXML schema, versions 1.0 to 1.2, <https://docs.fdsn.org/projects/stationxml>.

use std::collections::HashMap;
use std::path::Path;

use crate::DateTime;
use crate::error::{FormatError, Result};
use crate::stations::HIGHEST;
use crate::text::{Place, read_text};
use crate::xml::{Element, XmlFile};

mod channels;
mod choice;
mod write;

pub use channels::{ChannelEpoch, parse_channels, read_channels};
pub use choice::{ChannelChoice, parse_chosen, read_chosen};
pub use write::{XmlChannel, to_bytes, write};

/// Hint if elevation or depth is missing.
const METRES: &str = "every station needs an elevation, every channel also a depth, in metres";

/// The elements of the position of a channel relative to its station.
const PLACE: [&str; 3] = ["Latitude", "Longitude", "Depth"];

/// A position at which a station has, or had, instruments.
#[derive(Clone, Debug, PartialEq)]
pub struct XmlStation {
    /// Line of the file with the first entry of the station, from 1.
    pub line: usize,
    /// Network code.
    pub network: String,
    /// Station code.
    pub name: String,
    /// Location codes of the channels at this position, each once, in the order of the file; `""` is a valid code. Empty at level
    /// "station".
    pub locations: Vec<String>,
    /// Latitude [degrees], -90 to 90: of the channels, or else of the station.
    pub latitude: f64,
    /// Longitude [degrees], -360 to 360: of the channels, or else of the station.
    pub longitude: f64,
    /// Elevation of the ground above sea level [m], as given for the station, at most 1e5 in magnitude.
    pub elevation: f64,
    /// Elevation of the instrument [m], as given for the channels. According to the schema it is that of the ground minus the burial; many
    /// writers repeat that of the ground.
    pub channel_elevation: Option<f64>,
    /// Depth of the instrument below the ground [m]; 0 at level "station".
    pub burial: f64,
    /// Start date; `None` if the file does not give it.
    pub start: Option<DateTime>,
    /// End date; `None` if open.
    pub end: Option<DateTime>,
}

impl XmlStation {
    /// Whether the station was, or will be, open at a time, according to its start and end; it is closed at its end.
    pub fn is_open_at(&self, time: DateTime) -> bool {
        channels::is_within(self.start, self.end, time)
    }

    /// The error of a station that the caller refuses, with its line.
    ///
    /// # Arguments
    /// * `path` – the file it was read from
    /// * `problem` – what is wrong, for example `lies outside the model`
    /// * `hint` – what to do
    pub fn refuse(&self, path: &Path, problem: &str, hint: &str) -> FormatError {
        let Self { line, network, name, .. } = self;
        Place { path, line: *line }.layout(format!("station {network}.{name} {problem}"), hint)
    }

    /// The position as a key; both zeros are the same.
    fn position(&self) -> [u64; 4] {
        [self.latitude, self.longitude, self.elevation, self.burial].map(|number| (number + 0.0).to_bits())
    }

    /// Merges another epoch of the same position.
    fn merge(&mut self, other: Self) {
        for location in other.locations {
            if !self.locations.contains(&location) {
                self.locations.push(location);
            }
        }
        let earlier = |one: DateTime, two: DateTime| if two.microseconds() < one.microseconds() { two } else { one };
        let later = |one: DateTime, two: DateTime| if two.microseconds() > one.microseconds() { two } else { one };
        self.start = self.start.zip(other.start).map(|(one, two)| earlier(one, two));
        self.end = self.end.zip(other.end).map(|(one, two)| later(one, two));
    }
}

/// Reads the stations of a StationXML file, at least one, in the order of the file. A station has one entry per position (latitude,
/// longitude, elevation, burial) of its channels. A channel without coordinates has those of the station; one that has no burial
/// either adds no position if other channels have one.
///
/// Epochs of a station at the same position are merged to one entry, from the earliest start to the latest end. Verified by
/// `stations::every_position_of_a_station_is_one_entry`.
///
/// # Errors
/// A file that cannot be read, is not XML, or is not StationXML; no station, as at level "network"; with the station and the line: a
/// position that is missing, not finite or outside its range, an invalid date.
pub fn read(path: &Path) -> Result<Vec<XmlStation>> {
    parse(&read_text(path)?, path)
}

/// As [`read`], from the text of the file; `path` is used in messages.
///
/// # Errors
/// As [`read`].
pub fn parse(text: &str, path: &Path) -> Result<Vec<XmlStation>> {
    let file = open(text, path)?;
    let mut stations = Places::default();
    for (codes, station) in stations_of(&file) {
        places(codes, station)?.into_iter().for_each(|place| stations.add(place));
    }
    stations.at_least_one(&file)
}

/// Parses the XML.
fn open<'a>(text: &'a str, path: &'a Path) -> Result<XmlFile<'a>> {
    let hint = "FDSN StationXML, with the root element <FDSNStationXML> and <Network>";
    XmlFile::parse(path, text, "FDSNStationXML", hint)
}

/// All stations, with the codes of network and station, which may be empty.
fn stations_of<'a>(file: &'a XmlFile<'a>) -> impl Iterator<Item = ([&'a str; 2], Element<'a>)> {
    let of_network = |network: Element<'a>| {
        let stations = network.children("Station");
        stations.map(move |station| ([network, station].map(|element| element.attribute("code")), station))
    };
    file.root().children("Network").flat_map(of_network)
}

/// Stations with one entry per position, in the order in which they were added.
#[derive(Default)]
struct Places {
    stations: Vec<XmlStation>,
    number_of: HashMap<([String; 2], [u64; 4]), usize>,
}

impl Places {
    /// Adds a position, or merges another epoch of a known one.
    fn add(&mut self, place: XmlStation) {
        let codes = [&place.network, &place.name].map(String::clone);
        let number = *self.number_of.entry((codes, place.position())).or_insert(self.stations.len());
        match self.stations.get_mut(number) {
            Some(known) => known.merge(place),
            None => self.stations.push(place),
        }
    }

    /// The stations, or the error of a file without any.
    fn at_least_one(self, file: &XmlFile) -> Result<Vec<XmlStation>> {
        if !self.stations.is_empty() {
            return Ok(self.stations);
        }
        let problem = match file.root().child("Network") {
            Some(_) => "the file has networks without stations",
            None => "the file has no networks",
        };
        let hint = "request level=station from the web service, or level=channel for location codes and burial";
        Err(file.root().place().layout(problem, hint))
    }
}

/// Positions of one station: of its channels, or its own if it has none. Positions may be repeated.
fn places(codes: [&str; 2], station: Element) -> Result<Vec<XmlStation>> {
    let (own, owner) = of_station(codes, station)?;
    let (placed, unplaced): (Vec<Element>, Vec<Element>) =
        station.children("Channel").partition(|channel| is_placed(*channel));
    let mut places = placed.into_iter().map(|channel| of_channel(&own, channel, &owner)).collect::<Result<Vec<_>>>()?;
    if places.is_empty() {
        places.push(XmlStation { locations: locations_of(&unplaced), ..own });
    }
    Ok(places)
}

/// Whether a channel has a position of its own.
fn is_placed(channel: Element) -> bool {
    PLACE.iter().any(|name| channel.child(name).is_some())
}

/// The position of a station without its channels, and its name in messages.
fn of_station([network, name]: [&str; 2], station: Element) -> Result<(XmlStation, String)> {
    let owner = format!("station {network}.{name}");
    if network.is_empty() || name.is_empty() {
        let hint = "write code=\"...\" in <Network> and <Station>";
        return Err(station.place().layout(format!("{owner} lacks a code"), hint));
    }
    let [latitude, longitude] = position(station, &owner)?;
    let own = XmlStation {
        line: station.place().line,
        network: network.to_owned(),
        name: name.to_owned(),
        locations: Vec::new(),
        latitude,
        longitude,
        elevation: elevation(station, &owner)?,
        channel_elevation: None,
        burial: 0.0,
        start: station.date_attribute("startDate", &owner)?,
        end: station.date_attribute("endDate", &owner)?,
    };
    Ok((own, owner))
}

/// Location codes of channels, each once.
fn locations_of(channels: &[Element]) -> Vec<String> {
    let mut locations = Vec::new();
    for channel in channels {
        let location = location(*channel).to_owned();
        if !locations.contains(&location) {
            locations.push(location);
        }
    }
    locations
}

/// Location code of a channel. Web services use `--` for an empty one in requests, and some also in responses.
fn location(channel: Element<'_>) -> &str {
    match channel.attribute("locationCode") {
        "--" => "",
        code => code,
    }
}

/// Position of one channel; its dates default to those of its station.
fn of_channel(station: &XmlStation, channel: Element, owner: &str) -> Result<XmlStation> {
    let (location, code) = (location(channel), channel.attribute("code"));
    let owner = format!("channel {location}.{code} of {owner}");
    let has_coordinates = PLACE[..2].iter().any(|name| channel.child(name).is_some());
    let [latitude, longitude] =
        if has_coordinates { position(channel, &owner)? } else { [station.latitude, station.longitude] };
    let has_elevation = has_coordinates || channel.child("Elevation").is_some();
    Ok(XmlStation {
        locations: vec![location.to_owned()],
        latitude,
        longitude,
        channel_elevation: has_elevation.then(|| elevation(channel, &owner)).transpose()?,
        burial: channel.required("Depth", &owner, METRES)?.number(&owner)?,
        start: channel.date_attribute("startDate", &owner)?.or(station.start),
        end: channel.date_attribute("endDate", &owner)?.or(station.end),
        ..station.clone()
    })
}

/// Latitude and longitude [degrees].
fn position(element: Element, owner: &str) -> Result<[f64; 2]> {
    let degrees = |name, most: f64| {
        let hint = "every station and channel needs a position in degrees";
        element.required(name, owner, hint)?.number_within([-most, most], "degrees", owner)
    };
    Ok([degrees("Latitude", 90.0)?, degrees("Longitude", 360.0)?])
}

/// Elevation [m].
fn elevation(element: Element, owner: &str) -> Result<f64> {
    element.required("Elevation", owner, METRES)?.number_within([-HIGHEST, HIGHEST], "m", owner)
}
