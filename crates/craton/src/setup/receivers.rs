//! The receivers.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use craton_acquisition::specfem::receivers_from_stations;
use craton_acquisition::{AcquisitionError, Quantity, Receiver};
use craton_formats::stationxml::ChannelChoice;
use craton_formats::{DateTime, stations};

use super::findings::{Checked, Findings, bad_acquisition, bad_file, of_file};
use super::ground::{Given as Unit, Ground, Heights, Outside, Written};
use super::station_file::StationFile;
use crate::config::{self, Depths, Receivers, SeismogramFormat, Station, StationsOutside};
use crate::error::Problem;
use crate::inputs::{Given, Input, Text, wrong_kind};
use crate::key_path::KeyPath;
use crate::validate::{TOO_LONG_HINT, too_long_for};
use crate::written::Scenario;

/// Largest number of receivers that a message lists.
const NAMED: usize = 5;

/// Receivers from one place in the scenario: a station, a line, a grid or a file.
struct Group {
    path: KeyPath,
    /// The key of their positions.
    place: KeyPath,
    /// The unit of their positions.
    given: Unit,
    /// The file as named in the scenario, and its contents.
    file: Option<(PathBuf, StationFile)>,
    /// Whether they are a list of stations, from a file or the calling program, to which `receivers.outside` applies.
    is_list: bool,
    receivers: Vec<Receiver>,
    /// Codes of stations of the file that are left out because they are outside the box or beyond the map.
    outside: Vec<String>,
}

/// The valid receivers, in the order stations, lines, grids, file.
///
/// # Arguments
/// * `time` – time of the event, if a file has one
pub fn receivers(
    scenario: &Scenario,
    ground: &Ground,
    time: Option<DateTime>,
    findings: &mut Findings,
) -> Vec<Receiver> {
    let mut groups: Vec<Group> =
        groups(scenario, ground).into_iter().filter_map(|group| findings.keep(group)).collect();
    if let Some(file) = file(scenario, ground, time, findings) {
        groups.extend(findings.keep(file));
    }
    findings.problems.extend(duplicate_codes(&groups, &scenario.config.output.seismograms));
    let mut receivers = Vec::new();
    for group in &groups {
        receivers.extend(settle(group, scenario, ground, findings));
    }
    receivers
}

/// The quantities to record, without duplicates.
pub fn quantities(written: &Receivers) -> Vec<Quantity> {
    let mut quantities = Vec::new();
    for quantity in &written.quantities {
        let quantity = match quantity {
            config::Quantity::Displacement => Quantity::Displacement,
            config::Quantity::Velocity => Quantity::Velocity,
            config::Quantity::Acceleration => Quantity::Acceleration,
            config::Quantity::Strain => Quantity::Strain,
            config::Quantity::Pressure => Quantity::Pressure,
            config::Quantity::Rotation => Quantity::Rotation,
            config::Quantity::RotationRate => Quantity::RotationRate,
        };
        if !quantities.contains(&quantity) {
            quantities.push(quantity);
        }
    }
    quantities
}

/// The receivers that the scenario itself describes.
fn groups(scenario: &Scenario, ground: &Ground) -> Vec<Checked<Group>> {
    let path = KeyPath::default().key("receivers");
    let written = &scenario.config.receivers;
    let mut groups = Vec::new();
    for (index, station) in written.stations.iter().enumerate() {
        let path = path.key("stations").index(index);
        let (place, given) = match station.position {
            Some(_) => (path.key("position"), Unit::Metres),
            None => (path.clone(), Unit::Degrees),
        };
        let receiver = self::station(station, ground, &path);
        let group = |receiver| Group {
            path,
            place,
            given,
            file: None,
            is_list: false,
            receivers: vec![receiver],
            outside: Vec::new(),
        };
        groups.push(receiver.map(group));
    }
    for (index, line) in written.lines.iter().enumerate() {
        let path = path.key("line").index(index);
        let receivers = craton_acquisition::Receivers::line(&line.code, line.from, line.to, line.count);
        groups.push(group(path, receivers));
    }
    for (index, grid) in written.grids.iter().enumerate() {
        let path = path.key("grid").index(index);
        let receivers = craton_acquisition::Receivers::grid(&grid.code, grid.x, grid.y, grid.count, grid.z);
        groups.push(group(path, receivers));
    }
    groups
}

