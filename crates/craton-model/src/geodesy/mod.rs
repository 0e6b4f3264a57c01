//! Geodesy: projections between map and model coordinates, and geodesics.

mod cubed_sphere;
mod ellipsoid;
mod frame;
mod geodesic;
mod utm;

pub use cubed_sphere::{CubedSphere, EARTH_RADIUS, Latitudes};
pub use frame::{LocalFrame, OutsideZone, Projection};
pub use geodesic::Geodesic;
pub use utm::Utm;
