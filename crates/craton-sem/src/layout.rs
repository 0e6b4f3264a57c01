//! Inner and shared nodes of patches.
//!
//! An inner node belongs to a single patch, which updates it in place. Nodes of several patches, on absorbing boundaries and between phases are *shared*:
//! each patch sums the forces of its own elements there, and the sums are added in ascending patch order. The result is therefore independent of the number
//! of threads and of the instruction set.

use std::ops::Range;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use craton_mesh::Numbering;
use rayon::prelude::*;

use crate::fields::NodePlace;

/// Number of shared nodes that a thread handles at a time.
const BLOCK: usize = 4096;

/// Marks a node that no patch has claimed.
const NONE: u32 = u32::MAX;
/// Marks a shared node.
const SHARED: u32 = u32::MAX - 1;

/// The nodes of one patch. Local numbers run through the inner nodes, then through the shared ones.
pub struct PatchNodes {
    /// Its elements, as a range of the mesh.
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

    /// Location of a local node of this patch, whose number is `patch`.
    pub fn place(&self, patch: usize, local: u16) -> NodePlace {
        match usize::from(local).checked_sub(self.inner) {
            None => NodePlace::Inner { patch: patch as u32, node: local.into() },
            Some(outer) => NodePlace::Shared(self.shared[outer]),
        }
    }
}

/// Global nodes that are shared even if a single patch contains them.
pub struct SpecialNodes {
    /// Whether each node lies on an absorbing boundary.
    pub absorbing: Vec<bool>,
    /// Whether it lies between a solid and a fluid.
    pub wet: Vec<bool>,
}

/// The nodes of a phase of a mesh, or of a part of it, patch by patch.
pub struct Layout {
    /// All patches.
    pub patches: Vec<PatchNodes>,
    /// Number of shared nodes.
    pub shared: usize,
    /// First shared node on an absorbing boundary; all later ones are, too.
    pub first_absorbing: usize,
    /// Start of the entries of each shared node in `contributions`, and the number of all entries at the end.
    pub offsets: Vec<u32>,
    /// (patch, local node counted from the first shared one) for each shared node, in ascending patch order.
    pub contributions: Vec<(u32, u32)>,
    /// Level of the time step of each shared node: the lowest of its patches. Ascending among the nodes on absorbing boundaries, and among the others.
    pub levels: Vec<u8>,
}

impl Layout {
    /// Distributes the nodes of `numbering` over the patches. Also returns the local node of each point of each patch, `[element][point]`.
    ///
    /// # Arguments
    /// * `patches` – first element of each patch, and the end of the last one
    /// * `rates` – level of each patch
    pub fn new(numbering: &Numbering, patches: &[u32], special: &SpecialNodes, rates: &[u8]) -> (Self, Vec<Vec<u16>>) {
        let points = (numbering.degree + 1).pow(3);
        let ranges: Vec<Range<usize>> = patches.windows(2).map(|w| w[0] as usize..w[1] as usize).collect();
        let nodes_of = |range: &Range<usize>| &numbering.local_to_global[range.start * points..range.end * points];
        let most = ranges.iter().map(|range| range.len() * points).max().unwrap_or(0);

        let nodes: Vec<&[u32]> = ranges.iter().map(nodes_of).collect();
        let owner = owners(&nodes, special);
        let of_patch = |numbers: &mut LocalNumbers, (range, nodes): (Range<usize>, &&[u32])| {
            patch_nodes(nodes, range, &owner, numbers)
        };
        let patches = ranges.into_par_iter().zip(&nodes).map_init(|| LocalNumbers::new(most), of_patch);
        let (mut patches, local): (Vec<_>, Vec<_>) = patches.unzip();
        let level = levels_of_shared(&patches, rates, owner.len());
        let (first_absorbing, levels) = number_shared(&mut patches, &owner, &special.absorbing, &level);
        drop(owner);
        let shared = levels.len();
        let (offsets, contributions) = contributions(&patches, shared);
        (Self { patches, shared, first_absorbing, offsets, contributions, levels }, local)
    }

    /// Contributions to a shared node: (patch, local node counted from the first shared one), in ascending patch order.
    pub fn contributions_of(&self, node: u32) -> &[(u32, u32)] {
        &self.contributions[self.offsets[node as usize] as usize..self.offsets[node as usize + 1] as usize]
    }

