//! Elastic waves by finite differences on a staggered grid: velocities and stresses, second order in time, order 2 to 16 in space.
//!
//! A [`Medium`] gives each cell of a [`Grid`] its material; an [`FdOperator`] advances the fields on it. Positions of the fields in a cell whose
//! lower corner is (i, j, k):
//!
//! | field | located at | along x, y, z |
//! |---|---|---|
//! | material, normal stresses | centres | i + 1/2, j + 1/2, k + 1/2 |
//! | velocity vx | faces normal to x | i, j + 1/2, k + 1/2; vy and vz by permutation |
//! | shear stress sxy | edges along z | i, j, k + 1/2; sxz and syz by permutation |
//!
//! The sides of the box, the free surface and the sea bottom coincide with faces. Velocities are defined at half steps, stresses at whole steps.
//! A cell of air has zero moduli, a cell of fluid has zero shear modulus, and averages of the material represent the interfaces (`craton_physics`).
//! Next to an interface the stencils do not cross it: they are folded (`stencil.rs`), or closed if it is flat (`closure.rs`, `derivatives.rs`).
//!
//! `operator.rs` contains the time step; `sweep/` contains the kernel, one skeleton for both halves of the step. `march.rs` selects the points
//! whose two halves are computed in a single pass. `gpu/` is the same for GPUs.
//!
//! # Source
//! Virieux (1986), Geophysics 51, 889-901; Graves (1996), Bulletin of the Seismological Society of America 86, 1091-1106; Moczo et al. (2002),
//! ibid. 92, 3042-3066; Takenaka et al. (2009), Chinese Journal of Geophysics 52, on a unified treatment of land and sea bottom.

#![forbid(unsafe_code)]

pub mod acoustic;
mod across;
mod assembly;
mod block;
mod boundary;
mod classes;
mod closure;
mod cut;
mod derivatives;
mod error;
mod exchange;
mod fastest;
mod gathered;
mod gpu;
mod grid;
mod interpolate;
mod kernels;
mod kinds;
mod layers;
mod layout;
mod linear;
mod march;
mod medium;
mod mixture;
mod operator;
mod part;
mod part_selection;
mod part_set;
mod probes;
mod regions;
mod relaxation;
mod requests;
mod rows;
mod saved;
mod sections;
mod selection;
mod setup;
mod solver;
mod sources;
mod sponge;
mod stability;
mod stencil;
mod sweep;
mod walls;
mod window;

pub use across::SolidInterface;
pub use assembly::SolverPrecision;
pub use boundary::{AbsorbingLayer, Boundaries, Side, Sponge};
pub use craton_fd_kernels::{Field, Precision};
pub use craton_sim::SourceMechanism;
pub use cut::{largest_part, process_grid};
pub use error::{FdError, GpuSetupError};
pub use gpu::{GpuOperator, GpuPart, Pieces};
pub use grid::Grid;
pub use kernels::require_kernels;
pub use layout::field_values;
pub use medium::{Kind, Material, Medium};
pub use mixture::Mixture;
pub use operator::{CpuPart, FdOperator, Options};
pub use part::Part;
pub use part_set::PartSet;
pub use probes::{Probe, ProbeQuantity};
pub use relaxation::{Mechanism, Mechanisms, MemoryPoints};
pub use sections::{Row, Section, Sections};
pub use selection::{Numbers, Selection, Strain, Values, Vector};
pub use setup::Problem;
pub use solver::Solver;
pub use sources::PointSource;
pub use stability::stable_step;
