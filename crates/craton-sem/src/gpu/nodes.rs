//! Node numbering on a device: the inner nodes patch by patch, then the shared nodes.

use std::cmp::Reverse;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use craton_device::Scalar;
use craton_sem_kernels::Phase;
use rayon::prelude::*;

use super::patterns::Groups;
use super::runs::Run;
use crate::discretisation::Discretisation;
use crate::fields::NodePlace;
use crate::layout::{Layout, PatchNodes};
use crate::parts::PartLayout;

/// The inner nodes of a patch begin at a multiple of this number, so that they can be copied in units of 16 bytes.
pub const PADDING: usize = 4;

/// One patch on a device. Its local nodes are the inner ones, followed by the shared ones.
pub struct DevicePatch {
    /// Its elements, as a range of the mesh.
    pub elements: Range<usize>,
    /// Device number of its first element.
    pub first_element: u32,
    /// Device number of its first inner node; the others follow.
    pub first_inner: u32,
    /// Number of inner nodes.
    pub inner: usize,
    /// Shared number of each local node after the inner ones, in ascending order.
    pub shared: Vec<u32>,
    /// Local node of each point, `[element of the patch][point]`.
    pub local: Vec<u16>,
    /// Local number on the device of each local node of the discretisation.
    pub moved_to: Vec<u16>,
}

impl DevicePatch {
    /// Builds a patch whose first element and inner node have the number 0.
    ///
    /// # Arguments
    /// * `local` – local nodes of the discretisation, `[element][point]`
    /// * `sorted` – local nodes of the discretisation in their order on the device
    /// * `number` – device number of each shared node
    fn new(nodes: &PatchNodes, local: &[u16], sorted: &[u16], number: &[u32]) -> Self {
        let mut moved_to = vec![0; sorted.len()];
        for (new, &old) in sorted.iter().enumerate() {
            moved_to[usize::from(old)] = new as u16;
        }
        let shared =
            sorted[nodes.inner..].iter().map(|&old| number[nodes.shared[usize::from(old) - nodes.inner] as usize]);
        Self {
            elements: nodes.elements.clone(),
            first_element: 0,
            first_inner: 0,
            inner: nodes.inner,
            shared: shared.collect(),
            local: local.iter().map(|&old| moved_to[usize::from(old)]).collect(),
            moved_to,
        }
    }
}

/// Nodes with consecutive numbers and one level.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NodeRange {
    pub level: u8,
    pub first: u32,
    /// The first node on an absorbing boundary; all later ones are, too.
    pub first_absorbing: u32,
    pub end: u32,
}

impl NodeRange {
    /// Number of nodes.
    pub fn count(&self) -> u32 {
        self.end - self.first
    }
}

/// The nodes of a phase of a part on a device.
pub struct DeviceNodes {
    /// The phase.
    pub phase: Phase,
    /// Layout of the part.
    pub own: Arc<PartLayout>,
    /// All patches.
    pub patches: Vec<DevicePatch>,
    /// Number in the part of each shared node of the device. Nodes that the same patches share are adjacent.
    pub shared: Vec<u32>,
    /// Device number of each shared node of the part, relative to `first_shared`.
    pub shared_here: Vec<u32>,
    /// Number of the first shared node.
    pub first_shared: u32,
    /// The shared nodes, the highest level first.
    pub levels: Vec<NodeRange>,
    /// Level of each patch.
    pub rates: Vec<u8>,
    /// One past the largest node number; the numbers include padding.
    pub end: u32,
    /// Number of points of an element.
    points: usize,
}

