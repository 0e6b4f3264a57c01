//! Meshes in layers: planned by cost, with larger elements below where waves are faster.
//!
//! A [`plan`] is a stack of element layers. Every layer is a plane [`profile`], one row of quadrilaterals, extruded
//! along the mesh. Adjacent layers share a sheet of control nodes, so the mesh is conforming by construction.

mod layer;
mod pile;
mod plan;
mod profile;
mod spec;
mod strata;

pub use layer::MOST_ELEMENTS;
pub use layer::SIZE_TOLERANCE;
pub(crate) use layer::{Layer, LayerKind, Limits, Outline, Plan};
pub(crate) use plan::plan;
pub(crate) use profile::{Place, Profile};
pub use spec::{Deformation, Doubling, Flat, Horizontal, SizeField, Stratum, Surface, UniformSize};
pub(crate) use spec::{ELEMENTS_OF_TILE, check_doublings};
pub(crate) use strata::{Slab, Strata, lerp};
