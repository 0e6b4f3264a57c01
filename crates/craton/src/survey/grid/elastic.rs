//! The solid of an elastic survey on the cells of its box: the grid of a scenario without sources and receivers.

use std::sync::Arc;

use craton_acquisition::survey::{Array, Extent, Shot};
use craton_device::Workers;
use craton_fd::acoustic::InterpolationNeed;
use craton_fd::{Boundaries, Grid, Material, Mechanisms, Medium, Side, stable_step};
use craton_model::EarthModel;
use craton_numerics::sinc::WindowedSinc;
use craton_numerics::staggered::StaggeredStencil;
use craton_run::{Bytes, Room};
use craton_sim::PartExchange;

use super::{Discretised, Physics, Window};
use crate::config::{self, BoundaryKind, Cpml, GridMemory, Method, Precision};
use crate::error::Error;
use crate::extremes::Extremes;
use crate::gridding::memory::{LOSSES, MIXED, MIXED_ON_DEVICE, SETTING_UP};
use crate::gridding::{GridPlan, MovedOnGrid, stencil};
use crate::setup::Setup as Scenario;
use crate::surface_waves::{SurfaceWaves, along_surface};
use crate::survey::config::{FluidMemory, Quantity};
use crate::survey::setup::Setup;

/// Width of the single cell across a plane, relative to the other edges of a cell: so large that it does not affect the time step.
const WIDTH: f64 = 1e3;
/// Keys of scenarios in warnings about the grid, and those of surveys.
const KEYS: [(&str, &str); 1] = [("method.fd.absorbing", "boundaries.absorbing.cells")];
/// Memory of a weight of a receiver on a GPU [bytes]; the host needs twice as much.
const BYTES_PER_WEIGHT: usize = 16;
/// Fields that a receiver of pressure in a solid samples: the normal stresses.
const NORMAL_STRESSES: usize = 3;

/// The solid of a survey, and the numerical parameters of its shots.
pub struct ElasticGrid {
    /// The box as a scenario.
    scenario: Scenario,
    fd: config::Fd,
    /// The cells of the box with its layers.
    plan: GridPlan,
    /// In two dimensions, the width of the single cell along y [m]. Fields do not depend on y, and sources act over this width.
    width: Option<f64>,
    /// Coefficients of the derivatives.
    pub stencil: StaggeredStencil,
    /// Interpolation of sources and receivers.
    pub interpolation: WindowedSinc,
    /// The medium of the whole box, unless shots have windows of their own.
    whole: Option<Arc<Medium<f32>>>,
    /// Warnings about sources and receivers that the grid moves, and about late Rayleigh waves.
    of_points: Vec<String>,
}

/// The cells of a shot, and their medium.
#[derive(Clone)]
pub struct ElasticCells {
    /// The cells with their layers.
    pub plan: GridPlan,
    /// Their medium.
    pub medium: Arc<Medium<f32>>,
}

impl ElasticGrid {
    /// The Earth model.
    pub fn model(&self) -> &EarthModel {
        &self.scenario.model
    }

    /// The cells of a shot.
    ///
    /// # Errors
    /// A material that the grid does not support.
    pub fn cells_of(&self, window: &Window) -> Result<ElasticCells, Error> {
        let plan = self.plan_of(window);
        let medium = match &self.whole {
            Some(whole) => Arc::clone(whole),
            None => Arc::new(plan.medium(&self.scenario, &self.fd, [1; 3], &PartExchange::solo(1))?),
        };
        Ok(ElasticCells { plan, medium })
    }

    fn plan_of(&self, window: &Window) -> GridPlan {
        let (around, whole) = (self.plan.around, &self.plan.grid);
        let mut grid = Grid {
            origin: [0, 1, 2].map(|axis| whole.origin[axis] + window.cells[axis].start as f64 * whole.spacing[axis]),
            spacing: whole.spacing,
            cells: [0, 1, 2].map(|axis| window.cells[axis].len() + around[axis][0] + around[axis][1]),
        };
        if let Some(width) = self.width {
            (grid.origin[1], grid.spacing[1]) = (-0.5 * width, width);
        }
        GridPlan { grid, ..self.plan.clone() }
    }

    /// Length along y over which a source acts [m]: 1 for a point.
    pub fn source_length(&self) -> f64 {
        self.width.unwrap_or(1.0)
    }

    /// The position at which a component of velocity, or another field, is sampled [m]: in a plane at a grid point along y.
    ///
    /// # Arguments
    /// * `component` – the component of velocity, if it is one
    pub fn on_plane(&self, [x, y, z]: [f64; 3], component: Option<usize>) -> [f64; 3] {
        match (self.width, component) {
            (None, _) => [x, y, z],
            (Some(width), Some(1)) => [x, -0.5 * width, z],
            (Some(_), _) => [x, 0.0, z],
        }
    }

