//! The textual header of a SEG-Y file: 40 lines of 80 characters.

use crate::error::Refused;

/// Size of the textual header [bytes].
pub(super) const TEXT_HEADER_BYTES: usize = LINES * WIDTH;

const LINES: usize = 40;
const WIDTH: usize = 80;

/// Character encoding of a textual header.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TextEncoding {
    /// EBCDIC, code page 037, the original encoding of the standard.
    #[default]
    Ebcdic,
    /// ASCII.
    Ascii,
}

/// A textual header: lines without trailing blanks, and their encoding.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TextHeader {
    /// At most 40 lines of at most 80 characters; by convention they start with `C` and the line number, three characters.
    pub lines: Vec<String>,
    /// Character encoding.
    pub encoding: TextEncoding,
}

impl TextHeader {
    /// Creates a header in EBCDIC: 40 lines `C 1 ...` to `C38 ...`, followed by the two lines that revision 1 requires.
    ///
    /// # Arguments
    /// * `texts` – at most 38 texts of at most 76 printable ASCII characters
    /// # Errors
    /// Too many or too long texts; other characters.
    pub fn cards<S: AsRef<str>>(texts: &[S]) -> Result<Self, Refused> {
        const LAST_LINES: [&str; 2] = ["SEG Y REV1", "END TEXTUAL HEADER"];
        let most = LINES - LAST_LINES.len();
        if texts.len() > most {
            return Err(Refused::new("texts of the textual header", texts.len(), format!("at most {most}")));
        }
        let blanks = std::iter::repeat_n("", most - texts.len());
        let all = texts.iter().map(AsRef::as_ref).chain(blanks).chain(LAST_LINES);
        let card = |(index, text): (usize, &str)| format!("C{:2} {text}", index + 1).trim_end().to_owned();
        let header = Self { lines: all.enumerate().map(card).collect(), encoding: TextEncoding::Ebcdic };
        header.to_bytes()?;
        Ok(header)
    }

    /// Whether an extended textual header has the stanza that ends a variable number of them, which the standard spells `((SEG: EndText))`.
    pub(super) fn ends_text(&self) -> bool {
        let letters = self.lines.iter().flat_map(|line| line.chars()).filter(|letter| !letter.is_whitespace());
        letters.collect::<String>().to_ascii_uppercase().contains("((SEG:ENDTEXT))")
    }

    /// Encodes the header in 3200 bytes, padded with blanks.
    pub(super) fn to_bytes(&self) -> Result<Vec<u8>, Refused> {
        if self.lines.len() > LINES {
            let found = format!("{} lines", self.lines.len());
            return Err(Refused::new("textual header", found, format!("at most {LINES} lines")));
        }
        let mut bytes = vec![b' '; TEXT_HEADER_BYTES];
        for (index, (line, place)) in self.lines.iter().zip(bytes.chunks_exact_mut(WIDTH)).enumerate() {
            if line.len() > WIDTH || !line.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
                let what = format!("line {} of the textual header", index + 1);
                return Err(Refused::new(what, line, format!("at most {WIDTH} printable ASCII characters")));
            }
            place[..line.len()].copy_from_slice(line.as_bytes());
        }
        if self.encoding == TextEncoding::Ebcdic {
            bytes.iter_mut().for_each(|byte| *byte = ebcdic(*byte));
        }
        Ok(bytes)
    }

    /// Decodes a header in either encoding; non-printable characters become blanks.
    pub(super) fn from_bytes(bytes: &[u8]) -> Self {
        let encoding = encoding(bytes);
        let latin1 = |byte: u8| match encoding {
            TextEncoding::Ebcdic => LATIN1_OF_EBCDIC[usize::from(byte)],
            TextEncoding::Ascii => byte,
        };
        let printable = |byte: &u8| Some(char::from(latin1(*byte))).filter(|c| !c.is_control()).unwrap_or(' ');
        let line = |bytes: &[u8]| bytes.iter().map(printable).collect::<String>().trim_end().to_owned();
        Self { lines: bytes.chunks_exact(WIDTH).map(line).collect(), encoding }
    }
}

/// Detects the encoding: EBCDIC has its blank at `@`, and letters and digits outside the ASCII range.
fn encoding(bytes: &[u8]) -> TextEncoding {
    let is_ebcdic = |byte: &&u8| **byte == b'@' || **byte >= 0x80;
    let is_ascii = |byte: &&u8| !is_ebcdic(byte) && **byte >= b' ';
    let ebcdic = bytes.iter().filter(is_ebcdic).count();
    if ebcdic > bytes.iter().filter(is_ascii).count() { TextEncoding::Ebcdic } else { TextEncoding::Ascii }
}

