//! Search for the element that contains a point, and for the surface.

use std::ops::Deref;

use crate::bvh::{Bounds, Bvh, contains};
use crate::mesh::{Geometry, HexMesh, cross, dot, norm, sub};
use crate::reference::{FACE_AXES, face_point};

/// Tolerance within which a point outside the reference cube counts as inside, in reference units.
///
/// It accepts points on the boundary despite the round-off of their coordinates.
const TOLERANCE: f64 = 1e-6;

/// Largest reference coordinate of a point that no other element contains.
const STRICTLY_INSIDE: f64 = 1.0 - 1e-9;

/// A point inside an element.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Location {
    /// Element
    pub element: u32,
    /// Coordinates in the reference cube, in [-1, 1]
    pub xi: [f64; 3],
}

/// Search structure over a mesh, which it borrows (`&HexMesh`) or shares (`Arc<HexMesh>`).
#[derive(Debug, Clone)]
pub struct Locator<M> {
    mesh: M,
    elements: Bvh,
    surface: Vec<(u32, u8)>,
    surface_tree: Bvh,
    upward: Upward,
}

/// The direction in which the surface is above a point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Upward {
    /// Along z.
    Vertical,
    /// Away from the origin, in a mesh of the whole sphere.
    Radial,
}

impl Upward {
    /// What all points above each other have in common: x and y, or their direction.
    fn shadow(self, point: [f64; 3]) -> [f64; 3] {
        match self {
            Self::Vertical => [point[0], point[1], 0.0],
            Self::Radial => unit(point),
        }
    }

    /// Two unit vectors across the upward direction at a point.
    fn across(self, point: [f64; 3]) -> [[f64; 3]; 2] {
        let up = match self {
            Self::Vertical => return [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
            Self::Radial => unit(point),
        };
        let least = (0..3).min_by(|&a, &b| up[a].abs().total_cmp(&up[b].abs())).expect("three axes");
        let axis = std::array::from_fn(|i| if i == least { 1.0 } else { 0.0 });
        let first = unit(cross(axis, up));
        [first, cross(up, first)]
    }
}

fn unit(vector: [f64; 3]) -> [f64; 3] {
    let length = norm(vector);
    vector.map(|x| x / length)
}

impl<M: Deref<Target = HexMesh>> Locator<M> {
    /// Builds the search structure over the elements and the top faces of `mesh`, whose surface is above it along z.
    pub fn new(mesh: M) -> Self {
        Self::with_surface(mesh, Upward::Vertical)
    }

    /// Builds the search structure for a mesh whose surface is in this direction.
    pub fn with_surface(mesh: M, upward: Upward) -> Self {
        let boxes: Vec<Bounds> = (0..mesh.n_elements() as u32).map(|element| element_bounds(&mesh, element)).collect();
        let surface: Vec<(u32, u8)> = mesh.top_faces().map(|face| (face.element, face.face)).collect();
        let shadow = |&(element, _): &(u32, u8)| match upward {
            Upward::Vertical => boxes[element as usize].map(|corner| upward.shadow(corner)),
            Upward::Radial => shadow_of_sphere(&mesh, element),
        };
        let shadows: Vec<Bounds> = surface.iter().map(shadow).collect();
        Self { mesh, elements: Bvh::new(&boxes), surface, surface_tree: Bvh::new(&shadows), upward }
    }

    /// The mesh.
    pub fn mesh(&self) -> &HexMesh {
        &self.mesh
    }

    /// The element of the domain that contains `point` [m] and the reference coordinates of the point; `None` outside the domain.
    ///
    /// A point on a face, edge or vertex belongs to the lowest-numbered adjacent element.
    pub fn locate(&self, point: [f64; 3]) -> Option<Location> {
        best(self.containing(point))
    }

    /// As [`Self::locate`], faster if the point [m] is inside this element.
    pub fn locate_from(&self, first: u32, point: [f64; 3]) -> Option<Location> {
        let is_near = contains(&element_bounds(&self.mesh, first), point);
        let xi = if is_near { invert_map(&self.mesh, first, point) } else { None };
        match xi.filter(is_strictly_inside) {
            Some(xi) => Some(Location { element: first, xi }),
            None => self.locate(point),
        }
    }

