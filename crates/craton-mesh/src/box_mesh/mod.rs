//! Boxes of strata: planned by cost, built layer by layer, coarsened with depth by conforming doubling.
//!
//! A [`plan`] is a pile of element layers. Every layer is a plane [`profile`], one row of quadrilaterals, extruded
//! across the box; between layers lie sheets of control nodes that both share, so the mesh conforms by construction.

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

/// Meshes a box of strata with hexahedra: a [`BoxPlan`], built.
///
/// # Errors
/// A box, surface or size field that makes no sense: see [`MeshError`].
pub fn mesh_box(spec: &BoxSpec) -> Result<HexMesh, MeshError> {
    BoxPlan::new(spec)?.build()
}

/// How a box will be meshed.
///
/// Interfaces and topography are honoured by the control nodes; vertical lines are divided in constant proportions
/// between them. Where the element size allowed below is twice the size above, a doubling in y and then one in x
/// follow, each one layer thick, if they make the estimated cost (elements times steps) smaller.
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
    /// A box, surface or size field that makes no sense: see [`MeshError`].
    pub fn new(spec: &'a BoxSpec<'a>) -> Result<Self, MeshError> {
        spec.check()?;
        let slabs = strata::survey(spec)?;
        let plan = plan::plan(spec, &slabs)?;
        Ok(Self { spec, slabs, plan, slice: Slice::WHOLE })
    }

    /// The plan of one of many slices, each from the top to the bottom, which are built alone, such as each by a process of its own. Slices that
    /// touch have equal control nodes on the face between them, and no boundary faces there. Verified by `slices_make_the_whole`.
    ///
    /// # Arguments
    /// * `of` – number of slices along x and y
    /// * `at` – which one, from 0 along x and y
    /// # Errors
    /// [`MeshError::Slices`] where columns or doublings would be cut, or sides are periodic.
    pub fn slice(&self, of: [usize; 2], at: [usize; 2]) -> Result<Self, MeshError> {
        let slice = Slice { of, at };
        let plan = slice.of_plan(&self.plan, self.spec.periodic)?;
        Ok(Self { spec: self.spec, slabs: self.slabs.clone(), plan, slice })
    }

    /// Number of elements that the mesh will have.
    pub fn n_elements(&self) -> usize {
        self.plan.iter().map(Layer::n_elements).sum()
    }

    /// The mesh.
    ///
    /// # Errors
    /// More elements or nodes than can be numbered, surfaces that cross, periodic sides that do not match.
    pub fn build(&self) -> Result<HexMesh, MeshError> {
        build::build(self)
    }
}
