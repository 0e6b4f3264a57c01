//! Cutting the arrays of a block into tiles of whole planes, each for one worker.

use std::ops::Range;

use craton_device::{AlignedVec, Scalar};
use craton_fd_kernels::{Slab, SlabTile, Tile};

use super::ways::columns;
use crate::layout::Layout;
use crate::regions::{Points, shared};

/// Planes across z of a tile at most: enough that the planes it shares with its neighbours are few, few enough for many workers.
const PLANES: usize = 16;

/// What a half of the step changes.
pub struct Half<'a, T: Scalar> {
    /// Velocities, or stresses and their memory variables.
    pub fields: Vec<&'a mut AlignedVec<T>>,
    /// The absorbing layers, and their memory of this half.
    pub slabs: &'a [Slab<T>],
    pub memory: &'a mut [AlignedVec<T>],
}

/// The points of a tile, column by column.
pub fn columns_of<T: Scalar>(tile: &Tile<T>, layout: &Layout) -> Vec<Points> {
    tile.points.iter().flat_map(|points| columns(layout, points, size_of::<T>())).collect()
}

/// Planes for each worker of a sweep through some points.
pub fn layers(layout: &Layout, region: &[Points]) -> Vec<Range<usize>> {
    let (all, deepest) = (layout.extent()[2], region.iter().map(|[_, _, z]| z.len()).max().unwrap_or(0));
    let each = (deepest / 2 / rayon::current_num_threads()).clamp(1, PLANES);
    (0..all).step_by(each).map(|k| k..(k + each).min(all)).collect()
}

/// Cuts fields and memory.
///
/// # Arguments
/// * `region` – the points that move; they begin and end on groups along x
/// * `planes` – where those of each tile stand, from below
/// * `margin` – planes around those that a tile has, too
pub fn tiles<'a, T: Scalar>(
    layout: &Layout,
    region: &[Points],
    planes: &[Range<usize>],
    margin: usize,
    half: Half<'a, T>,
) -> Vec<Tile<'a, T>> {
    let tile = |planes: &Range<usize>| {
        let all = [0..usize::MAX, 0..usize::MAX, planes.clone()];
        let points = region.iter().filter_map(|points| shared(points, &all)).collect();
        let start = layout.plane(planes.start) - margin * layout.stride[2];
        Tile { points, start, fields: Vec::new(), slabs: Vec::new() }
    };
    let mut tiles: Vec<Tile<T>> = planes.iter().map(tile).collect();
    for field in half.fields {
        let (mut rest, mut done) = (&mut field[..], 0);
        for (tile, planes) in tiles.iter_mut().zip(planes) {
            let len = (planes.len() + 2 * margin) * layout.stride[2];
            let (own, after) = rest[tile.start - done..].split_at_mut(len);
            tile.fields.push(own);
            (rest, done) = (after, tile.start + len);
        }
    }
    for (slab, memory) in half.slabs.iter().zip(half.memory) {
        let of_slab = slab.planes(layout.extent()[2]);
        let (mut rest, mut done) = (&mut memory[..], of_slab.start);
        for (tile, planes) in tiles.iter_mut().zip(planes) {
            let shared = planes.start.max(of_slab.start)..planes.end.min(of_slab.end);
            if !shared.is_empty() {
                let before = (shared.start - done) * slab.plane_len();
                let (own, after) = rest[before..].split_at_mut(shared.len() * slab.plane_len());
                tile.slabs.push(SlabTile { slab, first: shared.start, memory: own });
                (rest, done) = (after, shared.end);
            }
        }
    }
    tiles.retain(|tile| !tile.points.is_empty());
    tiles
}
