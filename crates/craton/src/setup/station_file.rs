//! Station files: STATIONS or StationXML.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use craton_formats::stations::{self, Station};
use craton_formats::stationxml::{self, ChannelChoice, XmlStation};
use craton_formats::{DateTime, FormatError};

use crate::inputs::Text;

/// A station file.
pub struct StationFile {
    path: PathBuf,
    /// The stations; those of StationXML have unique codes.
    pub stations: Vec<Station>,
    /// Their indices in the file.
    numbers: Vec<usize>,
    /// The stations as in a StationXML file, by index.
    xml: Option<Vec<XmlStation>>,
    /// The text, if the calling program gave it.
    given: Option<String>,
}

impl StationFile {
    /// Reads the stations of a file or a text of either format, detected by its first character.
    ///
    /// # Arguments
    /// * `time` – time of the event, which selects among several epochs of a station; without it, the last epoch counts
    /// * `choice` – the channels of StationXML that count; `None` for all
    /// # Errors
    /// An unreadable or invalid file.
    pub fn read(contents: &Text, time: Option<DateTime>, choice: Option<&ChannelChoice>) -> Result<Self, FormatError> {
        let read_xml = || match choice {
            None => contents.read(stationxml::read, stationxml::parse),
            Some(choice) => contents.read(
                |path| stationxml::read_chosen(path, choice),
                |text, path| stationxml::parse_chosen(text, path, choice),
            ),
        };
        let xml = contents.is_xml().then(read_xml).transpose()?.map(|all| each_once(all, time));
        let stations = match &xml {
            Some(xml) => xml.iter().map(as_line).collect(),
            None => contents.read(stations::read, stations::parse)?,
        };
        let (path, given) = (contents.path().to_owned(), contents.given().map(str::to_owned));
        Ok(Self { numbers: (0..stations.len()).collect(), stations, path, xml, given })
    }

    /// Removes stations, and returns them.
    pub fn remove_where(&mut self, condition: impl Fn(&Station) -> bool) -> Vec<Station> {
        let all = self.numbers.drain(..).zip(self.stations.drain(..));
        let (removed, kept): (Vec<_>, Vec<_>) = all.partition(|(_, station)| condition(station));
        (self.numbers, self.stations) = kept.into_iter().unzip();
        removed.into_iter().map(|(_, station)| station).collect()
    }

    /// The error of an invalid station, with its line.
    pub fn refuse(&self, index: usize, problem: &str, hint: &str) -> FormatError {
        let number = self.numbers[index];
        match (&self.xml, &self.given) {
            (Some(xml), _) => xml[number].refuse(&self.path, problem, hint),
            (None, Some(text)) => stations::refuse_in(text, &self.path, number, problem, hint),
            (None, None) => stations::refuse(&self.path, number, problem, hint),
        }
    }
}

/// A station in STATIONS format.
fn as_line(station: &XmlStation) -> Station {
    let XmlStation { network, name, latitude, longitude, elevation, burial, .. } = station.clone();
    Station { name, network, latitude_or_y: latitude, longitude_or_x: longitude, elevation, burial }
}

/// Whether a file begins like XML; false if it cannot be read.
pub fn is_xml(path: &Path) -> bool {
    let text = std::fs::read(path).unwrap_or_default();
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&text);
    text.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'<')
}

/// Each location of a station once: of several epochs, the one at the event, or else the last one. If all channels of a
/// location have the same code, it is used; different locations of one epoch, such as surface and borehole, are
/// distinguished by their first code.
fn each_once(all: Vec<XmlStation>, time: Option<DateTime>) -> Vec<XmlStation> {
    let mut epochs: BTreeMap<(&str, &str), Vec<&XmlStation>> = BTreeMap::new();
    for station in &all {
        epochs.entry((&station.network, &station.name)).or_default().push(station);
    }
    let times = epochs.into_iter().map(|(name, epochs)| (name, epoch_time(&epochs, time)));
    let times: BTreeMap<(&str, &str), Option<DateTime>> = times.collect();
    let is_open = |one: &XmlStation| times[&(&*one.network, &*one.name)].is_none_or(|time| one.is_open_at(time));
    let mut by_code: BTreeMap<(&str, &str, &[String]), usize> = BTreeMap::new();
    for (index, station) in all.iter().enumerate().filter(|(_, station)| is_open(station)) {
        by_code.insert((&station.network, &station.name, &station.locations), index);
    }
    let mut kept: Vec<usize> = by_code.into_values().collect();
    kept.sort_unstable();
    let mut kept: Vec<XmlStation> = kept.into_iter().map(|index| all[index].clone()).collect();
    let mut counts: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for station in &kept {
        *counts.entry((&station.network, &station.name)).or_default() += 1;
    }
    let shared: Vec<bool> = kept.iter().map(|station| counts[&(&*station.network, &*station.name)] > 1).collect();
    for (station, shared) in kept.iter_mut().zip(shared) {
        let location = station.locations.first().filter(|_| shared || station.locations.len() == 1);
        if let Some(location) = location.filter(|location| !location.is_empty()) {
            station.name = format!("{}.{location}", station.name);
        }
    }
    kept
}

