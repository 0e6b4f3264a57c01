//! Hexahedral meshes: geometry, numbering, quality, order, patches and parts.
//!
//! The mesh depends on the Earth model only through [`Surface`] and [`SizeField`], and is independent of solvers.
//!
//! | module | contents |
//! |---|---|
//! | `mesh` | the mesh, and the geometry of its elements |
//! | `reference` | corners, edges and faces of the cube; shape functions on a grid of points |
//! | `layers` | layers of elements over strata, with larger elements where waves are faster |
//! | `box_mesh`, `globe_mesh` | meshing of a box and of the whole sphere in layers |
//! | `given_mesh` | meshes of other programs |
//! | `pml` | absorbing layers of elements around a mesh |
//! | `topology`, `numbering` | vertices, edges, faces and GLL nodes that elements share |
//! | `locate` | search for the element that contains a point, and for the surface |
//! | `quality` | quality of elements; refusal of inverted ones |
//! | `order`, `colour` | order, patches and colours of elements |
//! | `partition` | partition of patches by planes; the graph that other partitioners need |
#![forbid(unsafe_code)]

mod box_mesh;
mod bvh;
mod colour;
mod error;
mod given_mesh;
mod globe_mesh;
mod layers;
mod locate;
mod mesh;
mod numbering;
mod order;
mod partition;
mod pml;
mod quality;
mod reference;
mod subset;
mod topology;

pub use box_mesh::{BoxPlan, BoxSpec, mesh_box};
pub use colour::{Colouring, colour_elements, colour_patches};
pub use error::MeshError;
pub use given_mesh::{FaceCounts, GivenMesh, OtherFaces};
pub use globe_mesh::{GlobePlan, GlobeSpec, mesh_globe};
pub use layers::{
    Deformation, Doubling, Flat, Horizontal, MOST_ELEMENTS, SIZE_TOLERANCE, SizeField, Stratum, Surface, UniformSize,
};
pub use locate::{Location, Locator, Upward};
pub use mesh::{BoundaryFace, Geometry, HexMesh, Side};
pub use numbering::Numbering;
pub use order::{Patches, recursive_bisection};
pub use partition::{Graph, check_parts, imbalance, regular_partition, slice_partition};
pub use pml::{Pml, PmlAxis, PmlElement, TileSums, added};
pub use quality::{ElementQuality, Histogram, QualityReport, Statistic};
pub use reference::{EDGE_CORNERS, ElementMap, FACE_AXES, FACE_CORNERS, face_point};
pub use topology::Topology;
