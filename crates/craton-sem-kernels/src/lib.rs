//! The kernels of spectral elements, apart from everything that changes often.
//!
//! * [`Rheology`]: the rheologies, and what each reads and keeps;
//! * [`ElementKernel`], [`Precision`]: forces of batches of elements on the CPU, one element per SIMD lane.
//!
//! The kernels of GPUs are in `craton-sem/kernels`.
//!
//! | file | what it holds |
//! |---|---|
//! | `stiffness` | gradient, law, divergence on one batch: the skeleton |
//! | `geometry` | the Jacobian at every point, contracted from the control nodes |
//! | `tables` | one-dimensional tables of the contractions |
//! | `forces` | gather, skeleton, scatter over the batches of a patch; the list of compiled kernels |

#![forbid(unsafe_code)]

mod forces;
mod geometry;
mod rheology;
mod stiffness;
mod tables;

pub use forces::{ElementData, ElementKernel, Precision, Scratch};
pub use rheology::Rheology;
pub use tables::control_points;
