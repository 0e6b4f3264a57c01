//! NonLinLoc's hypocentre-phase files (`.hyp`): earthquake locations, one or several per file, as in summaries (`.sum.grid0.loc.hyp`).
//!
//! ```text
//! NLLOC "./loc/vanua.20080501.012216.grid0" "LOCATED" "Location completed."
//! PUBLIC_ID smi:local/event/1
//! GEOGRAPHIC  OT 2008 05 01  01 22   1.59327  Lat -14.4937 Long 167.049 Depth 34.2663
//! QUALITY  Pmax 1.0155e+29 MFmin 10.9922 ... Dist 79.6901 Mamp  4.1 5 Mdur  -9.9 0
//! FOCALMECH  Hyp  -14.4937 167.049 34.2663 Mech  120 35 90 mf  0.1 nObs 24
//! PHASE ...
//! END_PHASE
//! END_NLLOC
//! ```
//!
//! | line | content |
//! |---|---|
//! | `NLLOC` | name of the output files, status, message |
//! | `PUBLIC_ID` | identifier, or `None`; from version 7 |
//! | `GEOGRAPHIC` | origin time, latitude and longitude \[degrees\], depth \[km\] of the maximum-likelihood hypocentre |
//! | `QUALITY` | after `Mamp` and `Mdur`: magnitude of amplitudes and of durations, -9.9 if unknown, each with the number of readings |
//! | `FOCALMECH` | after `Mech`: dip direction, dip and rake \[degrees\]; after `nObs`: number of observations |
//! | `PHASE` to `END_PHASE` | arrivals (not read), absent from summaries |
//!
//! Other lines are not read.
//!
//! Source: NonLinLoc 6.00, File formats, and the line formats that NLLoc 7.00 writes.

use std::path::Path;

use crate::DateTime;
use crate::error::{FormatError, Result};
use crate::text::{Place, end_of, number, read_text};

const LATITUDES: [f64; 2] = [-90.0, 90.0];
const LONGITUDES: [f64; 2] = [-360.0, 360.0];
/// Depths [km]; a hypocentre may lie above sea level.
const DEPTHS: [f64; 2] = [-10.0, 1000.0];
/// Largest magnitude of the seconds of an origin time [s], which NonLinLoc does not carry over to minutes.
const LONGEST: f64 = 86_400.0;
/// Magnitudes at or below this value are unknown: NonLinLoc writes -9.9.
const UNKNOWN: f64 = -9.0;

/// Status of a location.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// `LOCATED`.
    Located,
    /// `REJECTED`: a criterion of the control file is not met, or the maximum is on the boundary of the grid.
    Rejected,
    /// `ABORTED`.
    Aborted,
    /// `IGNORED`.
    Ignored,
}

/// Focal mechanism: a double couple.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mechanism {
    /// Strike [degrees], 0 to 360: the dip direction of the file minus 90.
    pub strike: f64,
    /// Dip [degrees], 0 to 90.
    pub dip: f64,
    /// Rake [degrees], -360 to 360.
    pub rake: f64,
}

/// One location.
#[derive(Clone, Debug, PartialEq)]
pub struct NllEvent {
    /// Line of the file at which the event starts, from 1.
    pub line: usize,
    /// Identifier; empty if the file gives none.
    pub public_id: String,
    /// Name of the output files without folder and grid: `vanua.20080501.012216`.
    pub name: String,
    /// Status of the location.
    pub status: Status,
    /// Origin time in UTC.
    pub origin: DateTime,
    /// Latitude [degrees], -90 to 90.
    pub latitude: f64,
    /// Longitude [degrees], -360 to 360.
    pub longitude: f64,
    /// Depth [km], positive down.
    pub depth_km: f64,
    /// Magnitude from amplitudes (`Mamp`), local magnitude by default.
    pub amplitude_magnitude: Option<f64>,
    /// Magnitude from durations (`Mdur`).
    pub duration_magnitude: Option<f64>,
    /// Focal mechanism; `None` if NonLinLoc had none.
    pub mechanism: Option<Mechanism>,
}

impl NllEvent {
    /// Depth [m], positive down.
    pub fn depth(&self) -> f64 {
        self.depth_km * 1000.0
    }

    /// Magnitude from amplitudes, or else from durations.
    pub fn magnitude(&self) -> Option<f64> {
        self.amplitude_magnitude.or(self.duration_magnitude)
    }

