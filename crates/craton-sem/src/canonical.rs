//! The canonical order of nodes, the same for all solvers of a mesh: by first occurrence in the elements in mesh order, lexicographic within an element.

use craton_sem_kernels::Phase;

use crate::fields::NodePlace;
use crate::layout::Layout;
use crate::plan::Plan;

/// Number of nodes of a block.
const BLOCK: usize = 1 << 16;

impl Plan {
    /// Passes all nodes of a phase to `take` in canonical order, block by block. The order is independent of patches and parts.
    ///
    /// # Errors
    /// Errors of `take`.
    pub(crate) fn in_canonical_order<E>(
        &self,
        phase: Phase,
        mut take: impl FnMut(&[NodePlace]) -> Result<(), E>,
    ) -> Result<(), E> {
        let layout = &self.of(phase).layout;
        let first = layout.first_of_patches();
        let number = |place| match place {
            NodePlace::Inner { patch, node } => first[patch as usize] + node as usize,
            NodePlace::Shared(node) => first[first.len() - 1] + node as usize,
        };
        let mut touched = vec![0_u64; layout.n_nodes().div_ceil(64)];
        let mut block = Vec::with_capacity(BLOCK);
        let elements = self.position.iter().filter(|&&element| self.phase_of(element) == phase);
        for place in elements.flat_map(|&element| self.places(element)) {
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
}

impl Layout {
    /// Cumulative number of inner nodes before each patch, and of all patches at the end.
    fn first_of_patches(&self) -> Vec<usize> {
        let mut first = vec![0];
        for nodes in &self.patches {
            first.push(first[first.len() - 1] + nodes.inner);
        }
        first
    }
}
