//! Files of an earlier run in an output folder: their list, their size, their removal.

use super::{CHECKPOINTS, JOURNAL, LOCK, MANIFEST, link_on_the_way, stays_inside};
use crate::{Journal, RunError, RunRecord};
use std::collections::BTreeSet;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// What overwriting left in the folder.
#[derive(Debug, Default)]
pub(super) struct Remaining {
    /// Paths of the manifest that lead outside.
    pub outside: Vec<String>,
    /// Entries of the folder that are not listed as files of an earlier run.
    pub foreign: Vec<String>,
}

impl Remaining {
    /// Warnings for the user.
    pub fn warnings(&self, folder: &Path) -> Vec<String> {
        let named = |names: &[String]| {
            let first = names.first()?;
            let others = match names.len() - 1 {
                0 => String::new(),
                others => format!(" and {others} others"),
            };
            Some(format!("{first}{others}"))
        };
        let folder = folder.display();
        let outside = named(&self.outside).map(|names| {
            format!(
                "{names} of the earlier run left alone, because the path leads out of {folder} through a link. \
                 Remove it by hand if it is not needed"
            )
        });
        let foreign = named(&self.foreign).map(|names| {
            format!("{names} in {folder} are not listed as results of an earlier run, and stay unless a result has the same name")
        });
        outside.into_iter().chain(foreign).collect()
    }
}

/// Removes the files of an earlier run: those of its manifest, its checkpoints, its journal, its record, and folders that are then empty.
///
/// Without a manifest, only files that are certainly those of a run are removed.
pub(super) fn clear(path: &Path) -> Result<Remaining, RunError> {
    let manifest = path.join(MANIFEST);
    let mut outside = Vec::new();
    for relative in lines(&manifest)?.iter().map(Path::new) {
        if !stays_inside(relative) || link_on_the_way(path, relative).is_some() {
            outside.push(relative.display().to_string());
            continue;
        }
        // A folder in the place of a file is foreign.
        if !path.join(relative).is_dir() || path.join(relative).is_symlink() {
            remove(&path.join(relative))?;
        }
        for folder in relative.ancestors().skip(1).filter(|folder| *folder != Path::new("")) {
            remove_partial_files(&path.join(folder))?;
            // Fails for a folder that is not empty, which must be kept.
            let _ = fs::remove_dir(path.join(folder));
        }
    }
    let journal = path.join(JOURNAL);
    if manifest.exists() || journal.join(Journal::WORKERS).exists() {
        remove_own(&journal.join(Journal::WORKERS), Journal::is_worker)?;
        remove_own(&journal, |name| name == "files.lock" || name == Journal::FILE_NAME)?;
    }
    remove_own(&path.join(CHECKPOINTS), |name| name.starts_with("checkpoint-") || is_temporary(name))?;
    remove(&path.join(RunRecord::FILE_NAME))?;
    remove(&manifest)?;
    outside.dedup();
    let is_foreign = |name: &String| name != LOCK && !is_temporary(name);
    Ok(Remaining { outside, foreign: file_names(path)?.into_iter().filter(is_foreign).collect() })
}

/// Removes the own files in a folder, and the folder if it is then empty. A link to a folder is not followed.
fn remove_own(folder: &Path, is_own: impl Fn(&str) -> bool) -> Result<(), RunError> {
    if folder.is_symlink() || !folder.is_dir() {
        return Ok(());
    }
    for name in file_names(folder)?.into_iter().filter(|name| is_own(name)) {
        if !folder.join(&name).is_dir() {
            remove(&folder.join(name))?;
        }
    }
    // Fails for a folder with foreign files, which must be kept.
    let _ = fs::remove_dir(folder);
    Ok(())
}

/// The existing files of the manifest of a folder, relative to the folder, in alphabetical order; none without a manifest.
///
/// # Errors
/// [`RunError::Io`] for an unreadable manifest.
pub(super) fn listed(path: &Path) -> Result<Vec<PathBuf>, RunError> {
    let names: BTreeSet<PathBuf> = lines(&path.join(MANIFEST))?.into_iter().map(PathBuf::from).collect();
    let is_result = |name: &PathBuf| {
        let is_file = || fs::symlink_metadata(path.join(name)).is_ok_and(|found| found.is_file());
        stays_inside(name) && link_on_the_way(path, name).is_none() && is_file()
    };
    Ok(names.into_iter().filter(is_result).collect())
}

/// Size of all files of a run: those of the manifest, and checkpoints [bytes].
///
/// # Errors
/// As [`listed`].
pub(super) fn bytes(path: &Path) -> Result<u64, RunError> {
    let checkpoints = path.join(CHECKPOINTS);
    let saved = if checkpoints.is_dir() { file_names(&checkpoints)? } else { Vec::new() };
    let saved = saved.into_iter().filter(|name| !is_temporary(name)).map(|name| checkpoints.join(name));
    let all = listed(path)?.into_iter().map(|name| path.join(name)).chain(saved);
    Ok(all.filter_map(|file| Some(fs::symlink_metadata(file).ok()?.len())).sum())
}

/// Removes temporary files that killed processes left in a folder and in those of its results.
pub(super) fn remove_all_partial_files(path: &Path) -> Result<(), RunError> {
    remove_partial_files(path)?;
    let folders: BTreeSet<PathBuf> = listed(path)?.iter().filter_map(|name| Some(path.join(name.parent()?))).collect();
    folders.iter().try_for_each(|folder| remove_partial_files(folder))
}

/// Removes temporary files that a killed process left in `directory`, if it exists.
pub(crate) fn remove_partial_files(directory: &Path) -> Result<(), RunError> {
    if !directory.is_dir() {
        return Ok(());
    }
    file_names(directory)?
        .into_iter()
        .filter(|name| is_temporary(name))
        .try_for_each(|name| remove(&directory.join(name)))
}

/// Whether a name is that of a temporary file: `.NAME.XXXXXX.partial`, or `.tmpXXXXXX` of pictures by earlier versions.
pub(super) fn is_temporary(name: &str) -> bool {
    let is_random = |rest: &str| rest.len() == 6 && rest.bytes().all(|byte| byte.is_ascii_alphanumeric());
    (name.starts_with('.') && name.ends_with(".partial")) || name.strip_prefix(".tmp").is_some_and(is_random)
}

/// Removes a file if it exists.
fn remove(path: &Path) -> Result<(), RunError> {
    match fs::remove_file(path) {
        Err(error) if !matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            Err(RunError::io("remove", path)(error))
        }
        _ => Ok(()),
    }
}

/// The lines of a manifest; none if there is no manifest.
fn lines(manifest: &Path) -> Result<Vec<String>, RunError> {
    match fs::read(manifest) {
        Ok(bytes) => {
            let text = String::from_utf8_lossy(&bytes);
            Ok(text.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect())
        }
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(RunError::io("read", manifest)(error)),
    }
}

/// Names of all entries of a folder, in alphabetical order.
pub(super) fn file_names(directory: &Path) -> Result<Vec<String>, RunError> {
    let entries = fs::read_dir(directory).map_err(RunError::io("read the folder", directory))?;
    let names = entries.map(|entry| entry.map(|entry| entry.file_name().to_string_lossy().into_owned()));
    let mut names: Vec<String> = names.collect::<Result<_, _>>().map_err(RunError::io("read the folder", directory))?;
    names.sort_unstable();
    Ok(names)
}
