//! Sources and receivers of concurrent shots on a GPU, and their samples.

use bytemuck::Pod;
use craton_device::gpu::{Buffer, Gpu, GpuError};
use craton_sim::DeviceRing;

use super::cut::Cut;
use super::setup::{PRESSURE, Setup};
use super::taps::{Drive, Listener, PointWeight, amplitudes, drives, listeners};
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
    /// Channels of both halves: number, shot, range of weighted points.
    pub channels: [Buffer<[u32; 4]>; 2],
    pub listeners: [Buffer<DeviceTap>; 2],
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
            let own: Vec<f32> = amplitudes(source, setup.dt);
            history.extend(&own);
            history.resize((number + 1) * steps, own[own.len() - 1]);
        }
        let sources = sources(setup, self.count, shots, cut)?;
        let recorded = Recorded::new(setup, shots)?;
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
        self.rows = recorded.rows;
        Ok(self.recorded.refill(blocks, by_tiles)?)
    }
}

/// Index of a field on the device: velocities along the existing axes, then pressure.
fn field_of(setup: &Setup<f32>, field: usize) -> u32 {
    let velocity = setup.axes.iter().position(|&axis| axis == field);
    match field {
        PRESSURE => setup.axes.len() as u32,
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
    let (weights, mut owners, mut taps) = (setup.weights(), 0, Vec::new());
    for (shot, (sources, _)) in shots.iter().enumerate() {
        for (field, _, tap) in drives(sources, &weights, setup.dt)? {
            let half = usize::from(field == PRESSURE);
            let block = (half * count + shot) * cut.blocks() + cut.block_of(&setup.layout, tap.at as usize);
            taps.push((block, [field_of(setup, field), tap.at, tap.owner + owners, tap.weight.to_bits()]));
        }
        owners += sources.len() as u32;
    }
    // A stable sort groups the entries of a point and keeps them in the order of the CPU.
    taps.sort_by_key(|&(block, [field, at, ..])| (block, field, at));
    Ok(taps)
}

/// Channels of all shots and their weighted points, for both halves of the step.
struct Recorded {
    channels: [Vec<[u32; 4]>; 2],
    listeners: [Vec<DeviceTap>; 2],
    rows: Vec<[usize; 2]>,
}

impl Recorded {
    fn new(setup: &Setup<f32>, shots: &[(Vec<Drive>, Vec<Listener>)]) -> Result<Self, GpuSetupError> {
        let mut recorded =
            Self { channels: [Vec::new(), Vec::new()], listeners: [Vec::new(), Vec::new()], rows: Vec::new() };
        let (weights, mut first) = (setup.weights(), 0);
        for (shot, (_, receivers)) in shots.iter().enumerate() {
            let mut taps: Vec<(usize, usize, PointWeight<f32>)> = listeners(receivers, &weights)?;
            // Within a channel, in the order of the CPU: plane by plane.
            taps.sort_by_key(|&(_, plane, tap)| (tap.owner, plane));
            for of_channel in taps.chunk_by(|a, b| a.2.owner == b.2.owner) {
                let (field, _, PointWeight { owner, .. }) = of_channel[0];
                let half = usize::from(field == PRESSURE);
                let own = of_channel.iter();
                let own = own.map(|(field, _, tap)| [field_of(setup, *field), tap.at, 0, tap.weight.to_bits()]);
                let start = recorded.listeners[half].len() as u32;
                recorded.listeners[half].extend(own);
                let end = countable(recorded.listeners[half].len())?;
                recorded.channels[half].push([first as u32 + owner, shot as u32, start, end]);
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
