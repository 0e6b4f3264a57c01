//! Perfectly matched layers: elements that continue a mesh outwards from some of its sides.
//!
//! The faces of a side are extruded along its normal. Sides follow each other in the order of [`Side`], and each extrudes the layers before it, too, which
//! fills the edges and corners of a box.

use std::collections::{BTreeMap, HashMap};

use crate::error::MeshError;
use crate::mesh::{BoundaryFace, HexMesh, Side, determinant, dot, norm, sub};
use crate::reference::{FACE_AXES, FACE_CORNERS, face_point, shape};

/// The layers around the domain of a mesh.
#[derive(Debug, Clone, PartialEq)]
pub struct Pml {
    /// Number of elements across the layer of each side, in the order of [`Side`]; 0 without a layer.
    pub across: [u16; 6],
    /// Thickness of an element across the layer of each side, in the order of [`Side`] [m]; 0 without a layer.
    pub thickness: [f64; 6],
    /// The control node of the domain from which each control node was extruded; itself in the domain.
    pub origin: Vec<u32>,
    /// The elements of the layers with their numbers, in ascending order.
    pub elements: Vec<(u32, PmlElement)>,
}

/// Sums over the elements of each tile. Those of all tiles are added in ascending order, so that the result does not depend on how tiles are divided among
/// processes.
pub type TileSums = BTreeMap<u32, [f64; 2]>;

/// Adds the sums of all tiles.
pub fn added(sums: &TileSums) -> [f64; 2] {
    sums.values().fold([0.0; 2], |[a, b], [c, d]| [a + c, b + d])
}

/// An element of a layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PmlElement {
    /// The element of the domain that it continues.
    pub parent: u32,
    /// Absorbing axes: zeta first, then eta, then xi. One axis in the layer of one side, two and three where layers meet. The coordinate increases outwards.
    pub axes: [Option<PmlAxis>; 3],
}

/// An absorbing axis of an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PmlAxis {
    /// The side of the domain.
    pub side: Side,
    /// Number of elements between this one and the domain.
    pub depth: u16,
}

impl Pml {
    /// The layer that contains an element, if it is outside the domain.
    pub fn of(&self, element: u32) -> Option<&PmlElement> {
        let found = self.elements.binary_search_by_key(&element, |(own, _)| *own).ok()?;
        Some(&self.elements[found].1)
    }

    /// The layers with elements and control nodes in another order.
    ///
    /// # Arguments
    /// * `new_element` – new number of each element
    /// * `old_node`, `new_node` – control nodes by new and by old number; unused ones are `u32::MAX`
    pub(crate) fn renumbered(&self, new_element: &[u32], old_node: &[u32], new_node: &[u32]) -> Self {
        let origin = |old: &u32| new_node[self.origin[*old as usize] as usize];
        let element = |(element, own): &(u32, PmlElement)| {
            (new_element[*element as usize], PmlElement { parent: new_element[own.parent as usize], ..*own })
        };
        let mut elements: Vec<(u32, PmlElement)> = self.elements.iter().map(element).collect();
        elements.sort_unstable_by_key(|(element, _)| *element);
        Self { origin: old_node.iter().map(origin).collect(), elements, ..*self }
    }
}

impl HexMesh {
    /// The mesh with layers of these numbers of elements outside its sides. Elements of a layer follow those of the mesh and have the region of the element that
    /// they continue. The faces of a side move to the outer end of its layer.
    ///
    /// All elements of a layer are equally thick: the mean extent of the elements there, along the normal.
    ///
    /// # Arguments
    /// * `across` – number of elements across the layer of each side, in the order of [`Side`]
    /// # Errors
    /// [`MeshError::FoldedLayer`] if elements of a layer are inverted, because the side is concave.
    ///
    /// Verified by `layers_fill_the_edges_and_corners_of_a_box`, `layers_of_a_skewed_mesh_are_extruded_along_its_sides` and `layers_keep_periodic_sides`.
    pub fn with_pml(self, across: [u16; 6]) -> Result<Self, MeshError> {
        self.with_pml_of_processes(across, |sums| Ok(added(&sums)))
    }

