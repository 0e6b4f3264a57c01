//! Where nodes live: inside a patch, or shared.
//!
//! The inner nodes of a patch belong to it alone and are updated by it in place. Nodes of several patches, and nodes of absorbing
//! boundaries, are shared: each patch sums its own elements' forces there, and the sums are added in ascending patch order. Nothing here depends
//! on threads or on the instruction set, so neither does the result.

use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering};

use craton_mesh::Numbering;
use rayon::prelude::*;

use crate::fields::NodePlace;

/// Marks a node that no patch has touched.
const NONE: u32 = u32::MAX;
/// Marks a node that is shared.
const SHARED: u32 = u32::MAX - 1;

/// The nodes of one patch; local numbers are the inner nodes', then the shared ones'.
pub struct PatchNodes {
    /// Its elements, in the order of the mesh.
    pub elements: Range<usize>,
    /// Number of inner nodes.
    pub inner: usize,
    /// Shared number of each local node after the inner ones.
    pub shared: Vec<u32>,
}

impl PatchNodes {
    /// Number of local nodes.
    pub fn len(&self) -> usize {
        self.inner + self.shared.len()
    }

    /// Where a local node of this patch, which has the number `patch`, stands.
    pub fn place(&self, patch: usize, local: u16) -> NodePlace {
        match usize::from(local).checked_sub(self.inner) {
            None => NodePlace::Inner { patch: patch as u32, node: local.into() },
            Some(outer) => NodePlace::Shared(self.shared[outer]),
        }
    }
}

/// Nodes, patch by patch: of a mesh, or of a part of it.
pub struct Layout {
    /// All patches.
    pub patches: Vec<PatchNodes>,
    /// Number of shared nodes.
    pub shared: usize,
    /// The shared nodes from here on lie on an absorbing boundary.
    pub first_absorbing: usize,
    /// For each shared node, where its (patch, local node after the inner ones) stand in `contributions`.
    pub offsets: Vec<u32>,
    /// (patch, local node after the inner ones), in ascending patch order for each shared node.
    pub contributions: Vec<(u32, u32)>,
}

impl Layout {
    /// Distributes the nodes of `numbering` over the patches: with them the local node of each point of a patch, `[element][point]`.
    ///
    /// # Arguments
    /// * `patches` – first element of each patch, and their number at the end
    /// * `absorbing` – which nodes lie on an absorbing boundary
    pub fn new(numbering: &Numbering, patches: &[u32], absorbing: &[bool]) -> (Self, Vec<Vec<u16>>) {
        let points = (numbering.degree + 1).pow(3);
        let ranges: Vec<Range<usize>> = patches.windows(2).map(|w| w[0] as usize..w[1] as usize).collect();
        let nodes_of = |range: &Range<usize>| &numbering.local_to_global[range.start * points..range.end * points];
        let most = ranges.iter().map(|range| range.len() * points).max().unwrap_or(0);

        let nodes: Vec<&[u32]> = ranges.iter().map(nodes_of).collect();
        let owner = owners(&nodes, absorbing);
        let of_patch = |numbers: &mut LocalNumbers, (range, nodes): (Range<usize>, &&[u32])| {
            patch_nodes(nodes, range, &owner, numbers)
        };
        let patches = ranges.into_par_iter().zip(&nodes).map_init(|| LocalNumbers::new(most), of_patch);
        let (mut patches, local): (Vec<_>, Vec<_>) = patches.unzip();
        let (shared, first_absorbing) = number_shared(&mut patches, owner, absorbing);
        let (offsets, contributions) = contributions(&patches, shared);
        (Self { patches, shared, first_absorbing, offsets, contributions }, local)
    }

    /// Where the sums on a shared node stand: (patch, local node after the inner ones), in ascending order of the patches.
    pub fn contributions_of(&self, node: u32) -> &[(u32, u32)] {
        &self.contributions[self.offsets[node as usize] as usize..self.offsets[node as usize + 1] as usize]
    }

    /// Bytes it holds.
    pub fn bytes(&self) -> usize {
        self.patches.iter().map(|patch| size_of_val(&patch.shared[..])).sum::<usize>()
            + size_of_val(&self.offsets[..])
            + size_of_val(&self.contributions[..])
    }

    /// Number of distinct nodes.
    pub fn n_nodes(&self) -> usize {
        self.shared + self.patches.iter().map(|patch| patch.inner).sum::<usize>()
    }
}

