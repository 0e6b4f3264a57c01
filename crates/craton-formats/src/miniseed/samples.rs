//! Samples of the types that miniSEED supports.

use std::ops::Range;

use super::steim;
use crate::ByteOrder;
use crate::byte_order::Word;
use crate::error::Refused;

/// Samples of one trace.
#[derive(Clone, Debug, PartialEq)]
pub enum MiniSeedSamples {
    /// 32-bit integers, such as digitiser counts: encoding 3; encodings 1, 10 and 11 are also read to it.
    I32(Vec<i32>),
    /// Single precision: encoding 4.
    F32(Vec<f32>),
    /// Double precision: encoding 5.
    F64(Vec<f64>),
}

/// Applies an expression to the vector of any kind.
macro_rules! of_any_kind {
    ($samples:expr, $vector:ident => $expression:expr) => {
        match $samples {
            MiniSeedSamples::I32($vector) => $expression,
            MiniSeedSamples::F32($vector) => $expression,
            MiniSeedSamples::F64($vector) => $expression,
        }
    };
}

impl MiniSeedSamples {
    /// Number of samples.
    pub fn len(&self) -> usize {
        of_any_kind!(self, vector => vector.len())
    }

    /// Whether there are no samples.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Converts the samples to double precision, which is exact.
    pub fn to_f64(&self) -> Vec<f64> {
        of_any_kind!(self, vector => vector.iter().map(|sample| sample.to_f64()).collect())
    }

    /// Number of the encoding used for writing.
    pub(super) fn encoding(&self) -> u8 {
        match self {
            Self::I32(_) => 3,
            Self::F32(_) => 4,
            Self::F64(_) => 5,
        }
    }

    /// Bytes per sample in that encoding.
    pub(super) fn sample_bytes(&self) -> usize {
        if matches!(self, Self::F64(_)) { 8 } else { 4 }
    }

    /// Refuses samples that cannot be written.
    pub(super) fn check(&self) -> Result<(), Refused> {
        if self.is_empty() {
            return Err(Refused::new("number of samples", 0, "at least 1"));
        }
        match self.first_not_finite(0) {
            Some((index, value)) => {
                let expected = "finite samples that fit into single precision";
                Err(Refused::new(format!("sample {index}"), value, expected))
            }
            None => Ok(()),
        }
    }

    /// The first sample that is not finite, starting at index `from`.
    fn first_not_finite(&self, from: usize) -> Option<(usize, f64)> {
        of_any_kind!(self, vector => {
            let mut numbered = (from..).zip(&vector[from..]).map(|(index, sample)| (index, sample.to_f64()));
            numbered.find(|(_, sample)| !sample.is_finite())
        })
    }

    /// Encodes a range of samples into a record.
    pub(super) fn encode(&self, range: Range<usize>, bytes: &mut [u8]) {
        of_any_kind!(self, vector => {
            for (&sample, word) in vector[range].iter().zip(bytes.chunks_exact_mut(self.sample_bytes())) {
                ByteOrder::Big.write(sample, word);
            }
        });
    }

    /// An empty vector for the samples of an encoding; `None` if the encoding is not supported.
    pub(super) fn of_encoding(encoding: u8) -> Option<Self> {
        match encoding {
            1 | 3 | 10 | 11 => Some(Self::I32(Vec::new())),
            4 => Some(Self::F32(Vec::new())),
            5 => Some(Self::F64(Vec::new())),
            _ => None,
        }
    }

    /// Appends the samples of a record.
    ///
    /// # Arguments
    /// * `encoding` – an encoding for which [`Self::of_encoding`] returns this type
    /// * `count` – number of samples
    /// * `order`, `bytes` – byte order and bytes of the data
    pub(super) fn decode(&mut self, encoding: u8, count: usize, order: ByteOrder, bytes: &[u8]) -> Result<(), Refused> {
        let before = self.len();
        match (&mut *self, encoding) {
            (Self::I32(samples), 10 | 11) => return steim::decode(encoding, count, order, bytes, samples),
            (Self::I32(samples), 1) => samples.extend(words::<i16>(count, order, bytes)?.map(i32::from)),
            (Self::I32(samples), _) => samples.extend(words::<i32>(count, order, bytes)?),
            (Self::F32(samples), _) => samples.extend(words::<f32>(count, order, bytes)?),
            (Self::F64(samples), _) => samples.extend(words::<f64>(count, order, bytes)?),
        }
        match self.first_not_finite(before) {
            Some((index, value)) => Err(Refused::new(format!("sample {}", index - before), value, "finite samples")),
            None => Ok(()),
        }
    }
}

/// The first `count` words of the data of a record.
fn words<T: Word>(count: usize, order: ByteOrder, bytes: &[u8]) -> Result<impl Iterator<Item = T>, Refused> {
    let room = bytes.len() / size_of::<T>();
    if count > room {
        return Err(too_many(count, room));
    }
    Ok(bytes.chunks_exact(size_of::<T>()).take(count).map(move |word| order.read(word)))
}

/// The error of a record that claims more samples than it can hold.
pub(super) fn too_many(count: usize, room: usize) -> Refused {
    Refused::new("number of samples", count, format!("at most {room}, the capacity of the record; it is damaged"))
}
