//! Axes: mapping from values to positions, with tick marks, numbers, unit and title.

use crate::canvas::Canvas;
use crate::colour::Colour;
use crate::layout::Area;
use crate::pen::{AXIS_TITLE, FRAME, GRID, LABEL, Pen};
use crate::ticks::{self, Reading, Tick, Unit};

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
    /// Linear: `values[0]` maps to `positions[0]`, `values[1]` to `positions[1]`.
    pub(crate) fn linear(values: [f64; 2], positions: [f64; 2]) -> Self {
        Self { low: values[0], high: values[1], from: positions[0], to: positions[1], logarithmic: false }
    }

    /// Logarithmic, for positive values.
    pub(crate) fn logarithmic(values: [f64; 2], positions: [f64; 2]) -> Self {
        Self { logarithmic: true, ..Self::linear(values.map(f64::log10), positions) }
    }

    /// Position of a value.
    pub(crate) fn at(&self, value: f64) -> f64 {
        let value = if self.logarithmic { value.log10() } else { value };
        self.from + (value - self.low) / (self.high - self.low) * (self.to - self.from)
    }

    /// Value at a position.
    pub(crate) fn value_at(&self, position: f64) -> f64 {
        let value = self.low + (position - self.from) / (self.to - self.from) * (self.high - self.low);
        if self.logarithmic { 10f64.powf(value) } else { value }
    }

    /// Absolute length per unit of value on a linear axis.
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
    /// Offset that is subtracted from the numbers.
    origin: f64,
    factor: f64,
    ticks: Vec<Tick>,
    title: String,
}

impl Axis {
    const TICK: f64 = 4.0;
    /// Line spacing of a title.
    const LINE: f64 = 13.0;

    /// A linear axis; its title is completed by the unit.
    ///
    /// # Arguments
    /// * `values`, `positions` – both ends, in SI and on the sheet
    pub(crate) fn linear(side: Side, values: [f64; 2], positions: [f64; 2], title: &str, unit: Unit) -> Self {
        let [low, high] = values.map(|value| value * unit.factor);
        let length = (positions[1] - positions[0]).abs();
        // Vertically stacked numbers may be closer together if there would otherwise be only a few.
        let count = match side {
            Side::Bottom => length / 46.0,
            Side::Left => (length / 22.0).min(f64::max(6.0, length / 40.0)),
            Side::Right => (length / 17.0).min(f64::max(9.0, length / 32.0)),
        };
        let count = count.max(1.0) as usize;
        let ticks = match side {
            Side::Bottom => side_by_side(low.min(high), low.max(high), count, length),
            Side::Left | Side::Right => at_least_two(low.min(high), low.max(high), count),
        };
        Self {
            scale: Scale::linear(values, positions),
            side,
            origin: 0.0,
            factor: unit.factor,
            ticks,
            title: titled(title, unit.name),
        }
    }

    /// A linear axis with short numbers: large and small values get a power of ten before the unit, and if values hardly differ, numbers are relative to an
    /// offset given in the title.
    ///
    /// # Arguments
    /// * `values`, `positions` – both ends, in `unit` and on the sheet
    pub(crate) fn of_values(side: Side, values: [f64; 2], positions: [f64; 2], title: &str, unit: &str) -> Self {
        let Reading { origin, written, factor, prefix } = Reading::of(values);
        let title = match (written.is_empty(), title.is_empty()) {
            (true, _) => title.to_owned(),
            (false, true) => format!("above {written}"),
            (false, false) => format!("{title} − {written}"),
        };
        let title = titled(&title, format!("{prefix}{}", ticks::printed_unit(unit)).trim());
        let from_origin = values.map(|value| value - origin);
        let numbers = Self::linear(side, from_origin, positions, &title, Unit { factor, name: "" });
        Self { scale: Scale::linear(values, positions), origin, ..numbers }
    }

    /// A logarithmic axis.
    pub(crate) fn logarithmic(side: Side, values: [f64; 2], positions: [f64; 2], title: &str, unit: &str) -> Self {
        let spacing = if side == Side::Bottom { 30.0 } else { 28.0 };
        let count = ((positions[1] - positions[0]).abs() / spacing).max(1.0) as usize;
        Self {
            scale: Scale::logarithmic(values, positions),
            side,
            origin: 0.0,
            factor: 1.0,
            ticks: ticks::logarithmic(values[0], values[1], count),
            title: titled(title, unit),
        }
    }

    /// An axis with custom marks.
    pub(crate) fn marked(side: Side, scale: Scale, ticks: Vec<Tick>, title: String) -> Self {
        Self { scale, side, origin: 0.0, factor: 1.0, ticks, title }
    }

    /// Values of the marks.
    pub(crate) fn values(&self) -> Vec<f64> {
        self.ticks.iter().map(|tick| self.origin + tick.value / self.factor).collect()
    }

    fn positions(&self) -> impl Iterator<Item = (f64, &str)> {
        let places = self.values().into_iter().map(|value| self.scale.at(value));
        places.zip(self.ticks.iter().map(|tick| tick.label.as_str()))
    }

    /// Width of the numbers and title of a vertical axis, or their height for a horizontal one.
    pub(crate) fn thickness(&self) -> f64 {
        let title = match self.title_lines().len() {
            0 => 0.0,
            lines => 16.0 + Self::LINE * (lines - 1) as f64,
        };
        match self.side {
            Side::Bottom => 22.0 + title,
            Side::Left | Side::Right => self.label_width() + Self::TICK + 6.0 + title,
        }
    }