    /// The cells of the whole box.
    fn whole_window(&self) -> Window {
        let cells = |axis: usize| self.plan.grid.cells[axis] - self.plan.around[axis].iter().sum::<usize>();
        Window { cells: [0, 1, 2].map(|axis| 0..cells(axis)) }
    }

    /// The cells of the box without layers.
    fn box_of(&self, is_plane: bool) -> Grid {
        let GridPlan { grid, around, .. } = &self.plan;
        let mut inner = Grid {
            origin: [0, 1, 2].map(|axis| grid.origin[axis] + around[axis][0] as f64 * grid.spacing[axis]),
            spacing: grid.spacing,
            cells: self.whole_window().cells.map(|cells| cells.len()),
        };
        if is_plane {
            (inner.origin[1], inner.spacing[1]) = (-0.5, 1.0);
        }
        inner
    }

    /// Host memory of the medium per cell, and of its preparation for a solver [bytes].
    pub fn bytes_per_cell(&self) -> f64 {
        let losses = if self.plan.mechanisms.is_some() { LOSSES } else { 0.0 };
        let mixed = if self.is_mixed() { MIXED - MIXED_ON_DEVICE } else { 0.0 };
        (SETTING_UP + losses) * size_of::<f32>() as f64 + mixed
    }

    /// Whether cells contain several solids, because the grid of a volume is finer.
    pub fn is_mixed(&self) -> bool {
        self.plan.varies_inside_cells(&self.scenario)
    }

    /// Sets of memory variables of attenuation.
    pub fn memory_sets(&self) -> usize {
        self.plan.mechanisms.as_ref().map_or(0, Mechanisms::sets)
    }

    /// Cells of halo on each side of a part.
    pub fn half_length(&self) -> usize {
        self.stencil.half_length()
    }

    /// Warnings about the grid, with the keys of a survey, and about sources and receivers.
    pub fn warnings(&self) -> Vec<String> {
        let of_grid = self.plan.warnings(&self.scenario, &self.fd).into_iter();
        let in_survey = |warning: String| KEYS.iter().fold(warning, |text, (from, to)| text.replace(from, to));
        of_grid.map(in_survey).chain(self.of_points.iter().cloned()).collect()
    }

    /// The warning about late Rayleigh waves, for the path with the largest delay.
    fn late(&self, setup: &Setup) -> Option<String> {
        if !setup.is_free {
            return None;
        }
        let [dx, dy, dz] = self.plan.grid.spacing;
        let cell = if setup.is_plane { dx.max(dz) } else { dx.max(dy).max(dz) };
        let waves = SurfaceWaves { model: self.model(), max_frequency: self.fd.max_frequency, cell };
        let of_shot = |shot: &Shot| {
            let source = shot.source.centre();
            let wavelength = waves.wavelength(source)?;
            let near = shot.traces().filter(|trace| waves.is_near(trace.receiver, wavelength));
            let paths = near.map(|trace| (along_surface(source, trace.receiver), trace.channel));
            let (distance, channel) = paths.max_by(|a, b| a.0.total_cmp(&b.0))?;
            Some((waves.delay(distance, wavelength), [shot.number, channel], distance, wavelength))
        };
        let shots = setup.survey.shots().iter().filter_map(of_shot);
        let (_, [shot, channel], distance, wavelength) = shots.max_by(|a, b| a.0.total_cmp(&b.0))?;
        let names = [format!("the source of shot {shot}"), format!("channel {channel}")];
        waves.warning([&names[0], &names[1]], distance, wavelength, "")
    }

    /// Warnings about sources and receivers that the grid moves. Windows have the same cells as the whole box.
    fn moved(&self, setup: &Setup, ElasticCells { plan, medium }: &ElasticCells) -> Vec<String> {
        let (mut moved, ground) = (MovedOnGrid::default(), (&**medium, self.model()));
        let mut add = |name: &dyn Fn() -> String, array: &Array| {
            for point in array.points() {
                let place = plan.place(ground, self.on_plane(point.position, None), false);
                let place = place.filter(|place| place.lowered.max(place.shifted) > 0.0);
                place.iter().for_each(|place| moved.add(&name(), place));
            }
        };
        for shot in setup.survey.shots() {
            add(&|| format!("the source of shot {}", shot.number), &shot.source);
            for receiver in shot.spread.receivers() {
                add(&|| format!("channel {} of shot {}", receiver.channel, shot.number), &receiver.array);
            }
        }
        moved.warnings()
    }
}

