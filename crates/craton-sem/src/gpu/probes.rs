//! What is sampled on a device after every step.

use craton_device::Scalar;
use craton_device::args;
use craton_device::gpu::{Buffer, Gpu, GpuError, Kernel, Launch};
use craton_sim::ring_rows;

use super::nodes::DeviceNodes;
use super::step::DeviceState;
use crate::discretisation::Discretisation;
use crate::probes::Probe;

/// Threads per probe: a warp.
const THREADS: u32 = 32;

/// Probes, and the ring that holds the samples of the last steps.
pub struct DeviceProbes<T: Scalar> {
    kernel: Kernel,
    /// First node, first weight, directions, first channel.
    probes: Buffer<[u32; 4]>,
    nodes: Buffer<u32>,
    weights: Buffer<f64>,
    ring: Buffer<T>,
    channels: usize,
    rows: usize,
}

impl<T: Scalar> DeviceProbes<T> {
    /// Those of the probes that lie in this part, on the device.
    pub fn new(
        gpu: &Gpu,
        kernel: Kernel,
        on: &Discretisation<T>,
        nodes: &DeviceNodes,
        probes: &[Probe],
    ) -> Result<Self, GpuError> {
        let (mut headers, mut places, mut weights) = (Vec::new(), Vec::new(), Vec::new());
        let mut channels = 0;
        for probe in probes {
            let Some((patch, within)) = nodes.patch_of(probe.element) else { continue };
            let own = probe.weights(on.mesh(), &on.gll().points);
            headers.push([places.len(), weights.len(), own.len(), channels].map(|number| number as u32));
            channels += 3 * own.len();
            places.extend(nodes.of_element(patch, within));
            weights.extend(own.concat());
        }
        let rows = ring_rows(channels);
        Ok(Self {
            kernel,
            probes: gpu.upload(&headers)?,
            nodes: gpu.upload(&places)?,
            weights: gpu.upload(&weights)?,
            ring: gpu.zeroed(rows * channels)?,
            channels,
            rows,
        })
    }

    /// Steps that the ring holds.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Queues the sampling of the step that has just been made and is not counted yet.
    pub fn launch(&self, state: &DeviceState<T>) -> Result<(), GpuError> {
        let shared = 9 * THREADS * size_of::<f64>() as u32;
        self.kernel.launch(
            Launch::new(self.probes.len() as u32, THREADS).shared(shared),
            args![
                &self.probes,
                self.probes.len() as u32,
                &self.nodes,
                &self.weights,
                &state.v,
                self.channels as u32,
                self.rows as u32,
                &state.step,
                &self.ring
            ],
        )
    }

    /// The rows of the steps `first..end`, `[step][channel]`.
    pub fn read(&self, first: u64, end: u64) -> Result<Vec<T>, GpuError> {
        let row = |step: u64| (step % self.rows as u64) as usize;
        let (start, stop) = (row(first), row(end));
        let read = |rows: std::ops::Range<usize>| {
            self.ring.download_range(rows.start * self.channels..rows.end * self.channels)
        };
        if first == end || self.channels == 0 {
            return Ok(Vec::new());
        }
        if start < stop {
            return read(start..stop);
        }
        let mut samples = read(start..self.rows)?;
        samples.extend(read(0..stop)?);
        Ok(samples)
    }
}
