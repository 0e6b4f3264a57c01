//! Propagation of shots of the scalar wave equation on a GPU: a launch per step for the points between the layers, one for those in layers, and receivers on a
//! concurrent queue.

use std::ops::Range;

use craton_device::args;
use craton_device::gpu::{Buffer, Gpu, GpuError, Graph, Kernel, Launch};

use super::layers::ScalarLayer;
use super::parts::ScalarParts;
use super::stencil::CentralStencil;
use crate::acoustic::arrays::{Arrays, planes};
use crate::acoustic::cut::{Blocks, Cut, LANES};
use crate::acoustic::setup::Setup;
use crate::acoustic::shots::Taps;
use crate::error::GpuSetupError;
use crate::gpu::countable;
use crate::gpu::images::{self, ScalarShape};
use crate::layout::GROUP;

/// Number of steps of the longer recording: small shots would stall between recordings of one step.
const SEVERAL: u64 = 32;
/// Threads per channel, as in `kernels/shot_samples.cuh`.
const THREADS_PER_CHANNEL: u32 = 32;
/// Rows of the blocks by which sources are sorted.
const SOURCE_ROWS: u32 = 8;
/// Boxes in layers: one per side.
const SIDES: usize = 6;
/// Numbers of a box and of a slab, as in the kernels.
const OF_BOX: usize = 10;
const OF_SLAB: usize = 7;

/// Concurrent shots of the scalar wave equation.
pub struct ScalarRows {
    blocks: Blocks,
    shape: ScalarShape,
    /// The boxes between and in layers, and the number of blocks of each launch.
    inner: ([u32; OF_BOX], u32),
    outer: ([u32; SIDES * OF_BOX], u32),
    weights: [f32; 33],
    /// c² dt² of all shots.
    factor: Buffer<f32>,
    /// Table of the layers: see `kernels/scalar_layers.cuh`.
    slabs: [u32; SIDES * OF_SLAB + 1],
    profiles: Buffer<f32>,
    /// Memory variables of each shot: at faces at even and odd steps, at centres.
    memory: Buffer<f32>,
    memories: u32,
    advance_inner: Kernel,
    advance_layers: Kernel,
    listen: Kernel,
    count: Kernel,
    /// The queue on which receivers sample concurrently with the next update.
    beside: Gpu,
    /// Recordings of one step and of several.
    graphs: Option<[Graph; 2]>,
}

impl ScalarRows {
    /// Creates the propagation of concurrent shots.
    ///
    /// # Errors
    /// Layers out of range, too many values for 32-bit indices, a device that fails, too little memory.
    pub fn new(gpu: &Gpu, setup: &Setup<f32>, stencil: &CentralStencil, shots: usize) -> Result<Self, GpuSetupError> {
        let shape = ScalarShape::of(stencil.half_length());
        let parts = ScalarParts::new(setup, stencil, shape.width)?;
        let module = images::scalar(gpu, stencil.half_length(), shape)?;
        let beside = gpu.another_queue()?;
        let (slabs, profiles, memories) = tables(&parts.layers)?;
        let of_all = countable(memories as usize * shots)? as usize;
        let at_once = (shape.blocks * gpu.info().multiprocessors) as usize;
        let (between, around) = boxes(setup, &parts.layers);
        let mut cut = Boxes { shape, at_once: at_once.div_ceil(shots), blocks: 0 };
        let inner = (cut.cut(&between), cut.blocks);
        let mut cut = Boxes { blocks: 0, ..cut };
        // A block looks for the last box that begins at or before it: those without points come last.
        let mut outer = [u32::MAX; SIDES * OF_BOX];
        let there = around.iter().filter(|own| own.iter().all(|range| !range.is_empty()));
        for (numbers, own) in outer.chunks_exact_mut(OF_BOX).zip(there) {
            numbers.copy_from_slice(&cut.cut(own));
        }
        let weights = parts.weights.second.as_flattened().iter().chain(parts.weights.first.as_flattened());
        let weights: Vec<f32> = weights.copied().collect();
        Ok(Self {
            blocks: Blocks::new(&setup.layout, shape.of_sources(SOURCE_ROWS), planes(setup), 1),
            shape,
            inner,
            outer: (outer, cut.blocks),
            weights: *weights.as_array().expect("eleven of three axes"),
            factor: gpu.upload(&parts.factor)?,
            slabs,
            profiles: gpu.upload(&profiles)?,
            memory: gpu.zeroed(of_all)?,
            memories,
            advance_inner: module.kernel("advance_inner")?,
            advance_layers: module.kernel("advance_layers")?,
            listen: module.kernel("listen")?.on(&beside),
            count: module.kernel("count_steps")?,
            beside,
            graphs: None,
        })
    }

