//! Observed gathers: from the calling program, or from a file.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use craton_acquisition::survey::{AtDepth, Shot};
use craton_formats::segy::{SegyReader, TraceReader};
use craton_formats::su;

use crate::error::{Error, SurveyError};
use crate::number::Number;
use crate::survey::Gather;
use crate::survey::setup::Setup;
use crate::survey::time_axis::TimeAxis;

/// Largest difference of positions [m], which are rounded in files.
const SAME_PLACE: f64 = 0.5;
/// Largest relative difference of sample intervals.
const SAME_INTERVAL: f64 = 1e-6;

/// Observed gathers of a survey.
pub trait Observed: Sync {
    /// The traces of a shot, `[channel][sample]`, in the order of its receivers.
    ///
    /// # Errors
    /// A missing shot or channel, another number of samples, an unreadable file.
    fn traces(&self, shot: &Shot) -> Result<Vec<Vec<f32>>, Error>;
}

/// Gathers of the first quantity, as [`Survey::run`](crate::Survey::run) computes them.
impl Observed for Vec<Gather> {
    fn traces(&self, shot: &Shot) -> Result<Vec<Vec<f32>>, Error> {
        let own = self.iter().find(|gather| gather.shot == shot.number);
        let gather = own.ok_or_else(|| refuse("the observed gathers", missing(shot.number)))?;
        let of_channel = |channel: u32| gather.channels.iter().position(|&own| own == channel);
        let traces = shot.spread.receivers().map(|receiver| {
            let number = of_channel(receiver.channel).ok_or_else(|| missing_channel(shot.number, receiver.channel));
            number
                .map(|number| gather.traces[number].clone())
                .map_err(|problem| refuse("the observed gathers", problem))
        });
        traces.collect()
    }
}

fn missing(shot: u32) -> String {
    format!("shot {shot} is missing")
}

fn missing_channel(shot: u32, channel: u32) -> String {
    format!("channel {channel} of shot {shot} is missing")
}

/// An error of observed gathers.
pub fn refuse(place: impl ToString, problem: String) -> Error {
    SurveyError::Observed { place: place.to_string(), problem }.into()
}

/// Observed gathers in a file of SEG-Y or Seismic Unix, as surveys write them.
pub struct ObservedFile {
    path: PathBuf,
    traces: Mutex<TraceReader>,
    /// Trace of each shot and channel.
    places: HashMap<[u32; 2], u64>,
}

impl ObservedFile {
    /// Opens a file, or the gathers in a results folder, and compares its geometry with that of a survey.
    ///
    /// # Errors
    /// An unreadable file; missing traces; other positions, another interval or number of samples.
    pub fn open(path: &Path, setup: &Setup, axis: &TimeAxis) -> Result<Self, Error> {
        let path = file_in(path)?;
        let is_su = path.extension().is_some_and(|extension| extension == "su");
        let (mut traces, metres) = match is_su {
            true => (su::open(&path)?, 1.0),
            false => {
                let reader = SegyReader::open(&path)?;
                let metres = reader.binary.metres_per_unit().map_err(|refused| refused.unreadable(&path))?;
                (reader.traces, metres)
            }
        };
        if traces.samples_per_trace() != axis.samples {
            let problem = format!("traces have {} samples instead of {}", traces.samples_per_trace(), axis.samples);
            return Err(refuse(path.display(), problem));
        }
        if (traces.interval() - axis.interval).abs() > SAME_INTERVAL * axis.interval {
            let [own, needed] = [traces.interval(), axis.interval].map(Number);
            return Err(refuse(path.display(), format!("the sample interval is {own} s instead of {needed} s")));
        }
        let mut headers = HashMap::new();
        for index in 0..traces.count() {
            let header = traces.header(index)?;
            let numbers = [header.field_record, header.trace_in_record].map(|number| number as u32);
            let geometry = header.geometry(metres).map_err(|refused| refused.unreadable(&path))?;
            let [x, y] = geometry.source;
            let source = [x, y, geometry.source_surface_elevation - geometry.source_depth];
            let [x, y] = geometry.receiver;
            headers.insert(numbers, (index, [source, [x, y, geometry.receiver_elevation]]));
        }
        let mut places = HashMap::new();
        for shot in setup.survey.shots() {
            for (receiver, trace) in shot.spread.receivers().zip(shot.traces()) {
                let numbers = [shot.number, receiver.channel];
                let found = headers.get(&numbers);
                let (index, own) =
                    found.ok_or_else(|| refuse(path.display(), missing_channel(numbers[0], numbers[1])))?;
                compare(numbers, *own, [trace.source, trace.receiver])
                    .map_err(|problem| refuse(path.display(), problem))?;
                places.insert(numbers, *index);
            }
        }
        Ok(Self { path, traces: Mutex::new(traces), places })
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// Compares positions of source and receiver.
fn compare([shot, channel]: [u32; 2], own: [[f64; 3]; 2], expected: [[f64; 3]; 2]) -> Result<(), String> {
    for ((name, own), expected) in ["source", "receiver"].iter().zip(own).zip(expected) {
        let is_far = (0..3).any(|axis| (own[axis] - expected[axis]).abs() > SAME_PLACE);
        if is_far {
            let [own, expected] = [AtDepth(own), AtDepth(expected)];
            return Err(format!("channel {channel} of shot {shot} has its {name} at {own} instead of {expected}"));
        }
    }
    Ok(())
}

/// The gathers in a folder, or the file itself.
fn file_in(path: &Path) -> Result<PathBuf, Error> {
    if !path.is_dir() {
        return Ok(path.to_owned());
    }
    let files = ["gathers.segy", "gathers.su"].map(|name| path.join(name));
    let found = files.into_iter().find(|file| file.is_file());
    found.ok_or_else(|| refuse(path.display(), "there is no gathers.segy or gathers.su in this folder".to_owned()))
}

impl Observed for ObservedFile {
    fn traces(&self, shot: &Shot) -> Result<Vec<Vec<f32>>, Error> {
        let mut reader = self.traces.lock().unwrap_or_else(PoisonError::into_inner);
        let traces = shot.spread.receivers().map(|receiver| {
            let mut samples = Vec::new();
            reader.trace_into(self.places[&[shot.number, receiver.channel]], &mut samples)?;
            Ok(samples)
        });
        traces.collect()
    }
}