    /// Memory in bytes.
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

/// The owner of each node: its only patch, or [`SHARED`].
///
/// # Arguments
/// * `nodes` – nodes of the points of each patch
fn owners(nodes: &[&[u32]], SpecialNodes { absorbing, wet }: &SpecialNodes) -> Vec<AtomicU32> {
    let start = |(&absorbing, &wet): (&bool, &bool)| AtomicU32::new(if absorbing || wet { SHARED } else { NONE });
    let owner: Vec<AtomicU32> = absorbing.par_iter().zip(wet).map(start).collect();
    let claim = |node: u32, patch: u32| {
        let owner = &owner[node as usize];
        let mut found = owner.load(Ordering::Relaxed);
        if found == NONE {
            found =
                owner.compare_exchange(NONE, patch, Ordering::Relaxed, Ordering::Relaxed).unwrap_or_else(|other| other);
        }
        // A node that two patches claim becomes shared, in whatever order they claim it.
        if found != NONE && found != patch && found != SHARED {
            owner.store(SHARED, Ordering::Relaxed);
        }
    };
    let patches = nodes.par_iter().enumerate();
    patches.for_each(|(patch, nodes)| nodes.iter().for_each(|&node| claim(node, patch as u32)));
    owner
}

/// The level of each shared node, by its global number: the lowest one of its patches. Empty if all are 0.
fn levels_of_shared(patches: &[PatchNodes], rates: &[u8], nodes: usize) -> Vec<u8> {
    if rates.iter().all(|&rate| rate == 0) {
        return Vec::new();
    }
    let mut levels = vec![u8::MAX; nodes];
    for (patch, &rate) in patches.iter().zip(rates) {
        for &node in &patch.shared {
            let level = &mut levels[node as usize];
            *level = rate.min(*level);
        }
    }
    levels
}

/// For each patch, the shared nodes of which it is the first patch; `owner` gets the first patch of each shared node.
fn first_nodes(patches: &[PatchNodes], owner: &[AtomicU32]) -> Vec<Vec<u32>> {
    let of = |node: u32| &owner[node as usize];
    patches.par_iter().enumerate().for_each(|(patch, nodes)| {
        for &node in &nodes.shared {
            of(node).fetch_min(patch as u32, Ordering::Relaxed);
        }
    });
    let first_here = |(patch, nodes): (usize, &PatchNodes)| -> Vec<u32> {
        let is_first = |node: &u32| of(*node).load(Ordering::Relaxed) == patch as u32;
        nodes.shared.iter().copied().filter(is_first).collect()
    };
    patches.par_iter().enumerate().map(first_here).collect()
}

/// Numbers the shared nodes by first occurrence, those on absorbing boundaries last, each class by ascending level, and stores the numbers in the patches.
/// Returns the first absorbing node, and the level of each shared node.
///
/// # Arguments
/// * `owner` – [`SHARED`] for each shared node
/// * `level` – see [`levels_of_shared`]
fn number_shared(
    patches: &mut [PatchNodes],
    owner: &[AtomicU32],
    absorbing: &[bool],
    level: &[u8],
) -> (usize, Vec<u8>) {
    let highest = level.iter().filter(|&&level| level != u8::MAX).max().map_or(0, |&highest| usize::from(highest));
    let classes = 2 * (highest + 1);
    let class = |node: u32| {
        let level = level.get(node as usize).copied().unwrap_or(0);
        (highest + 1) * usize::from(absorbing[node as usize]) + usize::from(level)
    };
    let of = |node: u32| &owner[node as usize];
    let first = first_nodes(patches, owner);
    let mut next = vec![vec![0_u32; first.len()]; classes];
    let counts: Vec<Vec<u32>> = first
        .par_iter()
        .map(|nodes| {
            let mut counts = vec![0; classes];
            nodes.iter().for_each(|&node| counts[class(node)] += 1);
            counts
        })
        .collect();
    let (mut number, mut levels, mut first_absorbing) = (0, Vec::new(), 0);
    for (class, next) in next.iter_mut().enumerate() {
        if class == highest + 1 {
            first_absorbing = number as usize;
        }
        for (next, counts) in next.iter_mut().zip(&counts) {
            *next = number;
            number += counts[class];
        }
        levels.resize(number as usize, (class % (highest + 1)) as u8);
    }
    first.par_iter().enumerate().for_each(|(patch, nodes)| {
        let mut next: Vec<u32> = next.iter().map(|of_class| of_class[patch]).collect();
        for &node in nodes {
            let number = &mut next[class(node)];
            of(node).store(*number, Ordering::Relaxed);
            *number += 1;
        }
    });
    let numbered = |nodes: &mut PatchNodes| {
        nodes.shared.iter_mut().for_each(|node| *node = of(*node).load(Ordering::Relaxed));
    };
    patches.par_iter_mut().for_each(numbered);
    (first_absorbing, levels)
}

/// The nodes of one patch and the local number of each of its points, by first occurrence. `shared` still holds global node numbers.
fn patch_nodes(
    nodes: &[u32],
    elements: Range<usize>,
    owner: &[AtomicU32],
    numbers: &mut LocalNumbers,
) -> (PatchNodes, Vec<u16>) {
    let is_inner = |node: u32| owner[node as usize].load(Ordering::Relaxed) != SHARED;
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

/// Map from global to local node numbers of a patch: an open-addressing hash table that is at most half full. Its size does not depend on the size of the
/// mesh.
struct LocalNumbers {
    nodes: Vec<u32>,
    numbers: Vec<u16>,
    /// 32 minus the number of bits of a table index.
    shift: u32,
}

impl LocalNumbers {
    /// Allocates a table for patches of at most `most` points.
    fn new(most: usize) -> Self {
        let size = Self::size(most);
        Self { nodes: vec![NONE; size], numbers: vec![0; size], shift: 0 }
    }

    fn size(points: usize) -> usize {
        (2 * points.max(1)).next_power_of_two()
    }

    /// Clears the table for a patch of `points` points.
    fn clear(&mut self, points: usize) {
        let size = Self::size(points);
        self.shift = u32::BITS - size.trailing_zeros();
        self.nodes[..size].fill(NONE);
    }

    /// The local number of a node, which becomes `next` if the node is new.
    fn of(&mut self, node: u32, next: usize) -> u16 {
        let last = (1 << (u32::BITS - self.shift)) - 1;
        // Fibonacci hashing scatters consecutive numbers.
        let mut place = (node.wrapping_mul(0x9E37_79B9) >> self.shift) as usize;
        while self.nodes[place] != node {
            if self.nodes[place] == NONE {
                self.nodes[place] = node;
                self.numbers[place] = u16::try_from(next).expect("a patch has fewer nodes than the scratch");
                break;
            }
            place = (place + 1) & last;
        }
        self.numbers[place]
    }
}

/// Offsets and contributions of the shared nodes, in ascending patch order for each node.
fn contributions(patches: &[PatchNodes], shared: usize) -> (Vec<u32>, Vec<(u32, u32)>) {
    let counts: Vec<AtomicU32> = (0..shared).into_par_iter().map(|_| AtomicU32::new(0)).collect();
    patches.par_iter().for_each(|patch| {
        for &node in &patch.shared {
            counts[node as usize].fetch_add(1, Ordering::Relaxed);
        }
    });
    let mut offsets = Vec::with_capacity(shared + 1);
    offsets.push(0_u32);
    for count in counts {
        offsets.push(offsets[offsets.len() - 1] + count.into_inner());
    }
    // Patches put their entries in any order, a patch and a slot in one word.
    let next: Vec<AtomicU32> = offsets[..shared].par_iter().map(|&start| AtomicU32::new(start)).collect();
    let places: Vec<AtomicU64> = (0..offsets[shared]).into_par_iter().map(|_| AtomicU64::new(0)).collect();
    patches.par_iter().enumerate().for_each(|(patch, nodes)| {
        for (slot, &node) in nodes.shared.iter().enumerate() {
            let place = next[node as usize].fetch_add(1, Ordering::Relaxed);
            places[place as usize].store((patch as u64) << 32 | slot as u64, Ordering::Relaxed);
        }
    });
    let mut places: Vec<(u32, u32)> = places
        .into_par_iter()
        .map(|place| place.into_inner())
        .map(|place| ((place >> 32) as u32, place as u32))
        .collect();
    let mut rest = &mut places[..];
    let mut blocks = Vec::new();
    for range in (0..shared).step_by(BLOCK).map(|start| start..(start + BLOCK).min(shared)) {
        let length = (offsets[range.end] - offsets[range.start]) as usize;
        let (own, after) = rest.split_at_mut(length);
        blocks.push((range, own));
        rest = after;
    }
    blocks.into_par_iter().for_each(|(range, own)| {
        let start = offsets[range.start];
        for node in range {
            own[(offsets[node] - start) as usize..(offsets[node + 1] - start) as usize].sort_unstable();
        }
    });
    (offsets, places)
}