    /// As [`Self::locate`], but a point on an interface belongs to the element on the side of `region`.
    pub fn locate_in(&self, point: [f64; 3], region: u16) -> Option<Location> {
        let all: Vec<(f64, Location)> = self.containing(point).collect();
        let own = all.iter().copied().filter(|(_, place)| self.mesh.region[place.element as usize] == region);
        best(own).or_else(|| best(all.into_iter()))
    }

    /// The elements of the domain that contain `point` [m], with the excess by which the point is outside.
    fn containing(&self, point: [f64; 3]) -> impl Iterator<Item = (f64, Location)> {
        let in_domain = |element: &u32| self.mesh.is_in_domain(*element);
        self.elements.candidates(point).filter(in_domain).filter_map(move |element| {
            if !contains(&element_bounds(&self.mesh, element), point) {
                return None;
            }
            settle(element, invert_map(&self.mesh, element, point)?)
        })
    }

    /// As [`Self::locate_on_surface`], faster if the point [m] is above or below the top of this element, which must be the uppermost there.
    pub fn locate_on_surface_from(&self, first: u32, point: [f64; 3]) -> Option<Location> {
        let across = self.upward.across(point);
        // Faces are in the order of their elements.
        let index = self.surface.binary_search_by_key(&first, |&(element, _)| element).ok();
        let xi = index.and_then(|index| invert_face(&self.mesh, first, self.surface[index].1, &across, point));
        let is_inside = |xi: &[f64; 3]| xi.iter().filter(|xi| xi.abs() < STRICTLY_INSIDE).count() == 2;
        match xi.filter(is_inside) {
            Some(xi) => Some(Location { element: first, xi }),
            None => self.locate_on_surface(point),
        }
    }

    /// The uppermost point of the top surface above or below a point [m]; `None` outside the mesh. [`HexMesh::position`] gives its position.
    pub fn locate_on_surface(&self, point: [f64; 3]) -> Option<Location> {
        let across = self.upward.across(point);
        let hits = self.surface_tree.candidates(self.upward.shadow(point)).filter_map(|index| {
            let (element, face) = self.surface[index as usize];
            settle(element, invert_face(&self.mesh, element, face, &across, point)?)
        });
        let hits: Vec<(f64, Location)> = hits.collect();
        let height = |place: &Location| {
            let position = self.mesh.position(place.element, place.xi);
            match self.upward {
                Upward::Vertical => position[2],
                Upward::Radial => norm(position),
            }
        };
        let highest = hits.iter().map(|(_, place)| height(place)).fold(f64::NEG_INFINITY, f64::max);
        // Neighbours have their common points at the same height, except for round-off.
        let slack = TOLERANCE * (1.0 + highest.abs());
        best(hits.into_iter().filter(|(_, place)| height(place) >= highest - slack))
    }
}

fn is_strictly_inside(xi: &[f64; 3]) -> bool {
    xi.iter().all(|xi| xi.abs() < STRICTLY_INSIDE)
}

/// Clamps a point that is outside the cube only by round-off; returns the excess and the location.
fn settle(element: u32, xi: [f64; 3]) -> Option<(f64, Location)> {
    let excess = xi.iter().fold(0.0_f64, |excess, xi| excess.max(xi.abs() - 1.0));
    // Round-off must not decide between neighbours: excesses below a thousandth of the tolerance are equal.
    let excess = if excess < 1e-3 * TOLERANCE { 0.0 } else { excess };
    (excess <= TOLERANCE).then(|| (excess, Location { element, xi: xi.map(|xi| xi.clamp(-1.0, 1.0)) }))
}

fn best(found: impl Iterator<Item = (f64, Location)>) -> Option<Location> {
    found.min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.element.cmp(&b.1.element))).map(|(_, location)| location)
}

/// A box that contains the element, slightly enlarged against round-off.
///
/// The control values are converted to Bernstein coefficients along each axis, whose convex hull contains the curved element.
fn element_bounds(mesh: &HexMesh, element: u32) -> Bounds {
    let mut points = [[0.0; 3]; 27];
    let count = mesh.points_of(element, &mut points).len();
    if mesh.geometry == Geometry::Quadratic27 {
        for stride in [1, 3, 9] {
            for middle in (0..27).filter(|index| index / stride % 3 == 1) {
                let (before, after) = (points[middle - stride], points[middle + stride]);
                points[middle] =
                    std::array::from_fn(|axis| 2.0 * points[middle][axis] - 0.5 * (before[axis] + after[axis]));
            }
        }
    }
    let mut bounds = [[f64::INFINITY; 3], [f64::NEG_INFINITY; 3]];
    for point in &points[..count] {
        for axis in 0..3 {
            bounds[0][axis] = bounds[0][axis].min(point[axis]);
            bounds[1][axis] = bounds[1][axis].max(point[axis]);
        }
    }
    let size = (0..3).fold(0.0_f64, |size, axis| size.max(bounds[1][axis] - bounds[0][axis]));
    let margin = TOLERANCE * size;
    [bounds[0].map(|x| x - margin), bounds[1].map(|x| x + margin)]
}

