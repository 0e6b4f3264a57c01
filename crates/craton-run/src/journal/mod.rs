//! The journal of a job made of many numbered pieces: who does which, what is done, whatever happens on the way.
//!
//! Any number of processes and threads, on any machines that see the folder, share one journal. Each opens it, becomes a *worker* by that,
//! and takes pieces, finishes them, and takes more:
//!
//! ```
//! use craton_run::journal::{Done, Journal, Offer, Wish};
//! # let folder = tempfile::tempdir().expect("a folder");
//! # let (folder, survey_hash) = (folder.path(), 7);
//! let journal = Journal::open(folder, survey_hash, 1000)?;
//! let wish = Wish { device: 0, one_kind: false, among: 990..1000 };
//! loop {
//!     match journal.take(4, &wish)? {
//!         Offer::Pieces(claims) => {
//!             // Compute, write the results, flush them to the disk; then:
//!             let done: Vec<Done> =
//!                 claims.iter().map(|claim| Done { piece: claim.piece, checksum: 1, seconds: 2.5 }).collect();
//!             journal.finish(&done)?;
//!         }
//!         Offer::Wait => std::thread::sleep(std::time::Duration::from_secs(1)),
//!         Offer::Over | Offer::OtherKind { .. } => break,
//!     }
//! }
//! assert_eq!(journal.summary()?.done, 10);
//! # Ok::<(), craton_run::RunError>(())
//! ```
//!
//! The folder holds the file `journal`, to which changes are appended under a lock (`entry.rs` says how), and a locked file per worker in
//! `workers`. The system frees that lock when a process dies, however it dies, so what a dead worker held is found and offered again: there
//! are no heartbeats, and no clocks to agree. The file system must give locks that all machines see: local disks, NFS, and Lustre mounted
//! with `flock` do.
//!
//! A method that returns without error has its change on the disk. If it fails, a full disk among others, the journal is
//! as it was, unless the system refuses to cut the file back, too: then what was written of the change may count.

mod entry;
mod ledger;
mod log;
mod piece;
mod presence;
mod transaction;
mod worker;

pub use piece::{Claim, Done, Failed, Failure, Offer, Piece, Status, Summary, Wish, WorkerAtWork};
pub use worker::Journal;
