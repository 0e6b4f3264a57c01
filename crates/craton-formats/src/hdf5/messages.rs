//! Object headers of version 1, their messages, and the superblock.

use super::group::{EncodedGroup, INTERNAL_K, LEAF_K};
use super::{AttributeValue, ValueType};
use crate::error::Refused;

/// An address of nothing.
pub(super) const UNDEFINED: u64 = u64::MAX;

/// Largest content of a message [bytes]: the length is a 16-bit multiple of 8.
const LARGEST_MESSAGE: usize = 65_528;

/// Types of messages.
const DATASPACE: u16 = 0x0001;
const DATATYPE: u16 = 0x0003;
const FILL_VALUE: u16 = 0x0005;
const LAYOUT: u16 = 0x0008;
const ATTRIBUTE: u16 = 0x000C;
const SYMBOL_TABLE: u16 = 0x0011;

/// The type of a value in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Number(ValueType),
    /// An enumeration of `FALSE` and `TRUE`.
    Bool,
    /// ASCII text with its length in bytes.
    Ascii(u32),
    /// UTF-8 text with its length in bytes.
    Utf8(u32),
}

impl Kind {
    /// Bytes of a value.
    fn bytes(self) -> u32 {
        match self {
            Self::Number(value_type) => value_type.bytes() as u32,
            Self::Bool => 1,
            Self::Ascii(length) | Self::Utf8(length) => length,
        }
    }

    /// The datatype message: class and version, three bytes of flags, size, properties.
    fn encoded(self) -> Vec<u8> {
        let bits = (8 * self.bytes()) as u16;
        let (class, flags, properties) = match self {
            // Signed; bit offset and precision.
            Self::Number(ValueType::I8 | ValueType::I64) => (0, [0x08, 0, 0], [[0; 2], bits.to_le_bytes()].concat()),
            Self::Number(ValueType::F32) => (1, [0x20, 31, 0], float(bits, [23, 8, 0, 23], 127)),
            Self::Number(ValueType::F64) => (1, [0x20, 63, 0], float(bits, [52, 11, 0, 52], 1023)),
            // Two members: the type of their values, their names and their values.
            Self::Bool => {
                let base = Self::Number(ValueType::I8).encoded();
                (8, [2, 0, 0], [&base[..], b"FALSE\0\0\0TRUE\0\0\0\0", &[0, 1]].concat())
            }
            // Padded with zeros.
            Self::Ascii(_) => (3, [0x01, 0, 0], Vec::new()),
            Self::Utf8(_) => (3, [0x11, 0, 0], Vec::new()),
        };
        [&[0x10 | class][..], &flags, &self.bytes().to_le_bytes(), &properties].concat()
    }
}

/// Properties of a float type.
///
/// # Arguments
/// * `fields` – position and size of the exponent, position and size of the mantissa [bits]
fn float(bits: u16, fields: [u8; 4], bias: u32) -> Vec<u8> {
    [&[0; 2][..], &bits.to_le_bytes(), &fields, &bias.to_le_bytes()].concat()
}

/// The dataspace message.
///
/// # Arguments
/// * `shape` – number of values along each dimension, the slowest first; none for a single value
fn dataspace(shape: &[u64]) -> Vec<u8> {
    let mut message = vec![1, shape.len() as u8, 0, 0, 0, 0, 0, 0];
    message.extend(shape.iter().flat_map(|count| count.to_le_bytes()));
    message
}

/// The header message of an attribute.
///
/// # Errors
/// A text that its kind of attribute does not allow, no texts, or too many bytes.
pub(super) fn attribute(name: &str, value: AttributeValue) -> Result<Vec<u8>, Refused> {
    let (kind, shape, content) = match value {
        AttributeValue::I64(value) => (Kind::Number(ValueType::I64), vec![], value.to_le_bytes().to_vec()),
        AttributeValue::F64(value) => (Kind::Number(ValueType::F64), vec![], value.to_le_bytes().to_vec()),
        AttributeValue::Bool(value) => (Kind::Bool, vec![], vec![u8::from(value)]),
        AttributeValue::Text(text) => {
            let (length, content) = ascii(name, &[text])?;
            (Kind::Ascii(length), vec![], content)
        }
        AttributeValue::Texts(texts) => {
            let (length, content) = ascii(name, texts)?;
            (Kind::Ascii(length), vec![texts.len() as u64], content)
        }
        AttributeValue::Utf8(text) => {
            if text.contains('\0') {
                return Err(not_allowed(name, text, "characters other than U+0000"));
            }
            let (length, content) = padded(name, &[text])?;
            (Kind::Utf8(length), vec![], content)
        }
    };
    let (name_field, kind, space) = ([name.as_bytes(), &[0]].concat(), kind.encoded(), dataspace(&shape));
    let mut message = vec![1, 0];
    for length in [name_field.len(), kind.len(), space.len()] {
        message.extend((length as u16).to_le_bytes());
    }
    for part in [name_field, kind, space, content] {
        message.extend(part);
        pad(&mut message);
    }
    if message.len() > LARGEST_MESSAGE {
        return Err(too_long(name, message.len()));
    }
    Ok(message)
}

