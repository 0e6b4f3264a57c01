//! What every long job needs, whatever it computes.
//!
//! | before the job | during | after |
//! |---|---|---|
//! | [`OutputDirectory`]: one run, one folder, nothing overwritten unasked | [`Progress`]: where it stands, how fast, how long still | [`RunRecord`]: what was run, on what, with which result |
//! | [`Room`], [`preflight`]: enough memory, enough disk | [`Cancel`]: Ctrl-C stops between two steps | [`Stages`]: where the time went |
//! | | [`CheckpointStore`]: a killed run goes on where it was | |
//! | | [`Journal`]: many processes share one job, and whatever dies costs no more than what it was doing | |
//!
//! Nothing here knows a wave or a mesh: state is named sections of numbers, results are named figures.

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
mod stages;
mod utc;

pub use cancel::Cancel;
pub use checkpoint::{
    Checkpoint, CheckpointStore, Scalar, ScalarType, Section, SectionForm, SectionHeader, SectionReader, SectionWriter,
    Skipped,
};
pub use error::RunError;
pub use host::Host;
pub use journal::Journal;
pub use memory::{AvailableMemory, MemoryLimit, Room, available_memory};
pub use output::OutputDirectory;
pub use progress::{Plan, Progress, ProgressMode, Times};
pub use quantity::{Bytes, Seconds};
pub use record::{Program, RunRecord, RunStatus};
pub use stages::{Stage, Stages};
pub use utc::utc_now;
