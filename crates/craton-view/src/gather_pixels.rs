//! A gather reduced to the pixels of its panel.

use std::ops::Range;

/// The two lobes of every pixel: minimum below and maximum above zero of the traces in it.
///
/// A trace is the line through its samples, and a pixel holds the piece of it, or of several traces, that runs through
/// its row and column.
pub(crate) struct Pixels {
    rows: usize,
    /// Column by column, from the top; `None` without a trace.
    columns: Vec<Option<Vec<[f32; 2]>>>,
}

impl Pixels {
    pub(crate) fn new(columns: usize, rows: usize) -> Self {
        Self { rows, columns: vec![None; columns] }
    }

    /// Adds a trace to some columns.
    pub(crate) fn add(&mut self, columns: Range<usize>, lobes: &[[f32; 2]]) {
        for column in &mut self.columns[columns] {
            match column {
                None => *column = Some(lobes.to_vec()),
                Some(column) => {
                    for (own, [low, high]) in column.iter_mut().zip(lobes) {
                        *own = [own[0].min(*low), own[1].max(*high)];
                    }
                }
            }
        }
    }

    /// The value of a pixel; `None` without a trace.
    pub(crate) fn value(&self, column: usize, row: usize) -> Option<f64> {
        let lobes = self.columns.get(column)?.as_ref()?;
        Some(shown(lobes[row.min(self.rows - 1)]))
    }
}

/// Combines two lobes to one value: the sum of the lowest point, if negative, and the highest, if positive.
///
/// Every sample contributes: an isolated lobe keeps its sign and height, however short it is, and oscillations within one pixel fade to zero. Picking single
/// samples instead would alias and create patterns that are not in the data.
pub(crate) fn shown(lobes: [f32; 2]) -> f64 {
    lobes.into_iter().map(f64::from).sum()
}

/// Positions of the row edges among the samples of a trace.
pub(crate) struct Rows {
    /// Sample before each edge, and the fractional position of the edge after it.
    edges: Vec<(usize, f64)>,
}

impl Rows {
    /// Rows between two places among `samples` samples, counted from the first; the first and last values are extended beyond the ends.
    pub(crate) fn new(rows: usize, [top, bottom]: [f64; 2], samples: usize) -> Self {
        let last = (samples - 1) as f64;
        let edge = |row: usize| {
            let place = (top + (bottom - top) * row as f64 / rows as f64).clamp(0.0, last);
            (place as usize, place.fract())
        };
        Self { edges: (0..=rows).map(edge).collect() }
    }

    /// Lowest negative and highest positive value of a trace in every row.
    pub(crate) fn lobes(&self, samples: &[f64], lobes: &mut Vec<[f32; 2]>) {
        let at = |(before, part): (usize, f64)| {
            let next = samples[(before + 1).min(samples.len() - 1)];
            samples[before] + part * (next - samples[before])
        };
        let wider = |[low, high]: [f64; 2], value: f64| [low.min(value), high.max(value)];
        lobes.clear();
        for pair in self.edges.windows(2) {
            let ends = wider(wider([0.0; 2], at(pair[0])), at(pair[1]));
            let inside = &samples[pair[0].0 + 1..=pair[1].0.max(pair[0].0)];
            lobes.push(inside.iter().fold(ends, |ends, &value| wider(ends, value)).map(|value| value as f32));
        }
    }
}

/// Columns whose centres lie in a cell, or the column of its position if the cell is too narrow.
///
/// # Arguments
/// * `cell`, `place` – in columns from the left
/// * `count` – number of columns
pub(crate) fn columns_of([from, to]: [f64; 2], place: f64, count: usize) -> Range<usize> {
    let first_middle = |edge: f64| ((edge - 0.5).ceil().max(0.0) as usize).min(count);
    let range = first_middle(from)..first_middle(to);
    if range.is_empty() {
        let only = (place.max(0.0) as usize).min(count - 1);
        return only..only + 1;
    }
    range
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column_of(samples: &[f64], rows: usize) -> Vec<f64> {
        let mut lobes = Vec::new();
        Rows::new(rows, [0.0, (samples.len() - 1) as f64], samples.len()).lobes(samples, &mut lobes);
        let mut pixels = Pixels::new(1, rows);
        pixels.add(0..1, &lobes);
        (0..rows).map(|row| pixels.value(0, row).expect("there is a trace")).collect()
    }

    #[test]
    fn a_spike_keeps_its_place_height_and_sign() {
        for height in [7.0, -7.0] {
            let mut samples = vec![0.0; 10_001];
            samples[5_432] = height;
            let column = column_of(&samples, 100);
            assert_eq!(column[54], height);
            assert!(column.iter().enumerate().all(|(row, &value)| row == 54 || value == 0.0));
        }
    }

    #[test]
    fn the_largest_amplitude_of_a_resolved_wave_is_kept() {
        let wave: Vec<f64> = (0..5_000).map(|i| (f64::from(i) * 0.01).sin() * f64::from(i)).collect();
        let largest = |values: &[f64]| values.iter().fold(0.0, |peak: f64, value| peak.max(value.abs()));
        let column = column_of(&wave, 300);
        // In single precision, as pixels hold it.
        assert_eq!(largest(&column), f64::from(largest(&wave) as f32));
    }

    #[test]
    fn oscillations_within_a_pixel_fade_instead_of_aliasing() {
        // A period of 3.3 samples: every hundredth one would make a wave of full height, 3.3 rows long.
        let fast: Vec<f64> = (0..20_000).map(|i| (2.0 * std::f64::consts::PI * f64::from(i) / 3.3).sin()).collect();
        let column = column_of(&fast, 200);
        // 33 samples contain 33 equally spaced phases, so that the extremes of a row lie within 1 - cos(π / 33) of ±1.
        assert!(column.iter().all(|value| value.abs() < 5e-3), "{column:?}");
    }

    #[test]
    fn few_samples_are_joined_by_lines() {
        let column = column_of(&[0.0, 8.0, 8.0, -8.0], 12);
        assert_eq!(column[..4], [2.0, 4.0, 6.0, 8.0]);
        assert_eq!(column[8..], [8.0, 4.0, -4.0, -8.0]);
    }

    #[test]
    fn traces_in_one_column_are_all_seen() {
        let mut pixels = Pixels::new(3, 1);
        pixels.add(0..1, &[[0.0, 2.0]]);
        pixels.add(0..1, &[[-0.5, 1.0]]);
        assert_eq!(pixels.value(0, 0), Some(1.5));
        assert_eq!(pixels.value(1, 0), None);
        assert_eq!(pixels.value(9, 0), None);
    }

    #[test]
    fn cells_take_the_columns_whose_middle_they_hold() {
        assert_eq!(columns_of([0.4, 2.6], 1.5, 9), 0..3);
        assert_eq!(columns_of([2.6, 4.4], 3.5, 9), 3..4);
        assert_eq!(columns_of([1.6, 2.2], 1.9, 9), 1..2);
        assert_eq!(columns_of([8.9, 9.5], 9.2, 9), 8..9);
    }
}