    /// The error of an event that the caller refuses, with its line.
    ///
    /// # Arguments
    /// * `path` – the file it was read from
    /// * `problem` – what is wrong, for example `has no focal mechanism`
    /// * `hint` – what to do
    pub fn refuse(&self, path: &Path, problem: &str, hint: &str) -> FormatError {
        Place { path, line: self.line }.layout(format!("event `{}` {problem}", self.name), hint)
    }
}

/// Reads all locations of a file, at least one. Aborted and ignored ones are omitted if they have no valid hypocentre.
///
/// Verified by `nonlinloc::a_summary_has_the_origins_that_obspy_reads`.
///
/// # Errors
/// A file that cannot be read or has no locations; an event without its end or its `GEOGRAPHIC` line; a field that is malformed or outside
/// its range, with its line; coordinates that are not geographic (`TRANS NONE`).
pub fn read(path: &Path) -> Result<Vec<NllEvent>> {
    parse(&read_text(path)?, path)
}

/// As [`read`], from the text of the file; `path` is used in messages.
///
/// # Errors
/// As [`read`].
pub fn parse(text: &str, path: &Path) -> Result<Vec<NllEvent>> {
    let mut lines = text.lines().enumerate().map(|(index, line)| Line::new(Place { path, line: index + 1 }, line));
    let mut events = Vec::new();
    while let Some(start) = lines.find(|line| line.key == "NLLOC") {
        let mut block = vec![start];
        loop {
            match lines.next() {
                Some(line) if line.key == "END_NLLOC" => break,
                Some(line) if line.key != "NLLOC" => block.push(line),
                Some(line) => return Err(line.place.layout(NO_END, TRUNCATED)),
                None => return Err(end_of(path, text).layout(NO_END, TRUNCATED)),
            }
        }
        events.extend(of_block(&block)?);
    }
    if events.is_empty() {
        let hint = "it should have a line NLLOC, GEOGRAPHIC and END_NLLOC for each event";
        return Err(end_of(path, text).layout("the file has no locations", hint));
    }
    Ok(events)
}

const NO_END: &str = "the event before this line has no END_NLLOC";
const TRUNCATED: &str = "check whether the file was truncated";

/// A line, with its first word.
#[derive(Clone, Copy)]
struct Line<'a> {
    place: Place<'a>,
    key: &'a str,
    rest: &'a str,
}

