//! FORCESOLUTION: force sources of 11 lines each, any number per file; older files have no line for the time function.
//!
//! ```text
//! FORCE  001
//! time shift:     0.0
//! hdurorf0:       10.0
//! latorUTM:       67000.0
//! longorUTM:      67000.0
//! depth:          0.5
//! source time function:            1
//! factor force source:             1.d15
//! component dir vect source E:     0.d0
//! component dir vect source N:     0.d0
//! component dir vect source Z_UP:  -1.d0
//! ```
//!
//! A line with the name of a file may follow: SPECFEM3D reads the source time function from it if `USE_EXTERNAL_SOURCE_FILE` is set.

use std::io::Write;
use std::path::Path;

use crate::atomic;
use crate::error::Result;
use crate::text::{KeyLines, read_text, without_comment};

/// Numbers of the time functions, for messages.
pub const TIME_FUNCTIONS: &str =
    "0 Gaussian, 1 Ricker, 2 step, 3 monochromatic, 4 Meschede's Gaussian, 5 Brune or 6 smoothed Brune";

/// Time function of a force, identified by its number in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ForceTimeFunction {
    /// 0: a Gaussian of unit area, with a half duration.
    Gaussian,
    /// 1: a Ricker wavelet, with a dominant frequency.
    Ricker,
    /// 2: a smooth step, with a half duration.
    Step,
    /// 3: a cosine, with a period.
    Monochromatic,
    /// 4: a Gaussian after Meschede et al. (2011), with a half duration.
    MeschedeGaussian,
    /// 5: Brune's function, with a rise time.
    Brune,
    /// 6: Brune's function, smoothed, with a rise time.
    SmoothedBrune,
}

/// Key of the line after the time function.
const FACTOR: &str = "factor force source";

use ForceTimeFunction as F;

const NUMBERED: [F; 7] =
    [F::Gaussian, F::Ricker, F::Step, F::Monochromatic, F::MeschedeGaussian, F::Brune, F::SmoothedBrune];

/// One source of a FORCESOLUTION file.
#[derive(Clone, Debug, PartialEq)]
pub struct ForceSource {
    /// The text after `FORCE`.
    pub id: String,
    /// Time shift [s].
    pub time_shift: f64,
    /// Half duration or duration [s], or the dominant frequency [Hz] of a Ricker wavelet; at least 0.
    pub half_duration_or_frequency: f64,
    /// Latitude [degrees], or y [m] without a projection.
    pub latitude_or_y: f64,
    /// Longitude [degrees], or x [m] without a projection.
    pub longitude_or_x: f64,
    /// Depth below the local surface [km].
    pub depth_km: f64,
    /// Time function; `None` in files of older versions of SPECFEM3D.
    pub time_function: Option<ForceTimeFunction>,
    /// Magnitude of the force [N].
    pub factor: f64,
    /// Direction along east, north, up, of any nonzero length.
    pub direction: [f64; 3],
    /// File of the source time function, as written after the direction; it replaces the time function.
    pub time_file: Option<String>,
}

impl ForceSource {
    /// Force along x east, y north, z up [N]: the factor times the unit vector of the direction.
    pub fn force(&self) -> [f64; 3] {
        let along = |direction: [f64; 3]| {
            let length = norm(direction);
            direction.map(|component| self.factor * component / length)
        };
        let force = along(self.direction);
        if norm(self.direction).is_finite() && force.iter().all(|component| component.is_finite()) {
            return force;
        }
        // The squares of extreme components overflow.
        let largest = self.direction.iter().fold(0.0_f64, |most, component| most.max(component.abs()));
        along(self.direction.map(|component| component / largest))
    }

    /// Depth below the local surface [m].
    pub fn depth(&self) -> f64 {
        self.depth_km * 1000.0
    }
}

/// Reads the forces of a FORCESOLUTION file, at least one.
///
/// # Errors
/// A file that cannot be read; a missing line; a value that is not a finite number; an unknown time function; a direction of length zero.
pub fn read(path: &Path) -> Result<Vec<ForceSource>> {
    parse(&read_text(path)?, path)
}

