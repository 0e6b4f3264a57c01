//! Observed gathers: what they must agree with, and those of the calling program.

use std::collections::HashMap;

use craton_acquisition::survey::{AtDepth, Shot};

use crate::error::{Error, SurveyError};
use crate::number::Number;
use crate::survey::Gather;
use crate::survey::config::Quantity;
use crate::survey::grid::Grids;
use crate::survey::setup::Setup;

/// Largest difference of positions that are not rounded, relative to the smallest edge of the cells.
const SAME_PLACE: f64 = 0.01;
/// Largest relative difference of sample intervals.
const SAME_INTERVAL: f64 = 1e-6;
/// The data of the calling program in messages.
const OF_PROGRAM: &str = "the observed gathers";

/// Samples of each channel of a shot, in the order of its receivers; `None` for a dead trace, which enters no misfit.
pub type ObservedTraces = Vec<Option<Vec<f32>>>;

/// Observed gathers of a survey.
pub trait Observed: Sync {
    /// Compares all gathers with the survey, before the first shot is computed.
    ///
    /// # Errors
    /// The first difference.
    fn check(&self, expected: &ExpectedGathers) -> Result<(), Error> {
        let _ = expected;
        Ok(())
    }

    /// The traces of a shot.
    ///
    /// # Errors
    /// A missing shot or channel, an unreadable file.
    fn traces(&self, shot: &Shot) -> Result<ObservedTraces, Error>;
}

/// What observed gathers must agree with.
#[derive(Debug, Clone, Copy)]
pub struct ExpectedGathers<'a> {
    /// The shots of the survey.
    pub shots: &'a [Shot],
    /// The recorded quantity.
    pub quantity: Quantity,
    /// Sample interval [s].
    pub interval: f64,
    /// Number of samples of a trace.
    pub samples: usize,
    /// Largest difference of positions that are not rounded [m].
    pub nearness: f64,
}

impl<'a> ExpectedGathers<'a> {
    /// The gathers of a survey of one quantity.
    pub(super) fn new(setup: &'a Setup, grids: &Grids) -> Self {
        let smallest = grids.edges().into_iter().filter(|&edge| edge > 0.0).fold(f64::INFINITY, f64::min);
        Self {
            shots: setup.survey.shots(),
            quantity: setup.heard[0],
            interval: grids.axis.interval,
            samples: grids.axis.samples,
            nearness: SAME_PLACE * smallest,
        }
    }

    /// Compares a sample interval [s].
    pub(super) fn check_interval(&self, interval: f64) -> Result<(), String> {
        let is_same = (interval - self.interval).abs() <= SAME_INTERVAL * self.interval;
        let [own, needed] = [interval, self.interval].map(Number);
        if is_same { Ok(()) } else { Err(format!("the sample interval is {own} s instead of {needed} s")) }
    }

    /// Compares positions of source and receiver.
    ///
    /// # Arguments
    /// * `rounding` – additional difference of horizontal positions and of elevations [m]
    pub(super) fn check_positions(
        &self,
        numbers: [u32; 2],
        (own, expected): ([[f64; 3]; 2], [[f64; 3]; 2]),
        rounding: [f64; 2],
    ) -> Result<(), String> {
        let [along, up] = rounding.map(|rounding| rounding.max(self.nearness));
        for ((name, own), expected) in ["source", "receiver"].iter().zip(own).zip(expected) {
            let is_near =
                own.iter().zip(expected).zip([along, along, up]).all(|((own, at), most)| (own - at).abs() <= most);
            if !is_near {
                let [own, expected, trace] =
                    [AtDepth(own).to_string(), AtDepth(expected).to_string(), in_words(numbers)];
                return Err(format!("{trace} has its {name} at {own} instead of {expected}"));
            }
        }
        Ok(())
    }

    /// Compares a gather of the calling program.
    fn check_gather(&self, gathers: &[Gather], shot: &Shot) -> Result<(), String> {
        let number = shot.number;
        let gather = of_shot(gathers, number)?;
        self.check_interval(gather.sample_interval).map_err(|problem| format!("shot {number}: {problem}"))?;
        let [traces, channels, receivers] = [gather.traces.len(), gather.channels.len(), gather.receivers.len()];
        if traces != channels || receivers != 0 && receivers != channels {
            return Err(format!(
                "shot {number} has {channels} channels, but {traces} traces and {receivers} receivers"
            ));
        }
        let places = places(gather)?;
        for trace in shot.traces() {
            let numbers = [number, trace.channel];
            let place = *places.get(&trace.channel).ok_or_else(|| format!("{} is missing", in_words(numbers)))?;
            let samples = gather.traces[place].len();
            if samples != self.samples {
                return Err(format!("{} has {samples} samples instead of {}", in_words(numbers), self.samples));
            }
            let receiver = gather.receivers.get(place).copied().unwrap_or(trace.receiver);
            self.check_positions(numbers, ([gather.source, receiver], [trace.source, trace.receiver]), [0.0; 2])?;
        }
        Ok(())
    }
}

/// A trace in messages, by shot and channel.
pub(super) fn in_words([shot, channel]: [u32; 2]) -> String {
    format!("channel {channel} of shot {shot}")
}

/// An error of observed gathers.
pub fn refuse(place: impl ToString, problem: String) -> Error {
    SurveyError::Observed { place: place.to_string(), problem }.into()
}

/// An error of observed gathers in a shot that is computed.
pub(super) fn refuse_shot(problem: String) -> Error {
    refuse(OF_PROGRAM, problem)
}

/// The only gather of a shot.
fn of_shot(gathers: &[Gather], shot: u32) -> Result<&Gather, String> {
    let mut all = gathers.iter().filter(|gather| gather.shot == shot);
    match (all.next(), all.next()) {
        (Some(gather), None) => Ok(gather),
        (None, _) => Err(format!("shot {shot} is missing")),
        _ => Err(format!("shot {shot} has several gathers")),
    }
}

/// The trace of each channel.
fn places(gather: &Gather) -> Result<HashMap<u32, usize>, String> {
    let mut places = HashMap::with_capacity(gather.channels.len());
    for (place, &channel) in gather.channels.iter().enumerate() {
        if places.insert(channel, place).is_some() {
            return Err(format!("{} has several traces", in_words([gather.shot, channel])));
        }
    }
    Ok(places)
}

/// Gathers of the first quantity, as [`Survey::run`](crate::Survey::run) computes them; without receivers, their positions are not compared.
impl Observed for Vec<Gather> {
    fn check(&self, expected: &ExpectedGathers) -> Result<(), Error> {
        let mut shots = expected.shots.iter();
        shots.try_for_each(|shot| expected.check_gather(self, shot)).map_err(refuse_shot)
    }

    fn traces(&self, shot: &Shot) -> Result<ObservedTraces, Error> {
        let traces = || {
            let gather = of_shot(self, shot.number)?;
            let places = places(gather)?;
            let traces = shot.spread.receivers().map(|receiver| {
                let place = places.get(&receiver.channel);
                let trace = place.and_then(|&place| gather.traces.get(place));
                trace
                    .map(|trace| Some(trace.clone()))
                    .ok_or_else(|| format!("{} is missing", in_words([shot.number, receiver.channel])))
            });
            traces.collect::<Result<ObservedTraces, String>>()
        };
        traces().map_err(refuse_shot)
    }
}
