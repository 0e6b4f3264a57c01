//! Steim compression: differences of integers, packed into 32-bit words.
//!
//! Frames have 16 words; two bits of the first word say how each word is divided. In the first frame, the second and third word are the
//! first and the last sample.
//!
//! Source: SEED Reference Manual 2.4, appendix B, Steim compression. Verified by `reading::files_written_by_obspy_are_read`.

use super::samples::too_many;
use crate::ByteOrder;
use crate::error::Refused;

const WORDS: usize = 16;
const FRAME_BYTES: usize = 4 * WORDS;

/// Appends the samples of a record.
///
/// # Arguments
/// * `encoding` – 10 for Steim-1, 11 for Steim-2
/// * `count` – number of samples of the record
/// * `order`, `bytes` – byte order and bytes of the data; bytes after the last complete frame are ignored
/// * `samples` – vector to append to
/// # Errors
/// Fewer differences than samples; an invalid division of a word; a last sample that does not equal the sum of first sample and
/// differences.
pub(super) fn decode(
    encoding: u8,
    count: usize,
    order: ByteOrder,
    bytes: &[u8],
    samples: &mut Vec<i32>,
) -> Result<(), Refused> {
    let mut frames = bytes.chunks_exact(FRAME_BYTES).map(|frame| Frame { order, bytes: frame }).peekable();
    let Some(ends) = frames.peek().map(|frame| [frame.word(1), frame.word(2)]) else { return Err(too_many(count, 0)) };
    let [first, last] = ends.map(|word| word as i32);
    let mut left = count;
    let mut sample = first;
    for (number, frame) in frames.enumerate() {
        for index in if number == 0 { 3 } else { 1 }..WORDS {
            if left == 0 {
                break;
            }
            let differences = frame.differences(encoding, index)?;
            for difference in differences.iter().take(left) {
                // The first difference refers to the previous record; the first sample is stored directly.
                sample = if left == count { first } else { sample.wrapping_add(difference) };
                samples.push(sample);
                left -= 1;
            }
        }
    }
    if left > 0 {
        return Err(too_many(count, count - left));
    }
    if sample != last {
        let expected = format!("{last}, the last sample as stored in the record; the record is damaged");
        return Err(Refused::new("last sample by Steim's differences", sample, expected));
    }
    Ok(())
}

/// Signed integers in one word: `count` of `bits` bits each, the last in the lowest bits.
#[derive(Clone, Copy)]
struct Differences {
    word: u32,
    bits: u32,
    count: u32,
}

impl Differences {
    /// Iterates from the highest bits to the lowest.
    fn iter(self) -> impl Iterator<Item = i32> {
        let Self { word, bits, count } = self;
        (0..count).rev().map(move |place| {
            let above = 32 - bits * (place + 1);
            ((word << above) as i32) >> (32 - bits)
        })
    }
}

struct Frame<'a> {
    order: ByteOrder,
    bytes: &'a [u8],
}

impl Frame<'_> {
    fn word(&self, index: usize) -> u32 {
        self.order.read(&self.bytes[4 * index..])
    }

    /// Divides a word into differences.
    fn differences(&self, encoding: u8, index: usize) -> Result<Differences, Refused> {
        let nibble = self.word(0) >> (30 - 2 * index) & 3;
        let word = self.word(index);
        let division = match (encoding, nibble, word >> 30) {
            (_, 0, _) => Some((0, 1)),
            (_, 1, _) => Some((4, 8)),
            (10, 2, _) => Some((2, 16)),
            (10, 3, _) => Some((1, 32)),
            (_, 2, 1) => Some((1, 30)),
            (_, 2, 2) => Some((2, 15)),
            (_, 2, 3) => Some((3, 10)),
            (_, 3, 0) => Some((5, 6)),
            (_, 3, 1) => Some((6, 5)),
            (_, 3, 2) => Some((7, 4)),
            _ => None,
        };
        let Some((count, bits)) = division else {
            let found = format!("{nibble} and {}", word >> 30);
            return Err(Refused::new("division code of a Steim word", found, "a valid code; the record is damaged"));
        };
        // Bytes, and the 16-bit halves of Steim-1, have the same sequence in either byte order.
        let word = match (self.order, encoding, nibble) {
            (ByteOrder::Little, _, 1) => word.swap_bytes(),
            (ByteOrder::Little, 10, 2) => word.rotate_left(16),
            _ => word,
        };
        Ok(Differences { word, bits, count })
    }
}
