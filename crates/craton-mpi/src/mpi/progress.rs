//! A thread that drives messages during computation.

use mpi::environment::Universe;
use mpi::topology::SimpleCommunicator;
use mpi::traits::{Communicator, Source};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// Polling interval: short compared with the transfer of a large message, long compared with the microsecond of a poll.
const PAUSE: Duration = Duration::from_micros(50);

/// The progress thread, which sleeps unless an exchange is in progress.
///
/// Unless the network makes progress by itself, MPI transfers messages only when it is called; a large message in particular begins with
/// a handshake. This thread polls MPI, so that the computation needs neither a spare core nor interruptions.
pub struct Progress {
    state: Arc<State>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Default)]
struct State {
    /// A computation overlaps with messages
    busy: AtomicBool,
    /// The thread must end
    ends: AtomicBool,
}

impl Progress {
    /// Starts the thread, which enters MPI through `universe`.
    pub fn start(universe: Arc<Mutex<Universe>>) -> Self {
        let state = Arc::new(State::default());
        let shared = Arc::clone(&state);
        Self { state, thread: Some(thread::spawn(move || poll_while_busy(&shared, &universe))) }
    }

    /// Runs `work` while messages make progress.
    pub fn during(&self, work: &mut dyn FnMut()) {
        self.state.busy.store(true, Ordering::Release);
        self.wake();
        work();
        self.state.busy.store(false, Ordering::Release);
    }

    fn wake(&self) {
        if let Some(thread) = &self.thread {
            thread.thread().unpark();
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.state.ends.store(true, Ordering::Release);
        self.wake();
        if let Some(thread) = self.thread.take() {
            // It can panic only inside MPI, which ends the process.
            let _ = thread.join();
        }
    }
}

fn poll_while_busy(state: &State, universe: &Mutex<Universe>) {
    while !state.ends.load(Ordering::Acquire) {
        if state.busy.load(Ordering::Acquire) {
            poll(universe);
            thread::park_timeout(PAUSE);
        } else {
            thread::park();
        }
    }
}

/// Polls MPI with a probe on the communicator of this rank alone, on which no messages are sent, so that MPI advances the messages in
/// progress elsewhere.
fn poll(universe: &Mutex<Universe>) {
    // If another thread is inside MPI, that thread makes progress.
    if let Ok(_turn) = universe.try_lock() {
        SimpleCommunicator::self_comm().any_process().immediate_probe();
    }
}
