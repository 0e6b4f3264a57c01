//! Elastic waves by spectral elements.
//!
//! A [`Discretisation`] puts an Earth model on a mesh of hexahedra; a [`Solver`] moves it: a [`SemOperator`] on CPUs, a
//! [`GpuOperator`] on a GPU. The element kernel (`kernel/`) is the only place
//! that knows the weak form; `state.rs` is one step.

#![forbid(unsafe_code)]

mod boundary;
mod canonical;
mod discretisation;
mod elements;
mod error;
mod fields;
mod gpu;
mod kernel;
mod layout;
mod memory;
mod operator;
mod probes;
mod selection;
mod solver;
mod sources;
mod stability;
mod state;
mod taps;

pub use boundary::{Boundaries, Boundary};
pub use discretisation::{Discretisation, Options, Patching};
pub use error::{Failure, SemError};
pub use fields::{Field, NodePlace};
pub use gpu::{DeviceNeeds, GpuOperator};
pub use kernel::Precision;
pub use memory::Memory;
pub use operator::SemOperator;
pub use probes::Probe;
pub use selection::{Selected, Selection, Values};
pub use solver::Solver;
pub use sources::{PointSource, Push};
pub use stability::StableStep;
pub use state::Node;
pub use taps::Tap;
