//! Meshes of other programs: orientation of their elements, and the faces on the sides of the domain.

use std::collections::HashMap;

use rayon::prelude::*;

use crate::error::MeshError;
use crate::mesh::{BoundaryFace, Geometry, HexMesh, Side, determinant, norm};
use crate::reference::FACE_CORNERS;
use crate::topology::Topology;

/// Largest distance between the centres of coincident faces, relative to the size of a face.
const SAME_PLACE: f64 = 1e-4;

/// The arrays of a mesh of another program.
#[derive(Debug, Clone)]
pub struct GivenMesh {
    /// 8 or 27 control nodes per element.
    pub geometry: Geometry,
    /// Positions of the control nodes [m].
    pub control_nodes: Vec<[f64; 3]>,
    /// Control nodes of every element, lexicographic; elements may be left-handed.
    pub connectivity: Vec<u32>,
    /// Region of every element.
    pub region: Vec<u16>,
    /// Corners of faces, in any order, and the sides to which they belong. Faces between two elements are ignored.
    pub faces: Vec<([u32; 4], Side)>,
    /// What becomes of the other outer faces.
    pub others: OtherFaces,
}

/// Outer faces without a side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OtherFaces {
    /// They belong to the side of the direction of their normal, except those of closed cavities.
    ByDirection,
    /// They belong to no side, except that those directed upwards are the top if no other faces are.
    NoSide,
}

/// Numbers of faces on the sides of a mesh, in the order of [`Side`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FaceCounts {
    /// Faces assigned by the groups of the mesh.
    pub marked: [usize; 6],
    /// Faces assigned by their normal.
    pub by_direction: [usize; 6],
    /// Those that belong to no side: boundaries without a condition, where solids are free and fluids rigid.
    pub without_side: usize,
}

impl GivenMesh {
    /// The mesh with right-handed elements, and with outer faces assigned to sides. Faces within 60 degrees of the vertical direction belong to the top and bottom by
    /// their direction.
    ///
    /// # Errors
    /// Errors of [`Topology::new`]; [`MeshError::Disconnected`] if outer faces of two elements are at the same place.
    ///
    /// Verified by `outer_faces_get_their_side_by_mark_or_by_direction`, `cavities_and_unmarked_faces_belong_to_no_side` and `unmerged_nodes_are_refused`.
    pub fn assemble(self) -> Result<(HexMesh, FaceCounts), MeshError> {
        let Self { geometry, control_nodes, connectivity, region, faces, others } = self;
        let twin = (0..control_nodes.len() as u32).collect();
        let mut mesh = HexMesh {
            geometry,
            control_nodes,
            connectivity,
            region,
            faces: Vec::new(),
            twin,
            tile: Vec::new(),
            pml: None,
        };
        mesh.check_arrays()?;
        mirror_left_handed(&mut mesh);
        let outer = outer_faces(&mesh)?;
        refuse_coincident(&mesh, &outer)?;
        let side_of: HashMap<[u32; 4], Side> =
            faces.into_iter().map(|(corners, side)| (sorted(corners), side)).collect();
        let mut counts = FaceCounts::default();
        let has_top = side_of.values().any(|side| *side == Side::Top);
        let is_outside = outside(&mesh, &outer);
        for ((element, face), is_outside) in outer.into_iter().zip(is_outside) {
            let marked = side_of.get(&corners(&mesh, element, face)).copied();
            let directed = || Some(by_direction(&mesh, element, face)).filter(|_| is_outside);
            let side = marked.or_else(|| match others {
                OtherFaces::ByDirection => directed(),
                OtherFaces::NoSide => directed().filter(|side| *side == Side::Top && !has_top),
            });
            let Some(side) = side else {
                counts.without_side += 1;
                continue;
            };
            let count = if marked.is_some() { &mut counts.marked } else { &mut counts.by_direction };
            count[side as usize] += 1;
            mesh.faces.push(BoundaryFace { element, face, side });
        }
        Ok((mesh, counts))
    }
}

fn sorted(mut corners: [u32; 4]) -> [u32; 4] {
    corners.sort_unstable();
    corners
}

