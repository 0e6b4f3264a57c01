//! Horizontal positions of the traces of a gather.

use crate::axis::{Axis, Scale, Side};
use crate::error::{Error, Result};
use crate::ticks::{self, Unit};
use crate::trace::all_finite;

/// Horizontal axis of a gather.
#[derive(Clone, Copy, Debug)]
pub enum TraceAxis<'a> {
    /// Consecutive trace numbers.
    Number {
        /// Number of the first trace.
        first: usize,
    },
    /// Offsets \[m\], one per trace, in any order.
    Offset(&'a [f64]),
    /// Another position \[m\].
    Position {
        /// One per trace, in any order.
        metres: &'a [f64],
        /// Name of the position, such as "Midpoint".
        label: &'a str,
    },
}

/// Traces from left to right.
pub(crate) struct Places<'a> {
    axis: TraceAxis<'a>,
    /// Traces in ascending order of their positions.
    pub(crate) order: Vec<usize>,
    /// Position of each trace.
    values: Vec<f64>,
    /// Distinct positions in ascending order.
    distinct: Vec<f64>,
    /// Median distance between neighbours.
    pub(crate) spacing: f64,
}

impl<'a> Places<'a> {
    /// How far a trace extends into a gap, in median trace distances.
    const REACH: f64 = 1.0;

    /// # Errors
    /// `Error::Length` unless there is one position per trace, `Error::NotFinite`
    pub(crate) fn new(axis: TraceAxis<'a>, traces: usize) -> Result<Self> {
        let values: Vec<f64> = match axis {
            TraceAxis::Number { first } => (first..first + traces).map(|number| number as f64).collect(),
            TraceAxis::Offset(metres) | TraceAxis::Position { metres, .. } => metres.to_vec(),
        };
        if values.len() != traces {
            let what = "the horizontal axis of the gather".into();
            return Err(Error::Length { what, found: values.len(), expected: traces });
        }
        all_finite(&values, || "a place of the gather".into())?;
        let mut order: Vec<usize> = (0..traces).collect();
        order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
        let mut distinct: Vec<f64> = order.iter().map(|&trace| values[trace]).collect();
        distinct.dedup();
        let mut gaps: Vec<f64> = distinct.windows(2).map(|pair| pair[1] - pair[0]).collect();
        gaps.sort_by(f64::total_cmp);
        let alone = match axis {
            TraceAxis::Number { .. } => 1.0,
            _ => (0.1 * distinct[0].abs()).max(1.0),
        };
        let spacing = gaps.get(gaps.len() / 2).copied().unwrap_or(alone);
        Ok(Self { axis, order, values, distinct, spacing })
    }

    pub(crate) fn value(&self, trace: usize) -> f64 {
        self.values[trace]
    }

    /// From the first to the last place.
    pub(crate) fn ends(&self) -> [f64; 2] {
        [self.distinct[0], self.distinct[self.distinct.len() - 1]]
    }

    /// The interval that a trace covers: halfway to its neighbours, with a limit in gaps.
    pub(crate) fn cell(&self, trace: usize) -> [f64; 2] {
        let own = self.values[trace];
        let rank = self.distinct.partition_point(|place| *place < own);
        let half = |other: Option<&f64>| match other {
            Some(other) => (0.5 * (other - own).abs()).min(Self::REACH * self.spacing),
            None => 0.5 * self.spacing,
        };
        let before = rank.checked_sub(1).and_then(|rank| self.distinct.get(rank));
        [own - half(before), own + half(self.distinct.get(rank + 1))]
    }

    /// The axis below a panel for a range of positions.
    pub(crate) fn axis(&self, range: [f64; 2], positions: [f64; 2]) -> Axis {
        let metres = |title: &str| {
            let unit = Unit::for_length(range[0].abs().max(range[1].abs()));
            Axis::linear(Side::Bottom, range, positions, title, unit)
        };
        match self.axis {
            TraceAxis::Number { .. } => {
                const ROOM: f64 = 46.0;
                let [first, last] = self.ends();
                // No more marks than steps between traces, so that none falls between trace numbers.
                let count = ((positions[1] - positions[0]) / ROOM).min(last - first).max(1.0);
                let marks = ticks::linear(first, last, count as usize);
                Axis::marked(Side::Bottom, Scale::linear(range, positions), marks, "Trace".into())
            }
            TraceAxis::Offset(_) => metres("Offset"),
            TraceAxis::Position { label, .. } => metres(label),
        }
    }

    /// Traces from the left that are at least `room` apart.
    pub(crate) fn apart(&self, room: f64) -> Vec<usize> {
        // Tolerance, so that rounding does not make uniform spacings irregular.
        let room = room * (1.0 - 1e-9);
        let mut last = f64::NEG_INFINITY;
        let mut keep = |trace: &usize| {
            let far = self.values[*trace] - last >= room;
            if far {
                last = self.values[*trace];
            }
            far
        };
        self.order.iter().copied().filter(|trace| keep(trace)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn traces_cover_half_the_way_but_little_of_a_gap() {
        let places = Places::new(TraceAxis::Offset(&[30.0, 10.0, 20.0, 100.0, 110.0]), 5).unwrap();
        assert_eq!(places.order, [1, 2, 0, 3, 4]);
        assert_eq!(places.spacing, 10.0);
        assert_eq!(places.cell(2), [15.0, 25.0]);
        assert_eq!(places.cell(0), [25.0, 40.0]);
        assert_eq!(places.cell(4), [105.0, 115.0]);
    }

    #[test]
    fn traces_at_one_place_share_its_cell() {
        let places = Places::new(TraceAxis::Offset(&[0.0, 10.0, 10.0, 20.0]), 4).unwrap();
        assert_eq!(places.cell(1), [5.0, 15.0]);
        assert_eq!(places.cell(2), [5.0, 15.0]);
        let alone = Places::new(TraceAxis::Offset(&[50.0; 2]), 2).unwrap();
        assert_eq!(alone.cell(0), [47.5, 52.5]);
    }

    #[test]
    fn traces_are_thinned_evenly() {
        let metres: Vec<f64> = (0..10).map(|index| 0.1 * f64::from(index)).collect();
        let places = Places::new(TraceAxis::Offset(&metres), 10).unwrap();
        assert_eq!(places.apart(0.3), [0, 3, 6, 9]);
        assert_eq!(places.apart(0.0).len(), 10);
    }

    #[test]
    fn places_that_do_not_fit_are_refused() {
        let refused = |metres: &[f64], traces| Places::new(TraceAxis::Offset(metres), traces).err().unwrap();
        assert!(matches!(refused(&[1.0, 2.0], 3), Error::Length { found: 2, expected: 3, .. }));
        assert!(matches!(refused(&[1.0, f64::NAN], 2), Error::NotFinite { index: 1, .. }));
    }
}