/// EBCDIC code of an ASCII character.
fn ebcdic(ascii: u8) -> u8 {
    let place = LATIN1_OF_EBCDIC.iter().position(|&latin1| latin1 == ascii);
    place.expect("code page 037 holds all of Latin-1") as u8
}

/// Code page 037.
#[rustfmt::skip]
const LATIN1_OF_EBCDIC: [u8; 256] = [
    0x00, 0x01, 0x02, 0x03, 0x9C, 0x09, 0x86, 0x7F, 0x97, 0x8D, 0x8E, 0x0B, 0x0C, 0x0D, 0x0E, 0x0F,
    0x10, 0x11, 0x12, 0x13, 0x9D, 0x85, 0x08, 0x87, 0x18, 0x19, 0x92, 0x8F, 0x1C, 0x1D, 0x1E, 0x1F,
    0x80, 0x81, 0x82, 0x83, 0x84, 0x0A, 0x17, 0x1B, 0x88, 0x89, 0x8A, 0x8B, 0x8C, 0x05, 0x06, 0x07,
    0x90, 0x91, 0x16, 0x93, 0x94, 0x95, 0x96, 0x04, 0x98, 0x99, 0x9A, 0x9B, 0x14, 0x15, 0x9E, 0x1A,
    0x20, 0xA0, 0xE2, 0xE4, 0xE0, 0xE1, 0xE3, 0xE5, 0xE7, 0xF1, 0xA2, 0x2E, 0x3C, 0x28, 0x2B, 0x7C,
    0x26, 0xE9, 0xEA, 0xEB, 0xE8, 0xED, 0xEE, 0xEF, 0xEC, 0xDF, 0x21, 0x24, 0x2A, 0x29, 0x3B, 0xAC,
    0x2D, 0x2F, 0xC2, 0xC4, 0xC0, 0xC1, 0xC3, 0xC5, 0xC7, 0xD1, 0xA6, 0x2C, 0x25, 0x5F, 0x3E, 0x3F,
    0xF8, 0xC9, 0xCA, 0xCB, 0xC8, 0xCD, 0xCE, 0xCF, 0xCC, 0x60, 0x3A, 0x23, 0x40, 0x27, 0x3D, 0x22,
    0xD8, 0x61, 0x62, 0x63, 0x64, 0x65, 0x66, 0x67, 0x68, 0x69, 0xAB, 0xBB, 0xF0, 0xFD, 0xFE, 0xB1,
    0xB0, 0x6A, 0x6B, 0x6C, 0x6D, 0x6E, 0x6F, 0x70, 0x71, 0x72, 0xAA, 0xBA, 0xE6, 0xB8, 0xC6, 0xA4,
    0xB5, 0x7E, 0x73, 0x74, 0x75, 0x76, 0x77, 0x78, 0x79, 0x7A, 0xA1, 0xBF, 0xD0, 0xDD, 0xDE, 0xAE,
    0x5E, 0xA3, 0xA5, 0xB7, 0xA9, 0xA7, 0xB6, 0xBC, 0xBD, 0xBE, 0x5B, 0x5D, 0xAF, 0xA8, 0xB4, 0xD7,
    0x7B, 0x41, 0x42, 0x43, 0x44, 0x45, 0x46, 0x47, 0x48, 0x49, 0xAD, 0xF4, 0xF6, 0xF2, 0xF3, 0xF5,
    0x7D, 0x4A, 0x4B, 0x4C, 0x4D, 0x4E, 0x4F, 0x50, 0x51, 0x52, 0xB9, 0xFB, 0xFC, 0xF9, 0xFA, 0xFF,
    0x5C, 0xF7, 0x53, 0x54, 0x55, 0x56, 0x57, 0x58, 0x59, 0x5A, 0xB2, 0xD4, 0xD6, 0xD2, 0xD3, 0xD5,
    0x30, 0x31, 0x32, 0x33, 0x34, 0x35, 0x36, 0x37, 0x38, 0x39, 0xB3, 0xDB, 0xDC, 0xD9, 0xDA, 0x9F,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_page_037_holds_each_byte_once() {
        let mut all = LATIN1_OF_EBCDIC;
        all.sort_unstable();
        assert!(all.iter().enumerate().all(|(index, &byte)| index == usize::from(byte)));
        assert_eq!(
            *b"C 1 az09[]".map(ebcdic).first_chunk::<8>().unwrap(),
            [0xC3, 0x40, 0xF1, 0x40, 0x81, 0xA9, 0xF0, 0xF9]
        );
    }
}
