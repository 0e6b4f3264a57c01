//! Geophysical forward modelling: one scenario, several methods, every device.
//!
//! | module | content |
//! |---|---|
//! | [`config`] | the scenario as written |
//! | [`written`] | a scenario, a survey or a gravity problem, read from its file and checked |
//! | [`setup`] | a checked scenario with its input files: the input of a method |
//! | [`options`] | options of the commands |
//! | [`pipeline`] | from the scenario to seismograms, stage by stage |
//! | [`mod@gravity`] | from bodies and points to gravity and its gradient tensor |
//! | [`mod@survey`] | from a survey to gathers: thousands of acoustic shots |
//! | [`traces`] | seismogram files |
//! | [`comm`] | the ranks of a run |
//! | [`compare`](mod@compare), [`plot`](mod@plot) | comparison of seismograms with a reference, and plots |
//! | [`process`](mod@process) | filtering, convolution and rotation of seismograms after a run |
//! | [`error`] | errors, with file, line and hint |
//! | [`mod@reference`] | the JSON schemas and the reference pages of the file formats |

#![forbid(unsafe_code)]

mod checksums;
pub mod comm;
pub mod compare;
pub mod config;
mod density;
mod device;
mod dispersion;
mod document;
pub mod error;
pub mod exit_code;
mod extremes;
mod format_position;
mod given_numbers;
mod given_volume;
pub mod gravity;
mod grid_warnings;
mod gridding;
pub mod import;
mod inputs;
mod key_path;
mod look_ahead;
mod meshing;
mod number;
pub mod options;
mod overrides;
pub mod pipeline;
mod placing;
pub mod plot;
pub mod process;
mod provenance;
pub mod reference;
mod sampled;
mod schema;
pub mod setup;
mod sharing;
mod simulation;
mod snapshots;
mod structure;
mod suggestion;
mod surface_fit;
mod surface_waves;
pub mod survey;
mod thin_elements;
mod time_axis;
pub mod traces;
mod validate;
mod verify;
pub mod written;

pub use compare::{Comparison, compare};
pub use config::Config;
pub use craton_formats::{FormatError, escaped, is_plain};
pub use craton_run::{Cancel, ProgressMode, RunStatus, signals};
pub use error::{Error, Problem, ScenarioError, ScenarioErrors};
pub use given_numbers::GivenNumbers;
pub use given_volume::GivenVolume;
pub use gravity::{Gravity, check_gravity, gravity, gravity_on_ranks, verify_gravity};
pub use inputs::{Given, Inputs};
pub use key_path::{KeyPath, KeyPathError, Segment};
pub use look_ahead::LookAhead;
pub use meshing::{MeshSlice, mesh_slice};
pub use pipeline::{
    CheckReport, RunReport, check, check_scenario, resume, resume_on_ranks, run, run_on_ranks, verify_run, write_mesh,
};
pub use plot::plot;
pub use process::process;
pub use setup::Setup;
pub use simulation::{
    Both, Checkpoint, Display, Memory, Prepared, ResultsFolder, Simulation, Sink, Snapshot, State, Times, Values,
    Watch, Work,
};
pub use snapshots::{Fields, Frame, Places, Sampled};
pub use survey::{
    Gather, GatherSink, Survey, check_given_survey, check_survey, given_survey, survey, survey_on_ranks, verify_survey,
};
pub use verify::Verified;
pub use written::Scenario;
