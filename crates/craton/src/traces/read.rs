//! Traces from files.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use craton_formats::sac::{self, SacTrace};
use craton_formats::text_trace;

use super::sac_header::CENTROID;
use super::{SPHERE, Situation, Trace, TraceName, Way, miniseed};
use crate::config::SeismogramFormat;
use crate::error::Error;
use crate::gravity::PROBLEM_FILE;

/// The folder of seismograms inside a results folder.
pub const FOLDER: &str = "seismograms";

/// Extensions of miniSEED.
const MINISEED: [&str; 3] = ["mseed", "miniseed", "msd"];

/// Reads the traces of a file: all channels of miniSEED (extensions `mseed`, `miniseed`, `msd`), else the one there is: of SAC for the
/// extension `sac`, of two columns of text for any other.
///
/// # Errors
/// A file that cannot be read or holds no trace; a channel of miniSEED with gaps.
pub fn read_file(file: &Path) -> Result<Vec<Trace>, Error> {
    match MINISEED.contains(&&*extension(file)) {
        true => Ok(miniseed::read(file)?),
        false => Ok(vec![read_one(file)?]),
    }
}

fn extension(file: &Path) -> String {
    file.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase()
}

/// Reads the trace of a file that holds one.
///
/// # Errors
/// A file that cannot be read.
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
    let way = offset.zip(number("azimuth")).zip(number("back_azimuth")).map(|((distance, azimuth), back_azimuth)| {
        Way { distance, azimuth, back_azimuth, arc: number("distance_degrees") }
    });
    let on_sphere = text.value("surface") == Some(SPHERE);
    let situation = Situation { way, radial: number("radial_azimuth"), on_sphere, ..Situation::default() };
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
    let way = || {
        let distance = 1000.0 * sac.distance_km?;
        Some(Way { distance, azimuth: sac.event_azimuth?, back_azimuth: sac.back_azimuth?, arc: sac.arc })
    };
    let radial = match (name.component.chars().last(), sac.azimuth) {
        (Some('R'), azimuth) => azimuth,
        (Some('T'), azimuth) => azimuth.map(|azimuth| (azimuth - 90.0).rem_euclid(360.0)),
        _ => None,
    };
    let situation = Situation {
        way: way(),
        event_name: Some(sac.event_name.clone()).filter(|name| !name.is_empty()),
        event_time: sac.origin,
        centroid_time: sac.pick.as_ref().filter(|(_, name)| name == CENTROID).map(|(time, _)| *time),
        zero: sac.reference,
        radial,
        on_sphere: sac.surface == SPHERE,
        ..Situation::default()
    };
    Trace { name, start: sac.begin, dt: sac.delta, samples, position, offset, situation }
}

/// Reads every trace of a folder, or of the folder `seismograms` in it, in the order of their names. Of a trace that is there in
/// several forms, the one that says most is taken: text with a header, which has more digits than SAC, then SAC, then two plain columns,
/// then miniSEED.
///
/// # Errors
/// [`Error::Read`] when the folder cannot be read or holds no trace; a file that is no trace.
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

/// The files of seismograms of a folder, or of the folder `seismograms` in it, with their forms, in the order of their names.
///
/// # Errors
/// [`Error::Read`] when the folder cannot be read or holds no seismogram.
pub(crate) fn files_of(folder: &Path) -> Result<Vec<(PathBuf, SeismogramFormat)>, Error> {
    let inner = folder.join(FOLDER);
    let folder = if inner.is_dir() { &inner } else { folder };
    let failed = |source| Error::Read {
        file: folder.to_owned(),
        source,
        hint: "give a results folder, a folder of seismograms (.sac, .mseed, .txt or SPECFEM's), or one such file"
            .to_owned(),
    };
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let file = entry.map_err(failed)?.path();
        files.extend(form_of(&file).map(|form| (file, form)));
    }
    if files.is_empty() && folder.join(PROBLEM_FILE).exists() {
        return Err(Error::Read {
            file: folder.to_owned(),
            source: std::io::Error::new(std::io::ErrorKind::NotFound, "it holds gravity, and seismograms are read here"),
            hint: "`craton gravity` draws its pictures beside the results, gravity.png and gradient.png, where output.pictures is not false; \
                   gravity.csv and gravity.nc hold the values"
                .to_owned(),
        });
    }
    if files.is_empty() {
        return Err(failed(std::io::Error::new(std::io::ErrorKind::NotFound, "no seismogram in it")));
    }
    files.sort_by(|(a, _), (b, _)| a.cmp(b));
    Ok(files)
}

/// The form that the extension of a seismogram tells; none of a file that is no seismogram.
pub(crate) fn form_of(file: &Path) -> Option<SeismogramFormat> {
    match &*extension(file) {
        "txt" => Some(SeismogramFormat::Text),
        "sac" => Some(SeismogramFormat::Sac),
        "semd" | "semv" | "sema" | "semp" => Some(SeismogramFormat::Specfem),
        other => MINISEED.contains(&other).then_some(SeismogramFormat::Miniseed),
    }
}
