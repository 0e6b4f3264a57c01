//! Mutations of lines, words, numbers and letters of text. Bytes that are not UTF-8 are kept.

use crate::fuzz::random::Random;
use std::ops::Range;

/// Extreme numbers, as they are written in text.
const NUMBERS: [&str; 24] = [
    "0",
    "-0",
    "1",
    "-1",
    "0.5",
    "NaN",
    "nan",
    "inf",
    "-inf",
    "1e308",
    "-1e308",
    "1e-308",
    "1e15",
    "1e30",
    "2147483647",
    "2147483648",
    "-2147483649",
    "4294967296",
    "9223372036854775807",
    "9223372036854775808",
    "18446744073709551615",
    "1d3",
    "1e999",
    "0x10",
];
/// Letters and marks with a meaning in some format, and characters that readers may not expect.
const LETTERS: [&str; 22] = [
    " ", "\t", "\r", "\n", "\0", ",", ";", ":", "=", "\"", "'", "#", "!", "<", ">", "&", "[", "]", "*", "\u{e9}",
    "\u{feff}", "\u{1b}",
];

/// Replaces a number by an extreme one.
pub fn replace_number(input: &mut Vec<u8>, _: &[Vec<u8>], random: &mut Random) {
    let numbers = runs(input, |byte| byte.is_ascii_digit() || b"+-.eEdD".contains(&byte));
    let numbers: Vec<_> = numbers.into_iter().filter(|run| input[run.clone()].iter().any(u8::is_ascii_digit)).collect();
    if !numbers.is_empty() {
        let place = random.one_of(&numbers).clone();
        input.splice(place, random.one_of(&NUMBERS).bytes());
    }
}

/// Replaces a word by a word of this or another input.
pub fn replace_word(input: &mut Vec<u8>, others: &[Vec<u8>], random: &mut Random) {
    let source = if random.once_in(3) { random.one_of(others).clone() } else { input.clone() };
    let (words, sources) = (words(input), words(&source));
    if !words.is_empty() && !sources.is_empty() {
        let place = random.one_of(&words).clone();
        let word = random.one_of(&sources).clone();
        input.splice(place, source[word].iter().copied());
    }
}

/// Removes one or several lines.
pub fn remove_line(input: &mut Vec<u8>, _: &[Vec<u8>], random: &mut Random) {
    let lines = lines(input);
    if !lines.is_empty() {
        let first = random.below(lines.len());
        let last = (first + random.length(3)).min(lines.len()) - 1;
        input.drain(lines[first].start..lines[last].end);
    }
}

/// Repeats a line elsewhere.
pub fn repeat_line(input: &mut Vec<u8>, others: &[Vec<u8>], random: &mut Random) {
    let source = if random.once_in(4) { random.one_of(others).clone() } else { input.clone() };
    let (places, sources) = (lines(input), lines(&source));
    if !sources.is_empty() {
        let line = source[random.one_of(&sources).clone()].to_vec();
        let at = if places.is_empty() { 0 } else { random.one_of(&places).start };
        let copies = if random.once_in(8) { random.length(1000) } else { 1 };
        input.splice(at..at, line.repeat(copies));
    }
}

/// Exchanges two lines.
pub fn swap_lines(input: &mut Vec<u8>, _: &[Vec<u8>], random: &mut Random) {
    let lines = lines(input);
    if lines.len() > 1 {
        let mut order: Vec<usize> = (0..lines.len()).collect();
        order.swap(random.below(lines.len()), random.below(lines.len()));
        *input = order.into_iter().flat_map(|line| input[lines[line].clone()].to_vec()).collect();
    }
}

/// Removes the word with the same number from each line, or from one of them.
pub fn remove_column(input: &mut Vec<u8>, _: &[Vec<u8>], random: &mut Random) {
    let column = random.below(6);
    let lines = lines(input);
    let only = random.once_in(2).then(|| random.below(lines.len()));
    for (number, line) in lines.into_iter().enumerate().rev() {
        if only.is_none_or(|only| only == number)
            && let Some(word) = words(&input[line.clone()]).get(column)
        {
            input.drain(line.start + word.start..line.start + word.end);
        }
    }
}

/// Inserts a letter with a meaning.
pub fn insert_letter(input: &mut Vec<u8>, _: &[Vec<u8>], random: &mut Random) {
    let at = random.below(input.len() + 1);
    input.splice(at..at, random.one_of(&LETTERS).bytes());
}

/// Ranges of consecutive bytes that fulfil a condition.
fn runs(input: &[u8], is_part: impl Fn(u8) -> bool) -> Vec<Range<usize>> {
    let mut runs = Vec::new();
    let mut start = None;
    for (at, &byte) in input.iter().enumerate() {
        match (is_part(byte), start) {
            (true, None) => start = Some(at),
            (false, Some(first)) => {
                runs.push(first..at);
                start = None;
            }
            _ => {}
        }
    }
    runs.extend(start.map(|first| first..input.len()));
    runs
}

/// Words: letters, digits and marks that belong to them.
fn words(input: &[u8]) -> Vec<Range<usize>> {
    runs(input, |byte| byte.is_ascii_alphanumeric() || byte >= 0x80 || b"_+-./".contains(&byte))
}

/// Lines with their line breaks.
fn lines(input: &[u8]) -> Vec<Range<usize>> {
    let mut start = 0;
    let lines = input.split_inclusive(|&byte| byte == b'\n').map(|line| {
        start += line.len();
        start - line.len()..start
    });
    lines.collect()
}
