//! What makes shots on a GPU differ from one another: taps of sources and receivers, and what is heard.

use bytemuck::Pod;
use craton_device::gpu::{Buffer, Gpu, GpuError};
use craton_sim::DeviceRing;

use super::cut::Cut;
use super::setup::{PRESSURE, Setup};
use super::taps::{Drive, Listener, Tap, amplitudes, drives, listeners};
use crate::error::GpuSetupError;
use crate::gpu::countable;

/// Samples that are held on a device at most: those of whole shots, so that nothing waits for the host while they move.
const MOST_SAMPLES: usize = 1 << 27;

/// A tap as the kernels read it: field, place, owner, bits of the weight.
type DeviceTap = [u32; 4];

/// What makes shots differ from one another.
pub struct Shots {
    pub count: usize,
    /// Taps of sources, and where those of each block begin, for both halves of the step.
    pub sources: Taps<DeviceTap>,
    /// `[source][step]`.
    pub amplitudes: Buffer<f32>,
    pub steps: u32,
    /// Of both halves: number, shot, first tap and end.
    pub channels: [Buffer<[u32; 4]>; 2],
    pub listeners: [Buffer<DeviceTap>; 2],
    /// Channels of each shot: the number of the first, and the end.
    pub rows: Vec<[usize; 2]>,
    /// What tiles hear of each half of the step: field, column and row in the tile, place among all that is heard in a step.
    pub heard: Taps<[u32; 4]>,
    pub ring: DeviceRing<f32>,
}

/// Taps, block by block.
pub struct Taps<T: Pod> {
    pub starts: Buffer<u32>,
    pub taps: Buffer<T>,
}

impl Shots {
    /// None, in room for some.
    pub fn none(gpu: &Gpu, count: usize) -> Result<Self, GpuError> {
        Ok(Self {
            count,
            sources: Taps { starts: gpu.zeroed(0)?, taps: gpu.zeroed(0)? },
            amplitudes: gpu.zeroed(0)?,
            steps: 0,
            channels: [gpu.zeroed(0)?, gpu.zeroed(0)?],
            listeners: [gpu.zeroed(0)?, gpu.zeroed(0)?],
            rows: Vec::new(),
            heard: Taps { starts: gpu.zeroed(0)?, taps: gpu.zeroed(0)? },
            ring: DeviceRing::new(gpu, 0)?,
        })
    }

    /// These shots instead of those before, at most as many as there is room for; memory that serves again is kept.
    ///
    /// # Arguments
    /// * `cut` – what each block moves
    /// # Errors
    /// A position outside the grid; more channels than kernels can count, too little memory.
    pub fn place(
        &mut self,
        gpu: &Gpu,
        setup: &Setup<f32>,
        shots: &[(Vec<Drive>, Vec<Listener>)],
        cut: &Cut,
    ) -> Result<(), GpuSetupError> {
        let all = || shots.iter().flat_map(|(sources, _)| sources);
        // The last value is that of all later steps.
        let steps = all().map(|source| source.history.len() + 1).max().unwrap_or(0);
        let mut history: Vec<f32> = Vec::new();
        for (number, source) in all().enumerate() {
            let own: Vec<f32> = amplitudes(source, setup.dt);
            history.extend(&own);
            history.resize((number + 1) * steps, own[own.len() - 1]);
        }
        let sources = sources(setup, self.count, shots, cut)?;
        let heard = Heard::new(setup, shots)?;
        let by_tiles = heard.by_tiles(setup, self.count, cut);
        let blocks = 2 * cut.blocks() * self.count;
        let width = heard.rows.last().map_or(0, |row| row[1]);
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
            self.channels[half].refill(&heard.channels[half])?;
            self.listeners[half].refill(&heard.listeners[half])?;
        }
        self.rows = heard.rows;
        Ok(self.heard.refill(blocks, by_tiles)?)
    }
}

