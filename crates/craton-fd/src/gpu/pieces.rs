//! Times of the kinds of work of a step in isolation, for benchmarks of many parts.

use std::time::Instant;

use craton_device::gpu::{Gpu, GpuError, Graph};

use super::operator::GpuOperator;
use super::part::GpuPart;
use super::sweep::Region;
use crate::sweep::Precision;

/// Seconds per step of each kind of work in isolation, on the slowest device.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pieces {
    /// Update of the outer points.
    pub side_points: f64,
    /// Update of the inner points.
    pub inner_points: f64,
    /// Packing and unpacking of messages.
    pub buffers: f64,
}

impl<T: Precision> GpuOperator<T> {
    /// Times each kind of work over a number of steps. The fields are invalid afterwards.
    ///
    /// # Errors
    /// A device that fails.
    pub fn time_pieces(&mut self, steps: u64) -> Result<Pieces, GpuError> {
        let outer = |part: &GpuPart<T>| part.queues.outer.clone();
        let buffers = |part: &GpuPart<T>, half| {
            let (queue, packs) = (&part.queues.outer, &part.messages.queue);
            packs.wait_for(queue)?;
            part.messages.launch_pack(&part.device, half)?;
            queue.wait_for(packs)?;
            part.messages.launch_unpack(&part.device, half)
        };
        Ok(Pieces {
            side_points: self.time(steps, outer, |part, half| part.launch_half(half, Region::Outer))?,
            inner_points: self.time(
                steps,
                |part| part.gpu.clone(),
                |part, half| part.launch_half(half, Region::Inner),
            )?,
            buffers: self.time(steps, outer, buffers)?,
        })
    }

    /// Seconds per step of work on a queue of each device, without the first step.
    fn time(
        &self,
        steps: u64,
        queue: impl Fn(&GpuPart<T>) -> Gpu,
        launch: impl Fn(&GpuPart<T>, usize) -> Result<(), GpuError>,
    ) -> Result<f64, GpuError> {
        let queues: Vec<Gpu> = self.parts().iter().map(&queue).collect();
        let record = |(part, queue): (&GpuPart<T>, &Gpu)| {
            queue.record(|| [0, 1].into_iter().try_for_each(|half| launch(part, half)))
        };
        let graphs = self.parts().iter().zip(&queues).map(record).collect::<Result<Vec<Graph>, GpuError>>()?;
        let run = |steps: u64| {
            (0..steps).try_for_each(|_| graphs.iter().try_for_each(Graph::replay))?;
            queues.iter().try_for_each(Gpu::synchronize)
        };
        run(1)?;
        let start = Instant::now();
        run(steps)?;
        Ok(start.elapsed().as_secs_f64() / steps as f64)
    }
}
