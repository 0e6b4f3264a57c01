//! Where nodes live: inside a patch, or shared.
//!
//! The inner nodes of a patch belong to it alone and are updated by it in place. Nodes of several patches, and nodes of absorbing
//! boundaries, are shared: each patch sums its own elements' forces there, and the sums are added in ascending patch order. Nothing here depends
//! on threads or on the instruction set, so neither does the result.

use std::ops::Range;

use craton_mesh::Numbering;

use crate::fields::NodePlace;

/// Marks a node that no patch has touched, or that has no local number yet.
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
        let ranges = || patches.windows(2).map(|w| w[0] as usize..w[1] as usize);
        let nodes_of = |range: &Range<usize>| &numbering.local_to_global[range.start * points..range.end * points];

        let mut owner: Vec<u32> = absorbing.iter().map(|&on| if on { SHARED } else { NONE }).collect();
        for (patch, range) in ranges().enumerate() {
            for &node in nodes_of(&range) {
                let owner = &mut owner[node as usize];
                *owner = if *owner == NONE || *owner == patch as u32 { patch as u32 } else { SHARED };
            }
        }
        let (number, shared, first_absorbing) = number_shared(&owner, absorbing, ranges().flat_map(|r| nodes_of(&r)));
        let mut local = vec![NONE; owner.len()];
        let patches = ranges().map(|range| patch_nodes(nodes_of(&range), range, &owner, &number, &mut local));
        let (patches, local): (Vec<_>, Vec<_>) = patches.unzip();
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

/// Numbers the shared nodes by first touch, those of absorbing boundaries last: numbers, their count, the first absorbing one.
fn number_shared<'a>(
    owner: &[u32],
    absorbing: &[bool],
    touched: impl Iterator<Item = &'a u32> + Clone,
) -> (Vec<u32>, usize, usize) {
    let mut number = vec![NONE; owner.len()];
    let mut count = 0;
    let mut first_absorbing = 0;
    for wanted in [false, true] {
        first_absorbing = count;
        for &node in touched.clone() {
            let node = node as usize;
            if owner[node] == SHARED && absorbing[node] == wanted && number[node] == NONE {
                number[node] = count as u32;
                count += 1;
            }
        }
    }
    (number, count, first_absorbing)
}

/// The nodes of one patch and the local number of each of its points, by first touch. `local` is scratch, all [`NONE`] on entry and exit.
fn patch_nodes(
    nodes: &[u32],
    elements: Range<usize>,
    owner: &[u32],
    number: &[u32],
    local: &mut [u32],
) -> (PatchNodes, Vec<u16>) {
    let is_inner = |node: u32| owner[node as usize] != SHARED;
    let mut inner = 0;
    for &node in nodes.iter().filter(|&&node| is_inner(node)) {
        if local[node as usize] == NONE {
            local[node as usize] = inner;
            inner += 1;
        }
    }
    let mut shared = Vec::new();
    for &node in nodes.iter().filter(|&&node| !is_inner(node)) {
        if local[node as usize] == NONE {
            local[node as usize] = inner + shared.len() as u32;
            shared.push(number[node as usize]);
        }
    }
    let numbers = nodes
        .iter()
        .map(|&node| u16::try_from(local[node as usize]).expect("a patch holds fewer nodes than the scratch"));
    let numbers = numbers.collect();
    for &node in nodes {
        local[node as usize] = NONE;
    }
    (PatchNodes { elements, inner: inner as usize, shared }, numbers)
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
