//! HDF5 files, written in one pass: groups, datasets of any number of dimensions, and attributes.
//!
//! The values of a dataset are written when it is added, or piece by piece by a [`DatasetWriter`], and are not kept. Names and addresses
//! stay in memory until [`Hdf5Writer::finish`], which writes the groups. A file has superblock version 0, groups with symbol tables,
//! version 1 object headers and contiguous little-endian datasets, so that every version of the HDF5 library reads it, and can extend it.
//!
//! Source: HDF5 File Format Specification, version 3.0, The HDF Group: sections II.A (superblock), III.A (B-trees), III.B and III.C (symbol
//! tables), III.D (local heap) and IV.A (object headers). Verified by `hdf5::attributes_of_all_types_are_read`,
//! `asdf::an_independent_reader_finds_what_was_written` and, with h5py, pyasdf and dascore, by `validation/readers/check_asdf.py` and
//! `validation/readers/check_prodml.py`.

use std::collections::BTreeMap;
use std::path::Path;

use crate::atomic::AtomicFile;
use crate::error::{Refused, Result};

mod dataset;
mod group;
mod messages;

use dataset::OpenDataset;
pub use dataset::{DatasetValues, DatasetWriter, ValueType};
use group::encode_group;

/// Bytes of the superblock with the entry of the root group.
const SUPERBLOCK_BYTES: u64 = 96;

/// Alignment of everything in the file [bytes].
const ALIGNMENT: u64 = 8;

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

/// The value of an attribute.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum AttributeValue<'a> {
    /// 64-bit signed integer.
    I64(i64),
    /// 64-bit float.
    F64(f64),
    /// Boolean, stored as h5py does: an enumeration of `FALSE` and `TRUE`.
    Bool(bool),
    /// ASCII text, stored with a fixed length and one zero byte at its end.
    Text(&'a str),
    /// ASCII texts, at least one, stored along one dimension with the length of the longest and zero bytes at their ends.
    Texts(&'a [&'a str]),
    /// UTF-8 text without zero bytes, stored with a fixed length and one zero byte at its end.
    Utf8(&'a str),
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
    /// [`crate::FormatError::Unwritable`] for a text that [`AttributeValue`] does not allow, or more than 64 kB.
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
        let dataset = OpenDataset::new(self, group, name, values.value_type(), &[values.len() as u64], attributes)?;
        self.append_values(values)?;
        dataset.close(self)
    }

    /// Begins a dataset whose values are appended piece by piece. [`DatasetWriter::finish`] returns the file.
    ///
    /// # Arguments
    /// * `group` – the group that the dataset belongs to
    /// * `name` – its name, new in the group
    /// * `value_type` – the type of all values
    /// * `shape` – number of values along each dimension, the slowest first: 1 to 32 dimensions, none empty
    /// * `attributes` – names, all different, and values
    /// # Errors
    /// [`crate::FormatError::Unwritable`] as in [`Self::add_dataset`], or for a shape that is not allowed or has more than 2^63 bytes;
    /// [`crate::FormatError::Io`] if the file cannot be written. The file is discarded then.
    pub fn begin_dataset(
        mut self,
        group: GroupId,
        name: &str,
        value_type: ValueType,
        shape: &[u64],
        attributes: &[(&str, AttributeValue)],
    ) -> Result<DatasetWriter> {
        let dataset = OpenDataset::new(&mut self, group, name, value_type, shape, attributes)?;
        Ok(DatasetWriter::new(self, dataset))
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
}