/// Texts of printable ASCII characters, as [`padded`].
fn ascii(name: &str, texts: &[&str]) -> Result<(u32, Vec<u8>), Refused> {
    let content = padded(name, texts)?;
    match texts.iter().find(|text| !text.bytes().all(|byte| matches!(byte, b' '..=b'~'))) {
        Some(text) => Err(not_allowed(name, text, "printable ASCII characters")),
        None => Ok(content),
    }
}

/// Encodes texts with one length; returns the length with at least one zero byte at the end of each text, and the bytes of all texts.
fn padded(name: &str, texts: &[&str]) -> Result<(u32, Vec<u8>), Refused> {
    let Some(longest) = texts.iter().map(|text| text.len()).max() else {
        return Err(Refused::new(format!("number of texts of the attribute `{name}`"), 0, "at least 1"));
    };
    let length = longest + 1;
    let total = texts.len().saturating_mul(length) - 1;
    if total > LARGEST_MESSAGE {
        return Err(too_long(name, total));
    }
    let mut content = Vec::with_capacity(texts.len() * length);
    for (index, text) in texts.iter().enumerate() {
        content.extend(text.bytes());
        content.resize((index + 1) * length, 0);
    }
    Ok((length as u32, content))
}

fn not_allowed(name: &str, text: &str, allowed: &str) -> Refused {
    Refused::new(format!("attribute `{name}`"), format!("`{}`", crate::escaped(text)), allowed)
}

fn too_long(name: &str, bytes: usize) -> Refused {
    Refused::new(format!("bytes of the attribute `{name}`"), bytes, format!("at most {LARGEST_MESSAGE}"))
}

/// The object header of a dataset.
///
/// # Arguments
/// * `shape` – number of values along each dimension, the slowest first
/// * `first` – address of the first value
/// * `attributes` – encoded messages
pub(super) fn dataset_header(value_type: ValueType, shape: &[u64], first: u64, attributes: Vec<Vec<u8>>) -> Vec<u8> {
    let bytes = shape.iter().product::<u64>() * value_type.bytes();
    let contiguous = [&[3, 1][..], &first.to_le_bytes(), &bytes.to_le_bytes()].concat();
    // Version 2, allocated late, written if set, and zero by default.
    let fill = vec![2, 2, 2, 1, 0, 0, 0, 0];
    let kind = Kind::Number(value_type).encoded();
    let own = [(DATASPACE, dataspace(shape)), (DATATYPE, kind), (FILL_VALUE, fill), (LAYOUT, contiguous)];
    object_header(own.into_iter().chain(attributes.into_iter().map(|message| (ATTRIBUTE, message))))
}

/// The object header of a group.
///
/// # Arguments
/// * `tree`, `heap` – addresses of its B-tree and its local heap
/// * `attributes` – encoded messages
pub(super) fn group_header(tree: u64, heap: u64, attributes: Vec<Vec<u8>>) -> Vec<u8> {
    let own = (SYMBOL_TABLE, [tree.to_le_bytes(), heap.to_le_bytes()].concat());
    object_header([own].into_iter().chain(attributes.into_iter().map(|message| (ATTRIBUTE, message))))
}

/// An object header with messages, each a type and a content.
fn object_header(messages: impl Iterator<Item = (u16, Vec<u8>)>) -> Vec<u8> {
    let (mut count, mut body) = (0_u16, Vec::new());
    for (kind, mut content) in messages {
        pad(&mut content);
        body.extend(kind.to_le_bytes());
        body.extend((content.len() as u16).to_le_bytes());
        body.extend([0; 4]);
        body.extend(content);
        count += 1;
    }
    let references = 1_u32;
    let mut header = vec![1, 0];
    header.extend(count.to_le_bytes());
    header.extend(references.to_le_bytes());
    header.extend((body.len() as u32).to_le_bytes());
    pad(&mut header);
    header.extend(body);
    header
}

