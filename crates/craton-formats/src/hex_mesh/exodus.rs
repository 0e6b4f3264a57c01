//! Exodus II: meshes in netCDF of Cubit, Trelis, Coreform Cubit, MeshKit, SEACAS, VTK and meshio.
//!
//! | item | variables |
//! |---|---|
//! | nodes | `coordx`, `coordy`, `coordz`, or `coord` |
//! | blocks: elements of hexahedra with 8, 20 or 27 nodes | `connect1` ... with the attribute `elem_type`, `eb_names`, `eb_prop1` |
//! | sides: side sets, and blocks of quadrilaterals | `elem_ss1`, `side_ss1` ..., `ss_names`, `ss_prop1` |
//! | fields: element variables of the last time step that all blocks of hexahedra have | `name_elem_var`, `vals_elem_var1eb1` ... |
//!
//! A group without a name is named by its number. Blocks of points, bars and beams, node sets, and edges of shells in side sets are ignored. Blocks of other elements are refused.
//!
//! Source: Schoof and Yarberry (1994). EXODUS II: A Finite Element Data Model, SAND92-2137, and the manual of SEACAS for elements of 27 nodes. The script of the samples
//! checks the order of the nodes with the reader of VTK.

use std::collections::BTreeMap;
use std::path::Path;

use super::collect::{Elements, indices, next_index, order};
use super::{CORNERS_AND_EDGES, ElementField, Group, HexMeshFile, MarkedFace};
use crate::error::{Refused, Result};
use crate::netcdf::{DataType, NetcdfReader, Variable};

/// Places of the last seven of 27 nodes: centre, bottom, top, left, right, front, back.
const CENTRES: [[u8; 3]; 7] = [[1, 1, 1], [1, 1, 0], [1, 1, 2], [0, 1, 1], [2, 1, 1], [1, 0, 1], [1, 2, 1]];

/// Corners of the sides of a hexahedron: front, right, back, left, bottom, top.
const SIDES: [[usize; 4]; 6] = [[0, 1, 5, 4], [1, 2, 6, 5], [2, 3, 7, 6], [0, 4, 7, 3], [0, 3, 2, 1], [4, 5, 6, 7]];

/// Most bytes of values per byte of a compressed file; zlib reaches 1032.
const BEST_COMPRESSION: u64 = 1100;

/// Reads a mesh.
///
/// # Errors
/// A file that is not netCDF or is damaged; a mesh in a plane; triangles; volumes other than hexahedra; hexahedra with different numbers of nodes.
pub fn read(path: &Path) -> Result<HexMeshFile> {
    let mut file = Exodus::open(path)?;
    let mut mesh = HexMeshFile { nodes: file.nodes()?, ..HexMeshFile::default() };
    let blocks = file.blocks(mesh.nodes.len())?;
    add_blocks(&blocks, &mut mesh).map_err(|refused| refused.unreadable(path))?;
    file.add_side_sets(&blocks, &mut mesh)?;
    file.add_fields(&blocks, &mut mesh)?;
    mesh.checked(path)
}

/// Shape of the elements of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    Hexahedron,
    Quadrilateral,
    /// A point or a line.
    Ignored,
}

/// A block of elements.
#[derive(Debug)]
struct Block {
    /// Number in the names of its variables.
    number: usize,
    group: Group,
    shape: Shape,
    nodes_per_element: usize,
    /// Number of elements in the blocks before.
    first: usize,
    count: usize,
    /// Nodes of the elements in the order of the file, from 0.
    nodes: Vec<u32>,
}

impl Block {
    /// Corners of a side of an element; `None` for an edge, which is ignored.
    fn side(&self, element: usize, side: usize) -> Result<Option<[u32; 4]>, Refused> {
        let nodes = &self.nodes[element * self.nodes_per_element..];
        let sides = match self.shape {
            Shape::Hexahedron => 6,
            // Both faces, then the edges.
            Shape::Quadrilateral => 6,
            Shape::Ignored => return Ok(None),
        };
        if !(1..=sides).contains(&side) {
            let what = format!("side of an element of block {}", self.group.name);
            return Err(Refused::new(what, side, format!("1 to {sides}")));
        }
        Ok(match self.shape {
            Shape::Hexahedron => Some(SIDES[side - 1].map(|corner| nodes[corner])),
            _ => (side <= 2).then(|| [nodes[0], nodes[1], nodes[2], nodes[3]]),
        })
    }
}

