//! Where nodes stand on a device: the inner nodes patch by patch, then those that patches share.

use std::ops::Range;
use std::sync::Arc;

use craton_device::Scalar;
use rayon::prelude::*;

use crate::discretisation::Discretisation;
use crate::fields::NodePlace;
use crate::layout::PatchNodes;
use crate::parts::PartLayout;

/// Runs of inner nodes begin at multiples of this, so that they can be copied by 16 bytes.
pub const PADDING: usize = 4;

/// One patch on a device. Its local nodes are the inner ones, then those it shares.
pub struct DevicePatch {
    /// Its elements, in the order of the mesh.
    pub elements: Range<usize>,
    /// Number of its first element among those of the device.
    pub first_element: u32,
    /// Number of its first inner node; the others follow.
    pub first_inner: u32,
    /// Number of inner nodes.
    pub inner: usize,
    /// Shared number of each local node after the inner ones, in ascending order.
    pub shared: Vec<u32>,
    /// Local node of each point, `[element of the patch][point]`.
    pub local: Vec<u16>,
    /// Local number here of each local node of the discretisation.
    pub moved_to: Vec<u16>,
}

impl DevicePatch {
    /// A patch whose first inner node has the number 0.
    ///
    /// # Arguments
    /// * `local` – its local nodes of the discretisation, `[element][point]`
    /// * `sorted` – those in the order that they are to have here
    /// * `number` – the device's number of each shared node
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

/// The nodes of a mesh on a device.
pub struct DeviceNodes {
    /// The part of the mesh.
    pub own: Arc<PartLayout>,
    /// All patches.
    pub patches: Vec<DevicePatch>,
    /// The part's number of each shared node: nodes that the same patches share stand together.
    pub shared: Vec<u32>,
    /// The device's number, from the first shared one on, of each shared node of the part.
    pub shared_here: Vec<u32>,
    /// Number of the first shared node.
    pub first_shared: u32,
    /// Number of the first shared node that another part has, too, absorbing ones apart.
    pub first_cut: u32,
    /// Number of the first shared node on an absorbing boundary.
    pub first_absorbing: u32,
    /// Numbers in all, padding included.
    pub end: u32,
    /// Points of an element.
    points: usize,
}

impl DeviceNodes {
    /// Numbers the nodes of `on`.
    ///
    /// # Arguments
    /// * `order` – the order of the inner nodes of a patch: given the local nodes of its elements' points, `[element][point]`, and the number of
    ///   inner nodes
    pub fn new<T: Scalar>(on: &Discretisation<T>, order: impl Fn(&[u16], usize) -> Vec<u16> + Sync) -> Self {
        let points = on.gll().points.len().pow(3);
        let (own, layout) = (Arc::clone(&on.own), &on.own.layout);
        let shared = order_shared(&own);
        let mut number = vec![0; shared.len()];
        for (new, &old) in shared.iter().enumerate() {
            number[old as usize] = new as u32;
        }
        let laid_out = layout.patches.par_iter().enumerate().map(|(patch, nodes)| {
            let local: Vec<u16> = (0..nodes.elements.len()).flat_map(|within| on.local_nodes(patch, within)).collect();
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

    /// The patch of an element of the part, and its position in it.
    pub fn patch_of(&self, element: u32) -> Option<(usize, usize)> {
        self.own.patch_of(element)
    }

    /// Number of an element of the part among all of the device.
    pub fn number_of_element(&self, element: u32) -> Option<u32> {
        self.patch_of(element).map(|(patch, within)| self.patches[patch].first_element + within as u32)
    }

    /// Number of elements.
    pub fn n_elements(&self) -> usize {
        self.patches.iter().map(|patch| patch.elements.len()).sum()
    }

    /// Numbers of the nodes of an element of a patch, lexicographic.
    pub fn of_element(&self, patch: usize, within: usize) -> impl Iterator<Item = u32> {
        let patch = &self.patches[patch];
        patch.local[within * self.points..][..self.points].iter().map(|&local| self.number(patch, local))
    }

    /// Number of a local node of a patch.
    pub fn number(&self, patch: &DevicePatch, local: u16) -> u32 {
        match usize::from(local).checked_sub(patch.inner) {
            None => patch.first_inner + u32::from(local),
            Some(outer) => self.first_shared + patch.shared[outer],
        }
    }

    /// Number of the node at a place of the part.
    pub fn number_of(&self, place: NodePlace) -> u32 {
        match place {
            NodePlace::Inner { patch, node } => {
                let patch = &self.patches[patch as usize];
                patch.first_inner + u32::from(patch.moved_to[node as usize])
            }
            NodePlace::Shared(node) => self.first_shared + self.shared_here[node as usize],
        }
    }

    /// Place in the part of the node of a number, if it is one.
    pub fn place_of(&self, number: u32) -> Option<NodePlace> {
        if let Some(shared) = number.checked_sub(self.first_shared) {
            return self.shared.get(shared as usize).map(|&node| NodePlace::Shared(node));
        }
        let patch = self.patches.partition_point(|patch| patch.first_inner <= number) - 1;
        let here = number - self.patches[patch].first_inner;
        let node = self.patches[patch].moved_to.iter().position(|&moved| u32::from(moved) == here)?;
        Some(NodePlace::Inner { patch: patch as u32, node: node as u32 })
    }

    /// Points of an element.
    pub fn per_element(&self) -> usize {
        self.points
    }

    /// Number of nodes, without the padding.
    pub fn len(&self) -> usize {
        self.patches.iter().map(|patch| patch.inner).sum::<usize>() + (self.end - self.first_shared) as usize
    }

    /// One value per node of the device from those of the discretisation's patches and shared nodes; `T::default()` where there is none.
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

/// The order of the shared nodes on a device: by the patches that share them, so that those of the same patches stand together; cut nodes after the
/// others and nodes on absorbing boundaries last, as before. Returns the former numbers.
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
