//! The steps of a run.

/// The steps of a run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TimeAxis {
    /// Time of step 0 [s].
    pub start: f64,
    /// Steps before the traces begin, for a source that acts from their first samples on.
    pub lead: u64,
    /// Time of the end [s].
    pub end: f64,
    /// Time step [s].
    pub dt: f64,
    /// Number of steps up to the end of the traces, with those of `lead`.
    pub steps: u64,
    /// Extra steps at the end, which keep the traces accurate when time dispersion is removed.
    pub guard: u64,
    /// Whether time dispersion is removed.
    pub corrected: bool,
    /// Whether the scheme is of fourth order, without time dispersion to remove.
    pub fourth_order: bool,
}

impl TimeAxis {
    /// Total number of steps.
    pub fn total(&self) -> u64 {
        self.steps.saturating_add(self.guard)
    }

    /// Number of whole steps in a time interval [s], at least one, rounded down with a tolerance so that an interval
    /// that ends at the end of the run is complete.
    pub fn steps_in(&self, interval: f64) -> u64 {
        ((interval / self.dt + 1e-6) as u64).max(1)
    }
}