/// Velocities are numbered by the axes that there are, and pressure comes last.
fn field_of(setup: &Setup<f32>, field: usize) -> u32 {
    let velocity = setup.axes.iter().position(|&axis| axis == field);
    match field {
        PRESSURE => setup.axes.len() as u32,
        _ => velocity.expect("a velocity along no axis has been refused") as u32,
    }
}

/// Taps of the sources of all shots, each with its block among those of both halves of the step.
fn sources(
    setup: &Setup<f32>,
    count: usize,
    shots: &[(Vec<Drive>, Vec<Listener>)],
    cut: &Cut,
) -> Result<Vec<(usize, DeviceTap)>, GpuSetupError> {
    let (weights, mut owners, mut taps) = (setup.weights(), 0, Vec::new());
    for (shot, (sources, _)) in shots.iter().enumerate() {
        for (field, _, tap) in drives(sources, &weights, &setup.medium, setup.dt)? {
            let half = usize::from(field == PRESSURE);
            let block = (half * count + shot) * cut.blocks() + cut.block_of(&setup.layout, tap.at as usize);
            taps.push((block, [field_of(setup, field), tap.at, tap.owner + owners, tap.weight.to_bits()]));
        }
        owners += sources.len() as u32;
    }
    // Those of a point follow one another; stable, so that among them they stay in the order in which a CPU takes them.
    taps.sort_by_key(|&(block, [field, at, ..])| (block, field, at));
    Ok(taps)
}

/// Channels of all shots and their taps, for both halves of the step.
struct Heard {
    channels: [Vec<[u32; 4]>; 2],
    listeners: [Vec<DeviceTap>; 2],
    rows: Vec<[usize; 2]>,
}

impl Heard {
    fn new(setup: &Setup<f32>, shots: &[(Vec<Drive>, Vec<Listener>)]) -> Result<Self, GpuSetupError> {
        let mut heard =
            Self { channels: [Vec::new(), Vec::new()], listeners: [Vec::new(), Vec::new()], rows: Vec::new() };
        let (weights, mut first) = (setup.weights(), 0);
        for (shot, (_, receivers)) in shots.iter().enumerate() {
            let mut taps: Vec<(usize, usize, Tap<f32>)> = listeners(receivers, &weights)?;
            // Within a channel in the order of a CPU: plane by plane.
            taps.sort_by_key(|&(_, plane, tap)| (tap.owner, plane));
            for of_channel in taps.chunk_by(|a, b| a.2.owner == b.2.owner) {
                let (field, _, Tap { owner, .. }) = of_channel[0];
                let half = usize::from(field == PRESSURE);
                let own = of_channel.iter();
                let own = own.map(|(field, _, tap)| [field_of(setup, *field), tap.at, 0, tap.weight.to_bits()]);
                let start = heard.listeners[half].len() as u32;
                heard.listeners[half].extend(own);
                let end = countable(heard.listeners[half].len())?;
                heard.channels[half].push([first as u32 + owner, shot as u32, start, end]);
            }
            heard.rows.push([first, first + receivers.len()]);
            first += receivers.len();
        }
        Ok(heard)
    }

    /// What each tile hears, with its number among those of both halves of the step; nothing where there are none.
    fn by_tiles(&self, setup: &Setup<f32>, count: usize, cut: &Cut) -> Vec<(usize, [u32; 4])> {
        let Cut::Tiles(tiling) = cut else { return Vec::new() };
        let (mut heard, mut place) = (Vec::new(), 0);
        for half in 0..2 {
            for &[_, shot, start, end] in &self.channels[half] {
                for &[field, at, ..] in &self.listeners[half][start as usize..end as usize] {
                    let (tile, [column, row]) = tiling.place(&setup.layout, at as usize);
                    let block = (half * count + shot as usize) * cut.blocks() + tile;
                    heard.push((block, [field, column, row, place]));
                    place += 1;
                }
            }
        }
        heard
    }
}

impl<T: Pod> Taps<T> {
    fn refill(&mut self, blocks: usize, mut taps: Vec<(usize, T)>) -> Result<(), GpuError> {
        // Stable: in a block they stay in the order in which a CPU takes them.
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
