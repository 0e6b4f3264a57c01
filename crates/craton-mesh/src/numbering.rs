//! Global numbers of the GLL nodes, from shared vertices, edges and faces.

use rayon::prelude::*;

use crate::error::MeshError;
use crate::mesh::HexMesh;
use crate::reference::{EDGE_CORNERS, FACE_AXES, FACE_CORNERS};
use crate::topology::Topology;

/// Largest supported polynomial degree.
pub(crate) const LARGEST_DEGREE: usize = 20;

/// Global node of every GLL point of every element.
///
/// Nodes are numbered by first use in element order, so each element's new nodes are contiguous.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Numbering {
    /// Polynomial degree
    pub degree: usize,
    /// Number of distinct nodes
    pub n_nodes: usize,
    /// Global node, shape (elements, (degree + 1)^3), lexicographic inside an element
    pub local_to_global: Vec<u32>,
}

impl Numbering {
    /// Numbers the nodes of `mesh` at polynomial `degree` (1 to 20); adjacent elements may have any relative orientation.
    ///
    /// # Errors
    /// Those of [`Topology::new`]; [`MeshError::Degree`]; [`MeshError::TooLarge`] beyond 2^32 nodes.
    pub fn new(mesh: &HexMesh, degree: usize) -> Result<Self, MeshError> {
        Self::from_topology(&Topology::new(mesh)?, degree)
    }

    /// As [`Numbering::new`], from an existing topology.
    ///
    /// # Errors
    /// [`MeshError::Degree`]; [`MeshError::TooLarge`] beyond 2^32 nodes.
    pub fn from_topology(topology: &Topology, degree: usize) -> Result<Self, MeshError> {
        if !(1..=LARGEST_DEGREE).contains(&degree) {
            return Err(MeshError::Degree { degree });
        }
        let n_nodes = count_nodes(topology, degree)?;
        let points = Points::new(degree);
        let mut local_to_global = vec![0; topology.vertices.len() * points.per_element];
        let first = First::new(topology, points.inner);
        debug_assert_eq!(first.free as usize, n_nodes);
        let elements = local_to_global.par_chunks_exact_mut(points.per_element).enumerate();
        elements.for_each(|(element, nodes)| points.number(topology, element, &first, nodes));
        Ok(Self { degree, n_nodes, local_to_global })
    }

    /// Global nodes of an element, lexicographic.
    pub fn nodes_of(&self, element: u32) -> &[u32] {
        let per_element = (self.degree + 1).pow(3);
        &self.local_to_global[element as usize * per_element..][..per_element]
    }
}

fn count_nodes(topology: &Topology, degree: usize) -> Result<usize, MeshError> {
    let inner = degree - 1;
    let count = topology.n_vertices
        + topology.n_edges * inner
        + topology.n_faces * inner.pow(2)
        + topology.vertices.len() * inner.pow(3);
    if count >= u32::MAX as usize {
        let limit = u64::from(u32::MAX) - 1;
        return Err(MeshError::TooLarge { what: "nodes", count: count as u64, limit });
    }
    Ok(count)
}

/// First node of every vertex, edge and face, and of the inside of every element.
struct First {
    free: u32,
    vertex: Vec<u32>,
    edge: Vec<u32>,
    face: Vec<u32>,
    inside: Vec<u32>,
}

impl First {
    /// Assigns first nodes sequentially in element order; the points themselves can then be numbered in any order.
    ///
    /// # Arguments
    /// * `inner` – number of points along an edge without its ends
    fn new(topology: &Topology, inner: usize) -> Self {
        let mut first = Self {
            free: 0,
            vertex: vec![u32::MAX; topology.n_vertices],
            edge: vec![u32::MAX; topology.n_edges],
            face: vec![u32::MAX; topology.n_faces],
            inside: Vec::with_capacity(topology.vertices.len()),
        };
        for ((vertices, edges), faces) in topology.vertices.iter().zip(&topology.edges).zip(&topology.faces) {
            let Self { free, vertex, edge, face, inside } = &mut first;
            vertices.iter().for_each(|&of| take(&mut vertex[of as usize], free, 1));
            edges.iter().for_each(|&of| take(&mut edge[of as usize], free, inner));
            faces.iter().for_each(|&of| take(&mut face[of as usize], free, inner.pow(2)));
            inside.push(*free);
            *free += inner.pow(3) as u32;
        }
        first
    }
}

