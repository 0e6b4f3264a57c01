//! GCMT catalogues (`.ndk`): five lines of 80 characters for each moment-tensor source, any number of sources per file.
//!
//! ```text
//! PDEW 2006/04/09 20:50:46.0 -20.45  -70.24  34.6 5.5 5.8 NEAR COAST OF NORTHERN C
//! C200604092050A   B: 88  166  40 S: 96  189  50 M: 41   52 125 CMT: 1 TRIHD:  1.8
//! CENTROID:      5.3 0.1 -20.46 0.01  -70.73 0.01  39.0  0.4 FREE S-20060726112355
//! 24  4.180 0.069 -1.700 0.046 -2.480 0.060 -1.050 0.052 -2.410 0.075 -2.280 0.038
//! V10   4.975 73 100   0.120  8 216  -5.095 15 308   5.035  49 30  106 211 61   81
//! ```
//!
//! | line | columns | content |
//! |---|---|---|
//! | 1 | 1-4, 6-15, 17-26 | reference catalogue, date, time |
//! | 1 | 28-33, 34-41, 42-47 | latitude, longitude \[degrees\], depth \[km\] of the hypocentre |
//! | 1 | 48-55, 57-80 | mb and MS, region |
//! | 2 | 1-16, 18-61 | name of the event, data of the inversion (not read) |
//! | 2 | 63-68, 70-80 | constraint of the inversion; shape and half duration \[s\] of the moment rate |
//! | 3 | 10-58 | centroid: time after the reference time \[s\], latitude, longitude, depth \[km\], each with its standard error |
//! | 3 | 60-63, 65-80 | type of the depth, time stamp of the analysis |
//! | 4 | 1-2, 3-80 | exponent; Mrr, Mtt, Mpp, Mrt, Mrp, Mtp, each with its standard error |
//! | 5 | 1-3, 4-48 | version, principal axes (not read) |
//! | 5 | 49-56, 57-80 | scalar moment; strike, dip and rake of both nodal planes \[degrees\] |
//!
//! Moments are multiplied by ten to the power of the exponent and are in dyn cm. Files of "quick" solutions (`qcmt.ndk`) have the same layout;
//! mb, MS, the type of the depth, the time stamp, the region and the nodal planes may be missing, and lines may end after their last value.
//!
//! Source: Global CMT Project, `allorder.ndk_explained`.

use std::ops::Range;
use std::path::Path;

use crate::DateTime;
use crate::error::Result;
use crate::text::{Place, end_of, number, read_text};

/// Newton metres per dyne centimetre.
const NEWTON_METRE_PER_DYN_CM: f64 = 1e-7;
/// Lines of an event.
const LINES: usize = 5;
/// Columns of the centroid, from 0: four values, each followed by its standard error.
const CENTROID: [Range<usize>; 8] = [9..18, 18..22, 22..29, 29..34, 34..42, 42..47, 47..53, 53..58];
/// Columns of the moment tensor, from 0: six components, each followed by its standard error.
const MOMENTS: [Range<usize>; 12] =
    [2..9, 9..15, 15..22, 22..28, 28..35, 35..41, 41..48, 48..54, 54..61, 61..67, 67..74, 74..80];

/// Shape of the moment rate that the inversion assumed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MomentRate {
    /// `TRIHD`: an isosceles triangle, twice the half duration long.
    Triangle,
    /// `BOXHD`: a constant over twice the half duration.
    Boxcar,
}

/// Constraint of the inversion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Constraint {
    /// `CMT: 0`: a general moment tensor.
    General,
    /// `CMT: 1`: zero trace.
    ZeroTrace,
    /// `CMT: 2`: a double couple.
    DoubleCouple,
}