fn group(
    path: KeyPath,
    receivers: Result<craton_acquisition::Receivers, craton_acquisition::AcquisitionError>,
) -> Checked<Group> {
    match receivers {
        Ok(receivers) => {
            let (place, receivers) = (path.clone(), receivers.to_vec());
            Ok(Group { path, place, given: Unit::Metres, file: None, is_list: false, receivers, outside: Vec::new() })
        }
        Err(error) => Err(bad_acquisition(&error, &path)),
    }
}

fn station(station: &Station, ground: &Ground, path: &KeyPath) -> Checked<Receiver> {
    let degrees = station.longitude.zip(station.latitude).map(|(longitude, latitude)| [longitude, latitude]);
    let place = Written { position: station.position, degrees, depth: station.depth };
    let position = ground.position(place, path)?;
    let receiver =
        Receiver::new(&station.code, position).map_err(|error| bad_acquisition(&error, &path.key("code")))?;
    let buried = station.depth.is_some_and(|depth| depth > 0.0);
    Ok(if degrees.is_some() && !buried { receiver.on_surface() } else { receiver })
}

/// The receivers of the stations file, if there is one.
fn file(
    scenario: &Scenario,
    ground: &Ground,
    time: Option<DateTime>,
    findings: &mut Findings,
) -> Option<Checked<Group>> {
    let file = scenario.config.receivers.stations_file.as_ref()?;
    let path = KeyPath::default().key("receivers").key("stations_file");
    let group = match scenario.input(file) {
        Input::Given(Given::Receivers(given)) => return Some(given_receivers(given, scenario, &path)),
        Input::Given(given) if !matches!(given, Given::Text(_)) => Err(wrong_kind(given, "receivers", file, &path)),
        _ => {
            scenario.text(file, &path).and_then(|contents| from_file(scenario, (file, &contents), ground, time, &path))
        }
    };
    if let Ok(group) = &group {
        let positions: Vec<[f64; 3]> = group.receivers.iter().map(Receiver::position).collect();
        findings.warnings.extend(ground.degrees_warning(&positions, &path));
    }
    Some(group)
}

/// The group of receivers of the calling program.
fn given_receivers(given: &[(String, [f64; 3])], scenario: &Scenario, path: &KeyPath) -> Checked<Group> {
    let receiver = |(code, position): &(String, [f64; 3])| {
        let receiver = Receiver::new(code, *position).map_err(|error| bad_acquisition(&error, path))?;
        match too_long_for(&receiver, 0, &scenario.config) {
            None => Ok(receiver),
            Some(form) => {
                let problem = Problem::new(path, format!("receiver {code} is too long for {}", form.name));
                Err(problem.allowed(form.allowed).hint(TOO_LONG_HINT).into())
            }
        }
    };
    let receivers = given.iter().map(receiver).collect::<Checked<_>>()?;
    let (path, place) = (path.clone(), path.clone());
    Ok(Group { path, place, given: Unit::Metres, file: None, is_list: true, receivers, outside: Vec::new() })
}

fn from_file(
    scenario: &Scenario,
    (file, contents): (&Path, &Text),
    ground: &Ground,
    time: Option<DateTime>,
    path: &KeyPath,
) -> Checked<Group> {
    let written = &scenario.config.receivers;
    let epoch = epoch(written)?;
    let choice =
        ChannelChoice { channels: written.channels.clone(), locations: written.locations.clone(), time: epoch };
    let has_choice = choice != ChannelChoice::default();
    if has_choice && !contents.is_xml() {
        let problem =
            Problem::new(path, "is no StationXML file, so that `channels`, `locations` and `epoch` have no meaning");
        return Err(of_file(problem.hint("remove them"), file));
    }
    if written.depths == Depths::Heights && contents.is_xml() {
        let problem = Problem::new(path, "is a StationXML file, whose depths are below the surface");
        return Err(of_file(problem.hint("remove receivers.depths"), file));
    }
    let choice = has_choice.then_some(&choice);
    let mut read = StationFile::read(contents, epoch.or(time), choice).map_err(|error| bad_file(&error, file, path))?;
    let outside = match scenario.config.receivers.outside {
        StationsOutside::Refused => Vec::new(),
        StationsOutside::LeftOut => {
            read.remove_where(|station| ground.is_off_map(station.longitude_or_x, station.latitude_or_y))
        }
    };
    let outside = outside.iter().map(code_of).collect();
    let receivers = of_stations(&read.stations, written.depths, ground);
    let receivers = receivers.map_err(|error| invalid_station(&error, (&read, file), path))?;
    if let Some(problem) = too_long_code(&receivers, scenario, (&read, file), path) {
        return Err(problem);
    }
    let (path, place, given) = (path.clone(), path.clone(), ground.of_files());
    Ok(Group { path, place, given, file: Some((file.to_owned(), read)), is_list: true, receivers, outside })
}

