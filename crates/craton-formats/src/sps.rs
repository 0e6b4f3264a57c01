//! SPS 2.1: points of sources and receivers, and which receivers recorded which source, in fixed columns.
//!
//! Lines that begin with `S`, `R` and `X` are sources, receivers and relations; those with `H` are headers. The three
//! kinds usually stand in three files, but may stand in one. Headers say the version (`H00`) and the unit of all lengths, by
//! its name (`H20`) or its metres (`H201`); what is read is in metres
//! where they do.
//!
//! Source: Shell Processing Support format for land 3D surveys, SEG Technical Standards Committee, revision 2.1, January
//! 2006.

use std::path::Path;

use crate::error::Result;
use crate::text::{Place, end_of, read_text, words};

mod columns;
mod unit;

use columns::Columns;
use unit::Unit;

/// What a file holds.
#[derive(Clone, Debug, PartialEq)]
pub struct Sps {
    /// Metres of the unit that lengths are written in; `None` where no header says it, and lengths are as they are written.
    pub metres_per_unit: Option<f64>,
    /// Sources.
    pub sources: Vec<Point>,
    /// Receivers.
    pub receivers: Vec<Point>,
    /// Relations between both.
    pub relations: Vec<Relation>,
}

/// A source or a receiver. What the file leaves blank is `None`, or empty; a blank index is 1.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// Number of the line.
    pub line: f64,
    /// Number of the point on its line.
    pub point: f64,
    /// Index of the point, 1 to 9: one more each time it is used again.
    pub index: u32,
    /// Code of its kind.
    pub code: String,
    /// Static correction [ms].
    pub static_correction_ms: Option<f64>,
    /// Depth below the surface [m].
    pub depth: Option<f64>,
    /// Elevation of the seismic datum [m].
    pub datum: Option<f64>,
    /// Uphole time [ms].
    pub uphole_time_ms: Option<f64>,
    /// Depth of the water [m].
    pub water_depth: Option<f64>,
    /// Easting [m].
    pub easting: f64,
    /// Northing [m].
    pub northing: f64,
    /// Elevation of the surface [m].
    pub elevation: Option<f64>,
    /// Day of the year.
    pub day: Option<u32>,
    /// Time of the day, `hhmmss`.
    pub time: String,
}

impl Sps {
    /// Turns all lengths into metres, where they are in units of so many.
    pub fn scale(&mut self, metres: f64) {
        self.sources.iter_mut().chain(&mut self.receivers).for_each(|point| point.scale(metres));
    }
}

impl Point {
    /// Turns its lengths into metres.
    fn scale(&mut self, metres: f64) {
        let Self { depth, datum, water_depth, easting, northing, elevation, .. } = self;
        let written = [depth, datum, water_depth, elevation].into_iter().flatten();
        written.chain([easting, northing]).for_each(|length| *length *= metres);
    }
}

/// A run of receivers that recorded a source. Indices and increments that the file leaves blank are 1.
#[derive(Clone, Debug, PartialEq)]
pub struct Relation {
    /// Where it stands: the line of the file, from 1.
    pub row: usize,
    /// Number of the field tape.
    pub tape: String,
    /// Number of the field record.
    pub record: u32,
    /// By what the number of the record grows.
    pub record_increment: u32,
    /// Code of the instrument.
    pub instrument: String,
    /// Line of the source.
    pub source_line: f64,
    /// Point of the source.
    pub source_point: f64,
    /// Index of the source.
    pub source_index: u32,
    /// First channel.
    pub from_channel: u32,
    /// Last channel, not below the first.
    pub to_channel: u32,
    /// From one channel to the next, at least 1.
    pub channel_increment: u32,
    /// Line of the receivers.
    pub receiver_line: f64,
    /// Point of the receiver of the first channel.
    pub from_receiver: f64,
    /// Point of the receiver of the last channel.
    pub to_receiver: f64,
    /// Index of the receivers.
    pub receiver_index: u32,
}

/// Reads a file of points, relations or both, at least one.
///
/// # Errors
/// A file that cannot be read; a header `H00` of another version than 2.1; a unit that is not known; a line that is of no
/// kind; a value that is missing or malformed, by its columns.
pub fn read(path: &Path) -> Result<Sps> {
    parse(&read_text(path)?, path)
}

