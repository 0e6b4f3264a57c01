//! Recorded work.

use super::backend::{Keep, Recorded};
use super::{Gpu, GpuError};

/// Work that was recorded once and is queued as a whole, at a fraction of the cost of its launches; see [`Gpu::record`].
///
/// It keeps the buffers and kernels that it uses.
pub struct Graph {
    // Dropped before what it uses.
    recorded: Box<dyn Recorded>,
    gpu: Gpu,
    _keeps: Vec<Keep>,
}

impl Graph {
    pub(super) fn new(gpu: Gpu, recorded: Box<dyn Recorded>, keeps: Vec<Keep>) -> Self {
        Self { recorded, gpu, _keeps: keeps }
    }

    /// Queues all of it.
    ///
    /// # Errors
    /// [`GpuError::Fault`] when earlier work failed; [`GpuError::Recording`] inside a recording.
    pub fn replay(&self) -> Result<(), GpuError> {
        self.gpu.refuse_while_recording("replay a graph")?;
        self.recorded.replay(self.gpu.backend())
    }
}
