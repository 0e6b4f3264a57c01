//! Shared by readers: elements of one kind in the order of a file, numbered groups, and indices.

use std::collections::HashMap;

use super::complete::completed;
use super::{CORNERS_AND_EDGES, Group, HexMeshFile, lexicographic};
use crate::error::Refused;

/// Elements with the same number of nodes: in lexicographic order for 8 and 27 nodes, in the order of [`CORNERS_AND_EDGES`] for 20.
#[derive(Debug, Default)]
pub(super) struct Elements {
    nodes_per_element: usize,
    nodes: Vec<u32>,
}

impl Elements {
    /// Appends elements.
    ///
    /// # Arguments
    /// * `order` – the [`order`] of the nodes of an element
    /// * `nodes` – nodes of the elements, shape (elements, nodes per element)
    /// # Errors
    /// Elements with another number of nodes than before.
    pub fn push(&mut self, order: &[usize], nodes: &[u32]) -> Result<(), Refused> {
        let count = order.len();
        if !self.nodes.is_empty() && self.nodes_per_element != count {
            let value = format!("{} and {count}", self.nodes_per_element);
            return Err(Refused::new("nodes of the hexahedra", value, "the same number for all: 8, 20 or 27"));
        }
        self.nodes_per_element = count;
        for element in nodes.chunks_exact(count) {
            self.nodes.extend(order.iter().map(|&index| element[index]));
        }
        Ok(())
    }

    /// Stores the elements in a mesh, with 8 or 27 nodes each.
    ///
    /// # Errors
    /// A node that does not exist; too many nodes.
    pub fn store(self, mesh: &mut HexMeshFile) -> Result<(), Refused> {
        let Self { nodes_per_element, nodes } = self;
        if let Some(node) = nodes.iter().find(|&&node| node as usize >= mesh.nodes.len()) {
            let expected = format!("an index below {}, the number of nodes", mesh.nodes.len());
            return Err(Refused::new("index of a node", node, expected));
        }
        (mesh.nodes_per_element, mesh.elements) = match nodes_per_element {
            20 => {
                let all = completed(&nodes, &mut mesh.nodes);
                (27, all.map_err(|count| Refused::new("number of nodes", count, "less than 2^32"))?)
            }
            _ => (nodes_per_element, nodes),
        };
        Ok(())
    }
}

/// Order in which [`Elements`] store the nodes of an element of a file.
///
/// # Arguments
/// * `places` – places in the reference cube of the 8, 20 or 27 nodes of an element, in the order of the file
pub(super) fn order(places: &[[u8; 3]]) -> Vec<usize> {
    let of_file: Vec<usize> = (0..places.len()).collect();
    match places.len() {
        20 => CORNERS_AND_EDGES.iter().filter_map(|place| places.iter().position(|own| own == place)).collect(),
        _ => lexicographic(places, &of_file),
    }
}

/// Groups by number, in the order of their first use.
#[derive(Debug, Default)]
pub(super) struct Groups {
    groups: Vec<Group>,
    index_of: HashMap<i64, u16>,
}

impl Groups {
    /// Index of the group with a number, which becomes its name.
    ///
    /// # Errors
    /// More than 65536 groups.
    pub fn index(&mut self, number: i64) -> Result<u16, Refused> {
        if let Some(&index) = self.index_of.get(&number) {
            return Ok(index);
        }
        let index = next_index(&self.groups)?;
        self.groups.push(Group { name: number.to_string(), number });
        self.index_of.insert(number, index);
        Ok(index)
    }

    /// All groups.
    pub fn all(self) -> Vec<Group> {
        self.groups
    }
}

/// Index of the next group.
///
/// # Errors
/// More than 65536 groups.
pub(super) fn next_index(groups: &[Group]) -> Result<u16, Refused> {
    u16::try_from(groups.len()).map_err(|_| Refused::new("number of groups", "more than 65536", "at most 65536"))
}

/// Converts numbers of a file to indices.
///
/// # Arguments
/// * `what` – name of the array, for messages
/// * `first` – number of the first item in the file, 0 or 1
/// * `count` – number of items
/// # Errors
/// A number that is not an integer, or without an item.
pub(super) fn indices(what: &str, numbers: &[f64], first: u32, count: usize) -> Result<Vec<u32>, Refused> {
    let index = |&number: &f64| {
        let index = number - f64::from(first);
        let is_valid = index >= 0.0 && index < count as f64 && index <= f64::from(u32::MAX) && index.fract() == 0.0;
        let expected = || {
            format!("whole numbers from {first} to {}", u64::from(first).saturating_add(count as u64).saturating_sub(1))
        };
        if is_valid { Ok(index as u32) } else { Err(Refused::new(what, number, expected())) }
    };
    numbers.iter().map(index).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indices_are_whole_and_within_the_items() {
        assert_eq!(indices("a", &[1.0, 3.0], 1, 3), Ok(vec![0, 2]));
        for wrong in [0.0, 4.0, 1.5, f64::NAN, f64::INFINITY] {
            assert!(indices("a", &[wrong], 1, 3).is_err(), "{wrong}");
        }
        assert!(indices("a", &[0.0], 0, 0).is_err());
    }

    #[test]
    fn elements_of_different_kinds_are_refused() {
        let mut elements = Elements::default();
        elements.push(&order(&CORNERS_AND_EDGES[..8]), &[0; 8]).unwrap();
        assert!(elements.push(&order(&CORNERS_AND_EDGES), &[0; 20]).is_err());
    }
}
