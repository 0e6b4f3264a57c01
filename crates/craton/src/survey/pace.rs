//! Whether the cores are a help beside GPUs: a shot that they begin must not be the last one to end.

use std::sync::Mutex;
use std::time::Instant;

/// How much longer a shot may take on cores than it seemed to, when all of them and the GPUs' helpers are at work.
const SLOWER: f64 = 3.0;

/// How fast the GPUs do the shots of a survey.
pub struct Pace {
    begun: Instant,
    has_gpus: bool,
    state: Mutex<State>,
}

struct State {
    /// Shots that nobody here has taken.
    left: usize,
    /// Shots that GPUs have done.
    by_gpus: usize,
    /// Workers on GPUs that have not ended.
    gpus: usize,
}

/// What a worker is to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Take a shot.
    Take,
    /// See first how fast the GPUs are.
    Wait,
    /// Leave the rest to the GPUs.
    Leave,
}

impl Pace {
    /// Of so many shots, with so many workers on GPUs.
    pub fn new(left: usize, gpus: usize) -> Self {
        let state = State { left, by_gpus: 0, gpus };
        Self { begun: Instant::now(), has_gpus: gpus > 0, state: Mutex::new(state) }
    }

    /// Whether GPUs are among what computes.
    pub fn has_gpus(&self) -> bool {
        self.has_gpus
    }

    /// Shots are taken.
    pub fn taken(&self, shots: usize) {
        let mut state = self.state.lock().expect("nobody panics");
        state.left = state.left.saturating_sub(shots);
    }

    /// A shot is done by a GPU.
    pub fn done_by_gpu(&self) {
        self.state.lock().expect("nobody panics").by_gpus += 1;
    }

    /// A worker on a GPU has ended.
    pub fn gpu_ended(&self) {
        let mut state = self.state.lock().expect("nobody panics");
        state.gpus = state.gpus.saturating_sub(1);
    }

    /// Whether a worker on cores, which takes so long for a shot [s], should begin one.
    pub fn verdict(&self, seconds: f64) -> Verdict {
        if !self.has_gpus {
            return Verdict::Take;
        }
        let state = self.state.lock().expect("nobody panics");
        verdict(self.begun.elapsed().as_secs_f64(), &state, seconds)
    }
}

fn verdict(elapsed: f64, state: &State, seconds: f64) -> Verdict {
    if state.gpus == 0 {
        return Verdict::Take;
    }
    if state.by_gpus == 0 {
        return Verdict::Wait;
    }
    let left = state.left as f64 * elapsed / state.by_gpus as f64;
    if SLOWER * seconds < left { Verdict::Take } else { Verdict::Leave }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cores_begin_no_shot_that_would_end_last() {
        let state = |left, by_gpus| State { left, by_gpus, gpus: 3 };
        assert_eq!(verdict(3.0, &state(10, 0), 1.0), Verdict::Wait);
        assert_eq!(verdict(3.0, &state(10, 3), 3.0), Verdict::Take, "the GPUs need ten seconds more");
        assert_eq!(verdict(3.0, &state(8, 3), 3.0), Verdict::Leave, "the GPUs need eight");
    }

    #[test]
    fn cores_do_what_lost_gpus_leave() {
        let pace = Pace::new(5, 1);
        assert_eq!(pace.verdict(1.0), Verdict::Wait);
        pace.gpu_ended();
        assert_eq!(pace.verdict(1.0), Verdict::Take);
    }

    #[test]
    fn cores_alone_take_what_there_is() {
        assert_eq!(Pace::new(1, 0).verdict(1e9), Verdict::Take);
    }
}
