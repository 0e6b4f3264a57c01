//! Receivers.

use std::collections::HashMap;

use craton_acquisition::Receiver;

use super::place::{Place, outside};
use crate::config::{Config, ReceiverGrid, ReceiverLine, SeismogramFormat};
use crate::error::Problem;
use crate::key_path::KeyPath;

/// Characters that a SAC header has for a code.
const SAC_CODE: usize = 8;
/// Digits in the codes of lines and grids.
const DIGITS: usize = 4;

/// What is wrong with the receivers.
pub fn receivers(config: &Config, path: &KeyPath) -> Vec<Problem> {
    let receivers = &config.receivers;
    let empty = receivers.stations.is_empty()
        && receivers.lines.is_empty()
        && receivers.grids.is_empty()
        && receivers.stations_file.is_none();
    let snapshots = &config.output.snapshots;
    if empty && snapshots.surface.is_none() && snapshots.slices.is_empty() && snapshots.volume.is_none() {
        let problem = Problem::new(path, "there is neither a receiver nor a snapshot: nothing would be recorded");
        return vec![problem.hint("for instance stations = [ { code = \"XX.S1\", position = [0.0, 0.0, 0.0] } ]")];
    }
    let mut problems = stations(config, &path.key("stations"));
    for (index, line) in receivers.lines.iter().enumerate() {
        problems.extend(line_inside(line, config, &path.key("line").index(index)));
    }
    for (index, grid) in receivers.grids.iter().enumerate() {
        problems.extend(grid_inside(grid, config, &path.key("grid").index(index)));
    }
    problems
}

fn stations(config: &Config, path: &KeyPath) -> Vec<Problem> {
    let mut problems = Vec::new();
    let mut known: HashMap<&str, usize> = HashMap::new();
    for (index, station) in config.receivers.stations.iter().enumerate() {
        let path = path.index(index);
        problems.extend(bad_code(&station.code, 0, config, &path));
        if let Some(first) = known.insert(&station.code, index) {
            let problem = Problem::new(path.key("code"), format!("station [{first}] has this code too"));
            problems.push(problem.value(format!("{:?}", station.code)).hint("give each station its own code"));
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

/// A code that cannot name a file, or that a SAC header has no room for.
///
/// # Arguments
/// * `code` – as it is written
/// * `digits` – digits that will follow it
fn bad_code(code: &str, digits: usize, config: &Config, path: &KeyPath) -> Option<Problem> {
    let problem = |message: &str| Problem::new(path.key("code"), message).value(format!("{code:?}"));
    let Ok(receiver) = Receiver::new(code, [0.0; 3]) else {
        let allowed = "NET.STA or NET.STA.LOC, of ASCII letters, digits, `-` and `_`, at most 32 each";
        return Some(problem("is no code of a station").allowed(allowed));
    };
    let sac = config.output.seismograms.contains(&SeismogramFormat::Sac);
    (sac && (receiver.network().len() > SAC_CODE || receiver.station().len() + digits > SAC_CODE)).then(|| {
        problem("is too long for SAC")
            .allowed(format!("at most {SAC_CODE} characters for network and station each, numbers included"))
            .hint("shorten it, or set output.seismograms = [\"text\"]")
    })
}

fn line_inside(line: &ReceiverLine, config: &Config, path: &KeyPath) -> Vec<Problem> {
    let ends = [("from", "first", line.from), ("to", "last", line.to)];
    let inside = ends.into_iter().filter_map(|(key, which, position)| {
        let what = format!("the {which} receiver of line {}", line.code);
        outside(&what, position, &config.domain, config.receivers.snap_to_surface, &path.key(key))
    });
    bad_code(&line.code, DIGITS, config, path).into_iter().chain(inside).collect()
}

fn grid_inside(grid: &ReceiverGrid, config: &Config, path: &KeyPath) -> Vec<Problem> {
    let corners = [[grid.x[0], grid.y[0], grid.z], [grid.x[1], grid.y[1], grid.z]];
    let inside = corners.into_iter().find_map(|corner| {
        let what = format!("a corner of grid {}", grid.code);
        outside(&what, corner, &config.domain, config.receivers.snap_to_surface, path)
    });
    bad_code(&grid.code, DIGITS, config, path).into_iter().chain(inside).collect()
}
