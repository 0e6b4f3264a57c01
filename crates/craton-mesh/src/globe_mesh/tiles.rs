//! Tiles of a sphere: rectangles of columns of the six blocks, from the surface to the central cube, and blocks of the central cube. Elements are ordered and
//! divided into patches within a tile, so that a process can mesh some tiles alone.

use std::ops::Range;

use super::centre::{Centre, direction};
use crate::layers::{Layer, LayerKind, Plan};

/// The division of a sphere into tiles.
///
/// A *unit* is the smallest width at which all layers can be cut: an element of the lowest layer, or the widest brick of a doubling.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Tiling {
    /// Elements along each axis of the central cube.
    in_cube: [usize; 3],
    /// Units along each axis of the blocks.
    units: [usize; 3],
    /// Tiles along each axis of the blocks.
    along: [usize; 3],
    /// Tiles along each axis of the central cube.
    across: [usize; 3],
}

/// First one of some equal parts of a range, by its number.
fn start(part: usize, parts: usize, length: usize) -> usize {
    part * length / parts
}

/// The one of some equal parts of a range that contains an item.
fn part_of(item: usize, parts: usize, length: usize) -> usize {
    ((item + 1) * parts - 1) / length
}

/// The axes of a block around an axis, in cyclic order.
pub(super) fn others(axis: usize) -> [usize; 2] {
    [(axis + 1) % 3, (axis + 2) % 3]
}

impl Tiling {
    /// Tiles of about `of_tile` elements each; a single one for a small sphere.
    ///
    /// # Arguments
    /// * `elements` – number of elements without those of the central cube
    pub fn new(plan: &Plan, elements: usize, of_tile: usize) -> Self {
        let in_cube = plan.last().map_or([1; 3], Layer::counts_below);
        let is_doubled = |axis: usize| plan.iter().any(|layer| layer.kind == LayerKind::Doubling(axis));
        let units = [0, 1, 2].map(|axis| if is_doubled(axis) { in_cube[axis] / 2 } else { in_cube[axis] });
        let area: usize =
            (0..3).map(|axis| others(axis).into_iter().map(|other| units[other]).product::<usize>()).sum();
        let width = (of_tile as f64 * (2 * area) as f64 / elements as f64).sqrt();
        let along = units.map(|units| ((units as f64 / width).ceil() as usize).clamp(1, units));
        let across = in_cube.map(|count| (count as f64 / (of_tile as f64).cbrt()).ceil() as usize);
        let is_small = elements + in_cube.into_iter().product::<usize>() <= of_tile;
        if is_small {
            Self { in_cube, units: [0; 3], along: [0; 3], across: [1; 3] }
        } else {
            Self { in_cube, units, along, across }
        }
    }

    /// Number of tiles.
    pub fn count(&self) -> usize {
        self.first_in_cube() + self.across.into_iter().product::<usize>()
    }

    /// Whether there is a single tile.
    pub fn is_whole(&self) -> bool {
        self.along == [0; 3]
    }

    /// Number of tiles of each of the two blocks at the ends of an axis.
    fn of_block(&self, axis: usize) -> usize {
        let [a, b] = others(axis);
        self.along[a] * self.along[b]
    }

    /// First tile of the block at an end (0 or 1) of an axis.
    fn first_of_block(&self, axis: usize, end: usize) -> usize {
        (0..axis).map(|axis| 2 * self.of_block(axis)).sum::<usize>() + end * self.of_block(axis)
    }

    fn first_in_cube(&self) -> usize {
        (0..3).map(|axis| 2 * self.of_block(axis)).sum()
    }

    /// The tile along an axis of a block that contains a column of `count` columns.
    pub fn along(&self, axis: usize, column: usize, count: usize) -> usize {
        if self.is_whole() { 0 } else { part_of(column * self.units[axis] / count, self.along[axis], self.units[axis]) }
    }

    /// Numbers of columns of the tiles along an axis, of `count` columns.
    pub fn parts(&self, axis: usize, count: usize) -> Vec<usize> {
        let mut parts = vec![0; self.along[axis].max(1)];
        (0..count).for_each(|column| parts[self.along(axis, column, count)] += 1);
        parts
    }

