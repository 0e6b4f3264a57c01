//! Execution of kernels: SIMD lanes, aligned arrays, worker threads, GPUs.
//!
//! This crate is the only home of `unsafe`. A kernel is written once, generic over [`Lanes`], and [`Scalar::dispatch`] compiles it for every
//! instruction set and picks the best one at run time.

mod aligned;
pub mod gpu;
mod prefetch;
mod simd;
mod workers;

pub use aligned::AlignedVec;
pub use prefetch::prefetch;
pub use simd::{Isa, Kernel, Lanes, NODE_CAPACITY, NodeScratch, Scalar, node_scratch};
pub use workers::{Workers, WorkersError};
