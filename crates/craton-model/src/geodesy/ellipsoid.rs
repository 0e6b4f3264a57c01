//! The WGS84 ellipsoid, which all longitudes and latitudes refer to.

/// Semi-major axis \[m\].
pub(super) const SEMI_MAJOR_AXIS: f64 = 6_378_137.0;

/// Flattening.
pub(super) const FLATTENING: f64 = 1.0 / 298.257_223_563;

/// Squared eccentricity.
pub(super) const ECCENTRICITY_2: f64 = FLATTENING * (2.0 - FLATTENING);
