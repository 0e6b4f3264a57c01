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
        let mut state = self.state.lock().expect("nobody panics");
        state.left = state.left.saturating_sub(shots);
    }

    /// Records that a GPU has completed a shot.
    pub fn done_by_gpu(&self) {
        self.state.lock().expect("nobody panics").by_gpus += 1;
    }

    /// Records that a worker on a GPU has ended.
    pub fn gpu_ended(&self) {
        let mut state = self.state.lock().expect("nobody panics");
        state.gpus = state.gpus.saturating_sub(1);
        self.ended.notify_all();
    }

    /// Whether a worker on cores, with this time per shot [s], should start a shot; waits a while if not. Waiting
    /// workers take over the shots of lost GPUs.
    pub fn may_begin(&self, seconds: f64, patience: Duration) -> bool {
        if !self.has_gpus {
            return true;
        }
        let state = self.state.lock().expect("nobody panics");
        let may = may_begin(self.begun.elapsed().as_secs_f64(), &state, seconds);
        if !may {
            drop(self.ended.wait_timeout(state, patience));
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
    fn cores_begin_no_shot_that_would_end_last() {
        let state = |left, by_gpus| State { left, by_gpus, gpus: 3 };
        assert!(!may_begin(3.0, &state(10, 0), 1.0), "nobody knows yet how fast the GPUs are");
        assert!(may_begin(3.0, &state(10, 3), 3.0), "the GPUs need ten seconds more");
        assert!(!may_begin(3.0, &state(8, 3), 3.0), "the GPUs need eight");
    }

    #[test]
    fn cores_do_what_lost_gpus_leave() {
        let pace = Pace::new(5, 1);
        // It has taken all of them, one is done, and there is nothing left to begin.
        pace.taken(5);
        pace.done_by_gpu();
        assert!(!pace.may_begin(1.0, Duration::ZERO));
        std::thread::scope(|scope| {
            // A waiting worker is notified of the end.
            let waiting = scope.spawn(|| while !pace.may_begin(1.0, Duration::from_secs(3600)) {});
            pace.gpu_ended();
            waiting.join().expect("it may begin");
        });
    }

    #[test]
    fn cores_alone_take_what_there_is() {
        assert!(Pace::new(1, 0).may_begin(1e9, Duration::ZERO));
    }
}
