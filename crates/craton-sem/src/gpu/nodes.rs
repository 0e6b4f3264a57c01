//! Node numbering on a device: the inner nodes patch by patch, then the shared nodes.

use std::ops::Range;
use std::sync::Arc;

use craton_device::Scalar;
use craton_sem_kernels::Phase;
use rayon::prelude::*;

use crate::discretisation::Discretisation;
use crate::fields::NodePlace;
use crate::layout::PatchNodes;
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
    /// Number of the first cut node that is not on an absorbing boundary.
    pub first_cut: u32,
    /// Number of the first shared node on an absorbing boundary.
    pub first_absorbing: u32,
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
        let mut number = vec![0; shared.len()];
        for (new, &old) in shared.iter().enumerate() {
            number[old as usize] = new as u32;
        }
        let laid_out = layout.patches.par_iter().enumerate().map(|(patch, nodes)| {
            let local: Vec<u16> =
                (0..nodes.elements.len()).flat_map(|within| on.local_nodes(phase, patch, within)).collect();
            let mut sorted = order(&local, nodes.inner);
            sorted.extend(nodes.inner as u16..nodes.len() as u16);
            sorted[nodes.inner..].sort_by_key(|&node| number[nodes.shared[usize::from(node) - nodes.inner] as usize]);
            DevicePatch::new(nodes, &local, &sorted, &number)
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
            first_cut: first_inner + own.first_cut as u32,
            first_absorbing: first_inner + layout.first_absorbing as u32,
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

    /// Number of points of an element.
    pub fn per_element(&self) -> usize {
        self.points
    }

    /// Number of nodes, without padding.
    pub fn len(&self) -> usize {
        self.patches.iter().map(|patch| patch.inner).sum::<usize>() + (self.end - self.first_shared) as usize
    }

    /// Reorders node values of the discretisation to the device numbering, with `T::default()` for padding.
    pub fn spread<T: Copy + Default>(&self, inner: &[Vec<T>], shared: &[T]) -> Vec<T> {
        let mut all = vec![T::default(); self.first_shared as usize];
        for (patch, values) in self.patches.iter().zip(inner) {
            for (old, &value) in values.iter().enumerate() {
                all[patch.first_inner as usize + usize::from(patch.moved_to[old])] = value;
            }
        }
        all.extend(self.shared.iter().map(|&number| shared[number as usize]));
        all
    }
}

/// Sorts the shared nodes by the patches that share them, so that nodes of the same patches are adjacent. Cut nodes still follow the others, and nodes on
/// absorbing boundaries come last. Returns the previous numbers.
fn order_shared(own: &PartLayout) -> Vec<u32> {
    let layout = &own.layout;
    let sharers = |node: u32| layout.contributions_of(node).iter().map(|&(patch, _)| patch);
    let mut order: Vec<u32> = (0..layout.shared as u32).collect();
    let (plain, absorbing) = order.split_at_mut(layout.first_absorbing);
    let (plain, cut) = plain.split_at_mut(own.first_cut);
    for class in [plain, cut, absorbing] {
        class.par_sort_by(|&a, &b| sharers(a).cmp(sharers(b)).then(a.cmp(&b)));
    }
    order
}
