//! HDF5 files, written in one pass: groups, one-dimensional datasets and scalar attributes.
//!
//! The values of a dataset are written when it is added and are not kept; names and addresses stay in memory until [`Hdf5Writer::finish`],
//! which writes the groups. A file has superblock version 0, groups with symbol tables, version 1 object headers and contiguous
//! little-endian datasets, so that every version of the HDF5 library reads it, and can extend it.
//!
//! Source: HDF5 File Format Specification, version 3.0, The HDF Group: sections II.A (superblock), III.A (B-trees), III.B and III.C (symbol
//! tables), III.D (local heap) and IV.A (object headers). Verified by `asdf::an_independent_reader_finds_what_was_written` and, with h5py
//! and pyasdf, by `validation/readers/check_asdf.py`.

use std::collections::BTreeMap;
use std::path::Path;

use crate::atomic::AtomicFile;
use crate::error::{Refused, Result};

mod group;
mod messages;

use group::encode_group;
use messages::{Kind, dataset_header};

/// Bytes of the superblock with the entry of the root group.
const SUPERBLOCK_BYTES: u64 = 96;

/// Alignment of everything in the file [bytes].
const ALIGNMENT: u64 = 8;

/// Values converted to bytes at a time.
const PIECE: usize = 1 << 13;

/// An HDF5 file that is being written. The file appears under its name when [`Self::finish`] succeeds.
#[derive(Debug)]
pub struct Hdf5Writer {
    file: AtomicFile,
    /// Position after the last byte.
    end: u64,
    /// Groups in the order of their creation, the root first.
    groups: Vec<Group>,
}

/// A group of a file that is being written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GroupId(usize);

/// The value of a scalar attribute.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum AttributeValue<'a> {
    /// 64-bit signed integer.
    I64(i64),
    /// 64-bit float.
    F64(f64),
    /// ASCII text, stored with a fixed length and one zero byte at its end.
    Text(&'a str),
}

