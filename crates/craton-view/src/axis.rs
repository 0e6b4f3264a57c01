//! Axes: from values to positions, with marks, numbers, unit and title.

use crate::canvas::Canvas;
use crate::colour::Colour;
use crate::layout::Area;
use crate::pen::{AXIS_TITLE, FRAME, GRID, LABEL, Pen};
use crate::ticks::{self, Tick, Unit};

/// The map from values to positions along one axis.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scale {
    low: f64,
    high: f64,
    from: f64,
    to: f64,
    logarithmic: bool,
}

impl Scale {
    /// `values[0]` comes to `positions[0]`, `values[1]` to `positions[1]`.
    pub(crate) fn linear(values: [f64; 2], positions: [f64; 2]) -> Self {
        Self { low: values[0], high: values[1], from: positions[0], to: positions[1], logarithmic: false }
    }

    /// The same for the logarithms of positive values.
    pub(crate) fn logarithmic(values: [f64; 2], positions: [f64; 2]) -> Self {
        Self { logarithmic: true, ..Self::linear(values.map(f64::log10), positions) }
    }

    /// Position of a value.
    pub(crate) fn at(&self, value: f64) -> f64 {
        let value = if self.logarithmic { value.log10() } else { value };
        self.from + (value - self.low) / (self.high - self.low) * (self.to - self.from)
    }

    /// Value at a position of a linear axis.
    pub(crate) fn value_at(&self, position: f64) -> f64 {
        self.low + (position - self.from) / (self.to - self.from) * (self.high - self.low)
    }

    /// Positions per unit of value on a linear axis, without sign.
    pub(crate) fn magnification(&self) -> f64 {
        ((self.to - self.from) / (self.high - self.low)).abs()
    }
}

/// Which side of a panel an axis is written on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Side {
    Bottom,
    Left,
    Right,
}

/// An axis of a panel.
#[derive(Clone, Debug)]
pub(crate) struct Axis {
    pub(crate) scale: Scale,
    side: Side,
    factor: f64,
    ticks: Vec<Tick>,
    title: String,
}

impl Axis {
    const TICK: f64 = 4.0;

    /// A linear axis; its title is completed by the unit.
    ///
    /// # Arguments
    /// * `values`, `positions` – both ends, in SI and on the sheet
    pub(crate) fn linear(side: Side, values: [f64; 2], positions: [f64; 2], title: &str, unit: Unit) -> Self {
        let [low, high] = values.map(|value| value * unit.factor);
        let spacing = match side {
            Side::Bottom => 46.0,
            Side::Left => 40.0,
            Side::Right => 32.0,
        };
        let count = ((positions[1] - positions[0]).abs() / spacing).max(1.0) as usize;
        Self {
            scale: Scale::linear(values, positions),
            side,
            factor: unit.factor,
            ticks: at_least_two(low.min(high), low.max(high), count),
            title: titled(title, unit.name),
        }
    }

    /// A logarithmic axis.
    pub(crate) fn logarithmic(side: Side, values: [f64; 2], positions: [f64; 2], title: &str, unit: &str) -> Self {
        let spacing = if side == Side::Bottom { 30.0 } else { 28.0 };
        let count = ((positions[1] - positions[0]).abs() / spacing).max(1.0) as usize;
        Self {
            scale: Scale::logarithmic(values, positions),
            side,
            factor: 1.0,
            ticks: ticks::logarithmic(values[0], values[1], count),
            title: titled(title, unit),
        }
    }

    /// An axis with marks of one's own.
    pub(crate) fn marked(side: Side, scale: Scale, ticks: Vec<Tick>, title: String) -> Self {
        Self { scale, side, factor: 1.0, ticks, title }
    }

    fn positions(&self) -> impl Iterator<Item = (f64, &str)> {
        self.ticks.iter().map(|tick| (self.scale.at(tick.value / self.factor), tick.label.as_str()))
    }

