//! How a source acts in time: s(t), its integral, its derivative and its spectrum, in closed form where there is one.

mod brune;
mod gaussian;
mod minimum_phase;
mod ormsby;
mod ricker;
mod sampled;
mod sine_integral;
mod triangle;

use crate::AcquisitionError;
use crate::error::{check, finite, positive};

pub use brune::{Brune, SmoothedBrune};
pub use gaussian::{ErrorFunction, Gaussian};
pub use minimum_phase::minimum_phase;
pub use ormsby::Ormsby;
pub use ricker::Ricker;
pub use sampled::Sampled;
pub use triangle::Triangle;

/// Half duration over the width w of the Gaussian exp(-(t/w)²) that decays like a triangle of that half duration.
pub const HALF_DURATION_OVER_WIDTH: f64 = 1.628;

/// Level at which a time function counts as begun, as a fraction of its peak.
pub const START_LEVEL: f64 = 1e-9;

/// What a time function can do. Times in seconds, frequencies in hertz.
trait Shape {
    /// s(t).
    fn value(&self, t: f64) -> f64;
    /// ∫ s from the beginning of time to t.
    fn integral(&self, t: f64) -> f64;
    /// ds/dt.
    fn derivative(&self, t: f64) -> f64;
    /// Time before which |s| stays below `level` times its peak.
    fn onset(&self, level: f64) -> f64;
    /// |S(f)| = |∫ s exp(-2πi f t) dt|.
    fn amplitude_spectrum(&self, frequency: f64) -> f64;
    /// Frequency above which |S| (of a step: of its derivative) stays below `level` times its largest value.
    fn upper_frequency(&self, level: f64) -> f64;
    /// Value that s keeps after its end: 0 for a pulse.
    fn final_value(&self) -> f64 {
        0.0
    }
}

/// s(t): pulses of unit area (Ricker and Ormsby wavelets have unit peak and no area), or a step to one. Verified by
/// `integral_is_the_area_up_to_t`, `derivative_is_the_slope` and `amplitude_spectrum_is_the_fourier_transform`.
#[derive(Debug, Clone, PartialEq)]
pub enum TimeFunction {
    /// A Gaussian pulse.
    Gaussian(Gaussian),
    /// A Ricker wavelet.
    Ricker(Ricker),
    /// An Ormsby wavelet.
    Ormsby(Ormsby),
    /// The far-field pulse of Brune's crack.
    Brune(Brune),
    /// Brune's pulse with a smooth beginning.
    SmoothedBrune(SmoothedBrune),
    /// A smooth step.
    ErrorFunction(ErrorFunction),
    /// A triangle.
    Triangle(Triangle),
    /// Straight lines between samples.
    Sampled(Sampled),
}

impl TimeFunction {
    /// exp(-(t-c)²/(2σ²)) / (σ √(2π)), of unit area.
    ///
    /// # Arguments
    /// * `sigma` – standard deviation σ \[s\]
    /// * `centre` – time of the peak c \[s\]
    /// # Errors
    /// A sigma that is not positive, a centre that is not a number.
    pub fn gaussian(sigma: f64, centre: f64) -> Result<Self, AcquisitionError> {
        let sigma = width("sigma of the Gaussian", sigma)?;
        let centre = time("centre of the Gaussian", centre)?;
        Ok(Self::Gaussian(Gaussian { sigma, centre }))
    }

    /// The Gaussian equivalent of a triangle of given half duration: exp(-((t-c)/w)²) / (w √π), w = half duration /
    /// 1.628.
    ///
    /// # Arguments
    /// * `half_duration` – half duration of the triangle \[s\]
    /// * `centre` – time of the peak c \[s\]
    /// # Errors
    /// A half duration that is not positive, a centre that is not a number.
    pub fn gaussian_of_half_duration(half_duration: f64, centre: f64) -> Result<Self, AcquisitionError> {
        let half_duration = width("half duration of the Gaussian", half_duration)?;
        Self::gaussian(half_duration / HALF_DURATION_OVER_WIDTH / std::f64::consts::SQRT_2, centre)
    }

    /// (1 - 2aτ²) exp(-aτ²), τ = t - delay, a = (π f)²: unit peak, no area.
    ///
    /// # Arguments
    /// * `frequency` – frequency f of the largest amplitude \[Hz\]
    /// * `delay` – time of the peak \[s\]; 1.2/f leaves 2e-5 of the peak before t = 0, 1.6/f leaves 1e-9
    /// # Errors
    /// A frequency that is not positive, a delay that is not a number.
    pub fn ricker(frequency: f64, delay: f64) -> Result<Self, AcquisitionError> {
        let frequency = self::frequency("frequency of the Ricker wavelet", frequency)?;
        let delay = time("delay of the Ricker wavelet", delay)?;
        Ok(Self::Ricker(Ricker { frequency, delay }))
    }

