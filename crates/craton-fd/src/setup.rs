//! What all devices begin with: the checks of a problem, the blocks of this rank at rest, sources and probes as places and weights.

use std::ops::Range;
use std::sync::Arc;

use craton_device::Workers;
use craton_numerics::staggered::StaggeredStencil;
use craton_physics::face_buoyancy;
use craton_sim::{Common, Crew, Orders, Rows};

use crate::block::Block;
use crate::cut::Cut;
use crate::error::FdError;
use crate::exchange::Messages;
use crate::interpolate::Interpolation;
use crate::medium::Medium;
use crate::operator::Options;
use crate::probes::{Probe, Sampling, Value};
use crate::regions::{self, Points, Regions};
use crate::saved::Canonical;
use crate::sources::{PointSource, Source};
use crate::stability::stable_step;
use crate::sweep::Precision;

/// A problem, as all ranks know it.
pub struct Problem<'a, T> {
    /// Material.
    pub medium: &'a Medium<T>,
    /// How it is solved; its parts are those of all ranks.
    pub options: &'a Options,
    /// Time step [s], at most [`crate::stable_step`].
    pub dt: f64,
    /// Their histories hold one value per step to be done.
    pub sources: &'a [PointSource],
    /// What is sampled after each step.
    pub probes: &'a [Probe],
}

/// A part at rest.
pub struct Setup<T: Precision> {
    /// Its cells.
    pub block: Block<T>,
    /// Which of them wait for messages.
    pub regions: Regions,
    /// What it tells its neighbours.
    pub messages: Messages,
    /// Axes that close on themselves in it.
    pub closed: Vec<usize>,
    /// What moves it.
    pub sources: Vec<Source>,
    /// What is sampled of it.
    pub values: Vec<Value>,
}

/// What all parts have in common.
pub struct Ground {
    /// The order of a saved state.
    pub canonical: Canonical,
    /// The parts, and how they reach one another.
    pub crew: Crew,
    /// The blocks of all parts.
    pub cut: Cut,
    /// Between the points.
    pub interpolation: Interpolation,
    /// Coefficients of the derivatives.
    pub stencil: StaggeredStencil,
    /// Who samples what.
    pub sampling: Sampling,
    /// What any method has.
    pub common: Common,
    /// Largest stable time step [s].
    pub stable: f64,
    /// Part of the points of this rank that wait for messages [–].
    pub outer: f64,
}

/// The parts of this rank at rest; the errors are those of [`crate::FdOperator::new`].
pub fn at_rest<T: Precision>(
    problem: &Problem<T>,
    crew: &Crew,
    workers: Arc<Workers>,
) -> Result<(Ground, Vec<Setup<T>>), FdError> {
    let Problem { medium, options, dt, probes, .. } = *problem;
    let boundaries = options.boundaries;
    let stable = workers.run(|| stable_step(medium, &boundaries, &options.stencil))?;
    if !(dt > 0.0 && dt <= stable) {
        return Err(FdError::TimeStep { dt, stable });
    }
    let cut = Cut::new(medium.grid(), &boundaries, options.stencil.half_length(), options.parts)?;
    assert_eq!(cut.count(), crew.parts(), "as many parts as the crew has");
    let own = crew.own();
    let make = |part| Block::new(medium, &boundaries, &options.stencil, cut.layout(part), dt);
    let blocks = workers.run(|| own.clone().map(make).collect::<Result<Vec<_>, _>>())?;
    let interpolation =
        workers.run(|| Interpolation::new(medium, &boundaries, &options.interpolation, &options.stencil));
    let of_parts = place_sources(problem, &interpolation, &cut, &own, &blocks)?;
    let (sampling, values) = Sampling::new(probes, &interpolation, &options.stencil, &cut, own.clone())?;
    let rows = Rows::new(sampling.rows.clone(), 0);
    let common = Common { orders: Orders::new(Arc::clone(crew.ranks())), rows, workers, dt, courant: dt / stable };
    let canonical = Canonical { grid: *medium.grid(), boundaries };
    let of_part = |(((part, block), sources), values): (((usize, Block<T>), _), _)| Setup {
        regions: Regions::new(&cut, part, &block.layout),
        messages: Messages::new(&cut, part, &block.layout),
        closed: (0..3).filter(|&axis| cut.closes(axis)).collect(),
        block,
        sources,
        values,
    };
    let parts: Vec<Setup<T>> = own.zip(blocks).zip(of_parts).zip(values).map(of_part).collect();
    let ground = Ground {
        canonical,
        crew: crew.clone(),
        cut,
        interpolation,
        stencil: options.stencil.clone(),
        sampling,
        common,
        stable,
        outer: outer_share(&parts),
    };
    Ok((ground, parts))
}

/// What all sources do in each of `own` parts, whose blocks are given.
fn place_sources<T: Precision>(
    problem: &Problem<T>,
    interpolation: &Interpolation,
    cut: &Cut,
    own: &Range<usize>,
    blocks: &[Block<T>],
) -> Result<Vec<Vec<Source>>, FdError> {
    let buoyancy = |block: usize, at: usize, c: usize| {
        let Block { layout, material, .. } = &blocks[block];
        face_buoyancy([material.rho[at - layout.stride[c]].to_f64(), material.rho[at].to_f64()])
    };
    let mut of_parts: Vec<Vec<Source>> = own.clone().map(|_| Vec::new()).collect();
    for source in problem.sources {
        let of_source = Source::new(source, interpolation, cut, own, buoyancy, problem.dt)?;
        of_parts.iter_mut().zip(of_source).for_each(|(all, of_source)| all.extend(of_source));
    }
    Ok(of_parts)
}

/// Part of the points of this rank that wait for messages [–].
fn outer_share<T: Precision>(parts: &[Setup<T>]) -> f64 {
    let count = |of: fn(&Regions) -> &[Points]| {
        let points: usize = parts.iter().map(|part| regions::count(of(&part.regions))).sum();
        points as f64
    };
    let [inner, outer] = [count(|regions| &regions.inner), count(|regions| &regions.outer)];
    outer / (inner + outer)
}