/// As [`read`], from the text of the file; `path` is used in messages.
///
/// # Errors
/// As [`read`].
pub fn parse(text: &str, path: &Path) -> Result<Vec<ForceSource>> {
    KeyLines::all(path, text, source)
}

fn source(lines: &mut KeyLines) -> Result<ForceSource> {
    let (place, header) = lines.line("FORCE", "a header `FORCE id`")?;
    let id = header
        .strip_prefix("FORCE")
        .ok_or_else(|| place.bad_value("header", header, "`FORCE id`, the first of its lines"))?;
    Ok(ForceSource {
        id: id.trim().to_owned(),
        time_shift: lines.number(&["time shift"], "seconds")?,
        half_duration_or_frequency: lines
            .non_negative(&["hdurorf0", "f0", "hdur", "half duration"], "seconds or hertz")?,
        latitude_or_y: lines.number(&["latorUTM", "latitude", "y"], "degrees, or y in metres")?,
        longitude_or_x: lines.number(&["longorUTM", "longitude", "x"], "degrees, or x in metres")?,
        depth_km: lines.number(&["depth"], "kilometres")?,
        time_function: time_function(lines)?,
        factor: lines.number(&[FACTOR], "newtons")?,
        direction: direction(lines)?,
        time_file: lines.file_name(|line| line.starts_with("FORCE")),
    })
}

fn time_function(lines: &mut KeyLines) -> Result<Option<ForceTimeFunction>> {
    if lines.is_next(FACTOR) {
        return Ok(None);
    }
    let value = lines.value(&["source time function"], "0 to 6")?;
    let number = without_comment(value.word).parse::<usize>().ok();
    let known = number.and_then(|number| NUMBERED.get(number).copied());
    known.map(Some).ok_or_else(|| value.refuse(TIME_FUNCTIONS))
}

fn direction(lines: &mut KeyLines) -> Result<[f64; 3]> {
    let east = lines.number(&["component dir vect source E"], "east component")?;
    let north = lines.number(&["component dir vect source N"], "north component")?;
    let up = lines.value(&["component dir vect source Z_UP"], "upward component")?;
    let direction = [east, north, up.number()?];
    if norm(direction) == 0.0 {
        return Err(up.layout(
            "the three components of the direction are all 0",
            "give the force a direction, like 0, 0, -1 for down",
        ));
    }
    Ok(direction)
}

fn norm([x, y, z]: [f64; 3]) -> f64 {
    x.hypot(y).hypot(z)
}

/// Writes forces as a FORCESOLUTION file, atomically.
///
/// # Errors
/// [`crate::FormatError::Io`] if the file cannot be written.
pub fn write(path: &Path, sources: &[ForceSource]) -> Result<()> {
    atomic::write_with(path, |out| {
        for source in sources {
            write_source(out, source)?;
        }
        Ok(())
    })
}

fn write_source(out: &mut impl Write, source: &ForceSource) -> std::io::Result<()> {
    let [east, north, up] = source.direction;
    writeln!(out, "FORCE {}", source.id)?;
    writeln!(out, "time shift: {}", source.time_shift)?;
    writeln!(out, "hdurorf0: {}", source.half_duration_or_frequency)?;
    writeln!(out, "latorUTM: {}", source.latitude_or_y)?;
    writeln!(out, "longorUTM: {}", source.longitude_or_x)?;
    writeln!(out, "depth: {}", source.depth_km)?;
    if let Some(time_function) = source.time_function {
        writeln!(out, "source time function: {}", time_function as usize)?;
    }
    writeln!(out, "factor force source: {:e}", source.factor)?;
    writeln!(out, "component dir vect source E: {east}")?;
    writeln!(out, "component dir vect source N: {north}")?;
    writeln!(out, "component dir vect source Z_UP: {up}")?;
    source.time_file.as_ref().map_or(Ok(()), |file| writeln!(out, "{file}"))
}
