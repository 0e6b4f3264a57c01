//! Sampling on a device after every step.

use craton_device::Scalar;
use craton_device::args;
use craton_device::gpu::{Buffer, Gpu, GpuError, Kernel, Launch};
use craton_sim::DeviceRing;

use super::nodes::DeviceNodes;
use super::step::DeviceState;
use crate::discretisation::Discretisation;
use crate::probes::Probe;

/// Threads per probe: a warp.
const THREADS: u32 = 32;

/// Probes of a phase and the ring of their samples of the last steps.
pub struct DeviceProbes<T: Scalar> {
    /// Number of samples of each probe, with the index of the probe in the run.
    pub channels: Vec<(usize, usize)>,
    kernel: Kernel,
    /// First node, first weight, number of directions, and first channel of each probe.
    probes: Buffer<[u32; 4]>,
    nodes: Buffer<u32>,
    weights: Buffer<f64>,
    ring: DeviceRing<T>,
}

impl<T: Scalar> DeviceProbes<T> {
    /// Uploads the probes in a phase of this part to the device.
    pub fn new(
        gpu: &Gpu,
        kernel: Kernel,
        on: &Discretisation<T>,
        nodes: &DeviceNodes,
        probes: &[Probe],
    ) -> Result<Self, GpuError> {
        let (mut headers, mut places, mut weights) = (Vec::new(), Vec::new(), Vec::new());
        let (mut channels, mut of_probes) = (0, Vec::new());
        for (index, probe) in probes.iter().enumerate() {
            let Some((patch, within)) = nodes.patch_of(probe.element) else { continue };
            let own = probe.weights(on);
            headers.push([places.len(), weights.len(), own.len(), channels].map(|number| number as u32));
            channels += probe.channels();
            of_probes.push((index, probe.channels()));
            places.extend(nodes.of_element(patch, within));
            weights.extend(own.concat());
        }
        Ok(Self {
            channels: of_probes,
            kernel,
            probes: gpu.upload(&headers)?,
            nodes: gpu.upload(&places)?,
            weights: gpu.upload(&weights)?,
            ring: DeviceRing::new(gpu, channels)?,
        })
    }

    /// Number of steps that the ring holds.
    pub fn rows(&self) -> usize {
        self.ring.rows()
    }

    /// Enqueues the sampling of a step, before the step counter is incremented.
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
                self.ring.channels() as u32,
                self.ring.rows() as u32,
                &*state.step,
                self.ring.buffer()
            ],
        )
    }

    /// Reads the rows of the steps `first..end`, `[step][channel]`.
    pub fn read(&self, first: u64, end: u64) -> Result<Vec<T>, GpuError> {
        self.ring.read(first, end)
    }
}
