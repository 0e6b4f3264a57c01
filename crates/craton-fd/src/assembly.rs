//! Complete solvers in either precision, compiled with this crate.

use std::sync::Arc;

use craton_device::Workers;
use craton_device::gpu::Gpu;
use craton_sim::PartExchange;

use crate::error::{FdError, GpuSetupError};
use crate::gpu::GpuOperator;
use crate::operator::FdOperator;
use crate::setup::Problem;
use crate::solver::Solver;
use crate::sweep::Precision;

/// A precision whose solvers are compiled with this crate: programs that use them through this trait do not compile them again.
pub trait SolverPrecision: Precision {
    /// Creates a solver at rest on the cores of this process.
    ///
    /// # Errors
    /// As [`FdOperator::distributed`].
    fn cpu_solver(
        problem: &Problem<Self>,
        exchange: &PartExchange,
        workers: Arc<Workers>,
    ) -> Result<Box<dyn Solver<Self>>, FdError>;

    /// Creates a solver at rest with one part on each GPU.
    ///
    /// # Errors
    /// As [`GpuOperator::distributed`].
    fn gpu_solver(
        gpus: &[Gpu],
        problem: &Problem<Self>,
        exchange: &PartExchange,
        workers: Arc<Workers>,
    ) -> Result<Box<dyn Solver<Self>>, GpuSetupError>;
}

// The types are concrete here, so that the code is generated in this crate.
macro_rules! solver_precision {
    ($scalar:ty) => {
        impl SolverPrecision for $scalar {
            #[inline(never)]
            fn cpu_solver(
                problem: &Problem<Self>,
                exchange: &PartExchange,
                workers: Arc<Workers>,
            ) -> Result<Box<dyn Solver<Self>>, FdError> {
                Ok(Box::new(FdOperator::distributed(problem, exchange, workers)?))
            }

            #[inline(never)]
            fn gpu_solver(
                gpus: &[Gpu],
                problem: &Problem<Self>,
                exchange: &PartExchange,
                workers: Arc<Workers>,
            ) -> Result<Box<dyn Solver<Self>>, GpuSetupError> {
                Ok(Box::new(GpuOperator::distributed(gpus, problem, exchange, workers)?))
            }
        }
    };
}

solver_precision!(f32);
solver_precision!(f64);
