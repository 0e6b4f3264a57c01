//! The kernels of spectral elements, separate from code that changes often, so that they are rarely compiled again.
//!
//! * [`Rheology`], [`MaterialKind`], [`Relaxation`]: the rheologies, and the numbers of their parameters and memory variables;
//! * [`ElementKernel`], [`Precision`]: forces of batches of elements on the CPU, one element per SIMD lane.
//!
//! The kernels of GPUs are in `craton-sem/kernels`.
//!
//! | file | contents |
//! |---|---|
//! | `relaxation` | memory variables, and the relaxation of the stress at a point |
//! | `pml` | filters of the absorbing axes of layers, and the damping of short waves there |
//! | `batch` | the laws of solids and fluids on one batch |
//! | `stiffness` | the element kernel: gradient, law, divergence on one batch |
//! | `geometry` | the Jacobian at every point, contracted from the control nodes |
//! | `tables` | one-dimensional tables of the contractions |
//! | `forces` | the loop over the batches of a patch (gather, stiffness, scatter); the list of compiled kernels |

#![forbid(unsafe_code)]

mod batch;
mod forces;
mod geometry;
mod pml;
mod relaxation;
mod rheology;
mod stiffness;
mod tables;

pub use forces::{ElementData, ElementKernel, Precision, Scratch};
pub use pml::{PML_CONSTANTS, Pml};
pub use relaxation::Memory;
pub use rheology::{MaterialKind, Phase, Relaxation, Rheology};
pub use tables::{control_points, short_waves};
