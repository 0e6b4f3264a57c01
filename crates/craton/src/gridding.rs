//! Construction of the grid of a scenario: cell sizes follow the slowest wave at the highest frequency.

mod interfaces;
mod materials;
mod mechanisms;
pub mod memory;
mod part;
mod place;
mod sections;

pub use mechanisms::{COARSE, MOST_RELAXED};
pub use part::Search;
pub use place::{CellKinds, MovedOnGrid};

use craton_fd::{AbsorbingLayer, Boundaries, Grid, Kind, Mechanisms, Medium, MemoryPoints, Side, Sponge};
use craton_model::{EarthModel, Medium as EarthMedium};
use craton_numerics::NumericsError;
use craton_numerics::sinc::WindowedSinc;
use craton_numerics::staggered::StaggeredStencil;
use craton_sim::PartExchange;

use crate::config::{AbsorbingSide, BoundaryKind, BoxSide, Cpml, Fd};
use crate::error::Error;
use crate::extremes::Extremes;
use crate::grid_warnings;
use crate::meshing::Resolution;
use crate::placing::ROUND_OFF;
use crate::setup::Setup;

pub use sections::GridSections;

/// Dominant frequency of a source with a highest frequency of 1, for which absorbing layers are tuned.
pub const DOMINANT: f64 = 0.4;
/// Exponent of the damping profiles of absorbing layers.
pub const PROFILE: f64 = 2.0;
/// Relative group-velocity error of a resolved wave [–].
const RESOLVED: f64 = 1e-3;
/// Distance from a face [cells] at which an interface of water and rock is on it for all purposes.
pub const NEAR_FACE: f64 = 0.02;
/// Tolerance of a position or interface on a face [cells].
pub const ON_FACE: f64 = 1e-6;

/// Half width of the interpolation window of sources, receivers and frames between grid points (Hicks 2002).
const RADIUS: usize = 4;

/// Default points per shortest wavelength for derivatives of an order.
pub fn points_per_wavelength(order: usize) -> f64 {
    match order {
        2 => 20.0,
        4 => 10.0,
        6 => 8.0,
        _ => 6.0,
    }
}

/// The requested derivative stencil, by `method.fd.order` and `method.fd.holberg` of scenarios and surveys.
///
/// # Errors
/// An order or error bound without a stencil, which a checked scenario excludes.
pub fn stencil(order: usize, holberg: Option<f64>) -> Result<StaggeredStencil, NumericsError> {
    let half_length = order / 2;
    holberg.map_or_else(|| StaggeredStencil::taylor(half_length), |error| StaggeredStencil::holberg(half_length, error))
}

/// Points per wavelength of a resolved wave: as requested, or more if the stencil requires more, but at most the
/// default of its order.
pub fn resolving_points(fd: &Fd) -> f64 {
    let error = fd.holberg.unwrap_or_default().max(RESOLVED);
    let needed = stencil(fd.order, fd.holberg).and_then(|stencil| stencil.points_per_wavelength(error));
    let needed = needed.expect("a checked scenario has an order and a bound that stencils have");
    needed.min(points_per_wavelength(fd.order)).max(fd.points_per_wavelength())
}

/// The cells of a scenario, without material.
#[derive(Debug, Clone, PartialEq)]
pub struct GridPlan {
    /// All cells.
    pub grid: Grid,
    /// Boundary conditions.
    pub boundaries: Boundaries,
    /// Thickness of the layers around the box, on the low and high side of each axis.
    pub around: [[usize; 2]; 3],
    /// How the moduli relax, if the model attenuates waves.
    pub mechanisms: Option<Mechanisms>,
}

