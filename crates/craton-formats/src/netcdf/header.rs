//! The header of a netCDF file, and its bytes.

mod decode;
mod encode;

pub(super) use decode::Header;
pub(crate) use decode::is_netcdf;
pub(super) use encode::encode;

/// The first bytes of a file; the version follows.
const MAGIC: &[u8; 3] = b"CDF";

/// What lists begin with.
#[derive(Clone, Copy)]
enum Tag {
    Dimensions = 10,
    Variables = 11,
    Attributes = 12,
}

/// Which of the formats a file has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Version {
    /// CDF-1: places and counts of 32 bits.
    Classic = 1,
    /// CDF-2: places of 64 bits.
    Offset64 = 2,
    /// CDF-5: places and counts of 64 bits, and more types.
    Data64 = 5,
}

impl Version {
    /// The formats, the oldest first.
    pub const ALL: [Self; 3] = [Self::Classic, Self::Offset64, Self::Data64];

    /// Bytes of a count.
    fn count_bytes(self) -> usize {
        if self == Self::Data64 { 8 } else { 4 }
    }

    /// Bytes of a place in the file.
    fn offset_bytes(self) -> usize {
        if self == Self::Classic { 4 } else { 8 }
    }
}
