//! Reading fields back from VTU and VTI files written by this crate.

use std::path::Path;

use super::appended::{DATA_MARK, escape};
use crate::error::{FormatError, Result};
use crate::text::read_bytes;

/// Reads a single-precision field of a file written by [`write_vtu`](super::write_vtu) or [`write_vti`](super::write_vti).
///
/// # Arguments
/// * `name` – name of the field, as passed to the writer
/// # Errors
/// A file that cannot be read, was not written by this crate, or was truncated; no such field, or one with another number type.
pub fn read_f32(path: &Path, name: &str) -> Result<Vec<f32>> {
    let file = read_bytes(path)?;
    let refuse = |value: &str, expected: &str| FormatError::BadField {
        path: path.to_owned(),
        field: name.to_owned(),
        value: value.to_owned(),
        expected: expected.to_owned(),
    };
    let mark = file.windows(DATA_MARK.len()).position(|window| window == DATA_MARK.as_bytes());
    let mark = mark.ok_or_else(|| refuse("no appended data", "a VTU or VTI file of this program"))?;
    let (head, data) = (String::from_utf8_lossy(&file[..mark]), &file[mark + DATA_MARK.len()..]);
    let attribute = format!(" Name=\"{}\"", escape(name));
    let line = head.lines().find(|line| line.contains(&attribute));
    let line = line.ok_or_else(|| refuse("no such field", "the name of a field of the file"))?;
    if !line.contains("type=\"Float32\"") {
        return Err(refuse(line, "a field of type Float32"));
    }
    let offset = line.split_once(" offset=\"").and_then(|(_, rest)| rest.split_once('"'));
    let offset = offset.and_then(|(offset, _)| offset.parse().ok());
    let values = offset.and_then(|offset| array(data, offset));
    values.ok_or_else(|| refuse("an array beyond the end", "a complete file; this one was truncated"))
}

/// Reads the array at an offset, which starts with its size in bytes.
fn array(data: &[u8], offset: usize) -> Option<Vec<f32>> {
    let (size, data) = data.get(offset..)?.split_first_chunk()?;
    let size = usize::try_from(u64::from_le_bytes(*size)).ok()?;
    let (words, _) = data.get(..size)?.as_chunks();
    Some(words.iter().map(|&word| f32::from_le_bytes(word)).collect())
}
