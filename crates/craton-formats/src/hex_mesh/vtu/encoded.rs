//! Bytes of arrays: raw or in base64, perhaps compressed.

use std::io::Read;

use flate2::read::ZlibDecoder;

use crate::ByteOrder;

/// Bytes of a file, in base64 or not.
#[derive(Clone, Debug)]
pub(super) enum Encoded<'a> {
    Raw(&'a [u8]),
    Base64 {
        text: &'a [u8],
        /// Decoded bytes of the last group that were not taken.
        decoded: Vec<u8>,
    },
}

impl<'a> Encoded<'a> {
    /// # Arguments
    /// * `bytes` – the bytes, or their text in base64: one text, or several that were encoded one by one
    pub fn new(bytes: &'a [u8], is_base64: bool) -> Self {
        if is_base64 { Self::Base64 { text: bytes, decoded: Vec::new() } } else { Self::Raw(bytes) }
    }

    /// Takes the next bytes; `None` if there are fewer.
    fn take(&mut self, count: u64) -> Option<Vec<u8>> {
        let count = usize::try_from(count).ok()?;
        match self {
            Self::Raw(bytes) => {
                let (taken, rest) = bytes.split_at_checked(count)?;
                *bytes = rest;
                Some(taken.to_vec())
            }
            Self::Base64 { text, decoded } => {
                let mut taken = std::mem::take(decoded);
                if count > taken.len().saturating_add(text.len()) {
                    return None;
                }
                while taken.len() < count {
                    let (group, length) = group(text)?;
                    taken.extend_from_slice(&group[..length]);
                }
                *decoded = taken.split_off(count);
                Some(taken)
            }
        }
    }

    /// Takes a size, an unsigned integer of 4 or 8 bytes.
    fn size(&mut self, width: u64, order: ByteOrder) -> Option<u64> {
        let bytes = self.take(width)?;
        Some(if width == 8 { order.read(&bytes) } else { u64::from(order.read::<u32>(&bytes)) })
    }

    /// Takes an array: its size, then its bytes.
    pub fn array(&mut self, width: u64, order: ByteOrder) -> Option<Vec<u8>> {
        let size = self.size(width, order)?;
        self.take(size)
    }

    /// Takes an array of blocks that zlib compressed: their number, the size of a block, that of the last one if it is smaller, their sizes in the file, and the blocks.
    pub fn compressed_array(&mut self, width: u64, order: ByteOrder) -> Option<Vec<u8>> {
        let blocks = self.size(width, order)?;
        if blocks == 0 {
            return Some(Vec::new());
        }
        let (size, last) = (self.size(width, order)?, self.size(width, order)?);
        let mut sizes = Vec::new();
        for _ in 0..blocks {
            sizes.push(self.size(width, order)?);
        }
        let mut all = Vec::new();
        for (index, of_file) in sizes.into_iter().enumerate() {
            let is_last = index as u64 + 1 == blocks;
            let expected = if is_last && last > 0 { last } else { size };
            let start = all.len();
            ZlibDecoder::new(&self.take(of_file)?[..]).take(expected).read_to_end(&mut all).ok()?;
            if (all.len() - start) as u64 != expected {
                return None;
            }
        }
        Some(all)
    }
}

/// Takes the next four letters in base64 and decodes them to one to three bytes.
fn group(text: &mut &[u8]) -> Option<([u8; 3], usize)> {
    let (mut bits, mut letters, mut length) = (0_u32, 0, 0);
    while letters < 4 {
        let (&letter, rest) = text.split_first()?;
        *text = rest;
        let value = match letter {
            b'A'..=b'Z' => letter - b'A',
            b'a'..=b'z' => letter - b'a' + 26,
            b'0'..=b'9' => letter - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            b'=' if letters >= 2 => 0,
            _ if letter.is_ascii_whitespace() => continue,
            _ => return None,
        };
        bits = bits << 6 | u32::from(value);
        letters += 1;
        length = if letter == b'=' { length } else { letters };
    }
    let [_, first, second, third] = bits.to_be_bytes();
    Some(([first, second, third], length.max(2) - 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_decoded_in_parts() {
        // "abcd" and "e", encoded one by one.
        let mut encoded = Encoded::new(b"YWJj\nZA==ZQ==", true);
        assert_eq!(encoded.take(2), Some(b"ab".to_vec()));
        assert_eq!(encoded.take(3), Some(b"cde".to_vec()));
        assert_eq!(encoded.take(1), None);
        assert_eq!(Encoded::new(b"Y*Jj", true).take(1), None);
        assert_eq!(Encoded::new(b"YWJj", true).take(u64::MAX), None);
    }

    #[test]
    fn sizes_beyond_the_end_are_refused() {
        let huge = u64::MAX.to_le_bytes();
        for bytes in [&huge[..], &[], &[0; 3], &[huge, huge, huge].concat()] {
            assert_eq!(Encoded::new(bytes, false).array(8, ByteOrder::Little), None);
            assert_eq!(Encoded::new(bytes, false).compressed_array(8, ByteOrder::Little), None);
        }
    }
}
