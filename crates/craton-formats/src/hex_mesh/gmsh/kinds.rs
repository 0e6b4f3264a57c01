//! Types of elements and the order of the nodes of hexahedra.

use crate::hex_mesh::CORNERS_AND_EDGES;

/// A type of element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kind {
    /// Its number in the file.
    pub number: i64,
    /// Nodes per element.
    pub nodes: usize,
    /// Its shape.
    pub shape: Shape,
}

/// The shape of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A hexahedron of 8, 20 or 27 nodes.
    Hexahedron,
    /// A quadrilateral of 4, 8 or 9 nodes.
    Quadrilateral,
    /// A point or a line.
    Thin,
    /// Another element of surfaces.
    OtherSurface(&'static str),
    /// Another element of volumes.
    OtherVolume(&'static str),
}

impl Kind {
    /// Looks up a type; `None` if Gmsh does not document it.
    pub fn of(number: i64) -> Option<Self> {
        let (nodes, shape) = match number {
            5 => (8, Shape::Hexahedron),
            12 => (27, Shape::Hexahedron),
            17 => (20, Shape::Hexahedron),
            3 => (4, Shape::Quadrilateral),
            10 => (9, Shape::Quadrilateral),
            16 => (8, Shape::Quadrilateral),
            _ => match thin(number) {
                Some(nodes) => (nodes, Shape::Thin),
                None => other(number)?,
            },
        };
        Some(Self { number, nodes, shape })
    }
}

/// Number of nodes of a point or a line.
fn thin(number: i64) -> Option<usize> {
    Some(match number {
        15 | 84 => 1,
        1 => 2,
        8 => 3,
        26 => 4,
        27 => 5,
        28 => 6,
        62..=66 => number as usize - 55,
        _ => return None,
    })
}

/// Numbers and nodes of elements that only appear in messages.
const TRIANGLES: [(i64, usize); 18] = [
    (2, 3),
    (9, 6),
    (20, 9),
    (21, 10),
    (22, 12),
    (23, 15),
    (24, 15),
    (25, 21),
    (42, 28),
    (43, 36),
    (44, 45),
    (45, 55),
    (46, 66),
    (52, 18),
    (53, 21),
    (54, 24),
    (55, 27),
    (56, 30),
];
const QUADRILATERALS: [(i64, usize); 16] = [
    (36, 16),
    (37, 25),
    (38, 36),
    (39, 12),
    (40, 16),
    (41, 20),
    (47, 49),
    (48, 64),
    (49, 81),
    (50, 100),
    (51, 121),
    (57, 24),
    (58, 28),
    (59, 32),
    (60, 36),
    (61, 40),
];
const TETRAHEDRA: [(i64, usize); 12] = [
    (4, 4),
    (11, 10),
    (29, 20),
    (30, 35),
    (31, 56),
    (32, 22),
    (33, 28),
    (71, 84),
    (72, 120),
    (73, 165),
    (74, 220),
    (137, 16),
];
const PRISMS: [(i64, usize); 3] = [(6, 6), (13, 18), (18, 15)];
const PYRAMIDS: [(i64, usize); 5] = [(7, 5), (14, 14), (19, 13), (118, 30), (119, 55)];
const HEXAHEDRA: [(i64, usize); 14] = [
    (92, 64),
    (93, 125),
    (94, 216),
    (95, 343),
    (96, 512),
    (97, 729),
    (98, 1000),
    (99, 32),
    (100, 44),
    (101, 56),
    (102, 68),
    (103, 80),
    (104, 92),
    (105, 104),
];

fn other(number: i64) -> Option<(usize, Shape)> {
    let all = [
        (&TRIANGLES[..], Shape::OtherSurface("triangles")),
        (&QUADRILATERALS, Shape::OtherSurface("quadrilaterals")),
        (&TETRAHEDRA, Shape::OtherVolume("tetrahedra")),
        (&PRISMS, Shape::OtherVolume("prisms")),
        (&PYRAMIDS, Shape::OtherVolume("pyramids")),
        (&HEXAHEDRA, Shape::OtherVolume("hexahedra")),
    ];
    all.into_iter().find_map(|(list, shape)| {
        let (_, nodes) = list.iter().find(|(known, _)| *known == number)?;
        Some((*nodes, shape))
    })
}

/// Corners at the ends of the edges, in the order of their nodes.
const EDGES: [[usize; 2]; 12] =
    [[0, 1], [0, 3], [0, 4], [1, 2], [1, 5], [2, 3], [2, 6], [3, 7], [4, 5], [4, 7], [5, 6], [6, 7]];

/// Opposite corners of the faces, in the order of their nodes.
const FACES: [[usize; 2]; 6] = [[0, 2], [0, 5], [0, 7], [1, 6], [2, 7], [4, 6]];

/// Places of the nodes of a hexahedron in the reference cube, each 0, 1 or 2 along an axis, in the order of Gmsh; the first 8 and 20 are those of the smaller elements. The edges
/// differ from the order of VTK.
pub fn places() -> Vec<[u8; 3]> {
    let corner = |index: usize| CORNERS_AND_EDGES[index];
    let between = |[a, b]: [usize; 2]| [0, 1, 2].map(|axis| (corner(a)[axis] + corner(b)[axis]) / 2);
    let corners = (0..8).map(corner);
    let middles = EDGES.into_iter().chain(FACES).chain([[0, 6]]).map(between);
    corners.chain(middles).collect()
}
