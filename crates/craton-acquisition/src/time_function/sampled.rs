//! A sampled time function with linear interpolation.

use std::f64::consts::{PI, TAU};
use std::sync::Arc;

use craton_fft::Complex64;
use craton_fft::RealPlanner;

use super::Shape;
use super::triangle::sinc;
use crate::AcquisitionError;

/// Linear interpolation between samples: zero before the first one, constant after the last one. A last sample below a thousandth of the
/// peak is set to zero, so that a pulse ends.
#[derive(Debug, Clone, PartialEq)]
pub struct Sampled {
    dt: f64,
    t0: f64,
    samples: Arc<[f64]>,
    /// Integral up to each sample.
    integrals: Arc<[f64]>,
}

impl Sampled {
    pub(super) fn new(dt: f64, t0: f64, mut samples: Vec<f64>) -> Result<Self, AcquisitionError> {
        Self::check(&samples)?;
        end_pulse(&mut samples);
        let mut integrals = Vec::with_capacity(samples.len());
        let mut sum = 0.0;
        integrals.push(sum);
        for pair in samples.windows(2) {
            sum += 0.5 * dt * (pair[0] + pair[1]);
            integrals.push(sum);
        }
        Ok(Self { dt, t0, samples: samples.into(), integrals: integrals.into() })
    }

    pub(super) fn check(samples: &[f64]) -> Result<(), AcquisitionError> {
        if samples.len() < 2 {
            return Err(AcquisitionError::BadSamples {
                problem: format!("{} samples", samples.len()),
                hint: "give at least two",
            });
        }
        if let Some(place) = samples.iter().position(|value| !value.is_finite()) {
            return Err(AcquisitionError::BadSamples {
                problem: format!("{} as sample {} (counted from 1)", samples[place], place + 1),
                hint: "every sample must be a finite number",
            });
        }
        if samples.iter().all(|&value| value == 0.0) {
            return Err(AcquisitionError::BadSamples {
                problem: "nothing but zeros".to_owned(),
                hint: "check the file and its column",
            });
        }
        Ok(())
    }

    /// Sampling interval \[s\].
    pub fn dt(&self) -> f64 {
        self.dt
    }

    /// Time of the first sample \[s\].
    pub fn t0(&self) -> f64 {
        self.t0
    }

    /// The samples.
    pub fn samples(&self) -> &[f64] {
        &self.samples
    }

    /// Largest magnitude of the samples.
    pub fn peak(&self) -> f64 {
        self.samples.iter().fold(0.0, |peak, sample| sample.abs().max(peak))
    }

    /// Time of the largest magnitude \[s\], refined by a parabola.
    pub(super) fn peak_time(&self) -> f64 {
        let largest = |best: usize, index: usize| {
            if self.samples[index].abs() > self.samples[best].abs() { index } else { best }
        };
        let index = (0..self.samples.len()).fold(0, largest);
        let beside = |offset: isize| self.samples.get(index.wrapping_add_signed(offset)).copied().unwrap_or(0.0);
        let [before, at, after] = [-1, 0, 1].map(beside);
        let curvature = before - 2.0 * at + after;
        let refined = if curvature == 0.0 { 0.0 } else { 0.5 * (before - after) / curvature };
        self.t0 + (index as f64 + refined.clamp(-0.5, 0.5)) * self.dt
    }

    /// Time from the first to the last sample \[s\].
    pub fn length(&self) -> f64 {
        self.last() as f64 * self.dt
    }

    fn last(&self) -> usize {
        self.samples.len() - 1
    }

    /// Index of the interval that contains t, and the time since its start; `None` before the first sample. The interval after the last
    /// sample is unbounded.
    fn interval(&self, t: f64) -> Option<(usize, f64)> {
        if t < self.t0 {
            return None;
        }
        let index = (((t - self.t0) / self.dt).floor() as usize).min(self.last());
        Some((index, t - self.t0 - index as f64 * self.dt))
    }

    fn slope(&self, interval: usize) -> f64 {
        match self.samples.get(interval + 1) {
            Some(next) => (next - self.samples[interval]) / self.dt,
            None => 0.0,
        }
    }

