//! Parsing the header. Counts are checked against the file size before they are used.

use std::fmt::Display;
use std::path::Path;

use super::{MAGIC, Tag, Version};
use crate::ByteOrder;
use crate::error::{Refused, Result};
use crate::escape::shortened;
use crate::input::Input;
use crate::netcdf::types::{Attribute, AttributeValue, DataType, Dataset, Dimension, Variable};

/// First bytes of HDF5 files.
pub(in crate::netcdf) const HDF5: &[u8] = b"\x89HDF\r\n\x1a\n";

/// Largest size of a name or an attribute [bytes].
const LARGEST_SIZE: u64 = 1 << 24;

/// Largest number of dimensions of a variable, as in Unidata's library.
const LARGEST_RANK: u64 = 1024;

/// The header of a file.
pub(in crate::netcdf) struct Header {
    /// Content of the file; without records if their number is not stored.
    pub dataset: Dataset,
    /// Whether the number of records is stored; otherwise it follows from the file size.
    pub has_record_count: bool,
    /// Byte offset of the values of each variable.
    pub begins: Vec<u64>,
    /// Size of the header [bytes].
    pub bytes: u64,
}

impl Header {
    /// Reads the header of a file.
    ///
    /// # Errors
    /// A file of another format, or one that ends within the header; invalid tags, types, names or dimensions; a file that cannot be read.
    pub fn read(input: &mut Input) -> Result<Self> {
        let version = version(input)?;
        let mut cursor = Cursor { input, at: 4, version };
        let records = cursor.count("the number of records")?;
        let is_streaming = records == if version == Version::Data64 { u64::MAX } else { u32::MAX.into() };
        let dimensions = cursor.list(Tag::Dimensions, "dimensions", |cursor| {
            let name = cursor.name("a dimension")?;
            Ok(match cursor.count(format_args!("the length of dimension {name}"))? {
                0 => Dimension::unlimited(&name, if is_streaming { 0 } else { records }),
                length => Dimension::new(&name, length),
            })
        })?;
        let attributes = cursor.list(Tag::Attributes, "global attributes", Cursor::attribute)?;
        let variables = cursor.list(Tag::Variables, "variables", Cursor::variable)?;
        let bytes = cursor.at;
        let (variables, begins) = variables.into_iter().unzip();
        let dataset = Dataset { dimensions, attributes, variables };
        dataset.check().map_err(|refused| refused.unreadable(input.path()))?;
        Ok(Self { dataset, has_record_count: !is_streaming, begins, bytes })
    }
}

/// Whether a file starts like netCDF, in a classic format or HDF5.
pub(crate) fn is_netcdf(path: &Path) -> Result<bool> {
    let mut input = Input::open(path)?;
    let mut bytes = [0; MAGIC.len()];
    let some = input.size().min(bytes.len() as u64) as usize;
    input.read_at(0, &mut bytes[..some])?;
    Ok(bytes == *MAGIC || HDF5.starts_with(&bytes))
}

fn version(input: &mut Input) -> Result<Version> {
    let mut bytes = [0; HDF5.len()];
    let some = input.size().min(bytes.len() as u64) as usize;
    input.read_at(0, &mut bytes[..some])?;
    let [first @ .., number, _, _, _, _] = &bytes;
    let known = Version::ALL.into_iter().find(|version| first == MAGIC && *number == *version as u8);
    known.ok_or_else(|| {
        let is_hdf5 = bytes == HDF5;
        let expected = match is_hdf5 {
            true => {
                "a classic format; convert this HDF5 (netCDF-4) file: nccopy -k classic in.nc out.nc, or in xarray to_netcdf(..., format=\"NETCDF3_64BIT\")"
            }
            false => "`CDF` and the byte 1, 2 or 5; the file may not be netCDF",
        };
        let found = bytes[..some].escape_ascii().to_string();
        Refused::new("first bytes", found, expected).unreadable(input.path())
    })
}

/// A position in the header.
struct Cursor<'a> {
    input: &'a mut Input,
    at: u64,
    version: Version,
}

