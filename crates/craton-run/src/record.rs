//! The record that every run leaves: enough to know, years later, what made these files.

use crate::{Host, RunError, Stages, utc_now};
use craton_formats::atomic;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write as _};
use std::path::Path;

/// The program that ran.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Program {
    /// Name of the program: "craton".
    pub name: String,
    /// Its version.
    pub version: String,
    /// Git commit it was built from; `None` for a build outside a repository.
    pub commit: Option<String>,
}

/// How far a run came.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RunStatus {
    /// Still at work; also what a killed run leaves behind.
    Running,
    /// Stopped on request, with a checkpoint.
    Interrupted,
    /// All results are there.
    Complete,
    /// Stopped by an error.
    Failed,
}

/// What was run, on what, how long each stage took, and the figures of the result.
///
/// Written at the start with status "running" and again at the end, each time whole.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunRecord {
    /// How far the run came.
    pub status: RunStatus,
    /// Title of the scenario.
    pub title: String,
    /// The program that ran.
    pub program: Program,
    /// The command line, word by word.
    pub command_line: Vec<String>,
    /// The machine.
    pub host: Host,
    /// Scalar of the time loop: "f32" or "f64".
    pub precision: String,
    /// Hash of the scenario and of the files it names, 16 hexadecimal digits.
    pub scenario_hash: String,
    /// Copy of the scenario file beside the record, once it is kept.
    pub scenario_file: Option<String>,
    /// Files that the scenario names, as it names them, and the hash (xxh3) of what was in each, 16 hexadecimal digits.
    #[serde(default)]
    pub files: BTreeMap<String, String>,
    /// Start, UTC, RFC 3339.
    pub started: String,
    /// End, UTC, RFC 3339; `None` while the run is at work.
    pub finished: Option<String>,
    /// Why a failed run failed.
    pub error: Option<String>,
    /// Wall-clock time of each stage.
    pub stages: Stages,
    /// Figures of the set-up and of the result, each under a name with its unit: `dt_s`, `elements`, `elements_per_s`.
    pub figures: BTreeMap<String, Value>,
}

impl RunRecord {
    /// Name of the record in the output folder.
    pub const FILE_NAME: &'static str = "run.json";

    /// The record of a run that starts now, on this machine, by this command line.
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

    /// Notes a figure; a number, a string or a truth value. A number that is not finite becomes null, as JSON has no word for it.
    pub fn figure(&mut self, name: &str, value: impl Into<Value>) {
        self.figures.insert(name.to_owned(), value.into());
    }

    /// Ends the run with `status`, now. `error` says why a failed run failed.
    pub fn finish(&mut self, status: RunStatus, stages: &Stages, error: Option<String>) {
        self.status = status;
        self.stages = stages.clone();
        self.error = error;
        self.finished = Some(utc_now());
    }

    /// Keeps the text of the scenario in `directory` under `file_name`, so that the results explain themselves.
    ///
    /// # Errors
    /// [`RunError::Format`] when the file cannot be written.
    pub fn keep_scenario(&mut self, directory: &Path, file_name: &str, text: &str) -> Result<(), RunError> {
        let path = directory.join(file_name);
        atomic::write_bytes(&path, text.as_bytes())?;
        self.scenario_file = Some(file_name.to_owned());
        Ok(())
    }

    /// Writes the record to `directory`, replacing an earlier state of it in one step.
    ///
    /// # Errors
    /// [`RunError::Format`] when the file cannot be written.
    pub fn write(&self, directory: &Path) -> Result<(), RunError> {
        Ok(atomic::write_bytes(&directory.join(Self::FILE_NAME), self.text().as_bytes())?)
    }

    /// The same on a disk that may be full: if there is no room for a second file, the new state takes that of the earlier one.
    ///
    /// # Errors
    /// [`RunError::Io`] when it does not fit there; the earlier state stays.
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
    /// [`RunError::NoRun`] when there is none, [`RunError::BadRecord`] when it is not a record, [`RunError::Io`] when it cannot be read.
    pub fn read(directory: &Path) -> Result<Self, RunError> {
        let path = directory.join(Self::FILE_NAME);
        if !path.exists() {
            return Err(RunError::NoRun { path: directory.to_owned(), record: Self::FILE_NAME });
        }
        let text = fs::read_to_string(&path).map_err(RunError::io("read", &path))?;
        serde_json::from_str(&text).map_err(|error| RunError::BadRecord { path, reason: error.to_string() })
    }
}

/// Writes over a file where it stands, if that needs no more of the disk than it has.
fn write_in_place(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = fs::OpenOptions::new().write(true).open(path)?;
    if bytes.len() as u64 > room(&file.metadata()?) {
        return Err(io::ErrorKind::StorageFull.into());
    }
    file.write_all(bytes)?;
    file.set_len(bytes.len() as u64)?;
    file.sync_all()
}

/// Bytes of the disk that a file has: whole blocks.
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
    fn a_file_is_written_over_where_it_fits_and_kept_where_it_does_not() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.json");
        fs::write(&path, "the earlier state").unwrap();
        assert_eq!(write_in_place(&path, &[b'x'; 1 << 20]).unwrap_err().kind(), io::ErrorKind::StorageFull);
        assert_eq!(fs::read(&path).unwrap(), b"the earlier state");
        write_in_place(&path, b"the new").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"the new");
    }
}
