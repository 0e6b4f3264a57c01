//! Recorded work, which can be replayed.

use super::backend::{Keep, Recorded};
use super::{Gpu, GpuError};

/// Recorded work, which is queued as a whole at a fraction of the cost of its launches; see [`Gpu::record`].
///
/// It keeps the buffers and kernels that it uses alive.
pub struct Graph {
    // Dropped before the resources that it uses.
    recorded: Box<dyn Recorded>,
    gpu: Gpu,
    _keeps: Vec<Keep>,
}

impl Graph {
    pub(super) fn new(gpu: Gpu, recorded: Box<dyn Recorded>, keeps: Vec<Keep>) -> Self {
        Self { recorded, gpu, _keeps: keeps }
    }

    /// Queues the recorded work.
    ///
    /// # Errors
    /// [`GpuError::Fault`] when earlier work failed; [`GpuError::Recording`] inside a recording.
    pub fn replay(&self) -> Result<(), GpuError> {
        self.gpu.refuse_while_recording("replay a graph")?;
        self.recorded.replay(self.gpu.backend())
    }
}
