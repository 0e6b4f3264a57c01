//! Nodes moved by the sums of their slots.

use craton_device::Scalar;
use craton_device::args;
use craton_device::gpu::{Buffer, Gpu, GpuError, Kernel, Launch};

use super::nodes::DeviceNodes;
use super::step::DeviceState;

/// Threads of the blocks of kernels that take a thread per node.
pub const NODE_THREADS: u32 = 256;
/// Values that a thread moves: two hide each other's waiting for memory.
const AT_A_TIME: u32 = 2;

/// What sums forces at nodes and moves them.
pub struct Move {
    kernel: Kernel,
    /// The two slots of each node; or where all of them stand in `more_places`, behind their number.
    places: Buffer<[u32; 2]>,
    more_places: Buffer<u32>,
    first: u32,
    first_absorbing: u32,
    end: u32,
}

impl Move {
    /// Moves the nodes from `first` on.
    ///
    /// # Arguments
    /// * `places` – of the slots of each node, in the order in which they are added
    pub fn new<'a>(
        gpu: &Gpu,
        kernel: Kernel,
        nodes: &DeviceNodes,
        first: u32,
        places: impl Iterator<Item = &'a [u32]>,
    ) -> Result<Self, GpuError> {
        /// Marks a node that has not just two slots.
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
            first,
            first_absorbing: nodes.first_absorbing,
            end: nodes.end,
        })
    }

    /// Moves the nodes by `slots`, whose components stand `stride` apart.
    pub fn launch<T: Scalar>(&self, state: &DeviceState<T>, slots: &Buffer<T>, stride: u32) -> Result<(), GpuError> {
        let plain_blocks = (3 * (self.first_absorbing - self.first)).div_ceil(AT_A_TIME * NODE_THREADS);
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
                &state.v
            ],
        )
    }
}

/// The entries of `values` from the offset of an index to the next one.
pub fn row<'a>(offsets: &[u32], values: &'a [u32], index: u32) -> &'a [u32] {
    &values[offsets[index as usize] as usize..offsets[index as usize + 1] as usize]
}
