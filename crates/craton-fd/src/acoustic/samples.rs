//! Asynchronous transfer of samples from a GPU to the host.

use std::collections::VecDeque;
use std::ops::Range;

use craton_device::gpu::{Fetch, Gpu, GpuError};
use craton_sim::DeviceRing;

/// Maximum numbers of steps and of values per transfer; a transfer has at least one step.
const TOGETHER: u64 = 256;
const MOST_VALUES: u64 = 1 << 22;
/// Maximum number of pending transfers, after which the host waits for the first.
const UNDER_WAY: usize = 4;

/// Recorded samples of some shots that have not been taken.
#[derive(Default)]
pub struct PendingSamples {
    /// Pending transfers of the steps of all shots, `[step][channel]`, in order of time.
    under_way: VecDeque<Fetch<f32>>,
    /// Samples of each shot, `[step][channel]`.
    arrived: Vec<Vec<f32>>,
}

impl PendingSamples {
    /// The steps of the next transfer: not beyond `end`, nor beyond the end of the ring buffer.
    pub fn next(step: u64, end: u64, ring: &DeviceRing<f32>) -> Range<u64> {
        if ring.channels() == 0 {
            return step..end;
        }
        let left = ring.rows() as u64 - step % ring.rows() as u64;
        let together = (MOST_VALUES / ring.channels() as u64).clamp(1, TOGETHER);
        step..end.min(step + together.min(left))
    }

    /// Starts the transfer of the samples of steps that have been queued.
    ///
    /// # Arguments
    /// * `channels` – first and end channel of each shot
    /// # Errors
    /// A device that has failed.
    pub fn bring(
        &mut self,
        gpu: &Gpu,
        ring: &DeviceRing<f32>,
        steps: Range<u64>,
        channels: &[[usize; 2]],
    ) -> Result<(), GpuError> {
        let (first, width) = ((steps.start % ring.rows() as u64) as usize, ring.channels());
        if width == 0 {
            return Ok(());
        }
        let rows = first..first + (steps.end - steps.start) as usize;
        self.under_way.push_back(gpu.fetch_start(ring.buffer(), rows.start * width..rows.end * width)?);
        self.settle(UNDER_WAY, channels)
    }

    /// Waits for all transfers and takes the samples of each shot, `[step][channel]`.
    ///
    /// # Errors
    /// A device that has failed.
    pub fn take(&mut self, channels: &[[usize; 2]]) -> Result<Vec<Vec<f32>>, GpuError> {
        self.settle(0, channels)?;
        let mut taken = std::mem::take(&mut self.arrived);
        taken.resize(channels.len(), Vec::new());
        Ok(taken)
    }

    /// Waits until at most `left` transfers are pending, and sorts the arrived samples by shot.
    fn settle(&mut self, left: usize, channels: &[[usize; 2]]) -> Result<(), GpuError> {
        let width = channels.last().map_or(0, |last| last[1]);
        self.arrived.resize(channels.len(), Vec::new());
        while self.under_way.len() > left {
            let Some(fetch) = self.under_way.pop_front() else { break };
            let samples = fetch.wait()?;
            for (own, &[start, end]) in self.arrived.iter_mut().zip(channels) {
                own.reserve(samples.len() / width * (end - start));
                samples.chunks_exact(width).for_each(|row| own.extend_from_slice(&row[start..end]));
            }
        }
        Ok(())
    }
}
