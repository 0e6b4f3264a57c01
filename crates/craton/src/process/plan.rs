//! A plan of seismogram processing: a list of operations.

use std::fmt;

use craton_numerics::NumericsError;
use craton_numerics::convolve::Pulse;
use craton_numerics::filter::{Band, Butterworth};
use craton_numerics::{band_limited, integrate, prepare};

use crate::config::SeismogramFormat;
use crate::error::ProcessError;
use crate::number::Number;

/// Lowest corner frequency relative to the sampling rate: below it the poles are too close to 1 for double precision.
pub const LOWEST_CORNER: f64 = 1e-5;

/// A plan of seismogram processing.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ProcessingPlan {
    /// The operations, in order.
    pub operations: Vec<Operation>,
    /// Output format; that of each file by default.
    pub format: Option<SeismogramFormat>,
    /// Whether to replace existing files in the output folder.
    pub overwrite: bool,
}

/// An operation on every trace.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Operation {
    /// A Butterworth filter. The trace is extended by its first value, and for zero phase also by its last value.
    Filter {
        /// The pass band.
        band: Band,
        /// Number of poles of the low-pass prototype, 1 to 16; a band-pass has this number on each side.
        poles: usize,
        /// Whether the filter is causal; otherwise zero-phase, forward and backward, with -6 dB at the corners.
        causal: bool,
    },
    /// Every nth sample after a zero-phase anti-alias filter: [`band_limited::decimated`].
    Decimate(usize),
    /// Resampling to another interval [s] by band-limited interpolation: [`band_limited::resampled`].
    Resample(f64),
    /// Integration from the first sample: acceleration to velocity, velocity to displacement. See
    /// [`integrate::integral`].
    Integrate,
    /// Differentiation: displacement to velocity, velocity to acceleration. See [`integrate::derivative`].
    Differentiate,
    /// Convolution with a moment-rate function, which turns a step response into that of a source of finite duration.
    /// See [`Pulse::convolve`].
    Convolve(Pulse),
    /// Removal of the linear trend.
    Detrend,
    /// Removal of the mean.
    Demean,
    /// Cosine taper over this fraction of the trace at each end, above 0 and up to 0.5.
    Taper(f64),
    /// Cut to a time window [s]; a trace that ends inside the window keeps its end.
    Cut {
        /// Start time [s].
        from: f64,
        /// End time [s].
        to: f64,
    },
    /// Shift to later times [s]; the time of the event is unchanged.
    Shift(f64),
    /// Multiplication by a factor.
    Scale(f64),
    /// Rotation of north and east to radial, away from the event, and transverse, 90 degrees to its right as seen from
    /// above.
    Rotate {
        /// Position of the event in the model, x east and y north [m]; by default the back-azimuths of the headers are
        /// used.
        event: Option<[f64; 2]>,
    },
}

/// Time axis of a trace.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Axis {
    /// Time of the first sample [s].
    pub start: f64,
    /// Sample interval [s].
    pub dt: f64,
    /// Number of samples.
    pub count: usize,
}

impl Axis {
    /// Time of the last sample [s].
    pub fn end(self) -> f64 {
        self.start + self.dt * (self.count as f64 - 1.0)
    }

    /// The samples in a time window, including its ends: index of the first, and number.
    pub fn between(self, from: f64, to: f64) -> (usize, usize) {
        // Tolerance that avoids losing a sample to round-off.
        let tolerance = 1e-6;
        let first = ((from - self.start) / self.dt - tolerance).ceil().max(0.0);
        let last = ((to - self.start) / self.dt + tolerance).floor().min(self.count as f64 - 1.0);
        if last < first { (0, 0) } else { (first as usize, (last - first) as usize + 1) }
    }
}

