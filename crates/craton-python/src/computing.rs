//! Computation on another thread, while this one handles signals and calls Python.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::{Duration, Instant};

use craton::config::DeviceNames;
use craton::options::Computing;
use craton::{Cancel, Error, Watch, Work};
use pyo3::exceptions::{PyKeyboardInterrupt, PyRuntimeError, PyValueError};
use pyo3::prelude::*;

use crate::errors::{CratonError, exception};

/// Interval at which Python handles signals.
const POLL: Duration = Duration::from_millis(20);
/// Interval between progress reports.
const REPORT: Duration = Duration::from_millis(200);

/// Device options of a computation.
///
/// # Arguments
/// * `device` – as for `--device` of the command line: `cpu`, `cuda`, `cuda:1`, `cuda:0,cuda:1`
/// # Errors
/// An unknown device, or numbers out of range.
pub fn options(device: Option<&str>, devices: Option<i64>, threads: Option<i64>) -> PyResult<Computing> {
    let devices = number("devices", devices, MOST_DEVICES)?;
    let threads = number("threads", threads, most_threads())?;
    let device = device.map(|name| name.parse::<DeviceNames>()).transpose();
    let device = device.map_err(|error| exception(&error.into()))?;
    Ok(Computing { device, devices, threads, cancel: Some(Cancel::new()), partitioner: None })
}

/// Largest number of devices, or of parts on the CPU.
const MOST_DEVICES: usize = 4096;

/// Largest useful number of threads.
pub fn most_threads() -> usize {
    const PER_CORE: usize = 16;
    PER_CORE * std::thread::available_parallelism().map_or(1, usize::from)
}

/// A number of devices or threads from Python.
pub fn number(name: &str, value: Option<i64>, most: usize) -> PyResult<Option<usize>> {
    let Some(value) = value else { return Ok(None) };
    match usize::try_from(value).ok().filter(|value| (1..=most).contains(value)) {
        Some(value) => Ok(Some(value)),
        None => Err(PyValueError::new_err(format!("{name} = {value}: 1 to {most}"))),
    }
}

/// The process of the first computation; 0 before it.
static COMPUTING: AtomicU32 = AtomicU32::new(0);

/// Refuses a process that another one has forked after a computation, since it lacks the threads of the pools.
fn refuse_forked() -> PyResult<()> {
    let own = std::process::id();
    match COMPUTING.compare_exchange(0, own, Ordering::Relaxed, Ordering::Relaxed) {
        Err(first) if first != own => Err(PyRuntimeError::new_err(
            "this process was forked after a computation of Craton, and lacks its threads; use multiprocessing.get_context(\"spawn\")",
        )),
        _ => Ok(()),
    }
}

/// An event of a computation, for a callback in Python.
pub enum Event<T> {
    /// The computation starts: name, first and last of its pieces.
    Begin(&'static str, u64, u64),
    /// Number of completed pieces.
    Progress(u64),
    /// A message for the user.
    Message(String),
    /// A result; the computation continues when it is taken.
    Result(T),
}

/// The sending half of the events of a computation.
pub struct Events<T>(SyncSender<Event<T>>);

impl<T> Events<T> {
    /// Sends an event; a computation whose receiver is gone has been cancelled.
    pub fn send(&self, event: Event<T>) {
        let _ = self.0.send(event);
    }
}

impl<T: Send> Watch for Events<T> {
    fn begin(&mut self, work: &Work) {
        self.send(Event::Begin(work.piece, work.first, work.total));
    }

    fn progress(&mut self, done: u64) {
        self.send(Event::Progress(done));
    }

    fn message(&mut self, text: &str) {
        self.send(Event::Message(text.to_owned()));
    }
}

/// Computes on another thread without callbacks. Signals raise the flag and then their exception.
///
/// # Errors
/// The exception of a signal handler, or the error of the computation.
pub fn compute<R: Send>(
    py: Python<'_>,
    cancel: &Cancel,
    work: impl FnOnce() -> Result<R, Error> + Send,
) -> PyResult<R> {
    compute_with(py, cancel, |_: Events<()>| work(), |_| Ok(()))
}

/// Computes on another thread and handles its events on this one.
///
/// # Arguments
/// * `handle` – receives every event; an exception cancels the computation
/// # Errors
/// The exception of a signal handler or of `handle`, or the error of the computation.
pub fn compute_with<R: Send, T: Send>(
    py: Python<'_>,
    cancel: &Cancel,
    work: impl FnOnce(Events<T>) -> Result<R, Error> + Send,
    mut handle: impl FnMut(Event<T>) -> PyResult<()>,
) -> PyResult<R> {
    refuse_forked()?;
    // A request that stopped an earlier computation.
    cancel.withdraw();
    // Without capacity, so that a result does not wait in the channel while the next one is computed.
    let (sender, events) = sync_channel(0);
    let events = Mutex::new(events);
    let mut raised = None;
    let done = std::thread::scope(|scope| {
        let computation = scope.spawn(move || work(Events(sender)));
        serve(py, cancel, &events, &mut raised, &mut handle);
        // The computation has dropped its sender, or polls the raised flag.
        py.detach(|| computation.join())
    });
    match (raised, done) {
        (Some(exception), _) => Err(exception),
        (None, Ok(result)) => result.map_err(|error| exception(&error)),
        (None, Err(_)) => Err(CratonError::new_err("internal error of Craton; its description is on standard error")),
    }
}

/// Handles events and signals until the computation ends.
fn serve<T: Send>(
    py: Python<'_>,
    cancel: &Cancel,
    events: &Mutex<Receiver<Event<T>>>,
    raised: &mut Option<PyErr>,
    handle: &mut impl FnMut(Event<T>) -> PyResult<()>,
) {
    let mut reported: Option<Instant> = None;
    loop {
        let next = py.detach(|| events.lock().expect("one user").recv_timeout(POLL));
        let outcome = match next {
            // Results and messages after an exception are discarded.
            Ok(_) if raised.is_some() => Ok(()),
            Ok(Event::Progress(done)) => {
                if reported.is_some_and(|reported| reported.elapsed() < REPORT) {
                    Ok(())
                } else {
                    reported = Some(Instant::now());
                    handle(Event::Progress(done))
                }
            }
            Ok(event) => handle(event),
            Err(RecvTimeoutError::Timeout) => Ok(()),
            Err(RecvTimeoutError::Disconnected) => return,
        };
        if let Err(exception) = outcome.and_then(|()| py.check_signals())
            && raised.is_none()
        {
            *raised = Some(exception);
            cancel.cancel();
        }
    }
}

/// The exception of a computation that was cancelled without one, from another thread.
pub fn interrupted() -> PyErr {
    PyKeyboardInterrupt::new_err("the computation was cancelled")
}
