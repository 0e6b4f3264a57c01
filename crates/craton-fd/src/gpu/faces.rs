//! Boxes of points on a device that are packed into contiguous buffers, for messages to neighbours and for frames.

use craton_device::gpu::{Buffer, Gpu, GpuError, Launch};

use super::arrays::LEAD;
use crate::layout::Layout;

/// Threads per block.
const THREADS: u32 = 256;
/// Maximum number of threads per row: each searches for its row once and copies a few of its values.
const LANES: usize = 64;

/// Index of the first point, points along each axis, numbers of three fields, offset of its values, threads per row, first thread.
type DeviceFace = [u32; 10];

/// A box of points of a block.
pub struct Face {
    /// Its first point.
    pub first: [i64; 3],
    /// Points along each axis.
    pub size: [usize; 3],
    /// Three fields, by their numbers among velocities or stresses.
    pub fields: [usize; 3],
}

/// Some boxes, whose values are packed as `[face][field][k][j][i]`.
pub struct Faces {
    /// Table for `kernels/taps.cu`.
    pub faces: Buffer<DeviceFace>,
    /// Number of boxes.
    pub count: u32,
    /// Number of threads for all rows.
    pub threads: u32,
    /// Number of values of all boxes.
    pub values: usize,
}

impl Faces {
    /// Creates the boxes of a block.
    ///
    /// # Errors
    /// Too little memory on the device.
    pub fn new(gpu: &Gpu, layout: &Layout, faces: &[Face]) -> Result<Self, GpuError> {
        let (mut start, mut thread) = (0, 0);
        let on_device = |&Face { first, size, fields }: &Face| {
            let [x, y, z] = size;
            let [a, b, c] = fields;
            let lanes = x.next_power_of_two().min(LANES);
            let own = [LEAD + layout.at(first), x, y, z, a, b, c, start, lanes, thread];
            start += 3 * x * y * z;
            thread += 3 * lanes * y * z;
            own.map(|number| u32::try_from(number).expect("a block has 32-bit indices"))
        };
        let faces: Vec<DeviceFace> = faces.iter().map(on_device).collect();
        Ok(Self { count: faces.len() as u32, faces: gpu.upload(&faces)?, threads: thread as u32, values: start })
    }

    /// The launch with a thread for each.
    pub fn launch(&self) -> Launch {
        Launch::covering(self.threads as usize, THREADS)
    }
}
