//! A folder that holds the latest checkpoints of one run.

use super::draft::Draft;
use super::layout::{Layout, SectionForm};
use super::reading::Checkpoint;
use crate::{RunError, output};
use std::fs;
use std::path::{Path, PathBuf};

/// Number of checkpoints kept: the newest, and one to fall back to.
const KEPT: usize = 2;
const PREFIX: &str = "checkpoint-";
const SUFFIX: &str = ".craton";

/// The checkpoints of one run: writes new ones, keeps the last two and finds the newest.
#[derive(Debug)]
pub struct CheckpointStore {
    directory: PathBuf,
    scenario_hash: u64,
}

impl CheckpointStore {
    /// Opens the store of the scenario with hash `scenario_hash`, creating its folder, and removes temporary files left by a killed run.
    ///
    /// # Errors
    /// [`RunError::Io`] when the folder cannot be created or read.
    pub fn open(directory: &Path, scenario_hash: u64) -> Result<Self, RunError> {
        fs::create_dir_all(directory).map_err(RunError::io("create the folder", directory))?;
        output::remove_partial_files(directory)?;
        Ok(Self { directory: directory.to_owned(), scenario_hash })
    }

    /// Starts to write the state after `step` steps. Earlier checkpoints are removed only once this one is finished.
    ///
    /// # Errors
    /// [`RunError::Format`] when the file cannot be created.
    pub fn draft(&self, step: u64, sections: &[SectionForm]) -> Result<Draft<'_>, RunError> {
        let path = self.directory.join(format!("{PREFIX}{step:012}{SUFFIX}"));
        Draft::create(self, &path, Layout::new(self.scenario_hash, step, sections))
    }

    /// Opens a checkpoint, see [`Checkpoint::open`].
    ///
    /// # Errors
    /// As [`Checkpoint::open`].
    pub fn checkpoint(&self, path: &Path) -> Result<Checkpoint, RunError> {
        Checkpoint::open(path, self.scenario_hash)
    }

    /// The files of all checkpoints, newest first.
    ///
    /// # Errors
    /// [`RunError::Io`] when the folder cannot be read.
    pub fn paths(&self) -> Result<Vec<PathBuf>, RunError> {
        Ok(self.files()?.into_iter().map(|(_, path)| path).collect())
    }

    /// The error if no checkpoint is intact.
    ///
    /// # Arguments
    /// * `reasons` – what is wrong with each
    #[must_use]
    pub fn none_intact(&self, reasons: &[String]) -> RunError {
        RunError::NoWholeCheckpoint { directory: self.directory.clone(), reasons: reasons.join("; ") }
    }

    /// Removes all checkpoints from a folder after the run is complete.
    ///
    /// # Errors
    /// [`RunError::Io`] when one cannot be removed.
    pub fn clear(directory: &Path) -> Result<(), RunError> {
        let store = Self { directory: directory.to_owned(), scenario_hash: 0 };
        store.files()?.iter().try_for_each(|(_, path)| fs::remove_file(path).map_err(RunError::io("remove", path)))
    }

    /// Keeps the checkpoint of `step` and its predecessor. Later ones are left over from before the run fell back to an earlier step.
    pub(super) fn prune(&self, step: u64) -> Result<(), RunError> {
        let files = self.files()?;
        let kept = files.iter().filter(|(other, _)| *other <= step).take(KEPT);
        let kept: Vec<u64> = kept.map(|(other, _)| *other).collect();
        for (other, path) in &files {
            if !kept.contains(other) {
                fs::remove_file(path).map_err(RunError::io("remove", path))?;
            }
        }
        Ok(())
    }

    /// Steps and paths of all checkpoints, newest first.
    fn files(&self) -> Result<Vec<(u64, PathBuf)>, RunError> {
        let entries = fs::read_dir(&self.directory).map_err(RunError::io("read the folder", &self.directory))?;
        let mut files = Vec::new();
        for entry in entries {
            let path = entry.map_err(RunError::io("read the folder", &self.directory))?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let step = name.strip_prefix(PREFIX).and_then(|rest| rest.strip_suffix(SUFFIX));
            if let Some(step) = step.and_then(|digits| digits.parse().ok()) {
                files.push((step, path));
            }
        }
        files.sort_unstable_by(|a, b| b.cmp(a));
        Ok(files)
    }
}