/// The shape of elements by their name, such as `HEX8`, and the number of their nodes.
fn shape(name: &str, nodes: usize) -> Option<Shape> {
    let name = name.to_ascii_uppercase();
    match name.trim_end_matches(|letter: char| letter.is_ascii_digit()) {
        "HEX" | "HEXAHEDRON" => [8, 20, 27].contains(&nodes).then_some(Shape::Hexahedron),
        "QUAD" | "QUADRILATERAL" | "SHELL" => [4, 8, 9].contains(&nodes).then_some(Shape::Quadrilateral),
        "SPHERE" | "CIRCLE" | "POINT" | "NODE" | "BAR" | "BEAM" | "TRUSS" | "ROD" | "EDGE" | "LINE" => {
            Some(Shape::Ignored)
        }
        _ => None,
    }
}

/// Stores hexahedra as elements, and quadrilaterals as sides.
fn add_blocks(blocks: &[Block], mesh: &mut HexMeshFile) -> Result<(), Refused> {
    let places: Vec<[u8; 3]> = [0..8, 8..12, 16..20, 12..16]
        .into_iter()
        .flat_map(|range| CORNERS_AND_EDGES[range].iter().copied())
        .chain(CENTRES)
        .collect();
    let mut elements = Elements::default();
    for block in blocks {
        match block.shape {
            Shape::Hexahedron => {
                let index = next_index(&mesh.blocks)?;
                mesh.blocks.push(block.group.clone());
                mesh.block_of.extend(std::iter::repeat_n(index, block.count));
                elements.push(&order(&places[..block.nodes_per_element]), &block.nodes)?;
            }
            Shape::Quadrilateral => {
                let side = next_index(&mesh.sides)?;
                mesh.sides.push(block.group.clone());
                let quads = block.nodes.chunks_exact(block.nodes_per_element);
                mesh.faces.extend(quads.map(|quad| MarkedFace { side, corners: [quad[0], quad[1], quad[2], quad[3]] }));
            }
            Shape::Ignored => {}
        }
    }
    elements.store(mesh)
}

/// An open file.
struct Exodus {
    reader: NetcdfReader,
    /// Number of values that the file can hold.
    most_values: u64,
}

impl Exodus {
    fn open(path: &Path) -> Result<Self> {
        let reader = NetcdfReader::open(path)?;
        let bytes = std::fs::metadata(path).map_err(|source| crate::text::unread(path, source))?.len();
        Ok(Self { reader, most_values: bytes.saturating_mul(BEST_COMPRESSION) })
    }

    fn refused(&self, refused: Refused) -> crate::FormatError {
        refused.unreadable(self.reader.path())
    }

    fn variable(&self, name: &str) -> Option<&Variable> {
        self.reader.dataset().variables.iter().find(|variable| variable.name == name)
    }

    /// Lengths of the dimensions of a variable.
    fn lengths(&self, name: &str) -> Vec<u64> {
        let dataset = self.reader.dataset();
        self.variable(name)
            .map(|variable| dataset.dimensions_of(variable).map(|dimension| dimension.length).collect())
            .unwrap_or_default()
    }

    /// Refuses a variable with more values than the file can hold.
    fn check_size(&self, name: &str) -> Result<()> {
        let lengths = self.lengths(name);
        let values = lengths.iter().try_fold(1_u64, |values, &length| values.checked_mul(length));
        if values.is_some_and(|values| values <= self.most_values) {
            return Ok(());
        }
        let shape: Vec<String> = lengths.iter().map(u64::to_string).collect();
        let refused =
            Refused::new(format!("shape of {name}"), shape.join(" x "), "values that fit into the file; it is damaged");
        Err(self.refused(refused))
    }

