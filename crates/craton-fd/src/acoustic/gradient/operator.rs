//! The gradient of a shot on the CPU cores of this process.

use std::ops::Range;
use std::sync::Arc;

use craton_device::Workers;
use craton_sim::Instability;

use super::adjoint::{AcousticAdjoint, GridGradient};
use super::increments::{Increments, points};
use super::{ShotGradient, stored_fields};
use crate::acoustic::medium::AcousticMedium;
use crate::acoustic::operator::{AcousticOperator, Checkpoint};
use crate::acoustic::setup::AcousticOptions;
use crate::acoustic::taps::{Drive, Listener};
use crate::error::FdError;
use craton_fd_kernels::AcousticPrecision;

/// The forward run and the adjoint run of a shot.
pub struct GradientOperator<T: AcousticPrecision> {
    forward: AcousticOperator<T>,
    adjoint: AcousticAdjoint<T>,
    increments: Increments<T>,
    checkpoints: Vec<Checkpoint<T>>,
    with_density: bool,
}

impl<T: AcousticPrecision> GradientOperator<T> {
    /// Creates both operators at rest, without a shot.
    ///
    /// # Errors
    /// As [`AcousticAdjoint::new`].
    pub fn new(
        medium: Arc<AcousticMedium<T>>,
        options: AcousticOptions,
        dt: f64,
        workers: Arc<Workers>,
    ) -> Result<Self, FdError> {
        let forward = AcousticOperator::new(Arc::clone(&medium), options.clone(), dt, Arc::clone(&workers))?;
        let adjoint = AcousticAdjoint::new(medium, options, dt, workers)?;
        let increments = Increments::new(forward.setup().layout.clone(), Vec::new(), 1);
        Ok(Self { forward, adjoint, increments, checkpoints: Vec::new(), with_density: false })
    }

    /// Memory of a stored step and of a checkpoint [bytes].
    pub fn sizes(&self, with_density: bool) -> [u64; 2] {
        let setup = self.forward.setup();
        let values = stored_fields(setup.axes, with_density).len() * points(&setup.layout);
        [(values * size_of::<T>()) as u64, self.forward.checkpoint_bytes() as u64]
    }
}

impl<T: AcousticPrecision> ShotGradient for GradientOperator<T> {
    type Value = T;
    type Problem = FdError;
    type Failure = Instability;

    fn place(
        &mut self,
        (sources, channels): (&[Drive], &[Listener]),
        with_density: bool,
        every: u64,
    ) -> Result<(), FdError> {
        self.forward.increments = None;
        self.checkpoints.clear();
        self.forward.place(sources, channels)?;
        let setup = self.forward.setup();
        self.increments = Increments::new(setup.layout.clone(), stored_fields(setup.axes, with_density), every);
        self.with_density = with_density;
        Ok(())
    }

    fn keep_checkpoint(&mut self) -> Result<(), FdError> {
        self.checkpoints.push(self.forward.checkpoint());
        Ok(())
    }

    fn restore_checkpoint(&mut self) -> Result<(), FdError> {
        self.forward.restore(&self.checkpoints.pop().expect("one for each earlier segment"));
        Ok(())
    }

    fn begin_storing(&mut self, steps: Range<u64>) -> Result<(), FdError> {
        let none = self.increments.none();
        let mut increments = std::mem::replace(&mut self.increments, none);
        increments.begin(steps);
        self.forward.increments = Some(increments);
        Ok(())
    }

    fn end_storing(&mut self) {
        if let Some(increments) = self.forward.increments.take() {
            self.increments = increments;
        }
    }

    fn advance(&mut self, steps: u64) -> Result<(), Instability> {
        self.forward.advance(steps);
        Ok(())
    }

    fn check(&self) -> Result<(), Instability> {
        self.forward.check()
    }

    fn take_samples(&mut self) -> Result<Vec<T>, Instability> {
        Ok(self.forward.take_samples())
    }

    fn place_adjoint(&mut self, (sources, channels): (&[Drive], &[Listener]), residual: Vec<T>) -> Result<(), FdError> {
        self.adjoint.place(sources, channels, residual, self.with_density)
    }

    fn retreat(&mut self, steps: u64) -> Result<(), Instability> {
        self.adjoint.retreat(steps, &self.increments);
        Ok(())
    }

    fn gradient(&mut self, sources: &[Drive]) -> Result<GridGradient, FdError> {
        // The increments of a shot take most of the memory.
        self.increments = self.increments.none();
        self.adjoint.gradient(sources)
    }
}
