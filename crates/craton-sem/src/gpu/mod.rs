//! Spectral elements on a GPU.
//!
//! | file | what it does |
//! |---|---|
//! | `nodes` | where nodes stand on the device |
//! | `patches`, `gather` | the arrays of the two ways to assemble |
//! | `images` | the kernels as the program carries them |
//! | `step` | one step as a list of launches |
//! | `patch_step`, `gather_step` | that of each of the two ways |
//! | `move_nodes` | nodes moved by the sums of their slots |
//! | `probes` | what is sampled after every step |
//! | `operator` | all of it in motion |
//! | `memory` | what a mesh takes of a device |
//! | `copies` | fields on their way to the host |
//! | `messages` | sums of forces for neighbours |
//! | `part` | the parts of a run on the GPUs of this process, and what they tell each other |

mod copies;
mod element_memory;
mod gather;
mod gather_step;
mod images;
mod memory;
mod messages;
mod move_nodes;
mod nodes;
mod operator;
mod part;
mod patch_step;
mod patches;
mod probes;
mod runs;
mod sites;
mod step;

pub(crate) use copies::DeviceCopy;
pub use memory::DeviceNeeds;
pub use operator::GpuOperator;
