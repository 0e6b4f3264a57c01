//! What all devices begin with: the checks of a problem, its blocks at rest, its sources and probes as places and weights.

use craton_device::Workers;
use craton_physics::face_buoyancy;

use crate::block::Block;
use crate::boundary::Boundaries;
use crate::error::FdError;
use crate::grid::Grid;
use crate::interpolate::Interpolation;
use crate::layout::Layout;
use crate::medium::Medium;
use crate::operator::Options;
use crate::probes::{Probe, ProbeReader};
use crate::sources::{PointSource, Source};
use crate::stability::stable_step;
use crate::sweep::Precision;

/// A problem at rest.
pub struct Setup<T: Precision> {
    /// The parts of the grid.
    pub blocks: Vec<Block<T>>,
    /// What moves them.
    pub sources: Vec<Source>,
    /// What is sampled.
    pub probes: Vec<ProbeReader>,
    /// Largest stable time step [s].
    pub stable: f64,
}

impl<T: Precision> Setup<T> {
    /// Cuts the grid into `parts` along each axis; the other arguments and the errors are those of [`crate::FdOperator::new`].
    pub fn new(
        medium: &Medium<T>,
        options: &Options,
        parts: [usize; 3],
        dt: f64,
        sources: &[PointSource],
        probes: &[Probe],
        workers: &Workers,
    ) -> Result<Self, FdError> {
        let boundaries = options.boundaries;
        let stable = workers.run(|| stable_step(medium, &boundaries, &options.stencil))?;
        if !(dt > 0.0 && dt <= stable) {
            return Err(FdError::TimeStep { dt, stable });
        }
        let layouts = layouts(medium.grid(), &boundaries, parts, options.stencil.half_length())?;
        let make = |layout| Block::new(medium, &boundaries, &options.stencil, layout, dt);
        let blocks = workers.run(|| layouts.into_iter().map(make).collect::<Result<Vec<_>, _>>())?;
        let interpolation = Interpolation { medium, boundaries: &boundaries, sinc: &options.interpolation };
        let layouts: Vec<&Layout> = blocks.iter().map(|block| &block.layout).collect();
        let buoyancy = |block: usize, local: [usize; 3], c: usize| {
            let (layout, rho) = (layouts[block], &blocks[block].material.rho);
            let at = layout.at(local.map(|i| i as i64));
            face_buoyancy([rho[at - layout.stride[c]].to_f64(), rho[at].to_f64()])
        };
        let source = |source| Source::new(source, &interpolation, &layouts, buoyancy, dt);
        let sources = sources.iter().map(source).collect::<Result<_, _>>()?;
        let probe = |probe| ProbeReader::new(probe, &interpolation, &options.stencil, &layouts);
        let probes = probes.iter().map(probe).collect::<Result<Vec<_>, _>>()?;
        Ok(Self { blocks, sources, probes, stable })
    }
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
        let extra = |axis: usize| if place[axis] + 1 == parts[axis] { boundaries.extra(axis) } else { 0 };
        Layout::new(ranges.map(|(start, _)| start), ranges.map(|(start, end)| end - start), [0, 1, 2].map(extra), halo)
    };
    Ok((0..parts.iter().product()).map(layout).collect())
}
