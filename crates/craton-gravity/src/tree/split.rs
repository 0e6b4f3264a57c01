//! Which prisms stand together: their order, and the nodes over it.

use std::ops::Range;

/// Prisms that a leaf holds at most.
pub const LEAF: usize = 64;

/// Depth from which a node is cut into equal numbers, wherever its prisms stand: so no place is too crowded for the stack.
const DEEP: usize = 48;

/// Prisms from which both halves of a node are cut side by side.
const MANY: usize = 1 << 14;

/// A node without its numbers. Nodes stand in the order in which one walks a tree, a node before its first half, that before the second.
#[derive(Debug, Clone, PartialEq)]
pub struct Split {
    /// Its prisms, in the order of the tree.
    pub prisms: Range<usize>,
    /// Nodes that it makes with all below it: 1 for a leaf.
    pub nodes: usize,
}

/// Orders prisms by their centres, and says what the nodes are; none if there is no prism.
pub fn split(centres: &[[f64; 3]]) -> (Vec<usize>, Vec<Split>) {
    let mut order: Vec<usize> = (0..centres.len()).collect();
    let nodes = if order.is_empty() { Vec::new() } else { nodes(centres, &mut order, 0, 0) };
    (order, nodes)
}

fn nodes(centres: &[[f64; 3]], order: &mut [usize], first: usize, depth: usize) -> Vec<Split> {
    let count = order.len();
    let prisms = first..first + count;
    if count <= LEAF {
        return vec![Split { prisms, nodes: 1 }];
    }
    let cut = cut(centres, order, depth);
    let (low, high) = order.split_at_mut(cut);
    let (low, high) = if count > MANY {
        rayon::join(|| nodes(centres, low, first, depth + 1), || nodes(centres, high, first + cut, depth + 1))
    } else {
        (nodes(centres, low, first, depth + 1), nodes(centres, high, first + cut, depth + 1))
    };
    let mut all = vec![Split { prisms, nodes: 1 + low.len() + high.len() }];
    all.extend(low);
    all.extend(high);
    all
}

/// Brings the prisms of one half before those of the other and says how many there are: cut in the middle of the longest side.
fn cut(centres: &[[f64; 3]], order: &mut [usize], depth: usize) -> usize {
    let extent = |axis: usize| {
        let along = order.iter().map(|&prism| centres[prism][axis]);
        along.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], x| [low.min(x), high.max(x)])
    };
    let extents = [extent(0), extent(1), extent(2)];
    let length = |axis: usize| extents[axis][1] - extents[axis][0];
    let axis = (1..3).fold(0, |longest, axis| if length(axis) > length(longest) { axis } else { longest });
    if depth < DEEP {
        let middle = 0.5 * (extents[axis][0] + extents[axis][1]);
        let low = partition(order, |prism| centres[prism][axis] < middle);
        if 0 < low && low < order.len() {
            return low;
        }
    }
    let half = order.len() / 2;
    order.select_nth_unstable_by(half, |&a, &b| centres[a][axis].total_cmp(&centres[b][axis]).then(a.cmp(&b)));
    half
}

/// Brings those that belong before the others, and says how many there are.
fn partition(order: &mut [usize], belongs: impl Fn(usize) -> bool) -> usize {
    let mut count = 0;
    for place in 0..order.len() {
        if belongs(order[place]) {
            order.swap(place, count);
            count += 1;
        }
    }
    count
}
