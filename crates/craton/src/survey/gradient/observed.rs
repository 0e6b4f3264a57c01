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
/// Largest difference of the times of first samples, in sample intervals.
const SAME_START: f64 = 1e-3;
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
    /// Time of the first sample [s].
    pub start: f64,
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
            start: grids.axis.first(),
            nearness: SAME_PLACE * smallest,
        }
    }

    /// Compares a sample interval [s].
    pub(super) fn check_interval(&self, interval: f64) -> Result<(), String> {
        let is_same = (interval - self.interval).abs() <= SAME_INTERVAL * self.interval;
        let [own, needed] = [interval, self.interval].map(Number);
        if is_same { Ok(()) } else { Err(format!("the sample interval is {own} s instead of {needed} s")) }
    }

    /// Compares the time of the first sample [s].
    pub(super) fn check_start(&self, start: f64) -> Result<(), String> {
        let [own, needed] = [start, self.start].map(Number);
        let is_same = (start - self.start).abs() <= SAME_START * self.interval;
        if is_same { Ok(()) } else { Err(format!("the first sample is at {own} s instead of {needed} s")) }
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
    fn check_gather(&self, gather: &ObservedGather, shot: &Shot) -> Result<(), String> {
        let number = shot.number;
        self.check_interval(gather.sample_interval).map_err(|problem| format!("shot {number}: {problem}"))?;
        self.check_start(gather.start).map_err(|problem| format!("shot {number}: {problem}"))?;
        let [traces, channels, receivers] = [gather.samples.len(), gather.channels.len(), gather.receivers.len()];
        if traces != channels || receivers != 0 && receivers != channels {
            return Err(format!(
                "shot {number} has {channels} channels, but {traces} traces and {receivers} receivers"
            ));
        }
        let places = places(number, &gather.channels)?;
        for trace in shot.traces() {
            let numbers = [number, trace.channel];
            let place = *places.get(&trace.channel).ok_or_else(|| format!("{} is missing", in_words(numbers)))?;
            let samples = gather.samples[place];
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

/// An observed gather of the calling program, without its samples; the channels may have another order than those of the survey.
#[derive(Debug, Clone)]
pub struct ObservedGather {
    /// Shot number.
    pub shot: u32,
    /// Position of the source [m].
    pub source: [f64; 3],
    /// Channel number of each trace.
    pub channels: Vec<u32>,
    /// Position of each receiver [m]; empty if it is not compared.
    pub receivers: Vec<[f64; 3]>,
    /// Sample interval [s].
    pub sample_interval: f64,
    /// Time of the first sample [s].
    pub start: f64,
    /// Number of samples of each trace.
    pub samples: Vec<usize>,
}

/// Observed gathers of the calling program, which keeps their samples until a shot needs them.
pub struct ObservedInPlace<R> {
    gathers: Vec<ObservedGather>,
    read: R,
}

impl<R> ObservedInPlace<R> {
    /// Gathers of the first quantity of a survey, in any order.
    ///
    /// # Arguments
    /// * `read` – the traces of the gather at an index, in the order of its channels
    pub fn new(gathers: Vec<ObservedGather>, read: R) -> Self {
        Self { gathers, read }
    }

    /// Index of the only gather of a shot.
    fn index_of(&self, shot: u32) -> Result<usize, String> {
        only(self.gathers.iter().map(|gather| gather.shot), shot)
    }
}

impl<R: Fn(usize) -> Result<Vec<Vec<f32>>, String> + Sync> Observed for ObservedInPlace<R> {
    fn check(&self, expected: &ExpectedGathers) -> Result<(), Error> {
        let check = |shot: &Shot| expected.check_gather(&self.gathers[self.index_of(shot.number)?], shot);
        expected.shots.iter().try_for_each(check).map_err(refuse_shot)
    }

    fn traces(&self, shot: &Shot) -> Result<ObservedTraces, Error> {
        let index = self.index_of(shot.number).map_err(refuse_shot)?;
        let gather = &self.gathers[index];
        let traces = (self.read)(index).map_err(refuse_shot)?;
        if !traces.iter().map(Vec::len).eq(gather.samples.iter().copied()) {
            return Err(refuse_shot(format!("the shape of shot {} has changed during the computation", shot.number)));
        }
        in_order(shot, &gather.channels, traces).map_err(refuse_shot)
    }
}

/// Gathers of the first quantity, as [`Survey::run`](crate::Survey::run) computes them; without receivers, their positions are not compared.
impl Observed for Vec<Gather> {
    fn check(&self, expected: &ExpectedGathers) -> Result<(), Error> {
        let check = |shot: &Shot| {
            let gather = &self[only(self.iter().map(|gather| gather.shot), shot.number)?];
            let header = ObservedGather {
                shot: gather.shot,
                source: gather.source,
                channels: gather.channels.clone(),
                receivers: gather.receivers.clone(),
                sample_interval: gather.sample_interval,
                start: gather.start,
                samples: gather.traces.iter().map(Vec::len).collect(),
            };
            expected.check_gather(&header, shot)
        };
        expected.shots.iter().try_for_each(check).map_err(refuse_shot)
    }

    fn traces(&self, shot: &Shot) -> Result<ObservedTraces, Error> {
        let index = only(self.iter().map(|gather| gather.shot), shot.number).map_err(refuse_shot)?;
        in_order(shot, &self[index].channels, self[index].traces.clone()).map_err(refuse_shot)
    }
}

/// Index of the only gather of a shot, among the shots of all gathers.
fn only(gathers: impl Iterator<Item = u32>, shot: u32) -> Result<usize, String> {
    let mut all = gathers.enumerate().filter(|&(_, own)| own == shot);
    match (all.next(), all.next()) {
        (Some((index, _)), None) => Ok(index),
        (None, _) => Err(format!("shot {shot} is missing")),
        _ => Err(format!("shot {shot} has several gathers")),
    }
}

/// The trace of each channel of a shot.
fn places(shot: u32, channels: &[u32]) -> Result<HashMap<u32, usize>, String> {
    let mut places = HashMap::with_capacity(channels.len());
    for (place, &channel) in channels.iter().enumerate() {
        if places.insert(channel, place).is_some() {
            return Err(format!("{} has several traces", in_words([shot, channel])));
        }
    }
    Ok(places)
}

/// Traces of channels in the order of the receivers of a shot.
fn in_order(shot: &Shot, channels: &[u32], mut traces: Vec<Vec<f32>>) -> Result<ObservedTraces, String> {
    let places = places(shot.number, channels)?;
    let of_receivers = shot.spread.receivers().map(|receiver| {
        let trace = places.get(&receiver.channel).and_then(|&place| traces.get_mut(place));
        let trace = trace.ok_or_else(|| format!("{} is missing", in_words([shot.number, receiver.channel])))?;
        Ok(Some(std::mem::take(trace)))
    });
    of_receivers.collect()
}
