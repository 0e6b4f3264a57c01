//! What the adjoint run of a shot on a GPU receives and samples: the residual at the points of the channels, and the adjoint pressure at monopoles.

use craton_device::args;
use craton_device::gpu::{Buffer, Gpu, GpuError, Kernel, Launch, Module};
use rayon::prelude::*;

use super::adjoint::{injection_scale, monopoles};
use crate::acoustic::arrays::Arrays;
use crate::acoustic::cut::Cut;
use crate::acoustic::recording::SEVERAL;
use crate::acoustic::setup::PRESSURE;
use crate::acoustic::shots::field_of;
use crate::acoustic::taps::{Drive, Listener, drives};
use crate::error::GpuSetupError;
use crate::gpu::countable;

/// Maximum number of values of the residual at points in the steps of a recording.
const MOST_VALUES: usize = 1 << 24;
/// Threads per block of the kernel that spreads the residual, and of that for a monopole.
const THREADS: u32 = 256;
const THREADS_PER_MONOPOLE: u32 = 32;

/// The residual of a shot at the points of its channels. A kernel multiplies it by the weights of the channels for all steps of a recording; in each step a point
/// then has a single value, whatever the number of channels around it.
pub struct Injection {
    known: Vec<Listener>,
    /// First point of each block, for both halves of the step.
    pub starts: Buffer<u32>,
    /// Field and index of each point, ascending in each block.
    pub points: Buffer<[u32; 2]>,
    /// Range of the weights of each point; channel and weight.
    ranges: Buffer<u32>,
    channels: Buffer<u32>,
    weights: Buffer<f32>,
    /// `[step][channel]`.
    residual: Buffer<f32>,
    width: u32,
    /// `[step of the recording][point]`.
    pub values: Buffer<f32>,
    spread: Kernel,
}

/// A weighted point of a channel.
struct Entry {
    /// Block, field and index.
    point: (u32, u32, u32),
    channel: u32,
    weight: f32,
}

impl Injection {
    pub fn new(gpu: &Gpu, module: &Module) -> Result<Self, GpuError> {
        Ok(Self {
            known: Vec::new(),
            starts: gpu.zeroed(0)?,
            points: gpu.zeroed(0)?,
            ranges: gpu.zeroed(0)?,
            channels: gpu.zeroed(0)?,
            weights: gpu.zeroed(0)?,
            residual: gpu.zeroed(0)?,
            width: 0,
            values: gpu.zeroed(0)?,
            spread: module.kernel("spread_residual")?,
        })
    }

    /// Sets the channels and the residual of a shot, `[step][channel]`.
    ///
    /// # Errors
    /// A position outside the grid; too many weights for 32-bit indices, too little memory.
    pub fn place(
        &mut self,
        of: &Arrays,
        cut: &Cut,
        listeners: &[Listener],
        residual: &[f32],
    ) -> Result<(), GpuSetupError> {
        if self.starts.is_empty() || self.known != listeners {
            self.known.clear();
            self.set_points(of, cut, listeners)?;
            self.known = listeners.to_vec();
        }
        self.width = listeners.len() as u32;
        self.residual.refill(residual)?;
        let values = self.points.len() * self.at_once() as usize;
        if self.values.len() != values {
            self.values = of.gpu.zeroed(values)?;
        }
        Ok(())
    }

    fn set_points(&mut self, of: &Arrays, cut: &Cut, listeners: &[Listener]) -> Result<(), GpuSetupError> {
        let entries = entries(of, cut, listeners)?;
        let mut starts = vec![0_u32; 2 * cut.blocks() + 1];
        let (mut points, mut ranges) = (Vec::new(), vec![0_u32]);
        for own in entries.chunk_by(|a, b| a.point == b.point) {
            let (block, field, at) = own[0].point;
            points.push([field, at]);
            ranges.push(countable(ranges[points.len() - 1] as usize + own.len())?);
            starts[block as usize + 1] += 1;
        }
        for block in 1..starts.len() {
            starts[block] += starts[block - 1];
        }
        self.starts.refill(&starts)?;
        self.points.refill(&points)?;
        self.ranges.refill(&ranges)?;
        self.channels.refill(&entries.iter().map(|entry| entry.channel).collect::<Vec<_>>())?;
        Ok(self.weights.refill(&entries.iter().map(|entry| entry.weight).collect::<Vec<_>>())?)
    }

    /// Maximum number of steps of a recording.
    pub fn at_once(&self) -> u64 {
        (MOST_VALUES / self.points.len().max(1)).clamp(1, SEVERAL as usize) as u64
    }

    /// Queues the values of the points in some steps.
    ///
    /// # Arguments
    /// * `last`, `counter` – number of steps of the shot, and of those of the adjoint run before the recording
    pub fn launch(&self, of: &Arrays, (last, counter): (u32, &Buffer<u32>), steps: u32) -> Result<(), GpuError> {
        let count = self.points.len() as u32;
        self.spread.launch(
            Launch::new([count.div_ceil(THREADS), steps], THREADS),
            args![
                of.grid,
                &of.factors,
                &self.points,
                count,
                &self.ranges,
                &self.channels,
                &self.weights,
                &self.residual,
                self.width,
                last,
                counter,
                &self.values
            ],
        )
    }
}

