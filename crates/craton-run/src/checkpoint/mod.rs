//! Checkpoints: snapshots of the state of a run. A complete one is on disk at any moment.
//!
//! A checkpoint is a list of named sections of numbers ([`Section`]) after a header that describes them and holds their hashes. It is
//! written to a temporary file and renamed when it is complete, so a process killed at any moment leaves the last complete checkpoint
//! intact.

mod layout;
mod reading;
mod store;

pub use layout::{Scalar, ScalarType, Section, SectionForm, SectionHeader, SectionWriter};
pub use reading::{Checkpoint, SectionReader};
pub use store::{CheckpointStore, Skipped};
