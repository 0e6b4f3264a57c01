//! Previews of large grids: the time step and the time of a step are those of samples of the grid, which is not built.

use std::sync::Arc;

use craton_device::Workers;
use craton_fd::{Medium, Options, Problem, process_grid, stable_step};
use craton_numerics::staggered::StaggeredStencil;
use craton_run::Seconds;
use craton_sim::PartExchange;

use super::fd::{Described, Placing, solver};
use super::prepare::{DiscreteEarth, Discretised, Limit, Placed, PlacementReport, measured_seconds};
use super::running_solver::{Scalar, Started};
use crate::device::Device;
use crate::error::Error;
use crate::gridding::{GridPlan, GridSections, Search, stencil};
use crate::setup::Setup;
use crate::simulation::Marching;
use crate::time_axis::TimeAxis;

/// Largest number of cells of a grid that is built for a preview.
pub const MOST_CELLS: f64 = 3e6;
/// Approximate number of cells of a sample per CPU process and per GPU.
const SAMPLE: [f64; 2] = [1e6, 12e6];

/// A grid with samples of it.
struct SampledGrid<T: Scalar> {
    plan: GridPlan,
    stencil: StaggeredStencil,
    exchange: PartExchange,
    /// The parts that are measured.
    samples: [Sample<T>; 2],
}

/// A part of the grid with its medium.
struct Sample<T: Scalar> {
    plan: GridPlan,
    parts: [usize; 3],
    medium: Medium<T>,
}

/// Estimates the time step of a grid, and prepares samples to measure.
///
/// # Errors
/// As [`super::fd::prepare`].
pub fn sampled<T: Scalar>(described: Described, workers: &Workers) -> Result<DiscreteEarth, Error> {
    let Described { case, fd, plan, cut, .. } = &described;
    let (stencil, setup) = (stencil(fd.order, fd.holberg)?, case.setup);
    let Search { blocks, is_exact } = plan.search(setup);
    let of_block = |block: &GridPlan| {
        let medium = block.medium::<T>(setup, fd, [1; 3], &PartExchange::solo(1))?;
        Ok(stable_step(&medium, &block.boundaries, &stencil)?)
    };
    let stable = workers.run(|| blocks.iter().map(of_block).collect::<Result<Vec<f64>, Error>>())?;
    let stable = stable.into_iter().fold(f64::INFINITY, f64::min);
    let limit = Limit { dt: stable, cause: "the fastest wave in a cell".to_owned() };
    let (axis, mut preflight) = described.preflight::<T>(limit, workers)?;
    let of_part = SAMPLE[usize::from(matches!(case.device, Device::Gpus { .. }))];
    let sample = |part: GridPlan| {
        let parts = process_grid(&part.grid, &part.boundaries, fd.order / 2, cut.exchange.parts());
        let mut medium = workers.run(|| part.medium::<T>(setup, fd, parts, &cut.exchange))?;
        medium.tell(&part.boundaries, fd.order / 2, parts, &cut.exchange)?;
        Ok::<_, Error>(Sample { plan: part, parts, medium })
    };
    let [with_layers, without] = plan.parts_to_measure(of_part * cut.exchange.parts() as f64);
    let samples = [sample(with_layers)?, sample(without)?];
    if !is_exact {
        let columns: usize = blocks.iter().map(|block| block.grid.cells[0] * block.grid.cells[1]).sum();
        let all = plan.grid.cells[0] * plan.grid.cells[1];
        preflight.estimated.push(format!("the time step from {columns} of {all} columns of cells"));
    }
    let measured = samples.iter().map(|sample| sample.plan.cells()).fold(0.0, f64::max) / 1e6;
    preflight
        .estimated
        .push(format!("the time of a step, from parts of the grid of up to {measured:.1} million cells"));
    let Described { plan, cut, .. } = described;
    let earth = Box::new(SampledGrid { plan, stencil, exchange: cut.exchange, samples });
    Ok(DiscreteEarth { earth, axis, preflight })
}

impl<T: Scalar> Discretised for SampledGrid<T> {
    fn place(self: Box<Self>, setup: &Setup, axis: &TimeAxis) -> Result<(Box<dyn Placed>, PlacementReport), Error> {
        let kinds = GridSections::new(&self.plan, &setup.model);
        let (_, _, report) = Placing { plan: &self.plan, kinds: &kinds, setup, axis }.all()?;
        Ok((self, report))
    }
}

impl<T: Scalar> Placed for SampledGrid<T> {
    fn start(
        self: Box<Self>,
        device: &Device,
        axis: &TimeAxis,
        workers: Arc<Workers>,
    ) -> Result<Box<dyn Started>, Error> {
        let seconds = |sample: &Sample<T>| self.seconds(sample, device, axis, Arc::clone(&workers));
        let [with_layers, without] = self.samples.each_ref();
        let measured = [seconds(with_layers)?, seconds(without)?];
        let cells = [with_layers, without].map(|sample| sample.plan.cells());
        let in_layers = [with_layers, without].map(|sample| sample.plan.layer_cells());
        // The time of a step is proportional to the cells, and to those in layers.
        let whole = [self.plan.cells(), self.plan.layer_cells()];
        let determinant = cells[0] * in_layers[1] - cells[1] * in_layers[0];
        let of_layer = (cells[0] * measured[1] - cells[1] * measured[0]) / determinant;
        let of_cell = (measured[0] - of_layer * in_layers[0]) / cells[0];
        let seconds = match of_layer.is_finite() && of_layer > 0.0 && of_cell > 0.0 {
            true => of_cell * whole[0] + of_layer * whole[1],
            false => measured[0] / cells[0] * whole[0],
        };
        Ok(Box::new(Estimate(Seconds(seconds))))
    }
}

impl<T: Scalar> SampledGrid<T> {
    /// Expected time of a run on a sample [s].
    fn seconds(
        &self,
        sample: &Sample<T>,
        device: &Device,
        axis: &TimeAxis,
        workers: Arc<Workers>,
    ) -> Result<f64, Error> {
        let Sample { plan, parts, medium } = sample;
        let options = Options {
            stencil: self.stencil.clone(),
            boundaries: plan.boundaries,
            parts: *parts,
            interpolation: craton_numerics::sinc::WindowedSinc::smooth(),
            isa: craton_device::Isa::detect(),
        };
        let dt = axis.dt.min(stable_step(medium, &plan.boundaries, &self.stencil)?);
        let problem = Problem { medium, options: &options, dt, sources: &[], probes: &[] };
        let mut solver = solver(&problem, &self.exchange, device, workers)?;
        Ok(measured_seconds(&mut *solver, axis)?.0)
    }
}

/// The expected time of a run that has no solver.
pub(super) struct Estimate(pub Seconds);

impl Started for Estimate {
    fn serve(self: Box<Self>) -> Result<(), Error> {
        unreachable!("a preview does not run")
    }

    fn begin(self: Box<Self>, _: &Setup, _: &TimeAxis, _: u64) -> Result<Box<dyn Marching>, Error> {
        unreachable!("a preview does not run")
    }

    fn seconds(&mut self, _: &TimeAxis) -> Result<Seconds, Error> {
        Ok(self.0)
    }
}
