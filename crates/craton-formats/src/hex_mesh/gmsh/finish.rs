//! From the collected content of a file to a mesh.

use std::collections::BTreeMap;
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};

use super::collected::{Collected, Tags};
use super::cursor::{Cursor, WRITE_AGAIN};
use super::kinds::places;
use crate::error::Result;
use crate::hex_mesh::complete::completed;
use crate::hex_mesh::{CORNERS_AND_EDGES, ElementField, Group, HexMeshFile, MarkedFace, lexicographic};

/// Marks nodes that are not used.
const UNUSED: u32 = u32::MAX;

impl Collected {
    /// The mesh of the whole file.
    pub fn finished(mut self, cursor: &Cursor) -> Result<HexMeshFile> {
        if !self.has_elements {
            return Err(cursor.layout("the file has no section `$Elements`", WRITE_AGAIN));
        }
        let mut mesh = HexMeshFile::default();
        if self.tags.is_empty() {
            return Ok(mesh);
        }
        self.remove_repeated();
        self.fields(cursor, &mut mesh)?;
        self.blocks(cursor, &mut mesh)?;
        self.sides(cursor, &mut mesh)?;
        self.drop_unused_nodes(&mut mesh);
        mesh.nodes = self.nodes;
        if self.nodes_per_element != 20 {
            mesh.nodes_per_element = self.nodes_per_element;
            let order = lexicographic(&places(), &(0..self.nodes_per_element).collect::<Vec<_>>());
            mesh.elements = reordered(self.elements, &order);
            return Ok(mesh);
        }
        mesh.nodes_per_element = 27;
        let own = places();
        let order: Vec<usize> =
            CORNERS_AND_EDGES.iter().filter_map(|place| own.iter().position(|known| known == place)).collect();
        let elements = reordered(self.elements, &order);
        mesh.elements = completed(&elements, &mut mesh.nodes)
            .map_err(|count| cursor.bad("number of nodes, completed to 27 per element", count, "at most 4294967295"))?;
        Ok(mesh)
    }

    /// Removes hexahedra with the same nodes as a preceding one: version 2.2 has one copy for each physical group.
    fn remove_repeated(&mut self) {
        let size = self.nodes_per_element;
        let nodes = |index: u32| &self.elements[index as usize * size..][..size];
        let hasher = BuildHasherDefault::<DefaultHasher>::default();
        let mut by_hash: Vec<(u64, u32)> =
            (0..self.tags.len() as u32).map(|index| (hasher.hash_one(nodes(index)), index)).collect();
        by_hash.sort_unstable();
        let same = |pair: &[(u64, u32)]| pair[0].0 == pair[1].0 && nodes(pair[0].1) == nodes(pair[1].1);
        let mut repeated: Vec<u32> = by_hash.windows(2).filter(|pair| same(pair)).map(|pair| pair[1].1).collect();
        if repeated.is_empty() {
            return;
        }
        repeated.sort_unstable();
        let is_kept = |index: usize| repeated.binary_search(&(index as u32)).is_err();
        let kept: Vec<usize> = (0..self.tags.len()).filter(|&index| is_kept(index)).collect();
        self.elements = kept.iter().flat_map(|&index| &self.elements[index * size..][..size]).copied().collect();
        self.tags = kept.iter().map(|&index| self.tags[index]).collect();
        self.groups = kept.iter().map(|&index| self.groups[index]).collect();
    }

    /// Keeps the fields with a value at each hexahedron; of several fields with one name, such as time steps, the first.
    fn fields(&mut self, cursor: &Cursor, mesh: &mut HexMeshFile) -> Result<()> {
        if self.fields.is_empty() {
            return Ok(());
        }
        let index_of = Tags::new(cursor, "hexahedron", &self.tags)?;
        for field in std::mem::take(&mut self.fields) {
            let mut values = vec![f64::NAN; self.tags.len()];
            for (tag, value) in field.values {
                if let Some(index) = index_of.get(tag) {
                    values[index as usize] = value;
                }
            }
            let is_complete = !values.iter().any(|value| value.is_nan());
            if is_complete && mesh.fields.iter().all(|known| known.name != field.name) {
                mesh.fields.push(ElementField { name: field.name, values });
            }
        }
        Ok(())
    }

