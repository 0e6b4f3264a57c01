//! Elastic waves by finite differences on a staggered grid: velocities and stresses, second order in time, order 2 to 16 in space.
//!
//! A [`Medium`] puts material on the cells of a [`Grid`]; an [`FdOperator`] moves the fields on it. Where they stand in a cell, whose lower
//! corner is (i, j, k) and whose centre is half a cell further along each axis:
//!
//! | field | stands on | along x, y, z |
//! |---|---|---|
//! | material, normal stresses | centres | i + 1/2, j + 1/2, k + 1/2 |
//! | velocity vx | faces across x | i, j + 1/2, k + 1/2; vy and vz likewise |
//! | shear stress sxy | edges along z | i, j, k + 1/2; sxz and syz likewise |
//!
//! So the sides of the box, the free surface and the sea bottom pass through faces. Velocities live at half steps, stresses at whole ones.
//! Air is a cell without moduli, a fluid one without a shear modulus, and averages of the material make the contacts (`craton_physics`);
//! beside a contact the stencils are folded so as not to reach across it (`stencil.rs`).
//!
//! `operator.rs` is a step; `sweep/` is the kernel, one skeleton for both halves of the step; `march.rs` says which points do both in one way. `gpu/` is the same on a GPU.
//!
//! # Source
//! Virieux (1986), Geophysics 51, 889-901; Graves (1996), Bulletin of the Seismological Society of America 86, 1091-1106; Moczo et al. (2002),
//! ibid. 92, 3042-3066; Takenaka et al. (2009), Chinese Journal of Geophysics 52, on land and sea bottom as one.

#![forbid(unsafe_code)]

pub mod acoustic;
mod asking;
mod block;
mod boundary;
mod classes;
mod cut;
mod ensemble;
mod error;
mod exchange;
mod gpu;
mod grid;
mod interpolate;
mod kernels;
mod kinds;
mod layers;
mod layout;
mod march;
mod medium;
mod operator;
mod part;
mod probes;
mod regions;
mod saved;
mod selection;
mod setup;
mod solver;
mod sources;
mod sponge;
mod stability;
mod stencil;
mod sums;
mod sweep;
mod walls;
mod window;

pub use boundary::{AbsorbingLayer, Boundaries, Side, Sponge};
pub use craton_fd_kernels::{Field, Precision};
pub use craton_sim::Push;
pub use cut::{largest_part, process_grid};
pub use ensemble::Ensemble;
pub use error::{FdError, GpuSetupError};
pub use gpu::{GpuOperator, GpuPart, Pieces};
pub use grid::Grid;
pub use kernels::require_kernels;
pub use layout::field_values;
pub use medium::{Kind, Material, Medium};
pub use operator::{CpuPart, FdOperator, Options};
pub use part::Part;
pub use probes::Probe;
pub use selection::{Numbers, Selection, Strain, Values, Vector};
pub use setup::Problem;
pub use solver::Solver;
pub use sources::PointSource;
pub use stability::stable_step;
