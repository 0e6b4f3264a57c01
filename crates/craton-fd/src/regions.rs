//! Which points of a block have to wait for messages.

use std::ops::Range;

use crate::cut::Cut;
use crate::layout::{GROUP, Layout};

/// A box of points: a range along each axis.
pub type Points = [Range<usize>; 3];

/// The points of a block: those whose stencils end in it, and those that reach beyond a cut.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Regions {
    /// What can be computed while messages travel.
    pub inner: Vec<Points>,
    /// What can not.
    pub outer: Vec<Points>,
}

impl Regions {
    /// Of the block of a part. Boxes begin and end on groups along x, where rows are read.
    pub fn new(cut: &Cut, part: usize, layout: &Layout) -> Self {
        let mut inner = layout.extent().map(|n| 0..n);
        let mut outer = Vec::new();
        for axis in [2, 1, 0] {
            let Range { end, .. } = inner[axis];
            let thick = if axis == 0 { layout.halo.next_multiple_of(GROUP) } else { layout.halo };
            let is_cut = |upward| cut.neighbour(part, axis, upward).is_some();
            let low = if is_cut(false) { thick.min(end) } else { 0 };
            let high = match layout.cells[axis].saturating_sub(layout.halo) {
                _ if !is_cut(true) => end,
                high if axis == 0 => high / GROUP * GROUP,
                high => high,
            };
            let high = high.max(low);
            for range in [0..low, high..end] {
                let mut points = inner.clone();
                points[axis] = range;
                outer.push(points);
            }
            inner[axis] = low..high;
        }
        outer.retain(|points| !is_empty(points));
        let inner = if is_empty(&inner) { Vec::new() } else { vec![inner] };
        Self { inner, outer }
    }
}

/// Points of some boxes.
pub fn count(boxes: &[Points]) -> usize {
    boxes.iter().map(|points| points.iter().map(Range::len).product::<usize>()).sum()
}

/// Whether there is no point in a box.
pub fn is_empty(points: &Points) -> bool {
    points.iter().any(Range::is_empty)
}

/// What two boxes share, if they do.
pub fn shared(a: &Points, b: &Points) -> Option<Points> {
    let both = [0, 1, 2].map(|axis| a[axis].start.max(b[axis].start)..a[axis].end.min(b[axis].end));
    (!is_empty(&both)).then_some(both)
}