    /// The tile of the block at an end (0 or 1) of an axis, by its indices along the two other axes ([`Self::along`]).
    pub fn in_block(&self, axis: usize, end: usize, [first, second]: [usize; 2]) -> u32 {
        let [a, _] = others(axis);
        (self.first_of_block(axis, end) + first + self.along[a] * second) as u32
    }

    /// The tile of an element of the central cube.
    pub fn in_cube(&self, element: [usize; 3]) -> u32 {
        let [i, j, k] = [0, 1, 2].map(|axis| part_of(element[axis], self.across[axis], self.in_cube[axis]));
        (self.first_in_cube() + i + self.across[0] * (j + self.across[1] * k)) as u32
    }

    /// The part of the cube that a tile covers, in elements of the central cube along each axis; ends included. A tile of a block is a rectangle on the
    /// surface of the cube.
    fn extent(&self, tile: usize) -> [[usize; 2]; 3] {
        let Some(of_cube) = tile.checked_sub(self.first_in_cube()) else {
            let block = |axis: usize, end: usize| {
                let index = tile.checked_sub(self.first_of_block(axis, end))?;
                (index < self.of_block(axis)).then_some((axis, end, index))
            };
            let mut blocks = (0..3).flat_map(|axis| [(axis, 0), (axis, 1)]);
            let (axis, end, index) = blocks.find_map(|(axis, end)| block(axis, end)).expect("a tile of a block");
            let [a, b] = others(axis);
            let mut extent = [[end * self.in_cube[axis]; 2]; 3];
            for (other, part) in [(a, index % self.along[a]), (b, index / self.along[a])] {
                let of_unit = self.in_cube[other] / self.units[other];
                extent[other] =
                    [part, part + 1].map(|part| of_unit * start(part, self.along[other], self.units[other]));
            }
            return extent;
        };
        let [nx, ny, _] = self.across;
        let parts = [of_cube % nx, of_cube / nx % ny, of_cube / (nx * ny)];
        [0, 1, 2]
            .map(|axis| [parts[axis], parts[axis] + 1].map(|part| start(part, self.across[axis], self.in_cube[axis])))
    }

    /// For each tile, whether it is one of some tiles or touches one.
    pub fn with_neighbours(&self, of: &[bool]) -> Vec<bool> {
        let extents: Vec<[[usize; 2]; 3]> = (0..self.count()).map(|tile| self.extent(tile)).collect();
        let own: Vec<[[usize; 2]; 3]> =
            extents.iter().zip(of).filter(|(_, own)| **own).map(|(extent, _)| *extent).collect();
        let touch = |one: &[[usize; 2]; 3], other: &[[usize; 2]; 3]| {
            (0..3).all(|axis| one[axis][0] <= other[axis][1] && other[axis][0] <= one[axis][1])
        };
        extents.iter().map(|one| own.iter().any(|other| touch(one, other))).collect()
    }

    /// The middle of a tile [m].
    ///
    /// # Arguments
    /// * `radius` – distance of the tiles of blocks from the centre [m]
    pub fn middle(&self, tile: usize, radius: f64, centre: &Centre) -> [f64; 3] {
        let extent = self.extent(tile);
        let cube = [0, 1, 2].map(|axis| {
            let [from, to] = extent[axis];
            (from + to) as f64 / self.in_cube[axis] as f64 - 1.0
        });
        if tile < self.first_in_cube() { direction(cube).map(|x| radius * x) } else { centre.position(cube) }
    }

    /// The tiles.
    pub fn all(&self) -> Range<usize> {
        0..self.count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiles_that_touch_are_found_across_edges_of_the_cube() {
        let tiling = Tiling { in_cube: [4; 3], units: [2; 3], along: [2; 3], across: [2; 3] };
        assert_eq!(tiling.count(), 32);
        // A corner tile of a block touches the three others of its block, two tiles of each of two other blocks, and four tiles of the cube.
        let mut of = vec![false; 32];
        of[tiling.in_block(0, 1, [1, 1]) as usize] = true;
        let near = tiling.with_neighbours(&of);
        assert!(near[tiling.in_block(1, 1, [1, 1]) as usize] && near[tiling.in_block(2, 1, [1, 1]) as usize]);
        assert!(near[tiling.in_cube([3, 3, 3]) as usize] && !near[tiling.in_block(0, 0, [1, 1]) as usize]);
        assert_eq!(near.iter().filter(|near| **near).count(), 4 + 2 + 2 + 4);
    }
}
