//! The header of a netCDF file.

mod decode;
mod encode;

pub(crate) use decode::is_netcdf;
pub(super) use decode::{HDF5, Header};
pub(super) use encode::encode;

/// First bytes of a file, before the version.
const MAGIC: &[u8; 3] = b"CDF";

/// Tags at the start of lists.
#[derive(Clone, Copy)]
enum Tag {
    Dimensions = 10,
    Variables = 11,
    Attributes = 12,
}

/// Version of the format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Version {
    /// CDF-1: 32-bit offsets and counts.
    Classic = 1,
    /// CDF-2: 64-bit offsets.
    Offset64 = 2,
    /// CDF-5: 64-bit offsets and counts, and more types.
    Data64 = 5,
}

impl Version {
    /// All versions, oldest first.
    pub const ALL: [Self; 3] = [Self::Classic, Self::Offset64, Self::Data64];

    /// Size of a count [bytes].
    fn count_bytes(self) -> usize {
        if self == Self::Data64 { 8 } else { 4 }
    }

    /// Size of a file offset [bytes].
    fn offset_bytes(self) -> usize {
        if self == Self::Classic { 4 } else { 8 }
    }
}
