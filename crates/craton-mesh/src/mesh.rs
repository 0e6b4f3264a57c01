//! The mesh: control nodes, connectivity, regions, boundary faces; and the geometry of one element.

use std::collections::HashMap;

use rayon::prelude::*;

use crate::error::MeshError;
use crate::pml::Pml;
use crate::reference::{FACE_AXES, face_point, shape};

/// How the geometry of an element is interpolated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Geometry {
    /// 8 control nodes, trilinear
    Linear8,
    /// 27 control nodes, triquadratic
    Quadratic27,
}

impl Geometry {
    /// Control nodes along one axis: 2 or 3.
    pub const fn per_axis(self) -> usize {
        match self {
            Geometry::Linear8 => 2,
            Geometry::Quadratic27 => 3,
        }
    }

    /// Control nodes of an element: 8 or 27.
    pub const fn per_element(self) -> usize {
        let n = self.per_axis();
        n * n * n
    }

    /// Positions of the 8 corners among the control nodes of an element.
    pub const fn corners(self) -> [usize; 8] {
        match self {
            Geometry::Linear8 => [0, 1, 2, 3, 4, 5, 6, 7],
            Geometry::Quadratic27 => [0, 2, 6, 8, 18, 20, 24, 26],
        }
    }
}

/// Side of the domain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Side {
    /// West, smallest x
    XMin,
    /// East, largest x
    XMax,
    /// South, smallest y
    YMin,
    /// North, largest y
    YMax,
    /// Smallest z
    Bottom,
    /// Largest z: the surface of the Earth
    Top,
}

impl Side {
    /// All sides, in ascending order.
    pub const ALL: [Self; 6] = [Self::XMin, Self::XMax, Self::YMin, Self::YMax, Self::Bottom, Self::Top];
}

/// A face of an element on a side of the domain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BoundaryFace {
    /// Element
    pub element: u32,
    /// Its face: 0 xi = -1, 1 xi = +1, 2 eta = -1, 3 eta = +1, 4 zeta = -1, 5 zeta = +1
    pub face: u8,
    /// Side of the domain
    pub side: Side,
}

/// An unstructured mesh of hexahedra: any number of elements may meet at a node.
#[derive(Debug, Clone, PartialEq)]
pub struct HexMesh {
    /// 8 or 27 control nodes per element
    pub geometry: Geometry,
    /// Positions of the control nodes [m]
    pub control_nodes: Vec<[f64; 3]>,
    /// Control nodes of every element, lexicographic, shape (elements, 8 or 27)
    pub connectivity: Vec<u32>,
    /// Region of the Earth model, per element
    pub region: Vec<u16>,
    /// Faces on the sides of the domain
    pub faces: Vec<BoundaryFace>,
    /// Topological representative of every control node: itself, or its periodic image
    pub twin: Vec<u32>,
    /// Tile of every element, a part of the mesh in which elements are ordered by themselves; empty if the mesh is not divided
    pub tile: Vec<u32>,
    /// Absorbing layers around the domain, if any
    pub pml: Option<Pml>,
}

impl HexMesh {
    /// Number of elements.
    pub fn n_elements(&self) -> usize {
        self.region.len()
    }

    /// The tile of an element; 0 if the mesh is not divided.
    pub fn tile_of(&self, element: u32) -> u32 {
        self.tile.get(element as usize).copied().unwrap_or(0)
    }

    /// Identifies each element among those of all windows of the mesh: its tile in the upper 32 bits, and its number among the elements of the tile.
    ///
    /// Verified by `windows_are_pieces_of_the_whole`.
    pub fn keys(&self) -> Vec<u64> {
        let mut next: HashMap<u32, u64> = HashMap::new();
        let key = |element: u32| {
            let tile = self.tile_of(element);
            let next = next.entry(tile).or_default();
            *next += 1;
            u64::from(tile) << 32 | (*next - 1)
        };
        (0..self.n_elements() as u32).map(key).collect()
    }

    /// Control nodes of an element, lexicographic.
    pub fn nodes_of(&self, element: u32) -> &[u32] {
        let n = self.geometry.per_element();
        &self.connectivity[element as usize * n..][..n]
    }