/// The time that selects an epoch of a station: that of the event if an epoch contains it, or else the last start;
/// `None` without epochs.
fn epoch_time(epochs: &[&XmlStation], event: Option<DateTime>) -> Option<DateTime> {
    let is_open = |time: &DateTime| epochs.iter().any(|epoch| epoch.is_open_at(*time));
    let last = || {
        let begins = epochs.iter().filter_map(|epoch| epoch.start);
        begins.max_by(|a, b| a.seconds_after(b).total_cmp(&0.0)).filter(is_open)
    };
    event.filter(is_open).or_else(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn station(name: &str, locations: &[&str], latitude: f64, years: [Option<i32>; 2]) -> XmlStation {
        let day = |year| DateTime { year, month: 1, day: 1, hour: 0, minute: 0, second: 0.0 };
        XmlStation {
            line: 1,
            network: "GT".to_owned(),
            name: name.to_owned(),
            locations: locations.iter().map(|&location| location.to_owned()).collect(),
            latitude,
            longitude: -68.0,
            elevation: 4095.0,
            channel_elevation: None,
            burial: 0.0,
            start: years[0].map(day),
            end: years[1].map(day),
        }
    }

    #[test]
    fn a_moved_station_has_its_position_at_the_time_of_the_event() {
        let all = vec![
            station("LPAZ", &[""], -16.0, [Some(1980), Some(1993)]),
            station("LPAZ", &[""], -17.0, [Some(1993), None]),
        ];
        let at = |year| Some(DateTime { year, month: 6, day: 9, hour: 0, minute: 0, second: 0.0 });
        assert_eq!(each_once(all.clone(), at(1990))[0].latitude, -16.0);
        assert_eq!(each_once(all.clone(), at(1994))[0].latitude, -17.0);
        assert_eq!(each_once(all.clone(), None).len(), 1);
        assert_eq!(each_once(all, None)[0].latitude, -17.0);
    }

    #[test]
    fn a_station_with_a_changed_location_code_is_listed_once() {
        let all = vec![
            station("LPAZ", &[""], -16.0, [Some(1980), Some(1993)]),
            station("LPAZ", &["00"], -17.0, [Some(1993), Some(2010)]),
            station("LPAZ", &["10"], -18.0, [Some(2010), Some(2020)]),
        ];
        let at = |year| Some(DateTime { year, month: 6, day: 9, hour: 0, minute: 0, second: 0.0 });
        // Before the first epoch, after the last one and without a time, the last epoch counts.
        let (first, second, last) = ((-16.0, "LPAZ"), (-17.0, "LPAZ.00"), (-18.0, "LPAZ.10"));
        let places = [(at(1990), first), (at(1994), second), (at(2015), last), (at(1970), last), (at(2025), last)];
        for (time, place) in places.into_iter().chain([(None, last)]) {
            let kept = each_once(all.clone(), time);
            assert_eq!((kept.len(), (kept[0].latitude, &*kept[0].name)), (1, place), "{time:?}");
        }
    }

    #[test]
    fn a_position_has_its_only_location_code_or_the_first_one() {
        let all = vec![
            station("ANMO", &["00", "20"], 34.9, [None; 2]),
            station("ANMO", &["10"], 34.8, [None; 2]),
            station("LPAZ", &["00"], -16.0, [None; 2]),
            station("NNA", &["00", "10"], -12.0, [None; 2]),
            station("OTAV", &[""], 0.2, [None; 2]),
            station("SPA", &[], -90.0, [None; 2]),
        ];
        let names: Vec<String> = each_once(all, None).into_iter().map(|station| station.name).collect();
        assert_eq!(names, ["ANMO.00", "ANMO.10", "LPAZ.00", "NNA", "OTAV", "SPA"]);
    }
}
