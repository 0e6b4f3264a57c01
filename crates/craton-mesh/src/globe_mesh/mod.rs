//! The whole sphere: six blocks of layers around a central cube (the cubed sphere), meshed in [`layers`](crate::layers).
//!
//! Columns are counted along the three axes of a cube. A layer is a profile across one axis, extruded along the closed loop around it, and two caps of
//! plain elements. A doubling along each axis, one after the other, therefore halves the elements of all blocks and stays conforming at the edges and
//! corners of the cube.

mod build;
mod centre;
mod nodes;
mod sheet;
mod spec;
mod tiles;

pub use spec::GlobeSpec;

use crate::error::MeshError;
use crate::layers::{Layer, LayerKind, Outline, Plan, Slab, plan};
use crate::mesh::HexMesh;
use centre::Centre;
use sheet::Loop;
use tiles::{Tiling, others};

/// Meshes a sphere of strata with hexahedra: makes a [`GlobePlan`] and builds it.
///
/// # Errors
/// An invalid sphere, surface or size field: see [`MeshError`].
pub fn mesh_globe(spec: &GlobeSpec) -> Result<HexMesh, MeshError> {
    GlobePlan::new(spec)?.build()
}

/// Plan of the layers and columns of the mesh of a sphere.
///
/// Nodes are equally spaced in angle along the edges of the blocks (equiangular). Below the surface of the central cube, they fill a cube with bulging
/// faces. Where the allowed element size is twice the size above, doublings along the three axes follow, each one layer thick, if they reduce the
/// estimated cost (elements times steps).
///
/// A large sphere has *tiles* of some thousand elements each: rectangles of columns down to the central cube, and blocks of the central cube. Elements are
/// ordered and divided into patches within their tile. A *window* of tiles can be meshed alone, for instance by one of many processes.
pub struct GlobePlan<'a> {
    spec: &'a GlobeSpec<'a>,
    slabs: Vec<Slab>,
    plan: Plan,
    tiling: Tiling,
    /// Whether each tile is in the mesh; `None` for the whole sphere.
    window: Option<Vec<bool>>,
}

impl<'a> GlobePlan<'a> {
    /// Finds the cheapest plan.
    ///
    /// # Errors
    /// An invalid sphere, surface or size field: see [`MeshError`].
    pub fn new(spec: &'a GlobeSpec<'a>) -> Result<Self, MeshError> {
        spec.check()?;
        let slabs = spec.survey()?;
        let plan = plan(spec.limits(&slabs))?;
        let elements = plan.iter().map(|layer| spec.n_elements(layer)).sum();
        let tiling = Tiling::new(&plan, elements, spec.tile);
        Ok(Self { spec, slabs, plan, tiling, window: None })
    }

    /// Number of elements of the whole sphere.
    pub fn n_elements_of_whole(&self) -> usize {
        let layers: usize = self.plan.iter().map(|layer| self.spec.n_elements(layer)).sum();
        layers + self.in_the_cube().into_iter().product::<usize>()
    }

    /// Number of elements that the mesh will have.
    pub fn n_elements(&self) -> usize {
        match &self.window {
            None => self.n_elements_of_whole(),
            Some(window) => self.sizes().into_iter().zip(window).filter(|(_, has)| **has).map(|(size, _)| size).sum(),
        }
    }

    /// Number of tiles of the sphere.
    pub fn tiles(&self) -> usize {
        self.tiling.count()
    }

    /// The middle of each tile [m].
    pub fn middles(&self) -> Vec<[f64; 3]> {
        let centre = self.centre();
        self.tiling.all().map(|tile| self.tiling.middle(tile, self.spec.radius, &centre)).collect()
    }

    /// Number of elements of each tile.
    pub fn sizes(&self) -> Vec<usize> {
        let mut sizes = vec![0; self.tiles()];
        for layer in &self.plan {
            let axis = if let LayerKind::Doubling(axis) = layer.kind { axis } else { 0 };
            let in_block = |axis: usize, quads: [usize; 2], sizes: &mut [usize]| {
                let [a, b] = others(axis);
                let count = |axis: usize, quads: usize| self.tiling.parts(axis, quads);
                for (j, rows) in count(b, quads[1]).into_iter().enumerate() {
                    for (i, columns) in count(a, quads[0]).into_iter().enumerate() {
                        for end in 0..2 {
                            sizes[self.tiling.in_block(axis, end, [i, j]) as usize] += columns * rows;
                        }
                    }
                }
            };
            for block in 0..3 {
                // The caps at the ends of the axis of a doubling have its fine columns along the two other axes.
                let quads =
                    others(block).map(|other| if other == axis { layer.quads(other) } else { layer.counts[other] });
                in_block(block, quads, &mut sizes);
            }
        }
        let [nx, ny, nz] = self.in_the_cube();
        for index in 0..nx * ny * nz {
            sizes[self.tiling.in_cube([index % nx, index / nx % ny, index / (nx * ny)]) as usize] += 1;
        }
        sizes
    }

    /// For each tile, whether it is one of some tiles or touches one.
    pub fn with_neighbours(&self, of: &[bool]) -> Vec<bool> {
        self.tiling.with_neighbours(of)
    }

    /// The plan of some tiles. Its mesh has the elements and control nodes of the mesh of the whole sphere, bit for bit. Verified by
    /// `windows_of_a_sphere_are_pieces_of_the_whole`.
    ///
    /// # Arguments
    /// * `tiles` – whether each tile is in the mesh
    #[must_use]
    pub fn window(&self, tiles: Vec<bool>) -> Self {
        Self { slabs: self.slabs.clone(), plan: self.plan.clone(), window: Some(tiles), ..*self }
    }

    /// Elements of the central cube along each axis.
    fn in_the_cube(&self) -> [usize; 3] {
        self.plan.last().expect("a stratum has a layer").counts_below()
    }

    /// The central cube.
    fn centre(&self) -> Centre {
        Centre::below(self.spec.radius + self.slabs.last().expect("a sphere has a stratum").top)
    }

    /// Whether a tile is in the mesh.
    fn has(&self, tile: u32) -> bool {
        self.window.as_ref().is_none_or(|window| window[tile as usize])
    }

    /// The tile of an element of a row of the ring around an axis, by the index of its tile along this axis.
    fn ring_tiles(&self, layer: &Layer, axis: usize, around: &Loop, row: usize) -> impl Fn(usize) -> u32 + use<> {
        let stride = self.spec.geometry.per_axis() - 1;
        // The ends of the row determine the block.
        let [from, to] = [around.point(row * stride), around.point((row + 1) * stride)];
        let tiling = self.tiling;
        let [a, b] = others(axis);
        let side = usize::from(from[0] != to[0]);
        let (along, fixed) = ([b, a][side], [a, b][side]);
        let at = from[side];
        let column = from[1 - side].min(to[1 - side]) / stride;
        let end = usize::from(at != 0);
        let tile = tiling.along(along, column, layer.counts[along]);
        // The block is at an end of `fixed`; its two other axes are `axis` and `along`.
        move |of_profile| {
            let indices = if others(fixed)[0] == axis { [of_profile, tile] } else { [tile, of_profile] };
            tiling.in_block(fixed, end, indices)
        }
    }

    /// Builds the mesh.
    ///
    /// # Errors
    /// Too many elements or nodes for 32-bit numbers, surfaces that cross.
    pub fn build(&self) -> Result<HexMesh, MeshError> {
        build::build(self)
    }
}
