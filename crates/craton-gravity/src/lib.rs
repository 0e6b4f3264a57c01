//! Gravity of right rectangular prisms of constant density: potential, attraction and gradient tensor.
//!
//! `pair.rs` evaluates one prism at one point: near the prism by the closed form over edges and faces (`closed_form.rs`), far from it by a multipole expansion
//! (`multipole.rs`). [`forward`] sums over prisms at each point, [`transpose`] sums over points for each prism. [`Tree`] sums many prisms at many points to a
//! requested tolerance, [`Convolution`] sums the cells of a lattice at the points of a level grid by FFT, and [`GpuPrisms`] and
//! [`GpuTesseroids`] sum on a GPU. [`Workers`] is a
//! thread pool; a function that does not take one runs on the pool it is called from ([`Workers::run`]), or else on Rayon's global pool. SI units; x east, y
//! north, z up. The attraction is the gradient of the potential: it points towards excess mass.

#![forbid(unsafe_code)]

mod closed_form;
mod convolution;
mod elementary;
mod error;
mod fields;
mod forward;
mod gauss;
mod gpu;
mod layer;
mod limit;
mod magnetics;
mod mesh;
mod multipole;
mod normal;
mod overlaps;
mod pair;
mod point_mass;
mod points;
mod prisms;
mod reductions;
mod relief;
mod shapes;
mod spectral;
mod tesseroid;
mod tile;
mod transpose;
mod tree;

pub use craton_device::{Isa, Workers};

pub use convolution::{Bound, Convolution, Lattice, LevelGrid};
pub use error::GravityError;
pub use fields::{Field, Fields};
pub use forward::{BLOCK, GoOn, Gravity, forward, forward_while};
pub use gpu::{GpuMagnetisedPrisms, GpuPrisms, GpuTesseroids, Precision};
pub use layer::{DensityLaw, Filling, Layer};
pub use limit::Limits;
pub use magnetics::{
    Direction, Igrf, MAGNETIC_CONSTANT, Magnetic, MagneticField, MagneticFields, MagneticTree, Magnetisation, Poisson,
    magnetic_forward, magnetic_forward_while, magnetic_transpose, magnetic_transpose_while,
};
pub use mesh::TensorMesh;
pub use normal::{Ellipsoid, Geocentric};
pub use overlaps::overlaps;
pub use points::Points;
pub use prisms::{Prism, Prisms};
pub use reductions::{CAP_RADIUS, EARTH_RADIUS, atmosphere, bouguer_slab, spherical_cap};
pub use relief::{Relief, Slices, SmoothLayer, Surface};
pub use shapes::ball;
pub use spectral::{Edges, LevelMap, SpectralFilter};
pub use tesseroid::{Stations, Tesseroid, Tesseroids};
pub use tile::TILE;
pub use transpose::{transpose, transpose_while};
pub use tree::{Peaks, Tolerance, Tree};

/// Newton's constant of gravitation [m³/(kg s²)], CODATA 2018.
pub const GRAVITATIONAL_CONSTANT: f64 = 6.674_30e-11;