impl GridPlan {
    /// Cells for the box of a scenario, with the edge length from the slowest wave or as requested, adjusted to fit a
    /// whole number of times.
    pub fn new(setup: &Setup, fd: &Fd) -> Self {
        let speeds = Extremes::new(setup);
        let requested = fd.grid_spacing.unwrap_or(speeds.slowest / fd.max_frequency / fd.points_per_wavelength());
        let ends = [setup.x, setup.y, setup.z];
        let mut fitting = ends.map(|[from, to]| (((to - from) / requested - 1e-6).ceil() as usize).max(1));
        if fd.grid_spacing.is_none() {
            fitting[2] = with_contacts_on_faces(setup, fitting[2]);
        }
        let spacing = [0, 1, 2].map(|axis| (ends[axis][1] - ends[axis][0]) / fitting[axis] as f64);
        let boundaries = boundaries(setup, fd, speeds.fastest);
        let around = |side: BoxSide| match (boundaries.sides[side as usize], fd.absorbing.at(side)) {
            (Side::Layer(layer), AbsorbingSide::Cpml(cpml)) if !cpml.inside => layer.cells,
            _ => 0,
        };
        let around = [0, 1, 2].map(|axis| [0, 1].map(|end| around(BoxSide::ALL[2 * axis + end])));
        let grid = Grid {
            origin: [0, 1, 2].map(|axis| ends[axis][0] - around[axis][0] as f64 * spacing[axis]),
            spacing,
            cells: [0, 1, 2].map(|axis| fitting[axis] + around[axis][0] + around[axis][1]),
        };
        let elastic = Self { grid, boundaries, around, mechanisms: None };
        Self { mechanisms: mechanisms::mechanisms(setup, fd, &elastic), ..elastic }
    }

    /// Which mechanisms a point has; `None` if the model is elastic.
    pub fn memory_points(&self) -> Option<MemoryPoints> {
        self.mechanisms.as_ref().map(|own| own.points)
    }

    /// The interpolation of sources, receivers and frames between grid points.
    ///
    /// # Errors
    /// None: the window is in range.
    pub fn interpolation(&self, resolution: &Resolution) -> Result<WindowedSinc, NumericsError> {
        match self.memory_points() {
            // A source at few points would have the moduli of few mechanisms.
            Some(MemoryPoints::One) => Ok(WindowedSinc::smooth()),
            _ => WindowedSinc::new(RADIUS, resolution.points_per_wavelength.clamp(2.5, 20.0)),
        }
    }

    /// Half width of its window in cells.
    pub fn radius(&self) -> usize {
        match self.memory_points() {
            Some(MemoryPoints::One) => WindowedSinc::smooth().radius(),
            _ => RADIUS,
        }
    }

    /// Range of cells along an axis without the layers outside the box.
    pub fn inner(&self, axis: usize) -> [usize; 2] {
        let [before, after] = self.around[axis];
        [before, self.grid.cells[axis] - after]
    }

    /// The material of the cells of a rank, in a process grid with this number of parts along each axis. Layers around
    /// the box extend the material at its sides, and above the ground there is air. [`Medium::tell`] completes it.
    ///
    /// # Errors
    /// Material that the grid does not support, or boundaries or parts that do not fit.
    pub fn medium<T: craton_fd::Precision>(
        &self,
        setup: &Setup,
        fd: &Fd,
        parts: [usize; 3],
        exchange: &PartExchange,
    ) -> Result<Medium<T>, Error> {
        let sections = GridSections::new(self, &setup.model);
        let parts = (parts, exchange);
        let mechanisms = self.mechanisms.clone();
        Ok(Medium::of_sections(self.grid, &self.boundaries, fd.order / 2, parts, mechanisms, &sections)?)
    }

    /// The nearest cell of the box, whose material a cell around it has.
    fn nearest(&self, cell: [usize; 3]) -> [usize; 3] {
        [0, 1, 2].map(|axis| {
            let [first, end] = self.inner(axis);
            cell[axis].clamp(first, end - 1)
        })
    }

    /// The position [m] at which a cell has its material.
    fn centre_of_material(&self, cell: [usize; 3]) -> [f64; 3] {
        self.grid.centre(self.nearest(cell))
    }

    /// Distance [cells] from the centre of a cell to that of the volumes of its lower faces along each axis: 0 where the cell below is a copy of it.
    fn shift_of_volumes(&self, cell: [usize; 3]) -> [f64; 3] {
        let own = self.nearest(cell);
        [0, 1, 2].map(|axis| {
            let mut below = cell;
            let is_copy = match cell[axis].checked_sub(1) {
                Some(index) => {
                    below[axis] = index;
                    self.nearest(below)[axis] == own[axis]
                }
                None => self.boundaries.sides[2 * axis] != Side::Periodic,
            };
            if is_copy { 0.0 } else { 0.5 }
        })
    }

