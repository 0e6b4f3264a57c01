//! A flag that says "stop as soon as all is whole", raised by Ctrl-C.

use crate::RunError;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Exit code of a program stopped by a second Ctrl-C: 128 + SIGINT, as shells expect.
const EXIT_INTERRUPTED: i32 = 130;

static ON_SIGNALS: Mutex<Option<Cancel>> = Mutex::new(None);

/// A request to stop, shared by whoever raises it and whoever polls it; clones share one flag.
///
/// The stages of a run poll [`is_cancelled`](Self::is_cancelled) where they can stop with everything whole: between stages, at the events of the time
/// loop, between pictures.
#[derive(Clone, Debug)]
pub struct Cancel {
    /// Polls that still say no; none when the flag is raised.
    polls: Arc<AtomicI64>,
}

/// Whether both are one flag.
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
    /// A flag that no signal raises: for tests, and for programs with their own way to stop.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A flag that is found raised at this poll, counted from 1: for tests, which stop a run at the same place every time.
    #[must_use]
    pub fn at_poll(number: i64) -> Self {
        Self { polls: Arc::new(AtomicI64::new(number - 1)) }
    }

    /// The flag of this process, raised by Ctrl-C, SIGTERM or SIGHUP.
    ///
    /// The first signal raises the flag; the second ends the process at once, with exit code 130. Every call returns the same flag.
    ///
    /// # Errors
    /// [`RunError::Signals`] when the program has installed another handler for these signals.
    pub fn on_signals() -> Result<Self, RunError> {
        // Held until the flag is there: of two threads that come at once, the second finds it.
        let mut installed = ON_SIGNALS.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(cancel) = &*installed {
            return Ok(cancel.clone());
        }
        let cancel = Self::new();
        let raised = cancel.clone();
        let installing = ctrlc::set_handler(move || {
            if raised.polls.swap(0, Ordering::Relaxed) <= 0 {
                std::process::exit(EXIT_INTERRUPTED);
            }
        });
        installing.map_err(|error| RunError::Signals { reason: error.to_string() })?;
        *installed = Some(cancel.clone());
        Ok(cancel)
    }

    /// Asks the job to stop at its next step.
    pub fn cancel(&self) {
        self.polls.store(0, Ordering::Relaxed);
    }

    /// Whether somebody asked the job to stop; cheap enough for every step.
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
    fn a_flag_is_raised_at_its_poll_and_stays_so() {
        let cancel = Cancel::at_poll(3);
        let polls: Vec<bool> = (0..5).map(|_| cancel.is_cancelled()).collect();
        assert_eq!(polls, [false, false, true, true, true]);
    }
}
