//! State that belongs to nodes: fields, saved and restored in canonical order.

use craton_device::Scalar;
use craton_sem_kernels::Phase;
use craton_sim::{Failure, Holders, broadcast_block, gather_values_on};

use crate::canonical::{Canonical, TileSize, blocks_of_nodes};
use crate::fields::{Field, NodePlace};
use crate::part::{Part, Reader};
use crate::part_set::PartSet;

/// A block of nodes of a tile.
struct Block<'a> {
    tile: &'a TileSize,
    /// Its number in an array of the state.
    number: usize,
    /// Number of its nodes.
    nodes: usize,
    /// Their places; none on a rank that has no element of the tile.
    places: &'a [NodePlace],
}

impl<T: Scalar, P: Part<T>> PartSet<T, P> {
    /// Passes the nodes of all tiles to `take` in canonical order, block by block, on all ranks together.
    fn in_canonical_order(
        &self,
        phase: Phase,
        mut take: impl FnMut(Block) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let tiles = self.own_tiles();
        let mut order = Canonical::new(&self.plan, phase);
        let mut numbers = 0..;
        for tile in self.tile_sizes().as_slice() {
            let blocks = blocks_of_nodes(tile.nodes[phase as usize]);
            let mut blocks = blocks.zip(&mut numbers);
            match tiles.get(&(tile.tile as u32)) {
                Some(elements) => order.nodes_of(elements, |places| {
                    let (nodes, number) = blocks.next().expect("the blocks of the tile");
                    debug_assert_eq!(nodes, places.len(), "the nodes of a block");
                    take(Block { tile, number, nodes, places })
                })?,
                None => blocks.try_for_each(|(nodes, number)| take(Block { tile, number, nodes, places: &[] }))?,
            }
        }
        Ok(())
    }

    /// The part of this process that has a node, and the place of the node there.
    fn here(&self, phase: Phase, place: NodePlace) -> Option<(usize, NodePlace)> {
        let mut parts = self.parts.iter().enumerate();
        parts.find_map(|(index, part)| Some((index, part.own(phase).place_of(place)?)))
    }

    /// Passes a field to `sink`, block by block, `[node][component]` in canonical order.
    pub(crate) fn save_field(
        &self,
        field: Field,
        holders: Holders,
        sink: &mut dyn FnMut(usize, &[T]),
    ) -> Result<(), Failure> {
        let readers: Vec<Reader<T>> =
            self.parts.iter().map(|part| part.reader(field)).collect::<Result<_, Failure>>()?;
        let (ranks, components) = (&**self.team.ranks(), field.components());
        let (mut indices, mut own) = (Vec::<u32>::new(), Vec::new());
        self.in_canonical_order(field.phase(), |Block { tile, number, nodes, places }| {
            let (holder, has_all) = tile.holder(holders, number, ranks.count());
            if has_all && holder != ranks.rank() {
                return Ok(());
            }
            indices.clear();
            own.clear();
            for (index, &place) in (0..).zip(places) {
                if let Some((part, place)) = self.here(field.phase(), place) {
                    indices.push(index);
                    readers[part](place, &mut |value| own.push(value));
                }
            }
            if has_all {
                sink(number, &own);
                return Ok(());
            }
            let indices = gather_values_on(ranks, holder, &indices)?;
            let (Some(indices), Some(found)) = (indices, gather_values_on(ranks, holder, &own)?) else {
                return Ok(());
            };
            let mut block = vec![T::default(); nodes * components];
            for (&index, values) in indices.iter().flatten().zip(found.concat().chunks_exact(components)) {
                block[index as usize * components..][..components].copy_from_slice(values);
            }
            sink(number, &block);
            Ok(())
        })
    }

    /// Replaces a field by the blocks of `source`, in the order of [`Self::save_field`].
    pub(crate) fn restore_field(
        &mut self,
        field: Field,
        holders: Holders,
        source: &mut dyn FnMut(usize, &mut [T]),
    ) -> Result<(), Failure> {
        let (ranks, components, phase) = (&**self.team.ranks(), field.components(), field.phase());
        let mut values: Vec<Vec<T>> =
            self.parts.iter().map(|part| vec![T::default(); components * part.numbers(phase)]).collect();
        self.in_canonical_order(phase, |Block { tile, number, nodes, places }| {
            let (holder, has_all) = tile.holder(holders, number, ranks.count());
            if has_all && holder != ranks.rank() {
                return Ok(());
            }
            let mut block = vec![T::default(); components * nodes];
            match has_all {
                true => source(number, &mut block),
                false => broadcast_block(ranks, holder, &mut block, &mut |block| source(number, block))?,
            }
            for (part, values) in self.parts.iter().zip(&mut values) {
                for (&place, value) in places.iter().zip(block.chunks_exact(components)) {
                    if let Some(place) = part.own(phase).place_of(place) {
                        values[components * part.number_of(phase, place)..][..components].copy_from_slice(value);
                    }
                }
            }
            Ok(())
        })?;
        self.parts.iter_mut().zip(&values).try_for_each(|(part, values)| part.replace(field, values))
    }
}
