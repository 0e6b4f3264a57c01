//! CMTSOLUTION: moment-tensor sources of 13 lines each, any number per file.
//!
//! ```text
//! PDE  1994  6  9  0 33 16.40 -13.8300  -67.5600 637.0 6.9 6.8 NORTHERN BOLIVIA
//! event name:     060994A
//! time shift:     0.0000
//! half duration: 20.0000
//! latorUTM:     -13.8200
//! longorUTM:    -67.2500
//! depth:        647.1000
//! Mrr:      -7.590000e+27
//! Mtt:       7.750000e+27
//! Mpp:      -1.600000e+26
//! Mrt:      -2.503000e+28
//! Mrp:       4.200000e+26
//! Mtp:      -2.480000e+27
//! ```
//!
//! A line with the name of a file may follow: SPECFEM3D reads the source time function from it if `USE_EXTERNAL_SOURCE_FILE` is set.

use std::io::Write;
use std::path::Path;

use crate::DateTime;
use crate::atomic;
use crate::error::Result;
use crate::text::{KeyLines, Place, read_text};

/// Newton metres per dyne centimetre.
const NEWTON_METRE_PER_DYN_CM: f64 = 1e-7;

const HEADER: &str = "a header `AGENCY year month day hour minute second ...`";

/// One source of a CMTSOLUTION file.
#[derive(Clone, Debug, PartialEq)]
pub struct CmtSource {
    /// Agency at the start of the header, like `PDE`.
    pub agency: String,
    /// Origin time of the header.
    pub origin: DateTime,
    /// The rest of the header: hypocentre, magnitudes, name of the region.
    pub catalogue: String,
    /// Name of the event.
    pub event_name: String,
    /// Centroid time after the origin time [s].
    pub time_shift: f64,
    /// Half duration of the moment rate [s], at least 0.
    pub half_duration: f64,
    /// Latitude of the centroid [degrees], or y [m] without a projection.
    pub latitude_or_y: f64,
    /// Longitude of the centroid [degrees], or x [m] without a projection.
    pub longitude_or_x: f64,
    /// Depth below the local surface [km].
    pub depth_km: f64,
    /// Moment tensor [dyn cm]: rr, tt, pp, rt, rp, tp (r up, t south, p east).
    pub moment_dyn_cm: [f64; 6],
    /// File of the source time function, as written after the last component; it replaces the half duration.
    pub time_file: Option<String>,
}

impl CmtSource {
    /// Moment tensor [N m] in x east, y north, z up, Voigt order xx, yy, zz, yz, xz, xy.
    ///
    /// East is p, north is -t and up is r; 1 dyn cm = 1e-7 N m.
    pub fn moment_newton_metre(&self) -> [f64; 6] {
        let [rr, tt, pp, rt, rp, tp] = self.moment_dyn_cm;
        [pp, tt, rr, -rt, rp, -tp].map(|component| component * NEWTON_METRE_PER_DYN_CM)
    }

    /// Depth below the local surface [m].
    pub fn depth(&self) -> f64 {
        self.depth_km * 1000.0
    }
}

/// Reads the sources of a CMTSOLUTION file, at least one.
///
/// # Errors
/// A file that cannot be read; a missing line; a value that is not a finite number; a negative half duration; an invalid date.
pub fn read(path: &Path) -> Result<Vec<CmtSource>> {
    parse(&read_text(path)?, path)
}

/// As [`read`], from the text of the file; `path` is used in messages.
///
/// # Errors
/// As [`read`].
pub fn parse(text: &str, path: &Path) -> Result<Vec<CmtSource>> {
    KeyLines::all(path, text, source)
}

fn source(lines: &mut KeyLines) -> Result<CmtSource> {
    let (place, header_line) = lines.line("header", HEADER)?;
    let (agency, origin, catalogue) = header(place, header_line)?;
    let component = |lines: &mut KeyLines, name| lines.number(&[name], "moment [dyn cm]");
    Ok(CmtSource {
        agency,
        origin,
        catalogue,
        event_name: lines.value(&["event name"], "text")?.word.to_owned(),
        time_shift: lines.number(&["time shift"], "seconds")?,
        half_duration: lines.non_negative(&["half duration"], "seconds")?,
        latitude_or_y: lines.number(&["latorUTM", "latitude", "y"], "degrees, or y in metres")?,
        longitude_or_x: lines.number(&["longorUTM", "longitude", "x"], "degrees, or x in metres")?,
        depth_km: lines.number(&["depth"], "kilometres")?,
        moment_dyn_cm: [
            component(lines, "Mrr")?,
            component(lines, "Mtt")?,
            component(lines, "Mpp")?,
            component(lines, "Mrt")?,
            component(lines, "Mrp")?,
            component(lines, "Mtp")?,
        ],
        time_file: lines.file_name(|_| false),
    })
}

/// Splits a header into agency, origin time and the rest. Some catalogues have no blank between a long agency and the year: `PDEW2013 11 2
/// ...`.
fn header(place: Place, line: &str) -> Result<(String, DateTime, String)> {
    let bad = || place.bad_value("header", line, HEADER);
    let first_digit = line.find(|c: char| c.is_ascii_digit()).ok_or_else(bad)?;
    let (agency, rest) = line.split_at(first_digit);
    let mut words = rest.split_whitespace();
    let mut next = || words.next().ok_or_else(bad);
    let origin = DateTime {
        year: next()?.parse().map_err(|_| bad())?,
        month: next()?.parse().map_err(|_| bad())?,
        day: next()?.parse().map_err(|_| bad())?,
        hour: next()?.parse().map_err(|_| bad())?,
        minute: next()?.parse().map_err(|_| bad())?,
        second: next()?.parse().map_err(|_| bad())?,
    };
    if !origin.is_valid() {
        return Err(place.bad_value("origin time in the header", line, "a valid date and time"));
    }
    let catalogue = words.collect::<Vec<_>>().join(" ");
    Ok((agency.trim().to_owned(), origin, catalogue))
}

/// Writes sources as a CMTSOLUTION file, atomically.
///
/// # Errors
/// [`crate::FormatError::Io`] if the file cannot be written.
pub fn write(path: &Path, sources: &[CmtSource]) -> Result<()> {
    atomic::write_with(path, |out| {
        for source in sources {
            write_source(out, source)?;
        }
        Ok(())
    })
}

fn write_source(out: &mut impl Write, source: &CmtSource) -> std::io::Result<()> {
    let DateTime { year, month, day, hour, minute, second } = source.origin;
    let (agency, catalogue) = (&source.agency, &source.catalogue);
    writeln!(out, "{agency} {year} {month} {day} {hour} {minute} {second:.2} {catalogue}")?;
    writeln!(out, "event name: {}", source.event_name)?;
    writeln!(out, "time shift: {}", source.time_shift)?;
    writeln!(out, "half duration: {}", source.half_duration)?;
    writeln!(out, "latorUTM: {}", source.latitude_or_y)?;
    writeln!(out, "longorUTM: {}", source.longitude_or_x)?;
    writeln!(out, "depth: {}", source.depth_km)?;
    let names = ["Mrr", "Mtt", "Mpp", "Mrt", "Mrp", "Mtp"];
    for (name, value) in names.iter().zip(source.moment_dyn_cm) {
        writeln!(out, "{name}: {value:e}")?;
    }
    source.time_file.as_ref().map_or(Ok(()), |file| writeln!(out, "{file}"))
}
