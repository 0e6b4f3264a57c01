//! SPS 2.1: source points, receiver points, and relations between them, in fixed columns.
//!
//! Lines that start with `S`, `R` and `X` are sources, receivers and relations; those with `H` are headers. The three kinds are usually in
//! separate files, but may be in one. Headers give the version (`H00`) and the unit of all lengths, by name (`H20`) or in metres (`H201`);
//! if they do, lengths are converted to metres.
//!
//! Source: Shell Processing Support format for land 3D surveys, SEG Technical Standards Committee, revision 2.1, January
//! 2006.

use std::collections::HashMap;
use std::path::Path;

use crate::error::Result;
use crate::text::{Place, end_of, read_text, words};

mod columns;
mod unit;

use columns::Columns;
use unit::Unit;

/// Content of a file.
#[derive(Clone, Debug, PartialEq)]
pub struct Sps {
    /// Metres per unit of length; `None` if no header gives it, and lengths are then unconverted.
    pub metres_per_unit: Option<f64>,
    /// Sources.
    pub sources: Vec<Point>,
    /// Receivers.
    pub receivers: Vec<Point>,
    /// Relations between sources and receivers.
    pub relations: Vec<Relation>,
}

/// A source or a receiver. Fields that are blank in the file are `None` or empty; a blank index is 1.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// Line number.
    pub line: f64,
    /// Point number on the line.
    pub point: f64,
    /// Point index, 1 to 9, incremented each time the point is reoccupied.
    pub index: u32,
    /// Point code.
    pub code: String,
    /// Static correction [ms].
    pub static_correction_ms: Option<f64>,
    /// Depth below the surface [m].
    pub depth: Option<f64>,
    /// Elevation of the seismic datum [m].
    pub datum: Option<f64>,
    /// Uphole time [ms].
    pub uphole_time_ms: Option<f64>,
    /// Water depth [m].
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
    /// Scales all lengths to metres; `metres` is the length of one unit.
    pub fn scale(&mut self, metres: f64) {
        self.sources.iter_mut().chain(&mut self.receivers).for_each(|point| point.scale(metres));
    }
}

impl Point {
    /// Scales the lengths to metres.
    fn scale(&mut self, metres: f64) {
        let Self { depth, datum, water_depth, easting, northing, elevation, .. } = self;
        let written = [depth, datum, water_depth, elevation].into_iter().flatten();
        written.chain([easting, northing]).for_each(|length| *length *= metres);
    }
}

/// A range of receivers that recorded a source. Blank indices and increments are 1.
#[derive(Clone, Debug, PartialEq)]
pub struct Relation {
    /// Line of the file, from 1.
    pub row: usize,
    /// Field tape number.
    pub tape: String,
    /// Field record number.
    pub record: u32,
    /// Field record increment.
    pub record_increment: u32,
    /// Instrument code.
    pub instrument: String,
    /// Line of the source.
    pub source_line: f64,
    /// Point of the source.
    pub source_point: f64,
    /// Index of the source.
    pub source_index: u32,
    /// First channel.
    pub from_channel: u32,
    /// Last channel, at least the first one.
    pub to_channel: u32,
    /// Channel increment, at least 1.
    pub channel_increment: u32,
    /// Receiver line.
    pub receiver_line: f64,
    /// Receiver point of the first channel.
    pub from_receiver: f64,
    /// Receiver point of the last channel.
    pub to_receiver: f64,
    /// Receiver index.
    pub receiver_index: u32,
}

/// Reads a file of points, relations or both, with at least one record.
///
/// # Errors
/// A file that cannot be read; a header `H00` with a version other than 2.1; an unknown unit; a line of unknown kind; a value that is
/// missing or malformed, with its columns; two sources, or two receivers, of the same line, point and index at different positions.
pub fn read(path: &Path) -> Result<Sps> {
    parse(&read_text(path)?, path)
}

/// As [`read`], from the text of the file; `path` is used in messages.
///
/// # Errors
/// As [`read`].
pub fn parse(text: &str, path: &Path) -> Result<Sps> {
    let mut sps = Sps { metres_per_unit: None, sources: Vec::new(), receivers: Vec::new(), relations: Vec::new() };
    let mut unit = Unit::default();
    let mut known = [Known::new(), Known::new()];
    for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let place = Place { path, line: index + 1 };
        if !line.starts_with('H') && !line.is_ascii() {
            // A multi-byte character would shift all columns after it.
            return Err(place.bad_value("the line", line, "ASCII characters only; replace accented letters"));
        }
        let columns = Columns { place, line };
        match line.as_bytes()[0] {
            b'S' => sps.sources.push(once(point(columns)?, place, &mut known[0])?),
            b'R' => sps.receivers.push(once(point(columns)?, place, &mut known[1])?),
            b'X' => sps.relations.push(relation(columns)?),
            b'H' => {
                check_version(place, line)?;
                unit.read_header(place, line)?;
            }
            _ => return Err(place.bad_value("record", line, "a line that starts with H, S, R or X")),
        }
    }
    if sps.sources.is_empty() && sps.receivers.is_empty() && sps.relations.is_empty() {
        let hint = "sources start with S, receivers with R, relations with X";
        return Err(end_of(path, text).layout("the file has no records", hint));
    }
    sps.metres_per_unit = unit.metres()?;
    sps.scale(sps.metres_per_unit.unwrap_or(1.0));
    Ok(sps)
}

/// Refuses other versions, which have other columns. A date next to the version may contain the same digits.
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

/// The lines of the points by line, point and index, and their positions.
type Known = HashMap<(u64, u64, u32), (usize, [f64; 4])>;

/// Refuses a point that is also at another position.
fn once(point: Point, place: Place, known: &mut Known) -> Result<Point> {
    let position = [point.easting, point.northing, point.elevation.unwrap_or(0.0), point.depth.unwrap_or(0.0)];
    let key = (point.line.to_bits(), point.point.to_bits(), point.index);
    let (first, other) = *known.entry(key).or_insert((place.line, position));
    if other == position {
        return Ok(point);
    }
    let Point { line, point, index, .. } = point;
    let problem =
        format!("line {line}, point {point}, index {index} is on line {first} of the file at another position");
    Err(place.layout(problem, "give each position its own index, or remove one record"))
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