    /// Whether the model has a volume whose grid is much finer than the cells.
    pub fn varies_inside_cells(&self, setup: &Setup) -> bool {
        setup.model.regions().iter().any(|region| materials::is_finer(region, self.grid.spacing))
    }

    /// Number of cells, whether they fit into memory or not.
    pub fn cells(&self) -> f64 {
        self.grid.cells.iter().map(|&n| n as f64).product()
    }

    /// Number of cells of all absorbing layers; a cell in several layers counts for each.
    pub fn layer_cells(&self) -> f64 {
        let all = self.cells();
        let of_side = |(side, kind): (usize, &Side)| match kind {
            Side::Layer(layer) => layer.cells as f64 / self.grid.cells[side / 2] as f64 * all,
            _ => 0.0,
        };
        self.boundaries.sides.iter().enumerate().map(of_side).sum()
    }

    /// Upper bound of that number for one of several parts.
    pub fn layer_cells_in(&self, cells: [usize; 3], parts: [usize; 3]) -> f64 {
        let all: f64 = cells.iter().map(|&n| n as f64).product();
        let along = |axis: usize| {
            let depth = |side: usize| match self.boundaries.sides[side] {
                Side::Layer(layer) => layer.cells as f64,
                _ => 0.0,
            };
            let [low, high] = [depth(2 * axis), depth(2 * axis + 1)];
            let own = if parts[axis] == 1 { low + high } else { low.max(high) };
            own.min(cells[axis] as f64) / cells[axis] as f64 * all
        };
        (0..3).map(along).sum()
    }

    /// Whether a position [m] is in an absorbing layer or at its outer edge, where the velocity is zero; a layer
    /// without cells has only the edge.
    pub fn is_in_layer(&self, position: [f64; 3]) -> bool {
        // Positions on the sides of the box count as inside, within round-off.
        const TOLERANCE: f64 = 1e-6;
        let place = self.grid.in_cells(position);
        (0..6).any(|side| {
            let Side::Layer(layer) = self.boundaries.sides[side] else { return false };
            let (along, cells) = (place[side / 2], self.grid.cells[side / 2] as f64);
            let from_end = if side.is_multiple_of(2) { along } else { cells - along };
            from_end < layer.cells as f64 - TOLERANCE || from_end <= TOLERANCE
        })
    }

    /// The position [m] of a source or receiver on the grid with its staircase ground: a position on the ground moves
    /// to the staircase, and one just below it moves down if the staircase is lower. `None` if the grid has no ground
    /// there.
    pub fn on_grid(&self, medium: &impl CellKinds, position: [f64; 3], on_surface: bool) -> Option<[f64; 3]> {
        let [x, y, z] = position;
        let [first, end] = self.inner(2);
        let stair = self.grid.ground(self.grid.column([x, y]), first..end, |cell| medium.kind(cell))?;
        let top = self.grid.corner([0, 0, end])[2];
        // At the top of the box, sums of edges differ from the top by round-off.
        let stair = if stair == top { stair.max(z) } else { stair };
        Some([x, y, if on_surface { stair } else { z.min(stair) }])
    }

    /// The elevation [m] nearest to a position [m] at which the grid has the same kind of material, fluid or solid.
    /// Interfaces are staircases, too, and a position on one belongs to the material below. Unchanged if the column has
    /// no cell of this kind.
    pub fn in_its_kind(&self, medium: &impl CellKinds, model: &EarthModel, position: [f64; 3]) -> f64 {
        let ([x, y, z], hair) = (position, ON_FACE * self.grid.spacing[2]);
        let place = [x, y, z - hair];
        let own = if model.medium(model.region_at(place), place).is_fluid() { Kind::Fluid } else { Kind::Solid };
        let is_own = |cell| medium.kind(cell) == own;
        let [i, j, k] = self.grid.cell_at(position);
        if is_own([i, j, k]) {
            return z;
        }
        let [first, end] = self.inner(2);
        let height = |k| self.grid.corner([0, 0, k])[2];
        let inside = |k| z.clamp(height(k) + 2.0 * hair, height(k + 1));
        let nearest = (first..end).filter(|&k| is_own([i, j, k])).map(inside);
        nearest.min_by(|a, b| (a - z).abs().total_cmp(&(b - z).abs())).unwrap_or(z)
    }

