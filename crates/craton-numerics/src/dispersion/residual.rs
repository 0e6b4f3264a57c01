//! Residual time-dispersion error of a source after the transforms.

use super::{Derive, Forward, Inverse, Stagger, UniformTimes, guard_steps};
use crate::error::NumericsError;
use crate::filter::{Band, Butterworth};
use crate::misfit;

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
    low_pass: Butterworth,
}

impl Residual {
    /// Plans the comparison.
    ///
    /// # Arguments
    /// * `n_steps` – number of steps of the record, without guard steps
    /// * `dt` – time step [s]
    /// * `max_frequency` – highest frequency of interest [Hz], below 4/dt
    /// # Errors
    /// No steps, a time step that is not positive, or a frequency out of range.
    pub fn new(n_steps: usize, dt: f64, max_frequency: f64) -> Result<Self, NumericsError> {
        let n = n_steps + guard_steps(n_steps);
        let times = UniformTimes { start: 0.0, interval: dt / FINER as f64, count: FINER * n_steps };
        Ok(Self {
            forward: Forward::new(n, dt)?,
            back: Inverse::onto(n, dt, times)?,
            times,
            low_pass: Butterworth::new(Band::LowPass { corner: max_frequency }, 4, times.interval)?,
        })
    }

    /// The residual of a source.
    ///
    /// # Arguments
    /// * `source` – the time function of the continuous problem, in seconds after step 0
    /// # Returns
    /// Relative L2 difference between the source and the same source after forward and inverse transform, both low-passed at the highest frequency (zero-phase
    /// Butterworth of order 4).
    /// # Errors
    /// A source that is not finite, or zero throughout the run ([`NumericsError::ZeroTrace`]).
    /// Verified by `dispersion::the_residual_detects_sources_too_sharp_or_truncated`.
    pub fn of(&self, source: impl Fn(f64) -> f64) -> Result<f64, NumericsError> {
        let driven = self.forward.samples(&source, Stagger::Whole)?;
        let back = self.back.apply(&driven, Stagger::Whole, Derive::Nothing)?;
        let exact: Vec<f64> = (0..self.times.count).map(|i| source(i as f64 * self.times.interval)).collect();
        misfit::relative_l2(&[&self.low_pass.zero_phase(&back)?], &[&self.low_pass.zero_phase(&exact)?])
    }
}
