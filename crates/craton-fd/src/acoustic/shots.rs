//! Sources and receivers of concurrent shots on a GPU, and their samples.

use bytemuck::Pod;
use craton_device::gpu::{Buffer, Gpu, GpuError};
use craton_sim::DeviceRing;

use super::blocks::{Block, Blocks};
use super::cut::Cut;
use super::setup::{PRESSURE, Setup};
use super::taps::{Drive, Listener};
use crate::error::GpuSetupError;
use crate::gpu::countable;

/// Maximum number of samples held on a device: those of whole shots, so that the propagation does not wait for the host.
const MOST_SAMPLES: usize = 1 << 27;

/// A weighted point for the kernels: field, index, owner, bits of the weight.
type DeviceTap = [u32; 4];

/// Sources and receivers of concurrent shots.
pub struct Shots {
    pub count: usize,
    /// Weighted points of sources, sorted by block, for both halves of the step.
    pub sources: Taps<DeviceTap>,
    /// Amplitudes, `[source][step]`.
    pub amplitudes: Buffer<f32>,
    pub steps: u32,
    /// Channels of both halves: number, shot, range of listeners.
    pub channels: [Buffer<[u32; 4]>; 2],
    /// With tiles the weighted points of channels. Otherwise their blocks: field and plane of the first point, its index, number of points along each
    /// axis, index of the first weight.
    pub listeners: [Buffer<DeviceTap>; 2],
    /// Weights of the blocks along each axis.
    pub weights: Buffer<f32>,
    /// Range of the channels of each shot.
    pub rows: Vec<[usize; 2]>,
    /// Values that tiles record in each half of the step: field, column and row in the tile, index among all values of a step.
    pub recorded: Taps<[u32; 4]>,
    pub ring: DeviceRing<f32>,
}

/// Entries sorted by block.
pub struct Taps<T: Pod> {
    pub starts: Buffer<u32>,
    pub taps: Buffer<T>,
}

impl Shots {
    /// Creates an empty list with a capacity.
    pub fn none(gpu: &Gpu, count: usize) -> Result<Self, GpuError> {
        Ok(Self {
            count,
            sources: Taps { starts: gpu.zeroed(0)?, taps: gpu.zeroed(0)? },
            amplitudes: gpu.zeroed(0)?,
            steps: 0,
            channels: [gpu.zeroed(0)?, gpu.zeroed(0)?],
            listeners: [gpu.zeroed(0)?, gpu.zeroed(0)?],
            weights: gpu.zeroed(0)?,
            rows: Vec::new(),
            recorded: Taps { starts: gpu.zeroed(0)?, taps: gpu.zeroed(0)? },
            ring: DeviceRing::new(gpu, 0)?,
        })
    }

    /// Sets new shots, at most the number of concurrent shots; buffers are reused if possible.
    ///
    /// # Arguments
    /// * `cut` – distribution of points over blocks
    ///
    /// # Errors
    /// A position outside the grid; too many channels for 32-bit indices, too little memory.
    pub fn place(
        &mut self,
        gpu: &Gpu,
        setup: &Setup<f32>,
        shots: &[(Vec<Drive>, Vec<Listener>)],
        cut: &Cut,
    ) -> Result<(), GpuSetupError> {
        let all = || shots.iter().flat_map(|(sources, _)| sources);
        // The last value is used for all later steps.
        let steps = all().map(|source| source.history.len() + 1).max().unwrap_or(0);
        let mut history: Vec<f32> = Vec::new();
        for (number, source) in all().enumerate() {
            let own = setup.amplitudes(source);
            history.extend(&own);
            history.resize((number + 1) * steps, own[own.len() - 1]);
        }
        shots.iter().try_for_each(|(_, listeners)| setup.check_listeners(listeners))?;
        let sources = sources(setup, self.count, shots, cut)?;
        let recorded = Recorded::new(setup, shots, cut)?;
        let by_tiles = recorded.by_tiles(setup, self.count, cut);
        let blocks = 2 * cut.blocks() * self.count;
        let width = recorded.rows.last().map_or(0, |row| row[1]);
        let rows = (MOST_SAMPLES / width.max(1)).clamp(1, steps.max(1));
        if (self.ring.channels(), self.ring.rows()) == (width, rows) {
            self.ring.clear()?;
        } else {
            self.ring = DeviceRing::with_rows(gpu, width, rows)?;
        }
        self.sources.refill(blocks, sources)?;
        self.amplitudes.refill(&history)?;
        self.steps = countable(steps)?;
        for half in 0..2 {
            self.channels[half].refill(&recorded.channels[half])?;
            self.listeners[half].refill(&recorded.listeners[half])?;
        }
        self.weights.refill(&recorded.weights)?;
        self.rows = recorded.rows;
        Ok(self.recorded.refill(blocks, by_tiles)?)
    }
}

/// Index of a field on the device: velocities along the existing axes, then pressure and its memory variables.
pub fn field_of(setup: &Setup<f32>, field: usize) -> u32 {
    let velocity = setup.axes.iter().position(|&axis| axis == field);
    match field {
        PRESSURE.. => (setup.axes.len() + field - PRESSURE) as u32,
        _ => velocity.expect("velocities along missing axes have been refused") as u32,
    }
}

