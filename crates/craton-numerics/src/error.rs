//! Errors of this crate.

/// An invalid argument or input, with the offending value and a hint.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum NumericsError {
    /// A polynomial degree or a number of quadrature points outside the supported range.
    #[error("{what} is {value}, but must lie between {min} and {max}; choose a value in that range")]
    Degree {
        /// Which quantity.
        what: &'static str,
        /// The value given.
        value: usize,
        /// Smallest value allowed.
        min: usize,
        /// Largest value allowed.
        max: usize,
    },
    /// A quantity that must be finite and positive is not.
    #[error("{what} is {value}, but must be finite and greater than zero; check its value and unit")]
    NotPositive {
        /// Which quantity.
        what: &'static str,
        /// The value given.
        value: f64,
    },
    /// A quantity outside its allowed range.
    #[error("{what} is {value}, but must lie between {min} and {max}; check its value and unit")]
    OutOfRange {
        /// Which quantity.
        what: &'static str,
        /// The value given.
        value: f64,
        /// Smallest value allowed.
        min: f64,
        /// Largest value allowed.
        max: f64,
    },
    /// A sample is NaN or infinite.
    #[error(
        "sample {index} of {what} is {value}, but all samples must be finite; look for an unstable run or a damaged file"
    )]
    NotFinite {
        /// Which trace or function.
        what: &'static str,
        /// Index of the first offending sample.
        index: usize,
        /// The value found.
        value: f64,
    },
    /// A source time function is NaN or infinite somewhere.
    #[error(
        "the source time function is {value} at {time} s after the first step, but must be finite at all times, including before the first step; check its formula"
    )]
    SourceNotFinite {
        /// Time after step 0 [s].
        time: f64,
        /// The value found.
        value: f64,
    },
    /// A trace has too few samples for the operation.
    #[error("{what} has {count} samples, but needs at least {min}; use a longer trace")]
    TooShort {
        /// Which trace.
        what: &'static str,
        /// Number of samples given.
        count: usize,
        /// Smallest number allowed.
        min: usize,
    },
    /// A trace has more samples than the transform was planned for.
    #[error(
        "the trace has {count} samples, but this transform was planned for at most {max}; plan it for the longest trace"
    )]
    TooLong {
        /// Number of samples given.
        count: usize,
        /// Largest number allowed.
        max: usize,
    },
    /// Two traces, or two groups of components, that must agree in length do not.
    #[error(
        "{what}: the test has {test}, the reference {reference}, but both must be equal; resample or trim one of them"
    )]
    LengthMismatch {
        /// What is counted.
        what: &'static str,
        /// Count in the trace under test.
        test: usize,
        /// Count in the reference.
        reference: usize,
    },
    /// A trace that must carry a signal is zero throughout.
    #[error("{what} is zero everywhere, so no relative misfit exists; check source, receiver and window")]
    ZeroTrace {
        /// Which trace.
        what: &'static str,
    },
    /// A corner frequency outside (0, Nyquist).
    #[error(
        "corner frequency {corner} Hz must lie above 0 and below the Nyquist frequency {nyquist} Hz; lower the corner or use a shorter sampling interval"
    )]
    Corner {
        /// The corner given [Hz].
        corner: f64,
        /// Half the sampling rate [Hz].
        nyquist: f64,
    },
    /// The corners of a band are not in ascending order.
    #[error("the lower corner {low} Hz must lie below the upper corner {high} Hz; swap or change them")]
    Band {
        /// Lower corner [Hz].
        low: f64,
        /// Upper corner [Hz].
        high: f64,
    },
    /// A time outside the range of the samples.
    #[error("time {time} s lies outside the samples, which cover {start} s to {end} s; request times in that range")]
    OutsideSamples {
        /// The requested time [s].
        time: f64,
        /// Time of the first sample [s].
        start: f64,
        /// Time of the last sample [s].
        end: f64,
    },
}

/// Checks that a quantity is finite and positive.
pub(crate) fn positive(what: &'static str, value: f64) -> Result<f64, NumericsError> {
    if value.is_finite() && value > 0.0 { Ok(value) } else { Err(NumericsError::NotPositive { what, value }) }
}

/// Checks that a quantity lies in its allowed range, ends included.
pub(crate) fn within(what: &'static str, value: f64, min: f64, max: f64) -> Result<f64, NumericsError> {
    if (min..=max).contains(&value) { Ok(value) } else { Err(NumericsError::OutOfRange { what, value, min, max }) }
}

/// Checks that every sample is finite.
pub(crate) fn finite(what: &'static str, samples: &[f64]) -> Result<(), NumericsError> {
    match samples.iter().position(|value| !value.is_finite()) {
        None => Ok(()),
        Some(index) => Err(NumericsError::NotFinite { what, index, value: samples[index] }),
    }
}

/// Checks that a trace has at least `min` samples.
pub(crate) fn at_least(what: &'static str, count: usize, min: usize) -> Result<(), NumericsError> {
    if count < min { Err(NumericsError::TooShort { what, count, min }) } else { Ok(()) }
}
