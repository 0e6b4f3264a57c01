//! Tiles: vertical parts of a box that are ordered and divided into patches by themselves; and windows: rectangles of tiles that are meshed without the rest of
//! the box.

use std::ops::Range;

use crate::layers::{Layer, LayerKind, Plan};

/// The columns of a box, in tiles.
///
/// A *unit* is the smallest width at which all layers can be cut: an element of the lowest layer, or the widest brick of a doubling.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Tiling {
    /// Number of units along x and y.
    units: [usize; 2],
    /// Number of tiles along x and y.
    pub(super) tiles: [usize; 2],
}

impl Tiling {
    /// Tiles of nearly equal size, of exactly equal size if the number of units has a suitable divisor. Periodic axes are not divided.
    ///
    /// # Arguments
    /// * `elements` – number of elements of the box
    /// * `of_tile` – approximate number of elements of a tile
    pub(super) fn new(plan: &Plan, periodic: [bool; 2], elements: usize, of_tile: usize) -> Self {
        let lowest = plan.last().map_or([1; 3], Layer::counts_below);
        let is_doubled = |axis: usize| plan.iter().any(|layer| layer.kind == LayerKind::Doubling(axis));
        let units = [0, 1].map(|axis| if is_doubled(axis) { lowest[axis] / 2 } else { lowest[axis] });
        // Units of a tile: the narrower axis first, so that a narrow box has longer tiles.
        let mut of_tile = of_tile as f64 * (units[0] * units[1]) as f64 / elements as f64;
        let mut order = [0, 1];
        order.sort_by_key(|&axis| (!periodic[axis], units[axis]));
        let mut tiles = [1; 2];
        for (place, axis) in order.into_iter().enumerate() {
            let width = if place == 0 { of_tile.sqrt() } else { of_tile };
            if !periodic[axis] {
                let fewest = ((units[axis] as f64 / width).ceil() as usize).clamp(1, units[axis]);
                let equal = (fewest..=units[axis].min(2 * fewest)).find(|&count| units[axis].is_multiple_of(count));
                tiles[axis] = equal.unwrap_or(fewest);
            }
            of_tile *= tiles[axis] as f64 / units[axis] as f64;
        }
        Self { units, tiles }
    }

    /// First unit of a tile along an axis; also of the one after the last.
    pub(super) fn start(&self, axis: usize, tile: usize) -> usize {
        tile * self.units[axis] / self.tiles[axis]
    }

    /// The tile of a unit along an axis.
    fn tile(&self, axis: usize, unit: usize) -> usize {
        ((unit + 1) * self.tiles[axis] - 1) / self.units[axis]
    }
}

/// A rectangle of tiles.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Window {
    tiling: Tiling,
    /// Tiles along x and y.
    tiles: [Range<usize>; 2],
}

impl Window {
    /// The whole box.
    pub(super) fn whole(tiling: Tiling) -> Self {
        Self { tiles: tiling.tiles.map(|count| 0..count), tiling }
    }

    /// Some tiles of the box.
    ///
    /// # Panics
    /// If there are fewer tiles.
    pub(super) fn of(tiling: Tiling, tiles: [Range<usize>; 2]) -> Self {
        for (range, count) in tiles.iter().zip(tiling.tiles) {
            assert!(range.start < range.end && range.end <= count, "tiles {range:?} of {count}");
        }
        Self { tiling, tiles }
    }

    /// Whether the sides of the window at the two ends of an axis are those of the box.
    pub(super) fn has_sides(&self, axis: usize) -> [bool; 2] {
        let Range { start, end } = self.tiles[axis];
        [start == 0, end == self.tiling.tiles[axis]]
    }

    /// The columns of the window along an axis, of all `count` columns of the box.
    pub(super) fn columns(&self, axis: usize, count: usize) -> Range<usize> {
        let of_unit = count / self.tiling.units[axis];
        let Range { start, end } = self.tiles[axis];
        self.tiling.start(axis, start) * of_unit..self.tiling.start(axis, end) * of_unit
    }

    /// A layer with the columns of the window alone.
    pub(super) fn layer(&self, whole: &Layer) -> Layer {
        let count = |axis: usize| self.columns(axis, whole.counts[axis]).len();
        Layer { counts: [count(0), count(1), 1], ..*whole }
    }

    /// The tile along an axis of a column of the box, of `count` columns.
    pub(super) fn tile(&self, axis: usize, column: usize, count: usize) -> usize {
        self.tiling.tile(axis, column * self.tiling.units[axis] / count)
    }

    /// Number of a tile of the box, by its indices along x and y.
    pub(super) fn number(&self, [x, y]: [usize; 2]) -> u32 {
        (x + self.tiling.tiles[0] * y) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_unit_belongs_to_the_tile_that_contains_it() {
        for (units, tiles) in [(1, 1), (7, 3), (12, 12), (100, 7)] {
            let tiling = Tiling { units: [units; 2], tiles: [tiles; 2] };
            for tile in 0..tiles {
                let own = tiling.start(0, tile)..tiling.start(0, tile + 1);
                assert!(!own.is_empty() && own.into_iter().all(|unit| tiling.tile(0, unit) == tile));
            }
        }
    }
}
