//! Operations on seismograms, in the order of the command line.

use clap::error::Error;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};
use craton::process::{Band, Operation, Pulse};

use crate::values::{band, decimation, frequency, place, poles, seconds, signed_factor, taper, time, window};

/// Heading of the operations in the help.
const HEADING: &str = "Operations, applied in the given order";
/// Heading of the parameters of operations in the help.
const DETAILS: &str = "Parameters of operations, at any position";
/// Default number of poles of a filter.
const POLES: usize = 4;

/// An operation as an option: its name, the name of its value, its help text, and the parser of its value.
pub type Known<T> = (&'static str, &'static str, &'static str, fn(&str) -> Result<T, String>);
/// An operation without a value: its name, its help text, and what it is.
pub type Plain<T> = (&'static str, &'static str, T);

/// Operations that take a value, in the order of the help.
const VALUED: [Known<Operation>; 11] = [
    ("lowpass", "HZ", "Butterworth low-pass filter", |text| Ok(filter(Band::LowPass { corner: frequency(text)? }))),
    ("highpass", "HZ", "Butterworth high-pass filter", |text| Ok(filter(Band::HighPass { corner: frequency(text)? }))),
    ("bandpass", "LOW,HIGH", "Butterworth band-pass filter between two frequencies [Hz]", |text| {
        let [low, high] = band(text)?;
        Ok(filter(Band::BandPass { low, high }))
    }),
    ("decimate", "N", "Keep every Nth sample after a zero-phase anti-alias filter", |text| {
        Ok(Operation::Decimate(decimation(text)?))
    }),
    ("resample", "SECONDS", "Resample to this sample interval by band-limited interpolation", |text| {
        Ok(Operation::Resample(seconds(text)?))
    }),
    ("convolve-gaussian", "SECONDS", "Convolve with a Gaussian of this half duration, as in SPECFEM", |text| {
        Ok(Operation::Convolve(Pulse::Gaussian { half_duration: seconds(text)? }))
    }),
    ("convolve-triangle", "SECONDS", "Convolve with a triangle of this half duration, as in CMT catalogues", |text| {
        Ok(Operation::Convolve(Pulse::Triangle { half_duration: seconds(text)? }))
    }),
    ("taper", "PART", "Cosine taper over this fraction at each end, at most 0.5", |text| {
        Ok(Operation::Taper(taper(text)?))
    }),
    ("cut", "FROM,TO", "Keep only this time window [s]", |text| {
        let [from, to] = window(text)?;
        Ok(Operation::Cut { from, to })
    }),
    ("shift", "SECONDS", "Shift the traces to later times", |text| Ok(Operation::Shift(time(text)?))),
    ("scale", "FACTOR", "Multiply the samples by this factor", |text| Ok(Operation::Scale(signed_factor(text)?))),
];

/// Operations without a value.
const PLAIN: [Plain<Operation>; 5] = [
    ("integrate", "Acceleration to velocity, velocity to displacement", Operation::Integrate),
    ("differentiate", "Displacement to velocity, velocity to acceleration", Operation::Differentiate),
    ("detrend", "Remove the linear trend", Operation::Detrend),
    ("demean", "Remove the mean", Operation::Demean),
    ("rotate", "Rotate N and E to radial and transverse by the back-azimuth", Operation::Rotate { event: None }),
];

/// The operations, in the order of the command line.
#[derive(Debug, Clone)]
pub struct Operations(pub Vec<Operation>);

/// A filter with default parameters.
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

/// The option of an operation with a value, which may be repeated and keeps its position.
pub fn valued<T: Clone + Send + Sync + 'static>(heading: &'static str, (name, value, help, parse): Known<T>) -> Arg {
    let arg = Arg::new(name).long(name).value_name(value).help(help).help_heading(heading);
    arg.action(ArgAction::Append).allow_hyphen_values(true).value_parser(parse)
}

/// The option of an operation without a value, which may be repeated and keeps its position.
pub fn plain<T: Clone + Send + Sync + 'static>(heading: &'static str, (name, help, operation): Plain<T>) -> Arg {
    let arg = Arg::new(name).long(name).help(help).help_heading(heading).action(ArgAction::Append);
    // A repeatable flag that keeps its position requires a value, which is implicit.
    let parse = move |_: &str| Ok::<_, String>(operation.clone());
    arg.num_args(0).default_missing_value("").value_parser(parse)
}

impl Args for Operations {
    fn augment_args(command: Command) -> Command {
        let valued = VALUED.map(|known| valued(HEADING, known));
        let plain = PLAIN.map(|known| plain(HEADING, known));
        let detail =
            |name: &'static str, help: &'static str| Arg::new(name).long(name).help(help).help_heading(DETAILS);
        command
            .args(valued)
            .args(plain)
            .arg(
                detail("poles", "Number of poles of all filters [default: 4]")
                    .value_name("N")
                    .value_parser(poles)
                    .allow_hyphen_values(true),
            )
            .arg(detail("causal", "Filter forward only [default: zero phase]").action(ArgAction::SetTrue))
            .arg(
                detail("event-position", "Event position for the rotation, in the x-y plane of the model [m]")
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
