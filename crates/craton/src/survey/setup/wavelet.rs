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

/// Says that much of what is sent is beyond what the grid resolves.
pub fn warning(sent: &TimeFunction, max_frequency: f64) -> Option<String> {
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
