//! Colour bars and legends.

use crate::axis::{Axis, Side, titled};
use crate::canvas::Canvas;
use crate::colour::Colour;
use crate::colour_scale::ColourScale;
use crate::layout::Area;
use crate::pen::{AXIS_TITLE, FRAME, LABEL};
use crate::ticks;

/// A colour bar next to a picture.
pub(crate) struct ColourBar<'a> {
    pub(crate) scale: ColourScale,
    /// Name of the quantity.
    pub(crate) title: &'a str,
    pub(crate) unit: &'a str,
    /// Whether values exceed the range below and above.
    pub(crate) beyond: [bool; 2],
}

impl ColourBar<'_> {
    pub(crate) const WIDTH: f64 = 14.0;
    const POINT: f64 = 11.0;

    /// Draws a vertical bar into an area, with numbers and title on its right; a pointed end shows that values exceed the range.
    pub(crate) fn draw(&self, canvas: &mut Canvas, area: &Area) {
        let body = self.body(area);
        let body = Area {
            top: canvas.snap(body.top),
            bottom: canvas.snap(body.bottom),
            left: canvas.snap(body.left),
            right: canvas.snap(body.right),
        };
        let axis = self.axis(&body);
        let scale = axis.scale;
        canvas.shade(&body, |[_, y]| Some(self.scale.colour(scale.value_at(y))));
        let middle = body.centre()[0];
        let [below, above] = self.beyond;
        if above {
            let point = [[body.left, body.top], [middle, area.top], [body.right, body.top]];
            canvas.polygon(&point, self.scale.colour(f64::MAX), Some(&FRAME));
        }
        if below {
            let point = [[body.left, body.bottom], [middle, area.bottom], [body.right, body.bottom]];
            canvas.polygon(&point, self.scale.colour(f64::MIN), Some(&FRAME));
        }
        canvas.frame(&body, &FRAME);
        axis.draw(canvas, &body);
    }

    fn axis(&self, body: &Area) -> Axis {
        let (range, ends) = (self.scale.range, [body.bottom, body.top]);
        match self.scale.logarithmic {
            true => Axis::logarithmic(Side::Right, range, ends, self.title, self.unit),
            false => Axis::of_values(Side::Right, range, ends, self.title, self.unit),
        }
    }

    /// The values marked on a bar of this area.
    pub(crate) fn marks(&self, area: &Area) -> Vec<f64> {
        self.axis(&self.body(area)).values()
    }

    /// Width of bar, numbers and title, for an area of this height.
    pub(crate) fn thickness(&self, area: &Area) -> f64 {
        Self::WIDTH + self.axis(&self.body(area)).thickness()
    }

    /// The bar without its pointed ends.
    fn body(&self, area: &Area) -> Area {
        let [below, above] = self.beyond.map(|beyond| if beyond { Self::POINT } else { 0.0 });
        Area { top: area.top + above, bottom: area.bottom - below, ..*area }
    }
}

/// Draws the legend of a model: one swatch per value if there are only a few values, otherwise a bar.
///
/// # Arguments
/// * `area` – room for swatches; a bar is placed at its left side
/// * `values` – returns an iterator over all coloured values; may be called several times
pub(crate) fn draw_legend<I: Iterator<Item = f64>>(
    canvas: &mut Canvas,
    area: &Area,
    values: impl Fn() -> I,
    scale: ColourScale,
    title: &str,
    unit: &str,
) {
    if let Some(few) = few(values()) {
        let entries: Vec<_> = few.into_iter().map(|value| (scale.colour(value), ticks::brief(value))).collect();
        draw_swatches(canvas, area, &titled(title, unit), &entries);
    } else {
        let bar = ColourBar { scale, title, unit, beyond: scale.beyond(values()) };
        bar.draw(canvas, &Area { right: area.left + ColourBar::WIDTH, ..*area });
    }
}

/// The distinct values in ascending order, if there are only a few.
fn few(values: impl Iterator<Item = f64>) -> Option<Vec<f64>> {
    const FEW: usize = 8;
    let mut different: Vec<f64> = Vec::with_capacity(FEW);
    for value in values {
        if different.contains(&value) {
            continue;
        }
        if different.len() == FEW {
            return None;
        }
        different.push(value);
    }
    different.sort_by(f64::total_cmp);
    Some(different)
}

/// Draws a colour swatch for each entry, below a title that may be empty.
pub(crate) fn draw_swatches(canvas: &mut Canvas, area: &Area, title: &str, entries: &[(Colour, String)]) {
    const LINE: f64 = 19.0;
    const SIDE: f64 = 13.0;
    let mut top = area.top;
    if !title.is_empty() {
        canvas.text([area.left, top + 9.0], title, &AXIS_TITLE);
        top += LINE;
    }
    let room = ((area.bottom - top) / LINE).max(1.0) as usize;
    for (row, (colour, name)) in entries.iter().take(room).enumerate() {
        let y = top + LINE * row as f64;
        let corners = [[0.0, 0.0], [SIDE, 0.0], [SIDE, SIDE], [0.0, SIDE]];
        let swatch = corners.map(|[right, down]| [area.left + right, y + down]);
        canvas.polygon(&swatch, *colour, Some(&FRAME));
        let at = [area.left + SIDE + 7.0, y + SIDE / 2.0 + LABEL.half_height()];
        canvas.text(at, &LABEL.cut(name, area.right - at[0]), &LABEL);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_values_are_distinguished_from_many() {
        assert_eq!(few([3.0, 1.0, 3.0, 2.0].into_iter().cycle().take(1000)), Some(vec![1.0, 2.0, 3.0]));
        assert_eq!(few((0..9).map(f64::from)), None);
    }
}
