//! The finite-difference solver on the CPU cores of this process.

use std::sync::Arc;

use craton_device::{Isa, Workers};
use craton_numerics::sinc::WindowedSinc;
use craton_numerics::staggered::StaggeredStencil;
use craton_sim::{Failure, Link, Messaging, PartExchange, SampleRing};
use rayon::prelude::*;

use crate::block::Block;
use crate::boundary::Boundaries;
use crate::error::FdError;
use crate::exchange::{self, Halo};
use crate::march::March;
use crate::medium::Medium;
use crate::part::Part;
use crate::part_selection::PartSelection;
use crate::part_set::PartSet;
use crate::probes::{self, Probe};
use crate::saved::Saved;
use crate::selection::Vector;
use crate::setup::{Problem, Setup, discretise};
use crate::sources::PointSource;
use crate::sweep::Precision;
use crate::window::Brick;
use craton_fd_kernels::Field;

/// Discretisation of a problem.
#[derive(Debug, Clone)]
pub struct Options {
    /// Coefficients of the derivatives.
    pub stencil: StaggeredStencil,
    /// Boundary conditions and sponges.
    pub boundaries: Boundaries,
    /// Parts along each axis; the result does not depend on them. See [`crate::process_grid`].
    pub parts: [usize; 3],
    /// Interpolation at sources and receivers between grid points.
    pub interpolation: WindowedSinc,
    /// Instruction set.
    pub isa: Isa,
}

/// The running solver on the CPU cores of this process: velocities at half steps, stresses at whole steps.
pub type FdOperator<T> = PartSet<T, CpuPart<T>>;

impl<T: Precision> FdOperator<T> {
    /// Creates the solver at rest at step 0, in the parts of `options`.
    ///
    /// # Arguments
    /// * `dt` – time step [s], at most [`crate::stable_step`]
    /// * `sources` – point sources, whose histories have one value per step
    /// * `probes` – points that are sampled after each step
    ///
    /// # Errors
    /// Boundaries or parts that do not fit the grid, an unstable time step, sources and probes outside the box or in air.
    pub fn new(
        medium: &Medium<T>,
        options: &Options,
        dt: f64,
        sources: &[PointSource],
        probes: &[Probe],
        workers: Arc<Workers>,
    ) -> Result<Self, FdError> {
        let exchange = PartExchange::solo(options.parts.iter().product());
        Self::distributed(&Problem { medium, options, dt, sources, probes }, &exchange, workers)
    }

    /// Creates the solver on one of several ranks that share the parts.
    ///
    /// # Errors
    /// As [`Self::new`].
    ///
    /// # Panics
    /// If the numbers of parts of the exchange and of the options differ.
    pub fn distributed(problem: &Problem<T>, exchange: &PartExchange, workers: Arc<Workers>) -> Result<Self, FdError> {
        let threads = workers.threads().div_ceil(exchange.own().len());
        let (shared, parts) = discretise(problem, exchange, workers)?;
        let part = |setup| CpuPart::new(setup, problem.options.isa, threads);
        Ok(Self::from_parts(shared, parts.into_iter().map(part).collect()))
    }
}

/// A part that is advanced on the CPU.
pub struct CpuPart<T: Precision> {
    setup: Setup<T>,
    march: March,
    samples: SampleRing<T>,
    /// Its points of each selection.
    selections: Vec<PartSelection<T>>,
    isa: Isa,
    step: u64,
}

impl<T: Precision> CpuPart<T> {
    /// # Arguments
    /// * `threads` – number of threads that advance the part
    fn new(mut setup: Setup<T>, isa: Isa, threads: usize) -> Self {
        let (march, samples) = (March::new(&mut setup, threads), SampleRing::new(setup.values.len()));
        Self { setup, march, samples, selections: Vec::new(), isa, step: 0 }
    }

    /// Adds the moments of sources before the velocity update, their forces before the stress update.
    fn add_sources(&mut self, half: usize) {
        let (Setup { block, sources, .. }, step) = (&mut self.setup, self.step as usize);
        match half {
            0 => sources.iter().for_each(|source| source.add_moment(block, step)),
            _ => sources.iter().for_each(|source| source.add_force(block, step)),
        }
    }

    /// Prescribes the velocities at paraxial sides, before the stress update.
    fn fill_walls(&mut self, half: usize) {
        if half == 1 {
            self.setup.block.fill_walls();
        }
    }

    /// Fills halos across axes that are periodic within the part.
    fn close_axes(&mut self, half: usize) {
        let Setup { block, closed, .. } = &mut self.setup;
        closed.iter().for_each(|&axis| exchange::close(block, axis, Halo::BEFORE[half]));
    }

    /// Updates inner points during the message exchange of a half. Marching points do nothing in the first half and both updates in the second.
    fn advance_inner(&mut self, half: usize) {
        let (block, march, isa) = (&mut self.setup.block, &self.march, self.isa);
        if half == 0 {
            block.advance_velocities(isa, &march.remaining);
        } else {
            block.march(isa, march, self.step as usize);
            block.advance_stresses(isa, &march.remaining);
        }
    }

