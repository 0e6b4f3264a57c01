//! Paraxial sides on a device.

use craton_device::args;
use craton_device::gpu::{Buffer, Gpu, GpuError, Kernel, Launch};

use super::arrays::{DeviceBlock, LEAD};
use crate::layout::Layout;
use crate::sweep::Precision;
use crate::walls::{Wall, plane};

/// Threads per block.
const THREADS: u32 = 256;

/// A paraxial side.
pub struct DeviceWall<T: Precision> {
    kernel: Kernel,
    /// Component, outermost point, its inner neighbour.
    places: Buffer<[u32; 3]>,
    ratio: Buffer<T>,
    /// Velocity of the previous step at the inner neighbours [m/s].
    past: Buffer<T>,
}

impl<T: Precision> DeviceWall<T> {
    /// Copies a paraxial side.
    pub fn new(gpu: &Gpu, kernel: Kernel, layout: &Layout, wall: &Wall<T>) -> Result<Self, GpuError> {
        let of_component =
            |c: usize| plane(layout, wall.side, c).map(move |[outer, inner]| [c, outer + LEAD, inner + LEAD]);
        let places: Vec<[u32; 3]> =
            (0..3).flat_map(of_component).map(|place| place.map(|number| number as u32)).collect();
        let ratio: Vec<T> = wall.outgoing.iter().flat_map(|outgoing| outgoing.ratio.iter().copied()).collect();
        Ok(Self { kernel, places: gpu.upload(&places)?, past: gpu.zeroed(ratio.len())?, ratio: gpu.upload(&ratio)? })
    }

    /// Queues the setting of its velocities.
    pub fn launch(&self, block: &DeviceBlock<T>) -> Result<(), GpuError> {
        self.kernel.launch(
            Launch::covering(self.places.len(), THREADS),
            args![&self.places, self.places.len() as u32, &self.ratio, block.length(), &self.past, &block.fields[0]],
        )
    }

    /// Copies its state to the host.
    pub fn load(&self, wall: &mut Wall<T>) -> Result<(), GpuError> {
        let all = self.past.download()?;
        let mut rest = &all[..];
        for outgoing in &mut wall.outgoing {
            let (own, after) = rest.split_at(outgoing.past.len());
            outgoing.past.copy_from_slice(own);
            rest = after;
        }
        Ok(())
    }

    /// Copies its state from the host.
    pub fn store(&mut self, wall: &Wall<T>) -> Result<(), GpuError> {
        let all: Vec<T> = wall.outgoing.iter().flat_map(|outgoing| outgoing.past.iter().copied()).collect();
        self.past.write(0..all.len(), &all)
    }
}
