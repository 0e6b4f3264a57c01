//! Search for the points on the surface of a box, in a binary tree of bounding boxes.

use crate::Points;
use crate::tile::GROUP;

/// Bounds along x, y, z as (low, high) [m].
type Bounds = [[f64; 2]; 3];

/// Tolerance within which a point lies on a face, as a fraction of the side normal to it, because coordinates are rounded.
const SLACK: f64 = 1e-9;

/// The same for long prisms, as a fraction of the shortest side: it limits the tolerance at the ends of the long sides.
const SLACK_OF_SHORTEST: f64 = 1e-6;

/// The surface of a box, with a thickness that allows for rounded coordinates.
pub struct Surface {
    bounds: Bounds,
    /// Half the thickness of each face [m].
    slack: Bounds,
}

impl Surface {
    pub fn new(bounds: Bounds) -> Self {
        let sides = bounds.map(|[low, high]| high - low);
        let shortest = sides.into_iter().fold(f64::INFINITY, f64::min);
        let slack = [0, 1, 2].map(|axis| {
            let of_size = (SLACK * sides[axis]).min(SLACK_OF_SHORTEST * shortest);
            bounds[axis].map(|face| of_size + 4.0 * f64::EPSILON * face.abs())
        });
        Self { bounds, slack }
    }

    /// Offsets from a point to the face planes, low and high along each axis; 0 for planes that it lies on.
    pub fn seen_from(&self, point: &[f64; 3]) -> Bounds {
        [0, 1, 2].map(|axis| {
            [0, 1].map(|side| {
                let offset = self.bounds[axis][side] - point[axis];
                if offset.abs() <= self.slack[axis][side] { 0.0 } else { offset }
            })
        })
    }

    /// Whether the surface may intersect another box (or contain a point): the other box is neither entirely outside nor entirely inside.
    fn meets(&self, other: &Bounds) -> bool {
        let along = |axis: usize| (self.bounds[axis], self.slack[axis], other[axis]);
        let is_outside = |axis: usize| {
            let ([low, high], slack, [from, to]) = along(axis);
            to - low < -slack[0] || high - from < -slack[1]
        };
        let is_within = |axis: usize| {
            let ([low, high], slack, [from, to]) = along(axis);
            from - low > slack[0] && high - to > slack[1]
        };
        !(0..3).any(is_outside) && !(0..3).all(is_within)
    }

    /// Whether a point lies inside the box or on its surface.
    fn holds(&self, point: &[f64; 3]) -> bool {
        (0..3).all(|axis| {
            let ([low, high], slack) = (self.bounds[axis], self.slack[axis]);
            point[axis] - low >= -slack[0] && high - point[axis] >= -slack[1]
        })
    }
}

/// A spatial index of points.
pub struct Search {
    /// In a spatially coherent order.
    points: Points,
    /// Original indices of the points.
    numbers: Vec<usize>,
    /// Bounding boxes of [`GROUP`] points each, then of pairs of boxes, up to a single one.
    levels: Vec<Vec<Bounds>>,
}

impl Search {
    /// Indexes the points that are not outside a box.
    pub fn new(points: &Points, around: &Surface) -> Self {
        let inside: Vec<usize> = (0..points.len()).filter(|&point| around.holds(&points.get(point))).collect();
        let some = points.select(&inside);
        let order = some.runs();
        let (points, numbers) = (some.select(&order), order.iter().map(|&place| inside[place]).collect());
        let of_group = |start: usize| {
            let group = start..(start + GROUP).min(order.len());
            enclosed(group.map(|place| points.get(place).map(|place| [place; 2])))
        };
        let mut levels: Vec<Vec<Bounds>> = vec![(0..order.len()).step_by(GROUP).map(of_group).collect()];
        while let Some(below) = levels.last().filter(|below| below.len() > 1) {
            levels.push(below.chunks(2).map(|pair| enclosed(pair.iter().copied())).collect());
        }
        Self { points, numbers, levels }
    }

    /// Whether the index is empty.
    pub fn is_empty(&self) -> bool {
        self.numbers.is_empty()
    }

    /// Calls `found` with the index of every point that lies on a surface.
    pub fn on(&self, surface: &Surface, found: &mut impl FnMut(usize)) {
        if !self.is_empty() {
            self.visit(self.levels.len() - 1, 0, surface, found);
        }
    }

    fn visit(&self, level: usize, index: usize, surface: &Surface, found: &mut impl FnMut(usize)) {
        if !surface.meets(&self.levels[level][index]) {
            return;
        }
        if level > 0 {
            let below = 2 * index..(2 * index + 2).min(self.levels[level - 1].len());
            below.for_each(|index| self.visit(level - 1, index, surface, found));
            return;
        }
        for place in GROUP * index..(GROUP * (index + 1)).min(self.points.len()) {
            if surface.meets(&self.points.get(place).map(|place| [place; 2])) {
                found(self.numbers[place]);
            }
        }
    }
}

/// Bounding box of several boxes.
fn enclosed(boxes: impl Iterator<Item = Bounds>) -> Bounds {
    boxes.fold([[f64::INFINITY, f64::NEG_INFINITY]; 3], |all, one| {
        [0, 1, 2].map(|axis| [all[axis][0].min(one[axis][0]), all[axis][1].max(one[axis][1])])
    })
}
