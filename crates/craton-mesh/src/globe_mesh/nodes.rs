//! Control nodes of a sphere or of some of its tiles.

use std::collections::HashMap;

use rayon::prelude::*;

use crate::error::MeshError;

/// Position of a node: on the surface of the cube or in it, and the depth (0 to 1) in its stratum.
type Place = ([f64; 3], f64);

/// Some nodes of a regular arrangement: a sheet, or the nodes between two sheets in a ring or in a cap, or those of the central cube.
struct Block<'a> {
    /// Stratum of the nodes; `None` in the central cube.
    stratum: Option<usize>,
    place: Box<dyn Fn(usize) -> Place + Sync + 'a>,
    numbers: Numbers,
}

/// Numbers of the control nodes of a block in the mesh, by their index in the block.
enum Numbers {
    /// All nodes are in the mesh, in order; the first one.
    All(u32),
    /// Those that elements have used.
    Used(HashMap<u64, u32>),
}

/// A node of a block.
#[derive(Clone, Copy)]
pub(super) struct Node {
    pub block: usize,
    pub index: usize,
}

/// The control nodes of a mesh.
pub(super) struct Nodes<'a> {
    blocks: Vec<Block<'a>>,
    count: usize,
    /// Whether the mesh has all nodes.
    is_whole: bool,
}

impl<'a> Nodes<'a> {
    pub fn new(is_whole: bool) -> Self {
        Self { blocks: Vec::new(), count: 0, is_whole }
    }

    /// Adds a block of nodes, of which a mesh of some tiles contains those that its elements use.
    ///
    /// # Arguments
    /// * `place` – place of each node by its index
    pub fn add(
        &mut self,
        count: usize,
        stratum: Option<usize>,
        place: impl Fn(usize) -> Place + Sync + 'a,
    ) -> Result<usize, MeshError> {
        let numbers = match self.is_whole {
            true => {
                let first = self.count as u32;
                self.count += count;
                let (total, limit) = (self.count as u64, u64::from(u32::MAX));
                if total > limit {
                    return Err(MeshError::TooLarge { what: "control nodes", count: total, limit });
                }
                Numbers::All(first)
            }
            false => Numbers::Used(HashMap::new()),
        };
        self.blocks.push(Block { stratum, place: Box::new(place), numbers });
        Ok(self.blocks.len() - 1)
    }

    /// Number of a node in the mesh.
    pub fn number(&mut self, Node { block, index }: Node) -> u32 {
        match &mut self.blocks[block].numbers {
            Numbers::All(first) => *first + index as u32,
            Numbers::Used(numbers) => *numbers.entry(index as u64).or_insert_with(|| {
                self.count += 1;
                self.count as u32 - 1
            }),
        }
    }

    /// Positions of all nodes of the mesh, on all threads.
    ///
    /// # Arguments
    /// * `position` – position [m] of a node of a stratum, or of the central cube
    /// # Errors
    /// That of the first node with an error, independent of the threads.
    pub fn positions(
        &self,
        position: impl Fn(Option<usize>, Place) -> Result<[f64; 3], MeshError> + Sync,
    ) -> Result<Vec<[f64; 3]>, MeshError> {
        let mut nodes: Vec<(u32, u64)> = Vec::new();
        if !self.is_whole {
            nodes = vec![(0, 0); self.count];
            for (block, Block { numbers, .. }) in (0..).zip(&self.blocks) {
                let Numbers::Used(numbers) = numbers else { continue };
                numbers.iter().for_each(|(&index, &number)| nodes[number as usize] = (block, index));
            }
        }
        let of = |block: usize, index: usize| {
            let Block { stratum, place, .. } = &self.blocks[block];
            position(*stratum, place(index))
        };
        let found: Vec<Result<[f64; 3], MeshError>> = match self.is_whole {
            true => {
                let first = |block: &Block| if let Numbers::All(first) = block.numbers { first as usize } else { 0 };
                let starts: Vec<usize> = self.blocks.iter().map(first).collect();
                let at = |number: usize| {
                    let block = starts.partition_point(|&start| start <= number) - 1;
                    of(block, number - starts[block])
                };
                (0..self.count).into_par_iter().map(at).collect()
            }
            false => nodes.into_par_iter().map(|(block, index)| of(block as usize, index as usize)).collect(),
        };
        found.into_iter().collect()
    }
}
