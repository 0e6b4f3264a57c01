//! Distribution of points over thread blocks: boxes in absorbing layers, the box between them, and the shape of their thread blocks.
//!
//! Rows along x are cut at cache lines, and only if most of a row is outside layers: a box of the ten points of a layer along x would use only
//! a third of the cache lines that it reads.

use std::ops::Range;

use crate::regions::{Points, is_empty};

/// Threads per block.
pub const THREADS: usize = 256;
/// Blocks per multiprocessor.
const BLOCKS_AT_ONCE: usize = 2;
/// Maximum number of planes per thread: if it keeps derivatives along z in registers or shared memory, and if it does not.
const KEPT_PLANES: [usize; 4] = [4, 8, 16, 32];
const PLANES: [usize; 4] = [64, 32, 16, 8];
/// Minimum number of waves of blocks on the device in the second case.
const ROUNDS: usize = 16;
/// Cost weights along x and y of points that adjacent blocks also read, from measured times: in the first and the second case.
const KEPT_WEIGHTS: [f64; 2] = [0.4, 0.15];
const WEIGHTS: [f64; 2] = [0.2, 0.3];
/// Size in bytes of a cache line, at which blocks begin, and of the smallest memory transaction.
const LINE: usize = 128;
const SECTOR: usize = 32;

/// Maximum fraction of a row that its ends may have to be updated separately, for stencils of half-length two and for longer ones. Points of narrow
/// boxes take 1.6 times as long; the kernel that updates whole rows including layers takes at least 1.13 times as long.
const MOST_ENDS: [f64; 2] = [0.15, 0.25];

/// A box for the kernel: first and end points (along x in vectors), threads per block along x and y, planes per thread, blocks along x and y, first
/// block.
pub type DeviceBox = [u32; 12];

/// A box, divided by its layers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cut {
    /// Rows in layers across y and z.
    pub in_layers: Vec<Points>,
    /// Of the other rows, the ends in layers across x, or whole rows.
    pub beside: Vec<Points>,
    /// The rest, which may be empty.
    pub plain: Points,
}

/// A box with another range along an axis.
fn with(points: &Points, axis: usize, range: Range<usize>) -> Points {
    let mut other = points.clone();
    other[axis] = range;
    other
}

/// Parameters of the shape of blocks.
#[derive(Debug, Clone, Copy)]
pub struct Shape {
    /// Points per thread along x.
    pub width: usize,
    /// Half-length of the stencil.
    pub half_length: usize,
    /// Size of a value in bytes.
    pub bytes: usize,
    /// Multiprocessors of the device.
    pub multiprocessors: usize,
    /// Whether threads keep derivatives along z.
    pub keeps: bool,
}

impl Shape {
    /// Distributes boxes over thread blocks, and returns the number of blocks.
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

    /// Separates the layers from a box.
    ///
    /// # Arguments
    /// * `extent` – points along each axis
    /// * `layers` – index range of the layer of each side, normal to it; empty without a layer
    pub fn cut(&self, extent: [usize; 3], layers: &[Range<usize>; 6]) -> Cut {
        let mut rest = extent.map(|n| 0..n);
        let mut off = |axis: usize, multiple: usize| {
            let [low, high] = [&layers[2 * axis], &layers[2 * axis + 1]];
            let own = rest[axis].clone();
            let start = if low.is_empty() { own.start } else { low.end.next_multiple_of(multiple).min(own.end) };
            let end = if high.is_empty() { own.end } else { (high.start / multiple * multiple).clamp(start, own.end) };
            let inner = std::mem::replace(&mut rest[axis], start..end);
            let mut boxes = [inner.start..start, end..inner.end].map(|range| with(&rest, axis, range)).to_vec();
            boxes.retain(|points| !is_empty(points));
            boxes
        };
        let in_layers = [off(2, 1), off(1, 1)].concat();
        let beside = off(0, LINE / self.bytes);
        let most = MOST_ENDS[usize::from(self.half_length > 2)] * extent[0] as f64;
        if (extent[0] - rest[0].len()) as f64 <= most {
            return Cut { in_layers, beside, plain: rest };
        }
        Cut { in_layers, beside: vec![with(&rest, 0, 0..extent[0])], plain: with(&rest, 0, 0..0) }
    }

    /// Number of planes per thread. More planes reduce the redundant reads at the start of the march; fewer planes balance the last wave of blocks
    /// and keep adjacent blocks in step. The weights are those of times measured on an H200.
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

    /// Threads per block along x and y for `vectors` by `rows` of a plane, with few idle threads and few points that adjacent blocks also read.
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

#[cfg(test)]
mod tests {
    use super::*;

    const SHAPE: Shape = Shape { width: 4, half_length: 2, bytes: 4, multiprocessors: 132, keeps: false };
    const NONE: [Range<usize>; 6] = [0..0, 0..0, 0..0, 0..0, 0..0, 0..0];

    #[test]
    fn ends_are_separated_from_long_rows_only() {
        let of_row = |n: usize| [0..16, n - 16..n, 0..0, 0..0, 0..0, 0..0];
        let long = SHAPE.cut([512, 8, 8], &of_row(512));
        assert_eq!(long.beside, [[0..32, 0..8, 0..8], [480..512, 0..8, 0..8]]);
        assert_eq!(long.plain, [32..480, 0..8, 0..8]);
        let short = SHAPE.cut([256, 8, 8], &of_row(256));
        assert_eq!(short.beside, [[0..256, 0..8, 0..8]]);
        assert!(is_empty(&short.plain));
        let reaching = Shape { half_length: 4, ..SHAPE };
        assert_eq!(reaching.cut([256, 8, 8], &of_row(256)).plain, [32..224, 0..8, 0..8]);
    }

    #[test]
    fn each_point_is_in_one_box() {
        let layers = [0..16, 496..512, 0..3, 9..12, 0..0, 6..10];
        for layers in
            [NONE, layers.clone(), [0..0, 496..512, 0..0, 9..12, 0..4, 6..10], [0..16, 0..0, 0..12, 0..0, 0..0, 0..0]]
        {
            let Cut { in_layers, beside, plain } = SHAPE.cut([512, 12, 10], &layers);
            let boxes: Vec<Points> = in_layers.into_iter().chain(beside).chain([plain]).collect();
            for k in 0..10 {
                for j in 0..12 {
                    for i in (0..512).step_by(16) {
                        let of_point =
                            |points: &&Points| [i, j, k].iter().zip(*points).all(|(i, range)| range.contains(i));
                        assert_eq!(boxes.iter().filter(of_point).count(), 1, "{layers:?}: {i} {j} {k}");
                    }
                }
            }
        }
    }
}