impl<'a> Line<'a> {
    fn new(place: Place<'a>, line: &'a str) -> Self {
        let (key, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        Self { place, key, rest: rest.trim() }
    }

    /// The words after a name; none if it is missing.
    fn after(self, name: &str) -> impl Iterator<Item = &'a str> + use<'a> {
        let mut words = self.rest.split_whitespace();
        let _ = words.by_ref().find(|word| *word == name);
        words
    }

    /// The number after a name, within limits.
    fn within(self, name: &str, [least, most]: [f64; 2], unit: &str) -> Result<f64> {
        let key = format!("{name} of {}", self.key);
        let word = self.after(name).next().unwrap_or_default();
        let value = self.place.finite(&key, word)?;
        if !(least..=most).contains(&value) {
            let expected = format!("{least} to {most} {unit}; locate with a TRANS other than NONE");
            return Err(self.place.bad_value(key, word, expected));
        }
        Ok(value)
    }
}

/// The event of the lines before its `END_NLLOC`; `None` if it has no location because it was aborted or ignored.
fn of_block(block: &[Line]) -> Result<Option<NllEvent>> {
    let (name, status) = head(block[0])?;
    let phases = block.iter().position(|line| line.key == "PHASE").unwrap_or(block.len());
    match event(&block[..phases], name, status) {
        Err(_) if matches!(status, Status::Aborted | Status::Ignored) => Ok(None),
        event => event.map(Some),
    }
}

fn event(block: &[Line], name: String, status: Status) -> Result<NllEvent> {
    let find = |key: &str| block.iter().copied().find(|line| line.key == key);
    let missing = || block[0].place.layout("the event has no GEOGRAPHIC line", TRUNCATED);
    let geographic = find("GEOGRAPHIC").ok_or_else(missing)?;
    let [amplitude, duration] = match find("QUALITY") {
        Some(quality) => [magnitude(quality, "Mamp")?, magnitude(quality, "Mdur")?],
        None => [None; 2],
    };
    let public_id = find("PUBLIC_ID").map_or("", |line| line.rest);
    Ok(NllEvent {
        line: block[0].place.line,
        public_id: if public_id.eq_ignore_ascii_case("none") { String::new() } else { public_id.to_owned() },
        name,
        status,
        origin: origin(geographic)?,
        latitude: geographic.within("Lat", LATITUDES, "degrees")?,
        longitude: geographic.within("Long", LONGITUDES, "degrees")?,
        depth_km: geographic.within("Depth", DEPTHS, "km")?,
        amplitude_magnitude: amplitude,
        duration_magnitude: duration,
        mechanism: find("FOCALMECH").map(mechanism).transpose()?.flatten(),
    })
}

/// Name and status.
fn head(line: Line) -> Result<(String, Status)> {
    let mut quoted = line.rest.split('"').skip(1).step_by(2);
    let (file, word) = (quoted.next().unwrap_or_default(), quoted.next().unwrap_or_default());
    let status = match word {
        "LOCATED" => Status::Located,
        "REJECTED" => Status::Rejected,
        "ABORTED" => Status::Aborted,
        "IGNORED" => Status::Ignored,
        _ => {
            let expected = "LOCATED, REJECTED, ABORTED or IGNORED, in quotes after the name";
            return Err(line.place.bad_value("status", word, expected));
        }
    };
    let name = file.rsplit(['/', '\\']).next().unwrap_or_default();
    let is_grid = |end: &str| end.strip_prefix("grid").is_some_and(|digits| digits.bytes().all(|d| d.is_ascii_digit()));
    let name = name.rsplit_once('.').filter(|(_, end)| is_grid(end)).map_or(name, |(name, _)| name);
    Ok((name.trim_matches('.').to_owned(), status))
}

/// Origin time: `OT 2008 05 01  01 22   1.59327`. Seconds may be negative, or 60 and more.
fn origin(line: Line) -> Result<DateTime> {
    let mut words = line.after("OT");
    let words: [&str; 6] = std::array::from_fn(|_| words.next().unwrap_or_default());
    let [year, month, day, hour, minute, second] = words;
    let parsed = || {
        let start = DateTime {
            year: year.parse().ok()?,
            month: month.parse().ok()?,
            day: day.parse().ok()?,
            hour: hour.parse().ok()?,
            minute: minute.parse().ok()?,
            second: 0.0,
        };
        let second = number(second).filter(|second| second.abs() <= LONGEST)?;
        let is_of_minute = (0.0..60.0).contains(&second);
        let later = |start: DateTime| if is_of_minute { DateTime { second, ..start } } else { start.later_by(second) };
        start.is_valid().then(|| later(start))
    };
    let expected = "a valid date and time after OT, like 2008 05 01  01 22   1.59327";
    parsed().ok_or_else(|| line.place.bad_value("origin time", &words.join(" "), expected))
}

/// A magnitude; `None` if it is unknown or the line does not have it.
fn magnitude(line: Line, name: &'static str) -> Result<Option<f64>> {
    match line.after(name).next() {
        Some(word) => Ok(Some(line.place.finite(name, word)?).filter(|value| *value > UNKNOWN)),
        None => Ok(None),
    }
}

/// The mechanism; `None` if all its angles are zero and it has no observations.
fn mechanism(line: Line) -> Result<Option<Mechanism>> {
    let mut words = line.after("Mech");
    let [direction, dip, rake] = std::array::from_fn(|_| words.next().unwrap_or_default());
    let angle = |key: &str, word: &str, [least, most]: [f64; 2]| {
        let value = line.place.finite(key, word)?;
        match (least..=most).contains(&value) {
            true => Ok(value),
            false => Err(line.place.bad_value(key, word, format!("{least} to {most} degrees"))),
        }
    };
    let direction = angle("dip direction", direction, [-360.0, 360.0])?;
    let dip = angle("dip", dip, [0.0, 90.0])?;
    let rake = angle("rake", rake, [-360.0, 360.0])?;
    let observations = line.after("nObs").next().and_then(number).unwrap_or(0.0);
    if observations <= 0.0 && [direction, dip, rake] == [0.0; 3] {
        return Ok(None);
    }
    Ok(Some(Mechanism { strike: (direction - 90.0).rem_euclid(360.0), dip, rake }))
}
