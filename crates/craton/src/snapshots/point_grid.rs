//! Regular grids of points over a plane or the surface, with the resolution of the elements or cells there.

use std::ops::Range;

use craton_fd::Grid;
use craton_mesh::HexMesh;
use craton_model::geodesy::EARTH_RADIUS;

use super::cut::Cut;
use crate::setup::Setup;

/// Largest number of points along an axis: more are not visible in a picture.
pub const MOST_POINTS: usize = 1000;

/// A regular grid of points over two of the axes.
#[derive(Debug, Clone, PartialEq)]
pub struct PointGrid {
    /// The axes, 0 for x to 2 for z.
    pub axes: [usize; 2],
    /// First and last point along each [m].
    pub ends: [[f64; 2]; 2],
    /// Number of points along each.
    pub count: [usize; 2],
}

impl PointGrid {
    /// A grid over the whole mesh along two axes, about twice as fine as the GLL points of the given elements, so that
    /// waves between them are visible.
    fn new(mesh: &HexMesh, degree: usize, axes: [usize; 2], elements: &[u32]) -> Self {
        let [low, high] = mesh.bounding_box();
        let ends = axes.map(|axis| [low[axis], high[axis]]);
        let count = [0, 1].map(|side| {
            let spacing = median_extent(mesh, axes[side], elements) / (2 * degree) as f64;
            let [low, high] = ends[side];
            (((high - low) / spacing - 1e-6).ceil() as usize + 1).clamp(2, MOST_POINTS)
        });
        Self { axes, ends, count }
    }

    /// A grid over the plane at coordinate `at` [m] along `axis`; `None` if it contains no element.
    fn across(mesh: &HexMesh, degree: usize, axis: usize, at: f64) -> Option<Self> {
        let is_cut = |&element: &u32| {
            let [low, high] = extent(mesh, axis, element);
            (low..=high).contains(&at)
        };
        let cut: Vec<u32> = mesh.domain_elements().filter(is_cut).collect();
        let axes = [[1, 2], [0, 2], [0, 1]][axis];
        (!cut.is_empty()).then(|| Self::new(mesh, degree, axes, &cut))
    }

    /// A grid over a plane through the mesh; `None` if it contains no element.
    ///
    /// # Arguments
    /// * `mesh` – as of [`crate::meshing::straight`]
    pub fn of_cut(mesh: &HexMesh, setup: &Setup, cut: &Cut) -> Option<Self> {
        let (axis, at) = cut.normal();
        match cut {
            Cut::GreatCircle(_) => {
                let reach = setup.frame.sphere().map_or(EARTH_RADIUS, |sphere| sphere.largest_radius(setup.z[1]));
                Some(Self::of_globe(mesh, setup, cut.axes(), [[-reach, reach]; 2]))
            }
            Cut::Coordinate { .. } if setup.frame.is_globe() => {
                Some(Self::of_globe(mesh, setup, [0, 1], [setup.x, setup.y]))
            }
            Cut::Coordinate { .. } => Self::across(mesh, setup.method.sem().degree, axis, at),
        }
    }

    /// A grid over the top of the mesh, whose elements are `top`.
    pub fn of_surface(mesh: &HexMesh, setup: &Setup, top: &[u32]) -> Self {
        if setup.frame.is_globe() {
            return Self::of_globe(mesh, setup, [0, 1], [setup.x, setup.y]);
        }
        Self::new(mesh, setup.method.sem().degree, [0, 1], top)
    }

    /// A grid over the whole Earth, about twice as fine as the GLL points at its surface.
    fn of_globe(mesh: &HexMesh, setup: &Setup, axes: [usize; 2], ends: [[f64; 2]; 2]) -> Self {
        let on_top = mesh.top_faces().count();
        let width = EARTH_RADIUS * (4.0 * std::f64::consts::PI / on_top as f64).sqrt();
        let spacing = width / (2 * setup.method.sem().degree) as f64;
        let count = ends.map(|[low, high]| ((high - low) / spacing).ceil() as usize + 1);
        // The same spacing along both axes.
        let most = count[0].max(count[1]);
        let count = count.map(|count| if most > MOST_POINTS { count * MOST_POINTS / most } else { count });
        Self { axes, ends, count }
    }

