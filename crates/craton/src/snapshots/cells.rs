//! Snapshots of a finite-difference grid: its ground, planes and all cells, with values as recorded by receivers.

use std::ops::Range;

use craton_fd::{Grid, Selection, Solver, Vector};
use craton_model::Interface;
use rayon::prelude::*;

use super::cut::Cut;
use super::frame::{Fields, Places};
use super::pictures::{Marks, Pixels, Sheet};
use super::plane::Plane;
use super::point_grid::{MOST_POINTS, PointGrid};
use super::series::{Earth, Scene};
use super::shown::{Sampled, Shown, pressure, store};
use super::view::{View, What};
use crate::config::Snapshot;
use crate::error::Error;
use crate::gridding::medium_on_grid;
use crate::pipeline::{RunningSolver, Scalar};
use crate::setup::Setup;

/// VTK's flag of a hidden cell.
const HIDDEN: u8 = 32;

/// Finds the cells of every series.
///
/// # Errors
/// A slice that does not intersect the Earth, or insufficient device memory.
pub fn scenes<T: Scalar>(
    solver: &mut dyn Solver<T>,
    setup: &Setup,
    views: &[View],
) -> Result<Vec<Box<dyn Scene<T>>>, Error> {
    let scene = |view: &View| -> Result<Box<dyn Scene<T>>, Error> {
        let cells = cells_of(view.what, solver.grid(), setup);
        Ok(match view.what {
            What::Surface => {
                let [.., along_z] = cells_of(What::Volume, solver.grid(), setup);
                Box::new(Ground::new(solver, cells, along_z, view.snapshot)?)
            }
            What::Slice(cut) => Box::new(Slice::new(solver, cells, cut, view.snapshot)?),
            What::Volume => Box::new(Volume::new(solver, cells, view.snapshot)?),
        })
    };
    views.iter().map(scene).collect()
}

/// The cells of a series: the domain without absorbing layers; for a plane the cells on both sides, for the ground from
/// its lowest to its highest point.
pub fn cells_of(what: What, grid: &Grid, setup: &Setup) -> [Range<usize>; 3] {
    let ends = [setup.x, setup.y, setup.z];
    let place = |axis: usize, x: f64| (x - grid.origin[axis]) / grid.spacing[axis];
    let all = [0, 1, 2].map(|axis| {
        let [start, end] = ends[axis].map(|x| place(axis, x).round() as usize);
        start..end
    });
    // From the cell below that of `low` to that of `high` [m].
    let between = |axis: usize, low: f64, high: f64| {
        let cell = |x: f64| (place(axis, x).max(0.0) as usize).min(grid.cells[axis] - 1);
        cell(low).saturating_sub(1)..cell(high) + 1
    };
    let [x, y, z] = all;
    match what {
        What::Volume => [x, y, z],
        What::Slice(cut) => match cut.normal() {
            (0, at) => [between(0, at, at), y, z],
            (1, at) => [x, between(1, at, at), z],
            (_, at) => [x, y, between(2, at, at)],
        },
        What::Surface => {
            if let Interface::Flat(height) = setup.model.surface() {
                return [x, y, between(2, *height, *height)];
            }
            let columns = y.clone().flat_map(|j| x.clone().map(move |i| grid.centre([i, j, 0])));
            let ground = columns.map(|[x, y, _]| setup.model.surface().elevation(x, y));
            let (low, high) =
                ground.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), z| (low.min(z), high.max(z)));
            [x, y, between(2, low, high)]
        }
    }
}

/// The fields read for a series.
pub fn selection(cells: [Range<usize>; 3], snapshot: &Snapshot) -> Selection {
    let shown = Shown::all(snapshot);
    let strain = shown.iter().any(|shown| matches!(shown, Shown::Strain | Shown::Pressure));
    Selection { cells, displacement: strain || shown.contains(&Shown::Displacement), strain }
}

