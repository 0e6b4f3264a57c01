//! The journal of a job made of many numbered pieces: which worker does which piece, and what is done. It survives crashes.
//!
//! Any number of processes and threads, on any machines that share the folder, use one journal. Each opens it, which makes it a *worker*,
//! then repeatedly claims pieces and marks them as done:
//!
//! ```
//! use craton_run::journal::{ClaimRequest, ClaimResult, Done, Journal};
//! # let folder = tempfile::tempdir().expect("a folder");
//! # let (folder, survey_hash) = (folder.path(), 7);
//! let journal = Journal::open(folder, survey_hash, 1000)?;
//! let request = ClaimRequest { device: 0, one_kind: false, among: 990..1000 };
//! loop {
//!     match journal.take(4, &request)? {
//!         ClaimResult::Pieces(claims) => {
//!             // Compute, write the results, flush them to the disk; then:
//!             let done: Vec<Done> =
//!                 claims.iter().map(|claim| Done { piece: claim.piece, checksum: 1, seconds: 2.5 }).collect();
//!             journal.finish(&done)?;
//!         }
//!         ClaimResult::Wait => std::thread::sleep(std::time::Duration::from_secs(1)),
//!         ClaimResult::Exhausted | ClaimResult::OtherKind { .. } => break,
//!     }
//! }
//! assert_eq!(journal.summary()?.done, 10);
//! # Ok::<(), craton_run::RunError>(())
//! ```
//!
//! The folder holds the file `journal`, to which changes are appended under a lock (layout in `entry.rs`), and in `workers` a locked file
//! per worker. The system releases that lock however the process dies, so the pieces of a dead worker are detected and offered again
//! without heartbeats or synchronised clocks. The file system must support locks that all machines see: local disks, NFS, and Lustre
//! mounted with `flock` do.
//!
//! When a method returns without error, its change is on the disk. When it fails, for example because the disk is full, the journal is
//! unchanged, unless truncating the file also fails: then part of the change may take effect.

mod entry;
mod ledger;
mod log;
mod piece;
mod presence;
mod transaction;
mod worker;

pub use piece::{Claim, ClaimRequest, ClaimResult, Done, Failed, Failure, Piece, Status, Summary, WorkerAtWork};
pub use worker::Journal;