    /// As [`with_pml`](Self::with_pml), in processes that have windows of a mesh and call this function together. Layers of tiles at the edge of a window, which
    /// lack neighbours, may differ from those of the whole mesh.
    ///
    /// # Arguments
    /// * `add` – adds the sums of the tiles of all processes
    /// # Errors
    /// As [`with_pml`](Self::with_pml), after all calls of `add`; errors of `add`.
    pub fn with_pml_of_processes<E: From<MeshError>>(
        mut self,
        across: [u16; 6],
        mut add: impl FnMut(TileSums) -> Result<[f64; 2], E>,
    ) -> Result<Self, E> {
        if across == [0; 6] {
            return Ok(self);
        }
        let mut pml = Pml {
            across,
            thickness: [0.0; 6],
            origin: (0..self.control_nodes.len() as u32).collect(),
            elements: Vec::new(),
        };
        let mut folded = None;
        for side in Side::ALL.into_iter().filter(|side| across[*side as usize] > 0) {
            let [extent, area] = add(extents(&self, side))?;
            pml.thickness[side as usize] = extent / area;
            folded = folded.or(extrude(&mut self, &mut pml, side));
        }
        self.pml = Some(pml);
        match folded {
            Some(centre) => Err(MeshError::FoldedLayer { centre }.into()),
            None => Ok(self),
        }
    }

    /// Whether an element belongs to the domain, and not to a layer around it.
    pub fn is_in_domain(&self, element: u32) -> bool {
        self.pml.as_ref().is_none_or(|pml| pml.of(element).is_none())
    }

    /// The elements of the domain, in ascending order.
    pub fn domain_elements(&self) -> impl Iterator<Item = u32> {
        (0..self.n_elements() as u32).filter(|&element| self.is_in_domain(element))
    }

    /// The faces of elements of the domain at its top.
    pub fn top_faces(&self) -> impl Iterator<Item = &BoundaryFace> {
        self.faces.iter().filter(|face| face.side == Side::Top && self.is_in_domain(face.element))
    }

    /// Positions [m] that decide the medium at the control nodes of an element, gathered into `buffer`: in a layer those from which it was extruded.
    pub fn medium_points_of<'a>(&self, element: u32, buffer: &'a mut [[f64; 3]; 27]) -> &'a [[f64; 3]] {
        let Some(pml) = &self.pml else { return self.points_of(element, buffer) };
        let nodes = self.nodes_of(element);
        for (point, &node) in buffer.iter_mut().zip(nodes) {
            *point = self.control_nodes[pml.origin[node as usize] as usize];
        }
        &buffer[..nodes.len()]
    }

    /// The position [m] that decides the medium at the point `xi` of the reference cube in an element.
    pub fn medium_position(&self, element: u32, xi: [f64; 3]) -> [f64; 3] {
        let mut buffer = [[0.0; 3]; 27];
        let points = self.medium_points_of(element, &mut buffer);
        let along = self.geometry.per_axis();
        let shapes = xi.map(|xi| shape(self.geometry, xi).0);
        let mut position = [0.0; 3];
        for (local, point) in points.iter().enumerate() {
            let weight =
                shapes[0][local % along] * shapes[1][local / along % along] * shapes[2][local / (along * along)];
            (0..3).for_each(|axis| position[axis] += weight * point[axis]);
        }
        position
    }

    /// The element of the domain that an element continues; itself in the domain.
    pub fn parent(&self, element: u32) -> u32 {
        self.pml.as_ref().and_then(|pml| pml.of(element)).map_or(element, |own| own.parent)
    }
}

/// Extents along the normal of the elements at a side, times the areas of their faces [m³], and these areas [m²].
fn extents(mesh: &HexMesh, side: Side) -> TileSums {
    let mut sums = TileSums::new();
    for face in mesh.faces.iter().filter(|face| face.side == side) {
        let normal = mesh.face_normal(face.element, face.face, [0.0; 2]);
        let [here, there] =
            [face.face, face.face ^ 1].map(|face_of| mesh.position(face.element, face_point(face_of, [0.0; 2])));
        let sum = sums.entry(mesh.tile_of(face.element)).or_default();
        sum[0] += dot(sub(here, there), normal);
        sum[1] += norm(normal);
    }
    sums
}

/// Adds the layer of a side. Returns the centre of the first element that is inverted.
fn extrude(mesh: &mut HexMesh, pml: &mut Pml, side: Side) -> Option<[f64; 3]> {
    let on_side: Vec<BoundaryFace> = mesh.faces.iter().copied().filter(|face| face.side == side).collect();
    let across = pml.across[side as usize];
    let levels = usize::from(across) * (mesh.geometry.per_axis() - 1);
    let columns = Columns::new(mesh, pml, &on_side, levels, pml.thickness[side as usize]);
    let others = sides_of_edges(mesh, side);
    mesh.faces.retain(|face| face.side != side);
    let first = mesh.n_elements() as u32;
    for face in &on_side {
        for depth in 0..across {
            add_element(mesh, pml, (*face, depth), &columns, &others);
        }
    }
    let inverted = (first..mesh.n_elements() as u32).find(|&element| is_inverted(mesh, element));
    inverted.map(|element| mesh.centroid(element))
}