/// All quantities at these positions [m], at the times of velocity; NaN in air.
fn sampled<T: Scalar>(
    earth: Earth<T>,
    selection: usize,
    shown: &[Shown],
    count: usize,
    place: impl Fn(usize) -> [f64; 3] + Sync,
) -> Result<Vec<Sampled>, Error> {
    let (solver, model) = (earth.solver.cells(), earth.model);
    let workers = solver.workers();
    let velocity = solver.read(selection, Vector::Velocity)?;
    // Inverts the leapfrog step: u(n - 1/2) = u(n) - dt/2 v(n - 1/2).
    let displacement = match shown.iter().any(|&shown| shown != Shown::Velocity) {
        true => {
            let displacement = solver.read(selection, Vector::Displacement)?;
            Some(workers.run(|| displacement.after(-0.5 * solver.dt(), &velocity)))
        }
        false => None,
    };
    let with_shear = shown.contains(&Shown::Strain);
    let has_strain = with_shear || shown.contains(&Shown::Pressure);
    let strain = displacement.as_ref().filter(|_| has_strain);
    let strain = strain.map(|displacement| workers.run(|| displacement.strain(with_shear)));
    let at = |position: [f64; 3], shown: Shown, values: &mut [f32]| -> Option<()> {
        match shown {
            Shown::Velocity => store(&velocity.at(position)?, values),
            Shown::Displacement => store(&displacement.as_ref()?.at(position)?, values),
            Shown::Strain => {
                let [xx, yy, zz, yz, xz, xy] = strain.as_ref()?.at(position)?;
                store(&[xx, yy, zz, xy, yz, xz], values);
            }
            Shown::Pressure => {
                let [xx, yy, zz, ..] = strain.as_ref()?.at(position)?;
                let medium = medium_on_grid(model, solver.grid(), position);
                store(&[pressure(&medium, [[xx, 0.0, 0.0], [0.0, yy, 0.0], [0.0, 0.0, zz]])], values);
            }
        }
        Some(())
    };
    let sample = |&shown: &Shown| {
        Sampled::new(shown, count, workers, |index, values| {
            at(place(index), shown, values);
        })
    };
    Ok(shown.iter().map(sample).collect())
}

/// Points of a plane, at the centres of cells along it.
struct Slice {
    plane: Plane,
    selection: usize,
}

impl Slice {
    fn new<T: Scalar>(
        solver: &mut dyn Solver<T>,
        cells: [Range<usize>; 3],
        cut: Cut,
        snapshot: &Snapshot,
    ) -> Result<Self, Error> {
        let grid = PointGrid::over_cells(solver.grid(), &cells, cut.axes(), MOST_POINTS);
        let is_there = |index| solver.is_matter(cut.position(grid.point(index)));
        let is_there: Vec<bool> = solver.workers().run(|| (0..grid.len()).into_par_iter().map(is_there).collect());
        let plane = Plane::new(grid, cut, &is_there)?;
        Ok(Self { plane, selection: solver.select(selection(cells, snapshot))? })
    }
}

impl<T: Scalar> Scene<T> for Slice {
    fn sample(&self, earth: Earth<T>, shown: &[Shown]) -> Result<Fields<'_>, Error> {
        let Plane { grid, .. } = &self.plane;
        let place = |index| self.plane.position(grid, index);
        Ok(self.plane.fields(sampled(earth, self.selection, shown, grid.len(), place)?))
    }

    fn sheet(&self, setup: &Setup, _: &RunningSolver<T>) -> Option<Sheet> {
        Some(self.plane.sheet(&Marks::of(setup), self.plane.grid.clone(), Pixels::Points))
    }
}

/// The ground: one point per column of cells, on the uppermost cell that is not air.
struct Ground {
    grid: PointGrid,
    points: Vec<[f64; 3]>,
    /// Corners of the quadrilaterals between them, lexicographic.
    corners: Vec<u32>,
    selection: usize,
}

