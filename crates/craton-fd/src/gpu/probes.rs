//! Probes on a device, which are sampled after every step.

use craton_device::args;
use craton_device::gpu::{Buffer, Gpu, GpuError, Kernel, Launch};
use craton_sim::DeviceRing;

use super::arrays::{DeviceBlock, LEAD};
use crate::probes::Value;
use crate::sweep::Precision;

/// Threads per value: a warp.
const THREADS: u32 = super::LANES as u32;

/// All values of a part, and the ring buffer of the latest samples.
pub struct DeviceProbes<T: Precision> {
    kernel: Kernel,
    /// Component, range of the interpolation points.
    channels: Buffer<[u32; 3]>,
    places: Buffer<u32>,
    weights: Buffer<f64>,
    /// Samples of the latest steps.
    pub ring: DeviceRing<T>,
}

impl<T: Precision> DeviceProbes<T> {
    /// Copies the interpolation points.
    pub fn new(gpu: &Gpu, kernel: Kernel, values: &[Value]) -> Result<Self, GpuError> {
        let (mut channels, mut places, mut weights) = (Vec::new(), Vec::new(), Vec::new());
        for taps in values {
            let component = taps.first().map_or(0, |tap| tap.field.index());
            channels.push([component, places.len(), places.len() + taps.len()].map(|number| number as u32));
            places.extend(taps.iter().map(|tap| (tap.at + LEAD) as u32));
            weights.extend(taps.iter().map(|tap| tap.weight));
        }
        Ok(Self {
            kernel,
            channels: gpu.upload(&channels)?,
            places: gpu.upload(&places)?,
            weights: gpu.upload(&weights)?,
            ring: DeviceRing::new(gpu, channels.len())?,
        })
    }

    /// Queues the sampling of the velocities of the current step, which is not counted yet.
    pub fn launch(&self, block: &DeviceBlock<T>, step: &Buffer<u32>) -> Result<(), GpuError> {
        let count = self.channels.len() as u32;
        self.kernel.launch(
            Launch::new(count, THREADS).shared(THREADS * size_of::<f64>() as u32),
            args![
                &self.channels,
                count,
                &self.places,
                &self.weights,
                &block.fields[0],
                block.length(),
                self.ring.rows() as u32,
                step,
                self.ring.buffer()
            ],
        )
    }
}
