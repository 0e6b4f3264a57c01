//! Kernel images, which are embedded in the program.

/// Name and text of the header that kernel files include on every device: `#include "device.cuh"`.
pub const DEVICE_HEADER: (&str, &str) = ("device.cuh", include_str!("../../kernels/device.cuh"));

/// Options for every compilation of kernels for a GPU, ahead of time or at run time.
pub const DEVICE_OPTIONS: [&str; 1] = ["--std=c++17"];

/// One translation unit of kernels: its source, and the code compiled from it ahead of time.
///
/// A device loads the machine code for exactly its chip; otherwise the driver compiles `ptx`; otherwise NVRTC compiles `source`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Image<'a> {
    /// Name in messages, as a file: `stiffness.cu`.
    pub name: &'a str,
    /// Text of the `.cu` file.
    pub source: &'a str,
    /// Name and text of every header that the source includes, except [`DEVICE_HEADER`].
    pub headers: &'a [(&'a str, &'a str)],
    /// Macros and their values, with which `ptx` and `machine_code` must have been compiled.
    pub defines: &'a [(&'a str, &'a str)],
    /// PTX for all chips from a minimum compute capability on.
    pub ptx: Option<&'a str>,
    /// Compute capability (90 is 9.0) and cubin of every chip with specific code.
    pub machine_code: &'a [(u32, &'a [u8])],
}

impl<'a> Image<'a> {
    /// The macros as compiler options: `-DNAME=VALUE`.
    pub fn define_options(&self) -> Vec<String> {
        self.defines.iter().map(|(name, value)| format!("-D{name}={value}")).collect()
    }

    /// Name and text of every header, [`DEVICE_HEADER`] first.
    pub fn all_headers(&self) -> Vec<(&'a str, &'a str)> {
        std::iter::once(DEVICE_HEADER).chain(self.headers.iter().copied()).collect()
    }
}