/// One event of a GCMT catalogue.
#[derive(Clone, Debug, PartialEq)]
pub struct NdkEvent {
    /// Catalogue of the hypocentre, like `PDEW`.
    pub catalogue: String,
    /// Reference time, usually the origin time of the catalogue.
    pub origin: DateTime,
    /// Latitude of the hypocentre [degrees].
    pub hypocentre_latitude: f64,
    /// Longitude of the hypocentre [degrees].
    pub hypocentre_longitude: f64,
    /// Depth of the hypocentre [km].
    pub hypocentre_depth_km: f64,
    /// Body-wave magnitude; 0 if it was not reported.
    pub mb: f64,
    /// Surface-wave magnitude; 0 if it was not reported.
    pub ms: f64,
    /// Name of the region.
    pub region: String,
    /// Name of the event, unique within the catalogue: `C200604092050A`.
    pub name: String,
    /// Constraint of the inversion.
    pub constraint: Constraint,
    /// Shape of the moment rate.
    pub moment_rate: MomentRate,
    /// Half duration of the moment rate [s], at least 0.
    pub half_duration: f64,
    /// Centroid time after the reference time [s].
    pub time_shift: f64,
    /// Latitude of the centroid [degrees].
    pub latitude: f64,
    /// Longitude of the centroid [degrees].
    pub longitude: f64,
    /// Depth of the centroid [km].
    pub depth_km: f64,
    /// Type of the depth: `FREE` (inverted), `FIX` or `BDY` (from body waves).
    pub depth_type: String,
    /// Time stamp of the analysis; `Q-` starts that of a quick CMT, `S-` that of a standard one.
    pub time_stamp: String,
    /// Moment tensor [dyn cm]: rr, tt, pp, rt, rp, tp (r up, t south, p east).
    pub moment_dyn_cm: [f64; 6],
    /// Scalar moment [dyn cm].
    pub scalar_moment_dyn_cm: f64,
    /// Strike, dip and rake of both nodal planes of the best double couple [degrees]; `None` if the line does not have six numbers.
    pub nodal_planes: Option<[[f64; 3]; 2]>,
}

impl NdkEvent {
    /// Moment tensor [N m] in x east, y north, z up, Voigt order xx, yy, zz, yz, xz, xy.
    ///
    /// East is p, north is -t and up is r; 1 dyn cm = 1e-7 N m.
    pub fn moment_newton_metre(&self) -> [f64; 6] {
        let [rr, tt, pp, rt, rp, tp] = self.moment_dyn_cm;
        [pp, tt, rr, -rt, rp, -tp].map(|component| component * NEWTON_METRE_PER_DYN_CM)
    }

    /// Scalar moment [N m].
    pub fn scalar_moment(&self) -> f64 {
        self.scalar_moment_dyn_cm * NEWTON_METRE_PER_DYN_CM
    }

    /// Depth of the centroid [m].
    pub fn depth(&self) -> f64 {
        self.depth_km * 1000.0
    }

    /// Whether this is a quick solution, which is preliminary: its time stamp starts with `Q-`.
    pub fn is_quick(&self) -> bool {
        self.time_stamp.starts_with("Q-")
    }

    /// Centroid time in UTC.
    pub fn centroid_time(&self) -> DateTime {
        self.origin.later_by(self.time_shift)
    }
}

/// Reads all events of a catalogue, at least one.
///
/// # Errors
/// A file that cannot be read or has no event; an event with fewer than five lines; a field that is malformed or outside its range, with its
/// line.
pub fn read(path: &Path) -> Result<Vec<NdkEvent>> {
    parse(&read_text(path)?, path)
}

/// As [`read`], from the text of the file; `path` is used in messages. Blank lines and blanks at the end of a line are ignored.
///
/// # Errors
/// As [`read`].
pub fn parse(text: &str, path: &Path) -> Result<Vec<NdkEvent>> {
    let numbered = text.lines().enumerate().map(|(index, line)| (Place { path, line: index + 1 }, line.trim_end()));
    let mut lines = numbered.filter(|(_, line)| !line.is_empty()).map(|(place, line)| Line { place, line });
    let mut events = Vec::new();
    while let Some(first) = lines.next() {
        let mut all = [first; LINES];
        for (read, place) in all[1..].iter_mut().enumerate() {
            let hint = "an event has five lines; the file was truncated";
            let short = || end_of(path, text).layout(format!("the last event has {} lines", read + 1), hint);
            *place = lines.next().ok_or_else(short)?;
        }
        events.push(event(all)?);
    }
    if events.is_empty() {
        return Err(end_of(path, text).layout("the file has no events", "a catalogue has five lines for each event"));
    }
    Ok(events)
}