    /// Updates the points whose stencils need received messages.
    fn advance_outer(&mut self, half: usize) {
        let Setup { block, regions, .. } = &mut self.setup;
        match half {
            0 => block.advance_velocities(self.isa, &regions.outer),
            _ => block.advance_stresses(self.isa, &regions.outer),
        }
    }

    /// Records the samples of a completed step, and sums displacements.
    fn sample(&mut self) {
        probes::read(&self.setup.values, &self.setup.block, self.samples.next_row());
        self.selections.iter_mut().for_each(|selection| selection.add(&self.setup.block));
    }
}

/// Message buffers of all parts of this process.
struct MessageBuffers<T> {
    links: Vec<Vec<Link>>,
    outgoing: Vec<Vec<T>>,
    incoming: Vec<Vec<T>>,
}

impl<T: Precision> MessageBuffers<T> {
    fn new(parts: &[CpuPart<T>]) -> Self {
        let room = || parts.iter().map(|part| vec![T::default(); part.setup.messages.values()]).collect();
        let links = parts.iter().map(|part| part.setup.messages.links.clone()).collect();
        Self { links, outgoing: room(), incoming: room() }
    }
}

/// Advances all parts by half a step: inner points, whose stencils stay within their part, during the message exchange; then the outer points.
fn advance_half<T: Precision>(
    parts: &mut [CpuPart<T>],
    buffers: &mut MessageBuffers<T>,
    half: usize,
    exchange: &PartExchange,
    workers: &Workers,
) -> Result<(), Failure> {
    let MessageBuffers { links, outgoing, incoming } = buffers;
    let (links, halo): (Vec<&[Link]>, _) = (links.iter().map(|links| &links[..]).collect(), Halo::BEFORE[half]);
    let messaging = exchange.messaging();
    workers.run(|| {
        parts.par_iter_mut().zip(&mut *outgoing).for_each(|(part, values)| {
            part.add_sources(half);
            part.fill_walls(half);
            part.close_axes(half);
            if messaging != Messaging::Silent {
                part.setup.messages.pack(&part.setup.block, halo, values);
            }
        });
    });
    let mut advance_inner = || workers.run(|| parts.par_iter_mut().for_each(|part| part.advance_inner(half)));
    exchange.exchange_during(&links, outgoing, incoming, &mut advance_inner)?;
    workers.run(|| {
        parts.par_iter_mut().zip(&*incoming).for_each(|(part, values)| {
            if messaging != Messaging::Silent {
                part.setup.messages.unpack(&mut part.setup.block, halo, values);
            }
            part.advance_outer(half);
        });
    });
    Ok(())
}

impl<T: Precision> Part<T> for CpuPart<T> {
    const LANES: usize = 1;

    fn step(&self) -> u64 {
        self.step
    }

    fn advance_all(parts: &mut [Self], exchange: &PartExchange, workers: &Workers, steps: u64) -> Result<(), Failure> {
        let mut buffers = MessageBuffers::new(parts);
        let mut all = || {
            (0..steps).try_for_each(|_| {
                (0..2).try_for_each(|half| advance_half(parts, &mut buffers, half, exchange, workers))?;
                workers.run(|| parts.iter_mut().for_each(Self::sample));
                parts.iter_mut().for_each(|part| part.step += 1);
                Ok(())
            })
        };
        // With several ranks, messages must be exchanged on the thread of the time loop.
        if exchange.ranks().count() == 1 { workers.run(all) } else { all() }
    }

    fn take_samples(&mut self) -> Result<Vec<T>, Failure> {
        Ok(self.samples.take())
    }

    fn broken_cell(&mut self, workers: &Workers) -> Result<Option<[usize; 3]>, Failure> {
        Ok(workers.run(|| first_broken(&self.setup.block)))
    }

    fn load(&mut self, _array: Saved) -> Result<(), Failure> {
        Ok(())
    }

    fn loaded(&mut self) -> &mut Block<T> {
        &mut self.setup.block
    }

    fn unload(&mut self, _array: Saved, _changed: bool) -> Result<(), Failure> {
        Ok(())
    }

    fn select(&mut self, bricks: Vec<Brick>, is_summed: bool) -> Result<(), Failure> {
        self.selections.push(PartSelection::new(bricks, is_summed));
        Ok(())
    }

    fn read(&self, selection: usize, vector: Vector) -> Result<Vec<T>, Failure> {
        Ok(self.selections[selection].read(&self.setup.block, vector))
    }

    fn replace_sums(&mut self, selection: usize, sums: &[T]) -> Result<(), Failure> {
        self.selections[selection].replace(sums);
        Ok(())
    }

    fn restore_step(&mut self, step: u64) -> Result<(), Failure> {
        // Samples of steps that are undone are lost.
        self.samples.take();
        self.step = step;
        Ok(())
    }

    fn bytes(&self) -> usize {
        self.setup.block.bytes()
    }
}

/// Global index of the first cell with a velocity that is not finite.
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
