//! Finite differences on the GPUs of this process.

use std::sync::Arc;

use craton_device::Workers;
use craton_device::gpu::Gpu;
use craton_sim::PartExchange;

use super::part::GpuPart;
use crate::error::GpuSetupError;
use crate::medium::Medium;
use crate::operator::Options;
use crate::part_set::PartSet;
use crate::probes::Probe;
use crate::setup::{Problem, discretise};
use crate::sources::PointSource;
use crate::sweep::Precision;

/// A medium in motion on the GPUs of this process: velocities at half steps, stresses at whole ones.
pub type GpuOperator<T> = PartSet<T, GpuPart<T>>;

impl<T: Precision> GpuOperator<T> {
    /// Creates the solver at rest at step 0, in one part. The arguments are those of [`crate::FdOperator::new`]; the parts and the instruction set of
    /// the options are ignored.
    ///
    /// # Errors
    /// Those of [`crate::FdOperator::new`]; a grid beyond 32-bit indices, too little memory on the device, kernels that it cannot run.
    pub fn new(
        gpu: &Gpu,
        medium: &Medium<T>,
        options: &Options,
        dt: f64,
        sources: &[PointSource],
        probes: &[Probe],
        workers: Arc<Workers>,
    ) -> Result<Self, GpuSetupError> {
        let options = &Options { parts: [1; 3], ..options.clone() };
        let problem = Problem { medium, options, dt, sources, probes };
        Self::distributed(std::slice::from_ref(gpu), &problem, &PartExchange::solo(1), workers)
    }

    /// Creates the solver in several parts, one on each GPU of this process and of the other ranks.
    ///
    /// # Errors
    /// As [`Self::new`].
    ///
    /// # Panics
    /// If the numbers of parts of the exchange and of the options differ, or there are fewer GPUs than parts of this process.
    pub fn distributed(
        gpus: &[Gpu],
        problem: &Problem<T>,
        exchange: &PartExchange,
        workers: Arc<Workers>,
    ) -> Result<Self, GpuSetupError> {
        assert!(gpus.len() >= exchange.own().len(), "a GPU for each part");
        let (shared, parts) = discretise(problem, exchange, workers)?;
        let part = |(setup, gpu)| GpuPart::new(gpu, setup, problem.dt);
        let parts = parts.into_iter().zip(gpus).map(part).collect::<Result<_, _>>()?;
        Ok(Self::from_parts(shared, parts))
    }

    /// The devices of its parts.
    pub fn gpus(&self) -> impl Iterator<Item = &Gpu> {
        self.parts().iter().map(GpuPart::gpu)
    }
}