/// A line that is not blank.
#[derive(Clone, Copy)]
struct Line<'a> {
    place: Place<'a>,
    line: &'a str,
}

impl<'a> Line<'a> {
    /// Text between two columns, from 0, trimmed; empty beyond the end of the line.
    fn text(self, columns: Range<usize>) -> &'a str {
        let end = columns.end.min(self.line.len());
        self.line.get(columns.start.min(end)..end).unwrap_or_default().trim()
    }

    /// Magnitude between two columns; 0 if they are blank.
    fn magnitude(self, key: &str, columns: Range<usize>) -> Result<f64> {
        match self.text(columns) {
            "" => Ok(0.0),
            word => self.place.finite(key, word),
        }
    }

    /// Number between two columns, from `range`.
    fn within(self, key: &str, columns: Range<usize>, range: [f64; 2]) -> Result<f64> {
        let word = self.text(columns);
        self.check(key, word, range)
    }

    fn check(self, key: &str, word: &str, [least, most]: [f64; 2]) -> Result<f64> {
        let number = self.place.finite(key, word)?;
        if !(least..=most).contains(&number) {
            return Err(self.place.bad_value(key, word, format!("a number from {least} to {most}")));
        }
        Ok(number)
    }

    /// Words from column `start`: separated by blanks if that gives one for each of the `columns`, or else cut at the columns, where
    /// numbers may touch.
    fn words<const N: usize>(self, start: usize, columns: &[Range<usize>; N]) -> [&'a str; N] {
        let end = columns[N - 1].end;
        let mut words = self.text(start..end).split_whitespace();
        let separated = [(); N].map(|()| words.next().unwrap_or_default());
        if separated[N - 1].is_empty() || words.next().is_some() {
            return columns.clone().map(|columns| self.text(columns));
        }
        separated
    }
}

const LATITUDES: [f64; 2] = [-90.0, 90.0];
const LONGITUDES: [f64; 2] = [-180.0, 360.0];
/// Depths [km]; a hypocentre may lie above sea level.
const DEPTHS: [f64; 2] = [-10.0, 1000.0];

fn event([hypocentre, name, centroid, moment, axes]: [Line; LINES]) -> Result<NdkEvent> {
    let (moment_rate, half_duration) = half_duration(name)?;
    if centroid.text(0..9) != "CENTROID:" {
        let hint = "the third line of each event starts with CENTROID:; lines are missing before it";
        return Err(centroid.place.layout("this is not the line of a centroid", hint));
    }
    let [time_shift, _, latitude, _, longitude, _, depth, _] = centroid.words(9, &CENTROID);
    let exponent = exponent(moment)?;
    let [rr, _, tt, _, pp, _, rt, _, rp, _, tp, _] = moment.words(2, &MOMENTS);
    let component = |key, word| scaled(moment.place, key, word, exponent);
    Ok(NdkEvent {
        catalogue: hypocentre.text(0..4).to_owned(),
        origin: origin(hypocentre)?,
        hypocentre_latitude: hypocentre.within("latitude of the hypocentre", 26..33, LATITUDES)?,
        hypocentre_longitude: hypocentre.within("longitude of the hypocentre", 33..41, LONGITUDES)?,
        hypocentre_depth_km: hypocentre.within("depth of the hypocentre", 41..47, DEPTHS)?,
        mb: hypocentre.magnitude("mb", 47..51)?,
        ms: hypocentre.magnitude("MS", 51..55)?,
        region: hypocentre.text(55..usize::MAX).to_owned(),
        name: event_name(name)?,
        constraint: constraint(name)?,
        moment_rate,
        half_duration,
        time_shift: centroid.place.finite("time of the centroid", time_shift)?,
        latitude: centroid.check("latitude of the centroid", latitude, LATITUDES)?,
        longitude: centroid.check("longitude of the centroid", longitude, LONGITUDES)?,
        depth_km: centroid.check("depth of the centroid", depth, DEPTHS)?,
        depth_type: centroid.text(58..63).to_owned(),
        time_stamp: centroid.text(63..usize::MAX).to_owned(),
        moment_dyn_cm: [
            component("Mrr", rr)?,
            component("Mtt", tt)?,
            component("Mpp", pp)?,
            component("Mrt", rt)?,
            component("Mrp", rp)?,
            component("Mtp", tp)?,
        ],
        scalar_moment_dyn_cm: scaled(axes.place, "scalar moment", axes.text(48..56), exponent)?,
        nodal_planes: nodal_planes(axes),
    })
}

