//! Reading of seismogram files.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use craton_formats::sac::{self, SacTrace};
use craton_formats::text_trace;

use super::sac_header::CENTROID;
use super::{SPHERE, Situation, Trace, TraceName, Way, clockwise, miniseed};
use crate::config::SeismogramFormat;
use crate::error::Error;
use crate::gravity::PROBLEM_FILE;

/// The seismogram folder of a results folder.
pub const FOLDER: &str = "seismograms";

/// Extensions of miniSEED.
const MINISEED: [&str; 3] = ["mseed", "miniseed", "msd"];

/// Reads the traces of a file: all channels of miniSEED (extensions `mseed`, `miniseed`, `msd`), one trace of SAC
/// (extension `sac`), or one of two-column text (any other extension).
///
/// # Errors
/// A file that is unreadable or has no trace; a miniSEED channel with gaps.
pub fn read_file(file: &Path) -> Result<Vec<Trace>, Error> {
    match MINISEED.contains(&&*extension(file)) {
        true => Ok(miniseed::read(file)?),
        false => Ok(vec![read_one(file)?]),
    }
}

fn extension(file: &Path) -> String {
    file.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase()
}

/// Reads the trace of a file with a single trace.
///
/// # Errors
/// An unreadable file.
pub(crate) fn read_one(file: &Path) -> Result<Trace, Error> {
    let name = TraceName::of_file(file);
    if extension(file) == "sac" {
        return Ok(of_sac(name, &sac::read(file)?));
    }
    let text = text_trace::read(file)?;
    let numbers =
        |key: &str| -> Option<Vec<f64>> { text.value(key)?.split_whitespace().map(|word| word.parse().ok()).collect() };
    let number =
        |key: &str| numbers(key).and_then(|numbers| numbers.first().copied()).filter(|number| number.is_finite());
    let position = numbers("position").and_then(|numbers| numbers.try_into().ok());
    let offset = number("offset");
    // Files of earlier versions have no `distance`.
    let distance = number("distance").or(offset);
    let way = distance.zip(number("azimuth")).zip(number("back_azimuth")).map(|((distance, azimuth), back_azimuth)| {
        Way { distance, azimuth, back_azimuth, arc: number("distance_degrees") }
    });
    let situation = Situation {
        way,
        radial: number("radial_azimuth"),
        convergence: number("convergence").unwrap_or(0.0),
        on_sphere: text.value("surface") == Some(SPHERE),
        ..Situation::default()
    };
    Ok(Trace { name, start: text.start_time, dt: text.dt, samples: text.samples, position, offset, situation })
}

/// The trace of a SAC file.
pub(crate) fn of_sac(name: TraceName, sac: &SacTrace) -> Trace {
    let position = match sac.user[..3] {
        [Some(x), Some(y), Some(z)] => Some([x, y, z]),
        _ => None,
    };
    let samples = sac.samples.iter().map(|&sample| sample.into()).collect();
    let offset = sac.user[3].or_else(|| Some(1000.0 * sac.distance_km?));
    let way = || {
        let distance = 1000.0 * sac.distance_km?;
        Some(Way { distance, azimuth: sac.event_azimuth?, back_azimuth: sac.back_azimuth?, arc: sac.arc })
    };
    // Azimuth of the first of the two horizontal components, according to the direction of this one.
    let first = |letters: [char; 2], second: [char; 2]| {
        let letter = name.component.chars().last()?;
        let azimuth = sac.azimuth?;
        let of_second = second.contains(&letter).then(|| clockwise(azimuth - 90.0));
        letters.contains(&letter).then_some(azimuth).or(of_second)
    };
    let radial = first(['R'; 2], ['T'; 2]);
    // Between -180 and 180 degrees.
    let convergence = first(['N', 'Y'], ['E', 'X']).map_or(0.0, |azimuth| clockwise(azimuth + 180.0) - 180.0);
    let situation = Situation {
        way: way(),
        event_name: Some(sac.event_name.clone()).filter(|name| !name.is_empty()),
        event_time: sac.origin,
        centroid_time: sac.pick.as_ref().filter(|(_, name)| name == CENTROID).map(|(time, _)| *time),
        zero: sac.reference,
        radial,
        convergence,
        on_sphere: sac.surface == SPHERE,
        ..Situation::default()
    };
    Trace { name, start: sac.begin, dt: sac.delta, samples, position, offset, situation }
}

