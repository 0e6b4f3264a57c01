//! Which prisms stand together: their order, and the nodes over it.

use std::ops::Range;

use crate::GoOn;

/// Prisms that a leaf holds at most.
pub const LEAF: usize = 64;

/// Depth from which a node is cut into equal numbers, wherever its prisms stand: so no place is too crowded for the stack.
const DEEP: usize = 48;

/// Prisms from which both halves of a node are cut side by side, if they may be cut at all.
const MANY: usize = 1 << 14;

/// A node without its numbers. Nodes stand in the order in which one walks a tree, a node before its first half, that before the second.
#[derive(Debug, Clone, PartialEq)]
pub struct Split {
    /// Its prisms, in the order of the tree.
    pub prisms: Range<usize>,
    /// Nodes that it makes with all below it: 1 for a leaf.
    pub nodes: usize,
}

/// A prism by its number and its centre: they move together, so that passes over them go straight through memory.
#[derive(Clone, Copy)]
struct Member {
    centre: [f64; 3],
    number: usize,
}

/// Orders prisms by their centres, and says what the nodes are, none if there is no prism; `None` if it may not go on.
pub fn split(centres: impl Iterator<Item = [f64; 3]>, go_on: GoOn) -> Option<(Vec<usize>, Vec<Split>)> {
    let mut members: Vec<Member> = centres.enumerate().map(|(number, centre)| Member { centre, number }).collect();
    let nodes = if members.is_empty() { Vec::new() } else { nodes(&mut members, 0, 0, go_on)? };
    Some((members.into_iter().map(|member| member.number).collect(), nodes))
}

fn nodes(members: &mut [Member], first: usize, depth: usize, go_on: GoOn) -> Option<Vec<Split>> {
    let count = members.len();
    let prisms = first..first + count;
    if count <= LEAF {
        return Some(vec![Split { prisms, nodes: 1 }]);
    }
    let is_large = count > MANY;
    if is_large && !go_on() {
        return None;
    }
    let cut = cut(members, depth);
    let (low, high) = members.split_at_mut(cut);
    let mut low = || nodes(low, first, depth + 1, go_on);
    let mut high = || nodes(high, first + cut, depth + 1, go_on);
    let (low, high) = if is_large { rayon::join(low, high) } else { (low(), high()) };
    let (low, high) = (low?, high?);
    let mut all = vec![Split { prisms, nodes: 1 + low.len() + high.len() }];
    all.extend(low);
    all.extend(high);
    Some(all)
}

/// Brings the prisms of one half before those of the other and says how many there are: cut in the middle of the longest side.
fn cut(members: &mut [Member], depth: usize) -> usize {
    let mut extents = [[f64::INFINITY, f64::NEG_INFINITY]; 3];
    for member in members.iter() {
        for (extent, x) in extents.iter_mut().zip(member.centre) {
            *extent = [extent[0].min(x), extent[1].max(x)];
        }
    }
    let length = |axis: usize| extents[axis][1] - extents[axis][0];
    let axis = (1..3).fold(0, |longest, axis| if length(axis) > length(longest) { axis } else { longest });
    if depth < DEEP {
        let middle = 0.5 * (extents[axis][0] + extents[axis][1]);
        let low = partition(members, |member| member.centre[axis] < middle);
        if 0 < low && low < members.len() {
            return low;
        }
    }
    let half = members.len() / 2;
    let place = |member: &Member| (member.centre[axis], member.number);
    members.select_nth_unstable_by(half, |a, b| {
        let (a, b) = (place(a), place(b));
        a.0.total_cmp(&b.0).then(a.1.cmp(&b.1))
    });
    half
}

/// Brings those that belong before the others, and says how many there are.
fn partition(members: &mut [Member], belongs: impl Fn(&Member) -> bool) -> usize {
    let mut count = 0;
    for place in 0..members.len() {
        let is_one = belongs(&members[place]);
        // One that does not belong changes places with another such: cheaper than a branch that nobody can foresee.
        members.swap(place, count);
        count += usize::from(is_one);
    }
    count
}
