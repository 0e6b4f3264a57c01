//! GPUs: memory, kernels and their launches, on CUDA devices and on an emulated one.
//!
//! The program is built without CUDA and loads the driver when a device is first requested. Kernels are CUDA C++ files that include
//! only `device.cuh` and other files of this repository, and run unchanged on both kinds of device:
//!
//! ```text
//! #include "device.cuh"
//!
//! extern "C" __global__ void scale(float* values, unsigned int count, float factor) {
//!     const unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
//!     if (i < count) values[i] *= factor;
//! }
//!
//! CRATON_ENTRY(scale)
//! ```
//!
//! `CRATON_ENTRY` exports a kernel to the emulated device; `CRATON_SHARED(float, tile)` declares a pointer to the dynamic shared memory.
//! Blocks may wait for one another in a launch with [`Launch::together`]; a loop that waits must contain a `CRATON_PAUSE()`.
//! Code for a specific chip is excluded from the emulated device with `#if defined(CRATON_HOST)`.
//!
//! ```no_run
//! use craton_device::{args, gpu::{Gpu, Image, Launch}};
//!
//! # fn main() -> Result<(), craton_device::gpu::GpuError> {
//! # let source = "";
//! let gpu = Gpu::cuda(0)?;
//! let scale = gpu.module(&Image { name: "scale.cu", source, ..Image::default() })?.kernel("scale")?;
//! let mut values = gpu.upload(&[1.0_f32, 2.0, 3.0])?;
//! scale.launch(Launch::covering(values.len(), 256), args![&mut values, 3_u32, 2.0_f32])?;
//! assert_eq!(values.download()?, [2.0, 4.0, 6.0]);
//! # Ok(())
//! # }
//! ```

mod backend;
mod buffer;
mod cuda;
mod cuda_code;
mod cuda_events;
mod cuda_queue;
#[cfg(feature = "emulation")]
mod emulation;
#[cfg(feature = "emulation")]
mod emulation_code;
mod error;
mod graph;
mod handle;
mod image;
mod kernel;
mod launch;
mod lent;
mod nvrtc;

pub use buffer::{Buffer, Fetch};
pub use error::GpuError;
pub use graph::Graph;
pub use handle::{DeviceInfo, Gpu, Memory, devices};
pub use image::{Built, DEVICE_HEADER, DEVICE_OPTIONS, Image, compressed, decompressed};
pub use kernel::{Kernel, Module};
pub use launch::{Arg, Argument, Extent, Launch, OrNull};
pub use lent::{Lent, LentMut, Mark};
