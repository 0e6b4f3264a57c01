//! Signals of batch systems and resource limits, which end a process by default.
//!
//! | signal | cause | effect |
//! |---|---|---|
//! | SIGXFSZ | a file would exceed `ulimit -f` | none: the write fails, with an error that names the file |
//! | SIGXCPU | the limit of CPU time, `ulimit -t` | a request to stop |
//! | SIGUSR1, SIGUSR2 | warning of a batch system, such as `--signal=USR1@60` of Slurm | a request to stop |
//!
//! They are blocked instead of handled: a blocked SIGXFSZ leaves the write with its error, and a thread waits for the others. Threads inherit
//! the blocked signals of the thread that starts them, so they must be blocked before any other thread starts.

use crate::Cancel;
use std::io;

/// Makes writes beyond the limit of file sizes fail with an error, in this thread and all that it starts, instead of ending the process.
pub fn survive_file_limit() {
    #[cfg(unix)]
    unix::survive_file_limit();
}

/// Turns SIGXCPU, SIGUSR1 and SIGUSR2 into requests to stop, which [`Cancel::on_signals`] receives. Call it in the main thread before any other
/// thread starts.
pub fn hold_requests() {
    #[cfg(unix)]
    unix::hold_requests();
}

/// Raises the flag at every held signal, from now on.
///
/// # Errors
/// The system denies another thread.
pub(crate) fn raise_at_requests(cancel: &Cancel) -> io::Result<()> {
    #[cfg(unix)]
    unix::raise_at_requests(cancel.clone())?;
    #[cfg(not(unix))]
    let _ = cancel;
    Ok(())
}

#[cfg(unix)]
mod unix {
    use super::Cancel;
    use nix::sys::signal::{SigSet, Signal};
    use std::io;

    /// Stack of the waiting thread [bytes].
    const STACK: usize = 1 << 16;

    fn requests() -> SigSet {
        [Signal::SIGXCPU, Signal::SIGUSR1, Signal::SIGUSR2].into_iter().collect()
    }

    pub fn survive_file_limit() {
        let limit: SigSet = [Signal::SIGXFSZ].into_iter().collect();
        limit.thread_block().expect("a known signal can be blocked");
    }

    pub fn hold_requests() {
        requests().thread_block().expect("known signals can be blocked");
    }

    pub fn raise_at_requests(cancel: Cancel) -> io::Result<()> {
        let wait = move || {
            hold_requests();
            // The signal of a CPU limit comes again every second.
            while requests().wait().is_ok() {
                cancel.cancel();
            }
        };
        std::thread::Builder::new().name("signals".to_owned()).stack_size(STACK).spawn(wait).map(drop)
    }
}
