//! Order of the nodes of a patch in shared memory.

use std::cmp::Reverse;
use std::sync::OnceLock;

use super::patches::{ELEMENTS, N, PLANES, SLOTS};

/// Points of an element.
const POINTS: usize = N * N * N;

/// Order of the inner nodes of a patch that reduces bank conflicts in shared memory.
///
/// The nodes inside elements come last, in the order of [`interior`]. Of the others, nodes that more elements share come first. Nodes with equal numbers of
/// elements are sorted by point, then by element, as threads are. Among the next [`WINDOW`] nodes, the one with the fewest bank conflicts comes first,
/// counting its slots and its own position.
pub fn order(local: &[u16], inner: usize) -> Vec<u16> {
    let places = places_of(local);
    let inside: Vec<usize> = interior_of(local, inner).iter().map(|place| usize::from(local[place.index()])).collect();
    let mut is_inside = vec![false; inner];
    inside.iter().for_each(|&node| is_inside[node] = true);
    let mut banks = Banks::new(true);
    let first = inner - inside.len();
    (first..).zip(&inside).for_each(|(position, &node)| banks.read(&places[node], position));
    let others = order_by_banks(&places, (0..inner).filter(|&node| !is_inside[node]).collect(), banks);
    others.into_iter().chain(inside).map(|node| node as u16).collect()
}

/// The points inside the elements of a patch in their order; none if some of their nodes are shared, which sponges damp.
///
/// # Arguments
/// * `local`, `inner` – see [`order`]
pub fn interior_of(local: &[u16], inner: usize) -> &'static [Place] {
    let all = interior(local.len() / POINTS);
    if all.iter().all(|place| usize::from(local[place.index()]) < inner) { all } else { &[] }
}

/// Order of the points inside the elements of a patch with this number of elements. It is the same for all such patches. Successive points
/// have their slots in different banks, wherever a warp begins.
fn interior(elements: usize) -> &'static [Place] {
    static KNOWN: [OnceLock<Vec<Place>>; ELEMENTS + 1] = [const { OnceLock::new() }; ELEMENTS + 1];
    KNOWN[elements].get_or_init(|| {
        let inside = |along: usize| (1..N - 1).contains(&along);
        let is_inside = |point: &usize| inside(point % N) && inside(point / N % N) && inside(point / (N * N));
        let points = (0..POINTS).filter(is_inside);
        let mut left: Vec<Place> = points
            .flat_map(|point| (0..elements).map(move |element| Place::new(element as u32, point as u32)))
            .collect();
        let mut order: Vec<Place> = Vec::with_capacity(left.len());
        let mut banks = Banks::new(true);
        while !left.is_empty() {
            let before = &order[order.len().saturating_sub(31)..];
            let conflicts = |place: &Place| {
                before.iter().filter(|other| other.bank == place.bank).count() as u32 + banks.conflicts(&[*place])
            };
            let best = (0..left.len()).min_by_key(|&index| conflicts(&left[index])).unwrap_or(0);
            let place = left.remove(best);
            banks.read(&[place], order.len());
            banks.next += 1;
            order.push(place);
        }
        order
    })
}

/// The points of the elements that each local node of a patch belongs to.
pub fn places_of(local: &[u16]) -> Vec<Vec<Place>> {
    let mut places = vec![Vec::new(); local.iter().max().map_or(0, |&last| usize::from(last) + 1)];
    for (place, &node) in local.iter().enumerate() {
        places[usize::from(node)].push(Place::new((place / POINTS) as u32, (place % POINTS) as u32));
    }
    places
}

/// Order of some nodes, the most shared first, that reduces bank conflicts.
pub fn order_by_banks(places: &[Vec<Place>], mut sorted: Vec<usize>, mut banks: Banks) -> Vec<usize> {
    sorted.sort_by_key(|&node| (Reverse(places[node].len()), places[node][0].point, places[node][0].element));
    for nodes in sorted.chunk_by_mut(|&a, &b| places[a].len() == places[b].len()) {
        for next in 0..nodes.len() {
            let window = nodes[next..].iter().take(WINDOW).enumerate();
            let best = window.map(|(index, &node)| (banks.conflicts(&places[node]), index)).min();
            nodes[next..=next + best.map_or(0, |(_, index)| index)].rotate_right(1);
            banks.take(&places[nodes[next]]);
        }
    }
    sorted
}

/// Number of candidates that [`order`] compares.
const WINDOW: usize = 24;

/// A point of an element of a patch.
#[derive(Clone, Copy)]
pub struct Place {
    element: u32,
    point: u32,
    /// Shared-memory bank of its slot.
    bank: u8,
    /// Index of the warp read that loads the displacement of this point.
    read: u8,
}

