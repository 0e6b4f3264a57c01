//! Propagation of shots of the scalar wave equation on a GPU: a launch per step, and receivers on a concurrent queue.

use std::ops::Range;

use craton_device::args;
use craton_device::gpu::{Buffer, Gpu, GpuError, Kernel, Launch};

use super::layers::ScalarLayer;
use super::parts::ScalarParts;
use super::stencil::CentralStencil;
use super::{LEAD, LINE};
use crate::acoustic::arrays::{Arrays, planes};
use crate::acoustic::cut::{Blocks, Cut, LANES};
use crate::acoustic::recording::Recording;
use crate::acoustic::setup::Setup;
use crate::acoustic::shots::Taps;
use crate::error::GpuSetupError;
use crate::gpu::countable;
use crate::gpu::images::{self, ScalarShape};
use crate::layout::GROUP;

/// Threads per channel, as in `kernels/shot_samples.cuh`.
const THREADS_PER_CHANNEL: u32 = 32;
/// Rows of the blocks by which sources are sorted.
const SOURCE_ROWS: u32 = 8;
const SIDES: usize = 6;
/// Largest number of boxes: between the layers, in the layer of a side alone, and where layers meet; numbers of a box and of a slab, as in the kernels.
const BOXES: usize = 19;
const OF_BOX: usize = 12;
const OF_SLAB: usize = 7;
/// Kinds of boxes: those of a side alone have its number.
const SEVERAL_LAYERS: usize = 6;
const NO_LAYER: usize = 7;

