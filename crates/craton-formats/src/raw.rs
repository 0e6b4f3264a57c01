//! Binary files that are nothing but numbers, whose shape is known from elsewhere.

use std::path::Path;

use crate::ByteOrder;
use crate::error::{Refused, Result};
use crate::input::Input;
use crate::volume::{Axis, Volume, point_count, shape};

/// Numbers read at once.
const CHUNK: usize = 1 << 16;

/// What a number is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Number {
    /// IEEE, single precision.
    F32,
    /// IEEE, double precision; read into single precision, in which numbers from 3.4e38 on are infinite.
    F64,
}

impl Number {
    /// Bytes of a number.
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

/// Reads a headerless file.
///
/// # Arguments
/// * `path` – the file
/// * `axes` – axes, the fastest first
/// * `number`, `order` – what each number is
/// # Errors
/// A size that differs from that of the axes; axes that [`Volume::new`] refuses; a file that cannot be read.
pub fn read(path: &Path, axes: Vec<Axis>, number: Number, order: ByteOrder) -> Result<Volume> {
    read_behind(&mut Input::open(path)?, 0, axes, number, order)
}

/// As [`read`], of what stands behind the first `start` bytes.
pub(crate) fn read_behind(
    input: &mut Input,
    start: u64,
    axes: Vec<Axis>,
    number: Number,
    order: ByteOrder,
) -> Result<Volume> {
    let path = input.path().to_owned();
    let refuse = |refused: Refused| refused.unreadable(&path);
    let count = point_count(&axes).map_err(refuse)?;
    let size = input.size() - start;
    let bytes_for = |number: Number| count as u64 * number.bytes() as u64;
    if size != bytes_for(number) {
        let other = if number == Number::F32 { Number::F64 } else { Number::F32 };
        let hint = match size == bytes_for(other) {
            true => format!("it has room for numbers of {} bytes", other.bytes()),
            false => "check the numbers of points, and whether the file has a header".to_owned(),
        };
        let expected =
            format!("{} for {} numbers of {} bytes; {hint}", bytes_for(number), shape(&axes), number.bytes());
        return Err(refuse(Refused::new("size of the data in bytes", size, expected)));
    }
    let mut values = Vec::with_capacity(count);
    let mut bytes = vec![0; number.bytes() * count.min(CHUNK)];
    while values.len() < count {
        let some = &mut bytes[..number.bytes() * (count - values.len()).min(CHUNK)];
        input.read_at(start + (values.len() * number.bytes()) as u64, some)?;
        values.extend(some.chunks_exact(number.bytes()).map(|word| number.read(order, word)));
    }
    Volume::new(axes, values).map_err(refuse)
}
