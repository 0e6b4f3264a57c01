//! Inner and outer points of a block: those whose update needs no messages, and those whose update does.

use std::ops::Range;

use crate::cut::Cut;
use crate::layout::{GROUP, Layout};

pub use craton_fd_kernels::Points;

/// The points of a block: those whose stencils stay within the part, and those whose stencils cross a cut.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Regions {
    /// Points that can be updated during the message exchange.
    pub inner: Vec<Points>,
    /// Points that need received values.
    pub outer: Vec<Points>,
}

impl Regions {
    /// Divides the block of a part. Along x, boxes begin and end on groups.
    pub fn new(cut: &Cut, part: usize, layout: &Layout) -> Self {
        let all = layout.extent().map(|n| 0..n);
        let inner = within(layout, layout.halo, |axis, upward| cut.neighbour(part, axis, upward).is_some());
        let outer = around(&all, &inner);
        let inner = if is_empty(&inner) { Vec::new() } else { vec![inner] };
        Self { inner, outer }
    }
}

/// The points of a block at a distance of at least `margin` from some of its sides, in whole groups along x.
///
/// # Arguments
/// * `is_side` – whether a side, given by its axis and whether it is the upper one, is one of these
pub fn within(layout: &Layout, margin: usize, is_side: impl Fn(usize, bool) -> bool) -> Points {
    [0, 1, 2].map(|axis| {
        let end = layout.extent()[axis];
        let thick = if axis == 0 { margin.next_multiple_of(GROUP) } else { margin };
        let low = if is_side(axis, false) { thick.min(end) } else { 0 };
        let high = match layout.cells[axis].saturating_sub(margin) {
            _ if !is_side(axis, true) => end,
            high if axis == 0 => high / GROUP * GROUP,
            high => high,
        };
        low..high.max(low)
    })
}

/// Boxes that cover an outer box minus an inner one.
pub fn around(outer: &Points, inner: &Points) -> Vec<Points> {
    let (mut rest, mut boxes) = (outer.clone(), Vec::new());
    for axis in [2, 1, 0] {
        let Range { start, end } = inner[axis];
        for range in [rest[axis].start..start, end..rest[axis].end] {
            let mut points = rest.clone();
            points[axis] = range;
            boxes.push(points);
        }
        rest[axis] = start..end;
    }
    boxes.retain(|points| !is_empty(points));
    boxes
}

/// Number of points of some boxes.
pub fn count(boxes: &[Points]) -> usize {
    boxes.iter().map(|points| points.iter().map(Range::len).product::<usize>()).sum()
}

/// Whether a box is empty.
pub fn is_empty(points: &Points) -> bool {
    points.iter().any(Range::is_empty)
}

/// Intersection of two boxes, if it is not empty.
pub fn shared(a: &Points, b: &Points) -> Option<Points> {
    let both = [0, 1, 2].map(|axis| a[axis].start.max(b[axis].start)..a[axis].end.min(b[axis].end));
    (!is_empty(&both)).then_some(both)
}
