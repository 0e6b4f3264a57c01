//! The record of a run, which documents how its result files were made.

use crate::{Host, RunError, Stages, utc_now};
use craton_formats::{atomic, shortened};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write as _};
use std::path::Path;

/// The program that made the run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Program {
    /// Name of the program: "craton".
    pub name: String,
    /// Its version.
    pub version: String,
    /// Git commit it was built from; `None` for a build outside a repository.
    pub commit: Option<String>,
}

/// Status of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RunStatus {
    /// Still running; also the status that a killed run leaves behind.
    Running,
    /// Stopped on request, with a checkpoint.
    Interrupted,
    /// All results are written.
    Complete,
    /// Stopped by an error.
    Failed,
}

/// Record of a run: the scenario, the machine, the time of each stage, and figures of the result.
///
/// Written at the start with status "running" and again at the end, each time atomically.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunRecord {
    /// Status of the run.
    pub status: RunStatus,
    /// Title of the scenario.
    pub title: String,
    /// The program that made the run.
    pub program: Program,
    /// The command line, one entry per argument.
    pub command_line: Vec<String>,
    /// The machine.
    pub host: Host,
    /// Number type of the time loop: "f32" or "f64".
    pub precision: String,
    /// Hash of the scenario and of the files that it names, 16 hexadecimal digits.
    pub scenario_hash: String,
    /// Name of the copy of the scenario file in the same folder; `None` before it is written.
    pub scenario_file: Option<String>,
    /// Files that the scenario names, with the paths written there, and the hash (xxh3) of the content of each, 16 hexadecimal digits.
    #[serde(default)]
    pub files: BTreeMap<String, String>,
    /// Start, UTC, RFC 3339.
    pub started: String,
    /// End, UTC, RFC 3339; `None` while the run is active.
    pub finished: Option<String>,
    /// Error message of a failed run.
    pub error: Option<String>,
    /// Wall-clock time of each stage.
    pub stages: Stages,
    /// Figures of the set-up and of the result, by name with unit: `dt_s`, `elements`, `elements_per_s`.
    pub figures: BTreeMap<String, Value>,
}

impl RunRecord {
    /// File name of the record in the output folder.
    pub const FILE_NAME: &'static str = "run.json";

    /// Creates the record of a run that starts now, on this machine, with this command line.
    #[must_use]
    pub fn start(title: &str, program: Program, precision: &str, scenario_hash: u64) -> Self {
        Self {
            status: RunStatus::Running,
            title: title.to_owned(),
            program,
            command_line: std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect(),
            host: Host::detect(),
            precision: precision.to_owned(),
            scenario_hash: format!("{scenario_hash:016x}"),
            scenario_file: None,
            files: BTreeMap::new(),
            started: utc_now(),
            finished: None,
            error: None,
            stages: Stages::new(),
            figures: BTreeMap::new(),
        }
    }

    /// Whether the run is that of a scenario with this hash.
    #[must_use]
    pub fn is_of(&self, scenario_hash: u64) -> bool {
        self.scenario_hash == format!("{scenario_hash:016x}")
    }

    /// Records a figure: a number, a string or a boolean. A number that is not finite becomes null, since JSON cannot represent it.
    pub fn figure(&mut self, name: &str, value: impl Into<Value>) {
        self.figures.insert(name.to_owned(), value.into());
    }

    /// Marks the run as ended now with `status`. `error` is the message of a failed run.
    pub fn finish(&mut self, status: RunStatus, stages: &Stages, error: Option<String>) {
        self.status = status;
        self.stages = stages.clone();
        self.error = error;
        self.finished = Some(utc_now());
    }

    /// Writes the text of the scenario to `file_name` in `directory`, so that the results are self-contained.
    ///
    /// # Errors
    /// [`RunError::Format`] when the file cannot be written.
    pub fn keep_scenario(&mut self, directory: &Path, file_name: &str, text: &str) -> Result<(), RunError> {
        let path = directory.join(file_name);
        atomic::write_bytes(&path, text.as_bytes())?;
        self.scenario_file = Some(file_name.to_owned());
        Ok(())
    }

    /// Writes the record to `directory`, replacing an earlier version atomically.
    ///
    /// # Errors
    /// [`RunError::Format`] when the file cannot be written.
    pub fn write(&self, directory: &Path) -> Result<(), RunError> {
        Ok(atomic::write_bytes(&directory.join(Self::FILE_NAME), self.text().as_bytes())?)
    }

    /// As [`write`](Self::write), for a disk that may be full: if a second file does not fit, the record overwrites the earlier version in
    /// place.
    ///
    /// # Errors
    /// [`RunError::Io`] when it does not fit there either; the earlier version is then unchanged.
    pub fn write_even_if_full(&self, directory: &Path) -> Result<(), RunError> {
        let path = directory.join(Self::FILE_NAME);
        self.write(directory)
            .or_else(|_| write_in_place(&path, self.text().as_bytes()).map_err(RunError::io("write", &path)))
    }

    fn text(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).expect("a record of strings and numbers is JSON");
        text.push('\n');
        text
    }

    /// Reads the record of an earlier run.
    ///
    /// # Errors
    /// [`RunError::NoRun`] when there is none, [`RunError::BadRecord`] when it cannot be parsed, [`RunError::Io`] when it cannot be read.
    pub fn read(directory: &Path) -> Result<Self, RunError> {
        let path = directory.join(Self::FILE_NAME);
        if !path.exists() {
            return Err(RunError::NoRun { path: directory.to_owned(), record: Self::FILE_NAME });
        }
        let text = fs::read_to_string(&path).map_err(RunError::io("read", &path))?;
        // The reason repeats values of the file.
        let reason = |error: serde_json::Error| shortened(&error.to_string()).into_owned();
        serde_json::from_str(&text).map_err(|error| RunError::BadRecord { path, reason: reason(error) })
    }
}

/// Overwrites a file in place, if the new content fits into the disk blocks that the file already has.
fn write_in_place(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = fs::OpenOptions::new().write(true).open(path)?;
    if bytes.len() as u64 > room(&file.metadata()?) {
        return Err(io::ErrorKind::StorageFull.into());
    }
    file.write_all(bytes)?;
    file.set_len(bytes.len() as u64)?;
    file.sync_all()
}

/// Disk space allocated to a file [bytes].
#[cfg(unix)]
fn room(file: &fs::Metadata) -> u64 {
    use std::os::unix::fs::MetadataExt as _;
    512 * file.blocks()
}

#[cfg(not(unix))]
fn room(file: &fs::Metadata) -> u64 {
    file.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_overwritten_in_place_only_if_the_content_fits() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.json");
        fs::write(&path, "the earlier state").unwrap();
        assert_eq!(write_in_place(&path, &[b'x'; 1 << 20]).unwrap_err().kind(), io::ErrorKind::StorageFull);
        assert_eq!(fs::read(&path).unwrap(), b"the earlier state");
        write_in_place(&path, b"the new").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"the new");
    }
}
