//! Halos that other parts fill: packed into messages, carried, unpacked.

use rayon::prelude::*;

use crate::block::Block;
use crate::field::Field;
use crate::layout::Layout;
use crate::sweep::Precision;

/// Fields of velocity that halos need, whatever the axis.
const VELOCITIES: [Field; 3] = [Field::Velocity(0), Field::Velocity(1), Field::Velocity(2)];

/// Which fields travel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Halo {
    /// All three velocities.
    Velocities,
    /// The stresses on faces across the axis.
    Stresses,
}

impl Halo {
    /// Their fields across an axis.
    pub fn fields(self, axis: usize) -> [Field; 3] {
        match self {
            Self::Velocities => VELOCITIES,
            Self::Stresses => [0, 1, 2].map(|other| Field::stress(axis, other)),
        }
    }
}

/// A message from one part to its neighbour along an axis.
pub struct Link<T> {
    from: usize,
    to: usize,
    axis: usize,
    /// Whether the sender is the lower of both.
    upward: bool,
    values: Vec<T>,
}

impl<T: Precision> Link<T> {
    /// The messages among blocks in a process grid.
    ///
    /// # Arguments
    /// * `parts` – blocks along each axis, x fastest
    /// * `periodic` – whether an axis closes on itself
    pub fn all(parts: [usize; 3], periodic: [bool; 3]) -> Vec<Self> {
        let number = |[x, y, z]: [usize; 3]| x + parts[0] * (y + parts[1] * z);
        let mut links = Vec::new();
        for to in 0..parts.iter().product() {
            let place = [to % parts[0], to / parts[0] % parts[1], to / (parts[0] * parts[1])];
            for axis in 0..3 {
                for upward in [true, false] {
                    let at_end = place[axis] == if upward { 0 } else { parts[axis] - 1 };
                    if at_end && !periodic[axis] {
                        continue;
                    }
                    let mut neighbour = place;
                    let step = if upward { parts[axis] - 1 } else { 1 };
                    neighbour[axis] = (place[axis] + step) % parts[axis];
                    links.push(Self { from: number(neighbour), to, axis, upward, values: Vec::new() });
                }
            }
        }
        links
    }

    fn pack(&mut self, blocks: &[Block<T>], halo: Halo) {
        let block = &blocks[self.from];
        let n = block.layout.cells[self.axis] as i64;
        let first = if self.upward { n - block.layout.halo as i64 } else { 0 };
        self.values.clear();
        for field in halo.fields(self.axis) {
            let source = block.field(field);
            for [start, len] in runs(&block.layout, self.axis, first) {
                self.values.extend_from_slice(&source[start..start + len]);
            }
        }
    }

    fn unpack(&self, block: &mut Block<T>, halo: Halo) {
        let layout = block.layout.clone();
        let first = if self.upward { -(layout.halo as i64) } else { layout.cells[self.axis] as i64 };
        let mut values = &self.values[..];
        for field in halo.fields(self.axis) {
            let target = block.field_mut(field);
            for [start, len] in runs(&layout, self.axis, first) {
                let (own, rest) = values.split_at(len);
                target[start..start + len].copy_from_slice(own);
                values = rest;
            }
        }
    }
}

/// Fills the halos of all parts.
pub fn exchange<T: Precision>(blocks: &mut [Block<T>], links: &mut [Link<T>], halo: Halo) {
    links.par_iter_mut().for_each(|link| link.pack(blocks, halo));
    for link in links {
        link.unpack(&mut blocks[link.to], halo);
    }
}

/// Rows of a slab as thick as the halo from index `first` along `axis` on: start and length of each.
fn runs(layout: &Layout, axis: usize, first: i64) -> impl Iterator<Item = [usize; 2]> + '_ {
    let mut ranges = layout.extent().map(|n| 0..n as i64);
    ranges[axis] = first..first + layout.halo as i64;
    let [x, y, z] = ranges;
    let len = (x.end - x.start) as usize;
    z.flat_map(move |k| y.clone().map(move |j| [layout.at([x.start, j, k]), len]))
}
