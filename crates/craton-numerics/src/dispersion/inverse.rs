//! Inverse transform: from traces of the scheme to those of the continuous equation.

use std::sync::Arc;

use craton_fft::Complex64;
use craton_fft::{ComplexToReal, RealPlanner, RealToComplex};

use super::{PhaseGrid, Stagger, airy_width, smooth_step};
use crate::error::{NumericsError, at_least, finite, positive};
use crate::integrate::{difference, running_sum};
use crate::nufft::{Nufft, fast_even_length};

/// The quantity to compute from a trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Derive {
    /// The trace itself.
    Nothing,
    /// Its time derivative.
    Derivative,
    /// Its integral over time from rest.
    Integral,
}

/// Output times of a trace: start, start + interval, ...
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct UniformTimes {
    /// First time after step 0 [s].
    pub start: f64,
    /// Sampling interval [s]; frequencies above 1 / (2 interval) alias, as in any sampling.
    pub interval: f64,
    /// Number of times.
    pub count: usize,
}

/// The inverse transform of a run; plan once and use for all traces, from any number of threads.
pub struct Inverse {
    dt: f64,
    n_samples: usize,
    grid: PhaseGrid,
    /// Weight of each frequency: quadrature, dΩ/dθ, window, and the phase shift to the first output time.
    weights: Vec<Complex64>,
    /// Phase factor of half a step at each frequency.
    half_step: Vec<Complex64>,
    to_spectrum: Arc<dyn RealToComplex<f64>>,
    to_steps: Arc<dyn ComplexToReal<f64>>,
    to_times: Nufft,
}

impl Inverse {
    /// Plans the transform of traces of at most `n_samples` steps of `dt` [s] to the times n dt of the whole steps.
    ///
    /// # Errors
    /// No samples, or a time step that is not positive.
    pub fn new(n_samples: usize, dt: f64) -> Result<Self, NumericsError> {
        Self::onto(n_samples, dt, UniformTimes { start: 0.0, interval: dt, count: n_samples })
    }

    /// Plans the transform of traces of at most `n_samples` steps of `dt` [s] to any uniform times within 0 to `n_samples * dt`.
    ///
    /// The traces are band-limited, so they are interpolated exactly on the way.
    ///
    /// # Errors
    /// No samples or no times, a step or interval that is not positive, or times outside the run.
    pub fn onto(n_samples: usize, dt: f64, times: UniformTimes) -> Result<Self, NumericsError> {
        positive("the time step", dt)?;
        positive("the sampling interval", times.interval)?;
        at_least("the trace", n_samples, 1)?;
        at_least("the requested trace", times.count, 1)?;
        check_range(&times, n_samples as f64 * dt)?;
        let rest = airy_width(n_samples, 6.0);
        let grid = PhaseGrid::new(fast_even_length(n_samples + extension(n_samples) + rest));
        let start = times.start / dt;
        let weights = grid
            .phases
            .iter()
            .zip(grid.window())
            .enumerate()
            .map(|(k, (phase, window))| {
                // Both signs of a frequency are summed as twice the real part; zero occurs once.
                let signs = if k == 0 { 1.0 } else { 2.0 };
                let size = signs * window * phase.cos() / grid.period as f64;
                Complex64::from_polar(size, 2.0 * start * phase.sin())
            })
            .collect();
        let half_step = grid.phases.iter().map(|&phase| Complex64::cis(-phase)).collect();
        let mut planner = RealPlanner::new();
        let (to_spectrum, to_steps) = (planner.forward(grid.period), planner.inverse(grid.period));
        let to_times = Nufft::new(times.count, &grid.angles(times.interval / dt));
        Ok(Self { dt, n_samples, grid, weights, half_step, to_spectrum, to_steps, to_times })
    }

    /// The trace of the continuous equation, its derivative or its integral, at the planned times.
    ///
    /// # Arguments
    /// * `trace` – samples of the scheme from its first step on, at most as many as planned
    /// * `at` – times of the samples relative to the steps
    /// * `derive` – quantity to compute; derivative and integral are the differences and sums of the scheme, which the transform makes exact
    /// # Returns
    /// One value per planned time; accurate up to the end of the trace under the conditions given in the module documentation.
    /// # Errors
    /// An empty or too long trace, a sample that is not finite.
    pub fn apply(&self, trace: &[f64], at: Stagger, derive: Derive) -> Result<Vec<f64>, NumericsError> {
        at_least("the trace", trace.len(), 1)?;
        if trace.len() > self.n_samples {
            return Err(NumericsError::TooLong { count: trace.len(), max: self.n_samples });
        }
        finite("the trace", trace)?;
        let half_steps = match at {
            Stagger::Whole => 0,
            Stagger::Half => 1,
        };
        Ok(match derive {
            Derive::Nothing => self.transform(trace, half_steps),
            Derive::Derivative => self.transform(&difference(trace, self.dt)?, half_steps - 1),
            Derive::Integral => self.transform(&running_sum(trace, self.dt)?, half_steps + 1),
        })
    }