impl Place {
    fn new(element: u32, point: u32) -> Self {
        let plane = point / (N * N) as u32;
        let warp = (element * N as u32 + plane) / 32;
        Self {
            element,
            point,
            bank: (slot(element as usize, point as usize) % 32) as u8,
            read: (warp * (N * N) as u32 + point % (N * N) as u32) as u8,
        }
    }

    /// Its index among the points of the patch.
    fn index(&self) -> usize {
        self.element as usize * POINTS + self.point as usize
    }

    /// Byte offset of its slot, for the first component.
    pub fn slot(&self) -> u16 {
        (4 * slot(self.element as usize, self.point as usize)) as u16
    }
}

/// Bank accesses of the nodes that have been ordered so far.
pub struct Banks {
    /// Position of the next node.
    next: usize,
    /// Number of threads of the current warp in each bank, for each slot index.
    sums: Vec<[u8; 32]>,
    /// Number of nodes in each bank, for each warp read of planes; empty if nodes are not read in this order.
    reads: Vec<[u8; 32]>,
}

impl Banks {
    /// Banks before the first node.
    ///
    /// # Arguments
    /// * `are_read` – whether planes read the nodes in this order
    pub fn new(are_read: bool) -> Self {
        let reads = if are_read { PLANES.div_ceil(32) * N * N } else { 0 };
        Self { next: 0, sums: Vec::new(), reads: vec![[0; 32]; reads] }
    }

    /// Number of bank conflicts that a node would add.
    fn conflicts(&self, places: &[Place]) -> u32 {
        let sums = places.iter().zip(&self.sums).map(|(place, met)| u32::from(met[usize::from(place.bank)]));
        let reads = places.iter().filter_map(|place| self.reads.get(usize::from(place.read)));
        let reads = reads.map(|met| u32::from(met[self.next % 32]));
        sums.sum::<u32>() + reads.sum::<u32>()
    }

    fn take(&mut self, places: &[Place]) {
        if self.next.is_multiple_of(32) {
            self.sums.clear();
        }
        self.sums.resize(self.sums.len().max(places.len()), [0; 32]);
        places.iter().zip(&mut self.sums).for_each(|(place, met)| met[usize::from(place.bank)] += 1);
        self.read(places, self.next);
        self.next += 1;
    }

    /// Counts the reads of the node at a position.
    fn read(&mut self, places: &[Place], position: usize) {
        for place in places {
            if let Some(met) = self.reads.get_mut(usize::from(place.read)) {
                met[position % 32] += 1;
            }
        }
    }
}

/// Slot of a point of an element, for the first component.
fn slot(element: usize, point: usize) -> usize {
    let (i, j, k) = (point % N, point / N % N, point / (N * N));
    SLOTS * element + 33 * k + j + 5 * i
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_inside_elements_have_no_conflicts() {
        for elements in [1, 7, ELEMENTS] {
            let order = interior(elements);
            let mut places: Vec<usize> = order.iter().map(Place::index).collect();
            places.sort_unstable();
            places.dedup();
            assert_eq!(places.len(), elements * (N - 2).pow(3));
        }
        let order = interior(ELEMENTS);
        let most = |warp: &[Place]| (0..32).map(|bank| warp.iter().filter(|place| place.bank == bank).count()).max();
        let accesses: usize = order.windows(32).filter_map(most).sum();
        assert!(accesses * 10 < 13 * (order.len() - 31), "{accesses} accesses of {} warps", order.len() - 31);
    }

    #[test]
    fn nodes_of_many_elements_come_first_and_those_inside_elements_last() {
        // Two elements that share a face.
        let layers = |place: usize| (place / POINTS * (N - 1) + place % N, place % POINTS / N);
        let local: Vec<u16> = (0..2 * POINTS).map(|place| (layers(place).0 + 9 * layers(place).1) as u16).collect();
        let order = order(&local, 9 * N * N);
        let places = places_of(&local);
        assert!(order[..N * N].iter().all(|&node| places[usize::from(node)].len() == 2));
        let inside: Vec<u16> = interior_of(&local, 9 * N * N).iter().map(|place| local[place.index()]).collect();
        assert_eq!(order[9 * N * N - inside.len()..], inside);
        let last = inside.iter().max().map_or(0, |&node| usize::from(node));
        assert!(interior_of(&local, last).is_empty(), "one of the nodes is shared");
        let mut sorted = order;
        sorted.sort_unstable();
        assert!((0..).zip(sorted).all(|(number, node): (u16, u16)| number == node));
    }
}
