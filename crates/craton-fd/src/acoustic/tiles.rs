//! Propagation of 2D shots that stay on the chip of a GPU: each multiprocessor advances a tile by many steps, and adjacent tiles exchange their
//! edges.
//!
//! Tiles of a shot wait for each other's edges, so a launch has at most as many tiles as can be co-resident, and begins only when all of them fit:
//! [`Launch::together`]. Other work on the GPU, of other workers or processes, may delay a launch but cannot block it permanently.

use craton_device::args;
use craton_device::gpu::{Buffer, Gpu, GpuError, Kernel, Launch};

use super::arrays::{Arrays, DeviceRelaxation, planes};
use super::cut::{Room, Tiling};
use super::setup::Setup;
use super::shots::{Shots, Taps};
use crate::gpu::images::{self, TILE};

/// Maximum number of steps per launch.
const STEPS: usize = 256;
/// Maximum number of recorded values per launch, unless one step has more.
const MOST_HEARD: usize = 1 << 22;
/// Half-lengths with tile kernels, which are built ahead of time.
const HALF_LENGTHS: [usize; 2] = [4, 8];

/// Shots in tiles.
pub struct Tiles {
    tiling: Tiling,
    march: Kernel,
    sum: Kernel,
    count: Kernel,
    /// Edges that each tile of each shot has sent to its neighbours, in both halves of a step.
    pairs: Buffer<[u32; 4]>,
    /// Values recorded in the steps of a launch, `[step][index]`.
    heard: Buffer<f32>,
    steps: usize,
}

impl Tiles {
    /// Creates the propagation of concurrent shots in tiles. Returns `None` if blocks of rows are required: in 3D, for half-lengths without tile
    /// kernels, if the layers of opposite sides almost meet, and if the tiles of the plane cannot be co-resident on the device.
    ///
    /// # Errors
    /// A device that fails, too little memory.
    pub fn new(gpu: &Gpu, setup: &Setup<f32>, shots: usize) -> Result<Option<Self>, GpuError> {
        let half_length = setup.options.stencil.half_length();
        if setup.axes.len() > 2 || !HALF_LENGTHS.contains(&half_length) || layers_meet(setup) {
            return Ok(None);
        }
        let module = images::acoustic_tiles(gpu, half_length, setup.relaxation.is_some())?;
        let march = module.kernel("march")?;
        let shared = gpu.info().shared_per_block;
        let tiles = march.blocks_together(Launch::new(1, THREADS).shared(shared).together())? as usize;
        let room = Room { tiles, shared: shared as usize };
        let Some(tiling) = Tiling::of(room, &setup.layout, half_length, planes(setup), shots) else { return Ok(None) };
        Ok(Some(Self {
            tiling,
            march,
            sum: module.kernel("sum_heard")?,
            count: module.kernel("count_steps")?,
            pairs: gpu.zeroed(2 * shots * tiling.tiles() * tiling.pairs())?,
            heard: gpu.zeroed(0)?,
            steps: 0,
        }))
    }

    /// Distribution of a shot over tiles.
    pub fn tiling(&self) -> Tiling {
        self.tiling
    }

    /// Resets the state to rest.
    pub fn place(&mut self, shots: &Shots) -> Result<(), GpuError> {
        self.pairs.clear()?;
        let width = shots.recorded.taps.len();
        self.steps = (MOST_HEARD / width.max(1)).clamp(1, STEPS);
        if self.heard.len() != self.steps * width {
            self.heard = self.pairs.gpu().zeroed(self.steps * width)?;
        }
        Ok(())
    }

    /// Queues some steps.
    pub fn advance(&self, of: &Arrays, steps: u64) -> Result<(), GpuError> {
        let mut left = steps as usize;
        while left > 0 {
            let together = left.min(self.steps);
            for first in (0..of.shots.count).step_by(self.tiling.at_once) {
                self.march(of, first, together as u32)?;
            }
            (0..2).try_for_each(|half| self.sum_heard(of, half, together as u32))?;
            self.count.launch(Launch::new(1, 1), args![&of.counter, together as u32])?;
            left -= together;
        }
        Ok(())
    }

    /// Moves as many shots as the device has room for, from `first` on.
    fn march(&self, of: &Arrays, first: usize, steps: u32) -> Result<(), GpuError> {
        let Tiling { across, down, at_once, vectors, .. } = self.tiling;
        let cut = [across, down, vectors, self.tiling.held_rows()].map(|number| number as u32);
        let Taps { starts, taps } = &of.shots.sources;
        let heard = &of.shots.recorded;
        let DeviceRelaxation { loss, factors, memory, sets } = &of.relaxation;
        let shots = at_once.min(of.shots.count - first) as u32;
        let shape = Launch::new([self.tiling.tiles() as u32, 1, shots], THREADS);
        self.march.launch(
            shape.shared(self.tiling.shared_bytes()).together(),
            args![
                of.grid,
                of.coefficients(),
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
                &self.pairs,
                &heard.starts,
                &heard.taps,
                &self.heard,
                heard.taps.len() as u32,
                first as u32,
                steps,
                loss,
                factors,
                memory,
                *sets
            ],
        )
    }

    fn sum_heard(&self, of: &Arrays, half: usize, steps: u32) -> Result<(), GpuError> {
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
                of.shots.recorded.taps.len() as u32,
                &of.counter,
                ring.rows() as u32,
                ring.channels() as u32,
                ring.buffer()
            ],
        )
    }
}

/// Whether the rows of a thread may be in the layers of two sides, where it would need two memories.
fn layers_meet(setup: &Setup<f32>) -> bool {
    setup.layers.chunks(2).any(|sides| match sides {
        [Some(lower), Some(upper)] => lower.range.end + TILE.depth > upper.range.start,
        _ => false,
    })
}

/// Threads of a tile.
const THREADS: u32 = (32 * TILE.warps) as u32;
