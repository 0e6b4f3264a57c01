//! Slices: a regular grid of points in a plane.

use super::cut::Cut;
use super::frame::{Fields, Places};
use super::pictures::{Marks, Pixels, Sheet};
use super::point_grid::PointGrid;
use super::shown::Sampled;
use crate::error::Error;

/// VTK's flag of a hidden point.
const HIDDEN: u8 = 2;
/// Distance to a slice, relative to the size of the domain, within which sources and stations are marked on it.
const NEAR: f64 = 0.01;

/// A plane through the domain and the points on it.
pub struct Plane {
    /// The points.
    pub grid: PointGrid,
    /// The plane.
    cut: Cut,
    /// VTK's flag of each point, if any is outside the Earth.
    ghosts: Option<Vec<u8>>,
}

impl Plane {
    /// The points of a plane.
    ///
    /// # Arguments
    /// * `is_there` – whether each point is in the Earth
    /// # Errors
    /// [`Error::EmptySlice`] if none is.
    pub fn new(grid: PointGrid, cut: Cut, is_there: &[bool]) -> Result<Self, Error> {
        if !is_there.contains(&true) {
            return Err(Error::empty_slice(&cut));
        }
        let flags = || is_there.iter().map(|&is_there| if is_there { 0 } else { HIDDEN }).collect();
        let ghosts = is_there.contains(&false).then(flags);
        Ok(Self { grid, cut, ghosts })
    }

    /// A plane with all points in the Earth.
    pub fn whole(grid: PointGrid, cut: Cut) -> Self {
        Self { grid, cut, ghosts: None }
    }

    /// The fields of a frame from values at the points; points above the ground are NaN and hidden.
    pub fn fields(&self, at_points: Vec<Sampled>) -> Fields<'_> {
        let (mut shape, mut origin, mut spacing) = ([1; 3], [self.cut.normal().1; 3], [1.0; 3]);
        for (side, axis) in self.grid.axes.into_iter().enumerate() {
            shape[axis] = self.grid.count[side];
            origin[axis] = self.grid.ends[side][0];
            spacing[axis] = self.grid.spacing()[side];
        }
        let places = Places::Image { shape, origin, spacing };
        Fields { places, at_points, in_cells: Vec::new(), hidden: self.ghosts.as_deref() }
    }

    /// Whether all points are in the Earth.
    pub fn is_whole(&self) -> bool {
        self.ghosts.is_none()
    }

    /// Position of a point of the plane in model coordinates [m].
    ///
    /// # Arguments
    /// * `grid` – a grid over the axes of the plane
    /// * `index` – index of the point
    pub fn position(&self, grid: &PointGrid, index: usize) -> [f64; 3] {
        self.cut.position(grid.point(index))
    }

    /// The sheet for its pictures: these pixels on a grid over its axes.
    pub fn sheet(&self, marks: &Marks, grid: PointGrid, pixels: Pixels) -> Sheet {
        let reach = NEAR * marks.extent;
        let near = |position: &[f64; 3]| {
            let (away, place) = self.cut.project(*position);
            (away <= reach).then_some(place)
        };
        Sheet {
            title: self.cut.title(),
            grid,
            pixels,
            relief: None,
            rotate: 0.0,
            sources: marks.sources.iter().filter_map(near).collect(),
            stations: marks.stations.iter().filter_map(near).collect(),
        }
    }
}
