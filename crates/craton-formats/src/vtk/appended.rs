//! Arrays in a VTK XML file: described in the XML part, with their bytes appended after it.

use std::io::{Result, Write};
use std::path::Path;

use super::cell::CellBlock;
use crate::error::FormatError;

/// Borrowed values of a field.
#[derive(Clone, Copy, Debug)]
pub enum Values<'a> {
    /// Single precision.
    F32(&'a [f32]),
    /// Double precision.
    F64(&'a [f64]),
    /// Integers.
    I32(&'a [i32]),
    /// Bytes, such as ghost flags.
    U8(&'a [u8]),
}

impl Values<'_> {
    fn len(&self) -> usize {
        match self {
            Self::F32(values) => values.len(),
            Self::F64(values) => values.len(),
            Self::I32(values) => values.len(),
            Self::U8(values) => values.len(),
        }
    }
}

/// Named values at points or in cells.
#[derive(Clone, Copy, Debug)]
pub struct Field<'a> {
    /// Name shown by ParaView, with the unit: `velocity [m/s]`.
    pub name: &'a str,
    /// Components of one value: 1 for a scalar, 3 for a vector, 6 for a symmetric tensor.
    pub components: usize,
    /// Values, shape (points or cells, components).
    pub values: Values<'a>,
}

/// Text between the XML part of a file and the appended bytes.
pub(super) const DATA_MARK: &str = "<AppendedData encoding=\"raw\">\n_";

/// Data of an array, converted to bytes while writing.
pub(super) enum Data<'a> {
    Values(Values<'a>),
    Scalar(f64),
    Points(&'a [[f64; 3]]),
    Connectivity(&'a [CellBlock<'a>]),
    Offsets(&'a [CellBlock<'a>]),
    Types(&'a [CellBlock<'a>]),
}

impl Data<'_> {
    fn type_name(&self) -> &'static str {
        match self {
            Self::Values(Values::F32(_)) => "Float32",
            Self::Values(Values::F64(_)) | Self::Points(_) | Self::Scalar(_) => "Float64",
            Self::Values(Values::I32(_)) => "Int32",
            Self::Connectivity(_) | Self::Offsets(_) => "Int64",
            Self::Values(Values::U8(_)) | Self::Types(_) => "UInt8",
        }
    }

    fn byte_count(&self) -> u64 {
        let cells = |blocks: &[CellBlock]| blocks.iter().map(CellBlock::len).sum::<usize>();
        let bytes = match self {
            Self::Values(Values::F64(values)) => 8 * values.len(),
            Self::Values(Values::U8(values)) => values.len(),
            Self::Values(values) => 4 * values.len(),
            Self::Scalar(_) => 8,
            Self::Points(points) => 24 * points.len(),
            Self::Connectivity(blocks) => 8 * blocks.iter().map(|block| block.nodes.len()).sum::<usize>(),
            Self::Offsets(blocks) => 8 * cells(blocks),
            Self::Types(blocks) => cells(blocks),
        };
        bytes as u64
    }

    fn write(&self, out: &mut impl Write) -> Result<()> {
        match self {
            Self::Values(Values::F32(values)) => write_all(out, values.iter().map(|value| value.to_le_bytes())),
            Self::Values(Values::F64(values)) => write_all(out, values.iter().map(|value| value.to_le_bytes())),
            Self::Values(Values::I32(values)) => write_all(out, values.iter().map(|value| value.to_le_bytes())),
            Self::Values(Values::U8(values)) => out.write_all(values),
            Self::Scalar(value) => out.write_all(&value.to_le_bytes()),
            Self::Points(points) => write_all(out, points.iter().flatten().map(|value| value.to_le_bytes())),
            Self::Connectivity(blocks) => {
                let nodes = blocks.iter().flat_map(CellBlock::vtk_nodes);
                write_all(out, nodes.map(|node| i64::from(node).to_le_bytes()))
            }
            Self::Offsets(blocks) => {
                let ends = each_cell(blocks).scan(0, |end, block| {
                    *end += block.kind.node_count() as i64;
                    Some(*end)
                });
                write_all(out, ends.map(i64::to_le_bytes))
            }
            Self::Types(blocks) => write_all(out, each_cell(blocks).map(|block| [block.kind.vtk_type()])),
        }
    }
}

