//! Residual time-dispersion error of a source after the transforms.

use std::sync::Arc;

use craton_fft::{RealPlanner, RealToComplex};

use super::{Derive, Forward, Inverse, Stagger, UniformTimes, guard_steps};
use crate::error::{NumericsError, positive};
use crate::nufft::fast_even_length;

/// Comparison samples per step, enough to avoid aliasing of the source.
const FINER: usize = 8;

/// Relative error of a source after forward and inverse transform, below a given frequency; plan once and use for all sources of a run.
///
/// The error is small unless the source exceeds the band of the scheme (|ω| < √2/dt) or the time window of the run, that is, unless it is too sharp or already
/// active at step 0. Energy above the given frequency, such as that of a kink, is not counted as an error, because no mesh resolves it.
pub struct Residual {
    forward: Forward,
    back: Inverse,
    times: UniformTimes,
    /// Weight of the energy at each frequency: the squared response of a zero-phase Butterworth low-pass of order 4.
    weights: Vec<f64>,
    to_spectrum: Arc<dyn RealToComplex<f64>>,
}

impl Residual {
    /// Plans the comparison.
    ///
    /// # Arguments
    /// * `n_steps` – number of steps of the record, without guard steps
    /// * `dt` – time step [s]
    /// * `max_frequency` – highest frequency of interest [Hz]
    /// # Errors
    /// No steps, or a time step or frequency that is not positive.
    pub fn new(n_steps: usize, dt: f64, max_frequency: f64) -> Result<Self, NumericsError> {
        positive("the highest frequency", max_frequency)?;
        let n = n_steps + guard_steps(n_steps);
        let times = UniformTimes { start: 0.0, interval: dt / FINER as f64, count: FINER * n_steps };
        let (forward, back) = (Forward::new(n, dt)?, Inverse::onto(n, dt, times)?);
        // A period of twice the length: a filter in time would need values before step 0 and after the last one.
        let length = fast_even_length(2 * times.count);
        let frequency = |k: usize| k as f64 / (length as f64 * times.interval);
        let response = |k: usize| 1.0 / (1.0 + (frequency(k) / max_frequency).powi(8));
        let weights = (0..=length / 2).map(|k| response(k) * response(k)).collect();
        Ok(Self { forward, back, times, weights, to_spectrum: RealPlanner::new().forward(length) })
    }

    /// The residual of a source.
    ///
    /// # Arguments
    /// * `source` – the time function of the continuous problem, in seconds after step 0
    /// # Returns
    /// Relative L2 difference between the source and the same source after forward and inverse transform, both low-passed at the highest frequency (zero-phase
    /// Butterworth of order 4; before and after the record both are zero).
    /// # Errors
    /// A source that is not finite, or zero throughout the run ([`NumericsError::ZeroTrace`]).
    /// Verified by `dispersion::the_residual_detects_sources_too_sharp_or_truncated`.
    pub fn of(&self, source: impl Fn(f64) -> f64) -> Result<f64, NumericsError> {
        let driven = self.forward.samples(&source, Stagger::Whole)?;
        let back = self.back.apply(&driven, Stagger::Whole, Derive::Nothing)?;
        let exact: Vec<f64> = (0..self.times.count).map(|i| source(i as f64 * self.times.interval)).collect();
        let difference: Vec<f64> = back.iter().zip(&exact).map(|(back, exact)| back - exact).collect();
        match self.energy(&exact) {
            0.0 => Err(NumericsError::ZeroTrace { what: "the source" }),
            energy => Ok((self.energy(&difference) / energy).sqrt()),
        }
    }

    /// Energy of a signal below the highest frequency.
    fn energy(&self, signal: &[f64]) -> f64 {
        let mut padded = self.to_spectrum.make_input_vec();
        padded[..signal.len()].copy_from_slice(signal);
        let mut spectrum = self.to_spectrum.make_output_vec();
        self.to_spectrum.process(&mut padded, &mut spectrum).expect("the buffers have the plan's lengths");
        spectrum.iter().zip(&self.weights).map(|(value, weight)| weight * value.norm_sqr()).sum()
    }
}
