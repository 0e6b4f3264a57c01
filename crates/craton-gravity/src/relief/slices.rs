//! Columns of slices below a smooth surface, whose density is a linear function of height.

use crate::layer::{Filling, Layer};
use crate::{GravityError, Prism};

/// The slices of the columns below a smooth surface, and the linear density that they represent.
///
/// [`Relief::forward_sliced_while`](super::Relief::forward_sliced_while) replaces slices near a point by the body itself.
pub struct Slices {
    layer: Layer,
    filling: Filling,
    /// Largest thickness of a slice [m].
    thickness: f64,
    /// Density at depth 0 [kg/m³], and its change per metre of depth [kg/m⁴].
    law: [f64; 2],
    /// Whether a column has no body, although there is a surface.
    is_absent: Vec<bool>,
}

/// A linear density along a column.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Line {
    /// Density at the height z = 0 [kg/m³].
    at_zero: f64,
    /// Change per metre of height [kg/m⁴].
    pub slope: f64,
}

impl Line {
    /// Density at a height [kg/m³].
    #[inline(always)]
    pub fn at(self, z: f64) -> f64 {
        self.at_zero + self.slope * z
    }
}

impl Slices {
    /// Slices of a layer whose tops are the [flat tops](super::Relief::flat) of the surface.
    ///
    /// # Arguments
    /// * `is_absent` – whether a column has no body, although there is a surface
    /// # Returns
    /// `None` unless the density is a linear function of depth and no column has its top below its bottom.
    /// # Errors
    /// [`GravityError::Count`] unless there is one flag per column.
    pub fn new(layer: Layer, filling: Filling, is_absent: Vec<bool>) -> Result<Option<Self>, GravityError> {
        GravityError::check_count("flags", is_absent.len(), "columns", layer.columns())?;
        let thickness = layer.slice(&filling);
        let law = filling.law.linear().filter(|_| layer.inverted() == 0);
        Ok(law.map(|law| Self { layer, filling, thickness, law, is_absent }))
    }

    /// Number of columns.
    pub fn columns(&self) -> usize {
        self.is_absent.len()
    }

    /// The density of a column; `None` without a body.
    #[inline(always)]
    pub fn line(&self, column: usize) -> Option<Line> {
        let [shallow, slope] = self.law;
        let datum = self.filling.datum.unwrap_or(self.layer.surfaces()[0][column]);
        (!self.is_absent[column]).then(|| Line { at_zero: shallow + slope * datum, slope: -slope })
    }

    /// The slices of a column from the top down, as they are summed.
    pub fn of(&self, column: usize) -> impl Iterator<Item = Prism> {
        self.layer.prisms_of(column, &self.filling, self.thickness)
    }

    /// Bottom of a column [m].
    pub fn bottom(&self, column: usize) -> f64 {
        self.layer.surfaces()[1][column]
    }
}