/// Allocates `count` new nodes for `slot` and stores the first of them, unless it already has nodes.
fn take(slot: &mut u32, free: &mut u32, count: usize) {
    if *slot == u32::MAX {
        *slot = *free;
        *free += count as u32;
    }
}

/// Location of the points of an element: at corners, on edges, on faces, inside.
struct Points {
    per_element: usize,
    inner: usize,
    corners: [usize; 8],
    edges: [Vec<usize>; 12],
    faces: [Vec<usize>; 6],
    inside: Vec<usize>,
}

impl Points {
    fn new(degree: usize) -> Self {
        let n = degree + 1;
        let stride = [1, n, n * n];
        let corner = |c: usize| (0..3).map(|axis| (c >> axis & 1) * degree * stride[axis]).sum();
        let line = 1..degree;
        let plane = |origin: usize, a: usize, b: usize| -> Vec<usize> {
            let row = |j: usize| line.clone().map(move |i| origin + i * stride[a] + j * stride[b]);
            line.clone().flat_map(row).collect()
        };
        Self {
            per_element: n * n * n,
            inner: degree - 1,
            corners: std::array::from_fn(corner),
            edges: std::array::from_fn(|edge| {
                let origin: usize = corner(EDGE_CORNERS[edge][0]);
                line.clone().map(|i| origin + i * stride[edge / 4]).collect()
            }),
            faces: std::array::from_fn(|face| {
                let [_, a, b] = FACE_AXES[face];
                plane(corner(FACE_CORNERS[face][0]), a, b)
            }),
            inside: line.clone().flat_map(|k| plane(k * stride[2], 0, 1)).collect(),
        }
    }

    /// Numbers the points of one element.
    fn number(&self, topology: &Topology, element: usize, first: &First, nodes: &mut [u32]) {
        let vertices = &topology.vertices[element];
        for (&point, &vertex) in self.corners.iter().zip(vertices) {
            nodes[point] = first.vertex[vertex as usize];
        }
        for (edge, points) in self.edges.iter().enumerate() {
            let start = first.edge[topology.edges[element][edge] as usize];
            let [from, to] = EDGE_CORNERS[edge].map(|corner| vertices[corner]);
            for (i, &point) in points.iter().enumerate() {
                let along = if from < to { i } else { self.inner - 1 - i };
                nodes[point] = start + along as u32;
            }
        }
        for (face, points) in self.faces.iter().enumerate() {
            let start = first.face[topology.faces[element][face] as usize];
            let frame = FaceFrame::new(FACE_CORNERS[face].map(|corner| vertices[corner]));
            for (index, &point) in points.iter().enumerate() {
                let here = [index % self.inner, index / self.inner];
                nodes[point] = start + frame.canonical(here, self.inner) as u32;
            }
        }
        for (index, &point) in self.inside.iter().enumerate() {
            nodes[point] = first.inside[element] + index as u32;
        }
    }
}

/// Orientation of a face in a frame common to both of its elements: the origin is its lowest vertex,
/// the first axis points towards the lower of that vertex's two neighbours.
struct FaceFrame {
    reversed: [bool; 2],
    swapped: bool,
}

impl FaceFrame {
    fn new(vertices: [u32; 4]) -> Self {
        let lowest = (1..4).fold(0, |low, i| if vertices[i] < vertices[low] { i } else { low });
        Self { reversed: [lowest & 1 == 1, lowest & 2 == 2], swapped: vertices[lowest ^ 1] > vertices[lowest ^ 2] }
    }

    /// Position in the common frame of the inner point `here` of a face with `inner` points along each axis.
    fn canonical(&self, here: [usize; 2], inner: usize) -> usize {
        let turn = |axis: usize| {
            if self.reversed[axis] { inner - 1 - here[axis] } else { here[axis] }
        };
        let (a, b) = (turn(0), turn(1));
        if self.swapped { b + inner * a } else { a + inner * b }
    }
}
