//! Pieces of a job: what is asked for, offered, told and known.

use std::collections::BTreeMap;
use std::ops::Range;

/// What a worker asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wish {
    /// Kind of the device that will do the pieces, a number of the caller's.
    pub device: u8,
    /// Whether every piece of the job must be done on that kind.
    pub one_kind: bool,
    /// The pieces that would do.
    pub among: Range<u32>,
}

/// A piece that this worker may do now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Claim {
    /// Its number, from 0.
    pub piece: u32,
    /// 1, and 2 for a piece that failed before.
    pub attempt: u32,
}

/// What a worker gets.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub enum Offer {
    /// Pieces to do, at least one.
    Pieces(Vec<Claim>),
    /// Nothing is free, but some pieces are still held, by others or by this worker: they may come free. Finish what is held, and ask again
    /// after a second or so.
    Wait,
    /// All that was asked about is done, or has failed for good.
    Over,
    /// One kind of device was asked for, and a piece is held or done on another.
    OtherKind {
        /// A piece.
        piece: u32,
        /// Kind of its device.
        device: u8,
    },
}

/// A piece whose result is on the disk.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Done {
    /// Its number.
    pub piece: u32,
    /// Checksum of the result.
    pub checksum: u64,
    /// Time it took \[s\].
    pub seconds: f32,
}

/// A piece that could not be done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failed<'a> {
    /// Its number.
    pub piece: u32,
    /// Why, as a number of the caller's.
    pub code: u16,
    /// Why, in words; the journal keeps the first 88 bytes.
    pub reason: &'a str,
}

/// What is known of a piece.
#[derive(Clone, Debug, PartialEq)]
pub struct Piece {
    /// Where it stands.
    pub status: Status,
    /// How it failed, first attempt first.
    pub failures: Vec<Failure>,
}

/// Where a piece stands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Status {
    /// To be done, for the first time or once more.
    Free,
    /// Held by a worker that is alive.
    Taken {
        /// The worker.
        worker: u32,
        /// Kind of its device.
        device: u8,
    },
    /// Its result is on the disk.
    Done {
        /// Who did it.
        worker: u32,
        /// Kind of the device it was done on.
        device: u8,
        /// Checksum of the result.
        checksum: u64,
        /// Time it took \[s\].
        seconds: f32,
    },
    /// Failed twice: not offered any more.
    Failed,
}

impl Status {
    /// Kind of the device that a piece is held or was done on.
    #[must_use]
    pub fn device(&self) -> Option<u8> {
        match *self {
            Self::Taken { device, .. } | Self::Done { device, .. } => Some(device),
            Self::Free | Self::Failed => None,
        }
    }
}

/// An attempt that failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// Whose it was.
    pub worker: u32,
    /// Kind of the device.
    pub device: u8,
    /// Why, as a number of the caller's.
    pub code: u16,
    /// Why, in words, the first 88 bytes.
    pub reason: String,
}

/// Where a job stands.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Summary {
    /// Number of pieces: the sum of the four that follow.
    pub pieces: u32,
    /// To be done.
    pub free: u32,
    /// Held by workers that are alive.
    pub taken: u32,
    /// Done.
    pub done: u32,
    /// Failed twice.
    pub failed: u32,
    /// Pieces done, by the machine and the kind of device.
    pub done_on: BTreeMap<(String, u8), u32>,
    /// Time that the pieces done took, all together \[s\].
    pub seconds: f64,
    /// Who holds pieces.
    pub workers: Vec<WorkerAtWork>,
}

/// A worker that holds pieces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkerAtWork {
    /// Its number.
    pub worker: u32,
    /// Where it runs: "process 71 on node3".
    pub place: String,
    /// What it holds.
    pub pieces: Vec<u32>,
}