/// The only patch that has each node, or [`SHARED`].
///
/// # Arguments
/// * `nodes` – of the points of each patch
fn owners(nodes: &[&[u32]], absorbing: &[bool]) -> Vec<u32> {
    let owner: Vec<AtomicU32> =
        absorbing.par_iter().map(|&on| AtomicU32::new(if on { SHARED } else { NONE })).collect();
    let claim = |node: u32, patch: u32| {
        let owner = &owner[node as usize];
        let mut found = owner.load(Ordering::Relaxed);
        if found == NONE {
            found =
                owner.compare_exchange(NONE, patch, Ordering::Relaxed, Ordering::Relaxed).unwrap_or_else(|other| other);
        }
        // Whoever comes first: a node that two have touched is shared at the end.
        if found != NONE && found != patch && found != SHARED {
            owner.store(SHARED, Ordering::Relaxed);
        }
    };
    let patches = nodes.par_iter().enumerate();
    patches.for_each(|(patch, nodes)| nodes.iter().for_each(|&node| claim(node, patch as u32)));
    owner.into_iter().map(AtomicU32::into_inner).collect()
}

/// Numbers the shared nodes by first touch, those of absorbing boundaries last, and tells the patches: their count, the first absorbing one.
fn number_shared(patches: &mut [PatchNodes], mut owner: Vec<u32>, absorbing: &[bool]) -> (usize, usize) {
    let mut count = 0;
    let mut first_absorbing = 0;
    // What patches share has no owner any more: the number takes its place.
    let number = &mut owner;
    for wanted in [false, true] {
        first_absorbing = count;
        for &node in patches.iter().flat_map(|patch| &patch.shared) {
            let node = node as usize;
            if number[node] == SHARED && absorbing[node] == wanted {
                number[node] = count as u32;
                count += 1;
            }
        }
    }
    patches.par_iter_mut().for_each(|patch| patch.shared.iter_mut().for_each(|node| *node = number[*node as usize]));
    (count, first_absorbing)
}

/// The nodes of one patch and the local number of each of its points, by first touch. Its shared nodes are still told by their global numbers.
fn patch_nodes(
    nodes: &[u32],
    elements: Range<usize>,
    owner: &[u32],
    numbers: &mut LocalNumbers,
) -> (PatchNodes, Vec<u16>) {
    let is_inner = |node: u32| owner[node as usize] != SHARED;
    numbers.clear(nodes.len());
    let mut local = vec![0; nodes.len()];
    let mut inner = 0;
    for (local, &node) in local.iter_mut().zip(nodes).filter(|(_, node)| is_inner(**node)) {
        *local = numbers.of(node, inner);
        inner += usize::from(usize::from(*local) == inner);
    }
    let mut shared = Vec::new();
    for (local, &node) in local.iter_mut().zip(nodes).filter(|(_, node)| !is_inner(**node)) {
        *local = numbers.of(node, inner + shared.len());
        if usize::from(*local) == inner + shared.len() {
            shared.push(node);
        }
    }
    (PatchNodes { elements, inner, shared }, local)
}

/// The local numbers of the nodes that a patch has met: a table with open addresses, at least half of it free, so that no worker needs one number for
/// each node of the mesh.
struct LocalNumbers {
    nodes: Vec<u32>,
    numbers: Vec<u16>,
    /// 32 less the bits of a place in the table.
    shift: u32,
}

impl LocalNumbers {
    /// Room for patches of so many points at most.
    fn new(most: usize) -> Self {
        let size = Self::size(most);
        Self { nodes: vec![NONE; size], numbers: vec![0; size], shift: 0 }
    }

    fn size(points: usize) -> usize {
        (2 * points.max(1)).next_power_of_two()
    }

    /// Forgets all, for a patch of so many points.
    fn clear(&mut self, points: usize) {
        let size = Self::size(points);
        self.shift = u32::BITS - size.trailing_zeros();
        self.nodes[..size].fill(NONE);
    }

    /// The number of a node, `next` if it is a new one.
    fn of(&mut self, node: u32, next: usize) -> u16 {
        let last = (1 << (u32::BITS - self.shift)) - 1;
        // Fibonacci hashing: neighbours in number come to lie far apart.
        let mut place = (node.wrapping_mul(0x9E37_79B9) >> self.shift) as usize;
        while self.nodes[place] != node {
            if self.nodes[place] == NONE {
                self.nodes[place] = node;
                self.numbers[place] = u16::try_from(next).expect("a patch holds fewer nodes than the scratch");
                break;
            }
            place = (place + 1) & last;
        }
        self.numbers[place]
    }
}

/// For each shared node the places that hold its sums, in ascending patch order.
fn contributions(patches: &[PatchNodes], shared: usize) -> (Vec<u32>, Vec<(u32, u32)>) {
    let mut offsets = vec![0_u32; shared + 1];
    for &node in patches.iter().flat_map(|patch| &patch.shared) {
        offsets[node as usize + 1] += 1;
    }
    for node in 0..shared {
        offsets[node + 1] += offsets[node];
    }
    let mut next = offsets.clone();
    let mut places = vec![(0, 0); offsets[shared] as usize];
    for (patch, nodes) in patches.iter().enumerate() {
        for (slot, &node) in nodes.shared.iter().enumerate() {
            places[next[node as usize] as usize] = (patch as u32, slot as u32);
            next[node as usize] += 1;
        }
    }
    (offsets, places)
}