/// Corner nodes of a face, in ascending order.
fn corners(mesh: &HexMesh, element: u32, face: u8) -> [u32; 4] {
    let of_element = mesh.corners_of(element);
    sorted(FACE_CORNERS[usize::from(face)].map(|corner| of_element[corner]))
}

/// Reverses the first axis of left-handed elements.
fn mirror_left_handed(mesh: &mut HexMesh) {
    let is_left_handed = |element: &u32| determinant(&mesh.jacobian(*element, [0.0; 3])) < 0.0;
    let left: Vec<u32> = (0..mesh.n_elements() as u32).into_par_iter().filter(is_left_handed).collect();
    let (along, all) = (mesh.geometry.per_axis(), mesh.geometry.per_element());
    for element in left {
        mesh.connectivity[element as usize * all..][..all].chunks_exact_mut(along).for_each(<[u32]>::reverse);
    }
}

/// The faces of elements that have no neighbour, in the order of the elements.
fn outer_faces(mesh: &HexMesh) -> Result<Vec<(u32, u8)>, MeshError> {
    let topology = Topology::new(mesh)?;
    let uses = topology.face_uses();
    let of_element = |(element, faces): (usize, &[u32; 6])| {
        let outer = (0..6_u8).filter(|&face| uses[faces[usize::from(face)] as usize] == 1);
        outer.map(|face| (element as u32, face)).collect::<Vec<_>>()
    };
    Ok(topology.faces.iter().enumerate().flat_map(of_element).collect())
}

/// Whether each outer face is on the outside of the mesh, and not on the surface of a cavity: connected by edges to the face that is farthest west.
fn outside(mesh: &HexMesh, outer: &[(u32, u8)]) -> Vec<bool> {
    let nodes = mesh.control_nodes.len();
    let mut root: Vec<u32> = (0..nodes as u32).collect();
    fn find(root: &mut [u32], mut node: u32) -> u32 {
        while root[node as usize] != node {
            root[node as usize] = root[root[node as usize] as usize];
            node = root[node as usize];
        }
        node
    }
    let all: Vec<[u32; 4]> = outer.iter().map(|&(element, face)| corners(mesh, element, face)).collect();
    for face in &all {
        let first = find(&mut root, face[0]);
        for &corner in &face[1..] {
            let other = find(&mut root, corner);
            root[other as usize] = first;
        }
    }
    let west = all
        .iter()
        .flatten()
        .min_by(|&&a, &&b| mesh.control_nodes[a as usize][0].total_cmp(&mesh.control_nodes[b as usize][0]));
    let west = west.map(|&node| find(&mut root, node));
    all.iter().map(|face| Some(find(&mut root, face[0])) == west).collect()
}

/// Refuses two outer faces at the same place, whose elements are not connected.
fn refuse_coincident(mesh: &HexMesh, outer: &[(u32, u8)]) -> Result<(), MeshError> {
    let centre_and_size = |&(element, face): &(u32, u8)| {
        let points = corners(mesh, element, face).map(|corner| mesh.control_nodes[corner as usize]);
        let centre = [0, 1, 2].map(|axis| points.iter().map(|point| 0.25 * point[axis]).sum::<f64>());
        let size =
            points.iter().map(|point| norm([0, 1, 2].map(|axis| point[axis] - centre[axis]))).fold(0.0, f64::max);
        (centre, size)
    };
    let mut faces: Vec<([f64; 3], f64, u32)> = outer
        .par_iter()
        .map(|face| {
            let (centre, size) = centre_and_size(face);
            (centre, size, face.0)
        })
        .collect();
    faces.par_sort_unstable_by(|a, b| a.0[0].total_cmp(&b.0[0]));
    // Faces with nearly the same x are neighbours in this order.
    let is_coincident = |index: usize| {
        let (centre, size, _) = faces[index];
        let reach = SAME_PLACE * size;
        let near = faces[index + 1..].iter().take_while(|other| other.0[0] - centre[0] <= reach);
        near.filter(|other| norm([0, 1, 2].map(|axis| other.0[axis] - centre[axis])) <= reach).count() > 0
    };
    let coincident: Vec<usize> = (0..faces.len()).into_par_iter().filter(|&index| is_coincident(index)).collect();
    match coincident.first() {
        None => Ok(()),
        Some(&index) => Err(MeshError::Disconnected { centre: faces[index].0, count: coincident.len() }),
    }
}

