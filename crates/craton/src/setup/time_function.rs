//! Time functions.

use craton_acquisition::TimeFunction;
use craton_formats::text_trace;

use super::findings::{Checked, bad_acquisition, bad_file, of_file};
use crate::config;
use crate::key_path::KeyPath;
use crate::scenario::Scenario;

/// Centre of a Gaussian that is not told otherwise, in sigmas: 1.5e-8 of the peak is cut.
const GAUSSIAN_CENTRE: f64 = 6.0;

/// Centre of a Ricker wavelet that is not told otherwise, times its frequency: 5e-10 of the peak is cut.
const RICKER_CENTRE: f64 = 1.6;

/// Centre of an error function that is not told otherwise, in widths: 1e-10 of the step is cut.
const STEP_CENTRE: f64 = 4.5;

/// The time function that is written.
///
/// # Arguments
/// * `path` – the key `time_function`
/// # Errors
/// A width or frequency that is not positive, a file that cannot be read.
pub fn time_function(written: &config::TimeFunction, scenario: &Scenario, path: &KeyPath) -> Checked<TimeFunction> {
    use config::TimeFunction as Written;
    let function = match written {
        Written::Gaussian { sigma, centre } => {
            TimeFunction::gaussian(*sigma, centre.unwrap_or(GAUSSIAN_CENTRE * sigma))
        }
        Written::Ricker { frequency, centre } => {
            TimeFunction::ricker(*frequency, centre.unwrap_or(RICKER_CENTRE / frequency))
        }
        Written::Brune { corner_frequency, onset } => TimeFunction::brune(*corner_frequency, *onset),
        Written::ErrorFunction { width, centre } => {
            TimeFunction::error_function(*width, centre.unwrap_or(STEP_CENTRE * width))
        }
        Written::Triangle { half_duration, centre } => {
            TimeFunction::triangle(*half_duration, centre.unwrap_or(*half_duration))
        }
        Written::File(file) => {
            let path = path.key("file");
            let trace = text_trace::read(&scenario.opened(file)).map_err(|error| bad_file(&error, file, &path))?;
            let sampled = TimeFunction::sampled(trace.dt, trace.start_time, trace.samples);
            return sampled.map_err(|error| of_file(*bad_acquisition(&error, &path), file));
        }
    };
    function.map_err(|error| bad_acquisition(&error, path))
}
