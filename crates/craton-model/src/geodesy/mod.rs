//! Geodesy: projections between map and model coordinates, and geodesics.

mod azimuthal;
mod ellipsoid;
mod ellipticity;
mod frame;
mod geodesic;
mod sphere;
mod utm;

pub use azimuthal::Azimuthal;
pub use frame::{LocalFrame, OutsideZone, Projection};
pub use geodesic::Geodesic;
pub use sphere::{EARTH_RADIUS, Latitudes, Sphere};
pub use utm::Utm;
