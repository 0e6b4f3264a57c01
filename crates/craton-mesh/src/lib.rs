//! Hexahedral meshes: geometry, numbering, quality, order, patches and parts.
//!
//! The mesh sees the Earth only through [`Surface`] and [`SizeField`] and knows no solver.
//!
//! | module | what it answers |
//! |---|---|
//! | `mesh` | what is a mesh, where is a point of an element |
//! | `reference` | corners, edges and faces of the cube; shape functions on a grid of points |
//! | `box_mesh` | how a box of strata is filled with elements, coarser where waves are faster |
//! | `topology`, `numbering` | which vertices, edges, faces and GLL nodes do elements share |
//! | `locate` | which element holds a point, where is the surface |
//! | `quality` | how good is every element; refuses the inverted |
//! | `order`, `colour` | in which order, in which patches, at which time elements are computed |
//! | `partition` | how patches are dealt out to parts, by planes; what others need who cut by what patches share |
#![forbid(unsafe_code)]

mod box_mesh;
mod bvh;
mod colour;
mod error;
mod locate;
mod mesh;
mod numbering;
mod order;
mod partition;
mod quality;
mod reference;
mod topology;

pub use box_mesh::{
    BoxPlan, BoxSpec, Deformation, Doubling, Flat, Horizontal, SIZE_TOLERANCE, SizeField, Stratum, Surface,
    UniformSize, mesh_box,
};
pub use colour::{Colouring, colour_elements, colour_patches};
pub use error::MeshError;
pub use locate::{Location, Locator};
pub use mesh::{BoundaryFace, Geometry, HexMesh, Side};
pub use numbering::Numbering;
pub use order::{Patches, recursive_bisection};
pub use partition::{Graph, check_parts, imbalance, regular_partition, slice_partition};
pub use quality::{ElementQuality, Histogram, QualityReport, Statistic};
pub use reference::{EDGE_CORNERS, ElementMap, FACE_AXES, FACE_CORNERS, face_point};
pub use topology::Topology;
