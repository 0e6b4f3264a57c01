//! The content of a file, collected section by section, with the numbers and the order of nodes of the file.

use std::collections::{BTreeMap, HashMap};

use super::cursor::{Cursor, WRITE_AGAIN};
use super::kinds::{Kind, Shape};
use crate::error::{FormatError, Result};

/// What the sections of a file contain.
#[derive(Default)]
pub struct Collected {
    /// Names of the physical groups by dimension and number.
    pub names: BTreeMap<(i64, i64), String>,
    /// Entities of version 4.1 by dimension and tag.
    pub entities: HashMap<(i64, i64), Entity>,
    /// Positions of the nodes.
    pub nodes: Vec<[f64; 3]>,
    /// Indices of the nodes by tag, after the section `$Nodes`.
    pub node_of: Option<Tags>,
    /// Nodes per hexahedron.
    pub nodes_per_element: usize,
    /// Nodes of the hexahedra, in the order of the file.
    pub elements: Vec<u32>,
    /// Tags of the hexahedra.
    pub tags: Vec<u64>,
    /// Physical groups, 0 if there is none, and elementary entities of the hexahedra.
    pub groups: Vec<[i64; 2]>,
    /// Physical groups and corners of the quadrilaterals.
    pub faces: Vec<(i64, [u32; 4])>,
    /// Fields.
    pub fields: Vec<Field>,
    /// Whether the section `$Elements` was read.
    pub has_elements: bool,
    refused: Option<Refusal>,
}

/// An elementary entity.
#[derive(Default)]
pub struct Entity {
    /// Its tag, or that of its parent if the mesh is partitioned.
    pub number: i64,
    /// Its physical groups.
    pub physical: Vec<i64>,
}

/// An element whose nodes follow in the file.
#[derive(Clone, Copy)]
pub struct Element<'a> {
    /// Its type.
    pub kind: Kind,
    /// Its tag.
    pub tag: u64,
    /// Its physical groups.
    pub physical: &'a [i64],
    /// Its elementary entity.
    pub entity: i64,
    /// Size of the number of a node in a binary file [bytes].
    pub node_bytes: usize,
}

/// A field with values at some elements.
pub struct Field {
    /// Its name.
    pub name: String,
    /// Tags of elements and values.
    pub values: Vec<(u64, f64)>,
}

/// Elements that cannot be read.
struct Refusal {
    kind: Kind,
    count: usize,
    /// Tag and position in the file of the first one.
    first: u64,
    mark: usize,
    /// Physical surface of the first one.
    surface: Option<i64>,
}

impl Collected {
    /// Reads the section `$PhysicalNames`: lines with dimension, number and name.
    pub fn physical_names(&mut self, cursor: &mut Cursor) -> Result<()> {
        let count = cursor.text_integer("number of names")?;
        cursor.end_line()?;
        for _ in 0..count {
            let dimension = cursor.text_integer("dimension of the physical group")?;
            let number = cursor.text_integer("number of the physical group")?;
            let name = cursor.line();
            let name = name.strip_prefix('"').and_then(|name| name.strip_suffix('"')).unwrap_or(&name);
            self.names.insert((dimension, number), name.to_owned());
        }
        cursor.end_section()
    }

    /// Refuses a second section `$Nodes`.
    pub fn require_first_nodes(&self, cursor: &Cursor) -> Result<()> {
        match self.node_of {
            None => Ok(()),
            Some(_) => Err(cursor.layout("a second section `$Nodes` follows", "write one mesh per file")),
        }
    }

    /// Refuses a second section `$Elements`, or one without nodes; records that it was read.
    pub fn require_first_elements(&mut self, cursor: &Cursor) -> Result<()> {
        if self.node_of.is_none() {
            return Err(cursor.layout("`$Elements` precedes `$Nodes`", "write the mesh again with Gmsh"));
        }
        if self.has_elements {
            return Err(cursor.layout("a second section `$Elements` follows", "write one mesh per file"));
        }
        self.has_elements = true;
        Ok(())
    }

    /// Reads the nodes of an element by `tag_of_node`, or skips them.
    pub fn element<'a>(
        &mut self,
        cursor: &mut Cursor<'a>,
        element: Element,
        tag_of_node: impl Fn(&mut Cursor<'a>) -> Result<u64>,
    ) -> Result<()> {
        let Element { kind, tag, physical, entity, node_bytes } = element;
        match kind.shape {
            Shape::Hexahedron => {
                self.require_same_nodes(cursor, kind, tag)?;
                for _ in 0..kind.nodes {
                    let node = tag_of_node(cursor)?;
                    self.elements.push(self.index_of(cursor, node)?);
                }
                self.tags.push(tag);
                self.groups.push([physical.first().copied().unwrap_or(0), entity]);
                return Ok(());
            }
            Shape::Quadrilateral if !physical.is_empty() => {
                let mut corners = [0; 4];
                for corner in &mut corners {
                    let node = tag_of_node(cursor)?;
                    *corner = self.index_of(cursor, node)?;
                }
                self.faces.extend(physical.iter().map(|&group| (group, corners)));
                return cursor.skip_values(node_bytes * (kind.nodes - 4));
            }
            Shape::OtherSurface(_) if !physical.is_empty() => self.refuse(cursor, element),
            Shape::OtherVolume(_) => self.refuse(cursor, element),
            Shape::Quadrilateral | Shape::Thin | Shape::OtherSurface(_) => {}
        }
        cursor.skip_values(node_bytes * kind.nodes)
    }

