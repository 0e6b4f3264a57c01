//! Boxes of strata: planned by cost, built layer by layer, coarsened with depth by conforming doubling.
//!
//! A [`plan`] is a stack of element layers. Every layer is a plane [`profile`], one row of quadrilaterals, extruded
//! across the box. Adjacent layers share a sheet of control nodes, so the mesh is conforming by construction.

mod build;
mod layer;
mod pile;
mod plan;
mod profile;
mod slice;
mod spec;
mod strata;

pub use layer::SIZE_TOLERANCE;
pub use spec::{BoxSpec, Deformation, Doubling, Flat, Horizontal, SizeField, Stratum, Surface, UniformSize};

use crate::error::MeshError;
use crate::mesh::HexMesh;
use layer::{Layer, Plan};
use slice::Slice;
use strata::Slab;

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
        let slabs = strata::survey(spec)?;
        let plan = plan::plan(spec, &slabs)?;
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
        self.plan.iter().map(Layer::n_elements).sum()
    }

    /// Builds the mesh.
    ///
    /// # Errors
    /// Too many elements or nodes for 32-bit numbers, surfaces that cross, periodic sides that do not match.
    pub fn build(&self) -> Result<HexMesh, MeshError> {
        build::build(self)
    }
}
