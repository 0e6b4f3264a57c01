//! Optical fibres inside the box.

use std::path::Path;

use craton_acquisition::{Fibre, Quantity, Receiver};
use craton_formats::table::Table;

use super::findings::{Checked, Findings, bad_acquisition, bad_file};
use super::ground::{Given as Unit, Ground, Written};
use super::receivers::and_others;
use crate::config::{FibreQuantity, ReceiverFibre};
use crate::error::Problem;
use crate::key_path::KeyPath;
use crate::written::Scenario;

/// A fibre inside the box.
#[derive(Debug, Clone, PartialEq)]
pub struct SensingFibre {
    /// Its channels; points and centres are in model coordinates.
    pub fibre: Fibre,
    /// Its points as receivers, in the same order.
    pub points: Vec<Receiver>,
    /// Its recorded quantities, without duplicates.
    pub quantities: Vec<Quantity>,
}

impl SensingFibre {
    /// A channel as a receiver, with the code `NAME.00001` for the first one.
    pub fn receiver(&self, channel: usize) -> Receiver {
        numbered(&self.fibre.name, channel, self.fibre.channels[channel].position)
    }
}

/// A receiver of a fibre. The name and the position are checked before.
fn numbered(name: &str, index: usize, position: [f64; 3]) -> Receiver {
    Receiver::new(&format!("{name}.{:05}", index + 1), position).expect("a checked name and position")
}

/// The fibres of a scenario.
///
/// Verified by `fibres::a_fibre_records_the_strain_along_it` and `fibres::impossible_fibres_are_refused`.
pub fn fibres(scenario: &Scenario, ground: &Ground, findings: &mut Findings) -> Vec<SensingFibre> {
    let path = KeyPath::default().key("receivers").key("fibre");
    let written = scenario.config.receivers.fibres.iter().enumerate();
    written.filter_map(|(index, fibre)| findings.keep(placed(fibre, scenario, ground, &path.index(index)))).collect()
}

fn placed(written: &ReceiverFibre, scenario: &Scenario, ground: &Ground, path: &KeyPath) -> Checked<SensingFibre> {
    let (cable, given) = cable(written, scenario, ground, path)?;
    let cable = match written.depth {
        Some(_) => subdivided(&cable, written.gauge_length.min(written.spacing)),
        None => cable,
    };
    let at_depth = |[x, y, z]: [f64; 3]| match written.depth {
        Some(depth) => [x, y, ground.surface.elevation(x, y) - depth],
        None => [x, y, z],
    };
    // Lengths and directions are those in space.
    let in_space: Vec<[f64; 3]> = cable.into_iter().map(|point| ground.frame.to_space(at_depth(point))).collect();
    let fibre = Fibre::new(&written.name, &in_space, written.gauge_length, written.spacing);
    let mut fibre = fibre.map_err(|error| bad_acquisition(&error, path))?;
    for channel in &mut fibre.channels {
        channel.position = at_depth(ground.frame.from_space(channel.position));
    }
    let positions = fibre.points.iter().map(|&point| at_depth(ground.frame.from_space(point))).collect();
    let fibre = fibre.with_points(positions);
    let points = inside(&fibre, ground, given, path)?;
    let positions = points.iter().map(Receiver::position).collect();
    let mut quantities = Vec::new();
    for quantity in &written.quantities {
        let quantity = match quantity {
            FibreQuantity::Strain => Quantity::FibreStrain,
            FibreQuantity::StrainRate => Quantity::FibreStrainRate,
        };
        if !quantities.contains(&quantity) {
            quantities.push(quantity);
        }
    }
    Ok(SensingFibre { fibre: fibre.with_points(positions), points, quantities })
}

/// The points of a cable as written, and their unit.
fn cable(
    written: &ReceiverFibre,
    scenario: &Scenario,
    ground: &Ground,
    path: &KeyPath,
) -> Checked<(Vec<[f64; 3]>, Unit)> {
    let Some(file) = &written.file else { return Ok((written.path.clone().unwrap_or_default(), Unit::Metres)) };
    let path = path.key("file");
    let table = scenario.table(file, &path)?;
    let given = if table.column("x").is_some() { Unit::Metres } else { Unit::Degrees };
    if given == Unit::Degrees && !ground.frame.is_geographic() {
        let problem = Problem::new(&path, "has no column `x`").value(format!("{:?}", file.display()));
        return Err(problem.allowed("columns `x`, `y` and `z`; longitudes require domain.projection").into());
    }
    let names = match given {
        Unit::Metres => ["x", "y", "z"],
        Unit::Degrees => ["longitude", "latitude", "depth"],
    };
    let columns = columns(&table, names, written.depth.is_some()).map_err(|error| bad_file(&error, file, &path))?;
    let point = |row: usize| {
        let [first, second, third] = [0, 1, 2].map(|column| columns[column].map_or(0.0, |column| column[row]));
        match given {
            Unit::Metres => Ok([first, second, third]),
            Unit::Degrees => {
                let place = Written { position: None, degrees: Some([first, second]), depth: Some(third) };
                ground.position(place, &path).map_err(|problem| in_row(*problem, &table, file, row))
            }
        }
    };
    Ok(((0..table.row_count()).map(point).collect::<Checked<_>>()?, given))
}

/// Three columns of a table; the last one may be missing if it is not needed.
fn columns<'a>(
    table: &'a Table,
    names: [&str; 3],
    without_last: bool,
) -> Result<[Option<&'a [f64]>; 3], craton_formats::FormatError> {
    let last = if without_last { table.column(names[2]) } else { Some(table.require(names[2])?) };
    Ok([Some(table.require(names[0])?), Some(table.require(names[1])?), last])
}

/// The problem of a point, with its line.
fn in_row(problem: Problem, table: &Table, file: &Path, row: usize) -> Box<Problem> {
    let message = format!("{}, line {}: {}", file.display(), table.line(row), problem.message);
    Box::new(Problem { message, ..problem })
}

/// The points of a cable with others between them, so that no piece is longer than a length horizontally.
fn subdivided(cable: &[[f64; 3]], longest: f64) -> Vec<[f64; 3]> {
    /// More points per piece are pointless; the number of channels has its own limit.
    const MOST: f64 = 1e6;
    let mut points: Vec<[f64; 3]> = cable.first().copied().into_iter().collect();
    for ends in cable.windows(2) {
        let [from, to] = [ends[0], ends[1]];
        let count = ((to[0] - from[0]).hypot(to[1] - from[1]) / longest).ceil().clamp(1.0, MOST);
        let at = |part: f64| std::array::from_fn(|axis| from[axis] + part * (to[axis] - from[axis]));
        points.extend((1..=count as usize).map(|number| at(number as f64 / count)));
    }
    points
}

/// The points of a fibre as receivers inside the box.
fn inside(fibre: &Fibre, ground: &Ground, given: Unit, path: &KeyPath) -> Checked<Vec<Receiver>> {
    let point = |(index, &position): (usize, &[f64; 3])| {
        let located = ground.inside(position, given).map_err(|beyond| {
            let what = format!("a point of fibre {}", fibre.name);
            Box::new(beyond.problem(&what, &and_others(&[]), path))
        })?;
        let receiver = numbered(&fibre.name, index, located.position);
        Ok(if located.on_surface { receiver.on_surface() } else { receiver })
    };
    fibre.points.iter().enumerate().map(point).collect()
}