impl Ground {
    /// # Arguments
    /// * `cells` – the fields to read
    /// * `along_z` – all cells of the domain
    fn new<T: Scalar>(
        solver: &mut dyn Solver<T>,
        cells: [Range<usize>; 3],
        along_z: Range<usize>,
        snapshot: &Snapshot,
    ) -> Result<Self, Error> {
        let grid = PointGrid::over_cells(solver.grid(), &cells, [0, 1], usize::MAX);
        let point = |index| {
            let [x, y] = grid.point(index);
            let column = solver.grid().column([x, y]);
            let ground = solver.grid().ground(column, along_z.clone(), |cell| solver.kind(cell));
            [x, y, ground.unwrap_or(solver.grid().origin[2])]
        };
        let points = (0..grid.len()).map(point).collect();
        let [nx, ny] = grid.count;
        let corner = |i: usize, j: usize| (i + nx * j) as u32;
        let quads = (0..ny - 1).flat_map(|j| (0..nx - 1).map(move |i| (i, j)));
        let corners = quads.flat_map(|(i, j)| [corner(i, j), corner(i + 1, j), corner(i, j + 1), corner(i + 1, j + 1)]);
        let corners = corners.collect();
        Ok(Self { grid, points, corners, selection: solver.select(selection(cells, snapshot))? })
    }
}

impl<T: Scalar> Scene<T> for Ground {
    fn sample(&self, earth: Earth<T>, shown: &[Shown]) -> Result<Fields<'_>, Error> {
        let at_points = sampled(earth, self.selection, shown, self.points.len(), |index| self.points[index])?;
        let places = Places::Quadrilaterals { points: &self.points, corners: &self.corners };
        Ok(Fields { places, at_points, in_cells: Vec::new(), hidden: None })
    }

    fn sheet(&self, setup: &Setup, _: &RunningSolver<T>) -> Option<Sheet> {
        let heights = self.points.iter().map(|&[_, _, z]| z).collect();
        Some(Sheet::of_surface(setup, self.grid.clone(), Pixels::Points, heights))
    }
}

/// All cells of the domain, with the values at their centres.
struct Volume {
    cells: [Range<usize>; 3],
    /// VTK's flag of each cell, if any is air.
    ghosts: Option<Vec<u8>>,
    selection: usize,
}

impl Volume {
    fn new<T: Scalar>(
        solver: &mut dyn Solver<T>,
        cells: [Range<usize>; 3],
        snapshot: &Snapshot,
    ) -> Result<Self, Error> {
        let flag = |number| if solver.is_matter(solver.grid().centre(cell(&cells, number))) { 0 } else { HIDDEN };
        let count: usize = cells.iter().map(Range::len).product();
        let ghosts: Vec<u8> = solver.workers().run(|| (0..count).into_par_iter().map(flag).collect());
        let ghosts = ghosts.contains(&HIDDEN).then_some(ghosts);
        Ok(Self { selection: solver.select(selection(cells.clone(), snapshot))?, cells, ghosts })
    }
}

/// A cell of a block, x fastest.
fn cell(cells: &[Range<usize>; 3], number: usize) -> [usize; 3] {
    let [x, y, z] = cells;
    let (nx, ny) = (x.len(), y.len());
    [x.start + number % nx, y.start + number / nx % ny, z.start + number / (nx * ny)]
}

impl<T: Scalar> Scene<T> for Volume {
    fn sample(&self, earth: Earth<T>, shown: &[Shown]) -> Result<Fields<'_>, Error> {
        let grid = earth.solver.cells().grid();
        let count = self.cells.iter().map(Range::len).product();
        let place = |number| grid.centre(cell(&self.cells, number));
        let in_cells = sampled(earth, self.selection, shown, count, place)?;
        let places = Places::Image {
            shape: [0, 1, 2].map(|axis| self.cells[axis].len() + 1),
            origin: grid.corner([0, 1, 2].map(|axis| self.cells[axis].start)),
            spacing: grid.spacing,
        };
        Ok(Fields { places, at_points: Vec::new(), in_cells, hidden: self.ghosts.as_deref() })
    }

    /// The volume has no pictures.
    fn sheet(&self, _: &Setup, _: &RunningSolver<T>) -> Option<Sheet> {
        None
    }
}
