//! Boxes of strata: planned by cost, built layer by layer, coarsened with depth by conforming doubling.
//!
//! A [`plan`] is a pile of element layers. Every layer is a plane [`profile`], one row of quadrilaterals, extruded
//! across the box; between layers lie sheets of control nodes that both share, so the mesh conforms by construction.

mod build;
mod layer;
mod pile;
mod plan;
mod profile;
mod spec;
mod strata;

pub use layer::SIZE_TOLERANCE;
pub use spec::{BoxSpec, Deformation, Flat, Horizontal, SizeField, Stratum, Surface, UniformSize};

use crate::error::MeshError;
use crate::mesh::HexMesh;

/// Meshes a box of strata with hexahedra.
///
/// Interfaces and topography are honoured by the control nodes; vertical lines are divided in constant proportions
/// between them. Where the element size allowed below is twice the size above, a doubling in y and then one in x
/// follow, each one layer thick, if they make the estimated cost (elements times steps) smaller.
///
/// # Errors
/// A box, surface or size field that makes no sense: see [`MeshError`].
pub fn mesh_box(spec: &BoxSpec) -> Result<HexMesh, MeshError> {
    spec.check()?;
    let slabs = strata::survey(spec)?;
    let plan = plan::plan(spec, &slabs)?;
    build::build(spec, &slabs, &plan)
}
