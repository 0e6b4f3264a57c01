//! Earth models, surfaces and geodesy.
//!
//! SI units; x east, y north, z up. Regions and layers are counted from the top: from 0 in the code, from 1 in
//! messages.
//!
//! | type | what it is |
//! |---|---|
//! | [`Medium`], [`Elasticity`] | density and elasticity at a point, checked |
//! | [`Interface`], [`ElevationGrid`] | where a region begins: a plane, or heights on a grid |
//! | [`Transverse`] | speeds along and across the vertical, and density |
//! | [`Profile`], [`RadialLayer`] | media that change with depth: lines between knots, or polynomials of the radius |
//! | [`DepthRow`], [`TransverseRow`] | tables of depths |
//! | [`Volume`] | media at the points of a regular grid |
//! | [`ReferenceEarth`], [`ReferenceOptions`] | PREM, IASP91, AK135 |
//! | [`Perturbation`], [`MapCut`] | changes of a model in three dimensions, as far as a domain needs them |
//! | [`EarthModel`], [`Region`], [`Material`] | bodies one below the other, sampled each on its own side |
//! | [`TravelTimes`], [`Phase`] | when seismic waves arrive, by rays in a spherical Earth |
//! | [`geodesy`] | longitudes and latitudes in model coordinates |

#![forbid(unsafe_code)]

mod check;
mod depth_table;
mod earth;
mod elevation_grid;
mod error;
pub mod geodesy;
mod interface;
mod medium;
mod order;
mod perturbation;
mod profile;
mod reference;
mod transverse;
mod travel_times;
mod volume;

pub use depth_table::{DepthRow, TransverseRow};
pub use earth::{EarthModel, Material, Region, Symmetry};
pub use elevation_grid::{ElevationGrid, Neighbours};
pub use error::ModelError;
pub use interface::Interface;
pub use medium::{Elasticity, Medium};
pub use perturbation::{MapAxes, MapCut, MapValues, Maps, Perturbation};
pub use profile::{Knot, Polynomial, Profile, RadialLayer};
pub use reference::{Boundaries, EarthTop, ReferenceEarth, ReferenceOptions};
pub use transverse::Transverse;
pub use travel_times::{Arrival, Phase, TravelTimes};
pub use volume::{Volume, VolumeAxis};
