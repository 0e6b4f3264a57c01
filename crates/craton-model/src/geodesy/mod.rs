//! Longitudes and latitudes: in model coordinates, and what lies between two of them.

mod ellipsoid;
mod frame;
mod geodesic;
mod utm;

pub use frame::{LocalFrame, OutsideZone, Projection};
pub use geodesic::Geodesic;
pub use utm::Utm;
