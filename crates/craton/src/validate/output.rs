//! Checks of the output.

use std::path::Path;

use super::exactly_one;
use crate::config::{Config, FibreFormat, GatherFormat, Quantity, SeismogramFormat, Slice, Snapshot};
use crate::error::Problem;
use crate::key_path::KeyPath;
use crate::number::Number;

/// Largest number of samples of a seismogram.
const MOST_SAMPLES: f64 = 1e9;
/// Largest sample interval that all readers of SEG-Y understand [s].
const LARGEST_INTERVAL: f64 = 0.032767;

/// The problem of an empty results folder.
///
/// # Arguments
/// * `path` – the table with the key `directory`
pub fn nameless_folder(directory: &Path, path: &KeyPath) -> Option<Problem> {
    let problem =
        || Problem::new(path.key("directory"), "is empty").value("\"\"").hint("give a folder for the results");
    directory.as_os_str().is_empty().then(problem)
}

/// Problems of the output.
pub fn output(config: &Config, path: &KeyPath) -> Vec<Problem> {
    let output = &config.output;
    let mut problems = Vec::new();
    problems.extend(nameless_folder(&output.directory, path));
    let interval = |path: KeyPath, value: f64| {
        (value > config.duration).then(|| {
            let problem = Problem::new(path, "is longer than the simulation").value(Number(value));
            problem.allowed(format!("<= duration = {} s", Number(config.duration)))
        })
    };
    problems.extend(nameless_quantity(config, &path.key("seismograms")));
    problems.extend(output.sample_interval.and_then(|value| interval(path.key("sample_interval"), value)));
    problems.extend(too_many_samples(config, &path.key("sample_interval")));
    problems.extend(too_long_for_headers(config, &path.key("sample_interval")));
    let path = path.key("snapshots");
    let whole = [("surface", &output.snapshots.surface), ("volume", &output.snapshots.volume)];
    for (key, snapshot) in whole {
        let (path, Some(snapshot)) = (path.key(key), snapshot) else { continue };
        problems.extend(interval(path.key("every"), snapshot.every));
        let is_map = key == "surface" && config.domain.globe.is_some();
        problems.extend(turned(snapshot, is_map, &path));
    }
    for (index, slice) in output.snapshots.slices.iter().enumerate() {
        let path = path.key("slices").index(index);
        problems.extend(interval(path.key("every"), slice.snapshot.every));
        problems.extend(turned(&slice.snapshot, false, &path));
        problems.extend(plane(slice, config, &path));
    }
    problems
}

/// The problem of `rotate` outside maps of the globe, or without pictures.
fn turned(snapshot: &Snapshot, is_map: bool, path: &KeyPath) -> Option<Problem> {
    let problem =
        || Problem::new(path.key("rotate"), "is supported only for `output.snapshots.surface` with `domain.globe`");
    let useless = || Problem::new(path.key("rotate"), "changes pictures, but no pictures are drawn");
    match (snapshot.rotate != 0.0, is_map, snapshot.png) {
        (true, false, _) => Some(problem().hint("remove `rotate`").at_key()),
        (true, true, false) => Some(useless().hint("set `png = true`, or remove `rotate`").at_key()),
        _ => None,
    }
}

/// The problem of more samples than a SAC file or the memory can hold.
fn too_many_samples(config: &Config, path: &KeyPath) -> Option<Problem> {
    let interval = config.output.sample_interval?;
    let least = config.duration / MOST_SAMPLES;
    let samples = Number(config.duration / interval);
    let problem = Problem::new(path, format!("results in {samples:.0} samples per seismogram")).value(Number(interval));
    let problem = problem.allowed(format!(">= {} s, which results in {} samples", Number(least), Number(MOST_SAMPLES)));
    (interval < least).then(|| problem.hint("check the unit: seconds"))
}

/// The problem of a sample interval above the largest signed number of microseconds in headers of SEG-Y.
fn too_long_for_headers(config: &Config, path: &KeyPath) -> Option<Problem> {
    let output = &config.output;
    let is_segy = output.gathers.contains(&GatherFormat::Segy) || output.fibres.contains(&FibreFormat::Segy);
    let interval = output.sample_interval.filter(|&interval| is_segy && interval > LARGEST_INTERVAL)?;
    let problem = Problem::new(path, "is too long for the headers of SEG-Y").value(Number(interval));
    let problem = problem.allowed(format!("<= {} s", Number(LARGEST_INTERVAL)));
    Some(problem.hint("sample more often, or write another format"))
}

/// The problem of a quantity that no requested format can represent: strain in SPECFEM and miniSEED, rotation in SPECFEM.
fn nameless_quantity(config: &Config, path: &KeyPath) -> Option<Problem> {
    use SeismogramFormat::{Miniseed, Specfem};
    let formats = &config.output.seismograms;
    let nameless = |quantity: &Quantity| match quantity {
        Quantity::Strain => Some(("strain", &[Specfem, Miniseed][..])),
        Quantity::Rotation => Some(("rotation", &[Specfem][..])),
        Quantity::RotationRate => Some(("rotation_rate", &[Specfem][..])),
        _ => None,
    };
    let of_none = |(_, without): &(&str, &[SeismogramFormat])| formats.iter().all(|format| without.contains(format));
    let (quantity, _) = config.receivers.quantities.iter().filter_map(nameless).find(of_none)?;
    let who = match (formats.contains(&Specfem), formats.contains(&Miniseed)) {
        (false, false) => return None,
        (true, true) => "SPECFEM file names and miniSEED",
        (false, true) => "miniSEED",
        (true, false) => "SPECFEM file names",
    };
    let problem = Problem::new(path, format!("{quantity} is recorded, but {who} cannot represent it"));
    Some(problem.hint("add the format \"sac\" or \"text\""))
}

/// The problem of a slice with no plane, several planes, or a plane outside the domain.
fn plane(slice: &Slice, config: &Config, path: &KeyPath) -> Option<Problem> {
    let domain = &config.domain;
    let planes = [("x", slice.x, domain.x()), ("y", slice.y, domain.y()), ("z", slice.z, domain.z())];
    let circle = slice.great_circle.is_some();
    let [x, y, z] = planes.map(|(axis, at, _)| (axis, at.is_some()));
    if circle && domain.globe.is_none() {
        let problem = Problem::new(path.key("great_circle"), "requires the whole Earth").at_key();
        return Some(problem.hint("give domain.globe, or a plane x, y or z"));
    }
    if let Some((axis, _)) = [x, y].into_iter().find(|(_, given)| *given && domain.globe.is_some()) {
        let problem = Problem::new(path.key(axis), "is not a plane of the whole Earth").at_key();
        return Some(problem.hint("give great_circle = { longitude = .., latitude = .., azimuth = .. }, or z"));
    }
    exactly_one(path, &[x, y, z, ("great_circle", circle)]).or_else(|| {
        let (axis, at, [from, to]) = planes.into_iter().find(|(_, at, _)| at.is_some())?;
        let at = at.filter(|at| !(from..=to).contains(at))?;
        let problem = Problem::new(path.key(axis), "the slice is outside the domain").value(Number(at));
        Some(problem.allowed(format!("{axis} from {} to {} m", Number(from), Number(to))))
    })
}
