//! Arrays of a VTU file.

use super::encoded::Encoded;
use crate::ByteOrder;
use crate::byte_order::Word;
use crate::error::Result;
use crate::text::Place;
use crate::xml::Element;

/// How a file stores its arrays.
pub(super) struct Arrays<'a> {
    order: ByteOrder,
    /// Size of the sizes before arrays [bytes].
    width: u64,
    is_compressed: bool,
    /// Bytes after the XML part, and whether they are in base64.
    appended: Option<(&'a [u8], bool)>,
}

impl<'a> Arrays<'a> {
    /// Reads the attributes of the root element.
    ///
    /// # Errors
    /// An unknown byte order or type of sizes; a compressor other than zlib.
    pub fn new(root: Element, appended: Option<(&'a [u8], bool)>) -> Result<Self> {
        let value = |name: &str| root.attribute(name);
        let wrong = |name: &str, expected: &str| Err(root.place().bad_value(name, value(name), expected));
        let order = match value("byte_order") {
            "LittleEndian" | "" => ByteOrder::Little,
            "BigEndian" => ByteOrder::Big,
            _ => return wrong("byte_order", "LittleEndian or BigEndian"),
        };
        let width = match value("header_type") {
            "UInt32" | "" => 4,
            "UInt64" => 8,
            _ => return wrong("header_type", "UInt32 or UInt64"),
        };
        let is_compressed = match value("compressor") {
            "" => false,
            "vtkZLibDataCompressor" => true,
            _ => {
                return wrong(
                    "compressor",
                    "vtkZLibDataCompressor or none: write the file again with zlib or uncompressed",
                );
            }
        };
        Ok(Self { order, width, is_compressed, appended })
    }

    /// Values of an array of numbers.
    ///
    /// # Arguments
    /// * `count` – number of values
    /// # Errors
    /// An unknown type or format, a damaged array, another number of values.
    pub fn values(&self, array: Element, count: usize) -> Result<Vec<f64>> {
        let place = array.place();
        let name = array.attribute("Name");
        let values = match array.attribute("format") {
            "ascii" | "" => numbers(place, name, array.text())?,
            "binary" => self.decoded(array, Encoded::new(array.text().as_bytes(), true))?,
            "appended" => self.decoded(array, self.from(array)?)?,
            format => return Err(place.bad_value("format", format, "ascii, binary or appended")),
        };
        if values.len() != count {
            let problem = format!("`{name}` has {} values, but the piece needs {count}", values.len());
            return Err(place.layout(problem, "check whether the file is damaged"));
        }
        Ok(values)
    }

    /// The appended bytes from the offset of an array.
    fn from(&self, array: Element) -> Result<Encoded<'a>> {
        let offset = array.attribute("offset");
        let (bytes, is_base64) = self.appended.unwrap_or_default();
        let start = offset.parse().ok().and_then(|offset: usize| bytes.get(offset..));
        let start = start.ok_or_else(|| {
            array.place().bad_value(
                "offset",
                offset,
                "a place in the appended data; the file is damaged or was truncated",
            )
        })?;
        Ok(Encoded::new(start, is_base64))
    }

    fn decoded(&self, array: Element, mut encoded: Encoded) -> Result<Vec<f64>> {
        let bytes = if self.is_compressed {
            encoded.compressed_array(self.width, self.order)
        } else {
            encoded.array(self.width, self.order)
        };
        let bytes = bytes.ok_or_else(|| {
            let problem = format!("the bytes of `{}` are incomplete", array.attribute("Name"));
            array.place().layout(problem, "check whether the file is damaged or was truncated")
        })?;
        Ok(match array.attribute("type") {
            "Int8" => self.words::<i8>(&bytes),
            "UInt8" => self.words::<u8>(&bytes),
            "Int16" => self.words::<i16>(&bytes),
            "UInt16" => self.words::<u16>(&bytes),
            "Int32" => self.words::<i32>(&bytes),
            "UInt32" => self.words::<u32>(&bytes),
            "Int64" => self.words::<i64>(&bytes),
            "UInt64" => self.words::<u64>(&bytes),
            "Float32" => self.words::<f32>(&bytes),
            "Float64" => self.words::<f64>(&bytes),
            other => {
                return Err(array.place().bad_value(
                    "type",
                    other,
                    "Int8 to Int64, UInt8 to UInt64, Float32 or Float64",
                ));
            }
        })
    }

    fn words<T: Word>(&self, bytes: &[u8]) -> Vec<f64> {
        bytes.chunks_exact(size_of::<T>()).map(|word| self.order.read::<T>(word).to_f64()).collect()
    }
}

/// Whether an array is one of numbers with one component.
pub(super) fn is_scalar(array: Element) -> bool {
    let is_number = ["Int", "UInt", "Float"].iter().any(|kind| array.attribute("type").starts_with(kind));
    is_number && matches!(array.attribute("NumberOfComponents"), "" | "1")
}

fn numbers(place: Place, name: &str, text: &str) -> Result<Vec<f64>> {
    let number = |word: &str| word.parse().map_err(|_| place.bad_value(name, word, "a number"));
    text.split_ascii_whitespace().map(number).collect()
}