impl DeviceNodes {
    /// Numbers the nodes of a phase of `on`.
    ///
    /// # Arguments
    /// * `order` – order of the inner nodes of a patch, given the local nodes of its elements' points, `[element][point]`, and the number of inner nodes
    pub fn new<T: Scalar>(
        on: &Discretisation<T>,
        phase: Phase,
        order: impl Fn(&[u16], usize) -> Vec<u16> + Sync,
    ) -> Self {
        let points = on.gll().points.len().pow(3);
        let (own, layout) = (Arc::clone(&on.of(phase).own), &on.of(phase).own.layout);
        let shared = order_shared(&own);
        let number = inverse(&shared);
        let local_nodes = |(patch, nodes): (usize, &PatchNodes)| -> (usize, Vec<u16>) {
            let elements = 0..nodes.elements.len();
            (nodes.inner, elements.flat_map(|within| on.local_nodes(phase, patch, within)).collect())
        };
        let local: Vec<(usize, Vec<u16>)> = layout.patches.par_iter().enumerate().map(local_nodes).collect();
        let groups = Groups::new(&local);
        let orders = groups.compute(|patch| order(&local[patch].1, local[patch].0));
        let laid_out = layout.patches.par_iter().zip(&local).zip(&groups.of).map(|((nodes, (_, local)), &group)| {
            let mut sorted = orders[group as usize].clone();
            sorted.extend(nodes.inner as u16..nodes.len() as u16);
            sorted[nodes.inner..].sort_by_key(|&node| number[nodes.shared[usize::from(node) - nodes.inner] as usize]);
            DevicePatch::new(nodes, local, &sorted, &number)
        });
        let mut patches: Vec<DevicePatch> = laid_out.collect();
        let (mut first_inner, mut first_element) = (0, 0);
        for patch in &mut patches {
            patch.first_inner = first_inner;
            patch.first_element = first_element;
            first_element += patch.elements.len() as u32;
            first_inner += patch.inner.next_multiple_of(PADDING) as u32;
        }
        Self {
            phase,
            first_shared: first_inner,
            levels: levels_of(&shared, layout, first_inner),
            rates: on.of(phase).rates.clone(),
            end: first_inner + layout.shared as u32,
            own,
            patches,
            shared,
            shared_here: number,
            points,
        }
    }

    /// Number of unknowns of a node.
    pub fn components(&self) -> usize {
        self.phase.components()
    }

    /// The patch of an element of the phase in the part, and its position in it.
    pub fn patch_of(&self, element: u32) -> Option<(usize, usize)> {
        self.own.patch_of(element)
    }

    /// Device number of an element of the part.
    pub fn number_of_element(&self, element: u32) -> Option<u32> {
        self.patch_of(element).map(|(patch, within)| self.patches[patch].first_element + within as u32)
    }

    /// Number of elements.
    pub fn n_elements(&self) -> usize {
        self.patches.iter().map(|patch| patch.elements.len()).sum()
    }

    /// Device numbers of the nodes of an element of a patch, in lexicographic order.
    pub fn of_element(&self, patch: usize, within: usize) -> impl Iterator<Item = u32> {
        let patch = &self.patches[patch];
        patch.local[within * self.points..][..self.points].iter().map(|&local| self.number(patch, local))
    }

    /// Device number of a local node of a patch.
    pub fn number(&self, patch: &DevicePatch, local: u16) -> u32 {
        match usize::from(local).checked_sub(patch.inner) {
            None => patch.first_inner + u32::from(local),
            Some(outer) => self.first_shared + patch.shared[outer],
        }
    }

    /// Device number of a node of the part.
    pub fn number_of(&self, place: NodePlace) -> u32 {
        match place {
            NodePlace::Inner { patch, node } => {
                let patch = &self.patches[patch as usize];
                patch.first_inner + u32::from(patch.moved_to[node as usize])
            }
            NodePlace::Shared(node) => self.first_shared + self.shared_here[node as usize],
        }
    }

    /// Location in the part of the node with a device number; `None` for padding.
    pub fn place_of(&self, number: u32) -> Option<NodePlace> {
        if let Some(shared) = number.checked_sub(self.first_shared) {
            return self.shared.get(shared as usize).map(|&node| NodePlace::Shared(node));
        }
        let patch = self.patches.partition_point(|patch| patch.first_inner <= number) - 1;
        let here = number - self.patches[patch].first_inner;
        let node = self.patches[patch].moved_to.iter().position(|&moved| u32::from(moved) == here)?;
        Some(NodePlace::Inner { patch: patch as u32, node: node as u32 })
    }

    /// Level of a shared node, numbered from the first one on the device.
    pub fn level_of_shared(&self, node: u32) -> u8 {
        let number = self.first_shared + node;
        self.levels.iter().find(|range| number < range.end).map_or(0, |range| range.level)
    }

    /// The inner nodes of a run of patches.
    pub fn inner_of(&self, run: &Run) -> NodeRange {
        let end = self.patches.get(run.patches.end).map_or(self.first_shared, |next| next.first_inner);
        NodeRange { level: run.level, first: self.patches[run.patches.start].first_inner, first_absorbing: end, end }
    }

