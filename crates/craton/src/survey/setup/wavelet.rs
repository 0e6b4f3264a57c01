//! The source wavelets: one of all shots, or the signature of each shot.

use std::borrow::Cow;
use std::sync::Arc;

use craton_acquisition::TimeFunction;
use craton_acquisition::time_function::minimum_phase;
use craton_numerics::spectrum::AmplitudeSpectrum;
use rayon::prelude::*;

use super::geometry::Acquired;
use super::signatures::{self, Signatures};
use crate::config;
use crate::error::Problem;
use crate::key_path::KeyPath;
use crate::number::{Number, counted};
use crate::setup::findings::{Checked, bad_acquisition};
use crate::setup::time_function::time_function;
use crate::survey::SurveyFile;
use crate::survey::config::TimeZero;

/// Samples of a minimum-phase wavelet per period of the highest frequency.
const SAMPLES_PER_PERIOD: f64 = 16.0;
/// Number of frequencies at which a spectrum is sampled.
const SPECTRUM_SAMPLES: usize = 64;
/// Acceptable spectrum at the highest frequency, as a fraction of its peak.
const LEFT: f64 = 0.1;
/// Acceptable amplitude before time 0, as a fraction of the peak; default centres have less.
const BEFORE: f64 = 0.01;
/// Threshold of zero, as a fraction of the peak.
const NOTHING: f64 = 1e-9;
/// Amplitude at which an Ormsby wavelet begins, as a fraction of its peak: that of its default centre.
const BEGUN: f64 = 1e-3;
/// Largest number of steps at which a source is sampled before time 0.
const MOST_SAMPLES: usize = 1 << 20;

/// The source wavelets of a survey, without their amplitude.
#[derive(Debug, Clone, PartialEq)]
pub struct Wavelets {
    kind: Kind,
    /// Time by which each wavelet acts later than its time function [s].
    later: Vec<f64>,
    /// Time 0 of the traces after the start of the shots [s].
    pub zero: f64,
}

#[derive(Debug, Clone, PartialEq)]
enum Kind {
    /// Of all shots.
    One(TimeFunction),
    /// Of each shot.
    Signatures(Arc<Signatures>),
}

impl Wavelets {
    /// Number of different wavelets.
    pub fn count(&self) -> usize {
        self.later.len()
    }

    /// The index of the wavelet of a shot.
    pub fn of(&self, shot: u32) -> usize {
        match &self.kind {
            Kind::One(_) => 0,
            Kind::Signatures(signatures) => signatures.of(shot),
        }
    }

    /// A wavelet, and the time by which it acts later [s].
    pub fn wavelet(&self, index: usize) -> (Cow<'_, TimeFunction>, f64) {
        let function = match &self.kind {
            Kind::One(function) => Cow::Borrowed(function),
            Kind::Signatures(signatures) => Cow::Owned(signatures.function(index)),
        };
        (function, self.later[index])
    }

    /// The wavelets of a survey as written, and warnings about them.
    ///
    /// # Errors
    /// As `time_function`; a time function that is zero from time 0 to the end of the traces; a shot without signature.
    pub fn new(file: &SurveyFile, acquired: Option<&Acquired>, path: &KeyPath) -> Checked<(Self, Vec<String>)> {
        let mut is_cut = false;
        let kind = match (&file.config.source.time_function, &file.config.source.signatures) {
            (Some(written), _) => {
                let (function, cut) = of_all(file, written, &path.key("time_function"))?;
                is_cut = cut;
                Kind::One(function)
            }
            (None, Some(name)) => {
                Kind::Signatures(Arc::new(signatures::read(file, name, acquired, &path.key("signatures"))?))
            }
            (None, None) => unreachable!("a checked survey has a wavelet"),
        };
        let count = if let Kind::Signatures(signatures) = &kind { signatures.count() } else { 1 };
        let mut wavelets = Self { kind, later: vec![0.0; count], zero: 0.0 };
        if file.config.output.time_zero == TimeZero::Peak {
            wavelets.align(file.config.output.sample_interval);
        }
        let warnings = wavelets.check(file, is_cut, path)?;
        Ok((wavelets, warnings))
    }

