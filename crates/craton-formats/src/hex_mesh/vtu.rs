//! VTU: unstructured grids of VTK in XML, as VTK, ParaView, meshio and Craton write them.
//!
//! | cells | types of VTK |
//! |---|---|
//! | elements | 11 (voxel), 12 (8 nodes), 25 (20 nodes), 29 (27 nodes), 72 (Lagrange, of first or second order) |
//! | faces | 8 (pixel), 9, 23, 28, 70 (Lagrange, of first or second order) |
//! | ignored | 0 to 4, 21, 35, 68: points and lines; copies of the cells of other pieces, by `vtkGhostType` |
//!
//! Other cells are refused. Blocks and sides are numbered by the first of these arrays that all cells have with whole numbers, whatever the case of its letters: `region`, `material`,
//! `block`, `gmsh:physical`, `CellEntityIds`, `MaterialIds`, `ObjectId`. Without such an array, all elements are in block 1 and all faces are in side 1. Other arrays with one value
//! per cell are fields.
//!
//! Several pieces are joined: points of different pieces are the same if their coordinates are equal.
//!
//! Arrays are ASCII, in base64, or appended in base64 or as bytes, of either byte order, with sizes of 32 or 64 bits, uncompressed or compressed by zlib.
//!
//! Source: VTK File Formats, Kitware. The order of Lagrange hexahedra is that of VTK 9.1, or for versions of the file below 2.1 that of VTK 8.

mod arrays;
mod encoded;
mod piece;

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use self::arrays::Arrays;
use self::piece::{Piece, common_names};
use super::collect::{Elements, Groups, order};
use super::{CORNERS_AND_EDGES, ElementField, HexMeshFile, MarkedFace};
use crate::error::{Refused, Result};
use crate::text::read_bytes;
use crate::xml::XmlFile;

/// Names of arrays that number blocks and sides.
const NUMBERS: [&str; 7] = ["region", "material", "block", "gmsh:physical", "CellEntityIds", "MaterialIds", "ObjectId"];

/// Places of the last seven of 27 nodes: the faces along x, y and z, and the centre.
const CENTRES: [[u8; 3]; 7] = [[0, 1, 1], [2, 1, 1], [1, 0, 1], [1, 2, 1], [1, 1, 0], [1, 1, 2], [1, 1, 1]];

/// Element that contains the bytes of arrays.
const APPENDED: &[u8] = b"<AppendedData";

const HINT: &str = "a VTU file: an unstructured grid of VTK in XML";

/// Reads a mesh.
///
/// # Errors
/// A file that is no VTU or is damaged; a compressor other than zlib; triangles; volumes other than hexahedra; hexahedra with different numbers of nodes.
pub fn read(path: &Path) -> Result<HexMeshFile> {
    let bytes = read_bytes(path)?;
    let (text, appended) = split(&bytes);
    let file = XmlFile::parse(path, &text, "VTKFile", HINT)?;
    let root = file.root();
    let arrays = Arrays::new(root, appended)?;
    let grid = root.required("UnstructuredGrid", "<VTKFile>", HINT)?;
    let mut pieces = Vec::new();
    for piece in grid.children("Piece") {
        pieces.extend(Piece::read(piece, &arrays)?);
    }
    let mesh = joined(&pieces, is_old(root.attribute("version"))).map_err(|refused| refused.unreadable(path))?;
    mesh.checked(path)
}

/// Splits a file into its XML part and the appended bytes, with whether they are in base64.
fn split(bytes: &[u8]) -> (String, Option<(&[u8], bool)>) {
    let Some(start) = bytes.windows(APPENDED.len()).position(|window| window == APPENDED) else {
        return (String::from_utf8_lossy(bytes).into_owned(), None);
    };
    let (xml, rest) = bytes.split_at(start);
    let tag = rest.iter().position(|&byte| byte == b'>').unwrap_or(rest.len());
    let is_base64 = String::from_utf8_lossy(&rest[..tag]).contains("base64");
    // The bytes follow an underscore.
    let data = rest[tag..].iter().position(|&byte| byte == b'_').map_or(&[][..], |mark| &rest[tag + mark + 1..]);
    (String::from_utf8_lossy(xml).into_owned() + "</VTKFile>", Some((data, is_base64)))
}

/// Whether Lagrange hexahedra have the order of VTK 8.
fn is_old(version: &str) -> bool {
    let mut numbers = version.split('.').map(|number| number.parse().unwrap_or(0));
    (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0)) < (2_u32, 1_u32)
}

/// What a cell is for a mesh.
enum Kind {
    Element,
    /// A face, with the places of its corners in the order of its nodes.
    Face([usize; 4]),
    Ignored,
}

/// What a cell is; the name of its type if it is not allowed.
fn kind(cell_type: u8, nodes: usize) -> Result<Kind, String> {
    match (cell_type, nodes) {
        (11 | 12, 8) | (25, 20) | (29, 27) | (72, 8 | 27) => Ok(Kind::Element),
        (9, 4) | (23, 8) | (28, 9) | (70, 4 | 9) => Ok(Kind::Face([0, 1, 2, 3])),
        (8, 4) => Ok(Kind::Face([0, 1, 3, 2])),
        (0..=4 | 21 | 35 | 68, _) => Ok(Kind::Ignored),
        _ => {
            let name = match cell_type {
                5 | 22 | 34 | 69 => "triangles",
                10 | 24 | 71 => "tetrahedra",
                13 | 26 | 31 | 32 | 73 => "wedges",
                14 | 27 | 37 | 74 => "pyramids",
                11 | 12 | 25 | 29 | 72 => "hexahedra",
                _ => "cells",
            };
            Err(format!("{name} (type {cell_type}) of {nodes} nodes"))
        }
    }
}

