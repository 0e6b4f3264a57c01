//! Which points of a block march: both halves of their step are done in one way through the planes, so that stresses find the velocities that they need
//! still near.
//!
//! Planes across z are dealt to the threads, and none reads what another one changes: between their planes stand some that do not march, but move before and
//! after; likewise beside sides where something happens to velocities between the halves. Forces act when their row has moved.

use std::ops::Range;

use craton_device::Scalar;

use crate::regions::{Points, around, shared, within};
use crate::setup::Setup;
use crate::sources::{Addition, Source};
use crate::sweep::Precision;
use craton_fd_kernels::Field;
use craton_fd_kernels::Tile;

/// Planes that a thread marches through at least, in half-lengths of the stencil: with fewer, those between would be too many.
const LEAST: usize = 6;

/// The march of a block.
pub struct March {
    /// The points that march, those of each thread.
    pub boxes: Vec<Points>,
    /// The inner points of the block that do not.
    pub apart: Vec<Points>,
    /// Forces on points that march, by plane and row.
    forces: Vec<Force>,
    /// Their histories.
    sources: Vec<Source>,
}

/// What a source does to a point that marches.
struct Force {
    /// Its plane and row.
    row: [usize; 2],
    source: usize,
    addition: Addition,
}

/// What forces do in a step to points that march.
pub struct Forces<'a> {
    forces: &'a [Force],
    /// Of each source.
    factors: Vec<f64>,
}

impl March {
    /// Of a part; takes forces on points that march out of its sources.
    pub fn new<T: Precision>(setup: &mut Setup<T>, threads: usize) -> Self {
        let Setup { block, regions, closed, sources, .. } = setup;
        let layout = &block.layout;
        // A paraxial side reads the plane next to it, which has to have moved.
        let far = within(layout, layout.halo + 1, |axis, upward| {
            closed.contains(&axis) || block.walls.iter().any(|wall| wall.side == 2 * axis + usize::from(upward))
        });
        let (mut boxes, mut apart) = (Vec::new(), regions.inner.clone());
        if let Some(inner) = regions.inner.first()
            && let Some(all) = shared(inner, &far)
        {
            let [x, y, z] = &all;
            let planes = deal(z, threads, 2 * layout.halo, LEAST * layout.halo);
            if !planes.is_empty() {
                apart = around(inner, &all);
                apart.extend(planes.windows(2).map(|pair| [x.clone(), y.clone(), pair[0].end..pair[1].start]));
                boxes = planes.into_iter().map(|planes| [x.clone(), y.clone(), planes]).collect();
            }
        }
        let (mut forces, mut taken) = (Vec::new(), Vec::new());
        for source in sources.iter_mut().filter(|source| !source.is_moment) {
            let own = source.take(|addition| {
                let place = layout.point(addition.at);
                boxes.iter().any(|points| (0..3).all(|axis| points[axis].contains(&place[axis])))
            });
            for addition in &own.additions {
                let [_, j, k] = layout.point(addition.at);
                forces.push(Force { row: [k, j], source: taken.len(), addition: addition.clone() });
            }
            taken.push(own);
        }
        // Stable: what acts on the same point keeps its order.
        forces.sort_by_key(|force| force.row);
        Self { boxes, apart, forces, sources: taken }
    }

    /// What forces do in a step.
    pub fn forces(&self, step: usize) -> Forces<'_> {
        Forces { forces: &self.forces, factors: self.sources.iter().map(|source| source.factor(step)).collect() }
    }
}

impl Forces<'_> {
    /// Pushes velocities of some rows of some planes.
    pub fn act<T: Scalar>(&self, tile: &mut Tile<T>, [_, rows, planes]: &Points) {
        for plane in planes.clone() {
            let from = |row: usize| self.forces.partition_point(|force| force.row < [plane, row]);
            for Force { source, addition, .. } in &self.forces[from(rows.start)..from(rows.end)] {
                if let Field::Velocity(component) = addition.field {
                    addition.act(self.factors[*source], &mut tile.fields[component][addition.at - tile.start]);
                }
            }
        }
    }
}

/// Planes of each of some threads, with others between them; none where a thread would have too few.
fn deal(planes: &Range<usize>, threads: usize, between: usize, least: usize) -> Vec<Range<usize>> {
    let own = planes.len().saturating_sub((threads - 1) * between);
    if own < threads * least {
        return Vec::new();
    }
    let edge = |thread: usize| planes.start + thread * own / threads;
    (0..threads).map(|thread| edge(thread) + thread * between..edge(thread + 1) + thread * between).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn planes_are_dealt_evenly_or_not_at_all() {
        assert_eq!(deal(&(3..67), 1, 4, 12), vec![3..67; 1]);
        assert_eq!(deal(&(3..67), 3, 4, 12), [3..21, 25..44, 48..67]);
        assert_eq!(deal(&(0..28), 2, 4, 12), [0..12, 16..28]);
        assert!(deal(&(0..27), 2, 4, 12).is_empty());
        assert!(deal(&(0..65), 12, 2, 6).is_empty());
    }
}