/// Concurrent shots of the scalar wave equation.
pub struct ScalarRows {
    blocks: Blocks,
    shape: ScalarShape,
    /// Number of blocks in layers, and the boxes.
    boxes: [u32; 1 + BOXES * OF_BOX],
    /// Number of all blocks of a shot.
    launched: u32,
    weights: [f32; 33],
    /// c² dt² of all shots.
    factor: Buffer<f32>,
    /// Table of the layers: see `kernels/scalar_layers.cuh`.
    slabs: [u32; SIDES * OF_SLAB + 1],
    profiles: Buffer<f32>,
    /// Memory variables of each shot: at faces at even and odd steps, at centres.
    memory: Buffer<f32>,
    memories: u32,
    advance: Kernel,
    listen: Kernel,
    count: Kernel,
    /// The queue on which receivers sample concurrently with the next update.
    beside: Gpu,
    recording: Recording,
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
        let mut cut = Boxes { shape, at_once: at_once.div_ceil(shots), blocks: 0 };
        let boxes = cut.all(boxes(setup, &parts.layers));
        let weights = parts.weights.second.as_flattened().iter().chain(parts.weights.first.as_flattened());
        let weights: Vec<f32> = weights.copied().collect();
        Ok(Self {
            blocks: Blocks::new(&setup.layout, shape.of_sources(SOURCE_ROWS), planes(setup), 1),
            shape,
            boxes,
            launched: cut.blocks,
            weights: *weights.as_array().expect("eleven of three axes"),
            factor: gpu.upload(&[&[0.0; LEAD], &parts.factor[..]].concat())?,
            slabs,
            profiles: gpu.upload(&profiles)?,
            memory: gpu.zeroed(of_all)?,
            memories,
            advance: module.kernel("advance")?,
            listen: module.kernel("listen")?.on(&beside),
            count: module.kernel("count_steps")?,
            beside,
            recording: Recording::default(),
        })
    }

    /// Distribution of a shot over the blocks by which its sources are sorted.
    pub fn cut(&self) -> Cut {
        Cut::Rows(self.blocks)
    }

    /// Resets the memory variables to rest and discards the recordings, which belong to the previous shots.
    pub fn place(&mut self) -> Result<(), GpuError> {
        self.recording.discard();
        self.memory.clear()
    }

    /// Queues some steps.
    pub fn advance(&mut self, of: &Arrays, steps: u64) -> Result<(), GpuError> {
        let mut recording = std::mem::take(&mut self.recording);
        let queued = recording.replay(&of.gpu, steps, |count| self.launch_steps(of, count));
        self.recording = recording;
        queued
    }

    fn launch_steps(&self, of: &Arrays, count: u32) -> Result<(), GpuError> {
        let (gpu, beside) = (&of.gpu, &self.beside);
        beside.wait_for(gpu)?;
        for step in 0..count {
            self.launch_advance(of, step)?;
            // The next update overwrites what receivers sampled before this one.
            gpu.wait_for(beside)?;
            beside.wait_for(gpu)?;
            self.launch_listen(of, step)?;
        }
        gpu.wait_for(beside)?;
        self.count.launch(Launch::new(1, 1), args![&of.counter, count])
    }

    fn launch_advance(&self, of: &Arrays, step: u32) -> Result<(), GpuError> {
        let Taps { starts, taps } = &of.shots.sources;
        let columns = (of.setup.layout.groups * GROUP).div_ceil(LANES * self.shape.width) as u32;
        self.advance.launch(
            Launch::new([self.launched, 1, of.shots.count as u32], self.shape.threads),
            args![
                of.grid,
                self.boxes,
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

/// The boxes of points and their kinds: that between the layers, those in layers. Where layers along x meet others, one box has all rows.
fn boxes(setup: &Setup<f32>, layers: &[Option<ScalarLayer<f32>>; SIDES]) -> Vec<(Points, usize)> {
    let [_, ny, nz] = setup.grid.cells;
    // Beyond the last vector of a layer there are no cells.
    let end = layers[1].as_ref().map_or(setup.layout.groups * GROUP, |layer| layer.range.end);
    let parts: [[Range<usize>; 3]; 3] = [end, ny, nz].map(|end| [0..0, 0..end, end..end]);
    let mut parts = parts;
    for layer in layers.iter().flatten() {
        let [low, middle, high] = &mut parts[layer.axis];
        if layer.own == 0 {
            (*low, middle.start) = (0..layer.range.end, layer.range.end);
        } else {
            (*high, middle.end) = (layer.range.start..high.end, layer.range.start);
        }
    }
    let mut boxes = vec![(parts.each_ref().map(|own| own[1].clone()), NO_LAYER)];
    for number in (0..27).filter(|&number| number != 13) {
        let place = [number % 3, number / 3 % 3, number / 9];
        let outside: Vec<usize> = (0..3).filter(|&axis| place[axis] != 1).collect();
        let mut points = [0, 1, 2].map(|axis| parts[axis][place[axis]].clone());
        let kind = match outside[..] {
            [axis] => 2 * axis + place[axis] / 2,
            [0, 2] => {
                points[1] = 0..ny;
                SEVERAL_LAYERS
            }
            [_, _] => SEVERAL_LAYERS,
            _ => continue,
        };
        boxes.push((points, kind));
    }
    boxes
}

/// Division of boxes into thread blocks.
struct Boxes {
    shape: ScalarShape,
    /// Number of co-resident blocks of a shot on the device.
    at_once: usize,
    /// Number of blocks so far.
    blocks: u32,
}

impl Boxes {
    /// The argument of the kernel: the number of blocks in layers, which come first, and all boxes, that between the layers first.
    fn all(&mut self, boxes: Vec<(Points, usize)>) -> [u32; 1 + BOXES * OF_BOX] {
        // A block looks for the last box that begins at or before it.
        let mut numbers = [u32::MAX; 1 + BOXES * OF_BOX];
        let (others, table) = numbers.split_first_mut().expect("there is more than one number");
        let there = boxes[1..].iter().filter(|(points, _)| points.iter().all(|range| !range.is_empty()));
        let mut places = table.chunks_exact_mut(OF_BOX);
        let between = places.next().expect("there is a place for the first box");
        places.zip(there).for_each(|(place, (points, kind))| place.copy_from_slice(&self.cut(points, *kind)));
        *others = self.blocks;
        between.copy_from_slice(&self.cut(&boxes[0].0, boxes[0].1));
        numbers
    }

    /// The numbers of a box for the kernel; its blocks follow the previous ones.
    fn cut(&mut self, points: &Points, kind: usize) -> [u32; OF_BOX] {
        let ScalarShape { width, threads, deep, .. } = self.shape;
        let [x, y, z] = points;
        // Warps begin at cache lines; those of narrow boxes have several rows.
        let is_narrow = x.len() <= width * LANES / 2;
        let from = if is_narrow { x.start } else { x.start / LINE * LINE };
        let vectors = (x.end.max(from + 1) - from).div_ceil(width);
        let wide = if is_narrow { vectors } else { LANES };
        let (across, down) = (vectors.div_ceil(wide), y.len().div_ceil(threads as usize / wide));
        let fills = |&deep: &usize| deep <= 4 || across * down * z.len().div_ceil(deep) >= self.at_once;
        let deep = (0..=deep.ilog2()).map(|halvings| deep >> halvings).find(fills).unwrap_or(1);
        let chunks = z.len().div_ceil(deep);
        let deep = z.len().div_ceil(chunks.max(1));
        let first = self.blocks;
        self.blocks += if x.is_empty() { 0 } else { (across * down * chunks) as u32 };
        let [starts, ends] = [points.each_ref().map(|range| range.start), points.each_ref().map(|range| range.end)];
        let numbers = [kind, starts[0], starts[1], starts[2], ends[0], ends[1], ends[2], from, across, wide, deep];
        let mut all = [first; OF_BOX];
        all[1..].copy_from_slice(&numbers.map(|number| number as u32));
        all
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