    /// Width of the numbers of an upright axis, or height of a horizontal one's, with its title.
    pub(crate) fn thickness(&self) -> f64 {
        let title = if self.title.is_empty() { 0.0 } else { 16.0 };
        match self.side {
            Side::Bottom => 22.0 + title,
            Side::Left | Side::Right => self.label_width() + Self::TICK + 6.0 + title,
        }
    }

    fn label_width(&self) -> f64 {
        self.ticks.iter().map(|tick| LABEL.width_of(&tick.label)).fold(0.0, f64::max)
    }

    /// Lines of the grid across a panel.
    pub(crate) fn draw_grid(&self, canvas: &mut Canvas, area: &Area) {
        for (position, _) in self.positions() {
            if self.side == Side::Bottom {
                canvas.rule([position, area.top], [position, area.bottom], &GRID);
            } else {
                canvas.rule([area.left, position], [area.right, position], &GRID);
            }
        }
    }

    /// Marks and numbers along the side of a panel.
    pub(crate) fn draw_labels(&self, canvas: &mut Canvas, area: &Area) {
        for (position, label) in self.positions() {
            match self.side {
                Side::Bottom => {
                    canvas.rule([position, area.bottom], [position, area.bottom + Self::TICK], &FRAME);
                    canvas.text([position, area.bottom + 16.0], label, &LABEL.centred());
                }
                Side::Left => {
                    canvas.rule([area.left - Self::TICK, position], [area.left, position], &FRAME);
                    let at = [area.left - Self::TICK - 4.0, position + LABEL.half_height()];
                    canvas.text(at, label, &LABEL.to_the_right());
                }
                Side::Right => {
                    canvas.rule([area.right, position], [area.right + Self::TICK, position], &FRAME);
                    let at = [area.right + Self::TICK + 4.0, position + LABEL.half_height()];
                    canvas.text(at, label, &LABEL);
                }
            }
        }
    }

    /// The title beyond the numbers, in the middle of the panel's side.
    pub(crate) fn draw_title(&self, canvas: &mut Canvas, area: &Area) {
        let [x, y] = area.centre();
        let beyond = self.thickness();
        match self.side {
            Side::Bottom => canvas.text([x, area.bottom + beyond - 3.0], &self.title, &AXIS_TITLE.centred()),
            Side::Left => {
                let at = [area.left - beyond + 9.0, y];
                canvas.text(at, &self.title, &AXIS_TITLE.centred().upwards());
            }
            Side::Right => {
                let at = [area.right + beyond, y];
                canvas.text(at, &self.title, &AXIS_TITLE.centred().upwards());
            }
        }
    }

    /// Marks, numbers and title.
    pub(crate) fn draw(&self, canvas: &mut Canvas, area: &Area) {
        self.draw_labels(canvas, area);
        self.draw_title(canvas, area);
    }
}

/// Round marks, about `count`, but more if that would leave less than two.
fn at_least_two(low: f64, high: f64, count: usize) -> Vec<Tick> {
    let enough = (count..count + 4).map(|count| ticks::linear(low, high, count)).find(|ticks| ticks.len() >= 2);
    enough.unwrap_or_else(|| ticks::linear(low, high, count))
}

/// "Offset (km)", or the title alone where there is no unit.
pub(crate) fn titled(title: &str, unit: &str) -> String {
    match ticks::printed_unit(unit) {
        unit if unit.is_empty() => title.to_owned(),
        unit => format!("{title} ({unit})"),
    }
}

/// A thin line at a value that deserves attention, with a word beside it.
pub(crate) const MARKER: Pen = Pen::new(Colour::VERMILION, 1.0).dashed(4.0, 3.0);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scales_meet_their_ends_and_invert() {
        let scale = Scale::linear([2.0, 6.0], [100.0, 20.0]);
        assert_eq!(scale.at(2.0), 100.0);
        assert_eq!(scale.at(6.0), 20.0);
        assert_eq!(scale.value_at(scale.at(3.7)), 3.7);
        assert_eq!(scale.magnification(), 20.0);
        let scale = Scale::logarithmic([0.1, 10.0], [0.0, 50.0]);
        assert!((scale.at(1.0) - 25.0).abs() < 1e-12);
    }
}