    /// Distribution of a shot over the blocks by which its sources are sorted.
    pub fn cut(&self) -> Cut {
        Cut::Rows(self.blocks)
    }

    /// Resets the memory variables to rest and discards the recordings, which belong to the previous shots.
    pub fn place(&mut self) -> Result<(), GpuError> {
        self.graphs = None;
        self.memory.clear()
    }

    /// Queues some steps.
    pub fn advance(&mut self, of: &Arrays, steps: u64) -> Result<(), GpuError> {
        if self.graphs.is_none() {
            let record = |count: u64| of.gpu.record(|| self.launch_steps(of, count as u32));
            self.graphs = Some([record(1)?, record(SEVERAL)?]);
        }
        let [one, several] = self.graphs.as_ref().expect("recorded above");
        (0..steps / SEVERAL).try_for_each(|_| several.replay())?;
        (0..steps % SEVERAL).try_for_each(|_| one.replay())
    }

    fn launch_steps(&self, of: &Arrays, count: u32) -> Result<(), GpuError> {
        let (gpu, beside) = (&of.gpu, &self.beside);
        beside.wait_for(gpu)?;
        for step in 0..count {
            let [inner, outer] = [self.inner.1, self.outer.1];
            if outer > 0 {
                self.launch_boxes(of, &self.advance_layers, (&self.outer.0, outer), step)?;
            }
            if inner > 0 {
                self.launch_boxes(of, &self.advance_inner, (&self.inner.0, inner), step)?;
            }
            // The next update overwrites what receivers sampled before this one.
            gpu.wait_for(beside)?;
            beside.wait_for(gpu)?;
            self.launch_listen(of, step)?;
        }
        gpu.wait_for(beside)?;
        self.count.launch(Launch::new(1, 1), args![&of.counter, count])
    }

    fn launch_boxes<const N: usize>(
        &self,
        of: &Arrays,
        kernel: &Kernel,
        (boxes, blocks): (&[u32; N], u32),
        step: u32,
    ) -> Result<(), GpuError> {
        let Taps { starts, taps } = &of.shots.sources;
        let columns = (of.setup.layout.groups * GROUP).div_ceil(LANES * self.shape.width) as u32;
        kernel.launch(
            Launch::new([blocks, 1, of.shots.count as u32], self.shape.threads),
            args![
                of.grid,
                *boxes,
                self.weights,
                &self.factor,
                self.slabs,
                &self.profiles,
                &self.memory,
                self.memories,
                starts,
                taps,
                &of.shots.amplitudes,
                of.shots.steps,
                columns,
                SOURCE_ROWS,
                &of.counter,
                step,
                &of.fields
            ],
        )
    }

    fn launch_listen(&self, of: &Arrays, step: u32) -> Result<(), GpuError> {
        let (channels, ring) = (&of.shots.channels[1], &of.shots.ring);
        if channels.is_empty() {
            return Ok(());
        }
        self.listen.launch(
            Launch::new(channels.len() as u32, THREADS_PER_CHANNEL)
                .shared(THREADS_PER_CHANNEL * size_of::<f32>() as u32),
            args![
                channels,
                &of.shots.listeners[1],
                &of.shots.weights,
                of.grid,
                &of.fields,
                &of.counter,
                step,
                ring.rows() as u32,
                ring.channels() as u32,
                ring.buffer()
            ],
        )
    }
}

