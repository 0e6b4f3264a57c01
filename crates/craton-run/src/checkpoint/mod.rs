//! Checkpoints: snapshots of the state of a run. A complete one is on disk at any moment.
//!
//! A checkpoint is a file with named sections of numbers. A section consists of blocks, each with its hash, so that several processes can
//! write and read one file, each its own blocks. A file is a temporary one ([`Draft`]) until it is complete, so a process killed at any
//! moment leaves the last complete checkpoint intact.

mod draft;
mod layout;
mod reading;
mod store;

pub use draft::Draft;
pub use layout::{Block, Scalar, ScalarType, SectionForm, SectionHeader, block_hash};
pub use reading::Checkpoint;
pub use store::CheckpointStore;