/// Places of the nodes of an element in the order of the file.
fn places(cell_type: u8, nodes: usize, is_old: bool) -> Vec<[u8; 3]> {
    let mut places: Vec<[u8; 3]> = CORNERS_AND_EDGES.into_iter().chain(CENTRES).take(nodes).collect();
    if cell_type == 11 {
        places.swap(2, 3);
        places.swap(6, 7);
    }
    if cell_type == 72 && is_old && nodes == 27 {
        places.swap(18, 19);
    }
    places
}

/// Refuses cells that are neither hexahedra nor faces of them.
fn check_kinds(pieces: &[Piece]) -> Result<(), Refused> {
    let mut other: BTreeMap<String, usize> = BTreeMap::new();
    for piece in pieces {
        for cell in piece.own_cells() {
            if let Err(name) = kind(piece.types[cell], piece.nodes(cell).len()) {
                *other.entry(name).or_default() += 1;
            }
        }
    }
    if other.is_empty() {
        return Ok(());
    }
    let counts: Vec<String> = other.iter().map(|(name, count)| format!("{count} {name}")).collect();
    let expected = "hexahedra of 8, 20 or 27 nodes, and quadrilaterals for surfaces: mesh all volumes with hexahedra";
    Err(Refused::new("cells", counts.join(", "), expected))
}

/// Joins pieces.
fn joined(pieces: &[Piece], is_old: bool) -> Result<HexMeshFile, Refused> {
    check_kinds(pieces)?;
    let mut names = common_names(pieces);
    let numbers = NUMBERS.iter().find_map(|number| {
        let is_whole =
            |piece: &Piece, name: &str| piece.values(name).unwrap_or_default().iter().all(|x| x.fract() == 0.0);
        names
            .iter()
            .position(|name| name.eq_ignore_ascii_case(number) && pieces.iter().all(|piece| is_whole(piece, name)))
    });
    let numbers = numbers.map(|index| names.remove(index));
    let mut mesh = HexMeshFile::default();
    mesh.fields.extend(names.into_iter().map(|name| ElementField { name, values: Vec::new() }));
    let (mut elements, mut blocks, mut sides) = (Elements::default(), Groups::default(), Groups::default());
    let mut points = Points::default();
    for piece in pieces {
        let index_of = points.add(piece, pieces.len() > 1)?;
        let number_of = numbers.as_deref().and_then(|name| piece.values(name));
        let mut orders: HashMap<(u8, usize), Vec<usize>> = HashMap::new();
        let mut own = Vec::new();
        for cell in piece.own_cells() {
            let (cell_type, nodes) = (piece.types[cell], piece.nodes(cell));
            let number = number_of.map_or(1, |numbers| numbers[cell] as i64);
            match kind(cell_type, nodes.len()) {
                Ok(Kind::Element) => {
                    let order = orders
                        .entry((cell_type, nodes.len()))
                        .or_insert_with(|| order(&places(cell_type, nodes.len(), is_old)));
                    let nodes: Vec<u32> = nodes.iter().map(|&node| index_of[node as usize]).collect();
                    elements.push(order, &nodes)?;
                    mesh.block_of.push(blocks.index(number)?);
                    own.push(cell);
                }
                Ok(Kind::Face(order)) => {
                    let corners = order.map(|corner| index_of[nodes[corner] as usize]);
                    mesh.faces.push(MarkedFace { side: sides.index(number)?, corners });
                }
                Ok(Kind::Ignored) | Err(_) => {}
            }
        }
        for field in &mut mesh.fields {
            let values = piece.values(&field.name).unwrap_or_default();
            field.values.extend(own.iter().map(|&cell| values[cell]));
        }
    }
    (mesh.nodes, mesh.blocks, mesh.sides) = (points.all, blocks.all(), sides.all());
    elements.store(&mut mesh)?;
    Ok(mesh)
}

/// Points of all pieces.
#[derive(Default)]
struct Points {
    all: Vec<[f64; 3]>,
    /// Indices of the points of the pieces before, by their coordinates.
    known: HashMap<[u64; 3], u32>,
}

impl Points {
    /// Adds the points of a piece and returns the index of each.
    ///
    /// # Errors
    /// More than 2³² points.
    fn add(&mut self, piece: &Piece, is_one_of_many: bool) -> Result<Vec<u32>, Refused> {
        // Zero of either sign is the same coordinate.
        let key = |point: &[f64; 3]| point.map(|x| (x + 0.0).to_bits());
        let mut index_of = Vec::with_capacity(piece.points.len());
        let mut new = Vec::new();
        for point in &piece.points {
            let known = if is_one_of_many { self.known.get(&key(point)) } else { None };
            index_of.push(match known {
                Some(&known) => known,
                None => {
                    let index = u32::try_from(self.all.len())
                        .map_err(|_| Refused::new("number of points", self.all.len(), "less than 2^32"))?;
                    self.all.push(*point);
                    new.push((key(point), index));
                    index
                }
            });
        }
        if is_one_of_many {
            self.known.extend(new);
        }
        Ok(index_of)
    }
}
