//! What every shot sends.

use craton_acquisition::TimeFunction;
use craton_acquisition::time_function::minimum_phase;

use crate::error::Problem;
use crate::key_path::KeyPath;
use crate::number::Number;
use crate::setup::findings::{Checked, bad_acquisition};
use crate::setup::time_function::time_function;
use crate::survey::SurveyFile;

/// Samples of a wavelet of minimum phase in a period of the highest frequency.
const SAMPLES_PER_PERIOD: f64 = 16.0;

/// The time function of a survey.
pub fn sent(file: &SurveyFile, path: &KeyPath) -> Checked<TimeFunction> {
    let config = &file.config;
    let key = path.key("time_function");
    let written = time_function(&config.source.time_function, file, config.duration, &key)?;
    if !config.source.minimum_phase {
        return Ok(written);
    }
    // As long as the traces: a wavelet that goes on beyond them is cut there anyway.
    let dt = 1.0 / (SAMPLES_PER_PERIOD * config.method.fd().max_frequency);
    let count = (config.duration / dt).ceil() as usize + 1;
    let samples: Vec<f64> = (0..count).map(|index| written.value(index as f64 * dt)).collect();
    if samples.iter().all(|&sample| sample == 0.0) {
        return Err(Problem::new(key, "is zero all along the traces").into());
    }
    let made = minimum_phase(&samples).map_err(|error| bad_acquisition(&error, &key))?;
    TimeFunction::sampled(dt, 0.0, made).map_err(|error| bad_acquisition(&error, &key))
}

/// Frequencies at which a spectrum is looked at.
const LOOKS: usize = 64;
/// What may be left of a spectrum at the highest frequency, in parts of its peak.
const LEFT: f64 = 0.1;

/// What a source may have sent before time 0, in parts of its peak: default centres leave less.
const BEFORE: f64 = 0.01;

/// What a user should know of what is sent.
pub fn warnings(sent: &TimeFunction, duration: f64, max_frequency: f64) -> Vec<String> {
    [beyond(sent, max_frequency), begun(sent, duration, max_frequency)].into_iter().flatten().collect()
}

/// Says that a source has begun before the shots do.
fn begun(sent: &TimeFunction, duration: f64, max_frequency: f64) -> Option<String> {
    let dt = 1.0 / (SAMPLES_PER_PERIOD * max_frequency);
    let steps = 1..=(duration / dt).ceil() as usize;
    let largest = |way: f64| steps.clone().map(|step| sent.value(way * step as f64 * dt).abs()).fold(0.0, f64::max);
    let [before, after] = [largest(-1.0), largest(1.0).max(sent.value(0.0).abs())];
    (before > BEFORE * after).then(|| {
        "the source acts before time 0, where shots begin, and is cut there: let it begin later (its `centre`, or the times of its file)".to_owned()
    })
}

/// Says that much of what is sent is beyond what the grid resolves.
fn beyond(sent: &TimeFunction, max_frequency: f64) -> Option<String> {
    let at = |index: usize| sent.amplitude_spectrum(index as f64 / LOOKS as f64 * max_frequency);
    let peak = (0..=LOOKS).map(at).fold(0.0, f64::max);
    let left = at(LOOKS) / peak;
    (left > LEFT).then(|| {
        format!(
            "at {} Hz, the highest frequency that is resolved, the spectrum of the source still has {:.0} % of its peak: what is beyond disperses",
            Number(max_frequency),
            100.0 * left
        )
    })
}
