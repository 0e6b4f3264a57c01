//! Import of set-ups of other programs: a scenario, and notes about what Craton does differently.

mod block;
mod fluid;
mod par_file;
mod source;
mod specfem;

use std::fmt;
use std::path::{Path, PathBuf};

use craton_formats::{FormatError, atomic};

use crate::error::Error;
pub use specfem::specfem;

/// An imported set-up.
#[derive(Debug, Clone, PartialEq)]
pub struct Imported {
    /// The scenario, TOML. Its paths are relative to the folder of the set-up.
    pub scenario: String,
    /// Further files that the scenario names, relative to the same folder.
    pub files: Vec<(PathBuf, String)>,
    /// What Craton does differently from the set-up.
    pub notes: Vec<Note>,
}

/// A setting that Craton treats differently.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// Line of the setting in its file; 0 if it has none.
    pub line: usize,
    /// File, line and value of the setting: `Par_file:37: DT = 0.03`.
    pub setting: String,
    /// What Craton does.
    pub effect: String,
}

/// Result of [`Imported::write`].
#[derive(Debug, Clone, PartialEq)]
pub struct ImportReport {
    /// The scenario, and the other files.
    pub files: Vec<PathBuf>,
    /// What Craton does differently from the set-up.
    pub notes: Vec<Note>,
}

impl Imported {
    /// Writes the scenario, and replaces its other files.
    ///
    /// # Arguments
    /// * `folder` – the folder of the set-up
    /// * `name` – name of the scenario file there
    /// * `overwrite` – whether the scenario file may be replaced
    /// # Errors
    /// If a file cannot be written, or if the scenario file exists and `overwrite` is false.
    pub fn write(&self, folder: &Path, name: &Path, overwrite: bool) -> Result<ImportReport, Error> {
        let scenario = folder.join(name);
        if scenario.exists() && !overwrite {
            return Err(Error::Format(FormatError::Unwritable {
                path: scenario,
                what: "the scenario".to_owned(),
                value: "a file that exists".to_owned(),
                expected: "another name with --output, or --overwrite".to_owned(),
            }));
        }
        let others = self.files.iter().map(|(name, text)| (folder.join(name), text));
        let all: Vec<(PathBuf, &String)> = others.chain([(scenario, &self.scenario)]).collect();
        for (file, text) in &all {
            atomic::write_bytes(file, text.as_bytes())?;
        }
        Ok(ImportReport { files: all.into_iter().map(|(file, _)| file).collect(), notes: self.notes.clone() })
    }
}

impl fmt::Display for ImportReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.files.iter().rev().try_for_each(|file| writeln!(f, "{}", file.display()))?;
        if !self.notes.is_empty() {
            writeln!(f, "Settings that Craton treats differently:")?;
        }
        self.notes.iter().try_for_each(|Note { setting, effect, .. }| writeln!(f, "  {setting}\n      {effect}"))
    }
}
