//! Operations on maps, in the order of the command line.

use clap::error::{Error, ErrorKind};
use clap::{Arg, ArgMatches, Args, Command, FromArgMatches};
use craton::process::{Direction, Edges, MapOperation};

use crate::operations::{Known, Plain, plain, valued};
use crate::values::{angles, height, map_axis, padding};

/// Heading of the operations in the help.
const HEADING: &str = "Operations on maps of gravity and magnetic fields, applied in the given order";

/// Operations that take a value, in the order of the help.
const VALUED: [Known<MapOperation>; 3] = [
    ("upward", "METRES", "Continue upwards by this height", |text| Ok(MapOperation::Upward(height(text)?))),
    ("derivative", "AXIS", "Derivative along x (east), y (north) or z (up), per metre", |text| {
        Ok(MapOperation::Derivative(map_axis(text)?))
    }),
    (
        "pole",
        "I,D",
        "Reduce a total-field anomaly to the pole: inclination and declination of the main field [degrees]",
        |text| {
            let main = angles(text)?;
            Ok(MapOperation::Pole { main, magnetisation: main })
        },
    ),
];

/// Operations without a value.
const PLAIN: [Plain<MapOperation>; 2] = [
    ("tilt", "Tilt angle [degrees]", MapOperation::Tilt),
    ("gradient", "Length of the gradient (amplitude of the analytic signal), per metre", MapOperation::TotalGradient),
];

/// The operations on maps, in the order of the command line, and their parameters.
#[derive(Debug, Clone)]
pub struct MapOperations {
    /// The operations.
    pub operations: Vec<MapOperation>,
    /// Treatment of the edges.
    pub edges: Edges,
    /// The variable of netCDF files.
    pub variable: Option<String>,
}

impl FromArgMatches for MapOperations {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let names = VALUED.iter().map(|known| known.0).chain(PLAIN.iter().map(|known| known.0));
        let mut found: Vec<(usize, MapOperation)> = names
            .filter_map(|name| Some(matches.indices_of(name)?.zip(matches.get_many::<MapOperation>(name)?.copied())))
            .flatten()
            .collect();
        found.sort_by_key(|&(index, _)| index);
        let given: Option<Direction> = matches.get_one("magnetisation").copied();
        let detailed = |(_, operation)| match (operation, given) {
            (MapOperation::Pole { main, .. }, Some(magnetisation)) => MapOperation::Pole { main, magnetisation },
            (other, _) => other,
        };
        let padding = matches.get_one("padding").copied().unwrap_or(Edges::default().padding);
        let operations: Vec<MapOperation> = found.into_iter().map(detailed).collect();
        let variable = matches.get_one("variable").cloned();
        if operations.is_empty() && (variable.is_some() || matches.contains_id("padding")) {
            let message = "--variable and --padding belong to operations on maps, but none is given";
            return Err(Error::raw(ErrorKind::MissingRequiredArgument, format!("{message}\n")));
        }
        Ok(Self { operations, edges: Edges { padding, ..Edges::default() }, variable })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Args for MapOperations {
    fn augment_args(command: Command) -> Command {
        let valued = VALUED.map(|known| valued(HEADING, known));
        let plain = PLAIN.map(|known| plain(HEADING, known));
        let detail = |name: &'static str, value: &'static str, help: &'static str| {
            Arg::new(name).long(name).value_name(value).help(help).help_heading(HEADING).allow_hyphen_values(true)
        };
        command
            .args(valued)
            .args(plain)
            .arg(
                detail("magnetisation", "I,D", "Direction of the magnetisation for --pole [default: the main field]")
                    .requires("pole")
                    .value_parser(angles),
            )
            .arg(
                detail("padding", "PART", "Padding on each side, as a fraction of the map, 0 to 1 [default: 0.5]")
                    .value_parser(padding),
            )
            .arg(detail("variable", "NAME", "Map of netCDF files [default: all maps]"))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}
