//! Boxes of strata, meshed in [`layers`](crate::layers).

mod build;
mod slice;
mod spec;

pub use spec::BoxSpec;

use crate::error::MeshError;
use crate::layers::{Layer, Outline, Plan, Slab, plan};
use crate::mesh::HexMesh;
use slice::Slice;

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
pub struct BoxPlan<'a> {
    spec: &'a BoxSpec<'a>,
    slabs: Vec<Slab>,
    plan: Plan,
    slice: Slice,
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
        Ok(Self { spec, slabs, plan, slice: Slice::WHOLE })
    }

    /// The plan of one of many slices, each from the top to the bottom, which are meshed separately, for instance by different processes. Adjacent
    /// slices have equal control nodes on the face between them, and no boundary faces there. Verified by `slices_make_the_whole`.
    ///
    /// # Arguments
    /// * `of` – number of slices along x and y
    /// * `at` – indices of the slice along x and y, from 0
    ///
    /// # Errors
    /// [`MeshError::Slices`] if columns or doublings would be cut, or a side that is cut is periodic.
    pub fn slice(&self, of: [usize; 2], at: [usize; 2]) -> Result<Self, MeshError> {
        let slice = Slice { of, at };
        let plan = slice.of_plan(&self.plan, self.spec.periodic)?;
        Ok(Self { spec: self.spec, slabs: self.slabs.clone(), plan, slice })
    }

    /// Number of elements that the mesh will have.
    pub fn n_elements(&self) -> usize {
        self.plan.iter().map(|layer: &Layer| self.spec.n_elements(layer)).sum()
    }

    /// Number of elements that the mesh will have with absorbing layers, see [`HexMesh::with_pml`].
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
        let end = |layer: Option<&Layer>, counts: fn(&Layer) -> [usize; 3]| {
            layer.map_or(0, |layer| around(counts(layer)[0], counts(layer)[1]))
        };
        let sides: usize = self.plan.iter().map(|layer| around(layer.quads(0), layer.quads(1))).sum();
        sides + bottom * end(self.plan.last(), Layer::counts_below) + top * end(self.plan.first(), |layer| layer.counts)
    }

    /// Builds the mesh.
    ///
    /// # Errors
    /// Too many elements or nodes for 32-bit numbers, surfaces that cross, periodic sides that do not match.
    pub fn build(&self) -> Result<HexMesh, MeshError> {
        build::build(self)
    }
}