/// Points along each axis.
type Points = [Range<usize>; 3];

/// The points between the layers, and those in the layers of each side, z before y and x.
fn boxes(setup: &Setup<f32>, layers: &[Option<ScalarLayer<f32>>; SIDES]) -> (Points, Vec<Points>) {
    let [_, ny, nz] = setup.grid.cells;
    let whole = [0..setup.layout.groups * GROUP, 0..ny, 0..nz];
    let mut between = whole;
    for layer in layers.iter().flatten() {
        let own = &mut between[layer.axis];
        if layer.own == 0 { own.start = layer.range.end } else { own.end = layer.range.start }
    }
    // Beyond the last vector of a layer there are no cells.
    let last = layers[1].as_ref().map_or(between[0].end, |layer| layer.range.end);
    let mut around = Vec::new();
    let mut left = [0..last, 0..ny, 0..nz];
    for axis in [2, 1, 0] {
        for range in [left[axis].start..between[axis].start, between[axis].end..left[axis].end] {
            let mut own = left.clone();
            own[axis] = range;
            around.push(own);
        }
        left[axis] = between[axis].clone();
    }
    (between, around)
}

/// Division of boxes into thread blocks.
#[derive(Clone, Copy)]
struct Boxes {
    shape: ScalarShape,
    /// Number of co-resident blocks of a shot on the device.
    at_once: usize,
    /// Number of blocks so far.
    blocks: u32,
}

impl Boxes {
    /// The numbers of a box for the kernels; its blocks follow the previous ones.
    fn cut(&mut self, points: &Points) -> [u32; OF_BOX] {
        let ScalarShape { width, threads, deep, .. } = self.shape;
        let [x, y, z] = points;
        let vectors = x.len().div_ceil(width).max(1);
        let across = vectors.div_ceil(LANES);
        let wide = vectors.div_ceil(across);
        let down = y.len().div_ceil(threads as usize / wide);
        let fills = |&deep: &usize| deep <= 4 || across * down * z.len().div_ceil(deep) >= self.at_once;
        let deep = (0..=deep.ilog2()).map(|halvings| deep >> halvings).find(fills).unwrap_or(1);
        let chunks = z.len().div_ceil(deep).max(1);
        let deep = z.len().div_ceil(chunks).max(1);
        let first = self.blocks;
        if x.is_empty() || y.is_empty() || z.is_empty() {
            return [first; OF_BOX];
        }
        self.blocks += (across * down * chunks) as u32;
        let [start, end] =
            [points.each_ref().map(|range| range.start as u32), points.each_ref().map(|range| range.end as u32)];
        let [across, wide, deep] = [across, wide, deep].map(|number| number as u32);
        [first, start[0], start[1], start[2], end[0], end[1], end[2], across, wide, deep]
    }
}

/// Table of the slabs, their factors, and the number of memory variables of a shot.
fn tables(
    layers: &[Option<ScalarLayer<f32>>; SIDES],
) -> Result<([u32; SIDES * OF_SLAB + 1], Vec<f32>, u32), GpuSetupError> {
    let mut table = [0; SIDES * OF_SLAB + 1];
    let (mut profiles, [mut faces, mut centres]) = (Vec::new(), [0; 2]);
    for (layer, numbers) in layers.iter().zip(table.chunks_exact_mut(OF_SLAB)) {
        let Some(layer) = layer else { continue };
        let [width, rows, _] = layer.shape;
        let own = [layer.range.start, layer.range.end, faces, centres, width, rows, profiles.len()];
        numbers.copy_from_slice(&own.map(|number| number as u32));
        (faces, centres) = (faces + layer.face_len(), centres + layer.len());
        layer.faces.iter().chain(&layer.centres).for_each(|list| profiles.extend_from_slice(list));
    }
    table[SIDES * OF_SLAB] = countable(faces)?;
    Ok((table, profiles, countable(2 * faces + centres)?))
}
