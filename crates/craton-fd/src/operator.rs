//! Finite differences on the cores of this process.

use std::sync::Arc;

use craton_device::{Isa, Workers};
use craton_numerics::sinc::WindowedSinc;
use craton_numerics::staggered::StaggeredStencil;
use craton_physics::face_buoyancy;
use craton_sim::{Failure, Instability, Operator, SampleRing};
use rayon::prelude::*;

use crate::block::Block;
use crate::boundary::Boundaries;
use crate::error::FdError;
use crate::exchange::{Halo, Link, exchange};
use crate::field::Field;
use crate::grid::Grid;
use crate::interpolate::Interpolation;
use crate::layout::Layout;
use crate::medium::Medium;
use crate::probes::{Probe, ProbeReader};
use crate::sources::{PointSource, Source};
use crate::stability::stable_step;
use crate::sweep::Precision;

/// How a problem is solved.
#[derive(Debug, Clone)]
pub struct Options {
    /// Coefficients of the derivatives.
    pub stencil: StaggeredStencil,
    /// What happens at the sides.
    pub boundaries: Boundaries,
    /// Parts along each axis; the result does not depend on them.
    pub parts: [usize; 3],
    /// Weights of sources and receivers between the points.
    pub interpolation: WindowedSinc,
    /// Instruction set.
    pub isa: Isa,
}

/// A medium in motion: velocities at half steps, stresses at whole ones.
pub struct FdOperator<T: Precision> {
    grid: Grid,
    pub(crate) boundaries: Boundaries,
    pub(crate) blocks: Vec<Block<T>>,
    links: Vec<Link<T>>,
    sources: Vec<Source>,
    probes: Vec<ProbeReader>,
    pub(crate) samples: SampleRing<T>,
    pub(crate) workers: Arc<Workers>,
    isa: Isa,
    pub(crate) step: u64,
    pub(crate) dt: f64,
    stable: f64,
}

impl<T: Precision> FdOperator<T> {
    /// At rest at step 0.
    ///
    /// # Arguments
    /// * `dt` – time step [s], at most [`stable_step`]
    /// * `sources` – their histories hold one value per step to be done
    /// * `probes` – what is sampled after each step
    /// # Errors
    /// Boundaries or parts that do not fit the grid, a time step beyond the stable one, sources and probes outside the box or in air.
    pub fn new(
        medium: &Medium<T>,
        options: &Options,
        dt: f64,
        sources: &[PointSource],
        probes: &[Probe],
        workers: Arc<Workers>,
    ) -> Result<Self, FdError> {
        let grid = *medium.grid();
        let boundaries = options.boundaries;
        let stable = stable_step(medium, &boundaries, &options.stencil)?;
        if !(dt > 0.0 && dt <= stable) {
            return Err(FdError::TimeStep { dt, stable });
        }
        let layouts = layouts(&grid, &boundaries, options.parts, options.stencil.half_length())?;
        let make = |layout| Block::new(medium, &boundaries, &options.stencil, layout, dt);
        let blocks = workers.run(|| layouts.into_iter().map(make).collect::<Result<Vec<_>, _>>())?;
        let interpolation = Interpolation { medium, boundaries: &boundaries, sinc: &options.interpolation };
        let layouts: Vec<&Layout> = blocks.iter().map(|block| &block.layout).collect();
        let buoyancy = |block: usize, local: [usize; 3], c: usize| {
            let (layout, rho) = (layouts[block], blocks[block].rho());
            let at = layout.at(local.map(|i| i as i64));
            face_buoyancy([rho[at - layout.stride[c]].to_f64(), rho[at].to_f64()])
        };
        let source = |source| Source::new(source, &interpolation, &layouts, buoyancy, dt);
        let sources = sources.iter().map(source).collect::<Result<_, _>>()?;
        let probe = |probe| ProbeReader::new(probe, &interpolation, &options.stencil, &layouts);
        let probes = probes.iter().map(probe).collect::<Result<Vec<_>, _>>()?;
        Ok(Self {
            grid,
            links: Link::all(options.parts, [0, 1, 2].map(|axis| boundaries.is_periodic(axis))),
            boundaries,
            sources,
            samples: SampleRing::new(probes.iter().map(ProbeReader::channels).sum()),
            probes,
            blocks,
            workers,
            isa: options.isa,
            step: 0,
            dt,
            stable,
        })
    }

