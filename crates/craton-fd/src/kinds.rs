//! Kinds of the cells in and around a block: air, fluid, solid, wall.

use craton_device::Scalar;
use rayon::prelude::*;

use crate::boundary::Boundaries;
use crate::layout::{GROUP, Layout};
use crate::medium::{Kind, Medium};

/// Kinds of the cells of a block, of its halo, and of one more cell on each side, which the stencils of the outermost points depend on.
pub struct Kinds {
    layout: Layout,
    kinds: Vec<Kind>,
}

impl Kinds {
    /// Collects the kinds of the cells in and around a block.
    pub fn new<T: Scalar>(medium: &Medium<T>, boundaries: &Boundaries, block: &Layout) -> Self {
        let layout = Layout::new(block.first, block.cells, block.extra, block.halo + 1);
        let mut kinds = vec![Kind::Rigid; layout.len()];
        let planes = kinds.par_chunks_mut(layout.stride[2]).take(layout.planes_around()).enumerate();
        planes.for_each(|(plane, kinds)| {
            for (cell, at) in layout.plane_around(plane) {
                kinds[at] = boundaries.kind_at(medium.grid(), cell, |inside| medium.kind(inside));
            }
        });
        Self { layout, kinds }
    }

    /// Kind of a cell, given by its local indices in the block.
    pub fn at(&self, cell: [i64; 3]) -> Kind {
        self.kinds[self.layout.at(cell)]
    }

    /// Whether all cells that the stencils of a group depend on are of one kind.
    pub fn are_uniform_around(&self, [i, j, k]: [usize; 3]) -> bool {
        let Self { layout, kinds } = self;
        let margin = layout.halo;
        let start = layout.at([i as i64, j as i64, k as i64]);
        let [_, row, plane] = layout.stride;
        let kind = kinds[start];
        if i + GROUP > layout.cells[0] {
            return false;
        }
        let run =
            |at: usize, before: usize, after: usize| kinds[at - before..at + GROUP + after].iter().all(|&k| k == kind);
        let cross = [row, plane].into_iter().zip([plane, row]).all(|(along, across)| {
            (0..2 * margin).all(|l| {
                let at = start + l * along - margin * along;
                run(at, 1, 0) && run(at - across, 1, 0)
            })
        });
        cross && [0, row, plane, row + plane].into_iter().all(|back| run(start - back, margin, margin - 1))
    }
}
