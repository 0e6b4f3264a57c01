//! From values to colours, and the bar that explains them.

use crate::axis::{Axis, Side, titled};
use crate::canvas::Canvas;
use crate::colour::{Colour, ColourMap};
use crate::layout::Area;
use crate::pen::{AXIS_TITLE, FRAME, LABEL};
use crate::ticks::{self, Unit, common_factor};

/// A colour map stretched over a range of values.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ColourScale {
    pub(crate) map: ColourMap,
    pub(crate) reversed: bool,
    /// Lighter colours without the extremes, for pictures that carry lines and signs.
    pub(crate) soft: bool,
    pub(crate) range: [f64; 2],
}

impl ColourScale {
    /// Colour of a value; beyond the range the end colours.
    pub(crate) fn colour(&self, value: f64) -> Colour {
        let [low, high] = self.range;
        let fraction = (value - low) / (high - low);
        let fraction = if self.reversed { 1.0 - fraction } else { fraction };
        if self.soft { self.map.soft(fraction) } else { self.map.at(fraction) }
    }
}

/// The range of colours for values: what holds `part` of them, symmetric about zero for diverging maps, never empty.
pub(crate) fn fitting_range(values: impl Iterator<Item = f64>, map: ColourMap, part: f64) -> [f64; 2] {
    let mut values: Vec<f64> = values.collect();
    let mut quantile = |part: f64| {
        let index = ((values.len().saturating_sub(1)) as f64 * part.clamp(0.0, 1.0)).round() as usize;
        match values.is_empty() {
            true => 0.0,
            false => *values.select_nth_unstable_by(index, f64::total_cmp).1,
        }
    };
    if map.is_diverging() {
        let tail = (1.0 - part) / 2.0;
        let largest = quantile(tail).abs().max(quantile(1.0 - tail).abs());
        let largest = if largest > 0.0 { largest } else { 1.0 };
        return [-largest, largest];
    }
    let tail = (1.0 - part) / 2.0;
    widened([quantile(tail), quantile(1.0 - tail)])
}

/// A range with some room around a single value.
fn widened([low, high]: [f64; 2]) -> [f64; 2] {
    if high > low {
        [low, high]
    } else {
        let room = if low == 0.0 { 1.0 } else { 0.1 * low.abs() };
        [low - room, high + room]
    }
}

/// The bar beside a picture.
pub(crate) struct ColourBar<'a> {
    pub(crate) scale: ColourScale,
    /// What is coloured.
    pub(crate) title: &'a str,
    pub(crate) unit: &'a str,
    /// Whether values go beyond the range, below and above.
    pub(crate) beyond: [bool; 2],
}

impl ColourBar<'_> {
    pub(crate) const WIDTH: f64 = 14.0;
    const POINT: f64 = 11.0;

    /// Whether values go beyond a range.
    pub(crate) fn beyond(values: impl Iterator<Item = f64>, range: [f64; 2]) -> [bool; 2] {
        // What rounding alone puts outside is not worth an arrow.
        let slack = 1e-9 * (range[1] - range[0]);
        values.fold([false; 2], |[below, above], value| {
            [below || value < range[0] - slack, above || value > range[1] + slack]
        })
    }

    /// Draws the bar upright into an area, numbers and title on its right; pointed ends say that values go beyond.
    pub(crate) fn draw(&self, canvas: &mut Canvas, area: &Area) {
        let [below, above] = self.beyond;
        let body = Area {
            top: canvas.snap(area.top + if above { Self::POINT } else { 0.0 }),
            bottom: canvas.snap(area.bottom - if below { Self::POINT } else { 0.0 }),
            left: canvas.snap(area.left),
            right: canvas.snap(area.right),
        };
        let axis = self.axis(&body);
        let scale = axis.scale;
        canvas.shade(&body, |[_, y]| Some(self.scale.colour(scale.value_at(y))));
        let middle = body.centre()[0];
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
        let range = self.scale.range;
        let (factor, prefix) = common_factor(range[0].abs().max(range[1].abs()));
        let unit = format!("{prefix}{}", self.unit);
        let plain = Unit { factor, name: "" };
        let title = titled(self.title, unit.trim());
        Axis::linear(Side::Right, range, [body.bottom, body.top], &title, plain)
    }
}

/// Explains the colours of a model: a swatch for every value if there are only a few, else a bar.
///
/// # Arguments
/// * `area` – room for swatches; a bar stands on its left side
/// * `values` – all that are coloured, each time it is asked
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
        let bar = ColourBar { scale, title, unit, beyond: ColourBar::beyond(values(), scale.range) };
        bar.draw(canvas, &Area { right: area.left + ColourBar::WIDTH, ..*area });
    }
}

/// The different values in ascending order, if there are only a few.
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

/// Draws a square of colour for each entry, below a title that may be empty.
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
    fn ranges_fit_and_are_symmetric_for_waves() {
        let values = || [-1.0, 0.5, 3.0].into_iter();
        assert_eq!(fitting_range(values(), ColourMap::Batlow, 1.0), [-1.0, 3.0]);
        assert_eq!(fitting_range(values(), ColourMap::Vik, 1.0), [-3.0, 3.0]);
        assert_eq!(fitting_range([2.0].into_iter(), ColourMap::Batlow, 1.0), [1.8, 2.2]);
        assert_eq!(fitting_range([0.0; 4].into_iter(), ColourMap::Vik, 0.9), [-1.0, 1.0]);
    }

    #[test]
    fn a_part_of_the_values_ignores_the_rare_peaks() {
        let values = (0..1000).map(|i| if i == 500 { 1e6 } else { f64::from(i % 10) });
        assert_eq!(fitting_range(values, ColourMap::Oslo, 0.99), [0.0, 9.0]);
    }

    #[test]
    fn a_few_values_are_told_from_many() {
        assert_eq!(few([3.0, 1.0, 3.0, 2.0].into_iter().cycle().take(1000)), Some(vec![1.0, 2.0, 3.0]));
        assert_eq!(few((0..9).map(f64::from)), None);
    }

    #[test]
    fn arrows_appear_only_when_values_go_beyond() {
        let values = || [0.0, 5.0].into_iter();
        assert_eq!(ColourBar::beyond(values(), [0.0, 5.0]), [false, false]);
        assert_eq!(ColourBar::beyond(values(), [1.0, 4.0]), [true, true]);
    }
}
