//! A folder that holds the latest checkpoints of one run.

use super::layout::{self, Header, Section, SectionForm, SectionWriter};
use super::reading::Checkpoint;
use crate::{RunError, output};
use craton_formats::atomic;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Number of checkpoints kept: the newest, and one to fall back to.
const KEPT: usize = 2;
const PREFIX: &str = "checkpoint-";
const SUFFIX: &str = ".craton";

/// A checkpoint that was skipped because it is damaged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skipped {
    /// The file.
    pub path: PathBuf,
    /// Why, as a sentence for the user.
    pub reason: String,
}

/// The checkpoints of one run: writes new ones, keeps the last two and finds the newest intact one.
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

    /// Writes the state after `step` steps. Earlier checkpoints are removed only once this one is complete.
    ///
    /// # Errors
    /// [`RunError::Format`] when the file cannot be written; earlier checkpoints are then unchanged.
    pub fn write(&self, step: u64, sections: &[Section]) -> Result<PathBuf, RunError> {
        let forms: Vec<SectionForm> = sections.iter().map(|section| section.form.clone()).collect();
        self.write_in_pieces(step, &forms, |number, writer| {
            writer.write_bytes(sections[number].bytes);
            Ok(())
        })
    }

    /// Like [`write`](Self::write), for a state that does not fit into one array per section.
    ///
    /// # Arguments
    /// * `fill` – writes all numbers of the section with the given index
    /// # Errors
    /// As [`write`](Self::write), and any error of `fill`; earlier checkpoints are then unchanged.
    pub fn write_in_pieces<E: From<RunError>>(
        &self,
        step: u64,
        sections: &[SectionForm],
        mut fill: impl FnMut(usize, &mut SectionWriter) -> Result<(), E>,
    ) -> Result<PathBuf, E> {
        let header = Header::new(self.scenario_hash, step, sections);
        let path = self.directory.join(format!("{PREFIX}{step:012}{SUFFIX}"));
        let mut failure = None;
        let written = atomic::write_with(&path, |out| {
            layout::write(header, out, |number, writer| {
                fill(number, writer).map_err(|error| {
                    failure = Some(error);
                    io::Error::other("the state could not be read")
                })
            })
        });
        match (failure, written) {
            (Some(error), _) => return Err(error),
            (None, written) => written.map_err(RunError::from)?,
        }
        self.prune(step)?;
        Ok(path)
    }

    /// Opens the newest intact checkpoint and lists the damaged ones that were skipped; `None` when the folder holds no checkpoint.
    ///
    /// # Errors
    /// [`RunError::OtherScenario`] when the newest intact checkpoint belongs to another scenario, [`RunError::NoWholeCheckpoint`] when
    /// every one is damaged, [`RunError::Io`] when the folder cannot be read.
    pub fn latest(&self) -> Result<Option<(Checkpoint, Vec<Skipped>)>, RunError> {
        let mut skipped = Vec::new();
        for (_, path) in self.files()? {
            match Checkpoint::open(&path, self.scenario_hash) {
                Ok(checkpoint) => return Ok(Some((checkpoint, skipped))),
                Err(error @ RunError::DamagedCheckpoint { .. }) => {
                    skipped.push(Skipped { path, reason: error.to_string() });
                }
                Err(error) => return Err(error),
            }
        }
        if skipped.is_empty() {
            return Ok(None);
        }
        let reasons: Vec<String> = skipped.into_iter().map(|skip| skip.reason).collect();
        Err(RunError::NoWholeCheckpoint { directory: self.directory.clone(), reasons: reasons.join("; ") })
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
    fn prune(&self, step: u64) -> Result<(), RunError> {
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