    /// Moves all peaks to one time, a whole number of sample intervals after the start of the shots, so that no wavelet begins before the shots.
    fn align(&mut self, interval: f64) {
        /// Tolerance of a whole number of samples, for the errors of peaks of samples.
        const ROUND_OFF: f64 = 1e-3;
        let of_wavelet = |index: usize| {
            let (function, _) = self.wavelet(index);
            let level = if let TimeFunction::Ormsby(_) = *function { BEGUN } else { NOTHING };
            let peak = function.peak_time();
            [peak, peak - function.onset(level)]
        };
        let peaks: Vec<[f64; 2]> = (0..self.count()).into_par_iter().map(of_wavelet).collect();
        let longest = peaks.iter().map(|[_, before]| *before).fold(0.0, f64::max);
        self.zero = (longest / interval - ROUND_OFF).ceil().max(0.0) * interval;
        self.later = peaks.iter().map(|[peak, _]| self.zero - peak).collect();
    }

    /// Warnings about the wavelets.
    ///
    /// # Arguments
    /// * `is_cut` – whether the wavelet is the minimum-phase pulse of one that starts before time 0
    /// # Errors
    /// A wavelet that is zero in the shots.
    fn check(&self, file: &SurveyFile, is_cut: bool, path: &KeyPath) -> Checked<Vec<String>> {
        let max_frequency = file.config.method.fd().max_frequency;
        let dt = 1.0 / (SAMPLES_PER_PERIOD * max_frequency);
        let end = self.zero + file.config.duration;
        let finding = |index: usize| {
            let (function, later) = self.wavelet(index);
            let left = match &self.kind {
                Kind::One(function) => left_of(function, max_frequency),
                Kind::Signatures(signatures) => left_in(signatures.samples(index), max_frequency),
            };
            (is_zero(&function, later, dt, end), has_begun(&function, later, dt), left)
        };
        let findings: Vec<(bool, bool, f64)> = (0..self.count()).into_par_iter().map(finding).collect();
        if let Some(index) = findings.iter().position(|(is_zero, ..)| *is_zero) {
            return Err(self.zero_wavelet(index, path).into());
        }
        let beyond = findings.iter().filter(|(_, _, left)| *left > LEFT).count();
        let largest = findings.iter().map(|(_, _, left)| *left).fold(0.0, f64::max);
        let high = (beyond > 0).then(|| self.reaches_beyond(beyond, largest, max_frequency));
        let begun = findings.iter().filter(|(_, begun, _)| *begun || is_cut).count();
        let early = (begun > 0).then(|| self.begins_before(begun));
        Ok(high.into_iter().chain(early).collect())
    }

    /// The warning about source energy beyond the resolution of the grid.
    ///
    /// # Arguments
    /// * `count` – number of such wavelets
    /// * `left` – largest spectrum at the highest frequency, as a fraction of its peak
    fn reaches_beyond(&self, count: usize, left: f64, max_frequency: f64) -> String {
        let of = match &self.kind {
            Kind::One(_) => "the source spectrum still has".to_owned(),
            Kind::Signatures(_) => format!("the spectra of {} still have up to", counted(count, "signature")),
        };
        let (highest, percent) = (Number(max_frequency), 100.0 * left);
        format!(
            "at the highest resolved frequency of {highest} Hz, {of} {percent:.0} % of its peak. Higher frequencies will disperse"
        )
    }

    /// The warning about sources that start before the shots.
    ///
    /// # Arguments
    /// * `count` – number of such wavelets
    fn begins_before(&self, count: usize) -> String {
        let (of, hint) = match &self.kind {
            Kind::One(_) => ("the source".to_owned(), "Shift it with `centre`, or change the times of its file"),
            Kind::Signatures(_) => {
                let hint = "Change the times of the file, or set output.time_zero = \"peak\"";
                (format!("the source of {}", counted(count, "signature")), hint)
            }
        };
        format!("{of} starts before time 0, the start of the shots, and is truncated there. {hint}")
    }

