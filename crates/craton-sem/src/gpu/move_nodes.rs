//! Update of nodes by the sums of their slots.

use craton_device::Scalar;
use craton_device::args;
use craton_device::gpu::{Buffer, Gpu, GpuError, Kernel, Launch};

use super::nodes::DeviceNodes;
use super::step::DeviceState;

/// Block size of kernels with one thread per node.
pub const NODE_THREADS: u32 = 256;
/// Values that a thread updates: two hide the memory latency of each other.
const AT_A_TIME: u32 = 2;

/// Sums the forces at nodes and updates their velocity and displacement.
pub struct Move {
    kernel: Kernel,
    /// The two slots of each node, or the position in `more_places` of the number of slots, which the slots follow.
    places: Buffer<[u32; 2]>,
    more_places: Buffer<u32>,
    components: u32,
    first: u32,
    first_shared: u32,
    first_absorbing: u32,
    end: u32,
}

impl Move {
    /// Prepares the update of the nodes from `first` on.
    ///
    /// # Arguments
    /// * `places` – slots of each node, in the order in which they are added
    pub fn new<'a>(
        gpu: &Gpu,
        kernel: Kernel,
        nodes: &DeviceNodes,
        first: u32,
        places: impl Iterator<Item = &'a [u32]>,
    ) -> Result<Self, GpuError> {
        /// Marks a node whose number of slots is not two.
        const MORE: u32 = u32::MAX;
        let mut more = Vec::new();
        let mut entries = Vec::with_capacity((nodes.end - first) as usize);
        for slots in places {
            if let &[first, second] = slots {
                entries.push([first, second]);
            } else {
                entries.push([more.len() as u32, MORE]);
                more.push(slots.len() as u32);
                more.extend_from_slice(slots);
            }
        }
        Ok(Self {
            kernel,
            places: gpu.upload(&entries)?,
            more_places: gpu.upload(&more)?,
            components: nodes.components() as u32,
            first,
            first_shared: nodes.first_shared,
            first_absorbing: nodes.first_absorbing,
            end: nodes.end,
        })
    }

    /// Enqueues the update by `slots`, whose components are `stride` values apart.
    pub fn launch<T: Scalar>(&self, state: &DeviceState<T>, slots: &Buffer<T>, stride: u32) -> Result<(), GpuError> {
        let plain_blocks = (self.components * (self.first_absorbing - self.first)).div_ceil(AT_A_TIME * NODE_THREADS);
        let blocks = plain_blocks + (self.end - self.first_absorbing).div_ceil(NODE_THREADS);
        self.kernel.launch(
            Launch::new(blocks, NODE_THREADS),
            args![
                &self.places,
                &self.more_places,
                slots,
                stride,
                &state.dt_over_mass,
                &state.absorbing,
                self.first,
                self.first_absorbing,
                self.end,
                plain_blocks,
                state.dt,
                &state.u,
                &state.v,
                self.first_shared,
                &state.change
            ],
        )
    }
}

/// The entries of `values` that belong to an index, by its offset and the next one.
pub fn row<'a>(offsets: &[u32], values: &'a [u32], index: u32) -> &'a [u32] {
    &values[offsets[index as usize] as usize..offsets[index as usize + 1] as usize]
}
