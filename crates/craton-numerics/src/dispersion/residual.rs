//! What the transforms leave of a source's error of time.

use super::{Derive, Forward, Inverse, Stagger, UniformTimes, guard_steps};
use crate::error::NumericsError;
use crate::filter::{Band, Butterworth};
use crate::misfit;

/// Times of the comparison in each step: so sampling a source does not fold its own high frequencies back.
const FINER: usize = 8;

/// Relative error of a source that the forward and the inverse transform leave between them, below a frequency: plan once, use for every
/// source of a run.
///
/// It is small unless the scheme's band (|ω| < √2/dt) or the window of the run cannot hold the source: one too sharp, or one under way
/// at step 0. What a source with a kink has above the frequency is no error: no mesh would carry it.
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
    /// No steps at all, a step that is not positive, a frequency out of range.
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
    /// Relative L2 difference between the source and itself sent forward and back, both low-passed at the highest frequency (zero-phase
    /// Butterworth of order 4).
    /// # Errors
    /// A source that is not finite, or zero throughout the run ([`NumericsError::ZeroTrace`]).
    /// Verified by `dispersion::the_residual_tells_a_resolved_source_from_one_too_sharp_or_cut_off`.
    pub fn of(&self, source: impl Fn(f64) -> f64) -> Result<f64, NumericsError> {
        let driven = self.forward.samples(&source, Stagger::Whole)?;
        let back = self.back.apply(&driven, Stagger::Whole, Derive::Nothing)?;
        let exact: Vec<f64> = (0..self.times.count).map(|i| source(i as f64 * self.times.interval)).collect();
        misfit::relative_l2(&[&self.low_pass.zero_phase(&back)?], &[&self.low_pass.zero_phase(&exact)?])
    }
}
