//! When the frames of a series are due: what the schedule of a run and the estimate of its disk share.

use crate::time_axis::TimeAxis;

/// The steps after which a frame is written: every so many, up to a last one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rhythm {
    /// Steps from a frame to the next, at least one.
    pub steps: u64,
    /// No frame is written after more steps than these: its time, half a step before, would lie behind the end of the simulation, where
    /// only the correction of seismograms goes on.
    pub last: u64,
}

impl Rhythm {
    /// Frames at an interval of simulated time [s], rounded to whole steps.
    pub fn new(interval: f64, axis: &TimeAxis) -> Self {
        let last = ((axis.end - axis.start) / axis.dt + 0.5) as u64;
        Self { steps: axis.steps_in(interval), last: last.min(axis.total()) }
    }

    /// Frames of the whole run.
    pub fn frames(self) -> u64 {
        self.last / self.steps
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A second in 100 steps, and some beyond.
    const AXIS: TimeAxis = TimeAxis { start: -0.25, end: 0.75, dt: 0.01, steps: 101, guard: 40, corrected: true };

    #[test]
    fn frames_are_counted_as_they_are_scheduled() {
        let rhythm = |every: f64| Rhythm::new(every, &AXIS);
        assert_eq!((rhythm(0.1).steps, rhythm(0.1).frames()), (10, 10));
        // Less than a step is a step, not a frame in between.
        assert_eq!((rhythm(1e-6).steps, rhythm(1e-6).frames()), (1, 100));
        // 0.019 s are one step, which makes nearly twice as many frames as the quotient of the times.
        assert_eq!((rhythm(0.019).steps, rhythm(0.019).frames()), (1, 100));
        assert_eq!((rhythm(1.0).steps, rhythm(1.0).frames()), (100, 1));
    }
}