/// The weighted points of all channels in ascending order.
fn entries(of: &Arrays, cut: &Cut, listeners: &[Listener]) -> Result<Vec<Entry>, GpuSetupError> {
    let setup = &of.setup;
    let blocks = setup.blocks(listeners)?;
    let top = setup.grid.cells[2];
    let mut entries: Vec<Entry> = blocks
        .blocks
        .par_iter()
        .flat_map_iter(|block| {
            let field = usize::from(block.field);
            let (half, number) = (usize::from(field == PRESSURE), field_of(setup, field));
            blocks.points(block, &setup.layout).map(move |(plane, at, weight)| {
                let place = half * cut.blocks() + cut.block_of(&setup.layout, at as usize);
                let scale = injection_scale(field, plane as usize == top) as f32;
                Entry { point: (place as u32, number, at), channel: block.owner, weight: scale * weight }
            })
        })
        .collect();
    // A stable sort keeps the entries of a point in the order of the channels.
    entries.par_sort_by_key(|entry| entry.point);
    Ok(entries)
}

/// The adjoint pressure at the positions of monopoles, times their amplitudes: what the gradient with respect to the density at these positions needs.
pub struct MonopoleSums {
    /// Range of the points of each position; index and weight.
    ranges: Buffer<u32>,
    points: Buffer<u32>,
    weights: Buffer<f32>,
    /// `[position][step]`; the last value is used for all later steps.
    amplitudes: Buffer<f32>,
    steps: u32,
    /// Σ λ (increment by the monopole) of each position.
    pub sums: Buffer<f64>,
    sample: Kernel,
}

impl MonopoleSums {
    /// # Arguments
    /// * `beside` – the queue on which positions are sampled
    pub fn new(beside: &Gpu, module: &Module) -> Result<Self, GpuError> {
        Ok(Self {
            ranges: beside.zeroed(0)?,
            points: beside.zeroed(0)?,
            weights: beside.zeroed(0)?,
            amplitudes: beside.zeroed(0)?,
            steps: 0,
            sums: beside.zeroed(0)?,
            sample: module.kernel("sample_monopoles")?.on(beside),
        })
    }

    /// Sets the sources of a shot; none without density.
    ///
    /// # Errors
    /// A position outside the grid, too little memory.
    pub fn place(&mut self, of: &Arrays, sources: &[Drive]) -> Result<(), GpuSetupError> {
        let (setup, single) = (&of.setup, monopoles(sources));
        let mut taps = drives::<f32>(&single, &setup.weights(), setup.dt)?;
        taps.sort_by_key(|(_, _, tap)| tap.owner);
        let end = |owner: usize| taps.partition_point(|(_, _, tap)| (tap.owner as usize) < owner) as u32;
        self.ranges.refill(&(0..=single.len()).map(end).collect::<Vec<_>>())?;
        self.points.refill(&taps.iter().map(|(_, _, tap)| tap.at).collect::<Vec<_>>())?;
        self.weights.refill(&taps.iter().map(|(_, _, tap)| tap.weight).collect::<Vec<_>>())?;
        let all: Vec<Vec<f32>> = single.iter().map(|source| setup.amplitudes(source)).collect();
        let steps = all.iter().map(Vec::len).max().unwrap_or(0);
        let extended = |own: &Vec<f32>| (0..steps).map(|step| own[step.min(own.len() - 1)]).collect::<Vec<_>>();
        self.amplitudes.refill(&all.iter().flat_map(extended).collect::<Vec<_>>())?;
        self.steps = countable(steps)?;
        Ok(self.sums.refill(&vec![0.0; single.len()])?)
    }

    /// Whether there are no positions.
    pub fn is_empty(&self) -> bool {
        self.sums.is_empty()
    }

    /// Queues the sampling of the adjoint pressure after a step.
    ///
    /// # Arguments
    /// * `last`, `counter` – number of steps of the shot, and of those of the adjoint run before the recording
    pub fn launch(
        &self,
        (of, fields): (&Arrays, &Buffer<f32>),
        (last, counter): (u32, &Buffer<u32>),
        step: u32,
    ) -> Result<(), GpuError> {
        self.sample.launch(
            Launch::new(self.sums.len() as u32, THREADS_PER_MONOPOLE)
                .shared(THREADS_PER_MONOPOLE * size_of::<f64>() as u32),
            args![
                of.grid,
                &of.factors,
                &self.ranges,
                &self.points,
                &self.weights,
                &self.amplitudes,
                self.steps,
                last,
                counter,
                step,
                fields,
                &self.sums
            ],
        )
    }
}
