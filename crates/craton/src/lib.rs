//! Geophysical forward modelling: one scenario, several methods, every device.
//!
//! | module | what it holds |
//! |---|---|
//! | [`config`] | the scenario as it is written |
//! | [`scenario`] | a scenario read from its file and checked |
//! | [`error`] | what can go wrong, with file, line and hint |
//! | [`reference`] | the JSON schema and the reference page of the format |

#![forbid(unsafe_code)]

pub mod config;
mod document;
pub mod error;
mod key_path;
mod overrides;
pub mod reference;
pub mod scenario;
mod schema;
mod structure;
mod validate;

pub use config::Config;
pub use error::{Error, Problem, ScenarioError, ScenarioErrors};
pub use key_path::{KeyPath, KeyPathError, Segment};
pub use scenario::Scenario;
