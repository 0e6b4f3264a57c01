//! Operations on seismograms, which keep the order in which they stand on the command line.

use clap::error::Error;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};
use craton::process::{Band, Operation, Pulse};

use crate::values::{band, decimation, frequency, place, poles, seconds, signed_factor, taper, time, window};

/// Heading of the operations in the help.
const HEADING: &str = "Operations, in the order in which they are given";
/// Heading of what holds for all operations of a kind.
const DETAILS: &str = "Details of operations, wherever they stand";
/// Poles of a filter for which nobody says another number.
const POLES: usize = 4;

/// An operation as an option: its name, the name of its value, its help, and what becomes of the value.
type Known = (&'static str, &'static str, &'static str, fn(&str) -> Result<Operation, String>);

/// Operations that take a value, in the order of the help.
const VALUED: [Known; 11] = [
    ("lowpass", "HZ", "Butterworth low-pass", |text| Ok(filter(Band::LowPass { corner: frequency(text)? }))),
    ("highpass", "HZ", "Butterworth high-pass", |text| Ok(filter(Band::HighPass { corner: frequency(text)? }))),
    ("bandpass", "LOW,HIGH", "Butterworth band-pass between two frequencies [Hz]", |text| {
        let [low, high] = band(text)?;
        Ok(filter(Band::BandPass { low, high }))
    }),
    ("decimate", "N", "Every Nth sample, behind a zero-phase anti-alias filter", |text| {
        Ok(Operation::Decimate(decimation(text)?))
    }),
    ("resample", "SECONDS", "Another sampling interval, band-limited", |text| Ok(Operation::Resample(seconds(text)?))),
    ("convolve-gaussian", "SECONDS", "Gaussian source of this half duration, as in SPECFEM", |text| {
        Ok(Operation::Convolve(Pulse::Gaussian { half_duration: seconds(text)? }))
    }),
    ("convolve-triangle", "SECONDS", "Triangular source of this half duration, as in CMTs", |text| {
        Ok(Operation::Convolve(Pulse::Triangle { half_duration: seconds(text)? }))
    }),
    ("taper", "PART", "Cosine taper over this part of each end, up to 0.5", |text| Ok(Operation::Taper(taper(text)?))),
    ("cut", "FROM,TO", "Keep these times only [s]", |text| {
        let [from, to] = window(text)?;
        Ok(Operation::Cut { from, to })
    }),
    ("shift", "SECONDS", "Make the traces come later", |text| Ok(Operation::Shift(time(text)?))),
    ("scale", "FACTOR", "Multiply the samples", |text| Ok(Operation::Scale(signed_factor(text)?))),
];

/// Operations without a value.
const PLAIN: [(&str, &str, Operation); 5] = [
    ("integrate", "Acceleration to velocity, velocity to displacement", Operation::Integrate),
    ("differentiate", "Displacement to velocity, velocity to acceleration", Operation::Differentiate),
    ("detrend", "Take the nearest line away", Operation::Detrend),
    ("demean", "Take the mean away", Operation::Demean),
    ("rotate", "N and E to radial and transverse, by the back-azimuth", Operation::Rotate { event: None }),
];

/// What is done, in the order in which it was written.
#[derive(Debug, Clone)]
pub struct Operations(pub Vec<Operation>);

/// A filter as it is without details.
fn filter(band: Band) -> Operation {
    Operation::Filter { band, poles: POLES, causal: false }
}

impl FromArgMatches for Operations {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let causal = matches.get_flag("causal");
        let poles = matches.get_one("poles").copied().unwrap_or(POLES);
        let event = matches.get_one("event-position").copied();
        let names = VALUED.iter().map(|known| known.0).chain(PLAIN.iter().map(|known| known.0));
        let mut found: Vec<(usize, Operation)> = names
            .filter_map(|name| Some(matches.indices_of(name)?.zip(matches.get_many::<Operation>(name)?.copied())))
            .flatten()
            .collect();
        found.sort_by_key(|&(index, _)| index);
        let detailed = |(_, operation)| match operation {
            Operation::Filter { band, .. } => Operation::Filter { band, poles, causal },
            Operation::Rotate { .. } => Operation::Rotate { event },
            other => other,
        };
        Ok(Self(found.into_iter().map(detailed).collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Args for Operations {
    fn augment_args(command: Command) -> Command {
        let valued = VALUED.map(|(name, value, help, parse)| {
            let arg = Arg::new(name).long(name).value_name(value).help(help).help_heading(HEADING);
            arg.action(ArgAction::Append).allow_hyphen_values(true).value_parser(parse)
        });
        let plain = PLAIN.map(|(name, help, operation)| {
            let arg = Arg::new(name).long(name).help(help).help_heading(HEADING).action(ArgAction::Append);
            // A flag that may be given again and keeps its place has a value that nobody writes.
            let parse = move |_: &str| Ok::<_, String>(operation);
            arg.num_args(0).default_missing_value("").value_parser(parse)
        });
        let detail =
            |name: &'static str, help: &'static str| Arg::new(name).long(name).help(help).help_heading(DETAILS);
        command
            .args(valued)
            .args(plain)
            .arg(
                detail("poles", "Poles of all filters [default: 4]")
                    .value_name("N")
                    .value_parser(poles)
                    .allow_hyphen_values(true),
            )
            .arg(detail("causal", "Filters forward only [default: without phase shift]").action(ArgAction::SetTrue))
            .arg(
                detail("event-position", "Turn by this place of the event in the plane of the model [m]")
                    .value_name("X,Y")
                    .value_parser(place)
                    .requires("rotate")
                    .allow_hyphen_values(true),
            )
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}
