//! Traces from files.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use craton_formats::sac::{self, SacTrace};
use craton_formats::text_trace;

use super::{Situation, Trace, TraceName};
use crate::config::SeismogramFormat;
use crate::error::Error;

/// The folder of seismograms inside a results folder.
pub const FOLDER: &str = "seismograms";

/// Reads a trace: SAC for the extension `sac`, two columns of text for any other.
///
/// # Errors
/// A file that cannot be read or is no trace.
pub fn read_one(file: &Path) -> Result<Trace, Error> {
    let name = TraceName::of_file(file);
    if file.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("sac")) {
        return Ok(of_sac(name, &sac::read(file)?));
    }
    let text = text_trace::read(file)?;
    let numbers =
        |key: &str| -> Option<Vec<f64>> { text.value(key)?.split_whitespace().map(|word| word.parse().ok()).collect() };
    let position = numbers("position").and_then(|numbers| numbers.try_into().ok());
    let offset = numbers("offset").and_then(|numbers| numbers.first().copied());
    let situation = Situation::default();
    Ok(Trace { name, start: text.start_time, dt: text.dt, samples: text.samples, position, offset, situation })
}

/// What of a SAC file is kept of a trace.
pub(crate) fn of_sac(name: TraceName, sac: &SacTrace) -> Trace {
    let position = match sac.user[..3] {
        [Some(x), Some(y), Some(z)] => Some([x, y, z]),
        _ => None,
    };
    let samples = sac.samples.iter().map(|&sample| sample.into()).collect();
    let offset = sac.user[3].or_else(|| Some(1000.0 * sac.distance_km?));
    let situation = Situation::default();
    Trace { name, start: sac.begin, dt: sac.delta, samples, position, offset, situation }
}

/// Reads every trace of a folder, or of the folder `seismograms` in it, in the order of their names. Of a trace that is there in
/// several forms, the one that says most is taken: text with a header, which has more digits than SAC, then SAC, then two plain columns.
///
/// # Errors
/// [`Error::Read`] when the folder cannot be read or holds no trace; a file that is no trace.
pub fn read_folder(folder: &Path) -> Result<Vec<Trace>, Error> {
    let rank = |form| match form {
        SeismogramFormat::Text => 0,
        SeismogramFormat::Sac => 1,
        SeismogramFormat::Specfem => 2,
    };
    let mut files: BTreeMap<TraceName, (u8, PathBuf)> = BTreeMap::new();
    for (file, form) in files_of(folder)? {
        let rank = rank(form);
        let best = files.entry(TraceName::of_file(&file)).or_insert_with(|| (rank, file.clone()));
        if rank < best.0 {
            *best = (rank, file);
        }
    }
    files.values().map(|(_, file)| read_one(file)).collect()
}

/// The seismograms of a folder, or of the folder `seismograms` in it, with their forms, in the order of their names.
///
/// # Errors
/// [`Error::Read`] when the folder cannot be read or holds no trace.
pub(crate) fn files_of(folder: &Path) -> Result<Vec<(PathBuf, SeismogramFormat)>, Error> {
    let inner = folder.join(FOLDER);
    let folder = if inner.is_dir() { &inner } else { folder };
    let failed = |source| Error::Read {
        file: folder.to_owned(),
        source,
        hint: "give a results folder, a folder of seismograms (.sac, .txt or SPECFEM's), or one such file".to_owned(),
    };
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let file = entry.map_err(failed)?.path();
        files.extend(form_of(&file).map(|form| (file, form)));
    }
    if files.is_empty() {
        return Err(failed(std::io::Error::new(std::io::ErrorKind::NotFound, "no seismogram in it")));
    }
    files.sort_by(|(a, _), (b, _)| a.cmp(b));
    Ok(files)
}

/// The form that the extension of a seismogram tells; none of a file that is no seismogram.
pub(crate) fn form_of(file: &Path) -> Option<SeismogramFormat> {
    match &*file.extension()?.to_string_lossy().to_ascii_lowercase() {
        "txt" => Some(SeismogramFormat::Text),
        "sac" => Some(SeismogramFormat::Sac),
        "semd" | "semv" | "sema" | "semp" => Some(SeismogramFormat::Specfem),
        _ => None,
    }
}