/// Weighted points of the sources of all shots, each with its block in either half of the step.
fn sources(
    setup: &Setup<f32>,
    count: usize,
    shots: &[(Vec<Drive>, Vec<Listener>)],
    cut: &Cut,
) -> Result<Vec<(usize, DeviceTap)>, GpuSetupError> {
    let (mut owners, mut taps) = (0, Vec::new());
    for (shot, (sources, _)) in shots.iter().enumerate() {
        for (field, _, tap) in setup.sources(sources)? {
            let half = usize::from(field >= PRESSURE);
            let block = (half * count + shot) * cut.blocks() + cut.block_of(&setup.layout, tap.at as usize);
            taps.push((block, [field_of(setup, field), tap.at, tap.owner + owners, tap.weight.to_bits()]));
        }
        owners += sources.len() as u32;
    }
    // A stable sort groups the entries of a point and keeps them in the order of the CPU.
    taps.sort_by_key(|&(block, [field, at, ..])| (block, field, at));
    Ok(taps)
}

/// Number of bits of the number of points of a block along an axis.
const COUNT_BITS: u32 = 10;
/// Number of bits of the number of a field.
const FIELD_BITS: u32 = 2;

/// The weighted points of the blocks of a channel, in the order of the kernel for blocks.
fn points(setup: &Setup<f32>, of: &Blocks<f32>, blocks: &[Block]) -> Vec<DeviceTap> {
    let mut points: Vec<(u32, DeviceTap)> = Vec::new();
    for block in blocks {
        let field = field_of(setup, block.field.into());
        let own = of.points(block, &setup.layout);
        points.extend(own.map(|(plane, at, weight)| (plane, [field, at, 0, weight.to_bits()])));
    }
    // A stable sort keeps the order of blocks and rows.
    points.sort_by_key(|&(plane, _)| plane);
    points.into_iter().map(|(_, tap)| tap).collect()
}

/// A block for the kernel.
///
/// # Arguments
/// * `before` – number of weights of earlier shots
fn for_kernel(setup: &Setup<f32>, block: &Block, before: usize) -> [u32; 4] {
    let [nx, ny, nz] = block.counts.map(u32::from);
    let field = field_of(setup, block.field.into());
    let counts = nx | ny << COUNT_BITS | nz << (2 * COUNT_BITS);
    [field | block.plane << FIELD_BITS, block.at, counts, (before + block.weights) as u32]
}

/// Channels of all shots and their listeners, for both halves of the step.
#[derive(Default)]
struct Recorded {
    channels: [Vec<[u32; 4]>; 2],
    listeners: [Vec<DeviceTap>; 2],
    weights: Vec<f32>,
    rows: Vec<[usize; 2]>,
}

impl Recorded {
    fn new(setup: &Setup<f32>, shots: &[(Vec<Drive>, Vec<Listener>)], cut: &Cut) -> Result<Self, GpuSetupError> {
        let (mut recorded, mut first) = (Self::default(), 0);
        for (shot, (_, receivers)) in shots.iter().enumerate() {
            let own = setup.blocks(receivers)?;
            for of_channel in own.blocks.chunk_by(|a, b| a.owner == b.owner) {
                // In the order of the CPU: plane by plane, in a plane field by field.
                let mut of_channel = of_channel.to_vec();
                of_channel.sort_by_key(|block| (block.field, block.plane));
                let half = usize::from(usize::from(of_channel[0].field) == PRESSURE);
                let listeners = &mut recorded.listeners[half];
                let start = listeners.len() as u32;
                match cut {
                    Cut::Tiles(_) => listeners.extend(points(setup, &own, &of_channel)),
                    Cut::Rows(_) => {
                        let before = recorded.weights.len();
                        listeners.extend(of_channel.iter().map(|block| for_kernel(setup, block, before)));
                    }
                }
                let end = countable(listeners.len())?;
                recorded.channels[half].push([first as u32 + of_channel[0].owner, shot as u32, start, end]);
            }
            if !matches!(cut, Cut::Tiles(_)) {
                recorded.weights.extend_from_slice(&own.weights);
                countable(recorded.weights.len())?;
            }
            recorded.rows.push([first, first + receivers.len()]);
            first += receivers.len();
        }
        Ok(recorded)
    }

    /// Values that each tile records, with the index of the tile in either half of the step; empty without tiles.
    fn by_tiles(&self, setup: &Setup<f32>, count: usize, cut: &Cut) -> Vec<(usize, [u32; 4])> {
        let Cut::Tiles(tiling) = cut else { return Vec::new() };
        let (mut recorded, mut place) = (Vec::new(), 0);
        for half in 0..2 {
            for &[_, shot, start, end] in &self.channels[half] {
                for &[field, at, ..] in &self.listeners[half][start as usize..end as usize] {
                    let (tile, [column, row]) = tiling.place(&setup.layout, at as usize);
                    let block = (half * count + shot as usize) * cut.blocks() + tile;
                    recorded.push((block, [field, column, row, place]));
                    place += 1;
                }
            }
        }
        recorded
    }
}

impl<T: Pod> Taps<T> {
    fn refill(&mut self, blocks: usize, mut taps: Vec<(usize, T)>) -> Result<(), GpuError> {
        // A stable sort keeps the entries of a block in the order of the CPU.
        taps.sort_by_key(|tap| tap.0);
        let mut starts = vec![0; blocks + 1];
        taps.iter().for_each(|&(block, _)| starts[block + 1] += 1);
        for block in 0..blocks {
            starts[block + 1] += starts[block];
        }
        let taps: Vec<T> = taps.into_iter().map(|(_, tap)| tap).collect();
        self.starts.refill(&starts)?;
        self.taps.refill(&taps)
    }
}
