//! Kernels as the program carries them.

/// Name and text of the header that kernel files include on every device: `#include "device.cuh"`.
pub const DEVICE_HEADER: (&str, &str) = ("device.cuh", include_str!("../../kernels/device.cuh"));

/// Options for every compilation of kernels for a GPU, ahead of time or at run time.
pub const DEVICE_OPTIONS: [&str; 1] = ["--std=c++17"];

/// One translation unit of kernels: its source, and what was compiled from it ahead of time.
///
/// A module takes the machine code for exactly its chip; else the driver compiles `ptx`; else NVRTC compiles `source`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Image<'a> {
    /// Name in messages, as a file: `stiffness.cu`.
    pub name: &'a str,
    /// Text of the `.cu` file.
    pub source: &'a str,
    /// Name and text of every header that the source includes, but [`DEVICE_HEADER`].
    pub headers: &'a [(&'a str, &'a str)],
    /// Macros and their values; `ptx` and `machine_code` must have been compiled with the same.
    pub defines: &'a [(&'a str, &'a str)],
    /// PTX for any chip from some capability on.
    pub ptx: Option<&'a str>,
    /// Compute capability (90 is 9.0) and cubin of every chip with code of its own.
    pub machine_code: &'a [(u32, &'a [u8])],
}

impl<'a> Image<'a> {
    /// The macros as a compiler takes them: `-DNAME=VALUE`.
    pub fn define_options(&self) -> Vec<String> {
        self.defines.iter().map(|(name, value)| format!("-D{name}={value}")).collect()
    }

    /// Name and text of every header, [`DEVICE_HEADER`] first.
    pub fn all_headers(&self) -> Vec<(&'a str, &'a str)> {
        std::iter::once(DEVICE_HEADER).chain(self.headers.iter().copied()).collect()
    }
}
