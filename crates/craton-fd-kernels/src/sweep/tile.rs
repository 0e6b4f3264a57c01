//! The data that one worker updates.

use craton_device::Scalar;

use crate::Points;
use crate::layers::Slab;

/// Planes of a block that one worker updates.
pub struct Tile<'a, T: Scalar> {
    /// The points to update.
    pub points: Vec<Points>,
    /// Index in the arrays of the block at which its planes begin.
    pub start: usize,
    /// The updated fields, from that index on; after stresses, their memory variables, `[set][component]`.
    pub fields: Vec<&'a mut [T]>,
    /// Its parts of the absorbing layers.
    pub slabs: Vec<SlabTile<'a, T>>,
}

/// The part of a slab in a tile.
pub struct SlabTile<'a, T: Scalar> {
    /// The slab: its position and factors.
    pub slab: &'a Slab<T>,
    /// The first plane of the part.
    pub first: usize,
    /// Memory variables from that plane on.
    pub memory: &'a mut [T],
}
