//! A thread that ends the program if an execution does not finish in time.

use super::fault::{Fault, Kind, save};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Interval of the checks.
const INTERVAL: Duration = Duration::from_millis(200);

/// The execution that is being watched.
struct Running {
    target: &'static str,
    input: Vec<u8>,
    begun: Instant,
}

/// Watches executions.
pub struct Watchdog(Arc<Mutex<Option<Running>>>);

/// An execution; dropping this value ends it.
pub struct Watch<'a>(&'a Watchdog);

impl Watchdog {
    /// Starts the thread.
    ///
    /// # Arguments
    /// * `limit` – longest duration of an execution
    /// * `faults` – folder in which the input is saved
    pub fn new(limit: Duration, faults: PathBuf) -> Self {
        let running = Arc::new(Mutex::new(None));
        let watched = Arc::downgrade(&running);
        std::thread::spawn(move || {
            while let Some(running) = watched.upgrade() {
                if let Some(Running { target, input, begun }) = lock(&running).as_ref()
                    && begun.elapsed() > limit
                {
                    let fault = Fault::new(Kind::Hang, format!("not finished after {} s", limit.as_secs_f64()));
                    match save(&faults, target, input, &fault) {
                        Ok(path) => println!("{target}: {fault}; the input is {}", path.display()),
                        Err(error) => println!("{target}: {fault}; the input was not saved: {error:#}"),
                    }
                    std::process::exit(1);
                }
                drop(running);
                std::thread::sleep(INTERVAL);
            }
        });
        Self(running)
    }

    /// Watches an execution from now on.
    pub fn start(&self, target: &'static str, input: &[u8]) -> Watch<'_> {
        *lock(&self.0) = Some(Running { target, input: input.to_vec(), begun: Instant::now() });
        Watch(self)
    }
}

impl Drop for Watch<'_> {
    fn drop(&mut self) {
        *lock(&self.0.0) = None;
    }
}

fn lock(running: &Mutex<Option<Running>>) -> MutexGuard<'_, Option<Running>> {
    running.lock().unwrap_or_else(PoisonError::into_inner)
}
