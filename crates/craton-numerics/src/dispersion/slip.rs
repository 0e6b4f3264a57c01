//! Forward transform of short, sampled rates in a long run, such as the slip rates of the points of a finite fault.

use craton_fft::{Complex64, RealPlanner};

use super::smooth_step;
use crate::error::{NumericsError, positive};
use crate::nufft::fast_even_length;

/// The frequencies that are kept: all up to the first, none from the second on, in highest frequencies of the run.
const BAND: [f64; 2] = [1.5, 2.5];

/// The same limits where the scheme does not resolve that much, as a fraction of its Nyquist phase.
const RESOLVED: [f64; 2] = [0.5, 0.8];

/// Duration of the response of the band, times its width in radians per step.
const RINGING: f64 = 23.0;

/// A rate that is piecewise linear between samples, and zero one interval before the first and after the last one.
#[derive(Debug, Clone, Copy)]
pub struct SampledRate<'a> {
    /// Time of the first sample after step 0 of the run [s].
    pub start: f64,
    /// Interval between samples [s], above 0.
    pub interval: f64,
    /// The samples.
    pub samples: &'a [f32],
}

impl SampledRate<'_> {
    /// The integral over all time, in the unit of the samples times second.
    pub fn total(&self) -> f64 {
        self.interval * self.samples.iter().map(|&sample| f64::from(sample)).sum::<f64>()
    }

    /// The integral up to a time [s].
    fn integral(&self, time: f64) -> f64 {
        let hat = |(index, &sample): (usize, &f32)| {
            // The integral of a triangle of unit area and base 2, up to `at` after its peak.
            let at = ((time - self.start) / self.interval - index as f64).clamp(-1.0, 1.0);
            f64::from(sample) * if at < 0.0 { 0.5 * (1.0 + at).powi(2) } else { 1.0 - 0.5 * (1.0 - at).powi(2) }
        };
        self.interval * self.samples.iter().enumerate().map(hat).sum::<f64>()
    }

    /// Spectrum at the angular frequency `omega` [rad/s].
    fn spectrum(&self, omega: f64) -> Complex64 {
        let turn = Complex64::from_polar(1.0, -omega * self.interval);
        let horner = |sum: Complex64, &sample: &f32| sum * turn + f64::from(sample);
        let sum = self.samples.iter().rfold(Complex64::ZERO, horner);
        let half = 0.5 * omega * self.interval;
        let hat = if half == 0.0 { 1.0 } else { (half.sin() / half).powi(2) };
        sum * Complex64::from_polar(self.interval * hat, -omega * self.start)
    }
}

/// Histories of short rates, each only for the steps in which it changes.
///
/// The history is limited to the frequencies that the mesh resolves, with a margin: all up to 1.5 times the highest frequency of the run, none above 2.5
/// times. Higher ones would spread over the whole run under the transform.
pub struct SlipForward {
    dt: f64,
    /// Phases θ dt/2 up to which everything is kept, and from which on nothing is kept.
    band: [f64; 2],
    corrected: bool,
}

impl SlipForward {
    /// Prepares histories for steps of length `dt` [s].
    ///
    /// # Arguments
    /// * `max_frequency` – highest frequency of the run [Hz]
    /// * `corrected` – whether time dispersion is corrected; without, the histories are exact integrals at the steps
    /// # Errors
    /// A time step or a frequency that is not positive.
    pub fn new(dt: f64, max_frequency: f64, corrected: bool) -> Result<Self, NumericsError> {
        positive("the time step", dt)?;
        positive("the highest frequency", max_frequency)?;
        let phase = |end: usize| {
            let sine = std::f64::consts::PI * BAND[end] * max_frequency * dt;
            sine.min(1.0).asin().min(RESOLVED[end] * std::f64::consts::FRAC_PI_2)
        };
        Ok(Self { dt, band: [phase(0), phase(1)], corrected })
    }

    /// Steps before the onset of a rate in which its history is not negligible.
    pub fn ringing(&self) -> usize {
        if self.corrected { (RINGING / (2.0 * (self.band[1] - self.band[0]))).ceil() as usize } else { 0 }
    }

    /// The history of the integral of a rate.
    ///
    /// # Returns
    /// The step of the first value, which may be negative, and the values; before them it is zero, after them it keeps the last one: the integral over all
    /// time.
    /// # Errors
    /// [`NumericsError::SourceNotFinite`] if a sample is not finite.
    /// Verified by `dispersion::histories_of_slip_are_those_of_the_whole_run`.
    pub fn integral(&self, rate: &SampledRate) -> Result<(i64, Vec<f64>), NumericsError> {
        if let Some(index) = rate.samples.iter().position(|sample| !sample.is_finite()) {
            let time = rate.start + index as f64 * rate.interval;
            return Err(NumericsError::SourceNotFinite { time, value: f64::from(rate.samples[index]) });
        }
        let onset = (rate.start - rate.interval) / self.dt;
        let end = (rate.start + rate.samples.len() as f64 * rate.interval) / self.dt;
        if !self.corrected {
            let first = onset.floor() as i64;
            let steps = first..=end.ceil() as i64;
            return Ok((first, steps.map(|step| rate.integral(step as f64 * self.dt)).collect()));
        }
        // Waves of the scheme arrive early, so that the transform advances high frequencies.
        let earliest = onset.min(onset * self.band[1].cos()) - self.ringing() as f64;
        let first = earliest.floor() as i64;
        let latest = end.max(end * self.band[1].cos()) + self.ringing() as f64;
        let count = (latest.ceil() as i64 - first) as usize;
        Ok((first, self.window(rate, first, count)))
    }

    /// The values of the history in a number of steps from `first` on.
    fn window(&self, rate: &SampledRate, first: i64, count: usize) -> Vec<f64> {
        let period = fast_even_length(count);
        let to_steps = RealPlanner::new().inverse(period);
        let mut driven = to_steps.make_input_vec();
        // Rates at half steps: the sums over them are the history at whole steps, exactly under the transform.
        let begin = first as f64 + 0.5;
        let phases = (0..period / 2).map(|k| std::f64::consts::PI * k as f64 / period as f64);
        for (value, phase) in driven.iter_mut().zip(phases.take_while(|phase| *phase < self.band[1])) {
            let kept = smooth_step((self.band[1] - phase) / (self.band[1] - self.band[0]));
            let spectrum = rate.spectrum(2.0 / self.dt * phase.sin());
            *value = spectrum * Complex64::from_polar(kept / period as f64, 2.0 * phase * begin);
        }
        driven[0].im = 0.0;
        let mut rates = to_steps.make_output_vec();
        to_steps.process(&mut driven, &mut rates).expect("the buffers have the plan's lengths and real ends");
        let mut total = 0.0;
        let history = rates.iter().map(|rate| {
            let before = total;
            total += rate;
            before
        });
        let mut history: Vec<f64> = history.take(count).collect();
        history.push(rate.total());
        history
    }
}