fn is_inverted(mesh: &HexMesh, element: u32) -> bool {
    let corner = |corner: usize| [0, 1, 2].map(|axis| if corner >> axis & 1 == 1 { 1.0 } else { -1.0 });
    (0..8).any(|c| determinant(&mesh.jacobian(element, corner(c))) <= 0.0)
}

/// The control nodes of a layer above each control node of its side.
struct Columns {
    /// First new node above each node of the side.
    first: HashMap<u32, u32>,
}

impl Columns {
    /// Adds the control nodes of a layer to a mesh.
    fn new(mesh: &mut HexMesh, pml: &mut Pml, on_side: &[BoundaryFace], levels: usize, thickness: f64) -> Self {
        let mut nodes: Vec<u32> = Vec::new();
        // Periodic images share a normal.
        let mut normals: HashMap<u32, [f64; 3]> = HashMap::new();
        for face in on_side {
            for (node, along) in nodes_of_face(mesh, face) {
                let normal = mesh.face_normal(face.element, face.face, along);
                let sum = normals.entry(mesh.twin[node as usize]).or_default();
                (0..3).for_each(|axis| sum[axis] += normal[axis]);
                nodes.push(node);
            }
        }
        nodes.sort_unstable();
        nodes.dedup();
        let new = mesh.control_nodes.len() as u32;
        let first: HashMap<u32, u32> =
            nodes.iter().zip((new..).step_by(levels)).map(|(&node, new)| (node, new)).collect();
        let step = thickness / (mesh.geometry.per_axis() - 1) as f64;
        for &node in &nodes {
            let twin = mesh.twin[node as usize];
            let normal = normals[&twin];
            let length = norm(normal);
            let from = mesh.control_nodes[node as usize];
            for level in 0..levels {
                let far = step * (level + 1) as f64 / length;
                mesh.control_nodes.push([0, 1, 2].map(|axis| from[axis] + far * normal[axis]));
                mesh.twin.push(first[&twin] + level as u32);
                pml.origin.push(pml.origin[node as usize]);
            }
        }
        Self { first }
    }

    /// The control nodes of the element `depth` elements above a face, lexicographic in axes that follow these.
    ///
    /// # Arguments
    /// * `grid` – the nodes of the face, see [`nodes_of_face`]
    /// * `along` – number of nodes along an axis
    fn element(&self, grid: &[(u32, [f64; 2])], along: usize, depth: u16, axes: &[Follows; 3]) -> Vec<u32> {
        let node = |place: usize| {
            let index = [place % along, place / along % along, place / (along * along)];
            let (mut level, mut on_face) = (0, [0; 2]);
            for (follows, index) in axes.iter().zip(index) {
                match *follows {
                    Follows::Normal => level = usize::from(depth) * (along - 1) + index,
                    Follows::Face { axis, backwards } => {
                        on_face[axis] = if backwards { along - 1 - index } else { index };
                    }
                }
            }
            self.node(grid[on_face[0] + along * on_face[1]].0, level)
        };
        (0..along.pow(3)).map(node).collect()
    }

    /// The control node `level` levels above one of the side, which is level 0.
    fn node(&self, node: u32, level: usize) -> u32 {
        if level == 0 { node } else { self.first[&node] + level as u32 - 1 }
    }
}

/// The control nodes of a face, lexicographic in its own two axes, with their coordinates along these.
fn nodes_of_face(mesh: &HexMesh, face: &BoundaryFace) -> Vec<(u32, [f64; 2])> {
    let along = mesh.geometry.per_axis();
    let nodes = mesh.nodes_of(face.element);
    let [normal, first, second] = FACE_AXES[usize::from(face.face)];
    let end = if face.face.is_multiple_of(2) { 0 } else { along - 1 };
    let stride = [1, along, along * along];
    let coordinate = |index: usize| 2.0 * index as f64 / (along - 1) as f64 - 1.0;
    let node = |place: usize| {
        let (a, b) = (place % along, place / along);
        (nodes[end * stride[normal] + a * stride[first] + b * stride[second]], [coordinate(a), coordinate(b)])
    };
    (0..along * along).map(node).collect()
}

