//! Even spacing of the coordinates of a text volume.

use std::collections::HashSet;

/// Largest number of distinct coordinates along an axis.
pub(super) const MOST: usize = 1 << 20;

/// Largest deviation of an inferred coordinate from even spacing, in spacings.
const EVEN: f64 = 1e-3;

/// Coordinates closer than this fraction of the widest step belong to the same point of the axis.
const SAME: f64 = 0.05;

/// Distinct coordinates.
#[derive(Default)]
pub(super) struct Distinct {
    bits: HashSet<u64>,
    last: Option<u64>,
}

impl Distinct {
    pub fn insert(&mut self, value: f64) {
        // Adding zero turns -0 into 0.
        let bits = Some((value + 0.0).to_bits());
        if bits != self.last {
            self.bits.extend(bits);
            self.last = bits;
        }
    }

    pub fn extend(&mut self, other: &Self) {
        self.bits.extend(&other.bits);
    }

    pub fn len(&self) -> usize {
        self.bits.len()
    }

    /// The coordinates, ascending.
    pub fn sorted(&self) -> Vec<f64> {
        let mut all: Vec<f64> = self.bits.iter().map(|&bits| f64::from_bits(bits)).collect();
        all.sort_unstable_by(f64::total_cmp);
        all
    }
}

/// Evenly spaced points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Even {
    pub origin: f64,
    pub spacing: f64,
    pub count: usize,
    /// Largest deviation of a coordinate, in spacings.
    pub tolerance: f64,
}

/// Why coordinates are not evenly spaced.
#[derive(Debug, PartialEq)]
pub(super) struct Uneven {
    /// A coordinate with the problem.
    pub at: f64,
    /// The problem, as a predicate of the coordinate.
    pub problem: String,
}

impl Even {
    /// The points of ascending distinct coordinates, at least one.
    pub fn of(values: &[f64]) -> Result<Self, Uneven> {
        let widest = values.windows(2).map(|pair| pair[1] - pair[0]).fold(0.0, f64::max);
        // First and last coordinate of each group.
        let mut groups: Vec<[f64; 2]> = Vec::new();
        for &value in values {
            match groups.last_mut() {
                Some(group) if value - group[0] <= SAME * widest => group[1] = value,
                _ => groups.push([value; 2]),
            }
        }
        let middle = |group: &[f64; 2]| 0.5 * group[0] + 0.5 * group[1];
        let (origin, last) = (middle(&groups[0]), middle(&groups[groups.len() - 1]));
        let mean = (last - origin) / (groups.len() - 1).max(1) as f64;
        let even = match values {
            [_] => Self { origin, spacing: 1.0, count: 1, tolerance: EVEN },
            _ => Self { origin, spacing: mean, count: groups.len(), tolerance: EVEN },
        };
        let is_even = |(index, group): (usize, &[f64; 2])| group.iter().all(|value| even.index(*value) == Some(index));
        match groups.iter().enumerate().find(|group| !is_even(*group)) {
            Some((index, group)) => Err(even.uneven(&groups, index, group)),
            None => Ok(even),
        }
    }

    /// The problem of groups of coordinates, of which one is not at its point.
    fn uneven(&self, groups: &[[f64; 2]], index: usize, group: &[f64; 2]) -> Uneven {
        let (mean, place) = (self.spacing, self.place(index));
        let deviation = |pair: &[[f64; 2]]| (pair[1][0] - pair[0][1] - mean).abs();
        let worst = groups.windows(2).rev().max_by(|a, b| deviation(a).total_cmp(&deviation(b)));
        // A missing plane moves all others, so that the first deviation does not explain it.
        if let Some(pair) = worst.filter(|pair| deviation(pair) > 0.25 * mean) {
            let problem = format!("steps from {} to {}, but the mean step is {mean}", pair[0][1], pair[1][0]);
            return Uneven { at: pair[1][0], problem };
        }
        let at = if (group[0] - place).abs() > (group[1] - place).abs() { group[0] } else { group[1] };
        Uneven { at, problem: format!("is {at} instead of {place}, for even steps of {mean}") }
    }

    /// Index of the point at a coordinate; `None` if there is none within the tolerance.
    pub fn index(&self, value: f64) -> Option<usize> {
        let along = (value - self.origin) / self.spacing;
        let nearest = along.round();
        // Subtractions of large coordinates are rounded, too.
        let rounding = 4.0 * f64::EPSILON * (value.abs() / self.spacing.abs());
        let is_near = (along - nearest).abs() <= self.tolerance + rounding;
        (is_near && nearest >= 0.0 && nearest < self.count as f64).then_some(nearest as usize)
    }

    /// Coordinate of a point.
    pub fn place(&self, index: usize) -> f64 {
        self.origin + index as f64 * self.spacing
    }
}