/// The side of a face from its outward normal at its centre.
fn by_direction(mesh: &HexMesh, element: u32, face: u8) -> Side {
    /// Cosine of the largest angle from the vertical direction.
    const STEEPEST: f64 = 0.5;
    let normal = mesh.face_normal(element, face, [0.0; 2]);
    let [x, y, z] = normal.map(|component| component / norm(normal));
    if z.abs() >= STEEPEST {
        return if z > 0.0 { Side::Top } else { Side::Bottom };
    }
    match (x.abs() >= y.abs(), x < 0.0, y < 0.0) {
        (true, true, _) => Side::XMin,
        (true, false, _) => Side::XMax,
        (false, _, true) => Side::YMin,
        (false, _, false) => Side::YMax,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two cubes side by side along x, the second of which is left-handed.
    fn two_cubes(is_merged: bool) -> GivenMesh {
        let nodes = |from: f64| {
            (0..8).map(move |corner| [from + f64::from(corner & 1), f64::from(corner >> 1 & 1), f64::from(corner >> 2)])
        };
        let control_nodes = nodes(0.0).chain(nodes(1.0)).collect();
        let mut second: Vec<u32> = (8..16).collect();
        if is_merged {
            for corner in [0, 2, 4, 6] {
                second[corner] = corner as u32 + 1;
            }
        }
        second.chunks_exact_mut(2).for_each(<[u32]>::reverse);
        let connectivity = (0..8).chain(second).collect();
        let faces = vec![([6, 4, 5, 7], Side::Bottom), ([1, 3, 5, 7], Side::Bottom)];
        GivenMesh {
            geometry: Geometry::Linear8,
            control_nodes,
            connectivity,
            region: vec![0, 1],
            faces,
            others: OtherFaces::ByDirection,
        }
    }

    #[test]
    fn outer_faces_get_their_side_by_mark_or_by_direction() {
        let (mesh, counts) = two_cubes(true).assemble().unwrap();
        assert_eq!(mesh.corners_of(1)[..2], [1, 9]);
        assert_eq!(counts.marked, [0, 0, 0, 0, 1, 0]);
        assert_eq!(counts.by_direction, [1, 1, 2, 2, 2, 1]);
        let of_top: Vec<_> = mesh.faces.iter().filter(|face| face.side == Side::Top).collect();
        assert_eq!(of_top, [&BoundaryFace { element: 1, face: 5, side: Side::Top }]);
    }

    /// A box of 3 x 3 x 3 cubes without the one in the middle.
    fn hollow() -> GivenMesh {
        let node = |i: u32, j: u32, k: u32| i + 4 * (j + 4 * k);
        let places = (0..27).filter(|place| *place != 13).map(|place| [place % 3, place / 3 % 3, place / 9]);
        let corner = |[i, j, k]: [u32; 3], c: u32| node(i + (c & 1), j + (c >> 1 & 1), k + (c >> 2));
        GivenMesh {
            geometry: Geometry::Linear8,
            control_nodes: (0..64).map(|n| [n % 4, n / 4 % 4, n / 16].map(f64::from)).collect(),
            connectivity: places.flat_map(|place| (0..8).map(move |c| corner(place, c))).collect(),
            region: vec![0; 26],
            faces: Vec::new(),
            others: OtherFaces::ByDirection,
        }
    }

    #[test]
    fn cavities_and_unmarked_faces_belong_to_no_side() {
        let (_, counts) = hollow().assemble().unwrap();
        assert_eq!(counts, FaceCounts { marked: [0; 6], by_direction: [9; 6], without_side: 6 });
        let (mesh, counts) = GivenMesh { others: OtherFaces::NoSide, ..hollow() }.assemble().unwrap();
        assert_eq!(counts, FaceCounts { marked: [0; 6], by_direction: [0, 0, 0, 0, 0, 9], without_side: 51 });
        assert!(mesh.faces.iter().all(|face| face.side == Side::Top));
    }

    #[test]
    fn unmerged_nodes_are_refused() {
        let error = two_cubes(false).assemble().unwrap_err();
        assert_eq!(error, MeshError::Disconnected { centre: [1.0, 0.5, 0.5], count: 1 });
    }
}
