//! Source time functions.

use std::path::Path;

use craton_acquisition::TimeFunction;
use craton_formats::text_trace::{self, TextTrace};

use super::findings::{Checked, bad_acquisition, bad_file, of_file};
use crate::config;
use crate::error::Problem;
use crate::inputs::{Given, Input, wrong_kind};
use crate::key_path::KeyPath;
use crate::number::Number;
use crate::structure::LARGEST;
use crate::written::{Format, Written as File};

/// Default centre of a Gaussian, in sigmas: truncates 1.5e-8 of the peak.
const GAUSSIAN_CENTRE: f64 = 6.0;

/// Default centre of a Ricker wavelet, times its frequency: truncates 5e-10 of the peak.
const RICKER_CENTRE: f64 = 1.6;

/// Default centre of an error function, in widths: truncates 1e-10 of the step.
const STEP_CENTRE: f64 = 4.5;

/// Default centre of an Ormsby wavelet, times the width of its steeper slope: truncates 1e-3 of the peak.
const ORMSBY_CENTRE: f64 = 3.0;

/// Shortest sample interval of a file [s].
const LEAST_INTERVAL: f64 = 1e-9;

/// The time function as configured.
///
/// # Arguments
/// * `duration` – duration of the simulation [s], an upper limit of the sample interval of a file
/// * `path` – the key `time_function`
/// # Errors
/// A width or frequency that is not positive, or an unreadable file.
pub fn time_function<C: Format>(
    written: &config::TimeFunction,
    file: &File<C>,
    duration: f64,
    path: &KeyPath,
) -> Checked<TimeFunction> {
    use config::TimeFunction as Written;
    let function = match written {
        Written::Gaussian { sigma, centre } => {
            TimeFunction::gaussian(*sigma, centre.unwrap_or(GAUSSIAN_CENTRE * sigma))
        }
        Written::Ricker { frequency, centre } => {
            TimeFunction::ricker(*frequency, centre.unwrap_or(RICKER_CENTRE / frequency))
        }
        Written::Ormsby { corners, centre } => {
            let slope = (corners[1] - corners[0]).min(corners[3] - corners[2]);
            TimeFunction::ormsby(*corners, centre.unwrap_or(ORMSBY_CENTRE / slope))
        }
        Written::Brune { corner_frequency, onset } => TimeFunction::brune(*corner_frequency, *onset),
        Written::ErrorFunction { width, centre } => {
            TimeFunction::error_function(*width, centre.unwrap_or(STEP_CENTRE * width))
        }
        Written::Triangle { half_duration, centre } => {
            TimeFunction::triangle(*half_duration, centre.unwrap_or(*half_duration))
        }
        Written::File(name) => return from_file(name, file, duration, &path.key("file")),
    };
    function.map_err(|error| bad_acquisition(&error, path))
}

/// The time function of a file.
///
/// # Arguments
/// * `path` – the key of the file
fn from_file<C: Format>(name: &Path, file: &File<C>, duration: f64, path: &KeyPath) -> Checked<TimeFunction> {
    let (opened, trace) = match file.input(name) {
        Input::File(opened) => (Some(opened.clone()), text_trace::read(&opened)),
        Input::Given(Given::Samples { start, interval, values }) => {
            (None, values.read(name).map(|samples| given(*start, *interval, samples)))
        }
        Input::Given(Given::Text(text)) => (None, text_trace::parse(text, name)),
        Input::Given(given) => return Err(wrong_kind(given, "samples", name, path)),
    };
    let trace = trace.map_err(|error| bad_file(&error, name, path))?;
    if let Some(index) = trace.samples.iter().position(|sample| !sample.is_finite() || sample.abs() > LARGEST) {
        let allowed = format!("at most {} in magnitude", Number(LARGEST));
        let problem = match &opened {
            Some(file) => *bad_file(&text_trace::refuse(file, index, &allowed), name, path),
            None => Problem::new(path, format!("sample {index} from 0 is {}", trace.samples[index])).allowed(allowed),
        };
        return Err(problem
            .hint("the second column is s(t), of order 1; the amplitude of the source has its own key")
            .into());
    }
    check_times(&trace, duration, path).map_err(|problem| of_file(*problem, name))?;
    let sampled = TimeFunction::sampled(trace.dt, trace.start_time, trace.samples);
    sampled.map_err(|error| of_file(*bad_acquisition(&error, path), name))
}

/// The trace of samples that the calling program gives.
fn given(start_time: f64, dt: f64, samples: Vec<f64>) -> TextTrace {
    TextTrace { header: Vec::new(), start_time, dt, samples }
}

/// Rejects times that cannot be in seconds.
fn check_times(trace: &TextTrace, duration: f64, path: &KeyPath) -> Checked<()> {
    let hint = "the first column must be the time in seconds, at equal steps";
    if !(LEAST_INTERVAL..=duration).contains(&trace.dt) {
        let message = format!("the sample interval is {} s", Number(trace.dt));
        let allowed = format!("{} s to {} s (the duration)", Number(LEAST_INTERVAL), Number(duration));
        return Err(Problem::new(path, message).allowed(allowed).hint(hint).into());
    }
    if trace.start_time.abs() > LARGEST {
        let message = format!("it starts at {} s", Number(trace.start_time));
        let allowed = format!("within {} s of time 0", Number(LARGEST));
        return Err(Problem::new(path, message).allowed(allowed).hint(hint).into());
    }
    Ok(())
}
