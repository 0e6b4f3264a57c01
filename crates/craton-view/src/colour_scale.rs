//! Mapping from values to colours, and the choice of the colour range.

use crate::colour::{Colour, ColourMap};

/// A colour map stretched over a range of values.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ColourScale {
    pub(crate) map: ColourMap,
    pub(crate) reversed: bool,
    /// Lighter colours without the extremes, as a background for lines and symbols.
    pub(crate) soft: bool,
    pub(crate) range: [f64; 2],
    /// Logarithmic scale, for positive values.
    pub(crate) logarithmic: bool,
}

impl ColourScale {
    /// Colour of a value, clamped to the range.
    pub(crate) fn colour(&self, value: f64) -> Colour {
        let fraction = self.fraction(value);
        let fraction = if self.reversed { 1.0 - fraction } else { fraction };
        if self.soft { self.map.soft(fraction) } else { self.map.at(fraction) }
    }

    /// Whether values exceed the range below and above.
    pub(crate) fn beyond(&self, values: impl Iterator<Item = f64>) -> [bool; 2] {
        // Values outside by round-off only do not get an arrow.
        const SLACK: f64 = 1e-9;
        values
            .map(|value| self.fraction(value))
            .fold([false; 2], |[below, above], fraction| [below || fraction < -SLACK, above || fraction > 1.0 + SLACK])
    }

    /// Position of a value in the range, from 0 to 1; on a logarithmic scale, values that are not positive are below the range.
    fn fraction(&self, value: f64) -> f64 {
        let [low, high] = self.range;
        match self.logarithmic {
            true if value <= 0.0 => f64::NEG_INFINITY,
            true => (value / low).ln() / (high / low).ln(),
            false => (value - low) / (high - low),
        }
    }
}

/// The colour range that contains the fraction `part` of the values: symmetric about zero for diverging maps, never empty.
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

/// The smallest and the largest value.
pub(crate) fn ends(values: impl Iterator<Item = f64>) -> [f64; 2] {
    values.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], value| [low.min(value), high.max(value)])
}

/// Widens a range of values that are equal within round-off.
pub(crate) fn widened([low, high]: [f64; 2]) -> [f64; 2] {
    const ROUND_OFF: f64 = 1e-13;
    let largest = low.abs().max(high.abs());
    if high - low > ROUND_OFF * largest {
        return [low, high];
    }
    let room = if largest == 0.0 { 1.0 } else { 0.1 * largest };
    [low - room, high + room]
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
    fn arrows_appear_only_when_values_go_beyond() {
        let beyond = |range: [f64; 2], logarithmic: bool, values: [f64; 2]| {
            ColourScale { map: ColourMap::Oslo, reversed: false, soft: false, range, logarithmic }
                .beyond(values.into_iter())
        };
        assert_eq!(beyond([0.0, 5.0], false, [0.0, 5.0]), [false, false]);
        assert_eq!(beyond([1.0, 4.0], false, [0.0, 5.0]), [true, true]);
        assert_eq!(beyond([1e-12, 1.0], true, [1e-12, 1.0]), [false, false]);
        assert_eq!(beyond([1e-12, 1.0], true, [1e-13, 0.5]), [true, false]);
        assert_eq!(beyond([1e-12, 1.0], true, [0.0, 1.1]), [true, true]);
    }

    #[test]
    fn equal_ratios_are_equal_steps_of_a_logarithmic_scale() {
        let range = [1e-6, 1e-2];
        let scale = ColourScale { map: ColourMap::Batlow, reversed: false, soft: false, range, logarithmic: true };
        for (value, part) in [(1e-6, 0.0), (1e-5, 0.25), (1e-4, 0.5), (1e-2, 1.0), (0.0, 0.0), (-3.0, 0.0), (7.0, 1.0)]
        {
            assert_eq!(scale.colour(value), ColourMap::Batlow.at(part), "{value}");
        }
    }
}
