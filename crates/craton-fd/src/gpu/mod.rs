//! Finite differences on GPUs: one part of the grid on each device.
//!
//! | file | what it does |
//! |---|---|
//! | `arrays` | fields, material, layers and sponges on the device |
//! | `marks` | which points are beside contacts |
//! | `boxes` | how blocks of threads share the points |
//! | `sweep` | one half of the step as launches |
//! | `sources`, `halos`, `walls`, `probes` | what happens at single points |
//! | `messages` | what a device tells its neighbours |
//! | `shares` | what is read of it for frames |
//! | `part` | all of it in motion: a part on a device |
//! | `step` | a step of all parts as a list |
//! | `operator` | the parts of this process |
//! | `state` | the state of a part on the way to a checkpoint and back |
//! | `images` | the kernels as the program carries them |
//!
//! The arrays have the layout of the host (`layout.rs`), so tables, taps and places are those of the CPU, and so is the arithmetic of every point.
//! A half of the step is one launch for the regular points, one for those of them in absorbing layers, one for the ends of long rows in such layers, and one
//! for the few points beside contacts, side by side. Regular points read 16 bytes at a time (8 at longer stencils) and march along z, in blocks whose shape
//! `boxes` chooses.
//!
//! Bytes per point and step in single precision, where every array is read once and, if it changes, written once: velocities 6 stresses, 1 density,
//! 3 velocities twice; stresses 3 velocities, 2 moduli, 6 stresses twice: 30 values, 120 bytes, and an eighth of a byte of marks. A point in a layer
//! has 6 values of memory more for each layer, 48 bytes. What blocks read of their neighbours adds 15 to 25 % between multiprocessor and second-level cache,
//! hardly any from memory. On the device stand 12 values per point, 48 bytes, padding apart.

mod arrays;
mod boxes;
mod faces;
mod halos;
pub(crate) mod images;
mod marks;
mod messages;
mod operator;
mod part;
mod pieces;
mod probes;
mod selections;
mod sources;
mod state;
mod step;
mod sweep;
mod walls;

pub(crate) use arrays::{DeviceGrid, countable};
pub use operator::GpuOperator;
pub use part::GpuPart;
pub use pieces::Pieces;

/// Partial sums that a device makes of a sample: a warp.
const LANES: usize = 32;
