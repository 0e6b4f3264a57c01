//! Shots in a plane that stay on the chip of a GPU: each multiprocessor moves a tile for many steps, and neighbours give one another their edges.

use craton_device::args;
use craton_device::gpu::{Buffer, Gpu, GpuError, Kernel, Launch};

use super::cut::Tiling;
use super::gpu::AcousticGpu;
use super::shots::{Shots, Taps};
use crate::gpu::images::{self, TileShape};

/// Steps of a launch at most.
const STEPS: usize = 64;
/// Values that are heard in a launch at most, unless a step has more.
const MOST_HEARD: usize = 1 << 22;
/// Distance of the counters of tiles, as the kernel has it.
const APART: usize = 8;

/// The shape asked for while ways are compared: `CRATON_ACOUSTIC=tiles`, `tiles:12x9` for 12 warps of 9 rows each, or `planes` for none.
pub fn asked() -> Option<TileShape> {
    let asked = std::env::var("CRATON_ACOUSTIC").unwrap_or_else(|_| "tiles".to_owned());
    let shape = asked.strip_prefix("tiles")?.strip_prefix(':').unwrap_or("15x7");
    let (warps, depth) = shape.split_once('x')?;
    Some(TileShape { warps: warps.parse().ok()?, depth: depth.parse().ok()? })
}

/// Shots in tiles.
pub struct Tiles {
    shape: TileShape,
    tiling: Tiling,
    march: Kernel,
    sum: Kernel,
    count: Kernel,
    /// Halves of steps that each tile of each shot has done.
    done: Buffer<u32>,
    /// What is heard in the steps of a launch, `[step][place]`.
    heard: Buffer<f32>,
    steps: usize,
}

impl Tiles {
    /// Of so many shots.
    pub fn new(
        gpu: &Gpu,
        shape: TileShape,
        tiling: Tiling,
        half_length: usize,
        shots: usize,
    ) -> Result<Self, GpuError> {
        let module = images::acoustic_tiles(gpu, half_length, shape)?;
        Ok(Self {
            shape,
            tiling,
            march: module.kernel("march")?,
            sum: module.kernel("sum_heard")?,
            count: module.kernel("count_steps")?,
            done: gpu.zeroed(shots * tiling.tiles() * APART)?,
            heard: gpu.zeroed(0)?,
            steps: 0,
        })
    }

    /// All is at rest again.
    pub fn place(&mut self, shots: &Shots) -> Result<(), GpuError> {
        self.done.clear()?;
        let width = shots.heard.taps.len();
        self.steps = (MOST_HEARD / width.max(1)).clamp(1, STEPS);
        self.heard = self.done.gpu().zeroed(self.steps * width)?;
        Ok(())
    }

    /// Queues some steps.
    pub fn advance(&self, of: &AcousticGpu, steps: u64) -> Result<(), GpuError> {
        let mut left = steps as usize;
        while left > 0 {
            let together = left.min(self.steps);
            self.march(of, together as u32)?;
            (0..2).try_for_each(|half| self.sum_heard(of, half, together as u32))?;
            self.count.launch(Launch::new(1, 1), args![&of.counter, together as u32])?;
            left -= together;
        }
        Ok(())
    }

    /// Moves all shots, as many at once as the device has room for. Emulated blocks run one after the other: they cannot wait for one another, and
    /// each half of a step is a launch.
    fn march(&self, of: &AcousticGpu, steps: u32) -> Result<(), GpuError> {
        let (at_once, all) = (self.tiling.at_once(of.gpu.info()), 2 * steps);
        for first in (0..of.shots.count).step_by(at_once) {
            let shots = at_once.min(of.shots.count - first) as u32;
            if of.gpu.is_emulated() {
                (0..all).try_for_each(|begin| self.launch(of, [first as u32, shots], [begin, 1]))?;
            } else {
                self.launch(of, [first as u32, shots], [0, all])?;
            }
        }
        Ok(())
    }

    fn launch(&self, of: &AcousticGpu, [first, shots]: [u32; 2], [begin, halves]: [u32; 2]) -> Result<(), GpuError> {
        let Tiling { across, down, vectors, pitch, rows, .. } = self.tiling;
        let cut = [across, down, vectors, pitch, rows].map(|number| number as u32);
        let Taps { starts, taps } = &of.shots.sources;
        let heard = &of.shots.heard;
        let shape = Launch::new([self.tiling.tiles() as u32, 1, shots], 32 * self.shape.warps as u32);
        self.march.launch(
            shape.shared(self.tiling.shared_bytes()),
            args![
                of.grid,
                *of.setup.coefficients.as_flattened().as_array::<24>().expect("eight of three axes"),
                &of.factors,
                of.slabs,
                &of.profiles,
                &of.memory,
                of.memories,
                of.shots.count as u32,
                starts,
                taps,
                &of.shots.amplitudes,
                of.shots.steps,
                &of.counter,
                &of.fields,
                cut,
                &self.done,
                &heard.starts,
                &heard.taps,
                &self.heard,
                heard.taps.len() as u32,
                first,
                begin,
                halves
            ],
        )
    }

    fn sum_heard(&self, of: &AcousticGpu, half: usize, steps: u32) -> Result<(), GpuError> {
        let (channels, ring) = (&of.shots.channels[half], &of.shots.ring);
        if channels.is_empty() {
            return Ok(());
        }
        let from = if half == 0 { 0 } else { of.shots.listeners[0].len() as u32 };
        self.sum.launch(
            Launch::new([channels.len().div_ceil(64) as u32, steps], 64),
            args![
                channels,
                channels.len() as u32,
                &of.shots.listeners[half],
                &self.heard,
                from,
                of.shots.heard.taps.len() as u32,
                &of.counter,
                ring.rows() as u32,
                ring.channels() as u32,
                ring.buffer()
            ],
        )
    }
}
