//! Snapshots of spectral elements: the surface and the volume between GLL points, and slices interpolated by the basis
//! functions.

use std::collections::HashMap;

use craton_mesh::{HexMesh, Location, Locator};
use craton_model::geodesy::{EARTH_RADIUS, LocalFrame};
use craton_sem::Solver;
use rayon::prelude::*;

use super::cut::Cut;
use super::frame::Fields;
use super::pictures::{Marks, Pixels, Sheet};
use super::plane::Plane;
use super::point_grid::PointGrid;
use super::sampler::{ElementReading, Reading, Sampler};
use super::series::{Earth, Scene};
use super::shown::{Sampled, Shown};
use super::sub_cells::SubCells;
use super::view::{View, What};
use crate::error::Error;
use crate::meshing;
use crate::pipeline::{RunningSolver, Scalar};
use crate::setup::Setup;

/// Number of points along the longer side of a slice that intersects the ground, so that the ground looks smooth.
pub const SMOOTH: usize = 1000;

/// Finds the points and cells of every series.
///
/// # Errors
/// A slice that does not intersect the Earth, or insufficient device memory.
pub fn scenes<T: Scalar>(
    elements: &dyn Solver<T>,
    setup: &Setup,
    views: &[View],
) -> Result<Vec<Box<dyn Scene<T>>>, Error> {
    let has_slices = views.iter().any(|view| matches!(view.what, What::Slice(_)));
    let straight = has_slices.then(|| meshing::straight(elements.mesh(), &setup.frame));
    let locator = straight.as_deref().map(|straight| meshing::locator(straight, &setup.frame));
    let scene = |view: &View| -> Result<Box<dyn Scene<T>>, Error> {
        Ok(match (view.what, &locator) {
            (What::Slice(cut), Some(locator)) => Box::new(Slice::new(elements, locator, setup, cut)?),
            (What::Volume, _) => Box::new(SubCells::volume(elements, view.snapshot)?),
            _ => Box::new(SubCells::surface(elements, view.snapshot)?),
        })
    };
    views.iter().map(scene).collect()
}

/// A plane whose points are interpolated by the basis functions; vectors and tensors are in local east, north and up.
struct Slice<T: Scalar> {
    plane: Plane,
    /// The location of each point in the mesh, for model coordinates; `None` above the ground.
    places: Vec<Option<Location>>,
    /// The elements of the points, ascending.
    elements: Vec<u32>,
    /// The fields in these elements.
    reading: Reading<T>,
    /// Conversion of model coordinates to those of the mesh.
    frame: LocalFrame,
}

impl<T: Scalar> Slice<T> {
    fn new(operator: &dyn Solver<T>, locator: &Locator<&HexMesh>, setup: &Setup, cut: Cut) -> Result<Self, Error> {
        let grid = PointGrid::of_cut(locator.mesh(), setup, &cut).ok_or_else(|| Error::empty_slice(&cut))?;
        let locate = |index| {
            let position = cut.position(grid.point(index));
            let point = meshing::in_straight(&setup.frame, position);
            locator.locate(point).or_else(|| just_above(locator, setup, point))
        };
        let places: Vec<_> = operator.workers().run(|| (0..grid.len()).into_par_iter().map(locate).collect());
        let is_there: Vec<bool> = places.iter().map(Option::is_some).collect();
        let plane = Plane::new(grid, cut, &is_there)?;
        let mut elements: Vec<u32> = places.iter().flatten().map(|place| place.element).collect();
        elements.sort_unstable();
        elements.dedup();
        let reading = Reading::Elements(ElementReading::new(operator, &elements)?);
        Ok(Self { plane, places, elements, reading, frame: setup.frame })
    }
}

