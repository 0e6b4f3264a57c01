//! Tiles of points, the unit of work of a kernel.

use std::ops::Range;

use craton_device::{AlignedVec, Lanes};

use crate::Points;

/// Points per tile, which one thread evaluates at a time; a multiple of the vector width of every instruction set.
pub const TILE: usize = 64;

/// Points per group, a spatially closer subset of a tile; also a multiple of the vector width. In a tree, each group decides separately how to evaluate near
/// leaves.
pub const GROUP: usize = 8;

/// The points of a tile; the last one is repeated to fill it.
pub struct Tile {
    coordinates: [AlignedVec<f64>; 3],
    /// Indices of the points.
    pub range: Range<usize>,
}

impl Tile {
    /// Splits all points into tiles, in order.
    pub fn all(points: &Points) -> Vec<Self> {
        let starts = (0..points.len()).step_by(TILE);
        starts.map(|start| Self::new(points, start..(start + TILE).min(points.len()))).collect()
    }

    /// A sample of every tile: every `every`-th point. `range` then counts the sampled points of the tile from 0.
    pub fn thinned(points: &Points, every: usize) -> Vec<Self> {
        let of = |tile: Self| {
            let count = tile.range.len().div_ceil(every);
            Self::of(points, 0..count, |place| tile.range.start + every * place)
        };
        Self::all(points).into_iter().map(of).collect()
    }

    /// Bounding box of some of the points along x, y, z [m].
    pub fn bounds(&self, points: Range<usize>) -> [[f64; 2]; 3] {
        self.coordinates.each_ref().map(|coordinate| {
            let start = [f64::INFINITY, f64::NEG_INFINITY];
            coordinate[points.clone()].iter().fold(start, |[low, high], &x| [low.min(x), high.max(x)])
        })
    }

    fn new(points: &Points, range: Range<usize>) -> Self {
        let start = range.start;
        Self::of(points, range, |place| start + place)
    }

    fn of(points: &Points, range: Range<usize>, index: impl Fn(usize) -> usize) -> Self {
        let mut coordinates = [0; 3].map(|_| AlignedVec::zeroed(TILE));
        for place in 0..TILE {
            let point = points.get(index(place.min(range.len() - 1)));
            for (coordinate, value) in coordinates.iter_mut().zip(point) {
                coordinate[place] = value;
            }
        }
        Self { coordinates, range }
    }

    /// The points `lane..lane + COUNT`.
    #[inline(always)]
    pub fn points<V: Lanes<Scalar = f64>>(&self, lane: usize) -> [V; 3] {
        let [x, y, z] = &self.coordinates;
        [V::load(x, lane), V::load(y, lane), V::load(z, lane)]
    }
}