    /// Ormsby wavelet: zero phase, with a spectrum that rises linearly from f1 to f2, is flat up to f3 and falls linearly to f4; unit peak,
    /// zero area.
    ///
    /// # Arguments
    /// * `corners` – f1, f2, f3, f4 \[Hz\], 0 <= f1 < f2 <= f3 < f4
    /// * `centre` – time of the peak \[s\]. The wavelet decays only as 1/τ²: with 5, 10, 40 and 60 Hz, 1e-3 of the peak is left after 0.5
    ///   s, 1e-4 after 1.7 s.
    /// # Errors
    /// Negative corners or corners out of order, a centre that is not finite.
    pub fn ormsby(corners: [f64; 4], centre: f64) -> Result<Self, AcquisitionError> {
        let hint = "the spectrum rises from f1 to f2 and falls from f3 to f4; all are in Hz";
        let [f1, f2, f3, f4] = corners;
        check(f1 >= 0.0, "f1 of the Ormsby wavelet", f1, "0 Hz or more", hint)?;
        check(f2 > f1, "f2 of the Ormsby wavelet", f2, "above f1", hint)?;
        check(f3 >= f2, "f3 of the Ormsby wavelet", f3, "f2 or more", hint)?;
        check(f4 > f3 && f4.is_finite(), "f4 of the Ormsby wavelet", f4, "above f3", hint)?;
        let centre = time("centre of the Ormsby wavelet", centre)?;
        Ok(Self::Ormsby(Ormsby { corners, centre }))
    }

    /// Brune's pulse ω² τ exp(-ωτ), τ = t - start >= 0, ω = 2π corner frequency: unit area.
    ///
    /// # Arguments
    /// * `corner_frequency` – frequency at which the amplitude spectrum is one half \[Hz\]
    /// * `start` – start time \[s\]
    /// # Errors
    /// A corner frequency that is not positive, a start that is not finite.
    pub fn brune(corner_frequency: f64, start: f64) -> Result<Self, AcquisitionError> {
        let corner_frequency = frequency("corner frequency of the Brune pulse", corner_frequency)?;
        let start = time("start of the Brune pulse", start)?;
        Ok(Self::Brune(Brune::new(corner_frequency, start)))
    }

    /// Brune's pulse, modified so that its slope also starts at zero: unit area. Arguments and errors as [`TimeFunction::brune`].
    pub fn smoothed_brune(corner_frequency: f64, start: f64) -> Result<Self, AcquisitionError> {
        let corner_frequency = frequency("corner frequency of the Brune pulse", corner_frequency)?;
        let start = time("start of the Brune pulse", start)?;
        Ok(Self::SmoothedBrune(SmoothedBrune::new(corner_frequency, start)))
    }

    /// A smooth step from 0 to 1: ½ (1 + erf((t-c)/w)).
    ///
    /// # Arguments
    /// * `width` – w \[s\]: 84 % of the rise is within ±w
    /// * `centre` – time c at which the function is ½ \[s\]
    /// # Errors
    /// A width that is not positive, a centre that is not finite.
    pub fn error_function(width: f64, centre: f64) -> Result<Self, AcquisitionError> {
        let width = self::width("width of the error function", width)?;
        let centre = time("centre of the error function", centre)?;
        Ok(Self::ErrorFunction(ErrorFunction::new(width, centre)))
    }

    /// Symmetric triangle of unit area: (1 - |t-c|/h) / h within ±h.
    ///
    /// # Arguments
    /// * `half_duration` – h \[s\]
    /// * `centre` – time of the peak c \[s\]
    /// # Errors
    /// A half duration that is not positive, a centre that is not finite.
    pub fn triangle(half_duration: f64, centre: f64) -> Result<Self, AcquisitionError> {
        let half_duration = width("half duration of the triangle", half_duration)?;
        let centre = time("centre of the triangle", centre)?;
        Ok(Self::Triangle(Triangle { half_duration, centre }))
    }

    /// Linear interpolation between samples: zero before the first one, constant after the last one. A last sample below a thousandth of
    /// the peak is set to zero.
    ///
    /// # Arguments
    /// * `dt` – sampling interval \[s\]
    /// * `t0` – time of the first sample \[s\]
    /// * `samples` – values of s, at least two
    /// # Errors
    /// A dt that is not positive, fewer than two samples, a sample that is not finite, only zeros.
    pub fn sampled(dt: f64, t0: f64, samples: Vec<f64>) -> Result<Self, AcquisitionError> {
        let dt = width("sampling interval of the time function", dt)?;
        let t0 = time("first time of the time function", t0)?;
        Ok(Self::Sampled(Sampled::new(dt, t0, samples)?))
    }

