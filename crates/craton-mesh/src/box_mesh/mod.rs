//! Boxes of strata, meshed in [`layers`](crate::layers).

mod build;
mod spec;
mod window;

pub use spec::BoxSpec;

use std::ops::Range;

use crate::error::MeshError;
use crate::layers::{Layer, Outline, Plan, Slab, plan};
use crate::mesh::HexMesh;
use window::{Tiling, Window};

/// Number of points along each side of the box at which the interfaces are sampled for planning.
const SAMPLES: usize = 65;

/// Meshes a box of strata with hexahedra: makes a [`BoxPlan`] and builds it.
///
/// # Errors
/// An invalid box, surface or size field: see [`MeshError`].
pub fn mesh_box(spec: &BoxSpec) -> Result<HexMesh, MeshError> {
    BoxPlan::new(spec)?.build()
}

/// Plan of the layers and columns of a box mesh.
///
/// Control nodes follow interfaces and topography; vertical lines are divided in constant proportions
/// between them. Where the allowed element size is twice the size above, a doubling in y and then one in x
/// follow, each one layer thick, if they reduce the estimated cost (elements times steps).
///
/// A large box has *tiles*, rectangles of columns of some thousand elements each, in which elements are ordered and divided into patches. A *window* of tiles can be
/// meshed alone, for instance by one of many processes.
pub struct BoxPlan<'a> {
    spec: &'a BoxSpec<'a>,
    slabs: Vec<Slab>,
    /// Layers of the whole box.
    plan: Plan,
    tiling: Tiling,
    window: Window,
}

impl<'a> BoxPlan<'a> {
    /// Finds the cheapest plan.
    ///
    /// # Errors
    /// An invalid box, surface or size field: see [`MeshError`].
    pub fn new(spec: &'a BoxSpec<'a>) -> Result<Self, MeshError> {
        spec.check()?;
        let slabs = spec.strata().survey(&spec.grid(SAMPLES))?;
        let plan = plan(spec.limits(&slabs))?;
        let elements = plan.iter().map(|layer| spec.n_elements(layer)).sum();
        let tiling = Tiling::new(&plan, spec.periodic, elements, spec.tile);
        Ok(Self { spec, slabs, plan, tiling, window: Window::whole(tiling) })
    }

    /// Number of tiles of the box along x and y.
    pub fn tiles(&self) -> [usize; 2] {
        self.tiling.tiles
    }

    /// Number of units of width along an axis before a tile; up to the end for the number of tiles.
    pub fn units_before(&self, axis: usize, tile: usize) -> usize {
        self.tiling.start(axis, tile)
    }

    /// The plan of a rectangle of tiles of the box. Its mesh has the elements and control nodes of the mesh of the whole box, bit for bit, and no boundary faces
    /// where it is cut. Verified by `windows_are_pieces_of_the_whole`.
    ///
    /// # Arguments
    /// * `tiles` – along x and y
    ///
    /// # Panics
    /// If there are fewer tiles.
    #[must_use]
    pub fn window(&self, tiles: [Range<usize>; 2]) -> Self {
        let window = Window::of(self.tiling, tiles);
        Self { slabs: self.slabs.clone(), plan: self.plan.clone(), window, ..*self }
    }

    /// The tiles along x and y of one of many slices of nearly equal numbers of tiles.
    ///
    /// # Arguments
    /// * `of` – number of slices along x and y
    /// * `at` – indices of the slice along x and y, from 0
    ///
    /// # Errors
    /// [`MeshError::Slices`] if there are more slices than tiles, or fewer slices than `at`.
    pub fn slice(&self, of: [usize; 2], at: [usize; 2]) -> Result<[Range<usize>; 2], MeshError> {
        let tiles = self.tiles();
        if (0..2).any(|axis| of[axis] > tiles[axis] || at[axis] >= of[axis]) {
            return Err(MeshError::Slices { of, at, tiles });
        }
        Ok([0, 1].map(|axis| {
            let start = |slice: usize| slice * tiles[axis] / of[axis];
            start(at[axis])..start(at[axis] + 1)
        }))
    }

