//! The steps of a run.

/// The steps of a run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TimeAxis {
    /// Time of step 0 [s].
    pub start: f64,
    /// Time of the end [s].
    pub end: f64,
    /// Time step [s].
    pub dt: f64,
    /// Number of steps that the traces cover.
    pub steps: u64,
    /// Steps beyond them, which keep the end of the traces clean when time dispersion is removed.
    pub guard: u64,
    /// Whether time dispersion is removed.
    pub corrected: bool,
}

impl TimeAxis {
    /// All steps to be done.
    pub fn total(&self) -> u64 {
        self.steps.saturating_add(self.guard)
    }

    /// Whole steps in an interval of time [s], at least one: rounded down within a tolerance, so that what is requested at the end does not
    /// fall behind it.
    pub fn steps_in(&self, interval: f64) -> u64 {
        ((interval / self.dt + 1e-6) as u64).max(1)
    }
}
