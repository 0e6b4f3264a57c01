//! Boxes of points on a device whose values stand one after the other elsewhere: what neighbours get, and what frames are made of.

use craton_device::gpu::{Buffer, Gpu, GpuError, Launch};

use super::arrays::LEAD;
use crate::layout::Layout;

/// Threads of a block.
const THREADS: u32 = 256;
/// Threads of a row at most: each looks for its row once and moves a few values of it.
const LANES: usize = 64;

/// Place of the first point, points along each axis, numbers of three fields, where its values begin, threads of a row, first thread.
type DeviceFace = [u32; 10];

/// A box of points of a block.
pub struct Face {
    /// Its first point.
    pub first: [i64; 3],
    /// Points along each axis.
    pub size: [usize; 3],
    /// Three fields, by their numbers among those of their kind.
    pub fields: [usize; 3],
}

/// Some boxes, whose values stand `[face][field][k][j][i]`.
pub struct Faces {
    /// As `kernels/taps.cu` reads them.
    pub faces: Buffer<DeviceFace>,
    /// How many there are.
    pub count: u32,
    /// Threads that their rows have.
    pub threads: u32,
    /// Values of all of them.
    pub values: usize,
}

impl Faces {
    /// Of a block.
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
            own.map(|number| u32::try_from(number).expect("a block with 32-bit places"))
        };
        let faces: Vec<DeviceFace> = faces.iter().map(on_device).collect();
        Ok(Self { count: faces.len() as u32, faces: gpu.upload(&faces)?, threads: thread as u32, values: start })
    }

    /// The launch of their threads.
    pub fn launch(&self) -> Launch {
        Launch::covering(self.threads as usize, THREADS)
    }
}
