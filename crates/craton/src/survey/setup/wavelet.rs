//! What every shot sends.

use craton_acquisition::TimeFunction;
use craton_acquisition::time_function::minimum_phase;

use crate::error::Problem;
use crate::key_path::KeyPath;
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