/// As [`read`], from the text of the file; `path` is for messages.
///
/// # Errors
/// As [`read`].
pub fn parse(text: &str, path: &Path) -> Result<Sps> {
    let mut sps = Sps { metres_per_unit: None, sources: Vec::new(), receivers: Vec::new(), relations: Vec::new() };
    let mut unit = Unit::default();
    for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let place = Place { path, line: index + 1 };
        if !line.starts_with('H') && !line.is_ascii() {
            // A letter of two bytes would move all columns behind it.
            return Err(place.bad_value("the line", line, "ASCII alone; write letters with accents without them"));
        }
        let columns = Columns { place, line };
        match line.as_bytes()[0] {
            b'S' => sps.sources.push(point(columns)?),
            b'R' => sps.receivers.push(point(columns)?),
            b'X' => sps.relations.push(relation(columns)?),
            b'H' => {
                check_version(place, line)?;
                unit.hear(place, line)?;
            }
            _ => return Err(place.bad_value("record", line, "a line that begins with H, S, R or X")),
        }
    }
    if sps.sources.is_empty() && sps.receivers.is_empty() && sps.relations.is_empty() {
        let hint = "sources begin with S, receivers with R, relations with X";
        return Err(end_of(path, text).layout("the file holds no record", hint));
    }
    sps.metres_per_unit = unit.metres()?;
    sps.scale(sps.metres_per_unit.unwrap_or(1.0));
    Ok(sps)
}

/// Other versions have other columns. A date may stand beside the version, and may hold these digits, too.
fn check_version(place: Place, line: &str) -> Result<()> {
    let is_version = |word: &str| word.trim_matches(|letter: char| !letter.is_ascii_digit()) == "2.1";
    if line.starts_with("H00") && !words(line).flat_map(|word| word.split(';')).any(is_version) {
        return Err(place.bad_value("version", line.trim_end(), "`SPS 2.1`; export the file in revision 2.1"));
    }
    Ok(())
}

fn point(columns: Columns) -> Result<Point> {
    Ok(Point {
        line: columns.required("line", [2, 11])?,
        point: columns.required("point", [12, 21])?,
        index: columns.count("point index", [24, 24])?.unwrap_or(1),
        code: columns.text([25, 26]).to_owned(),
        static_correction_ms: columns.number("static correction", [27, 30])?,
        depth: columns.number("point depth", [31, 34])?,
        datum: columns.number("seismic datum", [35, 38])?,
        uphole_time_ms: columns.number("uphole time", [39, 40])?,
        water_depth: columns.number("water depth", [41, 46])?,
        easting: columns.required("easting", [47, 55])?,
        northing: columns.required("northing", [56, 65])?,
        elevation: columns.number("elevation", [66, 71])?,
        day: columns.count("day of the year", [72, 74])?,
        time: columns.text([75, 80]).to_owned(),
    })
}

fn relation(columns: Columns) -> Result<Relation> {
    let relation = Relation {
        row: columns.place.line,
        tape: columns.text([2, 7]).to_owned(),
        record: columns.required_count("field record", [8, 15])?,
        record_increment: columns.count("field record increment", [16, 16])?.unwrap_or(1),
        instrument: columns.text([17, 17]).to_owned(),
        source_line: columns.required("line of the source", [18, 27])?,
        source_point: columns.required("point of the source", [28, 37])?,
        source_index: columns.count("index of the source", [38, 38])?.unwrap_or(1),
        from_channel: columns.required_count("from channel", [39, 43])?,
        to_channel: columns.required_count("to channel", [44, 48])?,
        channel_increment: columns.count("channel increment", [49, 49])?.unwrap_or(1),
        receiver_line: columns.required("line of the receivers", [50, 59])?,
        from_receiver: columns.required("from receiver", [60, 69])?,
        to_receiver: columns.required("to receiver", [70, 79])?,
        receiver_index: columns.count("index of the receivers", [80, 80])?.unwrap_or(1),
    };
    if relation.to_channel < relation.from_channel {
        let expected = format!("at least {}, the first channel", relation.from_channel);
        return Err(columns.refuse("to channel", [44, 48], &expected));
    }
    if relation.channel_increment == 0 {
        return Err(columns.refuse("channel increment", [49, 49], "1 to 9"));
    }
    Ok(relation)
}
