//! Parts of a grid that represent it in previews.

use std::ops::Range;

use craton_fd::{AbsorbingLayer, Grid, Side};
use craton_model::{Interface, Material};

use super::GridPlan;
use crate::setup::Setup;

/// Cells of a block that is searched for the fastest wave, along x and along y.
const BLOCK: usize = 12;
/// Approximate number of cells in which the fastest wave is searched, and the largest number of blocks along each horizontal axis.
const SEARCHED: usize = 1_500_000;
const MOST_BLOCKS: usize = 8;
/// Ratio of the effort of evaluating a cell of a volume with a finer grid to that of other cells.
const EFFORT: usize = 30;
/// Largest number of cells along z and along x of the parts whose steps are measured, and the smallest along y.
const DEEP: usize = 384;
const LONG: usize = 256;
const NARROW: usize = 16;

/// Blocks in which the fastest wave is searched.
pub struct Search {
    /// The blocks, with all cells along z.
    pub blocks: Vec<GridPlan>,
    /// Whether all columns of the grid are alike, so that any of them has the fastest wave.
    pub is_exact: bool,
}

impl GridPlan {
    /// A part of the grid without absorbing layers at its lateral sides, or with those of the grid.
    ///
    /// # Arguments
    /// * `cells` – of the box, along each axis
    fn part(&self, cells: [Range<usize>; 3], has_layers: bool) -> Self {
        let mut part = self.clone();
        let end = |layer: AbsorbingLayer| Side::Layer(AbsorbingLayer { cells: 0, ..layer });
        if !has_layers {
            let layer = AbsorbingLayer {
                cells: 0,
                vp_max: 1.0,
                dominant_frequency: 1.0,
                reflection: 0.001,
                exponent: super::PROFILE,
                max_stretch: 1.0,
            };
            // Fields that do not depend on y stay so.
            let is_lateral = |side: &usize| self.grid.cells[side / 2] > 1;
            for side in (0..4).filter(is_lateral) {
                part.boundaries.sides[side] = match self.boundaries.sides[side] {
                    Side::Layer(own) => end(own),
                    _ => end(layer),
                };
                part.boundaries.sponges[side] = None;
            }
            (part.around[0], part.around[1]) = ([0; 2], [0; 2]);
        }
        let (whole, around) = (&self.grid, &part.around);
        part.grid = Grid {
            origin: [0, 1, 2].map(|axis| {
                let first = (self.around[axis][0] + cells[axis].start) as f64 - around[axis][0] as f64;
                whole.origin[axis] + first * whole.spacing[axis]
            }),
            spacing: whole.spacing,
            cells: [0, 1, 2].map(|axis| cells[axis].len() + around[axis].iter().sum::<usize>()),
        };
        part
    }

    /// Number of cells of the box along each axis.
    fn of_box(&self) -> [usize; 3] {
        [0, 1, 2].map(|axis| {
            let [first, end] = self.inner(axis);
            end - first
        })
    }

    /// Blocks of columns in which to search the fastest wave of the grid: one if all columns are alike, otherwise blocks at regular distances, and at the
    /// fastest points of volumes.
    pub fn search(&self, setup: &Setup) -> Search {
        let (model, n) = (&setup.model, self.of_box());
        let is_flat = model.regions().iter().all(|region| matches!(region.top, Interface::Flat(_)));
        let is_exact = is_flat && (0..model.regions().len()).all(|region| model.is_stratified(region));
        let around = |place: [f64; 2]| {
            let range = |axis: usize| {
                let [first, end] = self.inner(axis);
                let along = ((place[axis] - self.grid.origin[axis]) / self.grid.spacing[axis]).max(0.0) as usize;
                let cell = along.clamp(first, end - 1) - first;
                let length = BLOCK.min(n[axis]);
                let start = cell.saturating_sub(length / 2).min(n[axis] - length);
                start..start + length
            };
            self.part([range(0), range(1), 0..n[2]], false)
        };
        let middle = [setup.x, setup.y].map(|[from, to]| 0.5 * (from + to));
        if is_exact {
            return Search { blocks: vec![around(middle)], is_exact };
        }
        let effort = if self.varies_inside_cells(setup) { EFFORT } else { 1 };
        let count = (SEARCHED / (BLOCK * BLOCK * n[2] * effort)).isqrt().clamp(2, MOST_BLOCKS);
        let along = |[from, to]: [f64; 2], index: usize| from + (index as f64 + 0.5) * (to - from) / count as f64;
        let places = (0..count * count).map(|index| [along(setup.x, index % count), along(setup.y, index / count)]);
        let of_volume = |region: usize| match model.regions()[region].material {
            Material::Volume(_) => model.fastest_place_in_volume(region, [setup.x, setup.y, setup.z]),
            _ => None,
        };
        let of_volumes = (0..model.regions().len()).filter_map(of_volume).map(|[x, y, _]| [x, y]);
        Search { blocks: of_volumes.chain(places).map(around).collect(), is_exact }
    }

    /// Two parts of the grid with about `cells` cells of the box each, whose steps are measured: with and without layers at the lateral sides.
    pub fn parts_to_measure(&self, cells: f64) -> [Self; 2] {
        let n = self.of_box();
        // Memory variables may repeat every two cells.
        let even = |count: usize, most: usize| if count < most { (count / 2 * 2).max(2) } else { most };
        let deep = even(DEEP, n[2]);
        let wide = even(((cells / (deep * LONG.min(n[0])) as f64) as usize).max(NARROW), n[1]);
        let long = even(((cells / (deep * wide) as f64) as usize).max(NARROW), n[0]);
        let start = |axis: usize, length: usize| (n[axis] - length) / 2;
        let ranges = [start(0, long)..start(0, long) + long, start(1, wide)..start(1, wide) + wide, n[2] - deep..n[2]];
        [true, false].map(|has_layers| self.part(ranges.clone(), has_layers))
    }
}
