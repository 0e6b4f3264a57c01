//! Message to the user when a process only waits for shots of other processes.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use craton_acquisition::survey::Shot;
use craton_run::Progress;
use craton_run::journal::{Journal, Summary, WorkerAtWork};

use super::report::named;
use crate::error::Error;

/// Delay of the message: other processes usually finish soon.
const MESSAGE_DELAY: Duration = Duration::from_secs(10);

/// Reports once which processes this process waits for.
pub struct Waiting<'a> {
    /// Numbers of its workers in the journal.
    own: Vec<u32>,
    progress: &'a Mutex<Progress>,
    state: Mutex<State>,
}

enum State {
    /// No worker has waited yet.
    AtWork,
    /// A worker has waited since then.
    Since(Instant),
    Reported,
}

impl<'a> Waiting<'a> {
    /// The state of a process with these workers.
    pub fn new(own: Vec<u32>, progress: &'a Mutex<Progress>) -> Self {
        Self { own, progress, state: Mutex::new(State::AtWork) }
    }

    /// Records that a worker waits for shots of other processes.
    ///
    /// # Errors
    /// An unreadable journal.
    pub fn report(&self, journal: &Journal, pieces: &[&Shot]) -> Result<(), Error> {
        let mut state = self.state.lock().expect("no thread panics");
        match *state {
            State::AtWork => *state = State::Since(Instant::now()),
            State::Since(begun) if begun.elapsed() >= MESSAGE_DELAY => {
                *state = match line(&journal.summary()?, &self.own, |piece| pieces[piece as usize].number) {
                    Some(line) => {
                        self.progress.lock().expect("no thread panics").message(&line);
                        State::Reported
                    }
                    None => State::AtWork,
                };
            }
            State::Since(_) | State::Reported => {}
        }
        Ok(())
    }

    /// Records that a worker has shots again, which resets the delay.
    pub fn is_over(&self) {
        let mut state = self.state.lock().expect("no thread panics");
        if let State::Since(_) = *state {
            *state = State::AtWork;
        }
    }
}

/// The workers that a process waits for; `None` if its own workers compute.
fn line(summary: &Summary, own: &[u32], number: impl Fn(u32) -> u32) -> Option<String> {
    let is_at_work = summary.workers.iter().any(|holder| own.contains(&holder.worker));
    if is_at_work || summary.workers.is_empty() {
        return None;
    }
    let held = |WorkerAtWork { worker, place, pieces }: &WorkerAtWork| {
        let shots = named(pieces.iter().map(|&piece| number(piece)));
        format!("{shots} of worker {worker:06} ({place})")
    };
    let all: Vec<String> = summary.workers.iter().map(held).collect();
    Some(format!(
        "waiting for shots of other processes: {}. To release the shots of a lost worker, remove its file in journal/workers",
        all.join("; ")
    ))
}

#[cfg(test)]
mod tests {
    use craton_run::{ProgressMode, WorkPlan};

    use super::*;

    #[test]
    fn the_delay_restarts_when_there_are_shots_again() {
        let plan = WorkPlan { piece: "shot", first: 0, total: 1, times: None, units: ("points", 1.0) };
        let progress = Mutex::new(Progress::new(plan, ProgressMode::Silent));
        let waiting = Waiting::new(Vec::new(), &progress);
        let after = |state| {
            *waiting.state.lock().expect("no thread panics") = state;
            waiting.is_over();
            std::mem::replace(&mut *waiting.state.lock().expect("no thread panics"), State::AtWork)
        };
        assert!(matches!(after(State::Since(Instant::now())), State::AtWork));
        assert!(matches!(after(State::Reported), State::Reported));
    }

    #[test]
    fn the_message_names_other_processes_unless_this_process_computes() {
        let holder = |worker: u32, place: &str, pieces: &[u32]| WorkerAtWork {
            worker,
            place: place.to_owned(),
            pieces: pieces.to_vec(),
        };
        let others = vec![holder(3, "process 71 on node3", &[4]), holder(9, "process 8 on node4", &[0, 1, 2, 5, 6, 7])];
        let message = |workers: &[WorkerAtWork], own: &[u32]| {
            line(&Summary { workers: workers.to_vec(), ..Summary::default() }, own, |piece| 100 + piece)
        };
        let expected = "waiting for shots of other processes: 104 of worker 000003 (process 71 on node3); \
                        100, 101, 102, 105, 106 ... of worker 000009 (process 8 on node4). ";
        let found = message(&others, &[0, 1]).expect("a line");
        assert!(found.starts_with(expected), "{found}");
        assert_eq!(message(&others, &[0, 3]), None);
        assert_eq!(message(&[], &[0]), None);
    }
}