    /// Positions [m] of the control nodes of an element, gathered into `buffer`.
    pub fn points_of<'a>(&self, element: u32, buffer: &'a mut [[f64; 3]; 27]) -> &'a [[f64; 3]] {
        let nodes = self.nodes_of(element);
        for (point, &node) in buffer.iter_mut().zip(nodes) {
            *point = self.control_nodes[node as usize];
        }
        &buffer[..nodes.len()]
    }

    /// Control nodes at the 8 corners of an element; corner c has bit 0 along xi, 1 along eta, 2 along zeta.
    pub fn corners_of(&self, element: u32) -> [u32; 8] {
        let nodes = self.nodes_of(element);
        self.geometry.corners().map(|corner| nodes[corner])
    }

    /// Position [m] of the point `xi` of the reference cube in an element.
    pub fn position(&self, element: u32, xi: [f64; 3]) -> [f64; 3] {
        self.map(element, xi).0
    }

    /// Jacobian matrix [m] at `xi`: row i, column j is dx_i / dxi_j.
    pub fn jacobian(&self, element: u32, xi: [f64; 3]) -> [[f64; 3]; 3] {
        self.map(element, xi).1
    }

    /// Position and Jacobian matrix at `xi`.
    pub(crate) fn map(&self, element: u32, xi: [f64; 3]) -> ([f64; 3], [[f64; 3]; 3]) {
        match self.geometry {
            Geometry::Linear8 => self.map_of::<2>(element, xi),
            Geometry::Quadratic27 => self.map_of::<3>(element, xi),
        }
    }

    /// As [`Self::map`], with `N` control nodes along an axis.
    fn map_of<const N: usize>(&self, element: u32, xi: [f64; 3]) -> ([f64; 3], [[f64; 3]; 3]) {
        let axes = xi.map(|xi| shape(self.geometry, xi));
        let mut position = [0.0; 3];
        let mut jacobian = [[0.0; 3]; 3];
        for (local, &node) in self.nodes_of(element).iter().enumerate() {
            let place = [local % N, local / N % N, local / (N * N)];
            let [value, slope] = [
                std::array::from_fn::<f64, 3, _>(|axis| axes[axis].0[place[axis]]),
                std::array::from_fn::<f64, 3, _>(|axis| axes[axis].1[place[axis]]),
            ];
            let gradient =
                [slope[0] * value[1] * value[2], value[0] * slope[1] * value[2], value[0] * value[1] * slope[2]];
            let weight = value[0] * value[1] * value[2];
            for (row, x) in self.control_nodes[node as usize].into_iter().enumerate() {
                position[row] += weight * x;
                for column in 0..3 {
                    jacobian[row][column] += gradient[column] * x;
                }
            }
        }
        (position, jacobian)
    }

    /// Outward normal of a face at the coordinates `along` of its own two axes, scaled by the surface Jacobian [m^2].
    ///
    /// Its length times quadrature weights integrates over the face. The element must be right-handed.
    pub fn face_normal(&self, element: u32, face: u8, along: [f64; 2]) -> [f64; 3] {
        let jacobian = self.jacobian(element, face_point(face, along));
        let normal = FACE_AXES[face as usize][0];
        let column = |axis: usize| [jacobian[0][axis], jacobian[1][axis], jacobian[2][axis]];
        let outward = cross(column((normal + 1) % 3), column((normal + 2) % 3));
        if face.is_multiple_of(2) { outward.map(|x| -x) } else { outward }
    }

    /// Centre of an element: the mean of its corners [m].
    pub fn centroid(&self, element: u32) -> [f64; 3] {
        let mut centre = [0.0; 3];
        for corner in self.corners_of(element) {
            for (centre, x) in centre.iter_mut().zip(self.control_nodes[corner as usize]) {
                *centre += 0.125 * x;
            }
        }
        centre
    }

    /// Centres of all elements [m].
    pub fn centroids(&self) -> Vec<[f64; 3]> {
        (0..self.n_elements() as u32).into_par_iter().map(|element| self.centroid(element)).collect()
    }

    /// Smallest and largest coordinates of the control nodes of the domain [m].
    pub fn bounding_box(&self) -> [[f64; 3]; 2] {
        let mut bounds = [[f64::INFINITY; 3], [f64::NEG_INFINITY; 3]];
        let is_outside = |node: usize| self.pml.as_ref().is_some_and(|pml| pml.origin[node] as usize != node);
        for (_, point) in self.control_nodes.iter().enumerate().filter(|(node, _)| !is_outside(*node)) {
            for axis in 0..3 {
                bounds[0][axis] = bounds[0][axis].min(point[axis]);
                bounds[1][axis] = bounds[1][axis].max(point[axis]);
            }
        }
        bounds
    }

    /// Checks that the arrays are consistent.
    ///
    /// # Errors
    /// [`MeshError::Malformed`] for the first inconsistent array.
    pub fn check_arrays(&self) -> Result<(), MeshError> {
        let (elements, nodes) = (self.n_elements(), self.control_nodes.len());
        let expected = elements * self.geometry.per_element();
        let exact = |what, value: usize, expected: usize| {
            let (value, expected) = (value as u64, expected as u64);
            if value == expected { Ok(()) } else { Err(MeshError::Malformed { what, value, expected }) }
        };
        let below = |what, value: Option<u32>, bound: usize| match value {
            Some(value) if value as usize >= bound => {
                Err(MeshError::Malformed { what, value: value.into(), expected: bound as u64 })
            }
            _ => Ok(()),
        };
        exact("length of the connectivity", self.connectivity.len(), expected)?;
        exact("length of the twins", self.twin.len(), nodes)?;
        exact("length of the tiles", self.tile.len(), if self.tile.is_empty() { 0 } else { elements })?;
        below("a control node", self.connectivity.iter().copied().max(), nodes)?;
        below("a twin", self.twin.iter().copied().max(), nodes)?;
        below("the element of a boundary face", self.faces.iter().map(|f| f.element).max(), elements)?;
        below("a boundary face", self.faces.iter().map(|f| f.face.into()).max(), 6)
    }

    /// The same mesh with its elements in another order, and its control nodes in the order of their first use.
    ///
    /// # Arguments
    /// * `order` – current element at every new position, as in [`crate::Patches`]
    ///
    /// # Errors
    /// [`MeshError::NotAPermutation`] when an element is missing from `order`.
    pub fn reordered(&self, order: &[u32]) -> Result<HexMesh, MeshError> {
        let new_element = invert(order, self.n_elements())?;
        let mut new_node = vec![u32::MAX; self.control_nodes.len()];
        let mut old_node = Vec::with_capacity(self.control_nodes.len());
        let mut connectivity = Vec::with_capacity(self.connectivity.len());
        for &element in order {
            for &node in self.nodes_of(element) {
                let new = &mut new_node[node as usize];
                if *new == u32::MAX {
                    *new = old_node.len() as u32;
                    old_node.push(node);
                }
                connectivity.push(*new);
            }
        }
        let mut faces: Vec<BoundaryFace> = self
            .faces
            .iter()
            .map(|face| BoundaryFace { element: new_element[face.element as usize], ..*face })
            .collect();
        faces.sort_unstable_by_key(|face| (face.element, face.face));
        Ok(HexMesh {
            geometry: self.geometry,
            control_nodes: old_node.iter().map(|&node| self.control_nodes[node as usize]).collect(),
            connectivity,
            region: order.iter().map(|&element| self.region[element as usize]).collect(),
            faces,
            twin: renumbered_twins(&self.twin, &old_node, &new_node),
            tile: order.iter().filter_map(|&element| self.tile.get(element as usize).copied()).collect(),
            pml: self.pml.as_ref().map(|pml| pml.renumbered(&new_element, &old_node, &new_node)),
        })
    }
}

