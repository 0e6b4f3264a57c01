//! Wave propagation in solids and fluids with spectral elements.
//!
//! A [`Plan`] orders a mesh of hexahedra and divides it into patches, a [`Team`] assigns the patches to parts, and a [`Discretisation`] samples an Earth model
//! on a part. Operators advance the parts: [`SemOperator`] on CPUs, [`GpuOperator`] on GPUs. A [`PartSet`] of operators implements [`Solver`].
//!
//! The element kernel (crate `craton-sem-kernels`) contains the weak form, `step.rs` the time step. Each patch has one [`Rheology`], whose kernel computes it.
//! Solids and fluids ([`Phase`]) have nodes and fields of their own, which `coupling.rs` connects.

#![forbid(unsafe_code)]

mod assembly;
mod boundary;
mod canonical;
mod closed;
mod coupling;
mod cpu_part;
mod cuts;
mod discretisation;
mod element_state;
mod element_steps;
mod elements;
mod error;
mod estimates;
mod fields;
mod gpu;
mod interpolation_point;
mod kernels;
mod layout;
mod levels;
mod memory;
mod moduli;
mod node_state;
mod operator;
mod own_tiles;
mod part;
mod part_set;
mod parts;
mod patch_substeps;
mod plan;
mod pml;
mod probes;
mod readout;
mod requests;
mod rheologies;
mod seen;
mod selection;
mod shared_nodes;
mod solver;
mod sources;
mod stability;
mod step;
mod substeps;
mod team;
mod twins;
mod wet;
mod wet_stability;

pub use assembly::{SolverPrecision, Task};
pub use boundary::{Boundaries, Boundary};
pub use craton_sem_kernels::{MaterialKind, Phase, Pml, Precision, Relaxation, Rheology};
pub use craton_sim::{Link, Messaging, SourceMechanism};
pub use discretisation::{Discretisation, Options, Patching};
pub use error::SemError;
pub use fields::{Field, NodePlace};
pub use gpu::{DeviceNeeds, GpuOperator};
pub use interpolation_point::{InterpolationPoint, gradients_at_points};
pub use levels::{Choice, Levels, Order};
pub use memory::Memory;
pub use moduli::medium_in_element;
pub use operator::SemOperator;
pub use own_tiles::OwnTiles;
pub use part::Part;
pub use part_set::{Channels, PartSet};
pub use parts::{PartLayout, Parts};
pub use plan::Plan;
pub use pml::PmlProfile;
pub use probes::Probe;
pub use rheologies::Rheologies;
pub use seen::Seen;
pub use selection::{Selected, Selection, Values};
pub use solver::Solver;
pub use sources::PointSource;
pub use stability::StableStep;
pub use team::Team;
