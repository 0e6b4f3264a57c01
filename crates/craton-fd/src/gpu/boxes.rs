//! How blocks of threads share the points: boxes in absorbing layers, the box between them, and the shape of the blocks of each.
//!
//! Rows along x are never cut: a box of a layer's ten points along x would read lines of the cache of which it needs a third.

use std::ops::Range;

use crate::regions::{Points, is_empty};

/// Threads of a block.
pub const THREADS: usize = 256;
/// Blocks that a multiprocessor runs at once.
const BLOCKS_AT_ONCE: usize = 2;
/// Planes that a thread may march through: where it keeps what it derives along z, and where it does not.
const KEPT_PLANES: [usize; 4] = [4, 8, 16, 32];
const PLANES: [usize; 4] = [64, 32, 16, 8];
/// Rounds of blocks that a device should go through, at least, in the second case.
const ROUNDS: usize = 16;
/// What points that neighbours read too weigh along x and y, by measured times: in the first case and in the second.
const KEPT_WEIGHTS: [f64; 2] = [0.4, 0.15];
const WEIGHTS: [f64; 2] = [0.2, 0.3];
/// Bytes of a line of the cache, on which blocks begin, and of what is moved at least.
const LINE: usize = 128;
const SECTOR: usize = 32;

/// A box as the kernel reads it: first and end points (along x in vectors), threads of a block along x and y, planes that a thread marches through,
/// blocks along x and y, first block.
pub type DeviceBox = [u32; 12];

/// Cuts the layers across y and z off a box: the boxes that lie in them, and what is left, which may be empty.
///
/// # Arguments
/// * `extent` – points along each axis
/// * `layers` – the indices of each side's layer along its axis; empty ranges where there are none
pub fn cut(extent: [usize; 3], layers: &[Range<usize>; 6]) -> (Vec<Points>, Points) {
    let mut rest = extent.map(|n| 0..n);
    let mut boxes = Vec::new();
    for axis in [2, 1] {
        let [low, high] = [&layers[2 * axis], &layers[2 * axis + 1]];
        let own = rest[axis].clone();
        let inner_start = if low.is_empty() { own.start } else { low.end.min(own.end) };
        let inner_end = if high.is_empty() { own.end } else { high.start.clamp(inner_start, own.end) };
        for range in [own.start..inner_start, inner_end..own.end] {
            let mut part = rest.clone();
            part[axis] = range;
            boxes.push(part);
        }
        rest[axis] = inner_start..inner_end;
    }
    boxes.retain(|points| !is_empty(points));
    (boxes, rest)
}

/// What the shape of blocks depends on.
#[derive(Debug, Clone, Copy)]
pub struct Shape {
    /// Points along x of a thread.
    pub width: usize,
    /// Of the stencil.
    pub half_length: usize,
    /// Bytes of a value.
    pub bytes: usize,
    /// Multiprocessors of the device.
    pub multiprocessors: usize,
    /// Whether threads keep what they derive along z.
    pub keeps: bool,
}

impl Shape {
    /// Shares boxes among blocks; gives the number of blocks, too.
    pub fn share(&self, boxes: &[Points]) -> (Vec<DeviceBox>, u32) {
        let mut first_block = 0;
        let share = |points: &Points| {
            let [x, y, z] = points;
            let x = x.start / self.width..x.end.div_ceil(self.width);
            let [across, rows] = self.block(x.len(), y.len());
            let [along_x, along_y] = [x.len().div_ceil(across), y.len().div_ceil(rows)];
            let planes = self.planes(along_x * along_y, z.len());
            let blocks = [along_x, along_y, z.len().div_ceil(planes)];
            let first = first_block;
            first_block += blocks.iter().product::<usize>();
            let numbers =
                [x.start, y.start, z.start, x.end, y.end, z.end, across, rows, planes, blocks[0], blocks[1], first];
            numbers.map(|number| number as u32)
        };
        let boxes = boxes.iter().map(share).collect();
        (boxes, first_block as u32)
    }

    /// Planes that a thread marches through: more, since it reads those before the first twice; fewer, since the last round of blocks leaves some of the
    /// device idle, and neighbours drift apart. The weights are those of times measured on an H200.
    fn planes(&self, columns: usize, planes: usize) -> usize {
        let blocks = |own: usize| columns * planes.div_ceil(own);
        let at_once = BLOCKS_AT_ONCE * self.multiprocessors;
        if !self.keeps {
            let is_shared = |&own: &usize| blocks(own) >= ROUNDS * at_once;
            return PLANES.into_iter().find(is_shared).unwrap_or(PLANES[PLANES.len() - 1]);
        }
        let taps = (2 * self.half_length) as f64;
        let cost = |own: usize| {
            let rounds = blocks(own) as f64 / at_once as f64;
            let begun = 0.015 * taps * (taps - 1.0) / own as f64;
            rounds.ceil() / rounds * (1.0 + begun + 4e-4 * own as f64)
        };
        KEPT_PLANES.into_iter().min_by(|&a, &b| cost(a).total_cmp(&cost(b))).unwrap_or(KEPT_PLANES[0])
    }

    /// Threads of a block along x and y for `vectors` by `rows` of a plane: few idle ones, and few points that neighbours read too.
    fn block(&self, vectors: usize, rows: usize) -> [usize; 2] {
        let vector = self.width * self.bytes;
        let step = (LINE / vector).min(vectors);
        let most = vectors.next_multiple_of(step).min(THREADS);
        let candidates = (step..=most).step_by(step).map(|across| [across, (THREADS / across).min(rows)]);
        let [x, y] = if self.keeps { KEPT_WEIGHTS } else { WEIGHTS };
        let cost = |[across, own]: [usize; 2]| {
            let launched = vectors.div_ceil(across) * rows.div_ceil(own) * THREADS;
            let along_y = y * (2 * self.half_length) as f64 / own as f64;
            let along_x = x * (2 * SECTOR) as f64 / (across * vector) as f64;
            let shared = 1.0 + along_x + along_y;
            launched as f64 * shared
        };
        candidates.min_by(|&a, &b| cost(a).total_cmp(&cost(b))).unwrap_or([1, 1])
    }
}