impl Operation {
    /// The command-line option of the operation.
    pub fn option(&self) -> &'static str {
        match self {
            Self::Filter { band: Band::LowPass { .. }, .. } => "--lowpass",
            Self::Filter { band: Band::HighPass { .. }, .. } => "--highpass",
            Self::Filter { band: Band::BandPass { .. }, .. } => "--bandpass",
            Self::Decimate(_) => "--decimate",
            Self::Resample(_) => "--resample",
            Self::Integrate => "--integrate",
            Self::Differentiate => "--differentiate",
            Self::Convolve(Pulse::Gaussian { .. }) => "--convolve-gaussian",
            Self::Convolve(Pulse::Triangle { .. }) => "--convolve-triangle",
            Self::Detrend => "--detrend",
            Self::Demean => "--demean",
            Self::Taper(_) => "--taper",
            Self::Cut { .. } => "--cut",
            Self::Shift(_) => "--shift",
            Self::Scale(_) => "--scale",
            Self::Rotate { .. } => "--rotate",
        }
    }

    /// Rejects values that are invalid for every trace.
    pub(super) fn check(&self) -> Result<(), ProcessError> {
        let (is_good, allowed) = match *self {
            Self::Cut { from, to } => (from.is_finite() && to.is_finite() && from < to, "two times, the earlier first"),
            Self::Shift(time) => (time.is_finite(), "a finite time"),
            Self::Scale(factor) => (factor.is_finite() && factor != 0.0, "a finite factor other than 0"),
            Self::Rotate { event: Some(position) } => {
                (position.iter().all(|x| x.is_finite()), "two finite coordinates")
            }
            _ => (true, ""),
        };
        let refused = || ProcessError::BadValue { option: self.option(), value: self.to_string(), allowed };
        if is_good { Ok(()) } else { Err(refused()) }
    }

    /// The time axis after the operation; a rotation does not change it, and a cut may leave nothing.
    ///
    /// # Errors
    /// A value that is invalid for this time axis.
    pub(super) fn axis(&self, axis: Axis) -> Result<Axis, NumericsError> {
        let Axis { start, dt, count } = axis;
        let at_least = |min| match count < min {
            true => Err(NumericsError::TooShort { what: "the trace", count, min }),
            false => Ok(axis),
        };
        match *self {
            Self::Filter { band, poles, .. } => {
                Butterworth::new(band, poles, dt)?;
                check_corner(band, dt)?;
                Ok(axis)
            }
            Self::Decimate(factor) => {
                let count = band_limited::decimated_count(count, factor)?;
                Ok(Axis { start, dt: dt * factor as f64, count })
            }
            Self::Resample(interval) => {
                let count = band_limited::resampled_count(count, dt, interval)?;
                Ok(Axis { start, dt: interval, count })
            }
            Self::Convolve(pulse) => pulse.check(count, dt).map(|()| axis),
            Self::Integrate | Self::Differentiate => at_least(4),
            Self::Detrend => at_least(2),
            Self::Taper(part) => prepare::check_taper(part).and_then(|()| at_least(2)),
            Self::Cut { from, to } => {
                let (first, count) = axis.between(from, to);
                Ok(Axis { start: start + dt * first as f64, dt, count })
            }
            Self::Shift(time) => Ok(Axis { start: start + time, dt, count }),
            Self::Demean | Self::Scale(_) | Self::Rotate { .. } => Ok(axis),
        }
    }

    /// The samples of a trace after the operation, checked as in a plan.
    ///
    /// # Errors
    /// As [`Self::axis`].
    pub(crate) fn applied(&self, samples: Vec<f64>, start: f64, dt: f64) -> Result<Vec<f64>, NumericsError> {
        let axis = Axis { start, dt, count: samples.len() };
        self.axis(axis)?;
        self.samples(samples, axis)
    }

    /// The samples of a trace after the operation; a rotation involves two traces and is not handled here.
    ///
    /// # Arguments
    /// * `samples` – the trace
    /// * `axis` – its time axis
    /// # Errors
    /// As [`Self::axis`].
    pub(super) fn samples(&self, samples: Vec<f64>, axis: Axis) -> Result<Vec<f64>, NumericsError> {
        let dt = axis.dt;
        match *self {
            Self::Filter { band, poles, causal } => {
                let filter = Butterworth::new(band, poles, dt)?;
                if causal { filter.causal_settled(&samples) } else { filter.zero_phase_held(&samples) }
            }
            Self::Decimate(factor) => band_limited::decimated(&samples, factor),
            Self::Resample(interval) => band_limited::resampled(&samples, dt, interval),
            Self::Integrate => integrate::integral(&samples, dt),
            Self::Differentiate => integrate::derivative(&samples, dt),
            Self::Convolve(pulse) => pulse.convolve(&samples, dt),
            Self::Detrend => prepare::detrended(&samples),
            Self::Demean => prepare::demeaned(&samples),
            Self::Taper(part) => prepare::tapered(&samples, part),
            Self::Cut { from, to } => {
                let (first, count) = axis.between(from, to);
                Ok(samples[first..first + count].to_vec())
            }
            Self::Scale(factor) => Ok(samples.iter().map(|value| factor * value).collect()),
            Self::Shift(_) | Self::Rotate { .. } => Ok(samples),
        }
    }
}