/// The values of a dataset.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum DatasetValues<'a> {
    /// Bytes, stored as 8-bit signed integers, the type of documents in ASDF.
    I8(&'a [u8]),
    /// 32-bit floats.
    F32(&'a [f32]),
    /// 64-bit floats.
    F64(&'a [f64]),
}

#[derive(Debug, Default)]
struct Group {
    members: BTreeMap<String, Member>,
    /// Encoded messages.
    attributes: Vec<Vec<u8>>,
}

#[derive(Debug)]
enum Member {
    Group(GroupId),
    /// Address of the object header.
    Dataset(u64),
}

impl Hdf5Writer {
    /// The root group.
    pub const ROOT: GroupId = GroupId(0);

    /// Creates a file with an empty root group.
    ///
    /// # Errors
    /// [`crate::FormatError::Io`] if the file cannot be created.
    pub fn create(path: &Path) -> Result<Self> {
        let mut file = AtomicFile::create(path)?;
        file.append(&[0; SUPERBLOCK_BYTES as usize])?;
        Ok(Self { file, end: SUPERBLOCK_BYTES, groups: vec![Group::default()] })
    }

    /// The path of the file.
    pub fn path(&self) -> &Path {
        self.file.path()
    }

    /// Adds an empty group.
    ///
    /// # Errors
    /// [`crate::FormatError::Unwritable`] for a name that `parent` has already, or that is not 1 to 1024 printable ASCII characters other
    /// than `/`, or is `.`.
    pub fn add_group(&mut self, parent: GroupId, name: &str) -> Result<GroupId> {
        self.check_name(parent, name)?;
        let id = GroupId(self.groups.len());
        self.groups.push(Group::default());
        self.groups[parent.0].members.insert(name.to_owned(), Member::Group(id));
        Ok(id)
    }

    /// Adds an attribute to a group. The name must be new.
    ///
    /// # Errors
    /// [`crate::FormatError::Unwritable`] for a text that is not printable ASCII or longer than 64 kB.
    pub fn add_attribute(&mut self, group: GroupId, name: &str, value: AttributeValue) -> Result<()> {
        let message = messages::attribute(name, value).map_err(|refused| refused.unwritable(self.path()))?;
        self.groups[group.0].attributes.push(message);
        Ok(())
    }

    /// Writes a one-dimensional dataset.
    ///
    /// # Arguments
    /// * `group` – the group that the dataset belongs to
    /// * `name` – its name, new in the group
    /// * `values` – at least one
    /// * `attributes` – names, all different, and values
    /// # Errors
    /// [`crate::FormatError::Unwritable`] for a name as in [`Self::add_group`], no values, or an attribute as in [`Self::add_attribute`];
    /// nothing is added then. [`crate::FormatError::Io`] if the values cannot be written.
    pub fn add_dataset(
        &mut self,
        group: GroupId,
        name: &str,
        values: DatasetValues,
        attributes: &[(&str, AttributeValue)],
    ) -> Result<()> {
        self.check_name(group, name)?;
        let count = values.len() as u64;
        if count == 0 {
            return Err(Refused::new(format!("number of values of `{name}`"), 0, "at least 1").unwritable(self.path()));
        }
        let attributes: Result<Vec<_>, _> =
            attributes.iter().map(|&(name, value)| messages::attribute(name, value)).collect();
        let attributes = attributes.map_err(|refused| refused.unwritable(self.path()))?;
        let first = self.align()?;
        self.append_values(values)?;
        let header = self.align()?;
        self.append(&dataset_header(values.kind(), count, first, attributes))?;
        self.groups[group.0].members.insert(name.to_owned(), Member::Dataset(header));
        Ok(())
    }

    /// Writes the groups and completes the file.
    ///
    /// # Errors
    /// [`crate::FormatError::Io`] if the file cannot be written.
    pub fn finish(mut self) -> Result<()> {
        let mut headers = vec![0; self.groups.len()];
        let mut start = Vec::new();
        // Groups come after their parent in the list, and before it in the file, so that their addresses are known.
        while let Some(Group { members, attributes }) = self.groups.pop() {
            let at = self.align()?;
            let entries = members.iter().map(|(name, member)| match *member {
                Member::Group(GroupId(index)) => (name.as_str(), headers[index]),
                Member::Dataset(header) => (name.as_str(), header),
            });
            let encoded = encode_group(entries, attributes, at);
            self.append(&encoded.bytes)?;
            headers[self.groups.len()] = encoded.header;
            if self.groups.is_empty() {
                start = messages::superblock(&encoded, self.end);
            }
        }
        self.file.finish(&start)
    }

    fn check_name(&self, group: GroupId, name: &str) -> Result<()> {
        let allowed = "1 to 1024 printable ASCII characters other than `/`, and not `.`";
        let is_printable = name.bytes().all(|byte| matches!(byte, b' '..=b'~') && byte != b'/');
        let refused = if !is_printable || name == "." || !(1..=1024).contains(&name.len()) {
            Refused::new("name in the file", format!("`{}`", crate::escaped(name)), allowed)
        } else if self.groups[group.0].members.contains_key(name) {
            Refused::new(
                "name in the file",
                format!("`{name}`, for the second time"),
                "a name that is new in its group",
            )
        } else {
            return Ok(());
        };
        Err(refused.unwritable(self.path()))
    }

    fn append(&mut self, bytes: &[u8]) -> Result<()> {
        self.file.append(bytes)?;
        self.end += bytes.len() as u64;
        Ok(())
    }

    /// Pads the file; returns the position after its last byte.
    fn align(&mut self) -> Result<u64> {
        let padding = self.end.next_multiple_of(ALIGNMENT) - self.end;
        self.append(&[0; ALIGNMENT as usize][..padding as usize])?;
        Ok(self.end)
    }

    fn append_values(&mut self, values: DatasetValues) -> Result<()> {
        match values {
            DatasetValues::I8(bytes) => self.append(bytes),
            DatasetValues::F32(values) => self.append_floats(values, f32::to_le_bytes),
            DatasetValues::F64(values) => self.append_floats(values, f64::to_le_bytes),
        }
    }

    fn append_floats<T: Copy, const N: usize>(&mut self, values: &[T], bytes_of: fn(T) -> [u8; N]) -> Result<()> {
        let mut bytes = Vec::with_capacity(N * PIECE.min(values.len()));
        for piece in values.chunks(PIECE) {
            bytes.clear();
            bytes.extend(piece.iter().flat_map(|&value| bytes_of(value)));
            self.append(&bytes)?;
        }
        Ok(())
    }
}

impl DatasetValues<'_> {
    /// Number of values.
    pub fn len(&self) -> usize {
        match self {
            Self::I8(values) => values.len(),
            Self::F32(values) => values.len(),
            Self::F64(values) => values.len(),
        }
    }

    /// Whether there are no values.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn kind(&self) -> Kind {
        match self {
            Self::I8(_) => Kind::I8,
            Self::F32(_) => Kind::F32,
            Self::F64(_) => Kind::F64,
        }
    }
}