/// The receivers of stations with depths of either meaning. Stations whose heights are above the ground are on it.
fn of_stations(
    stations: &[stations::Station],
    depths: Depths,
    ground: &Ground,
) -> Result<Vec<Receiver>, AcquisitionError> {
    if depths == Depths::BelowSurface {
        return Ok(receivers_from_stations(stations, ground)?.to_vec());
    }
    let upside_down = |station: &stations::Station| stations::Station { burial: -station.burial, ..station.clone() };
    let upside_down: Vec<stations::Station> = stations.iter().map(upside_down).collect();
    let receivers = receivers_from_stations(&upside_down, &Heights(ground))?;
    let at_most_on_ground = |receiver: &Receiver| {
        let [x, y, z] = receiver.position();
        let top = ground.on_surface([x, y]).position[2];
        receiver.moved([x, y, z.min(top)], z >= top)
    };
    receivers.iter().map(at_most_on_ground).collect()
}

/// The date at which channels and stations must be open, if there is one.
fn epoch(written: &Receivers) -> Checked<Option<DateTime>> {
    let Some(text) = &written.epoch else { return Ok(None) };
    let problem = || {
        let path = KeyPath::default().key("receivers").key("epoch");
        Problem::new(path, "is not a date")
            .value(format!("{text:?}"))
            .allowed("such as 2010-02-27 or 2010-02-27T06:34:11")
    };
    DateTime::from_iso(text).map(Some).ok_or_else(|| problem().into())
}

/// The code of a station of a file.
fn code_of(station: &stations::Station) -> String {
    format!("{}.{}", station.network, station.name)
}

/// The problem of a station of a file that cannot be a receiver, with its line.
fn invalid_station(error: &AcquisitionError, (read, file): (&StationFile, &Path), path: &KeyPath) -> Box<Problem> {
    let AcquisitionError::Unplaceable { name, .. } = error else {
        return of_file(*bad_acquisition(error, path), file);
    };
    let index = read.stations.iter().position(|station| code_of(station) == *name).expect("a station of the file");
    // The reason has the hint.
    Problem { hint: None, ..*bad_file(&read.refuse(index, &error.to_string(), ""), file, path) }.into()
}

/// The problem of receivers of a file whose codes are too long for a seismogram format, with the line of the first.
fn too_long_code(
    receivers: &[Receiver],
    scenario: &Scenario,
    (read, file): (&StationFile, &Path),
    path: &KeyPath,
) -> Option<Box<Problem>> {
    let form_of = |receiver: &Receiver| too_long_for(receiver, 0, &scenario.config);
    let (first, form) = receivers.iter().enumerate().find_map(|(index, receiver)| Some((index, form_of(receiver)?)))?;
    let others: Vec<String> =
        receivers[first + 1..].iter().filter(|receiver| form_of(receiver).is_some()).map(Receiver::code).collect();
    let others: Vec<&str> = others.iter().map(String::as_str).collect();
    let message = format!("station {} is too long for {}{}", receivers[first].code(), form.name, and_others(&others));
    let refused = read.refuse(first, &message, TOO_LONG_HINT);
    Some(bad_file(&refused, file, path).allowed(form.allowed).into())
}

