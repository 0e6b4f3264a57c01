//! Finite differences on GPUs: one part of the grid on each device.
//!
//! | file | what it does |
//! |---|---|
//! | `arrays` | fields, material, layers and sponges on the device |
//! | `marks` | points near interfaces |
//! | `boxes` | distribution of points over thread blocks |
//! | `sweep` | one half of the step as launches |
//! | `sources`, `halos`, `walls`, `probes` | operations on selected points |
//! | `messages` | messages to and from neighbours |
//! | `selections` | fields that are read for frames |
//! | `part` | a part on a device, which combines all of these |
//! | `step` | the time step of all parts |
//! | `operator` | the parts of this process |
//! | `state` | transfer of the state of a part to and from checkpoints |
//! | `images` | the kernels embedded in the program |
//!
//! The arrays have the layout of the host (`layout.rs`), so tables and indices are those of the CPU, and so is the arithmetic of every point.
//! Half a step consists of concurrent launches: one for regular points, one for regular points in absorbing layers, one for the ends of long rows in
//! such layers, and one for the few points near interfaces. Threads of regular points read 16 bytes at a time (8 for longer stencils) and march along
//! z, in blocks whose shape `boxes` chooses.
//!
//! Bytes per point and step in single precision, where every array is read once and, if it changes, written once: velocities 6 stresses, 1 density,
//! 3 velocities twice; stresses 3 velocities, 2 moduli, 6 stresses twice: 30 values, 120 bytes, and an eighth of a byte of marks. A point in a layer
//! has 6 additional memory variables for each layer, 48 bytes. The halos of thread blocks add 15 to 25 % of traffic between multiprocessor and
//! second-level cache, but hardly any from memory. The device stores 12 values per point, 48 bytes, plus padding.

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
