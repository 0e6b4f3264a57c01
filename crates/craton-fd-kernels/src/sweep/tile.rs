//! What one worker changes.

use craton_device::Scalar;

use crate::Points;
use crate::layers::Slab;

/// Planes of a block that one worker changes.
pub struct Tile<'a, T: Scalar> {
    /// The points that move.
    pub points: Vec<Points>,
    /// Place in a block's arrays where its planes begin.
    pub start: usize,
    /// The fields that change, from there on.
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
