//! Binary files without a header, whose shape is known.

use std::path::Path;

use crate::ByteOrder;
use crate::error::{Refused, Result};
use crate::input::Input;
use crate::volume::{Axis, Volume, VolumeReader, Window, point_count, shape};

/// Number of values read at once.
const CHUNK: usize = 1 << 16;

/// Number type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Number {
    /// IEEE, single precision.
    F32,
    /// IEEE, double precision; converted to single precision, in which values above 3.4e38 are infinite.
    F64,
}

impl Number {
    /// Size of a number [bytes].
    pub fn bytes(self) -> usize {
        match self {
            Self::F32 => 4,
            Self::F64 => 8,
        }
    }

    fn read(self, order: ByteOrder, word: &[u8]) -> f32 {
        match self {
            Self::F32 => order.read(word),
            Self::F64 => order.read::<f64>(word) as f32,
        }
    }
}

/// Reads a complete file without a header, see [`open`].
///
/// # Errors
/// As [`open`]; a file that cannot be read.
pub fn read(path: &Path, axes: Vec<Axis>, number: Number, order: ByteOrder) -> Result<Volume> {
    open(path, axes, number, order)?.read_whole()
}

/// Opens a file without a header.
///
/// # Arguments
/// * `path` – the file
/// * `axes` – axes, the fastest first
/// * `number`, `order` – type and byte order of the numbers
/// # Errors
/// A size that differs from that of the axes; axes that [`Volume::new`] refuses; a file that cannot be opened.
pub fn open(path: &Path, axes: Vec<Axis>, number: Number, order: ByteOrder) -> Result<RawReader> {
    RawReader::new(Input::open(path)?, 0, axes, number, order)
}

/// An open file of numbers whose shape is known.
#[derive(Debug)]
pub struct RawReader {
    input: Input,
    /// Offset of the first number [bytes].
    start: u64,
    axes: Vec<Axis>,
    number: Number,
    order: ByteOrder,
}

impl RawReader {
    /// As [`open`], for the data after the first `start` bytes.
    pub(crate) fn new(input: Input, start: u64, axes: Vec<Axis>, number: Number, order: ByteOrder) -> Result<Self> {
        let refuse = |refused: Refused| refused.unreadable(input.path());
        let count = point_count(&axes).map_err(refuse)?;
        let size = input.size() - start;
        let bytes_for = |number: Number| count as u64 * number.bytes() as u64;
        if size != bytes_for(number) {
            let other = if number == Number::F32 { Number::F64 } else { Number::F32 };
            let hint = match size == bytes_for(other) {
                true => format!("the size matches numbers of {} bytes", other.bytes()),
                false => "check the numbers of points, and whether the file has a header".to_owned(),
            };
            let expected =
                format!("{} for {} numbers of {} bytes; {hint}", bytes_for(number), shape(&axes), number.bytes());
            return Err(refuse(Refused::new("size of the data in bytes", size, expected)));
        }
        Ok(Self { input, start, axes, number, order })
    }
}

impl VolumeReader for RawReader {
    fn axes(&self) -> &[Axis] {
        &self.axes
    }

    fn values(&mut self, window: &Window) -> Result<Vec<f32>> {
        let size = self.number.bytes();
        let mut values = Vec::with_capacity(window.count());
        let mut bytes = Vec::new();
        for run in window.runs() {
            for first in run.clone().step_by(CHUNK) {
                bytes.resize(size * (run.end - first).min(CHUNK), 0);
                self.input.read_at(self.start + first as u64 * size as u64, &mut bytes)?;
                values.extend(bytes.chunks_exact(size).map(|word| self.number.read(self.order, word)));
            }
        }
        Ok(values)
    }
}
