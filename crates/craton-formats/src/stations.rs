//! STATIONS: one receiver per line, `name network latitude longitude elevation burial`; `#` starts a comment.
//!
//! A name that repeats the network, `XX.AAA XX`, counts as the name after it, `AAA XX`.
//! Words are separated by blanks, tabs or commas. Words after the sixth, such as the name of a place, are ignored, as in SPECFEM3D.

use std::collections::HashMap;
use std::io::Write;
use std::path::Path;

use crate::atomic;
use crate::error::{FormatError, Result};
use crate::text::{Place, data_line, data_lines, end_of, read_text, without_comment, words};

/// Names of the numeric columns.
const COLUMNS: [&str; 4] = ["latitude (or y)", "longitude (or x)", "elevation", "burial"];

/// Largest plausible magnitude of an elevation [m].
pub(crate) const HIGHEST: f64 = 1e5;

const LINE: &str = "`name network latitude-or-y longitude-or-x elevation burial`";

/// One receiver of a STATIONS file.
#[derive(Clone, Debug, PartialEq)]
pub struct Station {
    /// Station name.
    pub name: String,
    /// Network code.
    pub network: String,
    /// Latitude [degrees], or y [m] without a projection.
    pub latitude_or_y: f64,
    /// Longitude [degrees], or x [m] without a projection.
    pub longitude_or_x: f64,
    /// Elevation [m], at most 1e5 in magnitude; SPECFEM ignores it.
    pub elevation: f64,
    /// Depth below the local surface [m].
    pub burial: f64,
}

/// Reads a STATIONS file, at least one receiver.
///
/// # Errors
/// A file that cannot be read; a line of fewer than six words; a value that is not a finite number; an elevation beyond 1e5 m; two
/// receivers with the same network and name.
pub fn read(path: &Path) -> Result<Vec<Station>> {
    parse(&read_text(path)?, path)
}

/// As [`read`], from the text of the file; `path` is used in messages.
///
/// # Errors
/// As [`read`].
pub fn parse(text: &str, path: &Path) -> Result<Vec<Station>> {
    let mut stations = Vec::new();
    let mut line_of = HashMap::new();
    for (place, line) in data_lines(path, text) {
        let station = station(place, line)?;
        let code = (station.network.clone(), station.name.clone());
        if let Some(first) = line_of.insert(code, place.line) {
            return Err(place.layout(
                format!("station {}.{} is also on line {first}", station.network, station.name),
                "give each a unique name, since their traces would overwrite each other",
            ));
        }
        stations.push(station);
    }
    if stations.is_empty() {
        return Err(end_of(path, text).layout("the file has no stations", format!("write one per line as {LINE}")));
    }
    Ok(stations)
}

/// The error of a station that the caller refuses, with its line.
///
/// # Arguments
/// * `path` – a file that was read before
/// * `index` – index of the station, from 0
/// * `problem` – what is wrong
/// * `hint` – what to do
pub fn refuse(path: &Path, index: usize, problem: &str, hint: &str) -> FormatError {
    data_line(path, index).map_or_else(|error| error, |(place, _)| place.layout(problem, hint))
}

/// As [`refuse`], for a station of a text; `path` is used in messages.
pub fn refuse_in(text: &str, path: &Path, index: usize, problem: &str, hint: &str) -> FormatError {
    let (place, _) = data_lines(path, text).nth(index).expect("a station of the text");
    place.layout(problem, hint)
}

fn station(place: Place, line: &str) -> Result<Station> {
    let text = without_comment(line);
    if text.contains('|') {
        let hint = "request StationXML from the service (format=xml), or write lines of";
        return Err(
            place.layout("the line is in the text format of a web service, with bars", format!("{hint} {LINE}"))
        );
    }
    let words: Vec<_> = words(text).collect();
    let [name, network, ref numbers @ ..] = words[..] else {
        return Err(place.bad_value("station", line, LINE));
    };
    if numbers.len() < COLUMNS.len() {
        return Err(place.bad_value(format!("station with {} of 6 words", words.len()), line, LINE));
    }
    let number = |index: usize| place.finite(COLUMNS[index], numbers[index]);
    let elevation = number(2)?;
    if elevation.abs() > HIGHEST {
        let expected = format!("-{HIGHEST} to {HIGHEST} m; use 99999 or -12345 if it is unknown");
        return Err(place.bad_value(COLUMNS[2], numbers[2], expected));
    }
    let repeated = name.strip_prefix(network).and_then(|rest| rest.strip_prefix('.'));
    Ok(Station {
        name: repeated.filter(|name| !name.is_empty()).unwrap_or(name).to_owned(),
        network: network.to_owned(),
        latitude_or_y: number(0)?,
        longitude_or_x: number(1)?,
        elevation,
        burial: number(3)?,
    })
}

/// Writes a STATIONS file, atomically.
///
/// # Errors
/// [`crate::FormatError::Io`] if the file cannot be written.
pub fn write(path: &Path, stations: &[Station]) -> Result<()> {
    atomic::write_with(path, |out| {
        for station in stations {
            let Station { name, network, latitude_or_y, longitude_or_x, elevation, burial } = station;
            writeln!(out, "{name} {network} {latitude_or_y} {longitude_or_x} {elevation} {burial}")?;
        }
        Ok(())
    })
}
