//! The discretised problem, common to all devices: checks, the blocks of this rank at rest, array indices and weights of sources and probes.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use craton_device::Workers;
use craton_sim::{Common, PartExchange, Requests, Rows};

use crate::across::Stiffnesses;
use crate::block::Block;
use crate::cut::Cut;
use crate::derivatives::Derivatives;
use crate::error::FdError;
use crate::exchange::Messages;
use crate::interpolate::Interpolation;
use crate::medium::Medium;
use crate::operator::Options;
use crate::probes::{Probe, ProbeQuantity, Sampling, Value};
use crate::regions::{self, Points, Regions};
use crate::relaxation::Mechanisms;
use crate::saved::Canonical;
use crate::sources::{GridSource, PointSource};
use crate::stability::stable_step;
use crate::sweep::Precision;
use craton_fd_kernels::Field;

/// A problem to solve, identical on all ranks.
pub struct Problem<'a, T> {
    /// Material.
    pub medium: &'a Medium<T>,
    /// Discretisation; its parts are those of all ranks.
    pub options: &'a Options,
    /// Time step [s], at most [`crate::stable_step`].
    pub dt: f64,
    /// Point sources, whose histories have one value per step.
    pub sources: &'a [PointSource],
    /// Points that are sampled after each step.
    pub probes: &'a [Probe],
}

/// A discretised part at rest.
pub struct Setup<T: Precision> {
    /// Its cells.
    pub block: Block<T>,
    /// Inner and outer points.
    pub regions: Regions,
    /// Messages to and from its neighbours.
    pub messages: Messages,
    /// Axes that are periodic within the part.
    pub closed: Vec<usize>,
    /// Sources in the part.
    pub sources: Vec<GridSource>,
    /// Values that are sampled from it.
    pub values: Vec<Value>,
}

/// The part of the discretised problem that all parts share.
pub struct SharedSetup {
    /// The order of a saved state.
    pub canonical: Canonical,
    /// The parts of all ranks, and their communication.
    pub exchange: PartExchange,
    /// Decomposition of the grid into blocks.
    pub cut: Cut,
    /// Interpolation between grid points.
    pub interpolation: Interpolation,
    /// Assignment of samples to parts.
    pub sampling: Sampling,
    /// State that the solvers of all methods have.
    pub common: Common,
    /// Largest stable time step [s].
    pub stable: f64,
    /// Fraction of the points of this rank that need messages [–].
    pub outer: f64,
}

/// Discretises a problem: the parts of this rank at rest. The errors are those of [`crate::FdOperator::new`].
pub fn discretise<T: Precision>(
    problem: &Problem<T>,
    exchange: &PartExchange,
    workers: Arc<Workers>,
) -> Result<(SharedSetup, Vec<Setup<T>>), FdError> {
    let Problem { medium, options, dt, probes, .. } = *problem;
    let boundaries = options.boundaries;
    let stable = workers.run(|| stable_step(medium, &boundaries, &options.stencil))?;
    if !(dt > 0.0 && dt <= stable) {
        return Err(FdError::TimeStep { dt, stable });
    }
    let cut = Cut::new(medium.grid(), &boundaries, options.stencil.half_length(), options.parts)?;
    assert_eq!(cut.count(), exchange.parts(), "the numbers of parts of the options and of the exchange are equal");
    let own = exchange.own();
    let derivatives = workers.run(|| Derivatives::new(medium.grid(), &boundaries, &medium.kinds(), &options.stencil));
    let make = |part| Block::new(medium, &boundaries, &derivatives, cut.layout(part), dt);
    let blocks = workers.run(|| own.clone().map(make).collect::<Result<Vec<_>, _>>())?;
    let interpolation = workers.run(|| Interpolation::new(medium, &boundaries, &options.interpolation, derivatives));
    let cells = cells_at_interfaces(problem, &interpolation)?;
    let is_own = |cell: [usize; 3]| own.contains(&cut.place_of(cell).0);
    let stiffnesses = Stiffnesses::gather(cells, medium, &boundaries, is_own, &**exchange.ranks())?;
    let of_parts = place_sources(problem, &interpolation, &cut, &own, &blocks)?;
    let (sampling, values) = Sampling::new(probes, &interpolation, &stiffnesses, &cut, own.clone())?;
    let rows = Rows::new(sampling.rows.clone(), 0);
    let common =
        Common { requests: Requests::new(Arc::clone(exchange.ranks())), rows, workers, dt, courant: dt / stable };
    let sets = medium.mechanisms().map_or(0, Mechanisms::sets);
    let canonical = Canonical { grid: *medium.grid(), boundaries, sets };
    let of_part = |(((part, block), sources), values): (((usize, Block<T>), _), _)| Setup {
        regions: Regions::new(&cut, part, &block.layout),
        messages: Messages::new(&cut, part, &block.layout),
        closed: (0..3).filter(|&axis| cut.closes(axis)).collect(),
        block,
        sources,
        values,
    };
    let parts: Vec<Setup<T>> = own.zip(blocks).zip(of_parts).zip(values).map(of_part).collect();
    let shared = SharedSetup {
        canonical,
        exchange: exchange.clone(),
        cut,
        interpolation,
        sampling,
        common,
        stable,
        outer: outer_share(&parts),
    };
    Ok((shared, parts))
}

/// The cells of the stress points of gradients next to interfaces of solids.
fn cells_at_interfaces<T: Precision>(
    problem: &Problem<T>,
    interpolation: &Interpolation,
) -> Result<BTreeSet<[usize; 3]>, FdError> {
    let mut cells = BTreeSet::new();
    for stress in (0..6).map(Field::Stress) {
        for probe in
            problem.probes.iter().filter(|probe| probe.quantity == ProbeQuantity::Gradient && probe.interface.is_some())
        {
            cells.extend(interpolation.weights(stress, probe.position)?.into_iter().map(|(point, _)| point));
        }
    }
    Ok(cells)
}

/// The effect of all sources on each of `own` parts, whose blocks are given.
fn place_sources<T: Precision>(
    problem: &Problem<T>,
    interpolation: &Interpolation,
    cut: &Cut,
    own: &Range<usize>,
    blocks: &[Block<T>],
) -> Result<Vec<Vec<GridSource>>, FdError> {
    let buoyancy = |block: usize, at: usize, c: usize| blocks[block].buoyancy(at, c);
    let mut of_parts: Vec<Vec<GridSource>> = own.clone().map(|_| Vec::new()).collect();
    for source in problem.sources {
        let of_source = GridSource::new(source, interpolation, cut, own, problem.medium, buoyancy, problem.dt)?;
        of_parts.iter_mut().zip(of_source).for_each(|(all, of_source)| all.extend(of_source));
    }
    Ok(of_parts)
}

/// Fraction of the points of this rank that need messages [–].
fn outer_share<T: Precision>(parts: &[Setup<T>]) -> f64 {
    let count = |of: fn(&Regions) -> &[Points]| {
        let points: usize = parts.iter().map(|part| regions::count(of(&part.regions))).sum();
        points as f64
    };
    let [inner, outer] = [count(|regions| &regions.inner), count(|regions| &regions.outer)];
    outer / (inner + outer)
}
