//! Shared vertices, edges and faces of elements, determined from the twins of corner nodes and not from coordinates.

use crate::error::MeshError;
use crate::mesh::HexMesh;
use crate::reference::{EDGE_CORNERS, FACE_CORNERS};

/// Numbered vertices, edges and faces of every element, periodic images merged.
///
/// Vertices are numbered by first use in element order; edges and faces by their lowest vertex, so neighbours in
/// number are neighbours in space when the elements are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Topology {
    /// Number of distinct vertices
    pub n_vertices: usize,
    /// Number of distinct edges
    pub n_edges: usize,
    /// Number of distinct faces
    pub n_faces: usize,
    /// Vertices of every element, as [`HexMesh::corners_of`]
    pub vertices: Vec<[u32; 8]>,
    /// Edges of every element, as [`EDGE_CORNERS`]
    pub edges: Vec<[u32; 12]>,
    /// Faces of every element, 0 to 5
    pub faces: Vec<[u32; 6]>,
}

impl Topology {
    /// Determines the shared vertices, edges and faces of the elements of `mesh`.
    ///
    /// # Errors
    /// [`MeshError::Malformed`], [`MeshError::RepeatedVertex`] (a periodic direction of one element),
    /// [`MeshError::FaceShared`] (overlapping elements, or a periodic direction of two),
    /// [`MeshError::BoundaryShared`] (a listed boundary face that is not one).
    pub fn new(mesh: &HexMesh) -> Result<Self, MeshError> {
        mesh.check_arrays()?;
        let (n_vertices, vertices) = number_vertices(mesh);
        refuse_repeated_vertices(mesh, &vertices)?;
        let of_edge = |vertex: &[u32; 8], edge: usize| {
            let [a, b] = EDGE_CORNERS[edge].map(|corner| vertex[corner]);
            (a.min(b), a.max(b))
        };
        let of_face = |vertex: &[u32; 8], face: usize| {
            let mut corners = FACE_CORNERS[face].map(|corner| vertex[corner]);
            corners.sort_unstable();
            (corners[0], [corners[1], corners[2], corners[3]])
        };
        let ((n_edges, edges), (n_faces, faces)) = rayon::join(
            || identify::<12, _>(n_vertices, &vertices, of_edge),
            || identify::<6, _>(n_vertices, &vertices, of_face),
        );
        let topology = Self { n_vertices, n_edges, n_faces, vertices, edges, faces };
        topology.refuse_shared_faces(mesh)?;
        Ok(topology)
    }

    /// Number of elements that use each face: 1 on the boundary, 2 inside.
    pub fn face_uses(&self) -> Vec<u8> {
        let mut uses = vec![0_u8; self.n_faces];
        for &face in self.faces.as_flattened() {
            let uses = &mut uses[face as usize];
            *uses = uses.saturating_add(1);
        }
        uses
    }

    fn refuse_shared_faces(&self, mesh: &HexMesh) -> Result<(), MeshError> {
        let uses = self.face_uses();
        if uses.iter().any(|&uses| uses > 2) {
            let (element, face) = (0..mesh.n_elements() as u32)
                .flat_map(|element| (0..6_u8).map(move |face| (element, face)))
                .find(|&(element, face)| uses[self.face(element, face)] > 2)
                .expect("a face used three times belongs to an element");
            return Err(MeshError::FaceShared { element, face, centre: mesh.centroid(element) });
        }
        match mesh.faces.iter().find(|face| uses[self.face(face.element, face.face)] != 1) {
            None => Ok(()),
            Some(&crate::BoundaryFace { element, face, .. }) => {
                Err(MeshError::BoundaryShared { element, face, centre: mesh.centroid(element) })
            }
        }
    }

    fn face(&self, element: u32, face: u8) -> usize {
        self.faces[element as usize][face as usize] as usize
    }
}

/// Numbers the corner nodes by first use, periodic images as one.
fn number_vertices(mesh: &HexMesh) -> (usize, Vec<[u32; 8]>) {
    let mut number = vec![u32::MAX; mesh.control_nodes.len()];
    let mut count = 0;
    let vertices = (0..mesh.n_elements() as u32)
        .map(|element| {
            mesh.corners_of(element).map(|node| {
                let number = &mut number[mesh.twin[node as usize] as usize];
                if *number == u32::MAX {
                    *number = count;
                    count += 1;
                }
                *number
            })
        })
        .collect();
    (count as usize, vertices)
}

fn refuse_repeated_vertices(mesh: &HexMesh, vertices: &[[u32; 8]]) -> Result<(), MeshError> {
    let repeats = |vertex: &[u32; 8]| (1..8).any(|i| vertex[..i].contains(&vertex[i]));
    match vertices.iter().position(repeats) {
        None => Ok(()),
        Some(element) => {
            let element = element as u32;
            Err(MeshError::RepeatedVertex { element, centre: mesh.centroid(element) })
        }
    }
}

/// Gives equal numbers to equal keys of the `N` edges or faces of every element.
///
/// A key is (lowest vertex, the others). Entries are distributed to one bucket per lowest vertex, and only the few entries of a
/// bucket are sorted: this takes linear time and much less memory than a hash map.
fn identify<const N: usize, K: Ord + Copy + Default>(
    n_vertices: usize,
    vertices: &[[u32; 8]],
    key: impl Fn(&[u32; 8], usize) -> (u32, K),
) -> (usize, Vec<[u32; N]>) {
    let mut start = vec![0_u32; n_vertices + 1];
    for vertex in vertices {
        for part in 0..N {
            start[key(vertex, part).0 as usize + 1] += 1;
        }
    }
    for vertex in 0..n_vertices {
        start[vertex + 1] += start[vertex];
    }
    let mut next = start.clone();
    let mut entries = vec![(K::default(), 0_u32); vertices.len() * N];
    for (element, vertex) in vertices.iter().enumerate() {
        for part in 0..N {
            let (lowest, others) = key(vertex, part);
            let next = &mut next[lowest as usize];
            entries[*next as usize] = (others, (element * N + part) as u32);
            *next += 1;
        }
    }
    let mut numbers = vec![[0; N]; vertices.len()];
    let flat = numbers.as_flattened_mut();
    let mut count = 0;
    for bucket in start.windows(2) {
        let bucket = &mut entries[bucket[0] as usize..bucket[1] as usize];
        bucket.sort_unstable();
        for same in bucket.chunk_by(|a, b| a.0 == b.0) {
            for &(_, slot) in same {
                flat[slot as usize] = count;
            }
            count += 1;
        }
    }
    (count as usize, numbers)
}
