//! Finite differences on the cores of this process.

use std::sync::Arc;

use craton_device::{Isa, Workers};
use craton_numerics::sinc::WindowedSinc;
use craton_numerics::staggered::StaggeredStencil;
use craton_sim::{Failure, Instability, Operator, SampleRing};
use rayon::prelude::*;

use crate::block::Block;
use crate::boundary::Boundaries;
use crate::error::FdError;
use crate::exchange::{Halo, Link, exchange};
use crate::field::Field;
use crate::grid::Grid;
use crate::medium::Medium;
use crate::probes::{Probe, ProbeReader};
use crate::saved::Canonical;
use crate::setup::Setup;
use crate::sources::{PointSource, Source};
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
    pub(crate) canonical: Canonical,
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
    /// * `dt` – time step [s], at most [`crate::stable_step`]
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
        let Setup { blocks, sources, probes, stable } =
            Setup::new(medium, options, options.parts, dt, sources, probes, &workers)?;
        let canonical = Canonical { grid: *medium.grid(), boundaries: options.boundaries };
        Ok(Self {
            links: Link::all(options.parts, [0, 1, 2].map(|axis| options.boundaries.is_periodic(axis))),
            canonical,
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
        &self.canonical.grid
    }

    /// Points of a field along each axis: one more than cells where it stands on whole points, unless the axis closes on itself or a layer ends it.
    pub fn shape(&self, field: Field) -> [usize; 3] {
        self.canonical.shape(field)
    }

    /// A field on the whole grid, x fastest, of [`Self::shape`]; velocities [m/s] half a step before the present one, stresses [Pa].
    pub fn field(&self, field: Field) -> Vec<T> {
        self.canonical.field(&self.blocks, field)
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
        let position = self.canonical.grid.corner(point);
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
