//! The element kernel: what a batch of elements, one per SIMD lane, does with its displacement.
//!
//! * [`tables`]: the one-dimensional tables every contraction uses;
//! * [`geometry`]: the Jacobian at every point, contracted from the control nodes;
//! * [`stiffness`]: gradient, law, divergence on one batch: the skeleton;
//! * [`forces`]: gather, skeleton, scatter over the batches of a patch.

mod forces;
mod geometry;
mod stiffness;
mod tables;

pub use forces::{ElementData, ElementKernel, Precision, Scratch};
pub use tables::control_points;
