//! Choice of the colours of a field: a colour map by the signs of its values, and a range robust against outliers.

use crate::colour::ColourMap;
use crate::colour_scale::{ColourScale, widened};
use crate::error::{Error, Result};
use crate::trace::{check_positive, checked_range};

/// Colours of a field; options that are left out are derived from the values.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct FieldColours {
    /// The colours; when left out, Vik for values of both signs, else Batlow.
    pub map: Option<ColourMap>,
    /// Exchanges the ends of the colour map.
    pub reversed: bool,
    /// Values of the first and the last colour. When left out, the range of all values except outliers, symmetric about zero for diverging maps and extended to
    /// powers of ten on a logarithmic scale.
    pub range: Option<[f64; 2]>,
    /// Logarithmic scale, for errors and other magnitudes; values that are not positive get the first colour.
    pub logarithmic: bool,
}

impl FieldColours {
    /// The scale for values without NaN.
    ///
    /// # Errors
    /// `Error::Range`; `Error::NotPositive` where a logarithmic scale has no positive value or does not begin with one
    pub(crate) fn fitted(&self, values: impl Iterator<Item = f64>) -> Result<ColourScale> {
        let mut values: Vec<f64> = values.filter(|value| !self.logarithmic || *value > 0.0).collect();
        if self.logarithmic && values.is_empty() && self.range.is_none() {
            return Err(Error::NotPositive { what: "the largest value on a logarithmic scale", value: 0.0 });
        }
        let own = match self.logarithmic {
            false => widened(robust(&mut values)),
            true => decades(robust(&mut values)),
        };
        let map = self.map.unwrap_or(if self.has_both_signs(self.range.unwrap_or(own)) {
            ColourMap::Vik
        } else {
            ColourMap::Batlow
        });
        let range = match self.range {
            Some(range) => checked_range("the range of colours", range)?,
            None if map.is_diverging() && !self.logarithmic => {
                let largest = own[0].abs().max(own[1].abs());
                [-largest, largest]
            }
            None => own,
        };
        if self.logarithmic {
            check_positive("the lower end of a logarithmic range of colours", range[0])?;
        }
        Ok(ColourScale { map, reversed: self.reversed, soft: false, range, logarithmic: self.logarithmic })
    }

    /// Whether a range has both signs, beyond round-off.
    fn has_both_signs(&self, [low, high]: [f64; 2]) -> bool {
        const LEAST: f64 = 1e-3;
        low < 0.0 && high > 0.0 && (-low).min(high) >= LEAST * high.max(-low)
    }
}

/// The range of all values without outliers: each end extends at most 50 % beyond the range that contains 99 % of the values (with ten values or more, all but
/// one at each end).
fn robust(values: &mut [f64]) -> [f64; 2] {
    const TAIL: f64 = 0.005;
    const FEW: usize = 10;
    const BEYOND: f64 = 0.5;
    values.sort_unstable_by(f64::total_cmp);
    let Some(last) = values.len().checked_sub(1) else { return [0.0; 2] };
    let rare = ((TAIL * last as f64).round() as usize).max(usize::from(values.len() >= FEW));
    let (all, [low, high]) = ([values[0], values[last]], [values[rare], values[last - rare]]);
    if low == high {
        // Nearly all values are equal, so the different ones should be visible.
        return all;
    }
    let room = BEYOND * (high - low);
    [if all[0] >= low - room { all[0] } else { low }, if all[1] <= high + room { all[1] } else { high }]
}

/// Powers of ten around a range of positive values.
fn decades([low, high]: [f64; 2]) -> [f64; 2] {
    if high <= 0.0 {
        return [0.1, 1.0];
    }
    // Values beyond a power of ten by round-off only do not add another decade.
    let (first, last) = ((low.log10() + 1e-9).floor() as i32, (high.log10() - 1e-9).ceil() as i32);
    [10f64.powi(first), 10f64.powi(last.max(first + 1))]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fitted(colours: FieldColours, values: &[f64]) -> (ColourMap, [f64; 2]) {
        let scale = colours.fitted(values.iter().copied()).unwrap();
        (scale.map, scale.range)
    }

    fn chosen(values: &[f64]) -> (ColourMap, [f64; 2]) {
        fitted(FieldColours::default(), values)
    }

    #[test]
    fn signs_choose_the_map() {
        assert_eq!(chosen(&[-1.0, 0.5, 3.0]), (ColourMap::Vik, [-3.0, 3.0]));
        assert_eq!(chosen(&[1.0, 2.0, 3.0]), (ColourMap::Batlow, [1.0, 3.0]));
        assert_eq!(chosen(&[-3.0, -2.0, 0.0]), (ColourMap::Batlow, [-3.0, 0.0]));
        assert_eq!(chosen(&[-1e-12, 2.0, 3.0]).0, ColourMap::Batlow);
    }

    #[test]
    fn no_single_value_washes_out_the_others() {
        for count in [10, 11, 100, 15_000] {
            for extreme in [1e9, -1e9] {
                let mut values: Vec<f64> = (0..count).map(|i| 5.0 + f64::from(i % 10)).collect();
                values[count as usize / 2] = extreme;
                let (map, [low, high]) = chosen(&values);
                assert_eq!(map, ColourMap::Batlow);
                assert!(low >= 5.0 && high <= 14.0 && high - low >= 8.0, "{count} {extreme} {low} {high}");
            }
        }
    }

    #[test]
    fn usual_extremes_are_kept_and_equal_values_have_a_range() {
        let ramp: Vec<f64> = (0..1000).map(f64::from).collect();
        assert_eq!(chosen(&ramp).1, [0.0, 999.0]);
        let mut flat = vec![0.0; 1000];
        flat[7] = 2.0;
        assert_eq!(chosen(&flat).1, [0.0, 2.0]);
        assert_eq!(chosen(&[2.0; 20]).1, [1.8, 2.2]);
        assert_eq!(chosen(&[0.0; 20]).1, [-1.0, 1.0]);
    }

    #[test]
    fn logarithmic_scales_span_whole_decades_of_positive_values() {
        let colours = FieldColours { logarithmic: true, ..FieldColours::default() };
        assert_eq!(fitted(colours, &[0.0, 3e-9, 2e-6, 1e-5]), (ColourMap::Batlow, [1e-9, 1e-5]));
        assert_eq!(fitted(colours, &[5.0]).1, [1.0, 10.0]);
        assert!(matches!(colours.fitted([0.0, -1.0].into_iter()), Err(Error::NotPositive { .. })));
        let range = Some([0.0, 1.0]);
        let from_zero = FieldColours { range, ..colours };
        assert!(matches!(from_zero.fitted([0.5].into_iter()), Err(Error::NotPositive { value: 0.0, .. })));
    }
}
