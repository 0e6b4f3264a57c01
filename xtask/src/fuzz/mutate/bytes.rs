//! Mutations of bytes and of chunks of bytes.

// All mutations have one signature, although some keep the length.
#![allow(clippy::ptr_arg)]

use super::MOST_BYTES;
use crate::fuzz::random::Random;
use std::ops::Range;

/// Largest number of copies of a chunk.
const MOST_COPIES: usize = 2000;

/// A range of an input; empty for an empty input.
fn chunk(input: &[u8], random: &mut Random) -> Range<usize> {
    if input.is_empty() {
        return 0..0;
    }
    let start = random.below(input.len());
    start..start + random.length(input.len() - start)
}

/// Flips one bit.
pub fn flip_bit(input: &mut Vec<u8>, _: &[Vec<u8>], random: &mut Random) {
    let at = random.below(input.len());
    if let Some(byte) = input.get_mut(at) {
        *byte ^= 1 << random.below(8);
    }
}

/// Replaces one byte.
pub fn replace_byte(input: &mut Vec<u8>, _: &[Vec<u8>], random: &mut Random) {
    let (at, any) = (random.below(input.len()), random.bits() as u8);
    if let Some(byte) = input.get_mut(at) {
        *byte = *random.one_of(&[0, 1, b'\n', b' ', b'0', 0x7f, 0x80, 0xff, any]);
    }
}

/// Removes the end.
pub fn truncate(input: &mut Vec<u8>, _: &[Vec<u8>], random: &mut Random) {
    let from_end = random.length(input.len());
    input.truncate(input.len().saturating_sub(from_end));
}

/// Inserts equal or random bytes.
pub fn insert(input: &mut Vec<u8>, _: &[Vec<u8>], random: &mut Random) {
    let at = random.below(input.len() + 1);
    let byte = random.bits() as u8;
    let is_equal = random.once_in(2);
    let added: Vec<u8> = (0..random.length(64)).map(|_| if is_equal { byte } else { random.bits() as u8 }).collect();
    input.splice(at..at, added);
}

/// Repeats a chunk, next to it or elsewhere.
pub fn repeat(input: &mut Vec<u8>, _: &[Vec<u8>], random: &mut Random) {
    let copied = input[chunk(input, random)].to_vec();
    let most = (MOST_BYTES.saturating_sub(input.len()) / copied.len().max(1)).clamp(1, MOST_COPIES);
    let copies = if random.once_in(4) { random.length(most) } else { 1 + random.below(3) };
    let at = random.below(input.len() + 1);
    input.splice(at..at, copied.repeat(copies));
}

/// Removes a chunk.
pub fn remove(input: &mut Vec<u8>, _: &[Vec<u8>], random: &mut Random) {
    input.drain(chunk(input, random));
}

/// Exchanges two chunks of equal length.
pub fn swap(input: &mut Vec<u8>, _: &[Vec<u8>], random: &mut Random) {
    let first = chunk(input, random);
    let length = first.len();
    let second = random.below((input.len() + 1).saturating_sub(length));
    for index in 0..length {
        input.swap(first.start + index, second + index);
    }
}

/// Continues with the end of another input.
pub fn splice(input: &mut Vec<u8>, others: &[Vec<u8>], random: &mut Random) {
    let other = random.one_of(others);
    input.truncate(random.below(input.len() + 1));
    input.extend_from_slice(&other[random.below(other.len() + 1)..]);
}
