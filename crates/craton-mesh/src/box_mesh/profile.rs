//! The cross-section of a layer: a row of quadrilaterals between two sheets, plain or doubling.

use std::collections::HashMap;

use crate::mesh::Geometry;

/// Inner points of a doubling brick two coarse edges wide: (position in coarse edges, height from 0 to 1).
///
/// The heights and the shift outwards make the largest eigenvalue of its elements small: the stable time step is
/// 17 % longer than with all three at half height and half edges.
const BRICK: [[f64; 2]; 3] = [[0.555, 0.525], [1.0, 0.425], [1.445, 0.525]];

/// Quadrilaterals of the brick: corners (left bottom, right bottom, left top, right top) numbered 0 to 4 along the
/// fine top, 5 to 7 along the coarse bottom, 8 to 10 inside.
const BRICK_QUADS: [[usize; 4]; 6] =
    [[5, 8, 0, 1], [8, 9, 1, 2], [9, 10, 2, 3], [10, 7, 3, 4], [5, 6, 8, 9], [6, 7, 9, 10]];

/// Where a control node of a profile lives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// On the sheet above, at this position along the profile
    Top(u32),
    /// On the sheet below
    Bottom(u32),
    /// Between the sheets, numbered from 0
    Inside(u32),
}

/// Control nodes and quadrilaterals of the cross-section of a layer.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Profile {
    /// Place of every node
    pub(super) places: Vec<Place>,
    /// Fraction along the box and height in the layer, both from 0 to 1, of the nodes between the sheets
    pub(super) inside: Vec<[f64; 2]>,
    /// Nodes of every quadrilateral, lexicographic, along then up
    pub(super) quads: Vec<Vec<u32>>,
}

impl Profile {
    /// A row of `count` rectangles.
    pub(super) fn plain(geometry: Geometry, count: usize) -> Self {
        let mut draft = Draft::new(geometry);
        let top = draft.row(count, Place::Top, 1.0);
        let bottom = draft.row(count, Place::Bottom, 0.0);
        for i in 0..count {
            draft.quad([bottom[i], bottom[i + 1], top[i], top[i + 1]]);
        }
        draft.profile
    }

    /// Bricks that join `count` fine elements above, a multiple of four, to half as many below.
    pub(super) fn doubling(geometry: Geometry, count: usize) -> Self {
        let mut draft = Draft::new(geometry);
        let coarse = count / 2;
        let top = draft.row(count, Place::Top, 1.0);
        let bottom = draft.row(coarse, Place::Bottom, 0.0);
        for brick in 0..count / 4 {
            let inner =
                BRICK.map(|[along, height]| draft.add_inside([(2.0 * brick as f64 + along) / coarse as f64, height]));
            let corner = |index: usize| match index {
                0..5 => top[4 * brick + index],
                5..8 => bottom[2 * brick + index - 5],
                _ => inner[index - 8],
            };
            for quad in BRICK_QUADS {
                draft.quad(quad.map(corner));
            }
        }
        draft.profile
    }

    /// Whether the quadrilateral has an edge on the sheet above or below, as `on` tells.
    pub(super) fn touches(&self, quad: &[u32], on: fn(Place) -> bool) -> bool {
        quad.iter().filter(|&&node| on(self.places[node as usize])).count() > 1
    }
}

/// A profile being drawn.
struct Draft {
    /// Steps of a sheet between corners: 1 or 2
    stride: u32,
    profile: Profile,
    points: Vec<[f64; 2]>,
    middles: HashMap<[u32; 2], u32>,
}

impl Draft {
    fn new(geometry: Geometry) -> Self {
        Self {
            stride: geometry.per_axis() as u32 - 1,
            profile: Profile { places: Vec::new(), inside: Vec::new(), quads: Vec::new() },
            points: Vec::new(),
            middles: HashMap::new(),
        }
    }

    /// Corners along a sheet.
    fn row(&mut self, count: usize, place: fn(u32) -> Place, height: f64) -> Vec<u32> {
        (0..=count).map(|i| self.add(place(i as u32 * self.stride), [i as f64 / count as f64, height])).collect()
    }

    fn add(&mut self, place: Place, point: [f64; 2]) -> u32 {
        self.profile.places.push(place);
        self.points.push(point);
        self.points.len() as u32 - 1
    }

    fn add_inside(&mut self, point: [f64; 2]) -> u32 {
        let place = Place::Inside(self.profile.inside.len() as u32);
        self.profile.inside.push(point);
        self.add(place, point)
    }

    /// Adds a quadrilateral by its corners (left bottom, right bottom, left top, right top).
    fn quad(&mut self, corners: [u32; 4]) {
        let [c00, c10, c01, c11] = corners;
        let nodes = if self.stride == 1 {
            vec![c00, c10, c01, c11]
        } else {
            let bottom = self.middle([c00, c10]);
            let left = self.middle([c00, c01]);
            let centre = self.add_inside(self.mean(&corners));
            let right = self.middle([c10, c11]);
            let top = self.middle([c01, c11]);
            vec![c00, bottom, c10, left, centre, right, c01, top, c11]
        };
        self.profile.quads.push(nodes);
    }

    /// The node halfway along an edge, the same for both quadrilaterals that have it.
    fn middle(&mut self, mut ends: [u32; 2]) -> u32 {
        ends.sort_unstable();
        if let Some(&middle) = self.middles.get(&ends) {
            return middle;
        }
        let point = self.mean(&ends);
        let middle = match ends.map(|end| self.profile.places[end as usize]) {
            [Place::Top(a), Place::Top(b)] => self.add(Place::Top((a + b) / 2), point),
            [Place::Bottom(a), Place::Bottom(b)] => self.add(Place::Bottom((a + b) / 2), point),
            _ => self.add_inside(point),
        };
        self.middles.insert(ends, middle);
        middle
    }

    fn mean(&self, nodes: &[u32]) -> [f64; 2] {
        let mut mean = [0.0; 2];
        for &node in nodes {
            for (mean, x) in mean.iter_mut().zip(self.points[node as usize]) {
                *mean += x / nodes.len() as f64;
            }
        }
        mean
    }
}
