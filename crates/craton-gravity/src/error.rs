//! Errors of this crate.

use craton_device::gpu::GpuError;

use crate::{Field, Points};

/// Largest absolute value of a coordinate [m] or density [kg/m³] for which sums stay finite.
const LARGEST: f64 = 1e30;

/// Invalid prisms or points, or a failure while summing them.
#[derive(Debug, thiserror::Error)]
pub enum GravityError {
    /// A bound or density of a prism that is not finite or exceeds 1e30.
    #[error("prism {prism}: {what} is {value}, but must be finite{}; check its row", at_most(*value))]
    NotFinite {
        /// Number of the prism, from 0.
        prism: usize,
        /// Which bound, or "density".
        what: &'static str,
        /// The value given.
        value: f64,
    },
    /// A prism without a volume.
    #[error(
        "prism {prism}: {low_name} = {low} m and {high_name} = {high} m, but {high_name} must be larger; swap them or remove the prism"
    )]
    Empty {
        /// Number of the prism, from 0.
        prism: usize,
        /// Name of the lower bound.
        low_name: &'static str,
        /// Its value [m].
        low: f64,
        /// Name of the upper bound.
        high_name: &'static str,
        /// Its value [m].
        high: f64,
    },
    /// A coordinate of a point that is not finite or exceeds 1e30 m.
    #[error("point {point}: {axis} is {value}, but must be finite{}; check its row", at_most(*value))]
    PointNotFinite {
        /// Number of the point, from 0.
        point: usize,
        /// x, y or z.
        axis: &'static str,
        /// The value given.
        value: f64,
    },
    /// A height of a surface that is not finite.
    #[error(
        "{surface}: the height at grid point {point:?} (x, y, counted from 0) is {value}, but must be finite; fill the gap or crop the grid"
    )]
    HeightNotFinite {
        /// Top or bottom.
        surface: &'static str,
        /// Indices of the point along x and y, from 0.
        point: [usize; 2],
        /// The value given.
        value: f64,
    },
    /// Mesh planes or grid points that are not strictly ascending, or fewer than two.
    #[error("along {axis}: coordinate {} of {count} is not followed by a larger one; give at least two finite coordinates in ascending order", plane + 1)]
    Planes {
        /// x, y or z.
        axis: &'static str,
        /// Index of the first coordinate that is not followed by a larger one, from 0.
        plane: usize,
        /// Number of coordinates along the axis.
        count: usize,
    },
    /// A mesh cell whose density is not finite.
    #[error("cell {cell:?} (x, y, z upwards, counted from 0): density is {value}, but must be finite")]
    CellNotFinite {
        /// Indices of the cell along x, y and z, from 0.
        cell: [usize; 3],
        /// The value given.
        value: f64,
    },
    /// A value of a tesseroid outside its range.
    #[error("tesseroid {tesseroid}: {what} is {value}, but must be from {least} to {most}; check its row")]
    OfTesseroid {
        /// Number of the tesseroid, from 0.
        tesseroid: usize,
        /// Which value.
        what: &'static str,
        /// The value given.
        value: f64,
        /// Lower limit.
        least: f64,
        /// Upper limit.
        most: f64,
    },
    /// A tesseroid without a volume.
    #[error(
        "tesseroid {tesseroid}: {low_name} = {low} and {high_name} = {high}, but {high_name} must be larger; swap them or remove the tesseroid"
    )]
    EmptyTesseroid {
        /// Number of the tesseroid, from 0.
        tesseroid: usize,
        /// Name of the lower bound.
        low_name: &'static str,
        /// Its value [° or m].
        low: f64,
        /// Name of the upper bound.
        high_name: &'static str,
        /// Its value [° or m].
        high: f64,
    },
    /// A coordinate of a station outside its range.
    #[error("station {station}: {what} is {value}, but must be from {least} to {most}; check its row")]
    OfStation {
        /// Number of the station, from 0.
        station: usize,
        /// Longitude, latitude or radius.
        what: &'static str,
        /// The value given.
        value: f64,
        /// Lower limit.
        least: f64,
        /// Upper limit.
        most: f64,
    },
    /// An array whose length does not match.
    #[error("there are {given} {what}, but {expected} {owners}; give exactly one for each")]
    Count {
        /// What the array holds.
        what: &'static str,
        /// Length of the array.
        given: usize,
        /// What the values belong to.
        owners: &'static str,
        /// Required length.
        expected: usize,
    },
    /// A number outside its allowed range.
    #[error("{what} is {value}, but must be {low} to {high}")]
    OutOfRange {
        /// What the number is.
        what: &'static str,
        /// The value given.
        value: f64,
        /// Smallest allowed value.
        low: f64,
        /// Largest allowed value.
        high: f64,
    },
    /// A GPU error.
    #[error(transparent)]
    Gpu(#[from] GpuError),
}

/// The upper limit, for messages about finite values that exceed it.
fn at_most(value: f64) -> String {
    if value.is_finite() { format!(", and at most {LARGEST:e}") } else { String::new() }
}

impl GravityError {
    /// The same error for another tesseroid.
    pub(crate) fn of_tesseroid_number(mut self, number: usize) -> Self {
        if let Self::OfTesseroid { tesseroid, .. } | Self::EmptyTesseroid { tesseroid, .. } = &mut self {
            *tesseroid = number;
        }
        self
    }

    /// Whether a coordinate or density is finite and within the limit.
    pub(crate) fn is_sound(value: f64) -> bool {
        value.abs() <= LARGEST
    }

    /// Returns an error unless the length is as expected.
    pub(crate) fn check_count(
        what: &'static str,
        given: usize,
        owners: &'static str,
        expected: usize,
    ) -> Result<(), Self> {
        if given == expected { Ok(()) } else { Err(Self::Count { what, given, owners, expected }) }
    }

    /// Returns an error unless a number lies within a range.
    pub(crate) fn check_range(what: &'static str, value: f64, low: f64, high: f64) -> Result<(), Self> {
        if (low..=high).contains(&value) { Ok(()) } else { Err(Self::OutOfRange { what, value, low, high }) }
    }

    /// Returns an error unless grid points along x and y ascend.
    pub(crate) fn check_points(x: &[f64], y: &[f64]) -> Result<(), Self> {
        for (axis, points) in [("x", x), ("y", y)] {
            let is_good = |pair: &[f64]| pair[0] < pair[1] && (pair[1] - pair[0]).is_finite();
            let bad = points.windows(2).position(|pair| !is_good(pair));
            if let Some(plane) = bad.or((points.len() < 2).then_some(0)) {
                return Err(Self::Planes { axis, plane, count: points.len() });
            }
        }
        Ok(())
    }

    /// Returns an error unless every field has one weight per point.
    pub(crate) fn check_weights(weights: &[(Field, &[f64])], points: &Points) -> Result<(), Self> {
        weights.iter().try_for_each(|(_, of)| Self::check_count("weights", of.len(), "points", points.len()))
    }
}