/// The point of the surface of the mesh below a point that is above the mesh but not above the surface of the model. Polynomial element faces leave such gaps
/// on a globe.
fn just_above(locator: &Locator<&HexMesh>, setup: &Setup, point: [f64; 3]) -> Option<Location> {
    /// Largest height, relative to the radius.
    const NEAR: f64 = 2e-3;
    /// Allowance for rounding [m].
    const ROUNDING: f64 = 1e-3;
    let [x, y, z] = setup.frame.from_space(point);
    if setup.frame.is_globe() && z > setup.model.surface().elevation(x, y) + ROUNDING {
        return None;
    }
    let top = locator.locate_on_surface(point).filter(|_| setup.frame.is_globe())?;
    let [here, surface] = [point, locator.mesh().position(top.element, top.xi)].map(|at| setup.frame.height(at));
    (0.0..NEAR * EARTH_RADIUS).contains(&(here - surface)).then_some(top)
}

impl<T: Scalar> Scene<T> for Slice<T> {
    fn sample(&self, earth: Earth<T>, shown: &[Shown]) -> Result<Fields<'_>, Error> {
        let elements = earth.solver.elements();
        let sampler = Sampler::new(elements, earth.model, &self.reading, shown)?;
        let at_point = |index: usize, shown, values: &mut [f32]| {
            if let Some(place) = &self.places[index] {
                let number = self.elements.binary_search(&place.element).expect("an element of the plane");
                sampler.at_point(number, place, shown, values);
                let [x, y, _] = self.plane.position(&self.plane.grid, index);
                if self.frame.sphere().is_some() {
                    shown.turn(&self.frame.axes_at([x, y]), values);
                }
            }
        };
        let count = self.places.len();
        let sample =
            |&shown| Sampled::new(shown, count, elements.workers(), |index, value| at_point(index, shown, value));
        Ok(self.plane.fields(shown.iter().map(sample).collect()))
    }

    /// A finer grid for a slice that intersects the ground.
    fn sheet(&self, setup: &Setup, _: &RunningSolver<T>) -> Option<Sheet> {
        let (plane, marks) = (&self.plane, Marks::of(setup));
        if plane.is_whole() {
            return Some(plane.sheet(&marks, plane.grid.clone(), Pixels::Points));
        }
        let grid = plane.grid.refined(SMOOTH);
        let below_ground = |index: usize| {
            let [x, y, z] = plane.position(&grid, index);
            (z <= setup.model.surface().elevation(x, y)).then(|| plane.grid.around(grid.point(index)))
        };
        let pixels = (0..grid.len()).map(below_ground).collect();
        Some(plane.sheet(&marks, grid, Pixels::BelowGround(pixels)))
    }
}

/// The sheet for pictures of the surface: a grid over it, the cells below its points, and their elevations.
pub fn surface_sheet<T: Scalar>(cells: &SubCells<T>, setup: &Setup, elements: &dyn Solver<T>) -> Sheet {
    let straight = meshing::straight(elements.mesh(), &setup.frame);
    let mesh = &*straight;
    let top: Vec<u32> = cells.pieces.iter().map(|piece| piece.element).collect();
    let numbers: HashMap<u32, usize> = top.iter().enumerate().map(|(number, &element)| (element, number)).collect();
    let grid = PointGrid::of_surface(mesh, setup, &top);
    let locator = meshing::locator(mesh, &setup.frame);
    let below = |index: usize| {
        let [x, y] = grid.point(index);
        locator.locate_on_surface(meshing::in_straight(&setup.frame, [x, y, 0.0]))
    };
    let places: Vec<Option<Location>> = elements.workers().run(|| (0..grid.len()).into_par_iter().map(below).collect());
    let height = |place: &Location| {
        let position = mesh.position(place.element, place.xi);
        if setup.frame.is_globe() { setup.frame.height(position) } else { position[2] }
    };
    let heights = places.iter().map(|place| place.as_ref().map_or(f64::NAN, height)).collect();
    let cell = |place: Location| cells.cell_around(numbers[&place.element], place.xi);
    let pixels = places.iter().map(|place| place.map(cell)).collect();
    Sheet::of_surface(setup, grid, Pixels::OnSurface(pixels), heights)
}
