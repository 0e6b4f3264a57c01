//! Frame times of a series, for the schedule of a run and the estimate of its disk space.

use crate::time_axis::TimeAxis;

/// The steps after which a frame is written: equidistant up to a last one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rhythm {
    /// Number of steps between frames, at least one.
    pub steps: u64,
    /// The step from which they are counted.
    pub first: u64,
    /// The last step with a frame. Later frames would be after the end of the simulation, where steps serve only the
    /// correction of seismograms.
    pub last: u64,
}

impl Rhythm {
    /// Frames at an interval of simulated time [s], rounded to whole steps.
    pub fn new(interval: f64, axis: &TimeAxis) -> Self {
        let last = ((axis.end - axis.start) / axis.dt + 0.5) as u64;
        Self { steps: axis.steps_in(interval), first: axis.lead, last: last.min(axis.total()) }
    }

    /// Number of frames of the whole run.
    pub fn frames(self) -> u64 {
        self.last.saturating_sub(self.first) / self.steps
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A second in 100 steps, and some extra steps.
    const AXIS: TimeAxis = TimeAxis {
        start: -0.25,
        lead: 0,
        end: 0.75,
        dt: 0.01,
        steps: 101,
        guard: 40,
        corrected: true,
        fourth_order: false,
    };

    #[test]
    fn counted_and_scheduled_frames_are_equal() {
        let rhythm = |every: f64| Rhythm::new(every, &AXIS);
        assert_eq!((rhythm(0.1).steps, rhythm(0.1).frames()), (10, 10));
        // An interval below one step becomes one step.
        assert_eq!((rhythm(1e-6).steps, rhythm(1e-6).frames()), (1, 100));
        // An interval of 0.019 s becomes one step, which gives nearly twice as many frames as the quotient of the
        // times.
        assert_eq!((rhythm(0.019).steps, rhythm(0.019).frames()), (1, 100));
        assert_eq!((rhythm(1.0).steps, rhythm(1.0).frames()), (100, 1));
    }
}