    fn require_same_nodes(&mut self, cursor: &Cursor, kind: Kind, tag: u64) -> Result<()> {
        if self.tags.is_empty() {
            self.nodes_per_element = kind.nodes;
        }
        if self.nodes_per_element == kind.nodes {
            return Ok(());
        }
        let problem =
            format!("hexahedron {tag} has {} nodes, but preceding ones have {}", kind.nodes, self.nodes_per_element);
        Err(cursor.layout(problem, "mesh all volumes with the same order, and write them together"))
    }

    fn index_of(&self, cursor: &Cursor, tag: u64) -> Result<u32> {
        let index = self.node_of.as_ref().and_then(|tags| tags.get(tag));
        index.ok_or_else(|| cursor.bad("node of the element", tag, "the tag of a node in `$Nodes`"))
    }

    /// Counts an element that cannot be read; [`Self::require_only_hexahedra`] reports all of the first type, of volumes if there are some.
    fn refuse(&mut self, cursor: &Cursor, element: Element) {
        let Element { kind, tag, physical, .. } = element;
        let surface = matches!(kind.shape, Shape::OtherSurface(_)).then(|| physical[0]);
        let new = Refusal { kind, count: 0, first: tag, mark: cursor.mark, surface };
        // Surfaces with triangles usually bound volumes with tetrahedra, whose message helps more.
        if surface.is_none() && self.refused.as_ref().is_some_and(|known| known.surface.is_some()) {
            self.refused = None;
        }
        let refused = self.refused.get_or_insert(new);
        refused.count += usize::from(refused.kind == kind);
    }

    /// Reports elements that cannot be read.
    pub fn require_only_hexahedra(&self, cursor: &mut Cursor) -> Result<()> {
        let Some(Refusal { kind, count, first, mark, surface }) = self.refused else { return Ok(()) };
        cursor.mark = mark;
        let place = surface.map_or("volumes".to_owned(), |group| format!("physical surfaces, such as {group},"));
        let (name, hint) = match kind.shape {
            Shape::OtherVolume("hexahedra") | Shape::OtherSurface("quadrilaterals") => {
                ("high-order elements", "set the order to 1 or 2 with `Mesh.ElementOrder = 2` or `SetOrder 2`")
            }
            Shape::OtherSurface(name) => {
                (name, "add `Recombine Surface`, or remove the surface from its physical group")
            }
            Shape::OtherVolume(name) => (
                name,
                "mesh with hexahedra: transfinite volumes with recombined surfaces, extrusions with `Recombine`, or `Mesh.SubdivisionAlgorithm = 2` (All Hexahedra)",
            ),
            Shape::Hexahedron | Shape::Quadrilateral | Shape::Thin => return Ok(()),
        };
        let Kind { number, nodes, .. } = kind;
        let problem =
            format!("the {place} have {count} {name} of {nodes} nodes (element type {number}), first element {first}");
        Err(cursor.layout(problem, hint))
    }
}

/// Indices of nodes or elements by their tags.
pub enum Tags {
    /// By tag; `u32::MAX` marks tags that do not occur.
    Dense(Vec<u32>),
    /// If most tags do not occur.
    Sparse(HashMap<u64, u32>),
}

impl Tags {
    /// Numbers the tags in their order.
    ///
    /// # Errors
    /// A tag that occurs twice; 2³² tags or more.
    pub fn new(cursor: &Cursor, what: &str, tags: &[u64]) -> Result<Self> {
        if tags.len() >= u32::MAX as usize {
            return Err(cursor.bad(format!("number of {what}s"), tags.len(), "at most 4294967294"));
        }
        let twice = |tag: u64| -> FormatError { cursor.layout(format!("{what} {tag} occurs twice"), WRITE_AGAIN) };
        let largest = tags.iter().copied().max().unwrap_or(0);
        if largest <= 4 * tags.len() as u64 + 1024 {
            let mut dense = vec![u32::MAX; largest as usize + 1];
            for (index, &tag) in (0..).zip(tags) {
                if std::mem::replace(&mut dense[tag as usize], index) != u32::MAX {
                    return Err(twice(tag));
                }
            }
            return Ok(Self::Dense(dense));
        }
        let mut sparse = HashMap::with_capacity(tags.len());
        for (index, &tag) in (0..).zip(tags) {
            if sparse.insert(tag, index).is_some() {
                return Err(twice(tag));
            }
        }
        Ok(Self::Sparse(sparse))
    }

    /// The index of a tag.
    pub fn get(&self, tag: u64) -> Option<u32> {
        match self {
            Self::Dense(dense) => dense.get(usize::try_from(tag).ok()?).copied().filter(|&index| index != u32::MAX),
            Self::Sparse(sparse) => sparse.get(&tag).copied(),
        }
    }
}
