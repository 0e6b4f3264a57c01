//! Text as outlines, from embedded fonts.

use std::sync::OnceLock;

use craton_formats::escaped;
use tiny_skia::{Path, PathBuilder};
use ttf_parser::{Face, OutlineBuilder};

static REGULAR: &[u8] = include_bytes!("../assets/inter-regular.otf");
static SEMI_BOLD: &[u8] = include_bytes!("../assets/inter-semibold.otf");

/// Height of a capital letter relative to the font size.
pub(crate) const CAP_HEIGHT: f64 = 0.727;

/// Font weight.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Weight {
    Regular,
    SemiBold,
}

fn face(weight: Weight) -> &'static Face<'static> {
    static FACES: OnceLock<[Face<'static>; 2]> = OnceLock::new();
    let faces = FACES
        .get_or_init(|| [REGULAR, SEMI_BOLD].map(|bytes| Face::parse(bytes, 0).expect("an embedded font is valid")));
    &faces[weight as usize]
}

/// Width of a line of text, in the unit of `size`; control characters are escaped.
pub(crate) fn width(text: &str, weight: Weight, size: f64) -> f64 {
    let face = face(weight);
    let units: f64 = escaped(text).chars().map(|letter| advance(face, letter)).sum();
    units * size / f64::from(face.units_per_em())
}

/// Outline of a line of text that starts at the origin, its baseline on y = 0, y downwards; `None` if nothing is visible. Control
/// characters are escaped.
pub(crate) fn outline(text: &str, weight: Weight, size: f64) -> Option<Path> {
    let face = face(weight);
    let mut pen = Pen { path: PathBuilder::new(), x: 0.0, scale: (size / f64::from(face.units_per_em())) as f32 };
    for letter in escaped(text).chars() {
        face.outline_glyph(face.glyph_index(letter).unwrap_or_default(), &mut pen);
        pen.x += advance(face, letter) as f32 * pen.scale;
    }
    pen.path.finish()
}

/// Width of one letter in units of the font; a letter that the font lacks is shown as an empty box.
fn advance(face: &Face<'_>, letter: char) -> f64 {
    let glyph = face.glyph_index(letter).unwrap_or_default();
    f64::from(face.glyph_hor_advance(glyph).unwrap_or(0))
}

struct Pen {
    path: PathBuilder,
    x: f32,
    scale: f32,
}

impl Pen {
    fn place(&self, x: f32, y: f32) -> (f32, f32) {
        (self.x + x * self.scale, -y * self.scale)
    }
}

impl OutlineBuilder for Pen {
    fn move_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.place(x, y);
        self.path.move_to(x, y);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.place(x, y);
        self.path.line_to(x, y);
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        let (x1, y1) = self.place(x1, y1);
        let (x, y) = self.place(x, y);
        self.path.quad_to(x1, y1, x, y);
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        let (x1, y1) = self.place(x1, y1);
        let (x2, y2) = self.place(x2, y2);
        let (x, y) = self.place(x, y);
        self.path.cubic_to(x1, y1, x2, y2, x, y);
    }

    fn close(&mut self) {
        self.path.close();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_shown_escaped() {
        let [raw, shown] = ["a\u{1b}", "a\\u{1b}"].map(|text| width(text, Weight::Regular, 10.0));
        assert_eq!(raw, shown);
        assert_eq!(outline("\u{1b}", Weight::Regular, 10.0), outline("\\u{1b}", Weight::Regular, 10.0));
    }

    #[test]
    fn fonts_cover_letters_units_and_signs() {
        // The last characters occur in units: mGal, µGal, E, m²/s², 10⁻⁹ s⁻², Eötvös.
        let needed = "AZaz09 .,:;()[]/%+−×·±°²³⁻¹⁰⁴⁵⁶⁷⁸⁹₀₁₂αβγδελμρσφωΔΩéüñçß≤≥≈→∂√–—…µö²⁻⁹";
        for weight in [Weight::Regular, Weight::SemiBold] {
            for letter in needed.chars() {
                assert!(face(weight).glyph_index(letter).is_some(), "{letter} is missing");
            }
        }
    }

    #[test]
    fn a_capital_is_as_high_as_the_constant_says() {
        let bounds = outline("H", Weight::Regular, 100.0).expect("a letter is visible").bounds();
        assert!((f64::from(bounds.height()) - 100.0 * CAP_HEIGHT).abs() < 0.1);
        assert!(bounds.bottom().abs() < 0.01);
    }

    #[test]
    fn width_grows_with_size_and_letters() {
        let one = width("8", Weight::Regular, 10.0);
        assert!(one > 5.0 && one < 8.0);
        assert!((width("888", Weight::Regular, 20.0) - 6.0 * one).abs() < 1e-9);
    }
}