/// Corner nodes at the ends of the edges of a face: at the low and high end of its first axis, then of its second.
fn edges_of_face(mesh: &HexMesh, element: u32, face: u8) -> [[u32; 2]; 4] {
    let corners = mesh.corners_of(element);
    let [a, b, c, d] = FACE_CORNERS[usize::from(face)].map(|corner| corners[corner]);
    [[a, c], [b, d], [a, b], [c, d]].map(|[from, to]| [from.min(to), from.max(to)])
}

/// The side of each edge of faces on other sides.
fn sides_of_edges(mesh: &HexMesh, side: Side) -> HashMap<[u32; 2], Side> {
    let others = mesh.faces.iter().filter(|face| face.side != side);
    let edges = |face: &BoundaryFace| edges_of_face(mesh, face.element, face.face).map(|edge| (edge, face.side));
    others.flat_map(edges).collect()
}

/// What a reference axis of a new element follows.
#[derive(Clone, Copy, PartialEq)]
enum Follows {
    /// The normal of the side, outwards.
    Normal,
    /// An axis of the face, forwards or backwards.
    Face { axis: usize, backwards: bool },
}

/// Adds the element `depth` elements above a face, with its outer faces.
fn add_element(
    mesh: &mut HexMesh,
    pml: &mut Pml,
    (face, depth): (BoundaryFace, u16),
    columns: &Columns,
    others: &HashMap<[u32; 2], Side>,
) {
    let grid = nodes_of_face(mesh, &face);
    let edges = edges_of_face(mesh, face.element, face.face);
    let below = pml.of(face.element).copied().unwrap_or(PmlElement { parent: face.element, axes: [None; 3] });
    let (mut axes, mut absorbing) = oriented(&face, below);
    let element = mesh.n_elements() as u32;
    mesh.region.push(mesh.region[face.element as usize]);
    if let Some(&tile) = mesh.tile.get(face.element as usize) {
        mesh.tile.push(tile);
    }
    let along = mesh.geometry.per_axis();
    let connect = |axes: &[Follows; 3]| columns.element(&grid, along, depth, axes);
    let start = mesh.connectivity.len();
    mesh.connectivity.extend(connect(&axes));
    if determinant(&mesh.jacobian(element, [0.0; 3])) < 0.0 {
        mirror(&mut axes, &mut absorbing);
        mesh.connectivity[start..].copy_from_slice(&connect(&axes));
    }
    for slot in &mut absorbing {
        if let Some(axis) = slot.as_mut().filter(|axis| axis.side == face.side) {
            axis.depth = depth;
        }
    }
    pml.elements.push((element, PmlElement { parent: below.parent, axes: absorbing }));
    for (axis, follows) in axes.into_iter().enumerate() {
        let mut add = |end: usize, side: Side| {
            mesh.faces.push(BoundaryFace { element, face: (2 * axis + end) as u8, side });
        };
        match follows {
            Follows::Normal if depth + 1 == pml.across[face.side as usize] => add(1, face.side),
            Follows::Normal => {}
            Follows::Face { axis: of_face, backwards } => {
                for end in 0..2 {
                    if let Some(&side) = others.get(&edges[2 * of_face + (end ^ usize::from(backwards))]) {
                        add(end, side);
                    }
                }
            }
        }
    }
}

/// The reference axes of an element above a face: absorbing axes of the element below keep their place, the new one is the next. Its depth is set later.
fn oriented(face: &BoundaryFace, below: PmlElement) -> ([Follows; 3], [Option<PmlAxis>; 3]) {
    let [_, first, second] = FACE_AXES[usize::from(face.face)];
    let follow = |axis: usize| Follows::Face { axis: usize::from(axis == second), backwards: false };
    let new = Some(PmlAxis { side: face.side, depth: 0 });
    match below.axes {
        [None, ..] => ([follow(first), follow(second), Follows::Normal], [new, None, None]),
        [Some(_), None, _] => {
            // Zeta is the second axis of this face.
            ([follow(first), Follows::Normal, follow(second)], [below.axes[0], new, None])
        }
        [Some(_), Some(_), _] => {
            ([Follows::Normal, follow(first), follow(second)], [below.axes[0], below.axes[1], new])
        }
    }
}

/// Makes a left-handed element right-handed: two axes of the same kind change places, or the one along the sides is reversed.
fn mirror(axes: &mut [Follows; 3], absorbing: &mut [Option<PmlAxis>; 3]) {
    match absorbing {
        [_, None, _] => axes.swap(0, 1),
        [_, Some(_), None] => {
            if let Follows::Face { backwards, .. } = &mut axes[0] {
                *backwards = true;
            }
        }
        _ => {
            axes.swap(1, 2);
            absorbing.swap(0, 1);
        }
    }
}
