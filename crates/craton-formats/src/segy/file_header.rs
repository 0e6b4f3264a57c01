//! Byte order and revision of a file, and the fields of the binary header that revision 2 adds.
//!
//! Source: SEG-Y revision 2.0, Data Exchange format, SEG Technical Standards Committee, January 2017, section 5; revision 2.1 for the number
//! of additional trace headers.

use super::block::Extent;
use super::fields::fields;
use super::{BinaryHeader, SampleFormat};
use crate::ByteOrder;
use crate::error::Refused;

fields! {
    /// Fields that revision 2 adds to the binary header; 0 without information.
    pub(super) struct Revision2 from byte 3201 {
        /// Samples per trace; replaces the field of 16 bits.
        3269 extended_samples: i32,
        /// Sample interval, in microseconds for times; replaces the field of 16 bits.
        3273 extended_sample_interval: f64,
        /// Largest number of additional trace headers, in revision 2.0; later ones have a field of 16 bits here.
        3507 additional_trace_headers: u32,
        /// Number of traces.
        3513 traces: u64,
        /// Offset of the first trace; replaces the one that follows from the number of extended textual headers.
        3521 first_trace: u64,
        /// Number of stanzas of 3200 bytes after the last trace; -1 if unknown.
        3529 trailer_stanzas: i32,
    }
}

/// First bytes of the file's fields, counted from that of the binary header.
const FORMAT: usize = 3225 - 3201;
const BYTE_ORDER: usize = 3297 - 3201;
const REVISION: usize = 3501 - 3201;
const ADDITIONAL_TRACE_HEADERS: usize = 3507 - 3201;

/// Codes of sample formats that the standard defines or reserves.
const FORMAT_CODES: std::ops::RangeInclusive<i16> = 1..=16;
/// Revision 2.0.
pub(super) const REVISION_2: u16 = 0x0200;
/// The first revision that is not supported.
const REVISION_3: u16 = 0x0300;
/// Range of an extended sample interval [microseconds].
const INTERVALS: std::ops::RangeInclusive<f64> = 1e-6..=1e12;

/// Decoded binary header.
#[derive(Debug)]
pub(super) struct FileHeader {
    pub order: ByteOrder,
    pub binary: BinaryHeader,
    pub format: SampleFormat,
    /// Fields of revision 2; zeros in earlier ones.
    pub added: Revision2,
}

impl FileHeader {
    /// # Errors
    /// An unknown sample format or revision; bytes that are swapped in pairs; fields of revision 2 outside their ranges.
    pub fn decode(bytes: &[u8]) -> Result<Self, Refused> {
        let order = byte_order(bytes)?;
        let mut binary = BinaryHeader::decode(bytes, order);
        let format = binary.sample_format().map_err(|unknown| match FORMAT_CODES.contains(&binary.format) {
            true => unknown,
            false => Refused { expected: format!("{}; the file may not be SEG-Y", unknown.expected), ..unknown },
        })?;
        binary.revision = revision([bytes[REVISION], bytes[REVISION + 1]], order);
        if binary.revision >= REVISION_3 {
            let found = format!("{:#06x}", binary.revision);
            let expected = "0, or 0x0100 to 0x02ff; write the file as revision 1 or 2";
            return Err(Refused::new(BinaryHeader::place("revision"), found, expected));
        }
        let added = match binary.revision >= REVISION_2 {
            true => Revision2::read(bytes, order, binary.revision)?,
            false => Revision2::default(),
        };
        Ok(Self { order, binary, format, added })
    }

    /// What the header says about the size of the file.
    pub fn extent(&self) -> Extent {
        let Revision2 { additional_trace_headers, traces, trailer_stanzas, .. } = self.added;
        Extent { additional_headers: additional_trace_headers, traces, trailer_stanzas }
    }
}

impl Revision2 {
    fn read(bytes: &[u8], order: ByteOrder, revision: u16) -> Result<Self, Refused> {
        let mut read = Self::decode(bytes, order);
        // Revision 2.1 has two fields of 16 bits here, and so have files of other programs that claim revision 2.0.
        if revision > REVISION_2 || read.additional_trace_headers > u16::MAX.into() {
            read.additional_trace_headers = order.read::<u16>(&bytes[ADDITIONAL_TRACE_HEADERS..]).into();
        }
        let Self { extended_samples, extended_sample_interval, trailer_stanzas, .. } = read;
        if extended_samples < 0 {
            let expected = "at least 1, or 0 for the number in bytes 3221-3222";
            return Err(Refused::new(Self::place("extended_samples"), extended_samples, expected));
        }
        if extended_sample_interval != 0.0 && !INTERVALS.contains(&extended_sample_interval) {
            let expected = "1e-6 to 1e12 microseconds, or 0 for the interval in bytes 3217-3218";
            let found = format!("{extended_sample_interval:e}");
            return Err(Refused::new(Self::place("extended_sample_interval"), found, expected));
        }
        if trailer_stanzas < -1 {
            let expected = "at least 0, or -1 if it is unknown";
            return Err(Refused::new(Self::place("trailer_stanzas"), trailer_stanzas, expected));
        }
        Ok(read)
    }
}

/// Byte order: that of the constant 0x01020304 which revision 2 stores, or else the one in which the sample format has a code of the standard.
/// Since codes fit into one byte, no more than one order has.
fn byte_order(bytes: &[u8]) -> Result<ByteOrder, Refused> {
    let constant: u32 = ByteOrder::Big.read(&bytes[BYTE_ORDER..]);
    match constant {
        0x0102_0304 => return Ok(ByteOrder::Big),
        0x0403_0201 => return Ok(ByteOrder::Little),
        0x0201_0403 | 0x0304_0102 => {
            let expected = "0x01020304 (big-endian) or 0x04030201 (little-endian); the bytes of the file are swapped in pairs, \
                            swap them with `dd conv=swab`";
            return Err(Refused::new("byte order (bytes 3297-3300)", format!("{constant:#010x}"), expected));
        }
        _ => {}
    }
    let fits = |order: &ByteOrder| FORMAT_CODES.contains(&order.read(&bytes[FORMAT..]));
    Ok([ByteOrder::Big, ByteOrder::Little].into_iter().find(fits).unwrap_or(ByteOrder::Big))
}

/// Revision, 8 bits each for the major and minor number.
///
/// The standard stores the major number first. Some programs store a single number of 16 bits instead, or swap its bytes in little-endian
/// files; no revision has a minor number above the major one.
fn revision([first, second]: [u8; 2], order: ByteOrder) -> u16 {
    let is_swapped = match order {
        ByteOrder::Big => first == 0 && matches!(second, 1 | 2),
        ByteOrder::Little => first < second,
    };
    u16::from_be_bytes(if is_swapped { [second, first] } else { [first, second] })
}
