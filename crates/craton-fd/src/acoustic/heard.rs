//! Samples on their way from a GPU to the host, while later steps are made.

use std::collections::VecDeque;
use std::ops::Range;

use craton_device::gpu::{Fetch, Gpu, GpuError};
use craton_sim::DeviceRing;

/// Steps whose samples travel together, and their values at most, unless one has more.
const TOGETHER: u64 = 256;
const MOST_VALUES: u64 = 1 << 22;
/// Journeys under way, after which the host waits for the first.
const UNDER_WAY: usize = 4;

/// What has been heard of some shots and not been taken.
#[derive(Default)]
pub struct Heard {
    /// Steps of all shots, `[step][channel]`, in the order of time.
    under_way: VecDeque<Fetch<f32>>,
    /// Of each shot, `[step][channel]`.
    arrived: Vec<Vec<f32>>,
}

impl Heard {
    /// The next steps whose samples travel together: not beyond `end`, nor beyond the end of the ring.
    pub fn next(step: u64, end: u64, ring: &DeviceRing<f32>) -> Range<u64> {
        if ring.channels() == 0 {
            return step..end;
        }
        let left = ring.rows() as u64 - step % ring.rows() as u64;
        let together = (MOST_VALUES / ring.channels() as u64).clamp(1, TOGETHER);
        step..end.min(step + together.min(left))
    }

    /// Brings the samples of steps whose work has been queued.
    ///
    /// # Arguments
    /// * `channels` – of each shot, the first and the end
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

    /// Of each shot all samples that were brought, `[step][channel]`.
    ///
    /// # Errors
    /// A device that has failed.
    pub fn take(&mut self, channels: &[[usize; 2]]) -> Result<Vec<Vec<f32>>, GpuError> {
        self.settle(0, channels)?;
        let mut taken = std::mem::take(&mut self.arrived);
        taken.resize(channels.len(), Vec::new());
        Ok(taken)
    }

    /// Waits until so many journeys are left, and tells shots apart.
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