/// The superblock of version 0.
///
/// # Arguments
/// * `end` – length of the file
pub(super) fn superblock(root: &EncodedGroup, end: u64) -> Vec<u8> {
    let mut bytes = b"\x89HDF\r\n\x1A\n".to_vec();
    // Versions of superblock, free space, root group and shared messages; sizes of addresses and of lengths.
    bytes.extend([0, 0, 0, 0, 0, 8, 8, 0]);
    bytes.extend([LEAF_K, INTERNAL_K].map(|k| (k as u16).to_le_bytes()).concat());
    bytes.extend([0; 4]);
    let base = 0;
    for address in [base, UNDEFINED, end, UNDEFINED] {
        bytes.extend(address.to_le_bytes());
    }
    let name = 0_u64;
    let has_tree = 1;
    for field in [name, root.header, has_tree, root.tree, root.heap] {
        bytes.extend(field.to_le_bytes());
    }
    bytes
}

/// Pads to a multiple of 8 bytes.
pub(super) fn pad(bytes: &mut Vec<u8>) {
    bytes.resize(bytes.len().next_multiple_of(super::ALIGNMENT as usize), 0);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_have_the_sizes_of_the_specification() {
        let numbers = [(ValueType::I8, 12), (ValueType::I64, 12), (ValueType::F32, 20), (ValueType::F64, 20)];
        let numbers = numbers.map(|(value_type, bytes)| (Kind::Number(value_type), bytes));
        for (kind, bytes) in numbers.into_iter().chain([(Kind::Bool, 38), (Kind::Ascii(5), 8), (Kind::Utf8(5), 8)]) {
            assert_eq!(kind.encoded().len(), bytes, "{kind:?}");
        }
        assert_eq!(Kind::Number(ValueType::I64).encoded(), [0x10, 8, 0, 0, 8, 0, 0, 0, 0, 0, 64, 0]);
        let single = [0x11, 0x20, 31, 0, 4, 0, 0, 0, 0, 0, 32, 0, 23, 8, 0, 23, 127, 0, 0, 0];
        assert_eq!(Kind::Number(ValueType::F32).encoded(), single);
        assert_eq!(Kind::Bool.encoded()[..8], [0x18, 2, 0, 0, 1, 0, 0, 0]);
    }

    #[test]
    fn parts_of_an_attribute_are_padded() {
        let message = attribute("file_format", AttributeValue::Text("ASDF")).unwrap();
        assert_eq!(message[..8], [1, 0, 12, 0, 8, 0, 8, 0]);
        assert_eq!(&message[8..24], b"file_format\0\0\0\0\0");
        assert_eq!(message[24..32], [0x13, 1, 0, 0, 5, 0, 0, 0]);
        assert_eq!((&message[32..40], &message[40..]), (&[1, 0, 0, 0, 0, 0, 0, 0][..], &b"ASDF\0\0\0\0"[..]));
    }

    #[test]
    fn texts_of_an_attribute_have_one_length() {
        let message = attribute("Dimensions", AttributeValue::Texts(&["locus", "time"])).unwrap();
        assert_eq!(message[2..8], [11, 0, 8, 0, 16, 0]);
        assert_eq!(message[24..32], [0x13, 1, 0, 0, 6, 0, 0, 0]);
        assert_eq!(message[32..48], [1, 1, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0]);
        assert_eq!(&message[48..], b"locus\0time\0\0\0\0\0\0");
    }

    #[test]
    fn attributes_that_do_not_fit_are_refused() {
        let long = "x".repeat(65_528);
        for (value, problem) in [
            (AttributeValue::Text("é"), "printable"),
            (AttributeValue::Text("a\0"), "printable"),
            (AttributeValue::Text(&long), "at most 65528"),
            (AttributeValue::Texts(&["a", "é"]), "printable"),
            (AttributeValue::Texts(&[]), "at least 1"),
            (AttributeValue::Texts(&[&long, "a"]), "at most 65528"),
            (AttributeValue::Utf8("é\0"), "other than U+0000"),
            (AttributeValue::Utf8(&long), "at most 65528"),
        ] {
            let refused = attribute("event_id", value).unwrap_err().to_string();
            assert!(refused.contains("`event_id`") && refused.contains(problem), "{refused}");
        }
    }
}
