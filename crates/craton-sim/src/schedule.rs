//! Events of a run and their actions.

use std::time::{Duration, Instant};

/// Action at an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// Report the progress.
    Report,
    /// Write the snapshot with this number.
    Snapshot(usize),
    /// Save the state.
    Checkpoint,
}

/// The events of a run: periodic in steps, except for reports, which follow the wall clock.
#[derive(Debug, Clone)]
pub struct Schedule {
    total: u64,
    /// Actions, the steps between them, and the step from which they are counted.
    periodic: Vec<(Action, u64, u64)>,
    pace: Pace,
}

/// Number of steps between reports, adapted to a few reports per second.
#[derive(Debug, Clone)]
struct Pace {
    steps: u64,
    since: Instant,
}

/// Target wall time between two reports.
const REPORT_INTERVAL: Duration = Duration::from_millis(200);
/// Largest number of steps between two reports.
const MAX_STEPS: u64 = 1 << 20;

impl Schedule {
    /// Schedules a run of `total` steps with reports only.
    pub fn new(total: u64) -> Self {
        Self { total, periodic: Vec::new(), pace: Pace { steps: 1, since: Instant::now() } }
    }

    /// Adds an action every `steps` steps after step `first`; 0 counts as 1.
    #[must_use]
    pub fn every(mut self, steps: u64, first: u64, action: Action) -> Self {
        self.periodic.push((action, steps.max(1), first));
        self
    }

    /// Total number of steps.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// Step of the next event after `step`, at most `longest` steps later.
    pub fn next(&mut self, step: u64, longest: u64) -> u64 {
        self.pace.adapt();
        let due = self.periodic.iter().map(|(_, every, first)| match step.checked_sub(*first) {
            Some(since) => first + (since / every + 1) * every,
            None => first + every,
        });
        due.chain([self.total, step + self.pace.steps.min(longest)]).min().unwrap_or(self.total)
    }

    /// Actions at `step`. The last one is always a report.
    pub fn due(&self, step: u64) -> Vec<Action> {
        let is_due = |every: u64, first: u64| step > first && (step - first).is_multiple_of(every);
        let periodic =
            self.periodic.iter().filter(|(_, every, first)| is_due(*every, *first)).map(|(action, ..)| *action);
        periodic.chain([Action::Report]).collect()
    }
}

impl Pace {
    fn adapt(&mut self) {
        let elapsed = self.since.elapsed();
        if elapsed < REPORT_INTERVAL / 2 {
            self.steps = (2 * self.steps).min(MAX_STEPS);
        } else if elapsed > REPORT_INTERVAL * 2 {
            self.steps = (self.steps / 2).max(1);
        }
        self.since = Instant::now();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_event_is_skipped_and_no_interval_exceeds_the_limit() {
        let mut schedule = Schedule::new(1003).every(10, 3, Action::Snapshot(0)).every(7, 0, Action::Checkpoint);
        let (mut step, mut snapshots, mut checkpoints) = (0, 0, 0);
        while step < schedule.total() {
            let next = schedule.next(step, 9);
            assert!(next > step && next - step <= 9);
            step = next;
            snapshots += schedule.due(step).iter().filter(|a| **a == Action::Snapshot(0)).count();
            checkpoints += schedule.due(step).iter().filter(|a| **a == Action::Checkpoint).count();
        }
        assert_eq!((step, snapshots, checkpoints), (1003, 100, 143));
    }
}
