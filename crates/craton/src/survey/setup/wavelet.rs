//! The source wavelet.

use craton_acquisition::TimeFunction;
use craton_acquisition::time_function::minimum_phase;

use crate::error::Problem;
use crate::key_path::KeyPath;
use crate::number::Number;
use crate::setup::findings::{Checked, bad_acquisition};
use crate::setup::time_function::time_function;
use crate::survey::SurveyFile;

/// Samples of a minimum-phase wavelet per period of the highest frequency.
const SAMPLES_PER_PERIOD: f64 = 16.0;

/// The time function of a survey, and a warning about it.
///
/// # Errors
/// As [`time_function`]; a time function that is zero from time 0 to the end of the traces.
pub fn source_wavelet(file: &SurveyFile, path: &KeyPath) -> Checked<(TimeFunction, Vec<String>)> {
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
        let problem = Problem::new(key, "is zero from time 0 to `duration`");
        return Err(problem.hint("shift it into this range with `centre`, or change the times of its file").into());
    }
    let begun = begun(&written, dt);
    let made = if config.source.minimum_phase {
        // As long as the traces, which truncate a longer wavelet anyway.
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

/// Number of frequencies at which a spectrum is sampled.
const SPECTRUM_SAMPLES: usize = 64;
/// Acceptable spectrum at the highest frequency, as a fraction of its peak.
const LEFT: f64 = 0.1;

/// Acceptable amplitude before time 0, as a fraction of the peak; default centres have less.
const BEFORE: f64 = 0.01;

/// Threshold of zero, as a fraction of the peak.
const NOTHING: f64 = 1e-9;

/// Largest number of steps at which a source is sampled before time 0.
const MOST_SAMPLES: usize = 1 << 20;

/// Largest magnitude of a time function, at any time.
fn peak(function: &TimeFunction) -> f64 {
    // Pulses without a centre have a single peak.
    const NEXT_TO_IT: f64 = 0.999;
    match function {
        TimeFunction::Sampled(samples) => samples.peak(),
        _ => [function.event_time(), function.onset(NEXT_TO_IT)]
            .map(|time| function.value(time).abs())
            .into_iter()
            .fold(0.0, f64::max),
    }
}

/// The warning about a source that starts before the shots.
///
/// # Arguments
/// * `dt` – sampling interval of the check [s]
fn begun(written: &TimeFunction, dt: f64) -> Option<String> {
    let (from, least) = (written.onset(BEFORE), BEFORE * peak(written));
    let mut times = (0..MOST_SAMPLES).map(|step| from + step as f64 * dt).take_while(|&time| time < 0.0);
    times.any(|time| written.value(time).abs() > least).then(|| {
        "the source starts before time 0, the start of the shots, and is truncated there. Shift it with `centre`, or change the times of its file".to_owned()
    })
}

/// The warning about source energy beyond the resolution of the grid.
fn beyond(wavelet: &TimeFunction, max_frequency: f64) -> Option<String> {
    let at = |index: usize| wavelet.amplitude_spectrum(index as f64 / SPECTRUM_SAMPLES as f64 * max_frequency);
    let peak = (0..=SPECTRUM_SAMPLES).map(at).fold(0.0, f64::max);
    let left = at(SPECTRUM_SAMPLES) / peak;
    (left > LEFT).then(|| {
        format!(
            "at the highest resolved frequency of {} Hz, the source spectrum still has {:.0} % of its peak. Higher frequencies will disperse",
            Number(max_frequency),
            100.0 * left
        )
    })
}
