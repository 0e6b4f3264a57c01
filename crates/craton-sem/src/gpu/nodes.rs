//! Where nodes stand on a device: the inner nodes patch by patch, then those that patches share.

use std::ops::Range;

use craton_device::Scalar;
use rayon::prelude::*;

use crate::discretisation::Discretisation;
use crate::fields::NodePlace;
use crate::layout::PatchNodes;

/// Runs of inner nodes begin at multiples of this, so that they can be copied by 16 bytes.
pub const PADDING: usize = 4;

/// One patch on a device. Its local nodes are the inner ones, then those it shares.
pub struct DevicePatch {
    /// Its elements, in the order of the mesh.
    pub elements: Range<usize>,
    /// Number of its first inner node; the others follow.
    pub first_inner: u32,
    /// Number of inner nodes.
    pub inner: usize,
    /// Shared number of each local node after the inner ones.
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
    fn new(nodes: &PatchNodes, local: &[u16], sorted: &[u16]) -> Self {
        let mut moved_to = vec![0; sorted.len()];
        for (new, &old) in sorted.iter().enumerate() {
            moved_to[usize::from(old)] = new as u16;
        }
        let shared = sorted[nodes.inner..].iter().map(|&old| nodes.shared[usize::from(old) - nodes.inner]);
        Self {
            elements: nodes.elements.clone(),
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
    /// All patches.
    pub patches: Vec<DevicePatch>,
    /// The discretisation's number of each shared node: they stand in the order in which the patches have them, so that neighbours do.
    pub shared: Vec<u32>,
    /// Number of the first shared node.
    pub first_shared: u32,
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
    /// * `order` – the order of the local nodes of a patch, the inner ones first: given the local nodes of its elements' points,
    ///   `[element][point]`, and the number of inner nodes
    pub fn new<T: Scalar>(on: &Discretisation<T>, order: impl Fn(&[u16], usize) -> Vec<u16> + Sync) -> Self {
        let points = on.gll.points.len().pow(3);
        let laid_out = on.layout.patches.par_iter().enumerate().map(|(number, nodes)| {
            let local: Vec<u16> = (0..nodes.elements.len()).flat_map(|within| on.local_nodes(number, within)).collect();
            DevicePatch::new(nodes, &local, &order(&local, nodes.inner))
        });
        let mut patches: Vec<DevicePatch> = laid_out.collect();
        let mut first_inner = 0;
        for patch in &mut patches {
            patch.first_inner = first_inner;
            first_inner += patch.inner.next_multiple_of(PADDING) as u32;
        }
        let shared = order_shared(&mut patches, on.layout.first_absorbing, on.layout.shared);
        Self {
            patches,
            shared,
            first_shared: first_inner,
            first_absorbing: first_inner + on.layout.first_absorbing as u32,
            end: first_inner + on.layout.shared as u32,
            points,
        }
    }

    /// The patch of an element, and its position in it.
    pub fn patch_of(&self, element: u32) -> (usize, usize) {
        let element = element as usize;
        let patch = self.patches.partition_point(|patch| patch.elements.end <= element);
        (patch, element - self.patches[patch].elements.start)
    }

    /// Numbers of the nodes of an element, lexicographic.
    pub fn of_element(&self, element: u32) -> impl Iterator<Item = u32> {
        let (patch, within) = self.patch_of(element);
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

    /// Where the nodes of an element stand, lexicographic.
    pub fn places(&self, element: u32) -> Vec<NodePlace> {
        let (number, within) = self.patch_of(element);
        let patch = &self.patches[number];
        let place = |&local: &u16| match usize::from(local).checked_sub(patch.inner) {
            None => NodePlace::Inner { patch: number as u32, node: local.into() },
            Some(outer) => NodePlace::Shared(patch.shared[outer]),
        };
        patch.local[within * self.points..][..self.points].iter().map(place).collect()
    }

    /// Number of the node at a place.
    pub fn number_of(&self, place: NodePlace) -> u32 {
        match place {
            NodePlace::Inner { patch, node } => self.patches[patch as usize].first_inner + node,
            NodePlace::Shared(node) => self.first_shared + node,
        }
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

/// Numbers the shared nodes anew, by the first patch that has them; those on absorbing boundaries last, as before. Returns the former numbers.
fn order_shared(patches: &mut [DevicePatch], first_absorbing: usize, count: usize) -> Vec<u32> {
    const NONE: u32 = u32::MAX;
    let mut number = vec![NONE; count];
    let mut former = Vec::with_capacity(count);
    for absorbing in [false, true] {
        for &node in patches.iter().flat_map(|patch| &patch.shared) {
            if (node as usize >= first_absorbing) == absorbing && number[node as usize] == NONE {
                number[node as usize] = former.len() as u32;
                former.push(node);
            }
        }
    }
    for node in patches.iter_mut().flat_map(|patch| &mut patch.shared) {
        *node = number[*node as usize];
    }
    former
}
