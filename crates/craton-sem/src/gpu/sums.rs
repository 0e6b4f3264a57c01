//! The summation table of a patch for `kernels/patch_sums.cuh`.

use super::bank_order::{Banks, Place, interior_of, order_by_banks, places_of};
use super::nodes::{DevicePatch, PADDING};
use super::patches::{N, THREADS};

/// Threads of a warp.
const WARP: usize = 32;
/// Warps of a block.
const WARPS: usize = THREADS / WARP;
/// Offset of a slot that is always zero.
const NO_SLOT: u16 = 4 * (N * N) as u16;

/// The summation table of a patch. Inner nodes and then shared nodes form rows, with one node per thread. The nodes inside elements are the last inner
/// nodes; their part of the table is [`of_interior`], except in the row of a warp in which they begin. The table consists of
/// 1. the start of part 3 for each warp;
/// 2. the largest number of slots of a node, for each row and each warp;
/// 3. the byte offsets of the slots, warp by warp, row by row and slot by slot;
/// 4. the byte offset of each sum among the shared nodes, row by row.
pub struct SumTable {
    /// The table, padded to a multiple of 16 bytes.
    pub table: Vec<u16>,
    /// Start of part 4.
    pub targets: usize,
}

impl SumTable {
    /// Builds the table of a patch.
    pub fn new(patch: &DevicePatch, components: usize) -> Self {
        let places = places_of(&patch.local);
        let (inner, surface) = places.split_at(patch.inner);
        let on_surface = order_by_banks(surface, (0..surface.len()).collect(), Banks::new(false));
        let inner: Vec<&[Place]> = inner.iter().map(|places| &places[..]).collect();
        let surface: Vec<&[Place]> = on_surface.iter().map(|&node| &surface[node][..]).collect();
        let mut rows = rows_of_warps(&inner, patch.inner - interior_of(&patch.local, patch.inner).len());
        rows.extend(rows_of_warps(&surface, surface.len()));
        let most = |nodes: &[&[Place]]| nodes.iter().map(|places| places.len()).max().unwrap_or(0);
        let mut table = vec![0; WARPS];
        table.extend(rows.iter().map(|nodes| most(nodes) as u16));
        for warp in 0..WARPS {
            table[warp] = table.len() as u16;
            for nodes in rows.iter().skip(warp).step_by(WARPS) {
                let all = (0..most(nodes)).flat_map(|index| (0..WARP).map(move |thread| (index, thread)));
                table.extend(all.map(|(index, thread)| {
                    nodes.get(thread).and_then(|places| places.get(index)).map_or(NO_SLOT, Place::slot)
                }));
            }
        }
        let targets = table.len();
        // Threads without a node write after the last one.
        let nowhere = surface.len().next_multiple_of(PADDING);
        let target = |index: usize| (4 * components * on_surface.get(index).copied().unwrap_or(nowhere)) as u16;
        table.extend((0..surface.len().next_multiple_of(WARP)).map(target));
        table.resize(table.len().next_multiple_of(8), 0);
        Self { table, targets }
    }
}

/// The nodes of each row and each warp, up to the row of a warp that contains node `end` - 1; the warps of the last row may have no node.
fn rows_of_warps<'a, 'b>(nodes: &'b [&'a [Place]], end: usize) -> Vec<&'b [&'a [Place]]> {
    let row = |first: usize| if first < end { &nodes[first..nodes.len().min(first + WARP)] } else { &[] };
    (0..end.next_multiple_of(THREADS)).step_by(WARP).map(row).collect()
}

/// The byte offsets of the slots of the nodes inside elements, in their order, with an allowance for the threads of the last warp that have no node.
pub fn of_interior(places: &[Place]) -> Vec<u16> {
    let mut all: Vec<u16> = places.iter().map(Place::slot).collect();
    all.resize((all.len() + WARP - 1).next_multiple_of(8), NO_SLOT);
    all
}