/// The receivers of a group inside the box; others are rejected or left out.
fn settle(group: &Group, scenario: &Scenario, ground: &Ground, findings: &mut Findings) -> Vec<Receiver> {
    let snap = scenario.config.receivers.snap_to_surface;
    let mut inside = Vec::with_capacity(group.receivers.len());
    let mut outside = Vec::new();
    for (index, receiver) in group.receivers.iter().enumerate() {
        let [x, y, _] = receiver.position();
        let on_surface = snap || receiver.is_on_surface();
        let position = if on_surface { ground.on_surface([x, y]).position } else { receiver.position() };
        match ground.inside(position, group.given) {
            Ok(located) => {
                let moved = receiver.moved(located.position, located.on_surface);
                inside.push(moved.expect("a position inside the box"));
            }
            Err(beyond) => outside.push((index, beyond)),
        }
    }
    if group.is_list && scenario.config.receivers.outside == StationsOutside::LeftOut {
        let beyond: Vec<usize> = outside.drain(..).map(|(index, _)| index).collect();
        match left_out(&beyond, group) {
            Some(message) if inside.is_empty() => findings.problems.push(
                Problem::new(&group.path, message)
                    .hint("no station is inside; enlarge or move [domain], or use another file"),
            ),
            message => {
                findings.warnings.extend(message.map(|message| format!("{}: {message}", group.path)));
            }
        }
    }
    findings.problems.extend(outside_problem(&outside, group));
    inside
}

/// The warning about receivers of a group that are left out: those outside the box horizontally, and those below it or
/// above the surface by their indices.
fn left_out(beyond: &[usize], group: &Group) -> Option<String> {
    let codes = beyond.iter().map(|&index| group.receivers[index].code());
    let codes: Vec<String> = group.outside.iter().cloned().chain(codes).collect();
    let all = group.receivers.len() + group.outside.len();
    let named = named(&codes.iter().map(String::as_str).collect::<Vec<_>>());
    let warning = || format!("{} of {all} stations are outside the domain and are left out: {named}", codes.len());
    (!codes.is_empty()).then(warning)
}

/// The problem of receivers of a group outside the box, by their indices.
fn outside_problem(outside: &[(usize, Outside)], group: &Group) -> Option<Problem> {
    let ((first, beyond), others) = outside.split_first()?;
    let code = |index: usize| group.receivers[index].code();
    let others: Vec<String> = others.iter().map(|(index, _)| code(*index)).collect();
    let others: Vec<&str> = others.iter().map(String::as_str).collect();
    let problem = beyond.problem(&format!("receiver {}", code(*first)), &and_others(&others), &group.place);
    let problem = match beyond.above_surface {
        true => problem.hint("lower the receiver, or set receivers.snap_to_surface = true"),
        false => problem,
    };
    let Some((file, read)) = &group.file else { return Some(problem) };
    let hint =
        problem.hint.as_ref().map(|hint| format!("{hint}; receivers.outside = \"left_out\" leaves out such stations"));
    let problem = Problem { hint: hint.or(problem.hint), ..problem };
    let refused = read.refuse(*first, &problem.message, "");
    let Problem { message, value, .. } = *bad_file(&refused, file, &group.place);
    Some(Problem { message, value, ..problem })
}

/// `A, B and 3 more`.
fn named(codes: &[&str]) -> String {
    let named = codes.iter().take(NAMED).copied().collect::<Vec<_>>().join(", ");
    match codes.len().saturating_sub(NAMED) {
        0 => named,
        more => format!("{named} and {more} more"),
    }
}

/// `, like A, B and 3 more`.
pub(super) fn and_others(codes: &[&str]) -> String {
    match codes {
        [] => String::new(),
        [only] => format!(", like {only}"),
        several => format!(", like {}", named(several)),
    }
}

/// One problem for each group with duplicate codes, or with duplicate file names.
fn duplicate_codes(groups: &[Group], forms: &[SeismogramFormat]) -> Vec<Problem> {
    let (code, hint): (fn(&Receiver) -> String, _) = match forms.contains(&SeismogramFormat::Specfem) {
        true => (
            |receiver| format!("{}.{}", receiver.network(), receiver.station()),
            "give each receiver its own station code: SPECFEM file names (output.seismograms) have no location code",
        ),
        false => (Receiver::code, "give each receiver a unique code"),
    };
    let mut known: HashMap<String, &KeyPath> = HashMap::new();
    let mut problems = Vec::new();
    for group in groups {
        let mut repeated = Vec::new();
        for receiver in &group.receivers {
            if let Some(first) = known.insert(code(receiver), &group.path) {
                repeated.push((code(receiver), first));
            }
        }
        let Some((code, first)) = repeated.first() else { continue };
        let others: Vec<&str> = repeated[1..].iter().map(|(code, _)| code.as_str()).collect();
        let message = format!("receiver {code} is also in {first}{}", and_others(&others));
        problems.push(Problem::new(&group.path, message).hint(hint));
    }
    problems
}
