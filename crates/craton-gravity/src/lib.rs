//! Gravity of right rectangular prisms of constant density: potential, attraction and gradient tensor.
//!
//! One prism at one point is `pair.rs`: near by the closed form over edges and faces (`closed_form.rs`), far by a multipole (`multipole.rs`). [`forward`] sums
//! prisms at points, [`transpose`] points at prisms. [`Tree`] sums many prisms at many points with an error that is asked for, [`Convolution`] cells of a lattice at
//! points of a level grid, [`GpuPrisms`] on a GPU. [`Workers`] are the threads of a team: what takes none runs on the team that it is called within
//! ([`Workers::run`]), or else on one of Rayon's own. SI units; x east, y north, z up. The attraction is the gradient of the potential: it points to excess mass.

#![forbid(unsafe_code)]

mod closed_form;
mod convolution;
mod elementary;
mod error;
mod fields;
mod forward;
mod gpu;
mod layer;
mod limit;
mod mesh;
mod multipole;
mod overlaps;
mod pair;
mod points;
mod prisms;
mod shapes;
mod tile;
mod transpose;
mod tree;

pub use craton_device::{Isa, Workers};

pub use convolution::{Bound, Convolution, Lattice, LevelGrid};
pub use error::GravityError;
pub use fields::{Field, Fields};
pub use forward::{BLOCK, GoOn, Gravity, forward, forward_while};
pub use gpu::{GpuPrisms, Precision};
pub use layer::{DensityLaw, Filling, Layer};
pub use limit::Limits;
pub use mesh::TensorMesh;
pub use overlaps::overlaps;
pub use points::Points;
pub use prisms::{Prism, Prisms};
pub use shapes::ball;
pub use tile::TILE;
pub use transpose::{transpose, transpose_while};
pub use tree::{Peaks, Tolerance, Tree};

/// Newton's constant of gravitation [m³/(kg s²)], CODATA 2018.
pub const GRAVITATIONAL_CONSTANT: f64 = 6.674_30e-11;
