//! Steim's compression: differences of integers, as many to a word of 32 bits as fit.
//!
//! Frames of 16 words; two bits of the first word tell how each word is parted. In the first frame the second and third
//! word are the first and the last sample.
//!
//! Source: SEED Reference Manual 2.4, appendix B, Steim compression. Verified by `reading::what_obspy_writes_is_read`.

use super::samples::too_many;
use crate::ByteOrder;
use crate::error::Refused;

const WORDS: usize = 16;
const FRAME_BYTES: usize = 4 * WORDS;

/// Appends the samples of a record.
///
/// # Arguments
/// * `encoding` – 10 for Steim-1, 11 for Steim-2
/// * `count` – samples of the record
/// * `order`, `bytes` – byte order and bytes of the data; what follows the last whole frame is left out
/// * `samples` – where to append them
/// # Errors
/// Fewer differences than samples; a parting that does not exist; a last sample that is not what the differences make
/// of the first.
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
                // The very first difference leads from the record before to the first sample, which is known.
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
        let expected = format!("{last}, the last sample that the record gives for comparison; it is damaged");
        return Err(Refused::new("last sample by Steim's differences", sample, expected));
    }
    Ok(())
}

/// Signed numbers in one word: `count` of `bits` each, the last in the lowest bits.
#[derive(Clone, Copy)]
struct Differences {
    word: u32,
    bits: u32,
    count: u32,
}

impl Differences {
    /// From the highest bits to the lowest.
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

    /// How a word is parted.
    fn differences(&self, encoding: u8, index: usize) -> Result<Differences, Refused> {
        let nibble = self.word(0) >> (30 - 2 * index) & 3;
        let word = self.word(index);
        let parting = match (encoding, nibble, word >> 30) {
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
        let Some((count, bits)) = parting else {
            let found = format!("{nibble} and {}", word >> 30);
            return Err(Refused::new("parting of a word of Steim-2", found, "one that exists; the record is damaged"));
        };
        // Bytes, and the halves of Steim-1, stand one after another in either byte order.
        let word = match (self.order, encoding, nibble) {
            (ByteOrder::Little, _, 1) => word.swap_bytes(),
            (ByteOrder::Little, 10, 2) => word.rotate_left(16),
            _ => word,
        };
        Ok(Differences { word, bits, count })
    }
}