    /// A rectangle of tiles with those that touch it.
    pub fn with_neighbours(&self, tiles: &[Range<usize>; 2]) -> [Range<usize>; 2] {
        let widened = |axis: usize| {
            let Range { start, end } = tiles[axis];
            start.saturating_sub(1)..(end + 1).min(self.tiling.tiles[axis])
        };
        [widened(0), widened(1)]
    }

    /// Numbers of the tiles of a rectangle, see [`HexMesh::tile`].
    pub fn numbers(&self, tiles: &[Range<usize>; 2]) -> Vec<u32> {
        let [x, y] = tiles;
        y.clone().flat_map(|y| x.clone().map(move |x| self.window.number([x, y]))).collect()
    }

    /// The layers of the window.
    fn layers(&self) -> impl Iterator<Item = Layer> {
        self.plan.iter().map(|layer| self.window.layer(layer))
    }

    /// Number of elements that the mesh of the window will have.
    pub fn n_elements(&self) -> usize {
        self.layers().map(|layer| self.spec.n_elements(&layer)).sum()
    }

    /// Number of elements that the mesh of the whole box will have with absorbing layers, see [`HexMesh::with_pml`].
    ///
    /// # Arguments
    /// * `across` – number of elements across the layer of each side, in the order of [`crate::Side`]
    ///
    /// Verified by `the_number_of_elements_with_layers_is_known_before_the_mesh`.
    pub fn n_elements_with_pml(&self, across: [u16; 6]) -> usize {
        let [x_min, x_max, y_min, y_max, bottom, top] = across.map(usize::from);
        // Also a doubling has one row of elements at a side.
        let around = |along_x: usize, along_y: usize| {
            let x = x_min + x_max;
            along_x * along_y + x * along_y + (y_min + y_max) * (along_x + x)
        };
        let layers: Vec<Layer> = self.layers().collect();
        let end = |layer: Option<&Layer>, counts: fn(&Layer) -> [usize; 3]| {
            layer.map_or(0, |layer| around(counts(layer)[0], counts(layer)[1]))
        };
        let sides: usize = layers.iter().map(|layer| around(layer.quads(0), layer.quads(1))).sum();
        sides + bottom * end(layers.last(), Layer::counts_below) + top * end(layers.first(), |layer| layer.counts)
    }

    /// Mean widths of the elements at the sides along x and along y, and thickness of those at the bottom [m], before any deformation.
    ///
    /// Verified by `the_extents_of_outer_elements_are_known_before_the_mesh`.
    pub fn outer_extents(&self) -> [f64; 3] {
        let limits = self.spec.limits(&self.slabs);
        let lengths = self.spec.lengths();
        let (mut widths, mut height, mut lowest) = ([0.0; 2], 0.0, 0.0);
        for layer in self.plan.iter() {
            let [top, bottom] = limits.span(layer);
            for (axis, width) in widths.iter_mut().enumerate() {
                let counts = [layer.counts[axis], layer.counts_below()[axis]].map(|count| count as f64);
                *width += (top - bottom) * 0.5 * lengths[axis] * (1.0 / counts[0] + 1.0 / counts[1]);
            }
            height += top - bottom;
            lowest = top - bottom;
        }
        [widths[0] / height, widths[1] / height, lowest]
    }

    /// Mean thickness of the lowest stratum [m].
    pub fn lowest_thickness(&self) -> f64 {
        self.slabs.last().map_or(0.0, Slab::thickness)
    }

    /// Builds the mesh.
    ///
    /// # Errors
    /// Too many elements or nodes for 32-bit numbers, surfaces that cross, periodic sides that do not match.
    pub fn build(&self) -> Result<HexMesh, MeshError> {
        build::build(self)
    }
}
