//! Element state: the memory variables of the rheologies, saved and restored in canonical order.

use std::ops::Range;

use craton_device::Scalar;
use craton_sem_kernels::Phase;
use craton_sim::{Failure, Holders, broadcast_block, gather_values_on};

use crate::canonical::{TileSize, blocks_of_memory};
use crate::part::Part;
use crate::part_set::PartSet;
use crate::plan::Plan;

impl Plan {
    /// Number of memory variables of an element.
    pub(crate) fn memory_of_element(&self, element: u32) -> usize {
        self.rheology_of(element).memory(self.gll.points.len())
    }
}

/// A block of memory variables of a tile.
struct Block {
    /// Its number in the array of the state.
    number: usize,
    /// Its variables, by their numbers in the tile.
    range: Range<usize>,
}

impl<T: Scalar, P: Part<T>> PartSet<T, P> {
    /// The part that contains an element.
    fn part_of(&self, element: u32) -> usize {
        self.team.parts().of_element(&self.plan, element)
    }

    /// Part of this process, patch in the part, counted over both phases, and range in the memory of the patch of an element; `None` if it belongs to another
    /// process.
    fn place_in_memory(&self, element: u32) -> Option<(usize, usize, Range<usize>)> {
        let part = self.part_of(element).checked_sub(self.team.own().start)?;
        let phase = self.plan.phase_of(element);
        let own = self.parts.get(part)?;
        let (patch, within) = own.own(phase).patch_of(element)?;
        let before = if phase == Phase::Fluid { own.own(Phase::Solid).patches.len() } else { 0 };
        let patch = before + patch;
        let length = self.plan.memory_of_element(element);
        Some((part, patch, within * length..(within + 1) * length))
    }

    /// The elements of a tile that are in this process, with the ranges of their memory variables in the tile.
    fn memory_of_tile(&self, elements: &[u32]) -> Vec<InTile> {
        let mut end = 0;
        let of_element = |&element: &u32| {
            let start = end;
            end += self.plan.memory_of_element(element);
            let (part, patch, own) = self.place_in_memory(element)?;
            Some(InTile { range: start..end, part, patch, first: own.start })
        };
        elements.iter().filter_map(of_element).filter(|own| !own.range.is_empty()).collect()
    }

    /// The blocks of memory variables of each tile.
    fn blocks_of_tiles(&self) -> Vec<(TileSize, Vec<Block>)> {
        let mut numbers = 0..;
        let of_tile = |tile: &TileSize| {
            let mut end = 0;
            let blocks = blocks_of_memory(tile.memory).zip(&mut numbers).map(|(count, number)| {
                end += count;
                Block { number, range: end - count..end }
            });
            (*tile, blocks.collect())
        };
        self.tile_sizes().as_slice().iter().map(of_tile).collect()
    }

    /// Passes the memory of all elements to `sink`, block by block, `[element][variable]` in canonical order.
    pub(crate) fn save_memory(&mut self, holders: Holders, sink: &mut dyn FnMut(usize, &[T])) -> Result<(), Failure> {
        let memories = self.parts.iter_mut().map(Part::element_memory).collect::<Result<Vec<_>, Failure>>()?;
        let (ranks, tiles) = (&**self.team.ranks(), self.own_tiles());
        for (tile, blocks) in self.blocks_of_tiles() {
            let own = tiles.get(&(tile.tile as u32)).map_or(Vec::new(), |elements| self.memory_of_tile(elements));
            for Block { number, range: block } in blocks {
                let (holder, has_all) = tile.holder(holders, number, ranks.count());
                if has_all && holder != ranks.rank() {
                    continue;
                }
                let (mut places, mut values) = (Vec::<[u32; 2]>::new(), Vec::new());
                for (here, element) in within(&own, &block) {
                    places.push([(here.start - block.start) as u32, here.len() as u32]);
                    values.extend_from_slice(&memories[element.part][element.patch][element.own(&here)]);
                }
                if has_all {
                    sink(number, &values);
                    continue;
                }
                let places = gather_values_on(ranks, holder, &places)?;
                let (Some(places), Some(values)) = (places, gather_values_on(ranks, holder, &values)?) else {
                    continue;
                };
                let mut all = vec![T::default(); block.len()];
                let values = values.concat();
                let mut rest = &values[..];
                for &[start, length] in places.iter().flatten() {
                    let (own, after) = rest.split_at(length as usize);
                    all[start as usize..][..own.len()].copy_from_slice(own);
                    rest = after;
                }
                sink(number, &all);
            }
        }
        Ok(())
    }

    /// Replaces the memory of all elements by the blocks of `source`, in the order of [`Self::save_memory`].
    pub(crate) fn restore_memory(
        &mut self,
        holders: Holders,
        source: &mut dyn FnMut(usize, &mut [T]),
    ) -> Result<(), Failure> {
        let mut memories = self.parts.iter_mut().map(Part::element_memory).collect::<Result<Vec<_>, Failure>>()?;
        let (ranks, tiles) = (&**self.team.ranks(), self.own_tiles());
        for (tile, blocks) in self.blocks_of_tiles() {
            let own = tiles.get(&(tile.tile as u32)).map_or(Vec::new(), |elements| self.memory_of_tile(elements));
            for Block { number, range: block } in blocks {
                let (holder, has_all) = tile.holder(holders, number, ranks.count());
                if has_all && holder != ranks.rank() {
                    continue;
                }
                let mut values = vec![T::default(); block.len()];
                match has_all {
                    true => source(number, &mut values),
                    false => broadcast_block(ranks, holder, &mut values, &mut |values| source(number, values))?,
                }
                for (here, element) in within(&own, &block) {
                    memories[element.part][element.patch][element.own(&here)]
                        .copy_from_slice(&values[here.start - block.start..here.end - block.start]);
                }
            }
        }
        self.parts.iter_mut().zip(&memories).try_for_each(|(part, memory)| part.replace_element_memory(memory))
    }
}

/// Memory variables of an element of this process.
struct InTile {
    /// Their numbers in the tile.
    range: Range<usize>,
    part: usize,
    /// Patch in the part, counted over both phases.
    patch: usize,
    /// The first of them in the patch.
    first: usize,
}

impl InTile {
    /// The places in the patch of some of the variables, given by their numbers in the tile.
    fn own(&self, some: &Range<usize>) -> Range<usize> {
        let first = self.first + some.start - self.range.start;
        first..first + some.len()
    }
}

/// The variables of elements in a block, by their numbers in the tile.
fn within<'a>(all: &'a [InTile], block: &Range<usize>) -> impl Iterator<Item = (Range<usize>, &'a InTile)> {
    let Range { start, end } = *block;
    let first = all.partition_point(|own| own.range.end <= start);
    let inside = all[first..].iter().take_while(move |own| own.range.start < end);
    inside.map(move |own| (own.range.start.max(start)..own.range.end.min(end), own))
}