fn check_corner(band: Band, dt: f64) -> Result<(), NumericsError> {
    let (Band::LowPass { corner: lowest } | Band::HighPass { corner: lowest } | Band::BandPass { low: lowest, .. }) =
        band;
    let (min, max) = (LOWEST_CORNER / dt, 0.5 / dt);
    if lowest < min {
        return Err(NumericsError::OutOfRange { what: "the corner frequency, in Hz,", value: lowest, min, max });
    }
    Ok(())
}

/// The operation in readable form: `low-pass 0.05 Hz, 4 poles, zero phase`.
impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Filter { band, poles, causal } => {
                match band {
                    Band::LowPass { corner } => write!(f, "low-pass {} Hz", Number(corner))?,
                    Band::HighPass { corner } => write!(f, "high-pass {} Hz", Number(corner))?,
                    Band::BandPass { low, high } => write!(f, "band-pass {} to {} Hz", Number(low), Number(high))?,
                }
                write!(f, ", {poles} poles, {}", if causal { "causal" } else { "zero phase" })
            }
            Self::Decimate(factor) => write!(f, "decimate by {factor}"),
            Self::Resample(interval) => write!(f, "resample to {} s", Number(interval)),
            Self::Integrate => f.write_str("integrate"),
            Self::Differentiate => f.write_str("differentiate"),
            Self::Convolve(pulse) => {
                let shape = if matches!(pulse, Pulse::Gaussian { .. }) { "Gaussian" } else { "triangle" };
                write!(f, "convolve with a {shape}, half duration {} s", Number(pulse.half_duration()))
            }
            Self::Detrend => f.write_str("remove the trend"),
            Self::Demean => f.write_str("remove the mean"),
            Self::Taper(part) => write!(f, "taper {} at each end", Number(part)),
            Self::Cut { from, to } => write!(f, "cut {} to {} s", Number(from), Number(to)),
            Self::Shift(time) => write!(f, "shift by {} s", Number(time)),
            Self::Scale(factor) => write!(f, "scale by {}", Number(factor)),
            Self::Rotate { event: None } => f.write_str("rotate by the headers"),
            Self::Rotate { event: Some([x, y]) } => write!(f, "rotate to {}, {} m", Number(x), Number(y)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_keeps_both_ends_despite_round_off() {
        let axis = Axis { start: -0.3, dt: 0.1, count: 101 };
        assert_eq!(axis.between(0.0, 1.0), (3, 11));
        assert_eq!(axis.between(-5.0, 0.04), (0, 4));
        assert_eq!(axis.between(9.6, 50.0), (99, 2));
        assert_eq!(axis.between(0.01, 0.09).1, 0);
        assert_eq!((axis.between(20.0, 30.0).1, axis.between(-3.0, -2.0).1), (0, 0));
    }

    #[test]
    fn the_axis_has_the_number_of_samples() {
        let axis = Axis { start: 1.0, dt: 0.02, count: 501 };
        let low = Band::LowPass { corner: 2.0 };
        for operation in [
            Operation::Filter { band: low, poles: 4, causal: false },
            Operation::Filter { band: low, poles: 3, causal: true },
            Operation::Decimate(7),
            Operation::Resample(0.013),
            Operation::Integrate,
            Operation::Differentiate,
            Operation::Convolve(Pulse::Gaussian { half_duration: 0.5 }),
            Operation::Detrend,
            Operation::Demean,
            Operation::Taper(0.1),
            Operation::Cut { from: 2.0, to: 3.0 },
            Operation::Shift(5.0),
            Operation::Scale(-2.0),
        ] {
            operation.check().expect("allowed");
            let processed = operation.axis(axis).expect("allowed");
            let samples = operation.samples(vec![1.0; 501], axis).expect("done");
            assert_eq!(samples.len(), processed.count, "{operation}");
        }
    }
}