    /// The transpose of [`apply`](Self::apply) without a derivative or an integral: from the derivative of a function with respect to the values at the
    /// planned times to that with respect to the samples of the trace.
    ///
    /// # Arguments
    /// * `values` – one per planned time
    /// * `count` – number of samples of the trace, at least 1 and at most as many as planned
    /// * `at` – times of the samples relative to the steps
    /// # Errors
    /// An empty or too long trace, a value that is not finite.
    /// Verified by `dispersion::the_inverse_transform_is_transposed_exactly`.
    pub fn transposed(&self, values: &[f64], count: usize, at: Stagger) -> Result<Vec<f64>, NumericsError> {
        at_least("the trace", count, 1)?;
        if count > self.n_samples {
            return Err(NumericsError::TooLong { count, max: self.n_samples });
        }
        finite("the trace", values)?;
        let mut spectrum = self.to_times.analyse(values);
        let ends = [0, self.grid.period / 2];
        let factors = self.weights.iter().zip(&self.half_step);
        for (k, (value, (weight, half_step))) in spectrum.iter_mut().zip(factors).enumerate() {
            let weight = if at == Stagger::Half { weight * half_step } else { *weight };
            // The transform to the steps adds the conjugate of each frequency between the ends.
            *value *= weight.conj() * if ends.contains(&k) { 1.0 } else { 0.5 };
        }
        ends.iter().for_each(|&end| spectrum[end].im = 0.0);
        let mut extended = self.to_steps.make_output_vec();
        self.to_steps.process(&mut spectrum, &mut extended).expect("the buffers have the plan's lengths and real ends");
        Ok(self.extended_transposed(&extended, count))
    }

    /// The transform of samples at (n + half_steps / 2) dt.
    fn transform(&self, samples: &[f64], half_steps: i32) -> Vec<f64> {
        let mut extended = self.extended(samples);
        let mut spectrum = self.to_spectrum.make_output_vec();
        self.to_spectrum.process(&mut extended, &mut spectrum).expect("the buffers have the plan's lengths");
        for ((value, weight), half_step) in spectrum.iter_mut().zip(&self.weights).zip(&self.half_step) {
            *value *= weight * half_step.powi(half_steps);
        }
        self.to_times.synthesise(&spectrum)
    }

    /// The samples, extrapolated smoothly beyond their end, tapered, and zero for the remainder of the period.
    ///
    /// A jump at the end would contaminate the samples before it; a smooth continuation does not.
    fn extended(&self, samples: &[f64]) -> Vec<f64> {
        let last = samples.len() - 1;
        let length = extension(self.n_samples);
        let mut extended = samples.to_vec();
        extended.extend((1..length).map(|j| {
            let mirrored = 2.0 * samples[last] - samples[last.saturating_sub(j)];
            mirrored * smooth_step(2.0 * (length - j) as f64 / length as f64)
        }));
        extended.resize(self.grid.period, 0.0);
        extended
    }

    /// The transpose of [`extended`](Self::extended) for some samples.
    fn extended_transposed(&self, extended: &[f64], count: usize) -> Vec<f64> {
        let (last, length) = (count - 1, extension(self.n_samples));
        let mut samples = extended[..count].to_vec();
        for j in 1..length {
            let value = extended[last + j] * smooth_step(2.0 * (length - j) as f64 / length as f64);
            samples[last] += 2.0 * value;
            samples[last.saturating_sub(j)] -= value;
        }
        samples
    }
}

/// Steps by which a trace is extrapolated: the first half untapered, the second half tapered.
fn extension(n_samples: usize) -> usize {
    2 * airy_width(n_samples, 6.0) + 64
}

fn check_range(times: &UniformTimes, end: f64) -> Result<(), NumericsError> {
    let last = times.start + (times.count - 1) as f64 * times.interval;
    for time in [times.start, last] {
        // Times are often sums of decimal fractions, so round-off at the ends is tolerated.
        if !(-1e-9 * end..=end * (1.0 + 1e-9)).contains(&time) {
            return Err(NumericsError::OutsideSamples { time, start: 0.0, end });
        }
    }
    Ok(())
}
