//! Text from files, made safe to show.

use std::borrow::Cow;

/// Replaces control characters, which may command a terminal, and characters that reverse or hide text by `\u{1b}` and so on. Line breaks
/// and tabs remain.
pub fn escaped(text: &str) -> Cow<'_, str> {
    if is_plain(text) {
        return Cow::Borrowed(text);
    }
    let mut safe = String::with_capacity(text.len() + 8);
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        let ends_line = letter == '\r' && letters.peek() == Some(&'\n');
        if is_unsafe(letter) && !ends_line { safe.extend(letter.escape_unicode()) } else { safe.push(letter) }
    }
    Cow::Owned(safe)
}

/// The first 200 characters of a text, followed by `…` if there are more.
pub fn shortened(text: &str) -> Cow<'_, str> {
    /// Largest number of characters.
    const LONGEST: usize = 200;
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => Cow::Owned(format!("{}…", &text[..end])),
        None => Cow::Borrowed(text),
    }
}

/// Whether [`escaped`] changes nothing.
pub fn is_plain(text: &str) -> bool {
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        let ends_line = letter == '\r' && letters.peek() == Some(&'\n');
        if is_unsafe(letter) && !ends_line {
            return false;
        }
    }
    true
}

fn is_unsafe(letter: char) -> bool {
    /// Marks and overrides of the direction of text, and separators of lines that are no line breaks.
    const HIDDEN: [std::ops::RangeInclusive<char>; 5] = [
        '\u{61c}'..='\u{61c}',
        '\u{200b}'..='\u{200f}',
        '\u{2028}'..='\u{202e}',
        '\u{2066}'..='\u{2069}',
        '\u{feff}'..='\u{feff}',
    ];
    (letter.is_control() && !matches!(letter, '\n' | '\t')) || HIDDEN.iter().any(|range| range.contains(&letter))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_are_shortened() {
        let long = "é".repeat(200);
        assert_eq!(shortened(&long), long);
        assert_eq!(shortened(&format!("{long}x")), format!("{long}…"));
    }

    #[test]
    fn control_characters_are_escaped() {
        for (text, expected) in [
            ("é, 5 µs\tand\r\n→", "é, 5 µs\tand\r\n→"),
            ("\u{1b}]0;x\u{7}", "\\u{1b}]0;x\\u{7}"),
            ("a\rb\u{9b}31m\u{7f}\0", "a\\u{d}b\\u{9b}31m\\u{7f}\\u{0}"),
            ("\u{202e}txt.exe", "\\u{202e}txt.exe"),
        ] {
            assert_eq!(escaped(text), expected);
            assert_eq!(is_plain(text), text == expected, "{text:?}");
        }
    }
}