    /// The title; the unit goes on a second line if both together are longer than the axis.
    fn title_lines(&self) -> Vec<&str> {
        let is_long = AXIS_TITLE.width_of(&self.title) > (self.scale.to - self.scale.from).abs();
        match self.title.rsplit_once(" (") {
            _ if self.title.is_empty() => Vec::new(),
            Some((name, _)) if is_long => vec![name, &self.title[name.len() + 1..]],
            _ => vec![&self.title],
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

    /// The title outside the numbers, centred on the side of the panel.
    pub(crate) fn draw_title(&self, canvas: &mut Canvas, area: &Area) {
        let [x, y] = area.centre();
        let beyond = self.thickness();
        let lines = self.title_lines();
        for (index, line) in lines.iter().enumerate() {
            let (after, before) = (Self::LINE * index as f64, Self::LINE * (lines.len() - 1 - index) as f64);
            match self.side {
                Side::Bottom => canvas.text([x, area.bottom + beyond - 3.0 - before], line, &AXIS_TITLE.centred()),
                Side::Left => {
                    let at = [area.left - beyond + 9.0 + after, y];
                    canvas.text(at, line, &AXIS_TITLE.centred().upwards());
                }
                Side::Right => {
                    let at = [area.right + beyond - before, y];
                    canvas.text(at, line, &AXIS_TITLE.centred().upwards());
                }
            }
        }
    }

    /// Marks, numbers and title.
    pub(crate) fn draw(&self, canvas: &mut Canvas, area: &Area) {
        self.draw_labels(canvas, area);
        self.draw_title(canvas, area);
    }
}

/// About `count` round marks, or more if there would be fewer than two.
fn at_least_two(low: f64, high: f64, count: usize) -> Vec<Tick> {
    let enough = (count..count + 4).map(|count| ticks::linear(low, high, count)).find(|ticks| ticks.len() >= 2);
    enough.unwrap_or_else(|| ticks::linear(low, high, count))
}

/// About `count` marks on a horizontal axis of a given length, whose numbers do not overlap.
fn side_by_side(low: f64, high: f64, count: usize, length: f64) -> Vec<Tick> {
    const GAP: f64 = 6.0;
    let fits = |ticks: &[Tick]| {
        ticks.windows(2).all(|pair| {
            let distance = (pair[1].value - pair[0].value) / (high - low) * length;
            let widths = LABEL.width_of(&pair[0].label) + LABEL.width_of(&pair[1].label);
            distance >= 0.5 * widths + GAP
        })
    };
    let fewer = (1..=count).rev().map(|count| at_least_two(low, high, count));
    // Long numbers on a short axis: only every second or third mark fits.
    let all = at_least_two(low, high, 1);
    let thinned = (2..=all.len().max(2)).map(|stride| all.iter().step_by(stride).cloned().collect());
    fewer.chain(thinned).find(|ticks: &Vec<Tick>| fits(ticks)).unwrap_or_default()
}

/// "Offset (km)"; only the title if there is no unit, only the unit if there is no title.
pub(crate) fn titled(title: &str, unit: &str) -> String {
    match (title, ticks::printed_unit(unit)) {
        (title, unit) if unit.is_empty() => title.to_owned(),
        ("", unit) => unit,
        (title, unit) => format!("{title} ({unit})"),
    }
}

/// A thin line at a notable value, with a label.
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
        assert!((scale.value_at(scale.at(3.7)) - 3.7).abs() < 1e-12);
    }

    #[test]
    fn numbers_below_an_axis_do_not_touch() {
        let cases = [([5_412_020.0, 5_412_030.0], 1.0), ([5_412_020.0, 5_412_180.0], 1e-3), ([0.0, 1.0], 1.0)];
        for (values, factor) in cases {
            for length in [20.0, 60.0, 95.0, 140.0, 250.0, 700.0] {
                let axis = Axis::linear(Side::Bottom, values, [0.0, length], "x", Unit { factor, name: "m" });
                let places: Vec<_> = axis.positions().collect();
                assert!(places.len() > 1 || length < 95.0 && places.len() == 1, "{values:?} {length}");
                for pair in places.windows(2) {
                    let room = 0.5 * (LABEL.width_of(pair[0].1) + LABEL.width_of(pair[1].1));
                    assert!(pair[1].0 - pair[0].0 > room + 5.0, "{pair:?}");
                }
            }
        }
    }

    #[test]
    fn the_unit_of_a_long_title_has_its_own_line() {
        let axis = |length: f64| Axis::of_values(Side::Right, [979_812.31, 979_812.38], [length, 0.0], "", "mGal");
        assert_eq!(axis(300.0).title_lines(), ["above 979812.3 (mGal)"]);
        assert_eq!(axis(90.0).title_lines(), ["above 979812.3", "(mGal)"]);
        assert!(axis(90.0).thickness() > axis(90.0).label_width() + 30.0);
    }

    #[test]
    fn values_that_hardly_differ_are_relative_to_a_round_offset() {
        let axis = Axis::of_values(Side::Right, [3.20112, 3.20127], [300.0, 0.0], "V", "m^2/s^2");
        assert_eq!(axis.title, "V − 3.201 (10⁻⁶ m²/s²)");
        assert_eq!(axis.ticks.first().map(|tick| tick.label.as_str()), Some("120"));
        assert!((axis.values()[0] - 3.20112).abs() < 1e-12);
        let unnamed = Axis::of_values(Side::Right, [3.20112, 3.20127], [300.0, 0.0], "", "E");
        assert_eq!(unnamed.title, "above 3.201 (10⁻⁶ E)");
        assert_eq!(Axis::of_values(Side::Right, [-2e-5, 3e-5], [300.0, 0.0], "", "1").title, "10⁻⁶");
    }
}
