//! Complete solvers in either precision, compiled with this crate.

use std::sync::Arc;

use craton_device::gpu::{Gpu, GpuError};
use craton_device::{Isa, Workers};
use craton_model::EarthModel;
use craton_sem_kernels::Precision;

use crate::discretisation::Discretisation;
use crate::error::SemError;
use crate::gpu::GpuOperator;
use crate::operator::SemOperator;
use crate::part_set::{Channels, PartSet};
use crate::plan::Plan;
use crate::probes::Probe;
use crate::seen::Seen;
use crate::solver::Solver;
use crate::sources::PointSource;
use crate::team::Team;

/// What a solver of discretised parts computes.
pub struct Task<'a> {
    /// The parts of all ranks.
    pub team: Team,
    /// Time step [s].
    pub dt: f64,
    /// Point sources in elements of the plan.
    pub sources: &'a [PointSource],
    /// Points in elements of the plan that are sampled after each step.
    pub probes: &'a [Probe],
    /// Channels of the probes of all ranks.
    pub channels: Channels,
    /// The elements that the first rank shows, if it has a window of the mesh.
    pub seen: Option<Seen>,
    /// Threads that compute on the host.
    pub workers: Arc<Workers>,
}

/// A precision whose solvers are compiled with this crate: programs that use them through this trait do not compile them again.
pub trait SolverPrecision: Precision {
    /// Discretises the parts of this process, see [`Discretisation::of_parts`].
    ///
    /// # Errors
    /// As [`Discretisation::of_parts`].
    fn discretise(
        plan: &Arc<Plan>,
        team: &Team,
        model: &EarthModel,
        isa: Isa,
        workers: &Workers,
    ) -> Result<Vec<Discretisation<Self>>, SemError>;

    /// Creates a solver at rest on the cores of this process.
    fn cpu_solver(parts: Vec<Discretisation<Self>>, task: Task) -> Box<dyn Solver<Self>>;

    /// Creates a solver at rest with one part on each GPU.
    ///
    /// # Errors
    /// Too little memory on a device, kernels that it cannot run.
    fn gpu_solver(
        gpus: &[Gpu],
        parts: Vec<Discretisation<Self>>,
        task: Task,
    ) -> Result<Box<dyn Solver<Self>>, GpuError>;
}

// The types are concrete here, so that the code is generated in this crate.
macro_rules! solver_precision {
    ($scalar:ty) => {
        impl SolverPrecision for $scalar {
            #[inline(never)]
            fn discretise(
                plan: &Arc<Plan>,
                team: &Team,
                model: &EarthModel,
                isa: Isa,
                workers: &Workers,
            ) -> Result<Vec<Discretisation<Self>>, SemError> {
                Discretisation::of_parts(plan, team, model, isa, workers)
            }

            #[inline(never)]
            fn cpu_solver(parts: Vec<Discretisation<Self>>, task: Task) -> Box<dyn Solver<Self>> {
                on_cpu(parts, task)
            }

            #[inline(never)]
            fn gpu_solver(
                gpus: &[Gpu],
                parts: Vec<Discretisation<Self>>,
                task: Task,
            ) -> Result<Box<dyn Solver<Self>>, GpuError> {
                on_gpus(gpus, parts, task)
            }
        }
    };
}

solver_precision!(f32);
solver_precision!(f64);

fn on_cpu<T: Precision>(parts: Vec<Discretisation<T>>, task: Task) -> Box<dyn Solver<T>> {
    let Task { team, dt, sources, probes, channels, seen, workers } = task;
    let (plan, times) = (Arc::clone(parts[0].plan()), [dt, dt / parts[0].stable().dt]);
    let sizes = parts[0].tile_sizes.clone();
    let part = |on| SemOperator::new(on, dt, sources, probes, Arc::clone(&workers));
    let parts = parts.into_iter().map(part).collect();
    let all = PartSet::new(plan, team, parts, channels, times, workers);
    Box::new(all.with_tile_sizes(sizes.as_deref()).showing(seen))
}

fn on_gpus<T: Precision>(
    gpus: &[Gpu],
    parts: Vec<Discretisation<T>>,
    task: Task,
) -> Result<Box<dyn Solver<T>>, GpuError> {
    let Task { team, dt, sources, probes, channels, seen, workers } = task;
    let (plan, times) = (Arc::clone(parts[0].plan()), [dt, dt / parts[0].stable().dt]);
    let sizes = parts[0].tile_sizes.clone();
    let part = |(on, gpu)| GpuOperator::new(gpu, on, dt, sources, probes, Arc::clone(&workers));
    let parts = parts.into_iter().zip(gpus).map(part).collect::<Result<_, _>>()?;
    let all = PartSet::new(plan, team, parts, channels, times, workers);
    Ok(Box::new(all.with_tile_sizes(sizes.as_deref()).showing(seen)))
}