    fn blocks(&self, cursor: &Cursor, mesh: &mut HexMeshFile) -> Result<()> {
        let has_physical = self.groups.iter().any(|&[physical, _]| physical != 0);
        let number_of = |&[physical, entity]: &[i64; 2]| if has_physical { physical } else { entity };
        // The block without physical group is the last.
        let key = |number: i64| (has_physical && number == 0, number);
        let mut index_of: BTreeMap<_, u16> = self.groups.iter().map(|group| (key(number_of(group)), 0)).collect();
        number_all(cursor, "blocks", &mut index_of)?;
        mesh.block_of = self.groups.iter().map(|group| index_of[&key(number_of(group))]).collect();
        mesh.blocks = index_of
            .into_keys()
            .map(|(is_unmarked, number)| {
                let name = match (is_unmarked, has_physical) {
                    (true, _) => "unmarked".to_owned(),
                    (false, true) => self.name(3, number),
                    (false, false) => format!("volume {number}"),
                };
                Group { name, number }
            })
            .collect();
        Ok(())
    }

    fn sides(&self, cursor: &Cursor, mesh: &mut HexMeshFile) -> Result<()> {
        let mut index_of: BTreeMap<i64, u16> = self.faces.iter().map(|&(number, _)| (number, 0)).collect();
        number_all(cursor, "sides", &mut index_of)?;
        let faces = self.faces.iter();
        mesh.faces = faces.map(|&(number, corners)| MarkedFace { side: index_of[&number], corners }).collect();
        let numbers = index_of.into_keys();
        mesh.sides = numbers.map(|number| Group { name: self.name(2, number), number }).collect();
        Ok(())
    }

    fn name(&self, dimension: i64, number: i64) -> String {
        self.names.get(&(dimension, number)).cloned().unwrap_or_else(|| number.to_string())
    }

    /// Drops nodes without hexahedron or face, and numbers the others in their order.
    fn drop_unused_nodes(&mut self, mesh: &mut HexMeshFile) {
        let mut new = vec![UNUSED; self.nodes.len()];
        for &node in self.elements.iter().chain(mesh.faces.iter().flat_map(|face| &face.corners)) {
            new[node as usize] = 0;
        }
        let used = new.iter_mut().filter(|new| **new != UNUSED);
        used.zip(0..).for_each(|(new, index)| *new = index);
        let renumbered = |node: &mut u32| *node = new[*node as usize];
        self.elements.iter_mut().for_each(renumbered);
        mesh.faces.iter_mut().flat_map(|face| &mut face.corners).for_each(renumbered);
        let mut is_used = new.iter().map(|&new| new != UNUSED);
        self.nodes.retain(|_| is_used.next() == Some(true));
    }
}

/// Numbers the keys in their order.
fn number_all<K: Ord>(cursor: &Cursor, what: &str, index_of: &mut BTreeMap<K, u16>) -> Result<()> {
    let count = index_of.len();
    if count > 1 << 16 {
        return Err(cursor.bad(format!("number of {what}"), count, "at most 65536 physical groups"));
    }
    index_of.values_mut().zip(0..=u16::MAX).for_each(|(value, index)| *value = index);
    Ok(())
}

/// Elements with their nodes in another order: `order` has the places in the old one.
fn reordered(mut elements: Vec<u32>, order: &[usize]) -> Vec<u32> {
    let mut old = vec![0; order.len()];
    for element in elements.chunks_exact_mut(order.len()) {
        old.copy_from_slice(element);
        element.iter_mut().zip(order).for_each(|(node, &place)| *node = old[place]);
    }
    elements
}
