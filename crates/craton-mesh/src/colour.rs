//! Graph colouring: elements or patches of one colour share no node, so they may add to nodes concurrently.

use crate::order::Patches;
use crate::topology::Topology;

/// A colour for every element or patch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Colouring {
    /// Number of colours
    pub n_colours: usize,
    /// Colour of every element or patch
    pub colours: Vec<u32>,
}

/// Colours elements greedily: no two of one colour share a node.
pub fn colour_elements(topology: &Topology) -> Colouring {
    greedy(topology, topology.vertices.len(), |element| element..element + 1)
}

/// Colours patches greedily: no two of one colour share a node.
///
/// # Arguments
/// * `topology` – of the mesh in the order of the patches ([`crate::HexMesh::reordered`])
pub fn colour_patches(topology: &Topology, patches: &Patches) -> Colouring {
    greedy(topology, patches.len(), |patch| patches.range(patch))
}

/// Gives every group of elements the first colour that no group sharing a vertex has.
///
/// Colours are tried 64 at a time, one bit each; groups without a free colour are deferred to the next 64.
fn greedy(topology: &Topology, n_groups: usize, elements: impl Fn(usize) -> std::ops::Range<usize>) -> Colouring {
    let mut colours = vec![0; n_groups];
    let mut n_colours = 0;
    let mut waiting: Vec<usize> = (0..n_groups).collect();
    let mut first_colour = 0;
    while !waiting.is_empty() {
        let mut seen = vec![0_u64; topology.n_vertices];
        waiting.retain(|&group| {
            let vertices = topology.vertices[elements(group)].as_flattened();
            let taken = vertices.iter().fold(0, |taken, &vertex| taken | seen[vertex as usize]);
            let free = taken.trailing_ones();
            if free == u64::BITS {
                return true;
            }
            for &vertex in vertices {
                seen[vertex as usize] |= 1 << free;
            }
            colours[group] = first_colour + free;
            n_colours = n_colours.max(colours[group] + 1);
            false
        });
        first_colour += u64::BITS;
    }
    Colouring { n_colours: n_colours as usize, colours }
}