    /// A grid over some cells along two axes: a point at the centre of each cell, or of equal intervals if there are
    /// more than `most` cells along an axis; both ends of a single cell.
    pub fn over_cells(grid: &Grid, cells: &[Range<usize>; 3], axes: [usize; 2], most: usize) -> Self {
        let along = axes.map(|axis| {
            let (cells, spacing) = (&cells[axis], grid.spacing[axis]);
            let count = cells.len().div_ceil(cells.len().div_ceil(most));
            let low = grid.origin[axis] + cells.start as f64 * spacing;
            let edge = cells.len() as f64 * spacing / count as f64;
            if count == 1 {
                (2, [low, low + edge])
            } else {
                (count, [low + 0.5 * edge, low + (count as f64 - 0.5) * edge])
            }
        });
        Self { axes, ends: along.map(|(_, ends)| ends), count: along.map(|(count, _)| count) }
    }

    /// Number of points.
    pub fn len(&self) -> usize {
        self.count[0] * self.count[1]
    }

    /// Spacing along the two axes [m].
    pub fn spacing(&self) -> [f64; 2] {
        [0, 1].map(|side| (self.ends[side][1] - self.ends[side][0]) / (self.count[side] - 1) as f64)
    }

    /// Coordinates of a point along the two axes [m]; the first axis is the fastest.
    pub fn point(&self, index: usize) -> [f64; 2] {
        let place = [index % self.count[0], index / self.count[0]];
        // Weighted ends place the last point exactly at the end.
        [0, 1].map(|side| {
            let part = place[side] as f64 / (self.count[side] - 1) as f64;
            (1.0 - part) * self.ends[side][0] + part * self.ends[side][1]
        })
    }

    /// The same range with this number of points along its longer side.
    pub fn refined(&self, points: usize) -> Self {
        let length = self.ends.map(|[low, high]| high - low);
        let longest = length[0].max(length[1]);
        let count = length.map(|length| ((points as f64 * length / longest) as usize).max(2));
        Self { count, ..self.clone() }
    }

    /// The four points around a position [m], with their bilinear weights.
    pub fn around(&self, place: [f64; 2]) -> [(usize, f64); 4] {
        let [(i, u), (j, v)] = [0, 1].map(|side| {
            let steps = (place[side] - self.ends[side][0]) / self.spacing()[side];
            let below = (steps.max(0.0) as usize).min(self.count[side] - 2);
            (below, steps - below as f64)
        });
        let index = |i: usize, j: usize| i + self.count[0] * j;
        [
            (index(i, j), (1.0 - u) * (1.0 - v)),
            (index(i + 1, j), u * (1.0 - v)),
            (index(i, j + 1), (1.0 - u) * v),
            (index(i + 1, j + 1), u * v),
        ]
    }
}

/// Smallest and largest coordinate of an element along an axis [m].
fn extent(mesh: &HexMesh, axis: usize, element: u32) -> [f64; 2] {
    let corners = mesh.corners_of(element).map(|corner| mesh.control_nodes[corner as usize][axis]);
    let widen = |[low, high]: [f64; 2], x: f64| [low.min(x), high.max(x)];
    corners.into_iter().fold([f64::INFINITY, f64::NEG_INFINITY], widen)
}

fn median_extent(mesh: &HexMesh, axis: usize, elements: &[u32]) -> f64 {
    let size = |&element: &u32| {
        let [low, high] = extent(mesh, axis, element);
        high - low
    };
    let mut sizes: Vec<f64> = elements.iter().map(size).collect();
    let middle = sizes.len() / 2;
    *sizes.select_nth_unstable_by(middle, f64::total_cmp).1
}
