//! A thread that looks after messages while others compute.

use mpi::environment::Universe;
use mpi::topology::SimpleCommunicator;
use mpi::traits::{Communicator, Source};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// Time between two looks: short against the transfer of a large message, long against the microsecond that a look takes.
const PAUSE: Duration = Duration::from_micros(50);

/// The thread; it sleeps for as long as nobody works.
///
/// MPI moves messages only when it is called, if the network does not do it by itself: a large one in particular begins with a
/// handshake. The thread calls it from outside the work, so that no core is taken from the work and the work need not be cut.
pub struct Progress {
    state: Arc<State>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Default)]
struct State {
    /// Somebody works while messages travel
    busy: AtomicBool,
    /// The thread shall end
    ends: AtomicBool,
}

impl Progress {
    /// Starts the thread, which enters MPI through `universe`.
    pub fn start(universe: Arc<Mutex<Universe>>) -> Self {
        let state = Arc::new(State::default());
        let shared = Arc::clone(&state);
        Self { state, thread: Some(thread::spawn(move || look_after(&shared, &universe))) }
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
            // It cannot panic but in MPI, which then has ended the process.
            let _ = thread.join();
        }
    }
}

fn look_after(state: &State, universe: &Mutex<Universe>) {
    while !state.ends.load(Ordering::Acquire) {
        if state.busy.load(Ordering::Acquire) {
            look(universe);
            thread::park_timeout(PAUSE);
        } else {
            thread::park();
        }
    }
}

/// Calls MPI without asking for anything: nobody sends to this rank by the communicator of itself, so MPI finds nothing there and
/// goes on with what has been started elsewhere.
fn look(universe: &Mutex<Universe>) {
    // Whoever is in MPI now makes progress itself.
    if let Ok(_turn) = universe.try_lock() {
        SimpleCommunicator::self_comm().any_process().immediate_probe();
    }
}
