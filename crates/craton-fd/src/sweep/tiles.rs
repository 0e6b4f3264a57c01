//! Cutting the arrays of a block into tiles of whole planes, each for one worker.

use std::ops::Range;

use craton_device::Scalar;

use crate::layers::Slab;
use crate::layout::Layout;
use crate::regions::{Points, shared};

/// Planes across z of a tile: enough that the planes it shares with its neighbours are few, few enough for many workers.
const PLANES: usize = 16;

/// What one worker changes.
pub struct Tile<'a, T: Scalar> {
    /// Its planes.
    pub planes: Range<usize>,
    /// The points in them that move.
    pub points: Vec<Points>,
    /// The fields that change, from the first plane on.
    pub fields: Vec<&'a mut [T]>,
    /// Its share of the absorbing layers.
    pub slabs: Vec<SlabTile<'a, T>>,
}

/// A tile's share of a slab.
pub struct SlabTile<'a, T: Scalar> {
    /// Where it lies, and its factors.
    pub slab: &'a Slab<T>,
    /// Its first plane.
    pub first: usize,
    /// Its memory from that plane on.
    pub memory: &'a mut [T],
}

/// Cuts fields and memory.
///
/// # Arguments
/// * `region` – the points that move; they begin and end on groups along x
/// * `fields` – the arrays that change
/// * `slabs` – each slab and its memory of this half of the step
pub fn tiles<'a, T: Scalar>(
    layout: &Layout,
    region: &[Points],
    fields: impl Iterator<Item = &'a mut [T]>,
    slabs: impl Iterator<Item = (&'a Slab<T>, &'a mut [T])>,
) -> Vec<Tile<'a, T>> {
    let all = layout.extent()[2];
    let ranges: Vec<Range<usize>> = (0..all).step_by(PLANES).map(|k| k..(k + PLANES).min(all)).collect();
    let tile = |planes: &Range<usize>| {
        let all = [0..usize::MAX, 0..usize::MAX, planes.clone()];
        let points = region.iter().filter_map(|points| shared(points, &all)).collect();
        Tile { planes: planes.clone(), points, fields: Vec::new(), slabs: Vec::new() }
    };
    let mut tiles: Vec<Tile<T>> = ranges.iter().map(tile).collect();
    for field in fields {
        let mut rest = &mut field[layout.plane(0)..];
        for tile in &mut tiles {
            let (own, after) = rest.split_at_mut(tile.planes.len() * layout.stride[2]);
            tile.fields.push(own);
            rest = after;
        }
    }
    for (slab, memory) in slabs {
        let (planes, mut rest) = (slab.planes(all), memory);
        for tile in &mut tiles {
            let shared = tile.planes.start.max(planes.start)..tile.planes.end.min(planes.end);
            if !shared.is_empty() {
                let (own, after) = rest.split_at_mut(shared.len() * slab.plane_len());
                tile.slabs.push(SlabTile { slab, first: shared.start, memory: own });
                rest = after;
            }
        }
    }
    tiles.retain(|tile| !tile.points.is_empty());
    tiles
}
