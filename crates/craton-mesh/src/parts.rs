//! Parts: which device or rank owns which patches, and which of its elements touch another's.

use crate::order::Patches;
use crate::topology::Topology;

/// The partition of a mesh into parts, each made of whole patches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parts {
    /// Number of parts
    pub n_parts: usize,
    /// Owner of every patch
    pub part_of_patch: Vec<u32>,
}

/// Elements of one part, those that touch another part first to be computed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Split {
    /// Elements with at least one node in common with another part
    pub outer: Vec<u32>,
    /// All other elements of the part
    pub inner: Vec<u32>,
}

impl Parts {
    /// One part that owns all `n_patches` patches.
    pub fn single(n_patches: usize) -> Self {
        Self { n_parts: 1, part_of_patch: vec![0; n_patches] }
    }

    /// Parts of consecutive patches with nearly equal numbers of elements.
    ///
    /// Consecutive patches of a recursive bisection lie together, so the parts are compact.
    pub fn contiguous(patches: &Patches, n_parts: usize) -> Self {
        let n_elements = patches.elements.len().max(1);
        let part_of_patch = (0..patches.len())
            .map(|patch| {
                let range = patches.range(patch);
                let middle = (range.start + range.end) / 2;
                (middle * n_parts / n_elements) as u32
            })
            .collect();
        Self { n_parts, part_of_patch }
    }

    /// Splits the elements of `part` into outer and inner ones.
    ///
    /// # Arguments
    /// * `patches` – the patches of the mesh
    /// * `topology` – of the mesh in the order of the patches ([`crate::HexMesh::reordered`]): elements that share a
    ///   node share a vertex
    pub fn split(&self, part: u32, patches: &Patches, topology: &Topology) -> Split {
        let mut foreign = vec![false; topology.n_vertices];
        for patch in (0..patches.len()).filter(|&patch| self.part_of_patch[patch] != part) {
            for &vertex in topology.vertices[patches.range(patch)].as_flattened() {
                foreign[vertex as usize] = true;
            }
        }
        let own = (0..patches.len()).filter(|&patch| self.part_of_patch[patch] == part);
        let (outer, inner) = own
            .flat_map(|patch| patches.range(patch))
            .map(|element| element as u32)
            .partition(|&element| topology.vertices[element as usize].iter().any(|&vertex| foreign[vertex as usize]));
        Split { outer, inner }
    }
}
