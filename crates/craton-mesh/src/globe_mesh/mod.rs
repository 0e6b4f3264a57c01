//! The whole sphere: six blocks of layers around a central cube (the cubed sphere), meshed in [`layers`](crate::layers).
//!
//! Columns are counted along the three axes of a cube. A layer is a profile across one axis, extruded along the closed loop around it, and two caps of
//! plain elements. A doubling along each axis, one after the other, therefore halves the elements of all blocks and stays conforming at the edges and
//! corners of the cube.

mod build;
mod centre;
mod sheet;
mod spec;

pub use spec::GlobeSpec;

use crate::error::MeshError;
use crate::layers::{Outline, Plan, Slab, plan};
use crate::mesh::HexMesh;

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
pub struct GlobePlan<'a> {
    spec: &'a GlobeSpec<'a>,
    slabs: Vec<Slab>,
    plan: Plan,
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
        Ok(Self { spec, slabs, plan })
    }

    /// Number of elements that the mesh will have.
    pub fn n_elements(&self) -> usize {
        let layers: usize = self.plan.iter().map(|layer| self.spec.n_elements(layer)).sum();
        layers + self.in_the_cube().into_iter().product::<usize>()
    }

    /// Elements of the central cube along each axis.
    fn in_the_cube(&self) -> [usize; 3] {
        self.plan.last().expect("a stratum has a layer").counts_below()
    }

    /// Builds the mesh.
    ///
    /// # Errors
    /// Too many elements or nodes for 32-bit numbers, surfaces that cross.
    pub fn build(&self) -> Result<HexMesh, MeshError> {
        build::build(self)
    }
}