    fn shape(&self) -> &dyn Shape {
        match self {
            Self::Gaussian(shape) => shape,
            Self::Ricker(shape) => shape,
            Self::Ormsby(shape) => shape,
            Self::Brune(shape) => shape,
            Self::SmoothedBrune(shape) => shape,
            Self::ErrorFunction(shape) => shape,
            Self::Triangle(shape) => shape,
            Self::Sampled(shape) => shape,
        }
    }

    /// s(t), t in seconds.
    pub fn value(&self, t: f64) -> f64 {
        self.shape().value(t)
    }

    /// ∫ s from -∞ to t \[s\]; it tends to 1 for a pulse of unit area.
    pub fn integral(&self, t: f64) -> f64 {
        self.shape().integral(t)
    }

    /// ds/dt \[1/s\]; at a corner, the one-sided derivative from the right.
    pub fn derivative(&self, t: f64) -> f64 {
        self.shape().derivative(t)
    }

    /// Time \[s\] before which |s| stays below 1e-9 of its peak. A simulation that starts later truncates the source.
    pub fn start(&self) -> f64 {
        self.onset(START_LEVEL)
    }

    /// Time \[s\] before which |s| stays below `level` (above 0, below 1) times its peak.
    pub fn onset(&self, level: f64) -> f64 {
        self.shape().onset(level)
    }

    /// Origin time \[s\] of the event: the centre of a function that has one, the start of a Brune pulse, time 0 of samples.
    pub fn event_time(&self) -> f64 {
        match self {
            Self::Gaussian(pulse) => pulse.centre(),
            Self::Ricker(wavelet) => wavelet.delay(),
            Self::Ormsby(wavelet) => wavelet.centre(),
            Self::Brune(pulse) => pulse.start(),
            Self::SmoothedBrune(pulse) => pulse.start(),
            Self::ErrorFunction(step) => step.centre(),
            Self::Triangle(pulse) => pulse.centre(),
            Self::Sampled(_) => 0.0,
        }
    }

    /// Time \[s\] of the largest magnitude: the centre of a function that has one; of samples, the vertex of the parabola through the largest one and its
    /// neighbours. Verified by `peak_times_are_those_of_the_largest_magnitude`.
    pub fn peak_time(&self) -> f64 {
        match self {
            Self::Brune(pulse) => pulse.peak_time(),
            Self::SmoothedBrune(pulse) => pulse.peak_time(),
            Self::Sampled(samples) => samples.peak_time(),
            _ => self.event_time(),
        }
    }

    /// |S(f)| = |∫ s exp(-2πi f t) dt| \[s\] at a frequency \[Hz\]; a step is infinite at f = 0.
    pub fn amplitude_spectrum(&self, frequency: f64) -> f64 {
        self.shape().amplitude_spectrum(frequency.abs())
    }

    /// Frequency \[Hz\] above which the amplitude spectrum stays below `level` (above 0, below 1; usually 0.05 or 0.01) times its maximum.
    /// For a step, the spectrum of its derivative is used; for samples, the result is at most their Nyquist frequency.
    pub fn upper_frequency(&self, level: f64) -> f64 {
        self.shape().upper_frequency(level)
    }

    /// Constant value of s after its end: 0 for a pulse, 1 for the error function, the last sample for samples.
    pub fn final_value(&self) -> f64 {
        self.shape().final_value()
    }
}

fn width(what: &str, value: f64) -> Result<f64, AcquisitionError> {
    positive(what, value, "above 0 s", "a source of zero duration excites all frequencies, which no mesh can resolve")
}

fn frequency(what: &str, value: f64) -> Result<f64, AcquisitionError> {
    positive(what, value, "above 0 Hz", "frequencies are in Hz")
}

fn time(what: &str, value: f64) -> Result<f64, AcquisitionError> {
    finite(what, value, "a finite time in s")
}

/// Solves `function(x) = level` in `low..high` for a falling function, by bisection.
fn solve_falling(level: f64, low: f64, high: f64, function: impl Fn(f64) -> f64) -> f64 {
    let (mut low, mut high) = (low, high);
    // 200 bisections reach the precision of f64 from any interval.
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if function(middle) > level {
            low = middle;
        } else {
            high = middle;
        }
    }
    high
}
