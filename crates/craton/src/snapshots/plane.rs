//! Slices: a regular grid of points in a plane, each sampled exactly by the basis.

use std::path::Path;

use craton_device::Scalar;
use craton_formats::vtk::{Field, Image, Values, write_vti};
use craton_mesh::{Location, Locator};
use craton_sem::{Selected, Selection, Solver};
use rayon::prelude::*;

use super::point_grid::PointGrid;
use super::shown::{Earth, Sampled, Sampler, Shown};
use crate::error::Error;

/// VTK's flag for a point that is not shown.
const HIDDEN: u8 = 2;

/// A plane through the domain and the points on it.
pub struct Plane<T: Scalar> {
    /// The points.
    pub grid: PointGrid,
    /// The axis that stands on the plane.
    axis: usize,
    /// Where it is along that axis [m].
    at: f64,
    /// Where each point lies in the mesh; nowhere above the ground.
    places: Vec<Option<Location>>,
    /// The elements they lie in, ascending.
    elements: Vec<u32>,
    /// The fields there.
    selected: Selected<T>,
    /// VTK's flag of each point, if any lies nowhere.
    ghosts: Option<Vec<u8>>,
}

impl<T: Scalar> Plane<T> {
    /// The points of the plane where coordinate `axis` is `at` [m].
    ///
    /// # Errors
    /// [`Error::EmptySlice`] if none of them is in the Earth; a device without the memory.
    pub fn new(operator: &dyn Solver<T>, locator: &Locator, axis: usize, at: f64) -> Result<Self, Error> {
        let empty = || Error::EmptySlice { axis: ["x", "y", "z"][axis], at };
        let degree = operator.gll().points.len() - 1;
        let grid = PointGrid::across(operator.mesh(), degree, axis, at).ok_or_else(empty)?;
        let locate = |index| locator.locate(position(&grid, at, index));
        let places: Vec<_> = operator.workers().run(|| (0..grid.len()).into_par_iter().map(locate).collect());
        if places.iter().all(Option::is_none) {
            return Err(empty());
        }
        let flags = || places.iter().map(|place| if place.is_none() { HIDDEN } else { 0 }).collect();
        let ghosts = places.contains(&None).then(flags);
        let mut elements: Vec<u32> = places.iter().flatten().map(|place| place.element).collect();
        elements.sort_unstable();
        elements.dedup();
        let selected = operator.select(Selection::Elements(elements.clone()))?;
        Ok(Self { grid, axis, at, places, elements, selected, ghosts })
    }

    /// Writes a frame; points above the ground are NaN, and hidden.
    ///
    /// # Errors
    /// A file that cannot be written, a device that fails.
    pub fn write(&self, path: &Path, time: f64, earth: Earth<T>, shown: &[Shown]) -> Result<(), Error> {
        let sampler = Sampler::new(earth, &self.selected, shown)?;
        let at_point = |index: usize, shown, values: &mut [f32]| {
            if let Some(place) = &self.places[index] {
                let number = self.elements.binary_search(&place.element).expect("an element of the plane");
                sampler.at_point(number, place, shown, values);
            }
        };
        let workers = earth.operator.workers();
        let sample =
            |&shown| Sampled::new(shown, self.grid.len(), workers, |index, value| at_point(index, shown, value));
        let sampled: Vec<Sampled> = shown.iter().map(sample).collect();
        let ghosts =
            self.ghosts.iter().map(|flags| Field { name: "vtkGhostType", components: 1, values: Values::U8(flags) });
        let fields: Vec<Field> = sampled.iter().map(Sampled::field).chain(ghosts).collect();
        let (mut shape, mut origin, mut spacing) = ([1; 3], [self.at; 3], [1.0; 3]);
        for (side, axis) in self.grid.axes.into_iter().enumerate() {
            shape[axis] = self.grid.count[side];
            origin[axis] = self.grid.ends[side][0];
            spacing[axis] = self.grid.spacing()[side];
        }
        Ok(write_vti(path, &Image { shape, origin, spacing, point_data: &fields, time: Some(time) })?)
    }

    /// Whether all of its points are in the Earth.
    pub fn is_whole(&self) -> bool {
        self.ghosts.is_none()
    }

    /// Position of a point of the plane [m].
    ///
    /// # Arguments
    /// * `grid` – over the plane's axes
    /// * `index` – of the point
    pub fn position(&self, grid: &PointGrid, index: usize) -> [f64; 3] {
        position(grid, self.at, index)
    }

    /// What a picture of it is called.
    pub fn title(&self) -> String {
        format!("{} = {} m", ["x", "y", "z"][self.axis], self.at)
    }

    /// Positions along the plane's axes [m] of those points that lie within `reach` [m] of it.
    pub fn near(&self, points: impl Iterator<Item = [f64; 3]>, reach: f64) -> Vec<[f64; 2]> {
        let near = points.filter(|point| (point[self.axis] - self.at).abs() <= reach);
        near.map(|point| self.grid.axes.map(|axis| point[axis])).collect()
    }
}

fn position(grid: &PointGrid, at: f64, index: usize) -> [f64; 3] {
    let mut position = [at; 3];
    [position[grid.axes[0]], position[grid.axes[1]]] = grid.point(index);
    position
}
