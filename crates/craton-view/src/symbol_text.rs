//! Text with subscripts: "g_u" is written as g with subscript u.

use crate::canvas::Canvas;
use crate::pen::Lettering;

/// Relative size of a subscript.
const SIZE: f64 = 0.75;
/// Lowering of a subscript, relative to half the height of a capital.
const LOWERED: f64 = 0.6;

/// Writes a line of text from its left end and returns its width.
pub(crate) fn write_symbols(canvas: &mut Canvas, at: [f64; 2], text: &str, lettering: &Lettering) -> f64 {
    let mut x = at[0];
    for (part, is_index) in parts(text) {
        let (own, down) =
            if is_index { (index_of(lettering), LOWERED * lettering.half_height()) } else { (*lettering, 0.0) };
        canvas.text([x, at[1] + down], part, &own);
        x += own.width_of(part);
    }
    x - at[0]
}

/// Width of what `write_symbols` writes.
pub(crate) fn width_of_symbols(text: &str, lettering: &Lettering) -> f64 {
    let width = |(part, is_index): (&str, bool)| match is_index {
        true => index_of(lettering).width_of(part),
        false => lettering.width_of(part),
    };
    parts(text).into_iter().map(width).sum()
}

fn index_of(lettering: &Lettering) -> Lettering {
    Lettering { size: SIZE * lettering.size, ..*lettering }
}

/// Splits a text into normal and subscript pieces. A subscript is the letters and digits after a single letter and an underscore; underscores in longer words,
/// such as file names, are kept.
fn parts(text: &str) -> Vec<(&str, bool)> {
    let mut parts = Vec::new();
    let mut start = 0;
    for (place, _) in text.match_indices('_') {
        let mut before = text[start..place].chars().rev();
        let is_symbol = before.next().is_some_and(char::is_alphabetic)
            && !before.next().is_some_and(|other| other.is_alphanumeric() || other == '_');
        let length = text[place + 1..].find(|letter: char| !letter.is_alphanumeric()).unwrap_or(text.len() - place - 1);
        let is_last = !text[place + 1 + length..].starts_with('_');
        if is_symbol && is_last && length > 0 {
            parts.extend([(&text[start..place], false), (&text[place + 1..place + 1 + length], true)]);
            start = place + 1 + length;
        }
    }
    parts.push((&text[start..], false));
    parts.retain(|(part, _)| !part.is_empty());
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pen::NOTE;

    #[test]
    fn subscripts_follow_single_letters_only() {
        assert_eq!(parts("g_u"), [("g", false), ("u", true)]);
        assert_eq!(parts("error of g_en, mean"), [("error of g", false), ("en", true), (", mean", false)]);
        assert_eq!(parts("g_e and g_n"), [("g", false), ("e", true), (" and g", false), ("n", true)]);
        for plain in ["receiver_1", "x_", "_a", "a_b_c.txt", "plain", "Δ"] {
            assert_eq!(parts(plain), [(plain, false)]);
        }
    }

    #[test]
    fn a_subscript_is_narrower_than_normal_text() {
        assert!(width_of_symbols("g_uu", &NOTE) < NOTE.width_of("guu"));
        assert_eq!(width_of_symbols("guu", &NOTE), NOTE.width_of("guu"));
    }
}
