//! State that belongs to nodes: fields, saved and restored in canonical order.

use craton_device::Scalar;
use craton_sim::{Failure, broadcast_next, gather_values};

use crate::fields::Field;
use crate::part::{Part, Reader};
use crate::part_set::PartSet;

impl<T: Scalar, P: Part<T>> PartSet<T, P> {
    /// Passes a field to `sink` on the first rank, `[node][component]` in canonical order, block by block.
    pub(crate) fn save_field(&self, field: Field, sink: &mut dyn FnMut(&[T])) -> Result<(), Failure> {
        let readers: Vec<Reader<T>> =
            self.parts.iter().map(|part| part.reader(field)).collect::<Result<_, Failure>>()?;
        let (first, phase) = (self.team.own().start, field.phase());
        let mut own = Vec::new();
        self.plan.in_canonical_order(phase, |places| {
            own.clear();
            for &place in places {
                let owner = self.owner(phase, place);
                if self.team.own().contains(&owner) {
                    let here = self.parts[owner - first].own(phase).place_of(place).expect("a node of its owner");
                    readers[owner - first](here, &mut |value| own.push(value));
                }
            }
            if self.team.ranks().count() == 1 {
                sink(&own);
                return Ok(());
            }
            let Some(all) = gather_values(&**self.team.ranks(), &own)? else { return Ok(()) };
            let mut ranks: Vec<_> = all.iter().map(|values| values.chunks_exact(field.components())).collect();
            let of_node =
                |&place| ranks[self.team.rank_of(self.owner(phase, place))].next().expect("values of each node");
            sink(&places.iter().flat_map(of_node).copied().collect::<Vec<T>>());
            Ok(())
        })
    }

    /// Replaces a field by the values of `source` on the first rank, in the order of [`Self::save_field`].
    pub(crate) fn restore_field(&mut self, field: Field, source: &mut dyn FnMut(&mut [T])) -> Result<(), Failure> {
        let (components, phase) = (field.components(), field.phase());
        let mut values: Vec<Vec<T>> =
            self.parts.iter().map(|part| vec![T::default(); components * part.numbers(phase)]).collect();
        self.plan.in_canonical_order(phase, |places| -> Result<(), Failure> {
            let block = broadcast_next(&**self.team.ranks(), components * places.len(), source)?;
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
