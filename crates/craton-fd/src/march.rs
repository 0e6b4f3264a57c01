//! The points of a block that *march*: both halves of their step are computed in one pass through the planes, so that the stress update finds
//! the velocities that it needs still in cache.
//!
//! The planes across z are divided among the threads, and no thread reads what another one changes. The planes between those of two threads do
//! not march: they are updated before and after. The same holds next to sides where velocities change between the two halves. Forces are
//! applied when their row has been updated.

use std::ops::Range;

use craton_device::Scalar;

use crate::regions::{Points, around, shared, within};
use crate::setup::Setup;
use crate::sources::{Addition, GridSource};
use crate::sweep::Precision;
use craton_fd_kernels::Field;
use craton_fd_kernels::Tile;

/// Minimum number of planes that a thread marches through, in half-lengths of the stencil. With fewer, too large a share would lie between threads.
const LEAST: usize = 6;

/// The marching points of a block.
pub struct March {
    /// The points that march, one box per thread.
    pub boxes: Vec<Points>,
    /// The inner points of the block that do not march.
    pub remaining: Vec<Points>,
    /// Forces on points that march, sorted by plane and row.
    forces: Vec<Force>,
    /// Sources of these forces, with their histories.
    sources: Vec<GridSource>,
}

/// The force of a source on a point that marches.
struct Force {
    /// Plane and row of the point.
    row: [usize; 2],
    source: usize,
    addition: Addition,
}

/// Forces on marching points in one step.
pub struct Forces<'a> {
    forces: &'a [Force],
    /// Factor of each source in this step.
    factors: Vec<f64>,
}

impl March {
    /// Selects the marching points of a part, and moves the forces on them from the sources of the part into the march.
    pub fn new<T: Precision>(setup: &mut Setup<T>, threads: usize) -> Self {
        let Setup { block, regions, closed, sources, .. } = setup;
        let layout = &block.layout;
        // A paraxial side reads the plane next to it, which must have been updated.
        let far = within(layout, layout.halo + 1, |axis, upward| {
            closed.contains(&axis) || block.walls.iter().any(|wall| wall.side == 2 * axis + usize::from(upward))
        });
        let (mut boxes, mut remaining) = (Vec::new(), regions.inner.clone());
        if let Some(inner) = regions.inner.first()
            && let Some(all) = shared(inner, &far)
        {
            let [x, y, z] = &all;
            let planes = divide(z, threads, 2 * layout.halo, LEAST * layout.halo);
            if !planes.is_empty() {
                remaining = around(inner, &all);
                remaining.extend(planes.windows(2).map(|pair| [x.clone(), y.clone(), pair[0].end..pair[1].start]));
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
        // A stable sort keeps the order of forces on the same point.
        forces.sort_by_key(|force| force.row);
        Self { boxes, remaining, forces, sources: taken }
    }

    /// The forces of a step.
    pub fn forces(&self, step: usize) -> Forces<'_> {
        Forces { forces: &self.forces, factors: self.sources.iter().map(|source| source.factor(step)).collect() }
    }
}

impl Forces<'_> {
    /// Adds the forces to the velocities in the given rows and planes.
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

/// Divides planes among threads, with `between` planes left between two threads; empty if a thread would get fewer than `least`.
fn divide(planes: &Range<usize>, threads: usize, between: usize, least: usize) -> Vec<Range<usize>> {
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
    fn planes_are_divided_evenly_or_not_at_all() {
        assert_eq!(divide(&(3..67), 1, 4, 12), vec![3..67; 1]);
        assert_eq!(divide(&(3..67), 3, 4, 12), [3..21, 25..44, 48..67]);
        assert_eq!(divide(&(0..28), 2, 4, 12), [0..12, 16..28]);
        assert!(divide(&(0..27), 2, 4, 12).is_empty());
        assert!(divide(&(0..65), 12, 2, 6).is_empty());
    }
}
