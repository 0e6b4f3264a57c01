//! Checks of the receivers.

use std::collections::HashMap;

use craton_acquisition::Receiver;

use super::exactly_one;
use super::place::{Place, outside};
use crate::config::{Config, MOST_RECEIVERS, ReceiverFibre, ReceiverGrid, ReceiverLine, SeismogramFormat};
use crate::error::Problem;
use crate::key_path::KeyPath;

/// Smallest number of digits in the codes of lines and grids.
const DIGITS: usize = 4;

/// Problems of the receivers.
pub fn receivers(config: &Config, path: &KeyPath) -> Vec<Problem> {
    let receivers = &config.receivers;
    let empty = receivers.stations.is_empty()
        && receivers.lines.is_empty()
        && receivers.grids.is_empty()
        && receivers.fibres.is_empty()
        && receivers.stations_file.is_none();
    let snapshots = &config.output.snapshots;
    if empty && snapshots.surface.is_none() && snapshots.slices.is_empty() && snapshots.volume.is_none() {
        let problem = Problem::new(path, "there is no receiver and no snapshot");
        return vec![
            problem.hint("add receivers, such as stations = [ { code = \"XX.S1\", position = [0.0, 0.0, 0.0] } ]"),
        ];
    }
    let mut problems = stations(config, &path.key("stations"));
    for (index, line) in receivers.lines.iter().enumerate() {
        problems.extend(line_inside(line, config, &path.key("line").index(index)));
    }
    for (index, grid) in receivers.grids.iter().enumerate() {
        problems.extend(grid_inside(grid, config, &path.key("grid").index(index)));
    }
    for (index, fibre) in receivers.fibres.iter().enumerate() {
        let earlier = &receivers.fibres[..index];
        problems.extend(bad_fibre(fibre, earlier, &path.key("fibre").index(index)));
    }
    problems
}

/// The problem of a fibre whose name is no file name or occurs twice, or that has no path or two.
fn bad_fibre(fibre: &ReceiverFibre, earlier: &[ReceiverFibre], path: &KeyPath) -> Option<Problem> {
    let problem = |message: &str| Problem::new(path.key("name"), message).value(format!("{:?}", fibre.name));
    if fibre.name.contains('.') || Receiver::new(&format!("{}.1", fibre.name), [0.0; 3]).is_err() {
        let allowed = "ASCII letters, digits, `-` and `_`, at most 32";
        return Some(problem("is not a valid name").allowed(allowed));
    }
    if earlier.iter().any(|other| other.name == fibre.name) {
        return Some(problem("is the name of another fibre").hint("give each fibre a unique name"));
    }
    exactly_one(path, &[("path", fibre.path.is_some()), ("file", fibre.file.is_some())])
}

fn stations(config: &Config, path: &KeyPath) -> Vec<Problem> {
    let mut problems = Vec::new();
    let mut known: HashMap<&str, usize> = HashMap::new();
    for (index, station) in config.receivers.stations.iter().enumerate() {
        let path = path.index(index);
        problems.extend(bad_code(&station.code, 0, config, &path));
        if let Some(first) = known.insert(&station.code, index) {
            let problem = Problem::new(path.key("code"), format!("station [{first}] has the same code"));
            problems.push(problem.value(format!("{:?}", station.code)).hint("give each station a unique code"));
        }
        let place = Place {
            position: station.position,
            longitude: station.longitude,
            latitude: station.latitude,
            depth: station.depth,
        };
        let what = format!("receiver {}", station.code);
        problems.extend(place.check(&what, &config.domain, config.receivers.snap_to_surface, &path));
    }
    problems
}

/// The problem of a code that is not a valid file name, or too long for a seismogram format.
///
/// # Arguments
/// * `code` – the code as written
/// * `digits` – number of digits that are appended
fn bad_code(code: &str, digits: usize, config: &Config, path: &KeyPath) -> Option<Problem> {
    let problem = |message: &str| Problem::new(path.key("code"), message).value(format!("{code:?}"));
    let Ok(receiver) = Receiver::new(code, [0.0; 3]) else {
        let allowed = "NET.STA or NET.STA.LOC with ASCII letters, digits, `-` and `_`, at most 32 each";
        return Some(problem("is not a valid station code").allowed(allowed));
    };
    let form = too_long_for(&receiver, digits, config)?;
    let problem = problem(&format!("is too long for {}", form.name));
    Some(problem.allowed(format!("{}, including the number", form.allowed)).hint(TOO_LONG_HINT))
}

/// The hint for codes that are too long.
pub const TOO_LONG_HINT: &str = "shorten the code, or set output.seismograms = [\"text\"]";

/// A seismogram format and its code lengths.
pub struct CodeLimits {
    format: SeismogramFormat,
    /// Name of the format.
    pub name: &'static str,
    /// The code lengths, in words.
    pub allowed: &'static str,
    /// Largest number of characters of network, station and location.
    most: [usize; 3],
}

const CODE_LIMITS: [CodeLimits; 2] = [
    CodeLimits {
        format: SeismogramFormat::Sac,
        name: "SAC",
        allowed: "at most 8 characters each for network, station and location",
        most: [8; 3],
    },
    CodeLimits {
        format: SeismogramFormat::Miniseed,
        name: "miniSEED",
        allowed: "at most 2 characters for the network, 5 for the station and 2 for the location",
        most: [2, 5, 2],
    },
];

/// The requested format that does not support the code of a receiver, if there is one.
///
/// # Arguments
/// * `digits` – number of digits that are appended to the code
pub fn too_long_for(receiver: &Receiver, digits: usize, config: &Config) -> Option<&'static CodeLimits> {
    let codes = [receiver.network().len(), receiver.station().len() + digits, receiver.location().map_or(0, str::len)];
    let is_too_long = |limits: &&CodeLimits| codes.into_iter().zip(limits.most).any(|(length, most)| length > most);
    CODE_LIMITS.iter().filter(|limits| config.output.seismograms.contains(&limits.format)).find(is_too_long)
}

/// Number of digits in the codes of this many receivers.
fn digits(count: usize) -> usize {
    DIGITS.max(count.to_string().len())
}

fn line_inside(line: &ReceiverLine, config: &Config, path: &KeyPath) -> Vec<Problem> {
    let ends = [("from", "first", line.from), ("to", "last", line.to)];
    let inside = ends.into_iter().filter_map(|(key, which, position)| {
        let what = format!("the {which} receiver of line {}", line.code);
        outside(&what, position, &config.domain, config.receivers.snap_to_surface, &path.key(key))
    });
    bad_code(&line.code, digits(line.count), config, path).into_iter().chain(inside).collect()
}

fn grid_inside(grid: &ReceiverGrid, config: &Config, path: &KeyPath) -> Vec<Problem> {
    let corners = [[grid.x[0], grid.y[0], grid.z], [grid.x[1], grid.y[1], grid.z]];
    let inside = corners.into_iter().find_map(|corner| {
        let what = format!("a corner of grid {}", grid.code);
        outside(&what, corner, &config.domain, config.receivers.snap_to_surface, path)
    });
    let count = grid.count[0].saturating_mul(grid.count[1]);
    let too_many = (count > MOST_RECEIVERS).then(|| {
        let problem = Problem::new(path.key("count"), format!("results in {count} receivers"));
        problem.value(format!("{:?}", grid.count)).allowed(format!("at most {MOST_RECEIVERS}"))
    });
    bad_code(&grid.code, digits(count), config, path).into_iter().chain(inside).chain(too_many).collect()
}
