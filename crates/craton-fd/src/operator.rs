//! Finite differences on the cores of this process.

use std::sync::Arc;

use craton_device::{Isa, Workers};
use craton_numerics::sinc::WindowedSinc;
use craton_numerics::staggered::StaggeredStencil;
use craton_sim::{Crew, Failure, Link, Messaging, SampleRing};
use rayon::prelude::*;

use crate::block::Block;
use crate::boundary::Boundaries;
use crate::ensemble::Ensemble;
use crate::error::FdError;
use crate::exchange::{self, Halo};
use crate::march::March;
use crate::medium::Medium;
use crate::part::Part;
use crate::probes::{self, Probe};
use crate::selection::Vector;
use crate::setup::{Problem, Setup, at_rest};
use crate::sources::PointSource;
use crate::sums::Share;
use crate::sweep::Precision;
use crate::window::Brick;
use craton_fd_kernels::Field;

/// How a problem is solved.
#[derive(Debug, Clone)]
pub struct Options {
    /// Coefficients of the derivatives.
    pub stencil: StaggeredStencil,
    /// What happens at the sides.
    pub boundaries: Boundaries,
    /// Parts along each axis; the result does not depend on them. See [`crate::process_grid`].
    pub parts: [usize; 3],
    /// Weights of sources and receivers between the points.
    pub interpolation: WindowedSinc,
    /// Instruction set.
    pub isa: Isa,
}

/// A medium in motion on the cores of this process: velocities at half steps, stresses at whole ones.
pub type FdOperator<T> = Ensemble<T, CpuPart<T>>;

impl<T: Precision> FdOperator<T> {
    /// At rest at step 0, in the parts of `options`.
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
        let crew = Crew::solo(options.parts.iter().product());
        Self::of_crew(&Problem { medium, options, dt, sources, probes }, &crew, workers)
    }

    /// The same, one of several ranks that have these parts together.
    ///
    /// # Errors
    /// As [`Self::new`].
    ///
    /// # Panics
    /// If the crew has not as many parts as the options.
    pub fn of_crew(problem: &Problem<T>, crew: &Crew, workers: Arc<Workers>) -> Result<Self, FdError> {
        let threads = workers.threads().div_ceil(crew.own().len());
        let (ground, parts) = at_rest(problem, crew, workers)?;
        let part = |setup| CpuPart::new(setup, problem.options.isa, threads);
        Ok(Self::from_parts(ground, parts.into_iter().map(part).collect()))
    }
}

/// A block in motion.
pub struct CpuPart<T: Precision> {
    setup: Setup<T>,
    march: March,
    samples: SampleRing<T>,
    /// What it has of the selections.
    shares: Vec<Share<T>>,
    isa: Isa,
    step: u64,
}

impl<T: Precision> CpuPart<T> {
    /// # Arguments
    /// * `threads` – that work on it
    fn new(mut setup: Setup<T>, isa: Isa, threads: usize) -> Self {
        let (march, samples) = (March::new(&mut setup, threads), SampleRing::new(setup.values.len()));
        Self { setup, march, samples, shares: Vec::new(), isa, step: 0 }
    }

    /// What comes before a half of the step: sources, sides, halos across axes that close here.
    fn prepare(&mut self, half: usize) {
        let (Setup { block, sources, closed, .. }, step) = (&mut self.setup, self.step as usize);
        if half == 0 {
            sources.iter().for_each(|source| source.add_moment(block, step));
        } else {
            sources.iter().for_each(|source| source.add_force(block, step));
            block.fill_walls();
        }
        closed.iter().for_each(|&axis| exchange::close(block, axis, Halo::BEFORE[half]));
    }

    /// What moves while messages travel before a half: of points that march nothing before the first one, and both halves before the second.
    fn advance_inner(&mut self, half: usize) {
        let (block, march, isa) = (&mut self.setup.block, &self.march, self.isa);
        if half == 0 {
            block.advance_velocities(isa, &march.apart);
        } else {
            block.march(isa, march, self.step as usize);
            block.advance_stresses(isa, &march.apart);
        }
    }

