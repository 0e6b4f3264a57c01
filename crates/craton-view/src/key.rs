//! The key of symbols in the line below a title.

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
    /// Room for a symbol.
    const SIGN: f64 = 20.0;
    const GAP: f64 = 20.0;

    pub(crate) fn new(sheet: &Area, baseline: f64) -> Self {
        Self { x: sheet.left + MARGIN, right: sheet.right - MARGIN, baseline }
    }

    /// Writes the label of a symbol and returns the position of its centre.
    pub(crate) fn sign(&mut self, canvas: &mut Canvas, name: &str) -> [f64; 2] {
        let at = [self.x + 7.0, self.baseline - NOTE.half_height()];
        self.x += Self::SIGN;
        self.text(canvas, name);
        at
    }

    /// Writes a note, truncated to the available room.
    pub(crate) fn text(&mut self, canvas: &mut Canvas, text: &str) {
        let text = NOTE.cut(text, self.right - self.x);
        self.x += write_symbols(canvas, [self.x, self.baseline], &text, &NOTE) + Self::GAP;
    }
}
