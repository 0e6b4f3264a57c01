//! Samples of a trace as bytes.

use super::{BinaryHeader, ibm};
use crate::ByteOrder;
use crate::error::Refused;

/// How a sample is written; its code stands in bytes 3225-3226.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SampleFormat {
    /// 1: IBM hexadecimal floating point, 4 bytes.
    Ibm,
    /// 2: integer of 4 bytes; single precision keeps its 24 leading bits.
    Integer32,
    /// 3: integer of 2 bytes.
    Integer16,
    /// 5: IEEE floating point, 4 bytes.
    Ieee,
    /// 8: integer of 1 byte.
    Integer8,
}

/// All that are known, for messages.
pub(super) const KNOWN_FORMATS: &str = "1 (IBM), 2, 3, 8 (integers of 4, 2 and 1 bytes) or 5 (IEEE)";

impl SampleFormat {
    /// The format of a code, if it is known.
    pub fn from_code(code: i16) -> Option<Self> {
        let all = [Self::Ibm, Self::Integer32, Self::Integer16, Self::Ieee, Self::Integer8];
        all.into_iter().find(|format| format.code() == code)
    }

    /// The code of the format.
    pub fn code(self) -> i16 {
        match self {
            Self::Ibm => 1,
            Self::Integer32 => 2,
            Self::Integer16 => 3,
            Self::Ieee => 5,
            Self::Integer8 => 8,
        }
    }

    /// Bytes of a sample.
    pub fn bytes(self) -> usize {
        match self {
            Self::Ibm | Self::Integer32 | Self::Ieee => 4,
            Self::Integer16 => 2,
            Self::Integer8 => 1,
        }
    }

    /// Replaces `samples` by what stands in `bytes`.
    pub(crate) fn decode(self, bytes: &[u8], order: ByteOrder, samples: &mut Vec<f32>) -> Result<(), Refused> {
        // Double precision holds every one of them.
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
                let expected = "a finite number that single precision can hold; is the format code right?";
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
            return Err(Refused::new(what, samples[index], "finite samples; the simulation was unstable"));
        }
        let bits = match self {
            Self::Ibm => ibm::from_f32,
            Self::Ieee => f32::to_bits,
            Self::Integer32 | Self::Integer16 | Self::Integer8 => return Err(self.only_read()),
        };
        let start = bytes.len();
        bytes.resize(start + self.bytes() * samples.len(), 0);
        for (word, &sample) in bytes[start..].chunks_exact_mut(self.bytes()).zip(samples) {
            order.write(bits(sample), word);
        }
        Ok(())
    }

    /// What is wrong with writing integers.
    pub(super) fn only_read(self) -> Refused {
        let expected = "1 (IBM) or 5 (IEEE) in files to be written; integers are only read";
        Refused::new(BinaryHeader::place("format"), self.code(), expected)
    }
}
