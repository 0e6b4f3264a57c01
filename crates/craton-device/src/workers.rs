//! The threads of this process that compute.

use rayon::{ThreadPool, ThreadPoolBuilder};

/// A fixed team of threads; parallel iterators inside [`Workers::run`] use exactly these.
pub struct Workers {
    pool: ThreadPool,
}

/// Why a team of threads could not be made.
#[derive(Debug, thiserror::Error)]
pub enum WorkersError {
    /// The operating system refused the threads.
    #[error("cannot start {threads} threads: {source}; ask for fewer")]
    Refused {
        /// Threads asked for.
        threads: usize,
        /// What the pool said.
        source: rayon::ThreadPoolBuildError,
    },
}

impl Workers {
    /// A team of `threads` threads; `None` takes one per core available to the process.
    ///
    /// # Errors
    /// [`WorkersError::Refused`] when the system does not grant them.
    pub fn new(threads: Option<usize>) -> Result<Self, WorkersError> {
        let threads = threads.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from));
        ThreadPoolBuilder::new()
            .num_threads(threads)
            .thread_name(|index| format!("craton-{index}"))
            .build()
            .map(|pool| Self { pool })
            .map_err(|source| WorkersError::Refused { threads, source })
    }

    /// Number of threads.
    pub fn threads(&self) -> usize {
        self.pool.current_num_threads()
    }

    /// Runs `work` on the team: parallel iterators in it are shared among its threads.
    pub fn run<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        self.pool.install(work)
    }

    /// Index of the calling worker, below [`Workers::threads`]; 0 outside the team.
    pub fn current() -> usize {
        rayon::current_thread_index().unwrap_or(0)
    }
}
