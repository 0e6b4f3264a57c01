//! A smooth surface through heights at the points of a grid.

use super::axis::Axis;
use super::patch::Patch;
use crate::GravityError;

/// A smooth surface through heights at the points of a grid, without columns: the one of a [`Relief`](super::Relief).
///
/// The surface is cubic between the points along x and along y. Its slopes at the points are those of polynomials through five neighbouring points, and of
/// parabolas at the two outermost points, so that the error is of fourth order in the spacing for the heights and of third order for the slopes. Beyond the
/// outermost points, up to half a spacing, it continues with the slope there. Next to a step it overshoots by up to a tenth of the step.
pub struct Surface {
    x: Axis,
    y: Axis,
    heights: Vec<f64>,
}

impl Surface {
    /// A surface through heights.
    ///
    /// # Arguments
    /// * `x`, `y` – grid points [m], ascending with any spacing, at least two each
    /// * `heights` – z at the points [m], x fastest
    /// # Errors
    /// As [`Relief::new`](super::Relief::new), except that heights are not checked.
    pub fn new(x: Vec<f64>, y: Vec<f64>, heights: Vec<f64>) -> Result<Self, GravityError> {
        GravityError::check_points(&x, &y)?;
        GravityError::check_count("heights of the surface", heights.len(), "points of the grid", x.len() * y.len())?;
        Ok(Self { x: Axis::new(x), y: Axis::new(y), heights })
    }

    /// Height at a position [m]; `None` outside the surface.
    ///
    /// Verified by `relief::the_surface_is_that_of_its_relief`.
    pub fn height(&self, x: f64, y: f64) -> Option<f64> {
        if !self.x.holds(x) || !self.y.holds(y) {
            return None;
        }
        let axes = [self.x.interval(self.x.find(x)), self.y.interval(self.y.find(y))];
        let patch = Patch::new(axes, &self.heights, [self.x.len(), self.y.len()], &[x, y, 0.0]);
        Some(patch.one(0.0, 0.0)[0])
    }
}
