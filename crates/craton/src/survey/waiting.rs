//! What the user is told while there is nothing to do but to wait for the shots of others.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use craton_acquisition::survey::Shot;
use craton_run::Progress;
use craton_run::journal::{Journal, Summary, WorkerAtWork};

use super::report::named;
use crate::error::Error;

/// How long nobody is told: others usually come to an end.
const PATIENCE: Duration = Duration::from_secs(10);

/// Says once for whom this process waits.
pub struct Waiting<'a> {
    /// Numbers of its workers in the journal.
    own: Vec<u32>,
    progress: &'a Mutex<Progress>,
    state: Mutex<State>,
}

enum State {
    /// Nobody has waited yet.
    AtWork,
    /// Somebody waits since then.
    Since(Instant),
    Told,
}

impl<'a> Waiting<'a> {
    /// For a process with these workers.
    pub fn new(own: Vec<u32>, progress: &'a Mutex<Progress>) -> Self {
        Self { own, progress, state: Mutex::new(State::AtWork) }
    }

    /// A worker waits for shots that are held.
    ///
    /// # Errors
    /// A journal that cannot be read.
    pub fn tell(&self, journal: &Journal, pieces: &[&Shot]) -> Result<(), Error> {
        let mut state = self.state.lock().expect("nobody panics");
        match *state {
            State::AtWork => *state = State::Since(Instant::now()),
            State::Since(begun) if begun.elapsed() >= PATIENCE => {
                *state = match line(&journal.summary()?, &self.own, |piece| pieces[piece as usize].number) {
                    Some(line) => {
                        self.progress.lock().expect("nobody panics").message(&line);
                        State::Told
                    }
                    None => State::AtWork,
                };
            }
            State::Since(_) | State::Told => {}
        }
        Ok(())
    }

    /// A worker has shots again: who waits later has patience anew.
    pub fn is_over(&self) {
        let mut state = self.state.lock().expect("nobody panics");
        if let State::Since(_) = *state {
            *state = State::AtWork;
        }
    }
}

/// For whom a process waits; nothing if its own workers are at work.
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
        "waiting for shots that others hold: {}; of a worker that is lost, remove the file of its number in journal/workers",
        all.join("; ")
    ))
}

#[cfg(test)]
mod tests {
    use craton_run::{Plan, ProgressMode};

    use super::*;

    #[test]
    fn patience_begins_anew_when_there_are_shots_again() {
        let plan = Plan { piece: "shot", first: 0, total: 1, times: None, units: ("points", 1.0) };
        let progress = Mutex::new(Progress::new(plan, ProgressMode::Silent));
        let waiting = Waiting::new(Vec::new(), &progress);
        let after = |state| {
            *waiting.state.lock().expect("nobody panics") = state;
            waiting.is_over();
            std::mem::replace(&mut *waiting.state.lock().expect("nobody panics"), State::AtWork)
        };
        assert!(matches!(after(State::Since(Instant::now())), State::AtWork));
        assert!(matches!(after(State::Told), State::Told));
    }

    #[test]
    fn who_is_waited_for_is_told_unless_it_is_this_process() {
        let holder = |worker: u32, place: &str, pieces: &[u32]| WorkerAtWork {
            worker,
            place: place.to_owned(),
            pieces: pieces.to_vec(),
        };
        let others = vec![holder(3, "process 71 on node3", &[4]), holder(9, "process 8 on node4", &[0, 1, 2, 5, 6, 7])];
        let told = |workers: &[WorkerAtWork], own: &[u32]| {
            line(&Summary { workers: workers.to_vec(), ..Summary::default() }, own, |piece| 100 + piece)
        };
        let expected = "waiting for shots that others hold: 104 of worker 000003 (process 71 on node3); \
                        100, 101, 102, 105, 106 ... of worker 000009 (process 8 on node4); ";
        let found = told(&others, &[0, 1]).expect("a line");
        assert!(found.starts_with(expected), "{found}");
        assert_eq!(told(&others, &[0, 3]), None);
        assert_eq!(told(&[], &[0]), None);
    }
}
