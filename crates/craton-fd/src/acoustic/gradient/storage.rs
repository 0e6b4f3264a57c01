//! Which increments of the forward run a gradient stores, and where it puts checkpoints.

use std::ops::Range;

/// The storage of the forward run of a gradient.
///
/// The increments of the last segment of steps are stored during the forward run; earlier segments begin at a checkpoint, from which they are repeated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoragePlan {
    steps: u64,
    every: u64,
    /// Steps of a segment; fewer in the first one.
    segment: u64,
    bytes: u64,
}

impl StoragePlan {
    /// The plan with the fewest checkpoints that fits.
    ///
    /// # Arguments
    /// * `steps` – number of steps of the run
    /// * `every` – steps per stored step: 1 for the exact gradient
    /// * `sizes` – memory of a stored step and of a checkpoint [bytes]
    /// * `room` – available memory [bytes]
    /// # Errors
    /// The least memory of any plan [bytes], if it exceeds the available memory.
    pub fn new(steps: u64, every: u64, sizes: [u64; 2], room: u64) -> Result<Self, u64> {
        let plan = |count: u64| Self::with_segments(steps, every, sizes, count);
        let most = steps.div_ceil(every).max(1);
        match (1..=most).map(plan).find(|plan| plan.bytes <= room) {
            Some(plan) => Ok(plan),
            None => Err((1..=most).map(|count| plan(count).bytes).min().expect("there is a plan")),
        }
    }

    /// A plan with some segments of similar length.
    fn with_segments(steps: u64, every: u64, [of_step, of_checkpoint]: [u64; 2], count: u64) -> Self {
        // Segments of whole stored steps, so that the number of stored steps is the same in all.
        let segment = steps.div_ceil(count).div_ceil(every).max(1) * every;
        let bytes = segment / every * of_step + (steps.div_ceil(segment).max(1) - 1) * of_checkpoint;
        Self { steps, every, segment, bytes }
    }

    /// Steps per stored step.
    pub fn every(&self) -> u64 {
        self.every
    }

    /// Memory [bytes].
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The segments of steps, in ascending order; the first one begins at step 0.
    pub fn segments(&self) -> Vec<Range<u64>> {
        let count = self.steps.div_ceil(self.segment).max(1);
        // Counted from the end, so that the last one is whole.
        let start = |number: u64| (self.steps + number * self.segment).saturating_sub(count * self.segment);
        (0..count).map(|number| start(number)..start(number + 1)).collect()
    }

    /// Number of steps of the forward run, including repeated ones, per step of the shot.
    pub fn forward_runs(&self) -> f64 {
        2.0 - self.segment.min(self.steps) as f64 / self.steps.max(1) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_cover_all_steps_and_fit() {
        for (steps, every, room) in [(100, 1, 10_000), (100, 1, 600), (101, 4, 250), (1, 1, 10), (13_334, 8, 20_000)] {
            let plan = StoragePlan::new(steps, every, [10, 40], room).unwrap();
            assert!(plan.bytes() <= room);
            let segments = plan.segments();
            assert_eq!((segments[0].start, segments.last().unwrap().end), (0, steps));
            assert!(segments.windows(2).all(|pair| pair[0].end == pair[1].start && !pair[1].is_empty()));
            let longest = segments.iter().map(|own| own.end / every - own.start / every).max().unwrap();
            assert!(10 * longest + 40 * (segments.len() as u64 - 1) <= plan.bytes(), "{plan:?}");
        }
        assert_eq!(StoragePlan::new(100, 1, [10, 40], 1000).unwrap().segments().len(), 1);
        // Twenty segments of five steps, or about that.
        let least = StoragePlan::new(100, 1, [10, 40], 10).unwrap_err();
        assert_eq!(least, (1..=100).map(|n| StoragePlan::with_segments(100, 1, [10, 40], n).bytes).min().unwrap());
        assert_eq!(StoragePlan::new(100, 1, [10, 40], 1000).unwrap().forward_runs(), 1.0);
    }
}
