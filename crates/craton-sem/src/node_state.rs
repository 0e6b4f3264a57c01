//! State that belongs to nodes: fields, saved and restored in canonical order.

use craton_device::Scalar;
use craton_sem_kernels::Phase;
use craton_sim::{Failure, broadcast_next, gather_values};

use crate::canonical::{Canonical, blocks_of_nodes};
use crate::fields::{Field, NodePlace};
use crate::part::{Part, Reader};
use crate::part_set::PartSet;

impl<T: Scalar, P: Part<T>> PartSet<T, P> {
    /// Passes the nodes of all tiles to `take` in canonical order, block by block, on all ranks together. A rank that has no element of a tile gets no nodes.
    ///
    /// # Arguments
    /// * `take` – its arguments are the number of nodes of a block and their places
    fn in_canonical_order(
        &self,
        phase: Phase,
        mut take: impl FnMut(usize, &[NodePlace]) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let tiles = self.own_tiles();
        let mut order = Canonical::new(&self.plan, phase);
        for size in self.tile_sizes().as_slice() {
            let mut counts = blocks_of_nodes(size.nodes[phase as usize]);
            match tiles.get(&(size.tile as u32)) {
                Some(elements) => order.nodes_of(elements, |places| {
                    let count = counts.next().expect("the blocks of the tile");
                    debug_assert_eq!(count, places.len(), "the nodes of a block");
                    take(count, places)
                })?,
                None => counts.try_for_each(|count| take(count, &[]))?,
            }
        }
        Ok(())
    }

    /// The part of this process that has a node, and the place of the node there.
    fn here(&self, phase: Phase, place: NodePlace) -> Option<(usize, NodePlace)> {
        let mut parts = self.parts.iter().enumerate();
        parts.find_map(|(index, part)| Some((index, part.own(phase).place_of(place)?)))
    }

    /// Passes a field to `sink` on the first rank, `[node][component]` in canonical order, block by block.
    pub(crate) fn save_field(&self, field: Field, sink: &mut dyn FnMut(&[T])) -> Result<(), Failure> {
        let readers: Vec<Reader<T>> =
            self.parts.iter().map(|part| part.reader(field)).collect::<Result<_, Failure>>()?;
        let (ranks, components) = (&**self.team.ranks(), field.components());
        let (mut indices, mut own) = (Vec::<u32>::new(), Vec::new());
        self.in_canonical_order(field.phase(), |count, places| {
            indices.clear();
            own.clear();
            for (index, &place) in (0..).zip(places) {
                if let Some((part, place)) = self.here(field.phase(), place) {
                    indices.push(index);
                    readers[part](place, &mut |value| own.push(value));
                }
            }
            if ranks.count() == 1 {
                sink(&own);
                return Ok(());
            }
            let (Some(indices), Some(found)) = (gather_values(ranks, &indices)?, gather_values(ranks, &own)?) else {
                return Ok(());
            };
            let mut block = vec![T::default(); count * components];
            for (&index, values) in indices.iter().flatten().zip(found.concat().chunks_exact(components)) {
                block[index as usize * components..][..components].copy_from_slice(values);
            }
            sink(&block);
            Ok(())
        })
    }

    /// Replaces a field by the values of `source` on the first rank, in the order of [`Self::save_field`].
    pub(crate) fn restore_field(&mut self, field: Field, source: &mut dyn FnMut(&mut [T])) -> Result<(), Failure> {
        let (components, phase) = (field.components(), field.phase());
        let mut values: Vec<Vec<T>> =
            self.parts.iter().map(|part| vec![T::default(); components * part.numbers(phase)]).collect();
        self.in_canonical_order(phase, |count, places| {
            let block = broadcast_next(&**self.team.ranks(), components * count, source)?;
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