/// Samples the solid of a survey on the cells of its box.
///
/// # Errors
/// Insufficient memory; impossible stencils or layers.
pub(super) fn discretised(
    setup: &Setup,
    solid: &EarthModel,
    workers: &Workers,
    room: &Room,
) -> Result<Discretised, Error> {
    let fd = fd_of(setup);
    let scenario = scenario_of(setup, solid, &fd);
    let plan = GridPlan::new(&scenario, &fd);
    let stencil = stencil(fd.order, fd.holberg)?;
    let resolution = plan.resolution(&scenario, &fd);
    let interpolation = plan.interpolation(&resolution)?;
    let [dx, _, dz] = plan.grid.spacing;
    let width = setup.is_plane.then(|| WIDTH * dx.max(dz));
    let cells = plan.cells();
    let mut elastic =
        ElasticGrid { scenario, fd, plan, width, stencil, interpolation, whole: None, of_points: Vec::new() };
    room.require_of_each(Bytes((elastic.bytes_per_cell() * cells) as u64))?;
    let cells = workers.run(|| elastic.cells_of(&elastic.whole_window()))?;
    elastic.of_points = elastic.moved(setup, &cells).into_iter().chain(elastic.late(setup)).collect();
    let mut stable = workers.run(|| stable_step(&cells.medium, &cells.plan.boundaries, &elastic.stencil))?;
    if setup.fd.aperture.is_some() {
        // At the sides of a window, cells have copies of themselves as neighbours instead of the cells of the box.
        stable = stable.min(stable_if_homogeneous(&elastic.scenario, &cells.plan, &elastic.stencil)?);
    } else {
        elastic.whole = Some(cells.medium);
    }
    let interpolation = weights_of_channel(setup, elastic.interpolation.radius());
    Ok(Discretised {
        grid: elastic.box_of(setup.is_plane),
        around: elastic.plan.around,
        stable,
        points_per_wavelength: resolution.points_per_wavelength,
        interpolation,
        physics: Physics::Elastic(Box::new(elastic)),
    })
}

/// The weights of a position of a channel between grid points, as a mean over the recorded quantities.
///
/// # Arguments
/// * `radius` – half width of the interpolation window in cells
fn weights_of_channel(setup: &Setup, radius: usize) -> InterpolationNeed {
    let points = (2 * radius).pow(if setup.is_plane { 2 } else { 3 });
    let fields = |quantity: &Quantity| if quantity.is_velocity() { 1 } else { NORMAL_STRESSES };
    let all: usize = setup.heard.iter().map(fields).sum();
    let bytes = (BYTES_PER_WEIGHT * points * all).div_ceil(setup.heard.len().max(1));
    InterpolationNeed { points, bytes }
}

/// Largest stable time step [s] if the whole box had the speed of its fastest wave.
fn stable_if_homogeneous(scenario: &Scenario, plan: &GridPlan, stencil: &StaggeredStencil) -> Result<f64, Error> {
    let fastest = Extremes::new(scenario).fastest;
    let grid = Grid { cells: [1; 3], ..plan.grid };
    let medium = Medium::<f32>::new(grid, |_| Material::from_speeds(fastest, 0.0, 1000.0))?;
    Ok(stable_step(&medium, &Boundaries::all(Side::Rigid), stencil)?)
}

/// The finite-difference parameters of a survey as those of a scenario.
fn fd_of(setup: &Setup) -> config::Fd {
    let fd = &setup.fd;
    let layer = Cpml { cells: setup.absorbing.cells, reflection: setup.absorbing.reflection, ..Cpml::default() };
    config::Fd {
        max_frequency: fd.max_frequency,
        order: fd.order,
        holberg: fd.holberg,
        points_per_wavelength: fd.points_per_wavelength,
        grid_spacing: fd.grid_spacing,
        absorbing: config::Absorbing { cpml: Some(layer), ..Default::default() },
        sponge: None,
        precision: Precision::Single,
        memory: fd.memory.map(|memory| match memory {
            FluidMemory::Coarse => GridMemory::Coarse,
            FluidMemory::Full => GridMemory::Full,
        }),
        time_step: fd.time_step,
        courant: fd.courant,
        time_dispersion_correction: true,
    }
}

/// The box of a survey as a scenario without sources and receivers.
fn scenario_of(setup: &Setup, solid: &EarthModel, fd: &config::Fd) -> Scenario {
    let Extent { low, high } = setup.domain;
    let mut boundaries = [BoundaryKind::Absorbing; 6];
    if setup.is_free {
        boundaries[5] = BoundaryKind::Free;
    }
    let mut ends = [0, 1, 2].map(|axis| [low[axis], high[axis]]);
    if setup.is_plane {
        // Narrower than any cell, so that there is a single one.
        const NARROW: f64 = 1e-6;
        ends[1] = [-0.5 * NARROW, 0.5 * NARROW];
        boundaries[2..4].fill(BoundaryKind::Periodic);
    }
    Scenario::without_points(solid.clone(), ends, boundaries, Method::Fd(fd.clone()), setup.duration)
}
