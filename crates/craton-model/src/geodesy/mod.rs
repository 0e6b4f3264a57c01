//! Longitudes and latitudes in model coordinates.

mod frame;
mod utm;

pub use frame::{LocalFrame, OutsideZone, Projection};
pub use utm::Utm;