    /// Values of a variable; none if it is missing.
    fn numbers(&mut self, name: &str) -> Result<Vec<f64>> {
        if self.variable(name).is_none() {
            return Ok(Vec::new());
        }
        self.check_size(name)?;
        self.reader.values_f64(name)
    }

    /// Texts of a variable; none if it is missing.
    fn texts(&mut self, name: &str) -> Result<Vec<String>> {
        if self.variable(name).is_none_or(|variable| variable.data_type != DataType::Char) {
            return Ok(Vec::new());
        }
        self.check_size(name)?;
        let texts = self.reader.texts(name)?;
        Ok(texts.iter().map(|text| until_zero(text).to_owned()).collect())
    }

    /// Numbers N of the variables `{prefix}N`, in ascending order.
    fn numbers_after(&self, prefix: &str) -> Vec<usize> {
        let names = self.reader.dataset().variables.iter().map(|variable| &variable.name);
        let mut numbers: Vec<usize> =
            names.filter_map(|name| name.strip_prefix(prefix)?.parse().ok()).filter(|&number| number > 0).collect();
        numbers.sort_unstable();
        numbers
    }

    /// Positions of the nodes.
    fn nodes(&mut self) -> Result<Vec<[f64; 3]>> {
        let axes = match self.lengths("coord")[..] {
            [] => {
                let mut axes = Vec::new();
                for name in ["coordx", "coordy", "coordz"] {
                    axes.push(self.numbers(name)?);
                }
                axes
            }
            [3, length] => {
                let values = self.numbers("coord")?;
                values.chunks_exact((length as usize).max(1)).map(<[f64]>::to_vec).collect()
            }
            _ => Vec::new(),
        };
        match &axes[..] {
            [x, y, z] if x.len() == y.len() && x.len() == z.len() && !x.is_empty() => {
                Ok(x.iter().zip(y).zip(z).map(|((&x, &y), &z)| [x, y, z]).collect())
            }
            _ => {
                let lengths: Vec<String> = axes.iter().map(|axis| axis.len().to_string()).collect();
                let expected = "an Exodus II mesh with three coordinates of each node, `coordx`, `coordy` and `coordz`, or `coord`";
                Err(self.refused(Refused::new("coordinates", format!("[{}]", lengths.join(", ")), expected)))
            }
        }
    }

    /// Names and numbers of groups; the numbers are `1` ... if missing.
    ///
    /// # Arguments
    /// * `kind` – `eb` for blocks, `ss` for side sets
    /// * `numbers` – numbers of the groups in the names of variables, from 1
    fn groups(&mut self, kind: &str, numbers: &[usize]) -> Result<Vec<Group>> {
        let ids = self.numbers(&format!("{kind}_prop1"))?;
        let names = self.texts(&format!("{kind}_names"))?;
        let group = |&number: &usize| {
            let id = ids.get(number - 1).filter(|id| id.fract() == 0.0).map_or(number as i64, |&id| id as i64);
            let name = names.get(number - 1).filter(|name| !name.is_empty());
            Group { name: name.cloned().unwrap_or_else(|| id.to_string()), number: id }
        };
        Ok(numbers.iter().map(group).collect())
    }