    /// Its grid.
    pub fn grid(&self) -> &Grid {
        &self.grid
    }

    /// Largest stable time step [s].
    pub fn stable_step(&self) -> f64 {
        self.stable
    }

    /// Bytes of the fields, the material, the stencils and the absorbing layers.
    pub fn bytes(&self) -> usize {
        self.blocks.iter().map(Block::bytes).sum()
    }

    /// One step.
    fn advance_once(&mut self) {
        let (blocks, step, isa) = (&mut self.blocks[..], self.step as usize, self.isa);
        self.sources.iter().for_each(|source| source.add_moment(blocks, step));
        exchange(blocks, &mut self.links, Halo::Stresses);
        blocks.par_iter_mut().for_each(|block| block.advance_velocities(isa));
        self.sources.iter().for_each(|source| source.add_force(blocks, step));
        blocks.par_iter_mut().for_each(Block::fill_walls);
        exchange(blocks, &mut self.links, Halo::Velocities);
        blocks.par_iter_mut().for_each(|block| block.advance_stresses(isa));
        self.step += 1;
        self.sample();
    }

    fn sample(&mut self) {
        let mut row = self.samples.next_row();
        for probe in &self.probes {
            let (own, rest) = row.split_at_mut(probe.channels());
            probe.read(&self.blocks, own);
            row = rest;
        }
    }
}

impl<T: Precision> Operator for FdOperator<T> {
    type Error = Failure;

    fn step(&self) -> u64 {
        self.step
    }

    fn advance(&mut self, steps: u64) -> Result<(), Failure> {
        let workers = Arc::clone(&self.workers);
        workers.run(|| (0..steps).for_each(|_| self.advance_once()));
        Ok(())
    }

    fn longest_advance(&self) -> u64 {
        self.samples.capacity() as u64
    }

    fn check(&mut self) -> Result<(), Failure> {
        let broken = self.workers.run(|| self.blocks.iter().find_map(first_broken));
        let Some(point) = broken else { return Ok(()) };
        let position = [0, 1, 2].map(|axis| self.grid.origin[axis] + point[axis] as f64 * self.grid.spacing[axis]);
        Err(Instability { step: self.step, position, courant: self.dt / self.stable }.into())
    }
}

/// Global index of the first point with a velocity that is not finite.
fn first_broken<T: Precision>(block: &Block<T>) -> Option<[usize; 3]> {
    let layout = &block.layout;
    let [nx, ny, nz] = layout.cells;
    let velocities = [0, 1, 2].map(|component| block.field(Field::Velocity(component)));
    (0..nz).into_par_iter().find_map_first(|k| {
        let in_row = |j: usize| {
            let at = layout.at([0, j as i64, k as i64]);
            let broken = |i: &usize| velocities.iter().any(|values| !values[at + i].is_finite());
            Some([layout.first[0] + (0..nx).find(broken)?, layout.first[1] + j, layout.first[2] + k])
        };
        (0..ny).find_map(in_row)
    })
}

/// The blocks of a process grid, x fastest.
fn layouts(grid: &Grid, boundaries: &Boundaries, parts: [usize; 3], halo: usize) -> Result<Vec<Layout>, FdError> {
    for axis in 0..3 {
        let (cells, parts) = (grid.cells[axis], parts[axis]);
        // A stencil may cross no more than one cut.
        let is_cut = parts > 1 || boundaries.is_periodic(axis);
        if parts == 0 || is_cut && cells / parts < halo {
            return Err(FdError::Parts { axis, cells, parts, min: halo });
        }
    }
    let range = |axis: usize, part: usize| {
        let start = |part: usize| grid.cells[axis] * part / parts[axis];
        (start(part), start(part + 1))
    };
    let layout = |number: usize| {
        let place = [number % parts[0], number / parts[0] % parts[1], number / (parts[0] * parts[1])];
        let ranges = [0, 1, 2].map(|axis| range(axis, place[axis]));
        let extra = |axis: usize| usize::from(place[axis] + 1 == parts[axis] && !boundaries.is_periodic(axis));
        Layout::new(ranges.map(|(start, _)| start), ranges.map(|(start, end)| end - start), [0, 1, 2].map(extra), halo)
    };
    Ok((0..parts.iter().product()).map(layout).collect())
}