    /// The inner nodes of successive patches of one level, and the shared nodes.
    pub fn all_ranges(&self) -> Vec<NodeRange> {
        let plain = |level: u8, first: u32, end: u32| NodeRange { level, first, first_absorbing: end, end };
        let patches: Vec<usize> = (0..self.patches.len()).collect();
        let ends = |patches: &[usize]| {
            let after = patches[patches.len() - 1] + 1;
            let end = self.patches.get(after).map_or(self.first_shared, |next| next.first_inner);
            plain(self.rates[patches[0]], self.patches[patches[0]].first_inner, end)
        };
        let inner = patches.chunk_by(|&a, &b| self.rates[a] == self.rates[b]).map(ends);
        let mut all: Vec<NodeRange> = inner.chain(self.levels.iter().copied()).collect();
        all.dedup_by(|next, last| {
            let joins = next.level == last.level && last.first_absorbing == last.end && last.end == next.first;
            if joins {
                *last = NodeRange { first: last.first, ..*next };
            }
            joins
        });
        all
    }

    /// Number of points of an element.
    pub fn per_element(&self) -> usize {
        self.points
    }

    /// Number of nodes, without padding.
    pub fn len(&self) -> usize {
        self.patches.iter().map(|patch| patch.inner).sum::<usize>() + (self.end - self.first_shared) as usize
    }

    /// Values of all nodes in the order of the device, with `T::default()` for padding.
    ///
    /// # Arguments
    /// * `inner` – value of an inner node of the discretisation, given its patch and its number in the patch
    /// * `shared` – value of a shared node of the part
    pub fn spread<T: Copy + Default + Send + Sync>(
        &self,
        inner: impl Fn(usize, usize) -> T + Sync,
        shared: impl Fn(usize) -> T + Sync,
    ) -> Vec<T> {
        let mut all = vec![T::default(); self.end as usize];
        let (mut rest, of_shared) = all.split_at_mut(self.first_shared as usize);
        let mut of_patches = Vec::with_capacity(self.patches.len());
        for patch in &self.patches {
            let (own, after) = rest.split_at_mut(patch.inner.next_multiple_of(PADDING));
            of_patches.push((patch, own));
            rest = after;
        }
        of_patches.into_par_iter().enumerate().for_each(|(number, (patch, own))| {
            let moved_to = patch.moved_to[..patch.inner].iter().enumerate();
            moved_to.for_each(|(old, &new)| own[usize::from(new)] = inner(number, old));
        });
        of_shared.par_iter_mut().zip(&self.shared).for_each(|(own, &node)| *own = shared(node as usize));
        all
    }
}

/// Sorts the shared nodes by the patches that share them, so that nodes of the same patches are adjacent. The nodes of the highest level come first. In each
/// level, cut nodes follow the others, and nodes on absorbing boundaries come last. Returns the previous numbers.
fn order_shared(own: &PartLayout) -> Vec<u32> {
    let layout = &own.layout;
    let sharers = |node: u32| layout.contributions_of(node).iter().map(|&(patch, _)| patch);
    let class = |node: u32| (node as usize >= own.first_cut) as u8 + (node as usize >= layout.first_absorbing) as u8;
    let key = |node: u32| (Reverse(layout.levels[node as usize]), class(node));
    let mut order: Vec<u32> = (0..layout.shared as u32).collect();
    order.par_sort_by(|&a, &b| key(a).cmp(&key(b)).then_with(|| sharers(a).cmp(sharers(b))).then(a.cmp(&b)));
    order
}

/// The position of each number in a permutation.
fn inverse(permutation: &[u32]) -> Vec<u32> {
    let positions: Vec<AtomicU32> = permutation.par_iter().map(|_| AtomicU32::new(0)).collect();
    let store =
        |(position, &number): (usize, &u32)| positions[number as usize].store(position as u32, Ordering::Relaxed);
    permutation.par_iter().enumerate().for_each(store);
    positions.into_par_iter().map(AtomicU32::into_inner).collect()
}

/// The ranges of the shared nodes of each level; one range at least.
fn levels_of(order: &[u32], layout: &Layout, first_shared: u32) -> Vec<NodeRange> {
    let level = |node: u32| layout.levels[node as usize];
    let mut first = first_shared;
    let range = |nodes: &[u32]| {
        let plain = nodes.partition_point(|&node| (node as usize) < layout.first_absorbing) as u32;
        let own = first;
        first += nodes.len() as u32;
        NodeRange { level: level(nodes[0]), first: own, first_absorbing: own + plain, end: first }
    };
    let mut all: Vec<NodeRange> = order.chunk_by(|&a, &b| level(a) == level(b)).map(range).collect();
    if all.last().is_none_or(|last| last.level > 0) {
        let end = all.last().map_or(first_shared, |last| last.end);
        all.push(NodeRange { level: 0, first: end, first_absorbing: end, end });
    }
    all
}
