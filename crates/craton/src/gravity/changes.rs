//! Compares the problem of a results folder with the current one, and describes the differences.

use std::path::Path;

use craton_run::RunRecord;
use toml::{Table, Value};

use super::config::{Compute, Config, Output};
use super::setup::Setup;
use super::{GravityFile, PROBLEM_FILE};
use crate::error::{Error, GravityFailure};
use crate::key_path::KeyPath;
use crate::provenance;

/// Largest number of listed differences.
const LISTED: usize = 5;
/// Largest number of characters of a listed value.
const SHOWN: usize = 60;
/// Keys that do not affect the sums, which [`identity`] ignores.
const OF_NO_MATTER: [&str; 6] =
    ["title", "compute", "method.find_overlaps", "output.directory", "output.formats", "output.pictures"];

/// Hash of everything that affects the sums: the problem without devices, pictures and output, the contents of its
/// files, and the version.
pub fn identity(file: &GravityFile, setup: &Setup) -> u64 {
    let mut config: Config = file.config.clone();
    config.title = String::new();
    config.method.find_overlaps = false;
    config.compute = Compute::default();
    // Only units affect the content of files with the same name.
    config.output = Output { directory: Default::default(), formats: None, pictures: false, ..config.output };
    provenance::identity(&config, &setup.files)
}

/// The error of a results folder with another problem.
pub fn refusal(folder: &Path, file: &GravityFile, setup: &Setup) -> Error {
    GravityFailure::OtherProblem { directory: folder.to_owned(), changes: differences(folder, file, setup) }.into()
}

/// The differences: keys, files, or else the program version.
fn differences(folder: &Path, file: &GravityFile, setup: &Setup) -> String {
    let mut changes = Vec::new();
    let kept = std::fs::read_to_string(folder.join(PROBLEM_FILE)).ok();
    let parsed = |text: &str| text.parse::<Table>().ok();
    if let Some((old, new)) = kept.as_deref().and_then(parsed).zip(parsed(&file.kept())) {
        tables(&old, &new, &KeyPath::default(), &mut changes);
    }
    if let Ok(record) = RunRecord::read(folder) {
        let has_changed =
            |name: &&String| record.files.get(*name).is_some_and(|hash| setup.files.get(*name) != Some(hash));
        let of_both = setup.files.keys().filter(has_changed);
        changes.extend(of_both.map(|name| format!("the contents of {name} have changed")));
        let (old, new) = (&record.program.version, env!("CARGO_PKG_VERSION"));
        changes.extend((old != new).then(|| format!("they were computed by Craton {old}, this is version {new}")));
    }
    let more = changes.len().saturating_sub(LISTED);
    changes.truncate(LISTED);
    changes.extend((more > 0).then(|| format!("and {more} more differences")));
    match changes.is_empty() {
        true => "the differences are unknown".to_owned(),
        false => changes.join("; "),
    }
}

fn tables(old: &Table, new: &Table, path: &KeyPath, changes: &mut Vec<String>) {
    let added = new.keys().filter(|key| !old.contains_key(*key));
    for key in old.keys().chain(added) {
        values(old.get(key), new.get(key), &path.key(key), changes);
    }
}

fn values(old: Option<&Value>, new: Option<&Value>, path: &KeyPath, changes: &mut Vec<String>) {
    if old == new || OF_NO_MATTER.contains(&&*path.to_string()) {
        return;
    }
    match (old, new) {
        (Some(Value::Table(old)), Some(Value::Table(new))) => tables(old, new, path, changes),
        (Some(Value::Array(old)), Some(Value::Array(new)))
            if old.len() == new.len() && old.iter().chain(new).all(Value::is_table) =>
        {
            let items = old.iter().zip(new).enumerate();
            items.for_each(|(index, (old, new))| values(Some(old), Some(new), &path.index(index), changes));
        }
        (Some(old), Some(new)) if short(old) == short(new) => changes.push(format!("{path} has changed")),
        (Some(old), Some(new)) => changes.push(format!("{path} was {} and is now {}", short(old), short(new))),
        (Some(old), None) => changes.push(format!("{path} was {} and has been removed", short(old))),
        (None, Some(new)) => changes.push(format!("{path} = {} has been added", short(new))),
        (None, None) => {}
    }
}

/// A value, truncated.
fn short(value: &Value) -> String {
    let text = value.to_string().replace('\n', " ");
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text,
    }
}
