//! Probes on a device, which are sampled after every step.

use craton_device::args;
use craton_device::gpu::{Buffer, Gpu, GpuError, Kernel, Launch};
use craton_sim::DeviceRing;

use super::arrays::{DeviceBlock, LEAD};
use crate::probes::Value;
use crate::sweep::Precision;
use craton_fd_kernels::Field;

/// Threads per value: a warp.
const THREADS: u32 = super::LANES as u32;

/// The values of a part that consist of velocities, or those that consist of stresses, and the ring buffer of the latest samples.
pub struct DeviceProbes<T: Precision> {
    kernel: Kernel,
    /// 0 for velocities, 1 for stresses.
    half: usize,
    /// Component, range of the interpolation points.
    channels: Buffer<[u32; 3]>,
    places: Buffer<u32>,
    weights: Buffer<f64>,
    /// Samples of the latest steps.
    pub ring: DeviceRing<T>,
}

impl<T: Precision> DeviceProbes<T> {
    /// Copies the interpolation points.
    ///
    /// # Arguments
    /// * `half` – 0 for the values of velocities, 1 for those of stresses
    pub fn new(gpu: &Gpu, kernel: Kernel, half: usize, values: &[Value]) -> Result<Self, GpuError> {
        let (mut channels, mut places, mut weights) = (Vec::new(), Vec::new(), Vec::new());
        for taps in values.iter().filter(|taps| half_of(taps) == half) {
            let component = taps.first().map_or(0, |tap| tap.field.index() - 3 * half);
            channels.push([component, places.len(), places.len() + taps.len()].map(|number| number as u32));
            places.extend(taps.iter().map(|tap| (tap.at + LEAD) as u32));
            weights.extend(taps.iter().map(|tap| tap.weight));
        }
        Ok(Self {
            kernel,
            half,
            channels: gpu.upload(&channels)?,
            places: gpu.upload(&places)?,
            weights: gpu.upload(&weights)?,
            ring: DeviceRing::new(gpu, channels.len())?,
        })
    }

    /// Queues the sampling of the current step, which is not counted yet.
    pub fn launch(&self, block: &DeviceBlock<T>, step: &Buffer<u32>) -> Result<(), GpuError> {
        let count = self.channels.len() as u32;
        if count == 0 {
            return Ok(());
        }
        self.kernel.launch(
            Launch::new(count, THREADS).shared(THREADS * size_of::<f64>() as u32),
            args![
                &self.channels,
                count,
                &self.places,
                &self.weights,
                &block.fields[self.half],
                block.length(),
                self.ring.rows() as u32,
                step,
                self.ring.buffer()
            ],
        )
    }
}

/// The half of the step that computes a value: 0 for velocities, 1 for stresses.
pub fn half_of(taps: &Value) -> usize {
    taps.first().map_or(0, |tap| usize::from(matches!(tap.field, Field::Stress(_))))
}

/// Rows of samples in the order of the values of a part.
///
/// # Arguments
/// * `halves` – for each value, the half of the step that computes it
/// * `samples` – those of velocities and those of stresses, `[step][value]`
pub fn merged<T: Copy>(halves: &[usize], samples: [Vec<T>; 2]) -> Vec<T> {
    let [velocities, stresses] = samples;
    match halves.iter().sum::<usize>() {
        0 => velocities,
        count if count == halves.len() => stresses,
        count => {
            let rows = velocities.chunks_exact(halves.len() - count).zip(stresses.chunks_exact(count));
            let merge = |(velocities, stresses): (&[T], &[T])| {
                let mut next = [velocities.iter().copied(), stresses.iter().copied()];
                halves.iter().map(|&half| next[half].next().expect("a value of this half")).collect::<Vec<T>>()
            };
            rows.flat_map(merge).collect()
        }
    }
}
