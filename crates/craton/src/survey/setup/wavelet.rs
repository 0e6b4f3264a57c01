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

/// The time function of a survey, and what a user should know of it.
///
/// # Errors
/// As [`time_function`]; one that is zero from time 0 to the end of the traces.
pub fn sent(file: &SurveyFile, path: &KeyPath) -> Checked<(TimeFunction, Vec<String>)> {
    let config = &file.config;
    let key = path.key("time_function");
    let written = time_function(&config.source.time_function, file, config.duration, &key)?;
    let max_frequency = config.method.fd().max_frequency;
    let dt = 1.0 / (SAMPLES_PER_PERIOD * max_frequency);
    let closer = match &written {
        TimeFunction::Sampled(samples) => dt.min(samples.dt()),
        _ => dt,
    };
    let (steps, least) = ((config.duration / closer).ceil() as usize, NOTHING * peak(&written));
    if (0..=steps).all(|step| written.value(step as f64 * closer).abs() <= least) {
        let problem = Problem::new(key, "is zero all along the traces, from time 0 to `duration`");
        return Err(problem.hint("let it act between both (its `centre`, or the times of its file)").into());
    }
    let begun = begun(&written, dt);
    let made = if config.source.minimum_phase {
        // As long as the traces: a wavelet that goes on beyond them is cut there anyway.
        let count = (config.duration / dt).ceil() as usize + 1;
        let samples: Vec<f64> = (0..count).map(|index| written.value(index as f64 * dt)).collect();
        let made = minimum_phase(&samples).map_err(|error| bad_acquisition(&error, &key))?;
        TimeFunction::sampled(dt, 0.0, made).map_err(|error| bad_acquisition(&error, &key))?
    } else {
        written
    };
    let warnings = beyond(&made, max_frequency).into_iter().chain(begun).collect();
    Ok((made, warnings))
}

/// Frequencies at which a spectrum is looked at.
const LOOKS: usize = 64;
/// What may be left of a spectrum at the highest frequency, in parts of its peak.
const LEFT: f64 = 0.1;

/// What a source may have sent before time 0, in parts of its peak: default centres leave less.
const BEFORE: f64 = 0.01;

/// What is nothing, in parts of the peak.
const NOTHING: f64 = 1e-9;

/// Steps at which a source is looked at before time 0, at most.
const MOST_LOOKS: usize = 1 << 20;

/// Largest magnitude of a time function, at any time.
fn peak(function: &TimeFunction) -> f64 {
    // Pulses without a centre rise to their peak once.
    const NEXT_TO_IT: f64 = 0.999;
    match function {
        TimeFunction::Sampled(samples) => samples.peak(),
        _ => [function.event_time(), function.onset(NEXT_TO_IT)]
            .map(|time| function.value(time).abs())
            .into_iter()
            .fold(0.0, f64::max),
    }
}

/// Says that a source has begun before the shots do.
///
/// # Arguments
/// * `dt` – how far apart times are that are looked at [s]
fn begun(written: &TimeFunction, dt: f64) -> Option<String> {
    let (from, least) = (written.onset(BEFORE), BEFORE * peak(written));
    let mut times = (0..MOST_LOOKS).map(|step| from + step as f64 * dt).take_while(|&time| time < 0.0);
    times.any(|time| written.value(time).abs() > least).then(|| {
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
