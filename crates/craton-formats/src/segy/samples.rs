//! Encoding of samples.

use super::{BinaryHeader, ibm};
use crate::ByteOrder;
use crate::error::Refused;

/// Sample format; its code is in bytes 3225-3226. Integers of more than 24 bits, and double precision, are rounded to single precision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SampleFormat {
    /// 1: IBM hexadecimal floating point, 4 bytes.
    Ibm,
    /// 2: 4-byte integer; converted to single precision, which has 24 bits.
    Integer32,
    /// 3: 2-byte integer.
    Integer16,
    /// 5: IEEE floating point, 4 bytes.
    Ieee,
    /// 6: IEEE floating point, 8 bytes (revision 2).
    Ieee64,
    /// 7: 3-byte integer (revision 2).
    Integer24,
    /// 8: 1-byte integer.
    Integer8,
    /// 9: 8-byte integer (revision 2).
    Integer64,
    /// 10: 4-byte unsigned integer (revision 2).
    Unsigned32,
    /// 11: 2-byte unsigned integer (revision 2).
    Unsigned16,
    /// 12: 8-byte unsigned integer (revision 2).
    Unsigned64,
    /// 15: 3-byte unsigned integer (revision 2).
    Unsigned24,
    /// 16: 1-byte unsigned integer (revision 2).
    Unsigned8,
}

/// All formats with code and size of a sample [bytes].
const FORMATS: [(SampleFormat, i16, usize); 13] = [
    (SampleFormat::Ibm, 1, 4),
    (SampleFormat::Integer32, 2, 4),
    (SampleFormat::Integer16, 3, 2),
    (SampleFormat::Ieee, 5, 4),
    (SampleFormat::Ieee64, 6, 8),
    (SampleFormat::Integer24, 7, 3),
    (SampleFormat::Integer8, 8, 1),
    (SampleFormat::Integer64, 9, 8),
    (SampleFormat::Unsigned32, 10, 4),
    (SampleFormat::Unsigned16, 11, 2),
    (SampleFormat::Unsigned64, 12, 8),
    (SampleFormat::Unsigned24, 15, 3),
    (SampleFormat::Unsigned8, 16, 1),
];

/// Code of fixed-point numbers with gain.
pub(super) const FIXED_POINT_WITH_GAIN: i16 = 4;

/// All supported formats, for messages.
pub(super) const KNOWN_FORMATS: &str = "1 (IBM), 5 or 6 (IEEE of 4 or 8 bytes), or 2, 3, 7 to 12, 15 or 16 (integers)";

impl SampleFormat {
    /// Format with a given code, if supported.
    pub fn from_code(code: i16) -> Option<Self> {
        FORMATS.into_iter().find(|format| format.1 == code).map(|format| format.0)
    }

    /// Code of the format.
    pub fn code(self) -> i16 {
        self.row().1
    }

    /// Size of a sample [bytes].
    pub fn bytes(self) -> usize {
        self.row().2
    }

    fn row(self) -> (Self, i16, usize) {
        FORMATS.into_iter().find(|format| format.0 == self).expect("the table has all formats")
    }

    /// Decodes `bytes` and replaces `samples`.
    pub(crate) fn decode(self, bytes: &[u8], order: ByteOrder, samples: &mut Vec<f32>) -> Result<(), Refused> {
        // Double precision represents all formats exactly, except integers of 64 bits.
        let number = match self {
            Self::Ibm => |word: &[u8], order: ByteOrder| ibm::to_f64(order.read(word)),
            Self::Integer32 => |word: &[u8], order: ByteOrder| order.read::<i32>(word).into(),
            Self::Integer16 => |word: &[u8], order: ByteOrder| order.read::<i16>(word).into(),
            Self::Ieee => |word: &[u8], order: ByteOrder| order.read::<f32>(word).into(),
            Self::Ieee64 => |word: &[u8], order: ByteOrder| order.read::<f64>(word),
            Self::Integer24 => |word: &[u8], order: ByteOrder| ((upper_24_bits(word, order) as i32) >> 8).into(),
            Self::Integer8 => |word: &[u8], order: ByteOrder| order.read::<i8>(word).into(),
            Self::Integer64 => |word: &[u8], order: ByteOrder| order.read::<i64>(word) as f64,
            Self::Unsigned32 => |word: &[u8], order: ByteOrder| order.read::<u32>(word).into(),
            Self::Unsigned16 => |word: &[u8], order: ByteOrder| order.read::<u16>(word).into(),
            Self::Unsigned64 => |word: &[u8], order: ByteOrder| order.read::<u64>(word) as f64,
            Self::Unsigned24 => |word: &[u8], order: ByteOrder| (upper_24_bits(word, order) >> 8).into(),
            Self::Unsigned8 => |word: &[u8], order: ByteOrder| order.read::<u8>(word).into(),
        };
        samples.clear();
        for (index, word) in bytes.chunks_exact(self.bytes()).enumerate() {
            let value: f64 = number(word, order);
            let sample = value as f32;
            if !sample.is_finite() {
                let expected = "a finite number that fits into single precision; check the format code";
                return Err(Refused::new(format!("sample {index}"), format!("{value:e}"), expected));
            }
            samples.push(sample);
        }
        Ok(())
    }

    /// Appends samples as IBM or IEEE numbers.
    pub(crate) fn encode(self, samples: &[f32], order: ByteOrder, bytes: &mut Vec<u8>) -> Result<(), Refused> {
        if let Some(index) = samples.iter().position(|sample| !sample.is_finite()) {
            let what = format!("sample {index}");
            return Err(Refused::new(what, samples[index], "finite samples that fit into single precision"));
        }
        let bits = match self {
            Self::Ibm => ibm::from_f32,
            Self::Ieee => f32::to_bits,
            _ => return Err(self.read_only()),
        };
        let start = bytes.len();
        bytes.resize(start + self.bytes() * samples.len(), 0);
        for (word, &sample) in bytes[start..].chunks_exact_mut(self.bytes()).zip(samples) {
            order.write(bits(sample), word);
        }
        Ok(())
    }

    /// The error of writing other formats than IBM and IEEE numbers of 4 bytes.
    pub(super) fn read_only(self) -> Refused {
        let expected = "1 (IBM) or 5 (IEEE) for writing; other formats can be read but not written";
        Refused::new(BinaryHeader::place("format"), self.code(), expected)
    }
}

/// A number of three bytes in the upper bits of a word; the lower 8 bits are 0.
fn upper_24_bits(word: &[u8], order: ByteOrder) -> u32 {
    match order {
        ByteOrder::Big => u32::from_be_bytes([word[0], word[1], word[2], 0]),
        ByteOrder::Little => u32::from_le_bytes([0, word[0], word[1], word[2]]),
    }
}
