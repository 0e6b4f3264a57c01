//! Meshes of hexahedra of other programs.
//!
//! | format | module | files |
//! |---|---|---|
//! | Exodus II | [`exodus`] | `.exo`, `.e`, `.g`, `.ex2` of Cubit, Coreform, MeshKit, SEACAS and meshio |
//! | Gmsh | [`gmsh`] | a file `.msh` of version 2.2 or 4.1, text or binary |
//! | SPECFEM3D | [`specfem`] | a folder with `nodes_coords_file`, `mesh_file` and others |
//! | VTU | [`vtu`] | `.vtu` of VTK, ParaView, meshio and Craton |

pub mod exodus;
pub mod gmsh;
pub mod specfem;
pub mod vtu;

mod collect;
mod complete;

use std::fs::File;
use std::io::Read;
use std::path::Path;

use crate::error::{FormatError, Refused, Result};
use crate::text::unread;

/// Reads a mesh of any format, which follows from its contents.
///
/// # Errors
/// A file that cannot be read, is of no known format, or is damaged.
pub fn read(path: &Path) -> Result<HexMeshFile> {
    if path.is_dir() {
        return specfem::read(path);
    }
    let mut first = [0; 16];
    let count = read_beginning(path, &mut first)?;
    match &first[..count] {
        [b'$', ..] | [0xEF, 0xBB, 0xBF, b'$', ..] => gmsh::read(path),
        [b'C', b'D', b'F', ..] | [0x89, b'H', b'D', b'F', ..] => exodus::read(path),
        [b'<', ..] | [0xEF, 0xBB, 0xBF, b'<', ..] => vtu::read(path),
        _ => {
            let found = String::from_utf8_lossy(&first[..count]).into_owned();
            let expected =
                "a mesh of Gmsh (.msh), Exodus II (.exo) or VTK (.vtu), or the folder of a mesh of SPECFEM3D";
            Err(Refused::new("beginning of the file", found, expected).unreadable(path))
        }
    }
}

/// Reads the first bytes of a file; returns their number.
fn read_beginning(path: &Path, bytes: &mut [u8]) -> Result<usize> {
    let mut file = File::open(path).map_err(|source| unread(path, source))?;
    let mut count = 0;
    while count < bytes.len() {
        match file.read(&mut bytes[count..]).map_err(|source| unread(path, source))? {
            0 => break,
            more => count += more,
        }
    }
    Ok(count)
}

/// A mesh of hexahedra, which may lie in any direction and be left-handed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HexMeshFile {
    /// Nodes per element: 8 or 27.
    pub nodes_per_element: usize,
    /// Positions of the nodes, in the unit of the file.
    pub nodes: Vec<[f64; 3]>,
    /// Nodes of the elements, shape (elements, 8 or 27), each in lexicographic order: node (i, j, k) of the reference cube has the index i + n (j + n k), n = 2 or 3.
    pub elements: Vec<u32>,
    /// Block of each element, an index of `blocks`.
    pub block_of: Vec<u16>,
    /// Groups of elements, such as bodies of rock.
    pub blocks: Vec<Group>,
    /// Faces that belong to groups.
    pub faces: Vec<MarkedFace>,
    /// Groups of faces, such as the sides of the domain.
    pub sides: Vec<Group>,
    /// Fields with one value per element, such as wave speeds.
    pub fields: Vec<ElementField>,
}

/// A named group of elements or faces.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Group {
    /// Name in the file; the number if it has none.
    pub name: String,
    /// Number in the file.
    pub number: i64,
}

/// A face that belongs to a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MarkedFace {
    /// Group of the face, an index of `sides`.
    pub side: u16,
    /// Nodes at the corners, in any order.
    pub corners: [u32; 4],
}

/// A field with one value per element.
#[derive(Clone, Debug, PartialEq)]
pub struct ElementField {
    /// Name in the file.
    pub name: String,
    /// Values in the unit of the file, one per element.
    pub values: Vec<f64>,
}

impl HexMeshFile {
    /// Number of elements.
    pub fn n_elements(&self) -> usize {
        self.block_of.len()
    }

    /// Nodes of an element.
    pub fn nodes_of(&self, element: usize) -> &[u32] {
        &self.elements[element * self.nodes_per_element..][..self.nodes_per_element]
    }

    /// Checks the sizes and indices, which all readers guarantee.
    ///
    /// # Errors
    /// No element; an index without node, block or side; a position that is not finite; a face without elements.
    pub(crate) fn checked(self, path: &Path) -> Result<Self> {
        let refuse = |what: &str, value: String, expected: &str| -> FormatError {
            Refused::new(what, value, expected).unreadable(path)
        };
        if self.block_of.is_empty() {
            return Err(refuse("number of hexahedra", "0".to_owned(), "a mesh with hexahedra of 8, 20 or 27 nodes"));
        }
        let most = self.elements.iter().chain(self.faces.iter().flat_map(|face| &face.corners)).max();
        if let Some(node) = most.filter(|&&node| node as usize >= self.nodes.len()) {
            return Err(refuse("index of a node", node.to_string(), "an index of a node of the file"));
        }
        if let Some(node) = self.nodes.iter().position(|node| node.iter().any(|x| !x.is_finite())) {
            return Err(refuse(
                &format!("position of node {node}"),
                format!("{:?}", self.nodes[node]),
                "finite numbers",
            ));
        }
        Ok(self)
    }
}

/// Places (i, j, k) in the reference cube, each 0, 1 or 2, of the 27 nodes of an element in the order of VTK (`VTK_TRIQUADRATIC_HEXAHEDRON`); the first 8 are the corners and the
/// first 20 those of a serendipity element (`VTK_QUADRATIC_HEXAHEDRON`), which nearly all formats share.
pub(crate) const CORNERS_AND_EDGES: [[u8; 3]; 20] = [
    [0, 0, 0],
    [2, 0, 0],
    [2, 2, 0],
    [0, 2, 0],
    [0, 0, 2],
    [2, 0, 2],
    [2, 2, 2],
    [0, 2, 2],
    [1, 0, 0],
    [2, 1, 0],
    [1, 2, 0],
    [0, 1, 0],
    [1, 0, 2],
    [2, 1, 2],
    [1, 2, 2],
    [0, 1, 2],
    [0, 0, 1],
    [2, 0, 1],
    [2, 2, 1],
    [0, 2, 1],
];

/// Nodes of an element of a file in lexicographic order.
///
/// # Arguments
/// * `places` – places in the reference cube of all nodes, in the order of the file, each 0 or 2 along an axis for 8 nodes, and 0, 1 or 2 for 27
pub(crate) fn lexicographic<T: Copy + Default>(places: &[[u8; 3]], nodes: &[T]) -> Vec<T> {
    let along = if nodes.len() == 8 { 2 } else { 3 };
    let mut ordered = vec![T::default(); nodes.len()];
    for (place, &node) in places.iter().zip(nodes) {
        let [i, j, k] = place.map(|at| usize::from(at) * (along - 1) / 2);
        ordered[i + along * (j + along * k)] = node;
    }
    ordered
}