    /// Spectrum of ds/dt relative to the time of the first sample: a jump there, then boxes of width dt.
    fn rate_spectrum(&self, frequency: f64) -> f64 {
        let omega = TAU * frequency;
        let mut sum = Complex64::new(0.0, 0.0);
        for (index, pair) in self.samples.windows(2).enumerate() {
            let middle = (index as f64 + 0.5) * self.dt;
            sum += Complex64::from_polar(pair[1] - pair[0], -omega * middle);
        }
        (self.samples[0] + sum * sinc(0.5 * omega * self.dt)).norm()
    }

    /// Spectrum of ds/dt at all multiples of the returned frequency step, up to the Nyquist frequency.
    fn rate_spectra(&self) -> (f64, Vec<f64>) {
        // Zero padding to four times the length resolves the spectrum between the frequencies of the record.
        let length = (4 * self.samples.len()).next_power_of_two();
        let transform = RealPlanner::new().forward(length);
        let mut steps = vec![0.0; length];
        for (step, pair) in steps.iter_mut().zip(self.samples.windows(2)) {
            *step = pair[1] - pair[0];
        }
        let mut spectrum = transform.make_output_vec();
        transform.process(&mut steps, &mut spectrum).expect("both buffers were made for this length");
        let df = 1.0 / (length as f64 * self.dt);
        let amplitudes = spectrum.iter().enumerate().map(|(k, &bin)| {
            let half_angle = PI * df * k as f64 * self.dt;
            let boxes = bin * Complex64::from_polar(sinc(half_angle), -half_angle);
            (self.samples[0] + boxes).norm()
        });
        (df, amplitudes.collect())
    }
}

impl Shape for Sampled {
    fn value(&self, t: f64) -> f64 {
        self.interval(t).map_or(0.0, |(index, since)| self.samples[index] + since * self.slope(index))
    }

    fn integral(&self, t: f64) -> f64 {
        self.interval(t).map_or(0.0, |(index, since)| {
            self.integrals[index] + since * (self.samples[index] + 0.5 * since * self.slope(index))
        })
    }

    fn derivative(&self, t: f64) -> f64 {
        self.interval(t).map_or(0.0, |(index, _)| self.slope(index))
    }

    fn onset(&self, level: f64) -> f64 {
        let threshold = level * peak(&self.samples);
        let first = self.samples.iter().position(|value| value.abs() >= threshold).unwrap_or(0);
        self.t0 + first.saturating_sub(1) as f64 * self.dt
    }

    fn amplitude_spectrum(&self, frequency: f64) -> f64 {
        if frequency > 0.0 {
            return self.rate_spectrum(frequency) / (TAU * frequency);
        }
        match self.final_value() {
            0.0 => self.integrals[self.last()].abs(),
            _ => f64::INFINITY,
        }
    }

    fn upper_frequency(&self, level: f64) -> f64 {
        let (df, mut spectrum) = self.rate_spectra();
        if self.final_value() == 0.0 {
            for (k, amplitude) in spectrum.iter_mut().enumerate() {
                *amplitude = match k {
                    0 => self.integrals[self.last()].abs(),
                    _ => *amplitude / (TAU * df * k as f64),
                };
            }
        }
        let threshold = level * spectrum.iter().copied().fold(0.0, f64::max);
        let last_above = spectrum.iter().rposition(|&amplitude| amplitude >= threshold);
        let first_below = last_above.map_or(0, |k| (k + 1).min(spectrum.len() - 1));
        df * first_below as f64
    }

    fn final_value(&self) -> f64 {
        self.samples[self.last()]
    }
}

fn peak(samples: &[f64]) -> f64 {
    samples.iter().fold(0.0, |peak, value| value.abs().max(peak))
}

/// Sets a last sample that is small relative to the peak to zero.
fn end_pulse(samples: &mut [f64]) {
    let small = 1e-3 * peak(samples);
    if let Some(last) = samples.last_mut().filter(|last| last.abs() < small) {
        *last = 0.0;
    }
}
