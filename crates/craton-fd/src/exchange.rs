//! Halo exchange: packing and unpacking of messages between parts, and copies within a block across periodic axes.

use craton_sim::Link;
use rayon::prelude::*;

use crate::block::Block;
use crate::cut::Cut;
use crate::layout::Layout;
use crate::sweep::Precision;
use craton_fd_kernels::Field;

/// Velocity fields in halos normal to any axis.
const VELOCITIES: [Field; 3] = [Field::Velocity(0), Field::Velocity(1), Field::Velocity(2)];

/// The fields that are exchanged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Halo {
    /// The stresses on faces normal to the axis, before the velocity update.
    Stresses,
    /// All three velocities, before the stress update.
    Velocities,
}

impl Halo {
    /// The exchange before each half of the step.
    pub const BEFORE: [Self; 2] = [Self::Stresses, Self::Velocities];

    /// The fields in halos normal to an axis.
    pub fn fields(self, axis: usize) -> [Field; 3] {
        match self {
            Self::Velocities => VELOCITIES,
            Self::Stresses => [0, 1, 2].map(|other| Field::stress(axis, other)),
        }
    }
}

/// A slab of points as thick as the halo: own points next to a cut, or the halo beyond it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Face {
    /// The axis normal to it.
    pub axis: usize,
    /// Its first index along that axis.
    pub first: i64,
    /// Number of values of one field.
    pub points: usize,
}

impl Face {
    fn new(layout: &Layout, axis: usize, first: i64) -> Self {
        let mut extent = layout.extent();
        extent[axis] = layout.halo;
        Self { axis, first, points: extent.iter().product() }
    }

    /// Number of values of three fields.
    pub fn values(&self) -> usize {
        3 * self.points
    }
}

/// Messages of a block: three fields of each face, `[face][field][k][j][i]`, grouped by neighbour.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Messages {
    /// Links to the neighbours.
    pub links: Vec<Link>,
    /// Faces that are sent.
    pub outgoing: Vec<Face>,
    /// Faces that are received.
    pub incoming: Vec<Face>,
}

impl Messages {
    /// Creates the messages of a part. Both ends of a link order the faces by axis, upward messages first.
    pub fn new(cut: &Cut, part: usize, layout: &Layout) -> Self {
        let faces = |is_sent: bool| {
            let ways = (0..3).flat_map(|axis| [true, false].map(|upward| (axis, upward)));
            let mut faces: Vec<(usize, Face)> = ways
                .filter_map(|(axis, upward)| {
                    let (n, halo) = (layout.cells[axis] as i64, layout.halo as i64);
                    let first = match (is_sent, upward) {
                        (true, true) => n - halo,
                        (true, false) => 0,
                        (false, true) => -halo,
                        (false, false) => n,
                    };
                    let neighbour = cut.neighbour(part, axis, upward == is_sent)?;
                    Some((neighbour, Face::new(layout, axis, first)))
                })
                .collect();
            faces.sort_by_key(|(neighbour, _)| *neighbour);
            faces
        };
        let (outgoing, incoming) = (faces(true), faces(false));
        let mut links: Vec<Link> = Vec::new();
        let mut start = 0;
        for (neighbour, face) in &outgoing {
            let end = start + face.values();
            match links.last_mut().filter(|link| link.part == *neighbour) {
                Some(link) => (link.outgoing.end, link.incoming.end) = (end, end),
                None => links.push(Link { part: *neighbour, outgoing: start..end, incoming: start..end }),
            }
            start = end;
        }
        let only = |faces: Vec<(usize, Face)>| faces.into_iter().map(|(_, face)| face).collect();
        Self { links, outgoing: only(outgoing), incoming: only(incoming) }
    }

    /// Number of values that are sent; the same number is received.
    pub fn values(&self) -> usize {
        self.outgoing.iter().map(Face::values).sum()
    }

    /// Packs the outgoing values.
    pub fn pack<T: Precision>(&self, block: &Block<T>, halo: Halo, values: &mut [T]) {
        let (mut rest, mut tasks) = (values, Vec::new());
        for face in &self.outgoing {
            for field in halo.fields(face.axis) {
                let (own, after) = rest.split_at_mut(face.points);
                tasks.push((face, field, own));
                rest = after;
            }
        }
        tasks.into_par_iter().for_each(|(face, field, values)| {
            let (source, mut rest) = (block.field(field), values);
            for [start, len] in runs(&block.layout, face.axis, face.first) {
                let (own, after) = rest.split_at_mut(len);
                own.copy_from_slice(&source[start..start + len]);
                rest = after;
            }
        });
    }

    /// Unpacks the received values.
    pub fn unpack<T: Precision>(&self, block: &mut Block<T>, halo: Halo, values: &[T]) {
        let layout = block.layout.clone();
        let mut values = values;
        for face in &self.incoming {
            for field in halo.fields(face.axis) {
                let target = block.field_mut(field);
                for [start, len] in runs(&layout, face.axis, face.first) {
                    let (own, rest) = values.split_at(len);
                    target[start..start + len].copy_from_slice(own);
                    values = rest;
                }
            }
        }
    }
}

/// Fills the halos of a block across an axis that is periodic within it.
pub fn close<T: Precision>(block: &mut Block<T>, axis: usize, halo: Halo) {
    let layout = block.layout.clone();
    let (n, thick) = (layout.cells[axis] as i64, layout.halo as i64);
    for field in halo.fields(axis) {
        let values = block.field_mut(field);
        for (from, to) in [(n - thick, -thick), (0, n)] {
            for ([from, len], [to, _]) in runs(&layout, axis, from).zip(runs(&layout, axis, to)) {
                values.copy_within(from..from + len, to);
            }
        }
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