/// Twins in the new numbering. If no element uses a representative, the first of its images replaces it.
fn renumbered_twins(twin: &[u32], old_node: &[u32], new_node: &[u32]) -> Vec<u32> {
    let mut representative = new_node.to_vec();
    old_node
        .iter()
        .enumerate()
        .map(|(new, &old)| {
            let target = &mut representative[twin[old as usize] as usize];
            if *target == u32::MAX {
                *target = new as u32;
            }
            *target
        })
        .collect()
}

/// Inverse of a permutation of `count` elements.
fn invert(order: &[u32], count: usize) -> Result<Vec<u32>, MeshError> {
    let mut inverse = vec![u32::MAX; count];
    for (new, &old) in order.iter().enumerate() {
        match inverse.get_mut(old as usize) {
            Some(slot) if *slot == u32::MAX => *slot = new as u32,
            _ => return Err(MeshError::NotAPermutation { element: old, count }),
        }
    }
    match inverse.iter().position(|&new| new == u32::MAX) {
        Some(missing) => Err(MeshError::NotAPermutation { element: missing as u32, count }),
        None => Ok(inverse),
    }
}

/// a x b
pub(crate) fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// a . b
pub(crate) fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// |a|
pub(crate) fn norm(a: [f64; 3]) -> f64 {
    dot(a, a).sqrt()
}

/// a - b
pub(crate) fn sub(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// Determinant of a matrix by rows.
pub(crate) fn determinant(m: &[[f64; 3]; 3]) -> f64 {
    dot(m[0], cross(m[1], m[2]))
}
