//! A flag that says "stop at the next step", raised by Ctrl-C.

use crate::RunError;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Exit code of a program stopped by a second Ctrl-C: 128 + SIGINT, as shells expect.
const EXIT_INTERRUPTED: i32 = 130;

static ON_SIGNALS: Mutex<Option<Cancel>> = Mutex::new(None);

/// A request to stop, shared by whoever raises it and whoever polls it; clones share one flag.
///
/// The time loop polls [`is_cancelled`](Self::is_cancelled) between steps, so that the state is always whole when it stops.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// A flag that no signal raises: for tests, and for programs with their own way to stop.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
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
            if raised.0.swap(true, Ordering::Relaxed) {
                std::process::exit(EXIT_INTERRUPTED);
            }
        });
        installing.map_err(|error| RunError::Signals { reason: error.to_string() })?;
        *installed = Some(cancel.clone());
        Ok(cancel)
    }

    /// Asks the job to stop at its next step.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether somebody asked the job to stop; cheap enough for every step.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
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
}