    /// The problem of a wavelet that is zero in the shots.
    fn zero_wavelet(&self, index: usize, path: &KeyPath) -> Problem {
        match &self.kind {
            Kind::One(_) => Problem::new(path.key("time_function"), "is zero from time 0 to `duration`")
                .hint("shift it into this range with `centre`, or change the times of its file"),
            Kind::Signatures(all) => {
                let message = format!("signature {} is zero from time 0 to `duration`", all.number(index));
                Problem::new(path.key("signatures"), message).hint("change its times, or leave its shots out")
            }
        }
    }
}

/// The time function of all shots, and whether it is the minimum-phase pulse of one that starts before time 0.
fn of_all(file: &SurveyFile, written: &config::TimeFunction, path: &KeyPath) -> Checked<(TimeFunction, bool)> {
    let config = &file.config;
    let function = time_function(written, file, config.duration, path)?;
    if !config.source.minimum_phase {
        return Ok((function, false));
    }
    let dt = 1.0 / (SAMPLES_PER_PERIOD * config.method.fd().max_frequency);
    // As long as the traces, which truncate a longer wavelet anyway.
    let count = (config.duration / dt).ceil() as usize + 1;
    let samples: Vec<f64> = (0..count).map(|index| function.value(index as f64 * dt)).collect();
    let made = minimum_phase(&samples).map_err(|error| bad_acquisition(&error, path))?;
    let made = TimeFunction::sampled(dt, 0.0, made).map_err(|error| bad_acquisition(&error, path))?;
    Ok((made, has_begun(&function, 0.0, dt)))
}

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

/// Whether a wavelet is zero in the shots.
///
/// # Arguments
/// * `later` – time by which it acts later [s]
/// * `dt` – sampling interval of the check [s]
/// * `end` – end of the traces after the start of the shots [s]
fn is_zero(function: &TimeFunction, later: f64, dt: f64, end: f64) -> bool {
    let closer = match function {
        TimeFunction::Sampled(samples) => dt.min(samples.dt()),
        _ => dt,
    };
    let (steps, least) = ((end / closer).ceil() as usize, NOTHING * peak(function));
    (0..=steps).all(|step| function.value(step as f64 * closer - later).abs() <= least)
}

/// Whether a wavelet acts before the shots; arguments as [`is_zero`].
fn has_begun(function: &TimeFunction, later: f64, dt: f64) -> bool {
    let (from, least) = (function.onset(BEFORE), BEFORE * peak(function));
    let mut times = (0..MOST_SAMPLES).map(|step| from + step as f64 * dt).take_while(|&time| time + later < 0.0);
    times.any(|time| function.value(time).abs() > least)
}

/// The spectrum of a wavelet at the highest frequency, as a fraction of its peak.
fn left_of(wavelet: &TimeFunction, max_frequency: f64) -> f64 {
    let at = |index: usize| wavelet.amplitude_spectrum(index as f64 / SPECTRUM_SAMPLES as f64 * max_frequency);
    let peak = (0..=SPECTRUM_SAMPLES).map(at).fold(0.0, f64::max);
    at(SPECTRUM_SAMPLES) / peak
}

/// The same of a signature, whose samples are band-limited.
fn left_in((interval, samples): (f64, &[f64]), max_frequency: f64) -> f64 {
    let Ok(AmplitudeSpectrum { frequencies, amplitudes }) = AmplitudeSpectrum::new(samples, interval) else {
        return 0.0;
    };
    let peak = amplitudes.iter().copied().fold(0.0, f64::max);
    let at = frequencies.iter().position(|&frequency| frequency >= max_frequency);
    at.map_or(0.0, |index| amplitudes[index] / peak)
}
