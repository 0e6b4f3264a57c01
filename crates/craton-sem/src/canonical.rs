//! The canonical order of the state, the same for all solvers of a mesh: tile by tile. The nodes of a tile are in the order of their first occurrence in its
//! elements, which are in mesh order, with their points in lexicographic order. A node on a face between tiles occurs in each of them. A process can therefore
//! determine the order in its own tiles without the others.

use std::collections::BTreeMap;
use std::iter::zip;

use craton_sem_kernels::Phase;
use craton_sim::Holders;

use crate::fields::NodePlace;
use crate::plan::Plan;

/// Number of nodes of a block.
const BLOCK: usize = 1 << 16;

impl Plan {
    /// The elements of each tile in mesh order.
    pub(crate) fn tiles(&self) -> BTreeMap<u32, Vec<u32>> {
        let mut tiles: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for &element in &self.position {
            tiles.entry(self.mesh.tile_of(element)).or_default().push(element);
        }
        tiles
    }
}

/// Passes through the nodes of tiles in canonical order.
pub(crate) struct Canonical<'a> {
    plan: &'a Plan,
    phase: Phase,
    /// Number of the first inner node of each patch, and of the first shared node.
    first: Vec<usize>,
    /// A bit for each node of the phase that has occurred in the tile.
    touched: Vec<u64>,
}

impl<'a> Canonical<'a> {
    pub fn new(plan: &'a Plan, phase: Phase) -> Self {
        let layout = &plan.of(phase).layout;
        let mut first = vec![0];
        for nodes in &layout.patches {
            first.push(first[first.len() - 1] + nodes.inner);
        }
        Self { plan, phase, first, touched: vec![0; layout.n_nodes().div_ceil(64)] }
    }

    fn number(&self, place: NodePlace) -> usize {
        match place {
            NodePlace::Inner { patch, node } => self.first[patch as usize] + node as usize,
            NodePlace::Shared(node) => self.first[self.first.len() - 1] + node as usize,
        }
    }

    /// Passes the nodes of a tile to `take`, in the blocks of [`blocks_of_nodes`].
    ///
    /// # Arguments
    /// * `elements` – its elements in mesh order
    /// # Errors
    /// Errors of `take`.
    pub fn nodes_of<E>(
        &mut self,
        elements: &[u32],
        mut take: impl FnMut(&[NodePlace]) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut block = Vec::with_capacity(BLOCK);
        let plan = self.plan;
        let of_phase = || elements.iter().filter(|&&element| plan.phase_of(element) == self.phase);
        for place in of_phase().flat_map(|&element| plan.places(element)) {
            let number = self.number(place);
            let (word, bit) = (&mut self.touched[number / 64], 1 << (number % 64));
            if *word & bit == 0 {
                *word |= bit;
                block.push(place);
            }
            if block.len() == BLOCK {
                take(&block)?;
                block.clear();
            }
        }
        if !block.is_empty() {
            take(&block)?;
        }
        for place in of_phase().flat_map(|&element| plan.places(element)) {
            let number = self.number(place);
            self.touched[number / 64] = 0;
        }
        Ok(())
    }

    /// Number of nodes of a tile.
    fn count(&mut self, elements: &[u32]) -> usize {
        let mut count = 0;
        let counted = self.nodes_of(elements, |places| {
            count += places.len();
            Ok::<(), std::convert::Infallible>(())
        });
        counted.map_or_else(|never| match never {}, |()| count)
    }
}

/// Numbers of values of the blocks of a tile with this number of memory variables.
pub(crate) fn blocks_of_memory(values: u64) -> impl Iterator<Item = usize> {
    const BLOCK: u64 = 1 << 22;
    (0..values).step_by(BLOCK as usize).map(move |start| (values - start).min(BLOCK) as usize)
}

/// Numbers of nodes of the blocks of a tile with this number of nodes.
pub(crate) fn blocks_of_nodes(nodes: u64) -> impl Iterator<Item = usize> {
    (0..nodes).step_by(BLOCK).map(move |start| (nodes - start).min(BLOCK as u64) as usize)
}

/// Number of values of the state in each tile of all processes, ascending by tile.
#[derive(Debug, Clone, Default)]
pub(crate) struct TileSizes(Vec<TileSize>);

/// Number of values of the state in a tile.
#[derive(Debug, Clone, Copy, PartialEq, Eq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub(crate) struct TileSize {
    pub tile: u64,
    /// Nodes of each phase.
    pub nodes: [u64; 2],
    /// Memory variables.
    pub memory: u64,
    /// The rank that has all elements of the tile, or [`SHARED`].
    pub rank: u64,
}

/// The rank of a tile whose elements may be on several ranks.
const SHARED: u64 = u64::MAX;

impl TileSize {
    /// The rank that holds a block of the tile, and whether it has all of its values.
    ///
    /// # Arguments
    /// * `block` – number of the block in its array
    /// * `count` – number of ranks
    pub fn holder(&self, holders: Holders, block: usize, count: usize) -> (usize, bool) {
        match holders {
            _ if count == 1 => (0, true),
            Holders::All if self.rank != SHARED => (self.rank as usize, true),
            _ => (holders.rank_of(block, count), false),
        }
    }
}

impl TileSizes {
    /// The sizes of tiles of a plan.
    ///
    /// # Arguments
    /// * `has` – whether a tile counts
    /// * `rank` – the rank that has all elements of these tiles
    pub fn of_plan(plan: &Plan, mut has: impl FnMut(u32) -> bool, rank: Option<usize>) -> Self {
        let rank = rank.map_or(SHARED, |rank| rank as u64);
        let tiles: Vec<(u32, Vec<u32>)> = plan.tiles().into_iter().filter(|(tile, _)| has(*tile)).collect();
        let mut sizes: Vec<TileSize> =
            tiles.iter().map(|(tile, _)| TileSize { tile: u64::from(*tile), nodes: [0; 2], memory: 0, rank }).collect();
        for phase in plan.phases() {
            let mut order = Canonical::new(plan, phase);
            for (size, (_, elements)) in zip(&mut sizes, &tiles) {
                size.nodes[phase as usize] = match &tiles[..] {
                    [_] if elements.len() == plan.mesh.n_elements() => plan.of(phase).layout.n_nodes(),
                    _ => order.count(elements),
                } as u64;
            }
        }
        for (size, (_, elements)) in zip(&mut sizes, &tiles) {
            size.memory = elements.iter().map(|&element| plan.memory_of_element(element) as u64).sum();
        }
        Self(sizes)
    }

    /// The sizes of the tiles of all processes, of which several may have elements of a tile.
    pub fn of_all(mut sizes: Vec<TileSize>) -> Self {
        sizes.sort_unstable_by_key(|size| size.tile);
        sizes.dedup_by(|one, first| {
            let is_shared = one.tile == first.tile;
            if is_shared {
                first.rank = SHARED;
            }
            is_shared
        });
        Self(sizes)
    }

    pub fn as_slice(&self) -> &[TileSize] {
        &self.0
    }
}
