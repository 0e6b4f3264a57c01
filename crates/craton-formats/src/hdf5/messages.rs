//! Object headers of version 1, their messages, and the superblock.

use super::AttributeValue;
use super::group::{EncodedGroup, INTERNAL_K, LEAF_K};
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

/// The type of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    I8,
    I64,
    F32,
    F64,
    /// Text with its length in bytes.
    Text(u32),
}

impl Kind {
    /// Bytes of a value.
    fn bytes(self) -> u32 {
        match self {
            Self::I8 => 1,
            Self::F32 => 4,
            Self::I64 | Self::F64 => 8,
            Self::Text(length) => length,
        }
    }

    /// The datatype message: class and version, three bytes of flags, size, properties.
    fn encoded(self) -> Vec<u8> {
        let bits = (8 * self.bytes()) as u16;
        let (class, flags, properties) = match self {
            // Signed; bit offset and precision.
            Self::I8 | Self::I64 => (0, [0x08, 0, 0], [[0; 2], bits.to_le_bytes()].concat()),
            Self::F32 => (1, [0x20, 31, 0], float(bits, [23, 8, 0, 23], 127)),
            Self::F64 => (1, [0x20, 63, 0], float(bits, [52, 11, 0, 52], 1023)),
            // Padded with zeros, ASCII.
            Self::Text(_) => (3, [0x01, 0, 0], Vec::new()),
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

/// The dataspace message of a single value.
const SCALAR: [u8; 8] = [1, 0, 0, 0, 0, 0, 0, 0];

/// The dataspace message of values along one dimension.
fn line(count: u64) -> Vec<u8> {
    [[1, 1, 0, 0, 0, 0, 0, 0], count.to_le_bytes()].concat()
}

/// The header message of an attribute.
///
/// # Errors
/// A text that is not printable ASCII, or is too long.
pub(super) fn attribute(name: &str, value: AttributeValue) -> Result<Vec<u8>, Refused> {
    let (kind, content) = match value {
        AttributeValue::I64(value) => (Kind::I64, value.to_le_bytes().to_vec()),
        AttributeValue::F64(value) => (Kind::F64, value.to_le_bytes().to_vec()),
        AttributeValue::Text(text) => {
            if text.len() > LARGEST_MESSAGE {
                return Err(too_long(name, text.len()));
            }
            if !text.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
                let value = format!("`{}`", crate::escaped(text));
                return Err(Refused::new(format!("attribute `{name}`"), value, "printable ASCII characters"));
            }
            (Kind::Text(text.len() as u32 + 1), [text.as_bytes(), &[0]].concat())
        }
    };
    let (name_field, kind) = ([name.as_bytes(), &[0]].concat(), kind.encoded());
    let mut message = vec![1, 0];
    for length in [name_field.len(), kind.len(), SCALAR.len()] {
        message.extend((length as u16).to_le_bytes());
    }
    for part in [&name_field, &kind, &SCALAR[..], &content] {
        message.extend(part);
        pad(&mut message);
    }
    if message.len() > LARGEST_MESSAGE {
        return Err(too_long(name, message.len()));
    }
    Ok(message)
}

fn too_long(name: &str, bytes: usize) -> Refused {
    Refused::new(format!("bytes of the attribute `{name}`"), bytes, format!("at most {LARGEST_MESSAGE}"))
}

/// The object header of a dataset.
///
/// # Arguments
/// * `first` – address of the first value
/// * `attributes` – encoded messages
pub(super) fn dataset_header(kind: Kind, count: u64, first: u64, attributes: Vec<Vec<u8>>) -> Vec<u8> {
    let bytes = count * u64::from(kind.bytes());
    let contiguous = [&[3, 1][..], &first.to_le_bytes(), &bytes.to_le_bytes()].concat();
    // Version 2, allocated late, written if set, and zero by default.
    let fill = vec![2, 2, 2, 1, 0, 0, 0, 0];
    let own = [(DATASPACE, line(count)), (DATATYPE, kind.encoded()), (FILL_VALUE, fill), (LAYOUT, contiguous)];
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
        for (kind, bytes) in [(Kind::I8, 12), (Kind::I64, 12), (Kind::F32, 20), (Kind::F64, 20), (Kind::Text(5), 8)] {
            assert_eq!(kind.encoded().len(), bytes, "{kind:?}");
        }
        assert_eq!(Kind::I64.encoded(), [0x10, 8, 0, 0, 8, 0, 0, 0, 0, 0, 64, 0]);
        assert_eq!(Kind::F32.encoded(), [0x11, 0x20, 31, 0, 4, 0, 0, 0, 0, 0, 32, 0, 23, 8, 0, 23, 127, 0, 0, 0]);
    }

    #[test]
    fn parts_of_an_attribute_are_padded() {
        let message = attribute("file_format", AttributeValue::Text("ASDF")).unwrap();
        assert_eq!(message[..8], [1, 0, 12, 0, 8, 0, 8, 0]);
        assert_eq!(&message[8..24], b"file_format\0\0\0\0\0");
        assert_eq!(message[24..32], [0x13, 1, 0, 0, 5, 0, 0, 0]);
        assert_eq!((&message[32..40], &message[40..]), (&SCALAR[..], &b"ASDF\0\0\0\0"[..]));
    }

    #[test]
    fn attributes_that_do_not_fit_are_refused() {
        let long = "x".repeat(65_528);
        for (text, problem) in [("é", "printable"), ("a\0", "printable"), (&long, "at most 65528")] {
            let refused = attribute("event_id", AttributeValue::Text(text)).unwrap_err().to_string();
            assert!(refused.contains("`event_id`") && refused.contains(problem), "{refused}");
        }
    }
}
