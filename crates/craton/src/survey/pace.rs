//! Decides whether CPU cores help GPUs: a shot on cores must not be the last one to finish.

use std::sync::{Condvar, Mutex};
use std::time::{Duration, Instant};

/// Factor on the measured time of a shot on cores, for the load of all cores and the helper threads of GPUs.
const SLOWER: f64 = 3.0;

/// Progress of the GPUs through the shots of a survey.
pub struct Pace {
    begun: Instant,
    has_gpus: bool,
    state: Mutex<State>,
    /// Notified when a worker on a GPU has ended.
    ended: Condvar,
}

struct State {
    /// Shots that no worker here has taken.
    left: usize,
    /// Shots completed by GPUs.
    by_gpus: usize,
    /// Workers on GPUs that have not ended.
    gpus: usize,
}

impl Pace {
    /// The state for a number of shots and of workers on GPUs.
    pub fn new(left: usize, gpus: usize) -> Self {
        let state = State { left, by_gpus: 0, gpus };
        Self { begun: Instant::now(), has_gpus: gpus > 0, state: Mutex::new(state), ended: Condvar::new() }
    }

    /// Whether GPUs are among the devices.
    pub fn has_gpus(&self) -> bool {
        self.has_gpus
    }

    /// Records that shots are taken.
    pub fn taken(&self, shots: usize) {
        let mut state = self.state.lock().expect("no thread panics");
        state.left = state.left.saturating_sub(shots);
    }

    /// Records that a GPU has completed a shot.
    pub fn done_by_gpu(&self) {
        self.state.lock().expect("no thread panics").by_gpus += 1;
    }

    /// Records that a worker on a GPU has ended.
    pub fn gpu_ended(&self) {
        let mut state = self.state.lock().expect("no thread panics");
        state.gpus = state.gpus.saturating_sub(1);
        self.ended.notify_all();
    }

    /// Whether a worker on cores, with this time per shot [s], should start a shot; waits a while if not. Waiting
    /// workers take over the shots of lost GPUs.
    pub fn may_begin(&self, seconds: f64, timeout: Duration) -> bool {
        if !self.has_gpus {
            return true;
        }
        let state = self.state.lock().expect("no thread panics");
        let may = may_begin(self.begun.elapsed().as_secs_f64(), &state, seconds);
        if !may {
            drop(self.ended.wait_timeout(state, timeout));
        }
        may
    }
}

/// The speed of the GPUs is known after their first shot.
fn may_begin(elapsed: f64, state: &State, seconds: f64) -> bool {
    let left = state.left as f64 * elapsed / state.by_gpus as f64;
    state.gpus == 0 || (state.by_gpus > 0 && SLOWER * seconds < left)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cores_start_no_shot_that_would_finish_last() {
        let state = |left, by_gpus| State { left, by_gpus, gpus: 3 };
        assert!(!may_begin(3.0, &state(10, 0), 1.0), "the speed of the GPUs is unknown");
        assert!(may_begin(3.0, &state(10, 3), 3.0), "the GPUs need another ten seconds");
        assert!(!may_begin(3.0, &state(8, 3), 3.0), "the GPUs need another eight seconds");
    }

    #[test]
    fn cores_compute_the_shots_of_lost_gpus() {
        let pace = Pace::new(5, 1);
        // The GPU has taken all shots and completed one, so that none is left for cores.
        pace.taken(5);
        pace.done_by_gpu();
        assert!(!pace.may_begin(1.0, Duration::ZERO));
        std::thread::scope(|scope| {
            // A waiting worker is notified of the end.
            let waiting = scope.spawn(|| while !pace.may_begin(1.0, Duration::from_secs(3600)) {});
            pace.gpu_ended();
            waiting.join().expect("the worker may start");
        });
    }

    #[test]
    fn without_gpus_cores_take_all_shots() {
        assert!(Pace::new(1, 0).may_begin(1e9, Duration::ZERO));
    }
}
