//! Cooperative cancellation: a flag that Ctrl-C raises and that a run polls where it can stop with all its data consistent.

use crate::{RunError, signals};
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Exit code of a program stopped by a second Ctrl-C: 128 + SIGINT, as shells expect.
const EXIT_INTERRUPTED: i32 = 130;

static ON_SIGNALS: Mutex<Option<Cancel>> = Mutex::new(None);

/// A request to stop, shared by the code that raises it and the code that polls it; clones share one flag.
///
/// The stages of a run poll [`is_cancelled`](Self::is_cancelled) where they can stop with all data consistent: between stages, at the
/// events of the time loop, between pictures.
#[derive(Clone, Debug)]
pub struct Cancel {
    /// Number of polls that will still return false; zero or less once the flag is raised.
    polls: Arc<AtomicI64>,
}

/// Two values are equal if they share one flag.
impl PartialEq for Cancel {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.polls, &other.polls)
    }
}

impl Default for Cancel {
    fn default() -> Self {
        Self::at_poll(i64::MAX)
    }
}

impl Cancel {
    /// Creates a flag that no signal raises, for tests and for programs with their own way to stop.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates a flag that is raised at poll `number`, counted from 1. Tests use it to stop a run at a reproducible place.
    #[must_use]
    pub fn at_poll(number: i64) -> Self {
        Self { polls: Arc::new(AtomicI64::new(number - 1)) }
    }

    /// Returns the flag of this process, which Ctrl-C, SIGTERM or SIGHUP raises, and any signal that [`signals::hold_requests`] holds.
    ///
    /// The first of Ctrl-C, SIGTERM and SIGHUP raises the flag; the second ends the process at once, with exit code 130. Every call returns the
    /// same flag.
    ///
    /// # Errors
    /// [`RunError::Signals`] when the program has installed another handler for these signals, or the system denies a thread.
    pub fn on_signals() -> Result<Self, RunError> {
        // Locked until the flag is stored, so that two threads calling at once get the same flag.
        let mut installed = ON_SIGNALS.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(cancel) = &*installed {
            return Ok(cancel.clone());
        }
        let cancel = Self::new();
        let (raised, is_repeated) = (cancel.clone(), AtomicBool::new(false));
        let installing = ctrlc::set_handler(move || {
            if is_repeated.swap(true, Ordering::Relaxed) {
                std::process::exit(EXIT_INTERRUPTED);
            }
            raised.cancel();
        });
        installing.map_err(|error| RunError::Signals { reason: error.to_string() })?;
        signals::raise_at_requests(&cancel).map_err(|error| RunError::Signals { reason: error.to_string() })?;
        *installed = Some(cancel.clone());
        Ok(cancel)
    }

    /// Requests that the job stop at its next poll.
    pub fn cancel(&self) {
        self.polls.store(0, Ordering::Relaxed);
    }

    /// Withdraws a request, so that the job can continue.
    pub fn withdraw(&self) {
        self.polls.store(i64::MAX, Ordering::Relaxed);
    }

    /// Whether a stop was requested; cheap enough to call at every step.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.polls.fetch_sub(1, Ordering::Relaxed) <= 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clones_share_one_flag() {
        let cancel = Cancel::new();
        let in_the_loop = cancel.clone();
        assert!(!in_the_loop.is_cancelled());
        cancel.cancel();
        assert!(in_the_loop.is_cancelled());
        assert!(!Cancel::new().is_cancelled());
    }

    #[test]
    fn a_flag_is_raised_at_its_poll_and_stays_raised() {
        let cancel = Cancel::at_poll(3);
        let polls: Vec<bool> = (0..5).map(|_| cancel.is_cancelled()).collect();
        assert_eq!(polls, [false, false, true, true, true]);
    }
}
