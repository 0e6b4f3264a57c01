//! Element state: the memory variables of the rheologies, saved and restored in canonical order.

use std::ops::Range;

use craton_device::Scalar;
use craton_sem_kernels::Phase;
use craton_sim::{Failure, broadcast_next, gather_values};

use crate::part::Part;
use crate::part_set::PartSet;
use crate::plan::Plan;

/// Number of values of a block.
const BLOCK: usize = 1 << 22;

impl Plan {
    /// Number of memory variables of an element.
    pub(crate) fn memory_of_element(&self, element: u32) -> usize {
        self.rheology_of(element).memory(self.gll.points.len())
    }
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

    /// Passes the memory of all elements to `sink` on the first rank, `[element][variable]` in canonical order.
    pub(crate) fn save_memory(&mut self, sink: &mut dyn FnMut(&[T])) -> Result<(), Failure> {
        let memories = self.parts.iter_mut().map(Part::element_memory).collect::<Result<Vec<_>, Failure>>()?;
        let (ranks, tiles) = (&**self.team.ranks(), self.own_tiles());
        for size in self.tile_sizes().as_slice() {
            let own = tiles.get(&(size.tile as u32)).map_or(Vec::new(), |elements| self.memory_of_tile(elements));
            for block in blocks_of_values(size.memory as usize) {
                let (mut places, mut values) = (Vec::<[u32; 2]>::new(), Vec::new());
                for (here, element) in within(&own, &block) {
                    places.push([(here.start - block.start) as u32, here.len() as u32]);
                    values.extend_from_slice(&memories[element.part][element.patch][element.own(&here)]);
                }
                let (Some(places), Some(values)) = (gather_values(ranks, &places)?, gather_values(ranks, &values)?)
                else {
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
                sink(&all);
            }
        }
        Ok(())
    }

    /// Replaces the memory of all elements by values that `source` provides on the first rank, in the order of [`Self::save_memory`].
    pub(crate) fn restore_memory(&mut self, source: &mut dyn FnMut(&mut [T])) -> Result<(), Failure> {
        let mut memories = self.parts.iter_mut().map(Part::element_memory).collect::<Result<Vec<_>, Failure>>()?;
        let tiles = self.own_tiles();
        for size in self.tile_sizes().as_slice() {
            let own = tiles.get(&(size.tile as u32)).map_or(Vec::new(), |elements| self.memory_of_tile(elements));
            for block in blocks_of_values(size.memory as usize) {
                let values = broadcast_next(&**self.team.ranks(), block.len(), source)?;
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

/// The blocks of a number of values.
fn blocks_of_values(values: usize) -> impl Iterator<Item = Range<usize>> {
    (0..values).step_by(BLOCK).map(move |start| start..(start + BLOCK).min(values))
}

/// The variables of elements in a block, by their numbers in the tile.
fn within<'a>(all: &'a [InTile], block: &Range<usize>) -> impl Iterator<Item = (Range<usize>, &'a InTile)> {
    let Range { start, end } = *block;
    let first = all.partition_point(|own| own.range.end <= start);
    let inside = all[first..].iter().take_while(move |own| own.range.start < end);
    inside.map(move |own| (own.range.start.max(start)..own.range.end.min(end), own))
}
