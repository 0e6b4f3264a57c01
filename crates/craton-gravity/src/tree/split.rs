//! Spatial partition of the prisms: their order and the nodes of the tree.

use std::ops::Range;

use rayon::prelude::*;

use crate::GoOn;

/// Maximum number of prisms per leaf.
pub const LEAF: usize = 64;

/// Depth from which nodes are split into equal numbers of prisms, which limits the recursion depth for clustered prisms.
const DEEP: usize = 48;

/// Number of prisms above which both halves of a node are split in parallel.
const MANY: usize = 1 << 14;

/// Number of prisms above which all threads partition a node together.
const SHARED: usize = 1 << 20;

/// Prisms per parallel task in such a node.
const CHUNK: usize = 1 << 16;

/// Topology of a node. Nodes are stored in depth-first order: a node, its first half, its second half.
#[derive(Debug, Clone, PartialEq)]
pub struct Split {
    /// Its prisms, in the order of the tree.
    pub prisms: Range<usize>,
    /// Number of nodes in the subtree including this one: 1 for a leaf.
    pub nodes: usize,
}

/// Index and centre of a prism, stored together so that passes over them access memory sequentially.
#[derive(Clone, Copy)]
struct Member {
    centre: [f64; 3],
    number: usize,
}

/// Returns the order of the prisms and the nodes of the tree (none without prisms); `None` if cancelled.
///
/// # Arguments
/// * `centre` – centre of the prism with a given index, below `count`
pub fn split(count: usize, centre: impl Fn(usize) -> [f64; 3] + Sync, go_on: GoOn) -> Option<(Vec<usize>, Vec<Split>)> {
    let member = |number| Member { centre: centre(number), number };
    let mut members: Vec<Member> = (0..count).into_par_iter().map(member).collect();
    let mut room = if count > SHARED { members.par_iter().copied().collect() } else { Vec::new() };
    let nodes = if members.is_empty() { Vec::new() } else { nodes(&mut members, &mut room, 0, 0, go_on)? };
    Some((members.par_iter().map(|member| member.number).collect(), nodes))
}

/// The nodes over some prisms, the first of which is `first` in the order of the tree.
///
/// # Arguments
/// * `room` – scratch memory of the same length if there are more than [`SHARED`] members
fn nodes(members: &mut [Member], room: &mut [Member], first: usize, depth: usize, go_on: GoOn) -> Option<Vec<Split>> {
    let count = members.len();
    let prisms = first..first + count;
    if count <= LEAF {
        return Some(vec![Split { prisms, nodes: 1 }]);
    }
    let is_large = count > MANY;
    if is_large && !go_on() {
        return None;
    }
    let cut = cut(members, room, depth);
    let (low, high) = members.split_at_mut(cut);
    let (low_room, high_room) = room.split_at_mut(cut.min(room.len()));
    let mut low = || nodes(low, low_room, first, depth + 1, go_on);
    let mut high = || nodes(high, high_room, first + cut, depth + 1, go_on);
    let (low, high) = if is_large { rayon::join(low, high) } else { (low(), high()) };
    let (low, high) = (low?, high?);
    let mut all = vec![Split { prisms, nodes: 1 + low.len() + high.len() }];
    all.extend(low);
    all.extend(high);
    Some(all)
}

/// Partitions the prisms at the middle of the longest side and returns the number of prisms in the first half.
fn cut(members: &mut [Member], room: &mut [Member], depth: usize) -> usize {
    let extents = extents(members);
    let length = |axis: usize| extents[axis][1] - extents[axis][0];
    let axis = (1..3).fold(0, |longest, axis| if length(axis) > length(longest) { axis } else { longest });
    if depth < DEEP {
        let middle = 0.5 * (extents[axis][0] + extents[axis][1]);
        let belongs = |member: &Member| member.centre[axis] < middle;
        let low =
            if members.len() > SHARED { partition_shared(members, room, belongs) } else { partition(members, belongs) };
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

/// Bounding box of the centres.
fn extents(members: &[Member]) -> [[f64; 2]; 3] {
    let start = [[f64::INFINITY, f64::NEG_INFINITY]; 3];
    let join = |a: [[f64; 2]; 3], b: [[f64; 2]; 3]| {
        [0, 1, 2].map(|axis| [a[axis][0].min(b[axis][0]), a[axis][1].max(b[axis][1])])
    };
    let of = |part: &[Member]| part.iter().fold(start, |all, member| join(all, member.centre.map(|x| [x; 2])));
    if members.len() <= SHARED {
        return of(members);
    }
    members.par_chunks(CHUNK).map(of).collect::<Vec<_>>().into_iter().fold(start, join)
}

/// Parallel version of [`partition`], which keeps the order within each half.
///
/// # Arguments
/// * `room` – scratch memory of the same length, reused to avoid page faults
fn partition_shared(members: &mut [Member], room: &mut [Member], belongs: impl Fn(&Member) -> bool + Sync) -> usize {
    let count = |part: &[Member]| part.iter().filter(|member| belongs(member)).count();
    let counts: Vec<usize> = members.par_chunks(CHUNK).map(count).collect();
    let low: usize = counts.iter().sum();
    let (mut lower, mut upper) = room.split_at_mut(low);
    let mut rooms = Vec::with_capacity(counts.len());
    for (part, count) in members.chunks(CHUNK).zip(counts) {
        let (own_lower, own_upper);
        (own_lower, lower) = lower.split_at_mut(count);
        (own_upper, upper) = upper.split_at_mut(part.len() - count);
        rooms.push((part, own_lower, own_upper));
    }
    rooms.into_par_iter().for_each(|(part, lower, upper)| {
        let (mut lower, mut upper) = (lower.iter_mut(), upper.iter_mut());
        for member in part {
            let place = if belongs(member) { lower.next() } else { upper.next() };
            *place.expect("they have been counted") = *member;
        }
    });
    members.par_chunks_mut(CHUNK).zip(room.par_chunks(CHUNK)).for_each(|(to, from)| to.copy_from_slice(from));
    low
}

/// Moves the members that satisfy `belongs` to the front and returns their number.
fn partition(members: &mut [Member], belongs: impl Fn(&Member) -> bool) -> usize {
    let mut count = 0;
    for place in 0..members.len() {
        let is_one = belongs(&members[place]);
        // Swapping unconditionally avoids an unpredictable branch.
        members.swap(place, count);
        count += usize::from(is_one);
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parallel_partition_is_stable_and_matches_the_serial_one() {
        let member = |number: usize| Member { centre: [(number * 7919 % 10_007) as f64; 3], number };
        let mut members: Vec<Member> = (0..3 * CHUNK + 5).map(member).collect();
        let belongs = |member: &Member| member.centre[0] < 3000.0;
        let (lower, upper): (Vec<Member>, Vec<Member>) = members.iter().copied().partition(belongs);
        let mut room = members.clone();
        assert_eq!(partition_shared(&mut members, &mut room, belongs), lower.len());
        assert!(members.iter().map(|member| member.number).eq(lower.iter().chain(&upper).map(|member| member.number)));
        assert_eq!(extents(&members), [[0.0, 10_006.0]; 3]);
    }
}
