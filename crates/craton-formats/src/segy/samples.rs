//! Encoding of samples.

use super::{BinaryHeader, ibm};
use crate::ByteOrder;
use crate::error::Refused;

/// Sample format; its code is in bytes 3225-3226.
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
    /// 8: 1-byte integer.
    Integer8,
}

/// All supported formats, for messages.
pub(super) const KNOWN_FORMATS: &str = "1 (IBM), 2, 3, 8 (integers of 4, 2 and 1 bytes) or 5 (IEEE)";

impl SampleFormat {
    /// Format with a given code, if supported.
    pub fn from_code(code: i16) -> Option<Self> {
        let all = [Self::Ibm, Self::Integer32, Self::Integer16, Self::Ieee, Self::Integer8];
        all.into_iter().find(|format| format.code() == code)
    }

    /// Code of the format.
    pub fn code(self) -> i16 {
        match self {
            Self::Ibm => 1,
            Self::Integer32 => 2,
            Self::Integer16 => 3,
            Self::Ieee => 5,
            Self::Integer8 => 8,
        }
    }

    /// Size of a sample [bytes].
    pub fn bytes(self) -> usize {
        match self {
            Self::Ibm | Self::Integer32 | Self::Ieee => 4,
            Self::Integer16 => 2,
            Self::Integer8 => 1,
        }
    }

    /// Decodes `bytes` and replaces `samples`.
    pub(crate) fn decode(self, bytes: &[u8], order: ByteOrder, samples: &mut Vec<f32>) -> Result<(), Refused> {
        // Double precision represents all formats exactly.
        let exact = match self {
            Self::Ibm => |word: &[u8], order: ByteOrder| ibm::to_f64(order.read(word)),
            Self::Integer32 => |word: &[u8], order: ByteOrder| order.read::<i32>(word).into(),
            Self::Integer16 => |word: &[u8], order: ByteOrder| order.read::<i16>(word).into(),
            Self::Ieee => |word: &[u8], order: ByteOrder| order.read::<f32>(word).into(),
            Self::Integer8 => |word: &[u8], order: ByteOrder| order.read::<i8>(word).into(),
        };
        samples.clear();
        for (index, word) in bytes.chunks_exact(self.bytes()).enumerate() {
            let value: f64 = exact(word, order);
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
            Self::Integer32 | Self::Integer16 | Self::Integer8 => return Err(self.read_only()),
        };
        let start = bytes.len();
        bytes.resize(start + self.bytes() * samples.len(), 0);
        for (word, &sample) in bytes[start..].chunks_exact_mut(self.bytes()).zip(samples) {
            order.write(bits(sample), word);
        }
        Ok(())
    }

    /// The error of writing integers.
    pub(super) fn read_only(self) -> Refused {
        let expected = "1 (IBM) or 5 (IEEE) for writing; integers can be read but not written";
        Refused::new(BinaryHeader::place("format"), self.code(), expected)
    }
}