impl Cursor<'_> {
    fn refuse(&self, refused: Refused) -> crate::FormatError {
        refused.unreadable(self.input.path())
    }

    /// Reads the next bytes, and skips the padding to a multiple of four.
    fn bytes(&mut self, count: u64, what: impl Display) -> Result<Vec<u8>> {
        let size = self.input.size();
        if count > size - self.at {
            let expected = format!(
                "at least {}, to hold {}; the file was truncated, or its header is damaged",
                self.at.saturating_add(count),
                shortened(&what.to_string())
            );
            return Err(self.refuse(Refused::new("size in bytes", size, expected)));
        }
        if count > LARGEST_SIZE {
            let expected = format!("at most {LARGEST_SIZE}; the header may be damaged");
            return Err(self.refuse(Refused::new(format!("bytes of {what}"), count, expected)));
        }
        let mut bytes = vec![0; count as usize];
        self.input.read_at(self.at, &mut bytes)?;
        self.at = (self.at + count.next_multiple_of(4)).min(size);
        Ok(bytes)
    }

    fn word(&mut self, what: impl Display) -> Result<u32> {
        Ok(ByteOrder::Big.read(&self.bytes(4, what)?))
    }

    /// Reads an integer of 4 or 8 bytes.
    fn wide(&mut self, bytes: usize, what: impl Display) -> Result<u64> {
        match bytes {
            4 => self.word(what).map(u64::from),
            _ => Ok(ByteOrder::Big.read(&self.bytes(8, what)?)),
        }
    }

    fn count(&mut self, what: impl Display) -> Result<u64> {
        self.wide(self.version.count_bytes(), what)
    }

    /// Reads the items of a list, without allocating for the stored count in advance.
    fn list<T>(&mut self, tag: Tag, what: &str, one: impl Fn(&mut Self) -> Result<T>) -> Result<Vec<T>> {
        let found = self.word(what)?;
        let count = self.count(format_args!("the number of {what}"))?;
        if found != tag as u32 && (found, count) != (0, 0) {
            let expected = format!("{}, or 0 twice if the list is empty; the header is damaged", tag as u32);
            let value = format!("{found} and {count} items");
            return Err(self.refuse(Refused::new(format!("tag of the {what}"), value, expected)));
        }
        (0..count).map(|_| one(self)).collect()
    }

    fn name(&mut self, whose: &str) -> Result<String> {
        let count = self.count(format_args!("the name of {whose}"))?;
        let bytes = self.bytes(count, format_args!("the name of {whose}"))?;
        String::from_utf8(bytes).map_err(|wrong| {
            let found = wrong.as_bytes().escape_ascii().to_string();
            self.refuse(Refused::new(format!("name of {whose}"), found, "text in UTF-8"))
        })
    }

    fn data_type(&mut self, whose: &str) -> Result<DataType> {
        let code = self.word(format_args!("the type of {whose}"))?;
        let of_version = |data_type: &DataType| data_type.is_classic() || self.version == Version::Data64;
        DataType::from_code(code).filter(of_version).ok_or_else(|| {
            let most = if self.version == Version::Data64 { DataType::U64 } else { DataType::F64 };
            let expected = format!("1 to {}; the header is damaged", most.code());
            self.refuse(Refused::new(format!("type of {whose}"), code, expected))
        })
    }

    fn attribute(&mut self) -> Result<Attribute> {
        let name = self.name("an attribute")?;
        let data_type = self.data_type(&name)?;
        let count = self.count(format_args!("the length of attribute {name}"))?;
        let width = data_type.bytes();
        let bytes = self.bytes(count.saturating_mul(width as u64), format_args!("attribute {name}"))?;
        let value = match data_type {
            DataType::Char => AttributeValue::Text(String::from_utf8_lossy(&bytes).trim_end_matches('\0').to_owned()),
            _ => {
                let numbers = bytes.chunks_exact(width).map(|word| data_type.read(word));
                AttributeValue::Numbers(data_type, numbers.collect())
            }
        };
        Ok(Attribute { name, value })
    }

    /// Reads a variable and the offset of its values.
    fn variable(&mut self) -> Result<(Variable, u64)> {
        let name = self.name("a variable")?;
        let rank = self.count(format_args!("the number of dimensions of {name}"))?;
        if rank > LARGEST_RANK {
            let expected = format!("at most {LARGEST_RANK}; the header may be damaged");
            return Err(self.refuse(Refused::new(format!("number of dimensions of {name}"), rank, expected)));
        }
        let dimension = |_| self.count(format_args!("the dimensions of {name}")).map(|index| index as usize);
        let dimensions = (0..rank).map(dimension).collect::<Result<_>>()?;
        let attributes = self.list(Tag::Attributes, &format!("attributes of {name}"), Self::attribute)?;
        let data_type = self.data_type(&name)?;
        // Ignored: the size follows from shape and type, and is wrong for variables too large for 32 bits.
        self.count(format_args!("the size of {name}"))?;
        let begin = self.wide(self.version.offset_bytes(), format_args!("the offset of {name}"))?;
        Ok((Variable { name, data_type, dimensions, attributes }, begin))
    }
}
