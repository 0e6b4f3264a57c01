//! Mutations of binary words of 2, 4 and 8 bytes in both byte orders.

// All mutations have one signature, although some keep the length.
#![allow(clippy::ptr_arg)]

use crate::fuzz::random::Random;

/// Integers at the limits of their types, truncated to the size of the word.
const INTEGERS: [i64; 14] = [
    0,
    1,
    -1,
    2,
    i8::MAX as i64,
    i16::MAX as i64,
    i16::MIN as i64,
    u16::MAX as i64,
    i32::MAX as i64,
    i32::MIN as i64,
    u32::MAX as i64,
    1 << 40,
    i64::MAX,
    i64::MIN,
];
/// Extreme numbers.
const NUMBERS: [f64; 11] =
    [0.0, -0.0, -1.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e308, -1e308, 1e-308, 1e38, 1e-45];

/// Replaces a word by an extreme integer or number.
pub fn replace_word(input: &mut Vec<u8>, _: &[Vec<u8>], random: &mut Random) {
    let Some(word) = word(input, random) else { return };
    let bytes: Vec<u8> = match (random.once_in(2), word.len()) {
        (true, 4) => (*random.one_of(&NUMBERS) as f32).to_le_bytes().to_vec(),
        (true, 8) => random.one_of(&NUMBERS).to_le_bytes().to_vec(),
        (_, width) => random.one_of(&INTEGERS).to_le_bytes()[..width].to_vec(),
    };
    word.copy_from_slice(&bytes);
    if random.once_in(2) {
        word.reverse();
    }
}

/// Adds a small integer to a word.
pub fn add_to_word(input: &mut Vec<u8>, _: &[Vec<u8>], random: &mut Random) {
    let Some(word) = word(input, random) else { return };
    let is_big = random.once_in(2);
    let added = random.below(33) as i64 - 16;
    if is_big {
        word.reverse();
    }
    let mut bytes = [0; 8];
    bytes[..word.len()].copy_from_slice(word);
    let sum = i64::from_le_bytes(bytes).wrapping_add(added).to_le_bytes();
    let width = word.len();
    word.copy_from_slice(&sum[..width]);
    if is_big {
        word.reverse();
    }
}

/// A word, mostly at a multiple of its size; `None` if the input is too short.
fn word<'a>(input: &'a mut [u8], random: &mut Random) -> Option<&'a mut [u8]> {
    let width = *random.one_of(&[2, 4, 4, 8]);
    let last = input.len().checked_sub(width)?;
    let at = random.below(last + 1);
    let at = if random.once_in(4) { at } else { at / width * width };
    input.get_mut(at..at + width)
}
