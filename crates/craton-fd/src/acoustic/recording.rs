//! Recorded launches of the steps of shots on a GPU.

use craton_device::gpu::{Gpu, GpuError, Graph};

/// Number of steps of the longer recording: small shots would stall between recordings of one step.
pub const SEVERAL: u64 = 32;

/// Recordings of one step and of several; none before the first step.
pub struct Recording {
    graphs: Option<[Graph; 2]>,
    several: u64,
}

impl Default for Recording {
    fn default() -> Self {
        Self::of(SEVERAL)
    }
}

impl Recording {
    /// A recording of at most `several` steps.
    pub fn of(several: u64) -> Self {
        Self { graphs: None, several }
    }

    /// Discards the recordings, whose arguments have changed.
    pub fn discard(&mut self) {
        self.graphs = None;
    }

    /// Queues some steps.
    ///
    /// # Arguments
    /// * `launch` – launches a number of steps
    pub fn replay(
        &mut self,
        gpu: &Gpu,
        steps: u64,
        launch: impl Fn(u32) -> Result<(), GpuError>,
    ) -> Result<(), GpuError> {
        if self.graphs.is_none() {
            let record = |count: u64| gpu.record(|| launch(count as u32));
            self.graphs = Some([record(1)?, record(self.several)?]);
        }
        let [one, several] = self.graphs.as_ref().expect("recorded above");
        (0..steps / self.several).try_for_each(|_| several.replay())?;
        (0..steps % self.several).try_for_each(|_| one.replay())
    }
}