    /// The position in the water just above a position [m] on the sea bottom; `None` elsewhere.
    pub fn above_sea_bottom(
        &self,
        medium: &impl CellKinds,
        model: &EarthModel,
        [x, y, z]: [f64; 3],
    ) -> Option<[f64; 3]> {
        let is_fluid = |z: f64| model.medium(model.region_at([x, y, z]), [x, y, z]).is_fluid();
        let (hair, ground) = (ON_FACE * self.grid.spacing[2], model.surface().elevation(x, y));
        let is_bottom = z + ROUND_OFF < ground && is_fluid(z + ROUND_OFF) && !is_fluid(z - ROUND_OFF);
        // At the face of a cell, its lower neighbour would be sampled.
        let above = [x, y, z + ROUND_OFF.max(2.0 * hair)];
        is_bottom.then(|| [x, y, self.in_its_kind(medium, model, above)])
    }

    /// Sampling of the slowest wave: uniform, and worst along the longest edge.
    pub fn resolution(&self, setup: &Setup, fd: &Fd) -> Resolution {
        let speeds = Extremes::new(setup);
        let longest = self.grid.spacing.into_iter().fold(0.0, f64::max);
        let points_per_wavelength = speeds.slowest / fd.max_frequency / longest;
        Resolution {
            points_per_wavelength,
            resolved_frequency: fd.max_frequency * points_per_wavelength / resolving_points(fd),
            centre: speeds.place_of_slowest(setup),
        }
    }
}

/// Number of cells along z, at least `least` and at most a fifth more, with which flat interfaces of water and rock are nearest to faces of cells.
fn with_contacts_on_faces(setup: &Setup, least: usize) -> usize {
    let [bottom, top] = setup.z;
    let contacts = grid_warnings::flat_contacts(setup);
    let distance = |count: usize| {
        let places = contacts
            .iter()
            .filter(|z| (bottom..top).contains(*z))
            .map(|z| (z - bottom) / (top - bottom) * count as f64);
        places.map(|place| (place - place.round()).abs()).fold(0.0, f64::max)
    };
    let counts = least..=least + least / 5;
    let near = counts.clone().find(|&count| distance(count) <= NEAR_FACE);
    near.or_else(|| counts.min_by(|&a, &b| distance(a).total_cmp(&distance(b)))).unwrap_or(least)
}

/// Boundary conditions of a grid.
fn boundaries(setup: &Setup, fd: &Fd, vp_max: f64) -> Boundaries {
    let layer = |cpml: Cpml| AbsorbingLayer {
        cells: cpml.cells,
        vp_max,
        dominant_frequency: DOMINANT * fd.max_frequency,
        reflection: cpml.reflection,
        exponent: PROFILE,
        max_stretch: cpml.max_stretch,
    };
    let sides = BoxSide::ALL.map(|side| match setup.boundaries[side as usize] {
        BoundaryKind::Free => Side::Free,
        BoundaryKind::Rigid => Side::Rigid,
        BoundaryKind::Periodic => Side::Periodic,
        BoundaryKind::Absorbing => match fd.absorbing.at(side) {
            AbsorbingSide::Cpml(cpml) => Side::Layer(layer(cpml)),
            AbsorbingSide::Paraxial(_) => Side::Paraxial,
        },
    });
    let sponges = BoxSide::ALL.map(|side| {
        let (cells, factor) = fd.sponge.as_ref()?.at(side)?;
        Some(Sponge { cells, factor })
    });
    Boundaries { sides, sponges }
}

/// The medium at a position [m] on a grid: its own, or that of the centre of its cell if that is of another kind, fluid
/// or solid.
pub fn medium_on_grid(model: &EarthModel, grid: &Grid, position: [f64; 3]) -> EarthMedium {
    let at = |place: [f64; 3]| model.medium(model.region_at(place), place);
    let (own, of_cell) = (at(position), at(grid.centre(grid.cell_at(position))));
    if own.is_fluid() == of_cell.is_fluid() { own } else { of_cell }
}

#[cfg(test)]
mod tests;