    /// Blocks with elements.
    fn blocks(&mut self, n_nodes: usize) -> Result<Vec<Block>> {
        let numbers = self.numbers_after("connect");
        let groups = self.groups("eb", &numbers)?;
        let mut blocks = Vec::new();
        let mut first: usize = 0;
        let mut other: BTreeMap<String, u64> = BTreeMap::new();
        for (number, group) in numbers.into_iter().zip(groups) {
            let name = format!("connect{number}");
            let (count, nodes_per_element) = match self.lengths(&name)[..] {
                [count, nodes] => (count, nodes as usize),
                [count] => (count, 1),
                _ => continue,
            };
            let kind = self.variable(&name).and_then(|variable| variable.text("elem_type")).unwrap_or_default();
            let kind = until_zero(kind).trim().to_owned();
            let Some(shape) = shape(&kind, nodes_per_element) else {
                *other.entry(format!("{kind} of {nodes_per_element} nodes")).or_default() += count;
                continue;
            };
            let nodes = match shape {
                Shape::Ignored => Vec::new(),
                _ => indices(&name, &self.numbers(&name)?, 1, n_nodes).map_err(|refused| self.refused(refused))?,
            };
            let count = count as usize;
            if shape != Shape::Ignored && nodes.len() != count * nodes_per_element {
                let expected = format!("{count} x {nodes_per_element}; the file is damaged");
                return Err(self.refused(Refused::new(format!("number of values of {name}"), nodes.len(), expected)));
            }
            blocks.push(Block { number, group, shape, nodes_per_element, first, count, nodes });
            first = first.saturating_add(count);
        }
        if other.is_empty() {
            return Ok(blocks);
        }
        let counts: Vec<String> = other.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
        let expected =
            "HEX8, HEX20 or HEX27, and SHELL4, SHELL8, SHELL9 or QUAD for surfaces: mesh all volumes with hexahedra";
        Err(self.refused(Refused::new("elements", counts.join(", "), expected)))
    }

    /// Reads the side sets.
    fn add_side_sets(&mut self, blocks: &[Block], mesh: &mut HexMeshFile) -> Result<()> {
        let numbers = self.numbers_after("elem_ss");
        let groups = self.groups("ss", &numbers)?;
        let n_elements = blocks.last().map_or(0, |block| block.first.saturating_add(block.count));
        for (number, group) in numbers.into_iter().zip(groups) {
            let names = [format!("elem_ss{number}"), format!("side_ss{number}")];
            let (of_file, sides) = (self.numbers(&names[0])?, self.numbers(&names[1])?);
            if of_file.len() != sides.len() {
                let expected = format!("{}, the number of values of {}", of_file.len(), names[0]);
                let what = format!("number of values of {}", names[1]);
                return Err(self.refused(Refused::new(what, sides.len(), expected)));
            }
            let faces = indices(&names[0], &of_file, 1, n_elements).and_then(|elements| {
                let index = next_index(&mesh.sides)?;
                let sides = indices(&names[1], &sides, 0, 1 << 16)?;
                let face = |(&element, &side): (&u32, &u32)| {
                    let block = &blocks[blocks.partition_point(|block| block.first <= element as usize) - 1];
                    let corners = block.side(element as usize - block.first, side as usize);
                    Ok(corners?.map(|corners| MarkedFace { side: index, corners }))
                };
                elements.iter().zip(&sides).map(face).filter_map(Result::transpose).collect::<Result<Vec<_>, _>>()
            });
            let faces = faces.map_err(|refused| self.refused(refused))?;
            if !faces.is_empty() {
                mesh.faces.extend(faces);
                mesh.sides.push(group);
            }
        }
        Ok(())
    }

    /// Reads the element variables of the last time step.
    fn add_fields(&mut self, blocks: &[Block], mesh: &mut HexMeshFile) -> Result<()> {
        let names = self.texts("name_elem_var")?;
        for (index, name) in names.into_iter().enumerate() {
            let mut values = Vec::new();
            for block in blocks.iter().filter(|block| block.shape == Shape::Hexahedron) {
                let all = self.numbers(&format!("vals_elem_var{}eb{}", index + 1, block.number))?;
                let last = all.len().checked_sub(block.count).filter(|_| all.len().is_multiple_of(block.count.max(1)));
                values.extend_from_slice(last.map_or(&[][..], |last| &all[last..]));
            }
            if values.len() == mesh.n_elements() {
                let name = if name.is_empty() { (index + 1).to_string() } else { name };
                mesh.fields.push(ElementField { name, values });
            }
        }
        Ok(())
    }
}

/// A text of C, which ends at the first zero byte.
fn until_zero(text: &str) -> &str {
    text.split('\0').next().unwrap_or_default()
}