/// Date and time of the reference event. Catalogues write second 60.0, which is the first of the next minute.
fn origin(line: Line) -> Result<DateTime> {
    let (date, time) = (line.text(4..15), line.text(15..26));
    let parsed = || {
        let mut date = date.split('/').map(|word| word.trim().parse::<u16>().ok());
        let mut time = time.split(':').map(str::trim);
        let origin = DateTime {
            year: i32::from(date.next()??),
            month: u8::try_from(date.next()??).ok()?,
            day: u8::try_from(date.next()??).ok()?,
            hour: time.next()?.parse().ok()?,
            minute: time.next()?.parse().ok()?,
            second: time.next()?.parse().ok()?,
        };
        (origin.is_valid() && date.next().is_none() && time.next().is_none()).then_some(origin)
    };
    let expected = "a valid date and time, like 2006/04/09 20:50:46.0 in columns 6 to 26";
    parsed().ok_or_else(|| line.place.bad_value("reference time", &format!("{date} {time}"), expected))
}

fn event_name(line: Line) -> Result<String> {
    match line.text(0..16) {
        "" => Err(line.place.bad_value("event name", "", "a name in columns 1 to 16, like C200604092050A")),
        name => Ok(name.to_owned()),
    }
}

fn constraint(line: Line) -> Result<Constraint> {
    let word = line.text(61..68);
    match word.strip_prefix("CMT:").map(str::trim) {
        Some("0") => Ok(Constraint::General),
        Some("1") => Ok(Constraint::ZeroTrace),
        Some("2") => Ok(Constraint::DoubleCouple),
        _ => Err(line.place.bad_value("type of the source", word, "CMT: 0, CMT: 1 or CMT: 2 in columns 63 to 68")),
    }
}

fn half_duration(line: Line) -> Result<(MomentRate, f64)> {
    let written = line.text(68..usize::MAX);
    let (kind, word) = written.split_once(':').unwrap_or((written, ""));
    let moment_rate = match kind.trim() {
        "TRIHD" => MomentRate::Triangle,
        "BOXHD" => MomentRate::Boxcar,
        _ => {
            let expected = "TRIHD: or BOXHD: and the half duration [s], from column 70";
            return Err(line.place.bad_value("moment rate", written, expected));
        }
    };
    let word = word.trim();
    let half_duration = line.place.finite("half duration", word)?;
    if half_duration < 0.0 {
        return Err(line.place.bad_value("half duration", word, "seconds, at least 0"));
    }
    Ok((moment_rate, half_duration))
}

fn exponent(line: Line) -> Result<u8> {
    let word = line.text(0..2);
    word.parse().map_err(|_| line.place.bad_value("exponent", word, "an integer from 0 to 99 in columns 1 and 2"))
}

/// Ten to the power of `exponent`, times a number, rounded once.
fn scaled(place: Place, key: &str, word: &str, exponent: u8) -> Result<f64> {
    let is_plain = word.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'.' | b'+' | b'-'));
    let value = is_plain.then(|| format!("{word}e{exponent}").parse().ok()).flatten();
    value.ok_or_else(|| place.bad_value(key, word, "a number without an exponent, like -1.700"))
}

fn nodal_planes(line: Line) -> Option<[[f64; 3]; 2]> {
    let mut words = line.text(56..usize::MAX).split_whitespace();
    let mut angle = || number(words.next()?).filter(|angle| angle.is_finite());
    let planes = [[angle()?, angle()?, angle()?], [angle()?, angle()?, angle()?]];
    words.next().is_none().then_some(planes)
}
