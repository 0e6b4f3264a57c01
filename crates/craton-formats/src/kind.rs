//! Detection of files that are not text, by their first bytes.

use std::path::Path;

use crate::error::{FormatError, Result};
use crate::text::Place;

/// First bytes of a format, its description, and what to do.
const KINDS: [(&[u8], &str, &str); 11] = [
    (b"PK\x03\x04", "an archive (zip, for example .npz or .xlsx)", "save the table or array to a separate file"),
    (b"\x93NUMPY", "a NumPy array", "rename it to .npy if the input may be an array, or write it as text"),
    (b"\x89HDF", "HDF5 (for example netCDF-4)", "rename it to .nc if the input may be netCDF, or write it as text"),
    (b"CDF", "netCDF", "rename it to .nc if the input may be netCDF, or write it as text"),
    (b"II*\0", TIFF, AS_GRID),
    (b"MM\0*", TIFF, AS_GRID),
    (b"II+\0", TIFF, AS_GRID),
    (b"MM\0+", TIFF, AS_GRID),
    (b"\x1f\x8b", "compressed (gzip)", "unpack it"),
    (b"\xff\xfe", UTF_16, AS_UTF_8),
    (b"\xfe\xff", UTF_16, AS_UTF_8),
];
const TIFF: &str = "an image (TIFF, for example GeoTIFF)";
const AS_GRID: &str = "write it as lines of x y z: gdal_translate -of XYZ in.tif out.xyz";
const UTF_16: &str = "text in UTF-16";
const AS_UTF_8: &str = "save it in UTF-8";

/// Number of bytes to examine.
pub const START: usize = 512;

/// Refuses a file that is not text.
///
/// # Arguments
/// * `start` – its first bytes, up to [`START`]
pub fn require_text(path: &Path, start: &[u8]) -> Result<()> {
    let start = &start[..start.len().min(START)];
    let refused = |what: &str, hint: &str| -> FormatError {
        Place { path, line: 1 }.layout(format!("the file is {what}, but text is expected"), hint)
    };
    match KINDS.iter().find(|(bytes, ..)| start.starts_with(bytes)) {
        Some((_, what, hint)) => Err(refused(what, hint)),
        None if start.contains(&0) => Err(refused("binary", "write its numbers as text")),
        None => Ok(()),
    }
}