/// Reads all traces of a folder, or of its subfolder `seismograms`, ordered by name. If a trace exists in several
/// formats, the one with the most information is read: text with a header, which has more digits than SAC, then SAC,
/// then plain two-column text, then miniSEED.
///
/// # Errors
/// [`Error::Read`] if the folder is unreadable or has no trace; a file that is not a trace.
pub fn read_folder(folder: &Path) -> Result<Vec<Trace>, Error> {
    let mut files: BTreeMap<TraceName, (u8, PathBuf)> = BTreeMap::new();
    let mut of_stations = Vec::new();
    for (file, form) in files_of(folder)? {
        let rank = match form {
            SeismogramFormat::Text => 0,
            SeismogramFormat::Sac => 1,
            SeismogramFormat::Specfem => 2,
            SeismogramFormat::Miniseed => {
                of_stations.push(file);
                continue;
            }
        };
        let best = files.entry(TraceName::of_file(&file)).or_insert_with(|| (rank, file.clone()));
        if rank < best.0 {
            *best = (rank, file);
        }
    }
    let mut traces = BTreeMap::new();
    for (name, (_, file)) in files {
        traces.insert(name, read_one(&file)?);
    }
    for file in of_stations {
        for trace in miniseed::read(&file)? {
            traces.entry(trace.name.clone()).or_insert(trace);
        }
    }
    let mut traces: Vec<Trace> = traces.into_values().collect();
    let times = traces.iter_mut().map(|trace| (&mut trace.situation, &mut trace.start));
    miniseed::count_from_one_second(times.collect());
    Ok(traces)
}

/// The seismogram files of a folder, or of its subfolder `seismograms`, with their formats, ordered by name. Text files
/// that are no traces are left out.
///
/// # Errors
/// [`Error::Read`] if the folder is unreadable or has no seismogram.
pub(crate) fn files_of(folder: &Path) -> Result<Vec<(PathBuf, SeismogramFormat)>, Error> {
    let inner = folder.join(FOLDER);
    let folder = if inner.is_dir() { &inner } else { folder };
    let failed = |source| Error::Read {
        file: folder.to_owned(),
        source,
        hint: "give a results folder, a folder of seismograms (.sac, .mseed, .txt or SPECFEM's), or one file"
            .to_owned(),
    };
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let file = entry.map_err(failed)?.path();
        files.extend(form_of(&file).map(|form| (file, form)));
    }
    let has_specfem = files.iter().any(|(_, form)| *form == SeismogramFormat::Specfem);
    files.retain(|(file, form)| *form != SeismogramFormat::Text || is_text_trace(file, has_specfem));
    if files.is_empty() && folder.join(PROBLEM_FILE).exists() {
        return Err(Error::Read {
            file: folder.to_owned(),
            source: std::io::Error::new(std::io::ErrorKind::NotFound, "it has results of gravity, not seismograms"),
            hint: "with output.pictures, `craton gravity` draws gravity.png and gradient.png in the results folder; \
                   gravity.csv and gravity.nc have the values"
                .to_owned(),
        });
    }
    if files.is_empty() {
        return Err(failed(std::io::Error::new(std::io::ErrorKind::NotFound, "it has no seismograms")));
    }
    files.sort_by(|(a, _), (b, _)| a.cmp(b));
    Ok(files)
}

/// Whether a text file of a folder is a trace: by its name, or without a quantity in its name by its first line of data.
/// Next to SPECFEM's traces, other text files are its reports.
///
/// Verified by `compare::files_of_a_folder_that_are_no_traces_are_left_out`.
fn is_text_trace(file: &Path, has_specfem: bool) -> bool {
    TraceName::of_file(file).quantity.is_some() || (!has_specfem && text_trace::may_be_trace(file))
}

/// The format of a seismogram by its extension; `None` for other files.
pub(crate) fn form_of(file: &Path) -> Option<SeismogramFormat> {
    match &*extension(file) {
        "txt" => Some(SeismogramFormat::Text),
        "sac" => Some(SeismogramFormat::Sac),
        "semd" | "semv" | "sema" | "semp" => Some(SeismogramFormat::Specfem),
        other => MINISEED.contains(&other).then_some(SeismogramFormat::Miniseed),
    }
}
