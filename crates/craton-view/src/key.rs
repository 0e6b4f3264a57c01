//! The line below a title that explains signs.

use crate::canvas::Canvas;
use crate::layout::{Area, MARGIN};
use crate::pen::NOTE;
use crate::symbol_text::write_symbols;

/// Writes one entry after another.
pub(crate) struct Key {
    x: f64,
    right: f64,
    baseline: f64,
}

impl Key {
    /// Room for a sign.
    const SIGN: f64 = 20.0;
    const GAP: f64 = 20.0;

    pub(crate) fn new(sheet: &Area, baseline: f64) -> Self {
        Self { x: sheet.left + MARGIN, right: sheet.right - MARGIN, baseline }
    }

    /// Writes what a sign means, and returns where the middle of the sign stands.
    pub(crate) fn sign(&mut self, canvas: &mut Canvas, name: &str) -> [f64; 2] {
        let at = [self.x + 7.0, self.baseline - NOTE.half_height()];
        self.x += Self::SIGN;
        self.text(canvas, name);
        at
    }

    /// Writes a remark, as far as there is room.
    pub(crate) fn text(&mut self, canvas: &mut Canvas, text: &str) {
        let text = NOTE.cut(text, self.right - self.x);
        self.x += write_symbols(canvas, [self.x, self.baseline], &text, &NOTE) + Self::GAP;
    }
}
