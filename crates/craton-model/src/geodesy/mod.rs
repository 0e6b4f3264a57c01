//! Longitudes and latitudes: in model coordinates, and what lies between two of them.

mod cubed_sphere;
mod ellipsoid;
mod frame;
mod geodesic;
mod utm;

pub use cubed_sphere::{CubedSphere, EARTH_RADIUS, Latitudes};
pub use frame::{LocalFrame, OutsideZone, Projection};
pub use geodesic::Geodesic;
pub use utm::Utm;
