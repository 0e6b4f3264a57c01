//! Elastic wave propagation with spectral elements.
//!
//! A [`Plan`] orders a mesh of hexahedra and divides it into patches, a [`Team`] assigns the patches to parts, and a [`Discretisation`] samples an Earth model on
//! a part. Operators advance the parts: [`SemOperator`] on CPUs, [`GpuOperator`] on GPUs. An [`Ensemble`] of operators implements [`Solver`].
//!
//! The element kernel (crate `craton-sem-kernels`) contains the weak form, `state.rs` the time step. Each patch has one [`Rheology`], whose kernel computes it.

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
