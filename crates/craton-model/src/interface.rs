//! Interfaces: the tops of regions.

use std::sync::Arc;

use crate::order::places;
use crate::{Bodies, ElevationGrid, ModelError, Neighbours};

/// Tolerance, relative to the grid spacing, by which a domain may exceed a grid, since coordinates in files are rounded.
const OVERLAP: f64 = 1e-6;

/// The top of a region.
#[derive(Debug, Clone, PartialEq)]
pub enum Interface {
    /// A horizontal plane at a height \[m\].
    Flat(f64),
    /// Elevations on a grid.
    Grid(Arc<ElevationGrid>),
    /// The surface of a mesh.
    Mesh(Bodies),
}

impl Interface {
    /// Elevation \[m\] at x, y \[m\].
    pub fn elevation(&self, x: f64, y: f64) -> f64 {
        match self {
            Self::Flat(z) => *z,
            Self::Grid(grid) => grid.elevation(x, y),
            Self::Mesh(bodies) => bodies.0.elevation(x, y),
        }
    }

    /// A height \[m\] below which no point of a flat interface or of the surface of a mesh lies; none for grids.
    pub fn floor(&self) -> f64 {
        match self {
            Self::Flat(z) => *z,
            Self::Grid(_) => f64::NEG_INFINITY,
            Self::Mesh(bodies) => bodies.0.lowest(),
        }
    }

    /// Grid points between which a position lies, if its elevation is interpolated.
    pub fn neighbours(&self, x: f64, y: f64) -> Option<Neighbours> {
        match self {
            Self::Flat(_) | Self::Mesh(_) => None,
            Self::Grid(grid) => grid.neighbours(x, y),
        }
    }

    /// Highest point x, y, z over a domain \[m\], among the grid points and the midpoints between them; of a mesh, the highest point of its whole surface.
    ///
    /// # Arguments
    /// * `x`, `y` – first and last coordinate of the domain \[m\]
    pub fn highest(&self, x: [f64; 2], y: [f64; 2]) -> [f64; 3] {
        if let Self::Mesh(bodies) = self {
            return bodies.0.highest();
        }
        let columns = places(0, &[self], x);
        let mut highest = [x[0], y[0], f64::NEG_INFINITY];
        for y in places(1, &[self], y) {
            for &x in &columns {
                let z = self.elevation(x, y);
                if z > highest[2] {
                    highest = [x, y, z];
                }
            }
        }
        highest
    }

    /// Refuses a grid that does not cover the domain.
    ///
    /// # Arguments
    /// * `name` – name of the interface in the message
    /// * `x`, `y` – first and last coordinate of the domain \[m\]
    /// # Errors
    /// The axis and the missing range.
    pub fn check_covers(&self, name: &str, x: [f64; 2], y: [f64; 2]) -> Result<(), ModelError> {
        let Self::Grid(grid) = self else {
            return Ok(());
        };
        let axes = [("x", grid.x_range(), x), ("y", grid.y_range(), y)];
        for (index, (axis, known, needed)) in axes.into_iter().enumerate() {
            let slack = OVERLAP * grid.spacing(index);
            if needed[0] < known[0] - slack || needed[1] > known[1] + slack {
                return Err(ModelError::NotCovered { interface: name.to_owned(), axis, known, needed });
            }
        }
        Ok(())
    }
}

impl From<ElevationGrid> for Interface {
    fn from(grid: ElevationGrid) -> Self {
        Self::Grid(Arc::new(grid))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_highest_point_lies_in_the_domain() {
        let slope = [0.0, 50.0, 100.0, 100.0, 150.0, 200.0, 200.0, 250.0, 300.0];
        let interface = Interface::from(ElevationGrid::new([0.0, 0.0], [50.0, 50.0], [3, 3], &slope).unwrap());
        assert_eq!(interface.highest([0.0, 100.0], [0.0, 100.0]), [100.0, 100.0, 300.0]);
        assert_eq!(interface.highest([0.0, 50.0], [50.0, 75.0]), [50.0, 75.0, 200.0]);
        assert_eq!(Interface::Flat(-7.0).highest([1.0, 2.0], [3.0, 4.0]), [1.0, 3.0, -7.0]);
    }

    #[test]
    fn a_grid_that_ends_inside_the_domain_is_refused_with_the_missing_range() {
        let grid = ElevationGrid::new([0.0, 0.0], [50.0, 50.0], [3, 3], &[0.0; 9]).unwrap();
        let interface = Interface::from(grid);
        assert!(interface.check_covers("the topography", [0.0, 100.0], [10.0, 90.0]).is_ok());
        let error = interface.check_covers("the topography", [-20.0, 130.0], [0.0, 100.0]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the topography does not cover the domain along x: it covers 0 to 100 m, the domain -20 to \
             130 m, -20 to 0 m and 100 to 130 m is missing; extend the grid or shrink the domain"
        );
        assert!(interface.check_covers("the topography", [0.0, 100.0], [0.0, 100.1]).is_err());
        assert!(Interface::Flat(0.0).check_covers("the top", [-1e9, 1e9], [-1e9, 1e9]).is_ok());
    }
}
