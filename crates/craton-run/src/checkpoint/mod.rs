//! Checkpoints: the state of a run, whole on disk at any moment.
//!
//! A checkpoint is a list of named sections of numbers ([`Section`]) behind a header that says what they are and carries their hashes. It is
//! written beside its predecessor and renamed when it is complete, so a process killed at any moment leaves the last whole one.

mod layout;
mod reading;
mod store;

pub use layout::{Scalar, ScalarType, Section, SectionForm, SectionHeader, SectionWriter};
pub use reading::{Checkpoint, SectionReader};
pub use store::{CheckpointStore, Skipped};
