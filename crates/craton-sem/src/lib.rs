//! Elastic waves by spectral elements.
//!
//! A [`Plan`] orders a mesh of hexahedra and cuts it into patches, a [`Team`] deals them to parts, a [`Discretisation`] puts an Earth model on a part.
//! Operators move the parts, [`SemOperator`]s on CPUs, [`GpuOperator`]s on GPUs; an [`Ensemble`] of them is the [`Solver`] of a run. The element kernel (crate `craton-sem-kernels`) is the
//! only place that contains the weak form; `state.rs` is one step. A patch has one [`Rheology`], and is computed by the kernel of it.

#![forbid(unsafe_code)]

mod asking;
mod boundary;
mod canonical;
mod discretisation;
mod element_state;
mod elements;
mod ensemble;
mod error;
mod fields;
mod gpu;
mod kernels;
mod layout;
mod memory;
mod operator;
mod part;
mod parts;
mod plan;
mod probes;
mod questions;
mod selection;
mod solver;
mod sources;
mod stability;
mod state;
mod taps;
mod team;

pub use boundary::{Boundaries, Boundary};
pub use craton_sem_kernels::{Precision, Rheology};
pub use craton_sim::{Link, Messaging, Push};
pub use discretisation::{Discretisation, Options, Patching, rheologies};
pub use ensemble::Ensemble;
pub use error::SemError;
pub use fields::{Field, NodePlace};
pub use gpu::{DeviceNeeds, GpuOperator};
pub use memory::Memory;
pub use operator::SemOperator;
pub use part::Part;
pub use parts::{PartLayout, Parts};
pub use plan::Plan;
pub use probes::Probe;
pub use selection::{Selected, Selection, Values};
pub use solver::Solver;
pub use sources::PointSource;
pub use stability::StableStep;
pub use state::Node;
pub use taps::Tap;
pub use team::Team;
