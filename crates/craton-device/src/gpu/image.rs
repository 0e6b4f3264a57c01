//! Kernel images, which are embedded in the program.

use std::io::{self, Read, Write};

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;

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
    /// PTX for all chips from a minimum compute capability on, compressed by gzip.
    pub ptx: Option<&'a [u8]>,
    /// Compute capability (90 is 9.0) and cubin of every chip with specific code, compressed by gzip.
    pub machine_code: &'a [(u32, &'a [u8])],
}

/// Kernels compiled ahead of time, as lists of images have them: file and macros, PTX, and machine code by compute capability; the code is compressed by gzip.
pub type Built = (&'static str, &'static [u8], &'static [(u32, &'static [u8])]);

/// Compresses code for an image by gzip, without a name and a time: equal code gives equal bytes.
pub fn compressed(code: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(code).and_then(|()| encoder.finish()).expect("a vector takes all bytes")
}

/// Decompresses code of an image. Only code that a device loads is decompressed, in about a millisecond.
///
/// # Errors
/// Bytes that gzip did not write.
///
/// Verified by `code_is_the_same_after_decompression`.
pub fn decompressed(code: &[u8]) -> io::Result<Vec<u8>> {
    // PTX shrinks to a quarter or less.
    let mut bytes = Vec::with_capacity(6 * code.len());
    GzDecoder::new(code).read_to_end(&mut bytes)?;
    Ok(bytes)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_is_the_same_after_decompression() {
        let code = b".version 6.0\n.target sm_70\n".repeat(1000);
        let packed = compressed(&code);
        assert!(packed.len() < code.len() / 10, "{}", packed.len());
        assert_eq!(decompressed(&packed).unwrap(), code);
        assert!(decompressed(&packed[..packed.len() / 2]).is_err() && decompressed(&code).is_err());
    }
}
