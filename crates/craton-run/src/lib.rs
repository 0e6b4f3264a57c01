//! Infrastructure for long jobs, independent of what they compute.
//!
//! | before the job | during | after |
//! |---|---|---|
//! | [`OutputDirectory`]: one run per folder, overwritten only on request | [`Progress`]: pieces done, speed, time left | [`RunRecord`]: what ran, on which machine, with which result |
//! | [`Room`], [`preflight`]: enough memory, enough disk | [`Cancel`]: Ctrl-C stops between two steps | [`Stages`]: where the time went |
//! | | [`CheckpointStore`]: a killed run resumes from its last checkpoint | |
//! | | [`Journal`]: many processes share one job; a process that dies loses only its current work | |
//!
//! Independent of waves and meshes: state is named sections of numbers, results are named figures.

#![forbid(unsafe_code)]

mod cancel;
mod checkpoint;
mod error;
mod host;
pub mod journal;
mod memory;
mod output;
pub mod preflight;
mod progress;
mod quantity;
mod record;
pub mod signals;
mod stages;
mod utc;

pub use cancel::Cancel;
pub use checkpoint::{
    Block, Checkpoint, CheckpointStore, Draft, Scalar, ScalarType, SectionForm, SectionHeader, block_hash,
};
pub use error::RunError;
pub use host::Host;
pub use journal::Journal;
pub use memory::{AvailableMemory, MemoryLimit, Room, available_memory};
pub use output::OutputDirectory;
pub use progress::{Progress, ProgressMode, Times, WorkPlan};
pub use quantity::{Bytes, Seconds};
pub use record::{Program, RunRecord, RunStatus};
pub use stages::{Stage, Stages};
pub use utc::utc_now;
