//! The ways of a worker through its points: planes across z from below, some rows of each, so that what neighbouring planes share stays near; then the next
//! rows. In a march both halves of a step take one way: stresses follow velocities L planes and L rows behind, as far as their stencils reach.

use std::ops::Range;

use crate::layout::Layout;
use crate::regions::Points;

/// What a worker keeps near [bytes]: a part of a core's second-level cache.
const NEAR: usize = 1 << 19;
/// The same in a march.
const NEAR_IN_MARCH: usize = 1 << 20;

/// What moves in a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Turn {
    /// By the stresses.
    Velocities,
    /// By the velocities.
    Stresses,
}

/// Columns of rows that go through all planes of a box: so many that the planes of the three fields which have derivatives along z stay near.
pub fn columns(layout: &Layout, points: &Points, bytes_per_value: usize) -> impl Iterator<Item = Points> {
    let planes = 3 * 2 * layout.halo;
    let rows = rows(layout, planes, 2 * layout.halo, NEAR, bytes_per_value);
    let [x, y, z] = points.clone();
    cut(y, rows).map(move |rows| [x.clone(), rows, z.clone()])
}

/// The turns of a march through a box.
pub fn turns(layout: &Layout, points: &Points, bytes_per_value: usize) -> impl Iterator<Item = (Turn, Points)> {
    // Six fields have derivatives along z, each near in as many planes as a stencil reaches; three more stresses wait between being read and being moved.
    let lag = layout.halo;
    let rows = rows(layout, 15 * lag, 3 * lag / 2, NEAR_IN_MARCH, bytes_per_value);
    let [x, y, z] = points.clone();
    cut(y.clone(), rows).flat_map(move |ahead| {
        let edge = |row: usize| if row == y.start || row == y.end { row } else { row.saturating_sub(lag).max(y.start) };
        let behind = edge(ahead.start)..edge(ahead.end);
        let (x, z) = (x.clone(), z.clone());
        (z.start..z.end + lag).flat_map(move |front| {
            let turn = |half, rows: &Range<usize>, plane| (half, [x.clone(), rows.clone(), plane..plane + 1]);
            let velocities = (front < z.end).then(|| turn(Turn::Velocities, &ahead, front));
            let stresses = (front >= z.start + lag).then(|| turn(Turn::Stresses, &behind, front - lag));
            [velocities, stresses].into_iter().flatten()
        })
    })
}

/// Rows of a column, of which so many planes stay near, each with some rows around.
fn rows(layout: &Layout, planes: usize, around: usize, near: usize, bytes_per_value: usize) -> usize {
    (near / (planes * layout.row() * bytes_per_value)).saturating_sub(around).clamp(4, 32)
}

fn cut(range: Range<usize>, len: usize) -> impl Iterator<Item = Range<usize>> {
    range.clone().step_by(len).map(move |start| start..(start + len).min(range.end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_march_finds_what_it_needs_and_nothing_newer() {
        for (halo, [y, z]) in [(1, [0..9, 0..7]), (2, [2..41, 3..9]), (4, [0..6, 1..3]), (8, [5..70, 8..40])] {
            let layout = Layout::new([0; 3], [3000, y.end, z.end], [0; 3], halo);
            // Whether velocities and stresses have moved.
            let mut moved = [0, 1].map(|_| vec![vec![false; y.end]; z.end]);
            for (half, [_, rows, planes]) in turns(&layout, &[0..3000, y.clone(), z.clone()], 4) {
                for (j, k) in planes.flat_map(|k| rows.clone().map(move |j| (j, k))) {
                    let near = |at: usize, all: &Range<usize>| {
                        at.saturating_sub(halo).max(all.start)..(at + halo + 1).min(all.end)
                    };
                    let across_y = near(j, &y).map(|row| (row, k));
                    let mut star = across_y.chain(near(k, &z).map(|plane| (j, plane)));
                    let [velocities, stresses] = &mut moved;
                    match half {
                        Turn::Velocities => {
                            assert!(star.all(|(j, k)| !stresses[k][j]), "{halo} {j} {k}");
                            assert!(!std::mem::replace(&mut velocities[k][j], true));
                        }
                        Turn::Stresses => {
                            assert!(star.all(|(j, k)| velocities[k][j]), "{halo} {j} {k}");
                            assert!(!std::mem::replace(&mut stresses[k][j], true));
                        }
                    }
                }
            }
            let all = |moved: &Vec<Vec<bool>>| z.clone().all(|k| y.clone().all(|j| moved[k][j]));
            assert!(moved.iter().all(all));
        }
    }
}
