//! The pool of worker threads of this process.

use rayon::{ThreadPool, ThreadPoolBuilder};

/// A fixed team of threads; parallel iterators inside [`Workers::run`] use exactly these.
pub struct Workers {
    pool: ThreadPool,
}

/// Errors of the creation of a thread pool.
#[derive(Debug, thiserror::Error)]
pub enum WorkersError {
    /// The operating system refused the threads.
    #[error("cannot start {threads} threads: {source}; request fewer")]
    Refused {
        /// Requested number of threads.
        threads: usize,
        /// Error of the pool.
        source: rayon::ThreadPoolBuildError,
    },
}

impl Workers {
    /// Creates a pool of `threads` threads; `None` means one per core available to the process.
    ///
    /// # Errors
    /// [`WorkersError::Refused`] if the operating system refuses the threads.
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

    /// Runs `work` on the pool, whose threads share its parallel iterators.
    pub fn run<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        self.pool.install(work)
    }

    /// Index of the calling worker, below [`Workers::threads`]; 0 outside the pool.
    pub fn current() -> usize {
        rayon::current_thread_index().unwrap_or(0)
    }
}
