//! Spectral elements on a GPU.
//!
//! | file | contents |
//! |---|---|
//! | `nodes` | node numbering on the device |
//! | `runs` | consecutive patches that one kernel computes |
//! | `number_runs` | runs of consecutive items |
//! | `rows` | values of many items, and their concatenation |
//! | `patches`, `gather` | arrays of the two assembly methods |
//! | `bank_order`, `sums` | order of the nodes of a patch, and its summation table |
//! | `sites` | material parameters of the patch kernel |
//! | `images` | compiled kernels |
//! | `step` | one step as a list of launches |
//! | `patch_step`, `gather_step` | the launches of each assembly method |
//! | `move_nodes` | update of nodes by the sums of their slots |
//! | `element_memory`, `pml` | memory variables of elements: relaxation, absorbing axes |
//! | `substeps` | substeps of nodes and patches |
//! | `probes` | sampling after every step |
//! | `phase` | a phase of a part |
//! | `coupling` | forces between the phases |
//! | `operator` | the operator of a part |
//! | `memory` | estimate of the device memory of a mesh |
//! | `copies` | copies of fields to the host |
//! | `messages` | force sums for neighbours |
//! | `part` | the parts on the GPUs of this process, and their messages |

mod bank_order;
mod copies;
mod coupling;
mod element_memory;
mod gather;
mod gather_step;
mod images;
mod memory;
mod messages;
mod move_nodes;
mod nodes;
mod number_runs;
mod operator;
mod part;
mod patch_step;
mod patches;
mod patterns;
mod phase;
mod pml;
mod probes;
mod rows;
mod runs;
mod sites;
mod step;
mod substeps;
mod sums;

pub(crate) use copies::DeviceCopy;
pub use memory::DeviceNeeds;
pub use operator::GpuOperator;
