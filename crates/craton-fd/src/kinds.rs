//! Kinds of the cells in and around a block: air, fluid, solid, wall.

use craton_device::Scalar;
use rayon::prelude::*;

use crate::boundary::Boundaries;
use crate::layout::{GROUP, Layout};
use crate::medium::{Kind, Medium};
use crate::rows::{ends_of_row, rows_around};

/// Kinds of the cells of a block, of its halo, and of one more cell on each side, which the stencils of the outermost points depend on.
pub struct Kinds {
    layout: Layout,
    kinds: Vec<Kind>,
    /// Properties of each row, `[plane][row]`, from the lowest of the halo on.
    rows: Vec<RowKinds>,
}

/// Properties of a row of kinds with its halo.
#[derive(Debug, Clone, Copy)]
struct RowKinds {
    /// The kind of all cells, if there is only one.
    only: Option<Kind>,
    /// Whether it equals the row before it along y.
    repeats: bool,
}

impl Kinds {
    /// Collects the kinds of the cells in and around a block.
    pub fn new<T: Scalar>(medium: &Medium<T>, boundaries: &Boundaries, block: &Layout) -> Self {
        let layout = Layout::new(block.first, block.cells, block.extra, block.halo + 1);
        let (grid, all, n) = (medium.grid(), medium.kinds(), layout.cells[0]);
        let mut kinds = vec![Kind::Rigid; layout.len()];
        let planes = kinds.par_chunks_mut(layout.stride[2]).take(layout.planes_around()).enumerate();
        planes.for_each(|(plane, kinds)| {
            for (first, start) in rows_around(&layout, plane) {
                let row = &mut kinds[start..start + n];
                match boundaries.cell_at(grid, first) {
                    None => row.fill(Kind::Air),
                    Some((_, Some(wall))) => row.fill(wall),
                    Some((inside, None)) => row.copy_from_slice(&all[grid.number(inside)..][..n]),
                }
                for (cell, at) in ends_of_row(&layout, first, start) {
                    kinds[at] = boundaries.kind_at(grid, cell, |inside| all[grid.number(inside)]);
                }
            }
        });
        let rows = rows(&layout, &kinds);
        Self { layout, kinds, rows }
    }

    /// Distance from a point beyond which cells do not affect its stencils.
    fn margin(&self) -> i64 {
        self.layout.halo as i64
    }

    /// Kinds of the cells of a group, given by the local indices of the first one.
    pub fn group(&self, cell: [i64; 3]) -> &[Kind; GROUP] {
        self.kinds[self.layout.at(cell)..].first_chunk().expect("rows are padded by groups")
    }

    /// Whether all cells that the stencils of a group depend on are of one kind.
    pub fn are_uniform_around(&self, [i, j, k]: [usize; 3]) -> bool {
        let Self { layout, kinds, .. } = self;
        let margin = layout.halo;
        let start = layout.at([i as i64, j as i64, k as i64]);
        let [_, row, plane] = layout.stride;
        let kind = kinds[start];
        if i + GROUP > layout.cells[0] {
            return false;
        }
        let run = |at: usize, before: usize, after: usize| all_are(&kinds[at - before..at + GROUP + after], kind);
        let cross = [row, plane].into_iter().zip([plane, row]).all(|(along, across)| {
            (0..2 * margin).all(|l| {
                let at = start + l * along - margin * along;
                run(at, 1, 0) && run(at - across, 1, 0)
            })
        });
        cross && [0, row, plane, row + plane].into_iter().all(|back| run(start - back, margin, margin - 1))
    }

    /// Whether all cells that the stencils of a row of points depend on are of one kind.
    ///
    /// # Arguments
    /// * `row` – local indices along y and z
    pub fn are_uniform_around_row(&self, row: [usize; 2]) -> bool {
        let kind = self.row(row.map(|i| i as i64)).only;
        kind.is_some() && self.cross(row).all(|other| other.only == kind)
    }

    /// Whether the cells that the stencils of a row of points depend on are of the same kinds as those of the row before it along y.
    pub fn repeat_around_row(&self, row: [usize; 2]) -> bool {
        row[0] > 0 && self.cross(row).all(|other| other.repeats)
    }

    /// The rows of cells that the stencils of a row of points depend on.
    fn cross(&self, [j, k]: [usize; 2]) -> impl Iterator<Item = RowKinds> {
        let ([j, k], margin) = ([j as i64, k as i64], self.margin());
        let along_y = (-margin..margin).flat_map(move |l| [[j + l, k], [j + l, k - 1]]);
        let along_z = (-margin..margin).flat_map(move |l| [[j, k + l], [j - 1, k + l]]);
        along_y.chain(along_z).map(|row| self.row(row))
    }

    fn row(&self, [j, k]: [i64; 2]) -> RowKinds {
        let (margin, rows) = (self.margin(), rows_of_plane(&self.layout));
        let [j, k] = [j + margin, k + margin].map(|i| i as usize);
        self.rows[j + rows * k]
    }
}

/// Number of rows of a plane with its halo.
fn rows_of_plane(layout: &Layout) -> usize {
    layout.cells[1] + 2 * layout.halo
}

/// The properties of all rows.
fn rows(layout: &Layout, kinds: &[Kind]) -> Vec<RowKinds> {
    let (halo, rows, [_, stride, _]) = (layout.halo, rows_of_plane(layout), layout.stride);
    let len = layout.cells[0] + 2 * halo;
    let of_row = |number: usize| {
        let [j, k] = [number % rows, number / rows].map(|i| i as i64 - halo as i64);
        let start = layout.at([-(halo as i64), j, k]);
        let row = &kinds[start..start + len];
        let is_first = number.is_multiple_of(rows);
        RowKinds {
            only: all_are(row, row[0]).then_some(row[0]),
            repeats: !is_first && row == &kinds[start - stride..start - stride + len],
        }
    };
    (0..rows * layout.planes_around()).into_par_iter().map(of_row).collect()
}

/// Whether all kinds are this one. Pieces are compared without branches.
pub fn all_are(kinds: &[Kind], kind: Kind) -> bool {
    kinds.chunks(64).all(|piece| piece.iter().fold(true, |all, own| all & (*own == kind)))
}
