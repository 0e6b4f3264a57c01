//! PVD: a list of files with their times, which ParaView shows as a time series.

use std::io::Write;
use std::path::{Path, PathBuf};

use super::appended::escape;
use crate::atomic;
use crate::error::{FormatError, Result};
use crate::text::{Place, read_text};

/// One file of a series.
#[derive(Clone, Debug, PartialEq)]
pub struct TimeStep {
    /// Time [s].
    pub time: f64,
    /// The VTU or VTI file, relative to the folder of the PVD file.
    pub file: PathBuf,
}

/// Writes the list, atomically. Call it after each new file, so that an interrupted series can be opened.
///
/// # Errors
/// [`FormatError::Unwritable`] for times that do not increase; [`FormatError::Io`] if the file cannot be written.
pub fn write_pvd(path: &Path, steps: &[TimeStep]) -> Result<()> {
    let mut before = f64::NEG_INFINITY;
    for step in steps {
        if !step.time.is_finite() || step.time <= before {
            return Err(FormatError::Unwritable {
                path: path.to_owned(),
                what: format!("time of {}", step.file.display()),
                value: step.time.to_string(),
                expected: format!("a finite time after {before} s"),
            });
        }
        before = step.time;
    }
    atomic::write_with(path, |out| {
        writeln!(out, "<?xml version=\"1.0\"?>")?;
        writeln!(out, "<VTKFile type=\"Collection\" version=\"1.0\" byte_order=\"LittleEndian\">\n<Collection>")?;
        for TimeStep { time, file } in steps {
            let file = escape(&file.to_string_lossy());
            writeln!(out, "<DataSet timestep=\"{time}\" group=\"\" part=\"0\" file=\"{file}\"/>")?;
        }
        writeln!(out, "</Collection>\n</VTKFile>")
    })
}

/// Reads a list written by [`write_pvd`], to continue it after a restart.
///
/// # Errors
/// A file that cannot be read; a `DataSet` line without a `timestep` or `file`.
pub fn read_pvd(path: &Path) -> Result<Vec<TimeStep>> {
    let text = read_text(path)?;
    let lines = text.lines().enumerate().map(|(index, line)| (Place { path, line: index + 1 }, line));
    let steps = lines.filter(|(_, line)| line.trim_start().starts_with("<DataSet "));
    steps.map(|(place, line)| time_step(place, line)).collect()
}

fn time_step(place: Place, line: &str) -> Result<TimeStep> {
    let attribute = |name: &str| {
        let start = line.split_once(&format!(" {name}=\""));
        let value = start.and_then(|(_, rest)| rest.split_once('"'));
        value
            .map(|(value, _)| value)
            .ok_or_else(|| place.bad_value(name, line.trim(), format!("an attribute `{name}=\"...\"`")))
    };
    Ok(TimeStep {
        time: place.finite("timestep", attribute("timestep")?)?,
        file: PathBuf::from(unescape(attribute("file")?)),
    })
}

/// Reverses [`escape`].
fn unescape(text: &str) -> String {
    text.replace("&quot;", "\"").replace("&gt;", ">").replace("&lt;", "<").replace("&amp;", "&")
}