/// Newton's method for x(xi) = point, from the centre and, failing that, from the eight octants.
fn invert_map(mesh: &HexMesh, element: u32, point: [f64; 3]) -> Option<[f64; 3]> {
    let octant = |index: u32| std::array::from_fn(|axis| f64::from(index >> axis & 1) - 0.5);
    std::iter::once([0.0; 3]).chain((0..8).map(octant)).find_map(|start| {
        newton(start, |xi| {
            let (position, jacobian) = mesh.map(element, xi);
            solve(&jacobian, sub(point, position))
        })
    })
}

/// A box around the directions to an element of a sphere, enlarged because its faces are curved.
fn shadow_of_sphere(mesh: &HexMesh, element: u32) -> Bounds {
    const MARGIN: f64 = 0.1;
    let mut points = [[0.0; 3]; 27];
    let mut bounds = [[f64::INFINITY; 3], [f64::NEG_INFINITY; 3]];
    for &point in mesh.points_of(element, &mut points) {
        let direction = unit(point);
        for axis in 0..3 {
            bounds[0][axis] = bounds[0][axis].min(direction[axis]);
            bounds[1][axis] = bounds[1][axis].max(direction[axis]);
        }
    }
    let margin = MARGIN * (0..3).fold(0.0_f64, |size, axis| size.max(bounds[1][axis] - bounds[0][axis]));
    [bounds[0].map(|x| x - margin), bounds[1].map(|x| x + margin)]
}

/// Newton's method for the point of a face that has the same coordinates along two vectors as a point.
fn invert_face(mesh: &HexMesh, element: u32, face: u8, across: &[[f64; 3]; 2], point: [f64; 3]) -> Option<[f64; 3]> {
    let [_, first, second] = FACE_AXES[face as usize];
    let along = newton([0.0; 2], |along| {
        let (position, jacobian) = mesh.map(element, face_point(face, along));
        let [[a, b], [c, d]] = across
            .map(|along| [first, second].map(|column| dot(along, [0, 1, 2].map(|row: usize| jacobian[row][column]))));
        let [dx, dy] = across.map(|along| dot(along, sub(point, position)));
        let determinant = a * d - b * c;
        Some([(d * dx - b * dy) / determinant, (a * dy - c * dx) / determinant])
    })?;
    Some(face_point(face, along))
}

/// Repeats `step` until it is negligible; iterates are kept near the cube, where the map is invertible.
fn newton<const D: usize>(start: [f64; D], step: impl Fn([f64; D]) -> Option<[f64; D]>) -> Option<[f64; D]> {
    let mut xi = start;
    for _ in 0..40 {
        let change = step(xi)?;
        let size = change.iter().fold(0.0_f64, |size, change| size.max(change.abs()));
        if !size.is_finite() {
            return None;
        }
        let before = xi;
        for axis in 0..D {
            xi[axis] = (xi[axis] + change[axis]).clamp(-1.25, 1.25);
        }
        // The point is outside, as seen from this start.
        if xi == before && size >= 1e-8 {
            return None;
        }
        // Convergence is quadratic: after such a small step only round-off remains.
        if size < 1e-8 {
            return Some(xi);
        }
    }
    None
}

/// Solves a 3x3 system by Cramer's rule; `None` when singular.
fn solve(matrix: &[[f64; 3]; 3], right: [f64; 3]) -> Option<[f64; 3]> {
    let column = |axis: usize| [matrix[0][axis], matrix[1][axis], matrix[2][axis]];
    let [a, b, c] = [column(0), column(1), column(2)];
    let determinant = dot(a, cross(b, c));
    (determinant != 0.0).then(|| {
        [
            dot(right, cross(b, c)) / determinant,
            dot(right, cross(c, a)) / determinant,
            dot(right, cross(a, b)) / determinant,
        ]
    })
}
