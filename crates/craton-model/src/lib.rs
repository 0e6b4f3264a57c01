//! Earth models, surfaces and geodesy.
//!
//! SI units; x east, y north, z up. Regions and layers are counted from the top: from 0 in the code, from 1 in
//! messages.
//!
//! | type | what it is |
//! |---|---|
//! | [`Medium`], [`Elasticity`] | validated density and elasticity at a point |
//! | [`Interface`], [`ElevationGrid`] | the top of a region: a plane, or elevations on a grid |
//! | [`Transverse`] | transversely isotropic speeds with a vertical axis, and density |
//! | [`Profile`], [`RadialLayer`] | media that depend on depth: linear between knots, or polynomials of the radius |
//! | [`DepthRow`], [`TransverseRow`] | rows of depth tables |
//! | [`Volume`] | media on a regular grid |
//! | [`ReferenceEarth`], [`ReferenceOptions`] | PREM, IASP91, AK135 |
//! | [`Perturbation`], [`MapCut`] | three-dimensional perturbations, restricted to a domain |
//! | [`EarthModel`], [`Region`], [`Material`] | a stack of regions, sampled by one-sided limits at their boundaries |
//! | [`Losses`], [`LossField`], [`Attenuation`] | inverse quality factors, and the relaxation of a run |
//! | [`TravelTimes`], [`Phase`] | arrival times of seismic phases, by ray theory in a spherical Earth |
//! | [`geodesy`] | projections between map and model coordinates |

#![forbid(unsafe_code)]

mod attenuation;
mod bodies;
mod check;
mod concentration;
mod depth_table;
mod earth;
mod element_media;
mod elevation_grid;
mod error;
pub mod geodesy;
mod interface;
mod losses;
mod medium;
mod order;
mod perturbation;
mod profile;
mod radial;
mod reference;
mod symmetry;
mod transverse;
mod travel_times;
mod volume;

pub use attenuation::{Attenuation, Coefficients, MOST_MECHANISMS, Relaxing};
pub use bodies::{Bodies, MeshedBodies};
pub use concentration::{Concentration, Pattern, PointMechanism};
pub use depth_table::{DepthRow, TransverseRow};
pub use earth::{EarthModel, Material, Region};
pub use element_media::ElementMedia;
pub use elevation_grid::{ElevationGrid, Neighbours};
pub use error::ModelError;
pub use interface::Interface;
pub use losses::{LOWEST_QUALITY, LossField, LossGrid, LossProfile, Losses, QualityOfSpeed};
pub use medium::{Elasticity, Medium};
pub use perturbation::{MapAxes, MapCut, MapValues, Maps, Perturbation};
pub use profile::{Knot, Polynomial, Profile, RadialLayer};
pub use radial::RadialMedia;
pub use reference::{Boundaries, EarthTop, ReferenceEarth, ReferenceOptions};
pub use symmetry::Symmetry;
pub use transverse::Transverse;
pub use travel_times::{Arrival, Phase, TravelTimes};
pub use volume::{Volume, VolumeAxis};
