//! What a file is that is no text, by its first bytes.

use std::path::Path;

use crate::error::{FormatError, Result};
use crate::text::Place;

/// First bytes, what begins with them, and what to do about it.
const KINDS: [(&[u8], &str, &str); 9] = [
    (b"PK\x03\x04", "an archive (zip, as .npz and .xlsx are)", "save the one table or array in it by itself"),
    (b"\x93NUMPY", "an array of NumPy", "end its name in .npy where arrays are read, or write it as text"),
    (b"\x89HDF", "HDF5, as netCDF-4 is", "end its name in .nc where netCDF is read, or write it as text"),
    (b"CDF", "netCDF", "end its name in .nc where netCDF is read, or write it as text"),
    (b"II*\0", TIFF, AS_GRID),
    (b"MM\0*", TIFF, AS_GRID),
    (b"\x1f\x8b", "compressed (gzip)", "unpack it"),
    (b"\xff\xfe", UTF_16, AS_UTF_8),
    (b"\xfe\xff", UTF_16, AS_UTF_8),
];
const TIFF: &str = "a picture (TIFF, as GeoTIFF is)";
const AS_GRID: &str = "write it as an ESRI ascii grid: gdal_translate -of AAIGrid in.tif out.asc";
const UTF_16: &str = "text in UTF-16";
const AS_UTF_8: &str = "save it in UTF-8";

/// Bytes that are looked at.
pub const START: usize = 512;

/// Refuses a file that is no text.
///
/// # Arguments
/// * `start` – its first bytes, [`START`] of them if there are as many
pub fn require_text(path: &Path, start: &[u8]) -> Result<()> {
    let start = &start[..start.len().min(START)];
    let refused = |what: &str, hint: &str| -> FormatError {
        Place { path, line: 1 }.layout(format!("the file is {what}, and text is read here"), hint)
    };
    match KINDS.iter().find(|(bytes, ..)| start.starts_with(bytes)) {
        Some((_, what, hint)) => Err(refused(what, hint)),
        None if start.contains(&0) => Err(refused("binary", "write its numbers as text")),
        None => Ok(()),
    }
}
