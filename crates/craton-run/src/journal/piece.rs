//! Types of the journal's interface: claims, results, and the state of pieces.

use std::collections::BTreeMap;
use std::ops::Range;

/// A worker's request for pieces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClaimRequest {
    /// Kind of device that will do the pieces, a number that the caller defines.
    pub device: u8,
    /// Whether all pieces of the job must be done on the same kind of device.
    pub one_kind: bool,
    /// Range of the pieces to choose from.
    pub among: Range<u32>,
}

/// A piece that this worker has claimed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Claim {
    /// Number of the piece, from 0.
    pub piece: u32,
    /// 1 for the first attempt, 2 if the piece failed before.
    pub attempt: u32,
}

/// Result of a request for pieces.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub enum ClaimResult {
    /// The claimed pieces, at least one.
    Pieces(Vec<Claim>),
    /// No piece is free, but other workers or this one still hold some, which may become free again. Finish what is held, and request again
    /// after about a second.
    Wait,
    /// All pieces in the requested range are done, or have failed permanently.
    Exhausted,
    /// `one_kind` was set, and a piece is held or done on another kind of device.
    OtherKind {
        /// The number of that piece.
        piece: u32,
        /// Its kind of device.
        device: u8,
    },
}

/// A piece whose result is on the disk.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Done {
    /// Number of the piece.
    pub piece: u32,
    /// Checksum of the result.
    pub checksum: u64,
    /// Computing time \[s\].
    pub seconds: f32,
}

/// A piece that could not be done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failed<'a> {
    /// Number of the piece.
    pub piece: u32,
    /// Error code that the caller defines.
    pub code: u16,
    /// Error message; the journal keeps the first 88 bytes.
    pub reason: &'a str,
}

/// State of a piece.
#[derive(Clone, Debug, PartialEq)]
pub struct Piece {
    /// Current status.
    pub status: Status,
    /// Failed attempts, oldest first.
    pub failures: Vec<Failure>,
}

/// Status of a piece.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Status {
    /// Not yet done: waiting for a first or second attempt.
    Free,
    /// Held by a live worker.
    Taken {
        /// The worker.
        worker: u32,
        /// Kind of its device.
        device: u8,
    },
    /// Its result is on the disk.
    Done {
        /// The worker that did it.
        worker: u32,
        /// Kind of the device it was done on.
        device: u8,
        /// Checksum of the result.
        checksum: u64,
        /// Computing time \[s\].
        seconds: f32,
    },
    /// Failed twice; not offered again.
    Failed,
}

impl Status {
    /// Kind of device on which the piece is held or was done.
    #[must_use]
    pub fn device(&self) -> Option<u8> {
        match *self {
            Self::Taken { device, .. } | Self::Done { device, .. } => Some(device),
            Self::Free | Self::Failed => None,
        }
    }
}

/// A failed attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The worker.
    pub worker: u32,
    /// Kind of the device.
    pub device: u8,
    /// Error code that the caller defines.
    pub code: u16,
    /// Error message, first 88 bytes.
    pub reason: String,
}

/// Progress of a job.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Summary {
    /// Number of pieces; the sum of `free`, `taken`, `done` and `failed`.
    pub pieces: u32,
    /// Pieces that are not yet done or held.
    pub free: u32,
    /// Pieces held by live workers.
    pub taken: u32,
    /// Pieces that are done.
    pub done: u32,
    /// Pieces that failed twice.
    pub failed: u32,
    /// Number of pieces done, by machine and kind of device.
    pub done_on: BTreeMap<(String, u8), u32>,
    /// Total computing time of the pieces done \[s\].
    pub seconds: f64,
    /// Workers that hold pieces.
    pub workers: Vec<WorkerAtWork>,
}

/// A worker that holds pieces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkerAtWork {
    /// Number of the worker.
    pub worker: u32,
    /// Process and machine: "process 71 on node3".
    pub place: String,
    /// Numbers of the pieces that it holds.
    pub pieces: Vec<u32>,
}
