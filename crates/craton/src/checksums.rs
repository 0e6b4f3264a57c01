//! Checksums of result files in the record of a run.

use std::path::{Path, PathBuf};

use craton_run::RunRecord;
use rayon::prelude::*;
use serde_json::Value;

use crate::error::Error;
use crate::inputs::hash_of;

/// Key in the record.
const KEY: &str = "result_hashes";

/// Records the checksums of files (xxh3, 16 hexadecimal digits), in addition to those that are already recorded.
///
/// # Arguments
/// * `names` – the files, relative to `folder`
/// # Errors
/// An unreadable file.
pub fn note(record: &mut RunRecord, folder: &Path, names: Vec<PathBuf>) -> Result<(), Error> {
    let hashed = |name: PathBuf| {
        let file = folder.join(&name);
        let hash =
            hash_of(&file).map_err(|source| Error::Read { file, source, hint: "repeat the command".to_owned() })?;
        Ok((name.display().to_string(), Value::from(format!("{hash:016x}"))))
    };
    let now: Vec<_> = in_pool(names, hashed).into_iter().collect::<Result<_, Error>>()?;
    let known = record.figures.get(KEY).and_then(Value::as_object);
    let mut all = known.cloned().unwrap_or_default();
    all.extend(now);
    record.figure(KEY, all);
    Ok(())
}

/// The recorded checksum of a file.
pub fn known<'a>(record: &'a RunRecord, name: &str) -> Option<&'a str> {
    record.figures.get(KEY)?.get(name)?.as_str()
}

/// The files with a recorded checksum, and of these the ones that have changed or are missing, with the reason.
pub struct Comparison {
    /// Number of files with a checksum.
    pub files: usize,
    /// The changed and missing files.
    pub changed: Vec<String>,
}

/// Compares files with their recorded checksums.
pub fn compare(record: &RunRecord, folder: &Path) -> Comparison {
    let Some(known) = record.figures.get(KEY).and_then(Value::as_object) else {
        return Comparison { files: 0, changed: Vec::new() };
    };
    let known: Vec<(&String, &Value)> = known.iter().collect();
    let change = |(name, hash): &(&String, &Value)| match hash_of(&folder.join(name)) {
        Ok(found) if hash.as_str() == Some(&format!("{found:016x}")) => None,
        Ok(_) => Some(format!("{name} has changed")),
        Err(error) => Some(format!("{name} cannot be read ({error})")),
    };
    Comparison { files: known.len(), changed: in_pool(known.iter().collect(), change).into_iter().flatten().collect() }
}

/// Maps values on the threads of the current pool; outside of a pool the caller has no threads to share.
fn in_pool<T: Send, R: Send>(values: Vec<T>, map: impl Fn(T) -> R + Sync) -> Vec<R> {
    match rayon::current_thread_index() {
        Some(_) => values.into_par_iter().map(&map).collect(),
        None => values.into_iter().map(map).collect(),
    }
}
