//! Spectral elements on a GPU.
//!
//! | file | what it does |
//! |---|---|
//! | `nodes` | where nodes stand on the device |
//! | `patches`, `gather` | the arrays of the two ways to assemble |
//! | `images` | the kernels as the program carries them |
//! | `step` | one step as a list of launches |
//! | `probes` | what is sampled after every step |
//! | `operator` | all of it in motion |
//! | `memory` | what a mesh takes of a device |
//! | `copies` | fields on their way to the host |
//! | `solver` | what a run asks of it |

mod copies;
mod gather;
mod images;
mod memory;
mod nodes;
mod operator;
mod patches;
mod probes;
mod solver;
mod step;

pub(crate) use copies::DeviceCopy;
pub use memory::DeviceNeeds;
pub(crate) use nodes::DeviceNodes;
pub use operator::GpuOperator;
