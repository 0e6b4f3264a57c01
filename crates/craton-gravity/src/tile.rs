//! Points as a kernel takes them.

use std::ops::Range;

use craton_device::{AlignedVec, Lanes};

use crate::Points;

/// Points that one thread computes at a time; whole lanes of every instruction set.
pub const TILE: usize = 64;

/// Points of a tile that stand together more closely: whole lanes too. A tree lets them decide on their own how they take what is near.
pub const GROUP: usize = 8;

/// Points of a tile, the last one repeated until it is full.
pub struct Tile {
    coordinates: [AlignedVec<f64>; 3],
    /// Which points they are.
    pub range: Range<usize>,
}

impl Tile {
    /// All points in tiles, in their order.
    pub fn all(points: &Points) -> Vec<Self> {
        let starts = (0..points.len()).step_by(TILE);
        starts.map(|start| Self::new(points, start..(start + TILE).min(points.len()))).collect()
    }

    /// Every so manyth point of each tile, to see what it is like; `range` counts them within the tile.
    pub fn thinned(points: &Points, every: usize) -> Vec<Self> {
        let of = |tile: Self| {
            let count = tile.range.len().div_ceil(every);
            Self::of(points, 0..count, |place| tile.range.start + every * place)
        };
        Self::all(points).into_iter().map(of).collect()
    }

    /// Bounds of some of the points along x, y, z [m].
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
