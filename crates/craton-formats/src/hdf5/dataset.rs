//! Datasets: contiguous values of one type.

use super::messages::{attribute, dataset_header};
use super::{AttributeValue, GroupId, Hdf5Writer, Member};
use crate::error::{Refused, Result};

/// Values converted to bytes at a time.
const PIECE: usize = 1 << 13;

/// Largest number of dimensions of the HDF5 library.
const MOST_DIMENSIONS: usize = 32;

/// The type of the values of a dataset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueType {
    /// 8-bit signed integers.
    I8,
    /// 64-bit signed integers.
    I64,
    /// 32-bit floats.
    F32,
    /// 64-bit floats.
    F64,
}

impl ValueType {
    /// Bytes of a value.
    pub(super) fn bytes(self) -> u64 {
        match self {
            Self::I8 => 1,
            Self::F32 => 4,
            Self::I64 | Self::F64 => 8,
        }
    }
}

/// Values of a dataset.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum DatasetValues<'a> {
    /// Bytes, stored as 8-bit signed integers, the type of documents in ASDF.
    I8(&'a [u8]),
    /// 64-bit signed integers.
    I64(&'a [i64]),
    /// 32-bit floats.
    F32(&'a [f32]),
    /// 64-bit floats.
    F64(&'a [f64]),
}

impl DatasetValues<'_> {
    /// Number of values.
    pub fn len(&self) -> usize {
        match self {
            Self::I8(values) => values.len(),
            Self::I64(values) => values.len(),
            Self::F32(values) => values.len(),
            Self::F64(values) => values.len(),
        }
    }

    /// Whether there are no values.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Type of the values.
    pub fn value_type(&self) -> ValueType {
        match self {
            Self::I8(_) => ValueType::I8,
            Self::I64(_) => ValueType::I64,
            Self::F32(_) => ValueType::F32,
            Self::F64(_) => ValueType::F64,
        }
    }
}

/// A dataset whose values are being written.
#[derive(Debug)]
pub(super) struct OpenDataset {
    group: GroupId,
    name: String,
    value_type: ValueType,
    shape: Vec<u64>,
    /// Encoded messages.
    attributes: Vec<Vec<u8>>,
    /// Address of the first value.
    first: u64,
}

impl OpenDataset {
    /// Validates a dataset, see [`Hdf5Writer::begin_dataset`]; its values come next in the file.
    pub fn new(
        file: &mut Hdf5Writer,
        group: GroupId,
        name: &str,
        value_type: ValueType,
        shape: &[u64],
        attributes: &[(&str, AttributeValue)],
    ) -> Result<Self> {
        file.check_name(group, name)?;
        let attributes = check_shape(name, value_type, shape)
            .and_then(|()| attributes.iter().map(|&(name, value)| attribute(name, value)).collect())
            .map_err(|refused| refused.unwritable(file.path()))?;
        let first = file.align()?;
        Ok(Self { group, name: name.to_owned(), value_type, shape: shape.to_vec(), attributes, first })
    }

    /// Writes the header after the last value and adds the dataset to its group.
    pub fn close(self, file: &mut Hdf5Writer) -> Result<()> {
        let Self { group, name, value_type, shape, attributes, first } = self;
        let header = file.align()?;
        file.append(&dataset_header(value_type, &shape, first, attributes))?;
        file.groups[group.0].members.insert(name, Member::Dataset(header));
        Ok(())
    }
}

fn check_shape(name: &str, value_type: ValueType, shape: &[u64]) -> Result<(), Refused> {
    if !(1..=MOST_DIMENSIONS).contains(&shape.len()) {
        return Err(Refused::new(format!("number of dimensions of `{name}`"), shape.len(), "1 to 32"));
    }
    if shape.contains(&0) {
        return Err(Refused::new(format!("number of values of `{name}`"), 0, "at least 1"));
    }
    let bytes = shape.iter().try_fold(value_type.bytes(), |bytes, &count| bytes.checked_mul(count));
    match bytes {
        Some(bytes) if bytes <= 1 << 63 => Ok(()),
        _ => Err(Refused::new(format!("shape of `{name}`"), format!("{shape:?}"), "at most 2^63 bytes")),
    }
}

/// A dataset that is being written piece by piece, with the file that it belongs to. Nothing appears if it is dropped before
/// [`Self::finish`].
///
/// Verified by `hdf5::rows_of_a_dataset_are_written_one_after_the_other`.
#[derive(Debug)]
pub struct DatasetWriter {
    file: Hdf5Writer,
    dataset: OpenDataset,
    /// Number of values that were appended.
    count: u64,
}

impl DatasetWriter {
    pub(super) fn new(file: Hdf5Writer, dataset: OpenDataset) -> Self {
        Self { file, dataset, count: 0 }
    }

    /// The path of the file.
    pub fn path(&self) -> &std::path::Path {
        self.file.path()
    }

    /// Appends values in the order of the file: the last dimension is the fastest.
    ///
    /// # Arguments
    /// * `values` – any number, of the type of the dataset
    /// # Errors
    /// [`crate::FormatError::Unwritable`] for values of another type, or more than the shape has; nothing is appended then.
    /// [`crate::FormatError::Io`] if they cannot be written.
    pub fn append(&mut self, values: DatasetValues) -> Result<()> {
        let OpenDataset { name, value_type, .. } = &self.dataset;
        let count = self.count + values.len() as u64;
        let refused = if values.value_type() != *value_type {
            let expected = format!("{value_type:?}, the type of the dataset");
            Refused::new(format!("type of values of `{name}`"), format!("{:?}", values.value_type()), expected)
        } else if count > self.len() {
            self.wrong_count(count)
        } else {
            self.count = count;
            return self.file.append_values(values);
        };
        Err(refused.unwritable(self.path()))
    }

    /// Completes the dataset; returns the file.
    ///
    /// # Errors
    /// [`crate::FormatError::Unwritable`] if there are fewer values than the shape has; [`crate::FormatError::Io`] if the file cannot be
    /// written. The file is discarded then.
    pub fn finish(mut self) -> Result<Hdf5Writer> {
        if self.count != self.len() {
            return Err(self.wrong_count(self.count).unwritable(self.path()));
        }
        self.dataset.close(&mut self.file)?;
        Ok(self.file)
    }

    /// Number of values of the complete dataset.
    fn len(&self) -> u64 {
        self.dataset.shape.iter().product()
    }

    fn wrong_count(&self, count: u64) -> Refused {
        let OpenDataset { name, shape, .. } = &self.dataset;
        let expected = format!("{}, for the shape {shape:?}", self.len());
        Refused::new(format!("number of values of `{name}`"), count, expected)
    }
}

impl Hdf5Writer {
    pub(super) fn append_values(&mut self, values: DatasetValues) -> Result<()> {
        match values {
            DatasetValues::I8(bytes) => self.append(bytes),
            DatasetValues::I64(values) => self.append_numbers(values, i64::to_le_bytes),
            DatasetValues::F32(values) => self.append_numbers(values, f32::to_le_bytes),
            DatasetValues::F64(values) => self.append_numbers(values, f64::to_le_bytes),
        }
    }

    fn append_numbers<T: Copy, const N: usize>(&mut self, values: &[T], bytes_of: fn(T) -> [u8; N]) -> Result<()> {
        let mut bytes = Vec::with_capacity(N * PIECE.min(values.len()));
        for piece in values.chunks(PIECE) {
            bytes.clear();
            bytes.extend(piece.iter().flat_map(|&value| bytes_of(value)));
            self.append(&bytes)?;
        }
        Ok(())
    }
}