    /// What waits for messages.
    fn advance_outer(&mut self, half: usize) {
        let Setup { block, regions, .. } = &mut self.setup;
        match half {
            0 => block.advance_velocities(self.isa, &regions.outer),
            _ => block.advance_stresses(self.isa, &regions.outer),
        }
    }

    fn finish_step(&mut self) {
        self.step += 1;
        probes::read(&self.setup.values, &self.setup.block, self.samples.next_row());
        self.shares.iter_mut().for_each(|share| share.add(&self.setup.block));
    }
}

/// The messages of all parts of this process.
struct Mail<T> {
    links: Vec<Vec<Link>>,
    outgoing: Vec<Vec<T>>,
    incoming: Vec<Vec<T>>,
}

impl<T: Precision> Mail<T> {
    fn new(parts: &[CpuPart<T>]) -> Self {
        let room = || parts.iter().map(|part| vec![T::default(); part.setup.messages.values()]).collect();
        let links = parts.iter().map(|part| part.setup.messages.links.clone()).collect();
        Self { links, outgoing: room(), incoming: room() }
    }
}

/// Half of a step: messages travel while points move whose stencils end in their part; then the others do.
fn advance_half<T: Precision>(
    parts: &mut [CpuPart<T>],
    mail: &mut Mail<T>,
    half: usize,
    crew: &Crew,
    workers: &Workers,
) -> Result<(), Failure> {
    let Mail { links, outgoing, incoming } = mail;
    let (links, halo): (Vec<&[Link]>, _) = (links.iter().map(|links| &links[..]).collect(), Halo::BEFORE[half]);
    let messaging = crew.messaging();
    workers.run(|| {
        parts.par_iter_mut().zip(&mut *outgoing).for_each(|(part, values)| {
            part.prepare(half);
            if messaging != Messaging::Silent {
                part.setup.messages.pack(&part.setup.block, halo, values);
            }
        });
    });
    let mut move_inner = || workers.run(|| parts.par_iter_mut().for_each(|part| part.advance_inner(half)));
    match messaging {
        Messaging::Overlapped => crew.exchange(&links, outgoing, incoming, &mut move_inner)?,
        Messaging::Blocking => {
            crew.exchange(&links, outgoing, incoming, &mut || ())?;
            move_inner();
        }
        Messaging::Unsent | Messaging::Silent => move_inner(),
    }
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

    fn advance_all(parts: &mut [Self], crew: &Crew, workers: &Workers, steps: u64) -> Result<(), Failure> {
        let mut mail = Mail::new(parts);
        let mut all = || {
            (0..steps).try_for_each(|_| {
                (0..2).try_for_each(|half| advance_half(parts, &mut mail, half, crew, workers))?;
                workers.run(|| parts.iter_mut().for_each(Self::finish_step));
                Ok(())
            })
        };
        // Ranks exchange messages on the thread that the time loop runs on.
        if crew.ranks().count() == 1 { workers.run(all) } else { all() }
    }

    fn take_samples(&mut self) -> Result<Vec<T>, Failure> {
        Ok(self.samples.take())
    }

    fn broken_cell(&mut self, workers: &Workers) -> Result<Option<[usize; 3]>, Failure> {
        Ok(workers.run(|| first_broken(&self.setup.block)))
    }

    fn load(&mut self, _array: usize) -> Result<(), Failure> {
        Ok(())
    }

    fn loaded(&mut self) -> &mut Block<T> {
        &mut self.setup.block
    }

    fn unload(&mut self, _array: usize, _changed: bool) -> Result<(), Failure> {
        Ok(())
    }

    fn select(&mut self, bricks: Vec<Brick>, is_summed: bool) -> Result<(), Failure> {
        self.shares.push(Share::new(bricks, is_summed));
        Ok(())
    }

    fn read(&self, selection: usize, vector: Vector) -> Result<Vec<T>, Failure> {
        Ok(self.shares[selection].read(&self.setup.block, vector))
    }

    fn replace_sums(&mut self, selection: usize, sums: &[T]) -> Result<(), Failure> {
        self.shares[selection].replace(sums);
        Ok(())
    }

    fn restore_step(&mut self, step: u64) -> Result<(), Failure> {
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