/// The block of each cell.
fn each_cell<'a>(blocks: &'a [CellBlock<'a>]) -> impl Iterator<Item = &'a CellBlock<'a>> {
    blocks.iter().flat_map(|block| std::iter::repeat_n(block, block.len()))
}

fn write_all<const N: usize>(out: &mut impl Write, words: impl Iterator<Item = [u8; N]>) -> Result<()> {
    for word in words {
        out.write_all(&word)?;
    }
    Ok(())
}

/// The arrays of a file, in the order of their descriptions.
#[derive(Default)]
pub(super) struct Appended<'a> {
    arrays: Vec<Data<'a>>,
    offset: u64,
}

impl<'a> Appended<'a> {
    /// Stores the data for the end of the file and returns the XML element that describes them.
    pub fn describe(&mut self, name: &str, components: usize, data: Data<'a>) -> String {
        let (kind, offset, name) = (data.type_name(), self.offset, escape(name));
        // Each array starts with its size in 8 bytes.
        self.offset += 8 + data.byte_count();
        self.arrays.push(data);
        // Omitted for a scalar, for which meshio would return a column vector.
        let components = match components {
            1 => String::new(),
            _ => format!(" NumberOfComponents=\"{components}\""),
        };
        format!("<DataArray type=\"{kind}\" Name=\"{name}\"{components} format=\"appended\" offset=\"{offset}\"/>\n")
    }

    /// Describes a section of fields, such as `PointData`.
    pub fn describe_fields(&mut self, section: &str, fields: &[Field<'a>]) -> String {
        let arrays = fields.iter().map(|field| self.describe(field.name, field.components, Data::Values(field.values)));
        let arrays: String = arrays.collect();
        format!("<{section}>\n{arrays}</{section}>\n")
    }

    /// Describes the time of the file as ParaView expects it; empty for `None`.
    pub fn describe_time(&mut self, time: Option<f64>) -> String {
        let Some(time) = time else {
            return String::new();
        };
        let array = self.describe("TimeValue", 1, Data::Scalar(time));
        let array = array.replacen("<DataArray ", "<DataArray NumberOfTuples=\"1\" ", 1);
        format!("<FieldData>\n{array}</FieldData>\n")
    }

    /// Writes the complete file: the description of the data set, then the data.
    pub fn write(&self, out: &mut impl Write, dataset: &str, description: &str) -> Result<()> {
        writeln!(out, "<?xml version=\"1.0\"?>")?;
        writeln!(
            out,
            "<VTKFile type=\"{dataset}\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">"
        )?;
        write!(out, "{description}{DATA_MARK}")?;
        for data in &self.arrays {
            out.write_all(&data.byte_count().to_le_bytes())?;
            data.write(out)?;
        }
        write!(out, "\n</AppendedData>\n</VTKFile>\n")
    }
}

/// Escapes text for an XML attribute.
pub(super) fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// Checks that every field has the right number of values: `places` points or cells (named by `what`) times its components.
pub(super) fn check_fields(path: &Path, fields: &[Field], places: usize, what: &str) -> crate::Result<()> {
    let wrong = |field: &&Field| field.components == 0 || field.values.len() != places * field.components;
    match fields.iter().find(wrong) {
        Some(field) => Err(FormatError::Unwritable {
            path: path.to_owned(),
            what: format!("number of values of `{}`", field.name),
            value: field.values.len().to_string(),
            expected: format!("{places} {what} x {} components, at least 1", field.components),
        }),
        None => Ok(()),
    }
}
