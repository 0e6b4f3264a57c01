//! Slices: vertical parts of a box that are meshed separately.

use crate::error::MeshError;
use crate::layers::{Layer, LayerKind, Plan};

/// One of many equal parts along x and y.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Slice {
    /// Number of slices along x and y.
    pub(super) of: [usize; 2],
    /// Indices of this slice.
    pub(super) at: [usize; 2],
}

impl Slice {
    /// The whole box as one slice.
    pub(super) const WHOLE: Self = Self { of: [1, 1], at: [0, 0] };

    /// The layers of a slice.
    pub(super) fn of_plan(&self, whole: &Plan, periodic: [bool; 2]) -> Result<Plan, MeshError> {
        let Self { of, at } = *self;
        let fits = |axis: usize| {
            let cuts_none = |layer: &Layer| {
                // A brick is four fine columns wide.
                let step = if layer.kind == LayerKind::Doubling(axis) { 4 } else { 1 };
                layer.counts[axis].is_multiple_of(step * of[axis])
            };
            at[axis] < of[axis] && (of[axis] == 1 || !periodic[axis]) && whole.iter().all(cuts_none)
        };
        if !(fits(0) && fits(1)) {
            return Err(MeshError::Slices { of, at, columns: [whole[0].counts[0], whole[0].counts[1]] });
        }
        let part = |layer: &Layer| Layer { counts: [layer.counts[0] / of[0], layer.counts[1] / of[1], 1], ..*layer };
        Ok(whole.iter().map(part).collect())
    }

    /// Fraction along an axis of the box of step `index` of `count` equal steps along the slice. It is bit-identical for neighbours and for the whole
    /// box.
    pub(super) fn step(&self, axis: usize, index: usize, count: usize) -> f64 {
        (self.at[axis] * count + index) as f64 / (self.of[axis] * count) as f64
    }

    /// Fraction along an axis of the box of a fraction (0 to 1) along the slice.
    pub(super) fn along(&self, axis: usize, share: f64) -> f64 {
        (self.at[axis] as f64 + share) / self.of[axis] as f64
    }

    /// Whether the sides of the slice at the two ends of an axis are those of the box.
    pub(super) fn has_sides(&self, axis: usize) -> [bool; 2] {
        [self.at[axis] == 0, self.at[axis] + 1 == self.of[axis]]
    }
}
