//! The canonical order of nodes, the same for all solvers of a mesh: by first occurrence in the elements in mesh order, lexicographic within an element.

use crate::fields::NodePlace;
use crate::plan::Plan;

/// Number of nodes of a block.
const BLOCK: usize = 1 << 16;

impl Plan {
    /// Passes all nodes to `take` in canonical order, block by block. The order is independent of patches and parts.
    ///
    /// # Errors
    /// Errors of `take`.
    pub(crate) fn in_canonical_order<E>(&self, mut take: impl FnMut(&[NodePlace]) -> Result<(), E>) -> Result<(), E> {
        let first = self.first_of_patches();
        let number = |place| match place {
            NodePlace::Inner { patch, node } => first[patch as usize] + node as usize,
            NodePlace::Shared(node) => first[first.len() - 1] + node as usize,
        };
        let mut touched = vec![0_u64; self.n_nodes().div_ceil(64)];
        let mut block = Vec::with_capacity(BLOCK);
        for place in self.position.iter().flat_map(|&element| self.places(element)) {
            let number = number(place);
            let (word, bit) = (&mut touched[number / 64], 1 << (number % 64));
            if *word & bit != 0 {
                continue;
            }
            *word |= bit;
            block.push(place);
            if block.len() == BLOCK {
                take(&block)?;
                block.clear();
            }
        }
        take(&block)
    }

    /// Cumulative number of inner nodes before each patch, and of all patches at the end.
    fn first_of_patches(&self) -> Vec<usize> {
        let mut first = vec![0];
        for nodes in &self.layout.patches {
            first.push(first[first.len() - 1] + nodes.inner);
        }
        first
    }
}
