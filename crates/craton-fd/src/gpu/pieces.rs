//! What the kinds of work of a step take by themselves: for benchmarks of many parts.

use std::time::Instant;

use craton_device::gpu::{Gpu, GpuError, Graph};

use super::operator::GpuOperator;
use super::part::GpuPart;
use super::sweep::Region;
use crate::sweep::Precision;

/// Seconds of a step that each kind of work takes alone, on the slowest device.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pieces {
    /// Points that wait for messages.
    pub side_points: f64,
    /// The others.
    pub inner_points: f64,
    /// Packing what is sent, and unpacking what comes.
    pub buffers: f64,
}

impl<T: Precision> GpuOperator<T> {
    /// Times each kind of work over so many steps. The fields mean nothing afterwards.
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

    /// Seconds of the work of a step that stands on a queue of each device, without those of the first one.
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
