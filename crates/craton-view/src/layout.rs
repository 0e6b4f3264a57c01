//! The sizes of a picture and of its parts, in units of 1/96 inch.

use crate::canvas::Canvas;
use crate::pen::{NOTE, TITLE};

/// Size and resolution of a picture.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Paper {
    /// Width in units of 1/96 inch.
    pub width: f64,
    /// Height in the same units; as needed by the content when left out.
    pub height: Option<f64>,
    /// Pixels per unit; 2 gives 192 dots per inch.
    pub scale: f64,
}

impl Default for Paper {
    fn default() -> Self {
        Self { width: 960.0, height: None, scale: 2.0 }
    }
}

/// A rectangle, top above bottom.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Area {
    pub(crate) left: f64,
    pub(crate) top: f64,
    pub(crate) right: f64,
    pub(crate) bottom: f64,
}

impl Area {
    pub(crate) fn width(&self) -> f64 {
        self.right - self.left
    }

    pub(crate) fn height(&self) -> f64 {
        self.bottom - self.top
    }

    pub(crate) fn centre(&self) -> [f64; 2] {
        [(self.left + self.right) / 2.0, (self.top + self.bottom) / 2.0]
    }

    pub(crate) fn is_inside(&self, other: &Self) -> bool {
        self.left >= other.left && self.right <= other.right && self.top >= other.top && self.bottom <= other.bottom
    }

    pub(crate) fn overlaps(&self, other: &Self) -> bool {
        self.left < other.right && self.right > other.left && self.top < other.bottom && self.bottom > other.top
    }

    pub(crate) fn contains(&self, [x, y]: [f64; 2]) -> bool {
        (self.left..=self.right).contains(&x) && (self.top..=self.bottom).contains(&y)
    }

    /// Clips a segment to the rectangle; `None` if it lies outside.
    ///
    /// # Source
    /// Liang and Barsky (1984), ACM Trans. Graph. 3(1).
    pub(crate) fn clipped(&self, [from, to]: [[f64; 2]; 2]) -> Option<[[f64; 2]; 2]> {
        let (mut enters, mut leaves) = (0.0, 1.0);
        for (axis, [low, high]) in [[self.left, self.right], [self.top, self.bottom]].into_iter().enumerate() {
            let step = to[axis] - from[axis];
            if step == 0.0 {
                if from[axis] < low || from[axis] > high {
                    return None;
                }
                continue;
            }
            let [first, last] = if step > 0.0 { [low, high] } else { [high, low] };
            enters = f64::max(enters, (first - from[axis]) / step);
            leaves = f64::min(leaves, (last - from[axis]) / step);
        }
        let at = |part: f64| [0, 1].map(|axis| from[axis] + part * (to[axis] - from[axis]));
        (enters < leaves).then(|| [at(enters), at(leaves)])
    }

    /// Column `index` of `count` equal columns, `gap` apart.
    pub(crate) fn column(&self, index: usize, count: usize, gap: f64) -> Self {
        let width = (self.width() - gap * (count - 1) as f64) / count as f64;
        let left = self.left + index as f64 * (width + gap);
        Self { left, right: left + width, ..*self }
    }

    /// Row `index` of `count` equal rows, from the top.
    pub(crate) fn row(&self, index: usize, count: usize) -> Self {
        let height = self.height() / count as f64;
        let top = self.top + index as f64 * height;
        Self { top, bottom: top + height, ..*self }
    }
}

/// White space around a picture.
pub(crate) const MARGIN: f64 = 22.0;

/// Height of the heading.
pub(crate) fn heading_height(title: &str, note: &str) -> f64 {
    let line = |text: &str, height: f64| if text.is_empty() { 0.0 } else { height };
    MARGIN + line(title, 20.0) + line(note, 18.0)
}

/// Writes title and note into the upper left corner.
pub(crate) fn heading(canvas: &mut Canvas, sheet: &Area, title: &str, note: &str) {
    let width = sheet.width() - 2.0 * MARGIN;
    let title_base = sheet.top + MARGIN + 11.0;
    let note_base = if title.is_empty() { title_base - 2.0 } else { title_base + 18.0 };
    canvas.text([sheet.left + MARGIN, title_base], &TITLE.cut(title, width), &TITLE);
    canvas.text([sheet.left + MARGIN, note_base], &NOTE.cut(note, width), &NOTE);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_cut_at_the_rim() {
        let area = Area { left: 0.0, top: 0.0, right: 10.0, bottom: 5.0 };
        assert_eq!(area.clipped([[-10.0, 2.0], [20.0, 2.0]]), Some([[0.0, 2.0], [10.0, 2.0]]));
        assert_eq!(area.clipped([[4.0, 9.0], [4.0, 1.0]]), Some([[4.0, 5.0], [4.0, 1.0]]));
        assert_eq!(area.clipped([[1.0, 1.0], [2.0, 3.0]]), Some([[1.0, 1.0], [2.0, 3.0]]));
        assert_eq!(area.clipped([[-1.0, 4.0], [2.0, 7.0]]), None);
        assert_eq!(area.clipped([[3.0, 6.0], [8.0, 6.0]]), None);
    }
}
