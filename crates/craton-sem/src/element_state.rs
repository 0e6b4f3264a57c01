//! Element state: the memory variables of the rheologies, saved and restored in the element order of the original mesh.

use craton_device::Scalar;
use craton_sem_kernels::Phase;
use craton_sim::{Failure, broadcast_next, gather_values};

use crate::part::Part;
use crate::part_set::PartSet;
use crate::plan::Plan;

/// Number of elements of a block.
const BLOCK: usize = 1 << 12;

impl Plan {
    /// Number of memory variables of an element.
    fn memory_of_element(&self, element: u32) -> usize {
        self.rheology_of(element).memory(self.gll.points.len())
    }

    /// Number of memory variables of all elements.
    pub fn memory_variables(&self) -> usize {
        let along = self.gll.points.len();
        let solid = self.of(Phase::Solid);
        let patches = solid.rheologies.iter().zip(&solid.layout.patches);
        patches.map(|(rheology, nodes)| rheology.memory(along) * nodes.elements.len()).sum()
    }
}

impl<T: Scalar, P: Part<T>> PartSet<T, P> {
    /// The part that contains an element.
    fn part_of(&self, element: u32) -> usize {
        self.team.parts().of_element(&self.plan, element)
    }

    /// The elements of the solid, in the order of the original mesh: fluids have no memory.
    fn solid_elements(&self) -> Vec<u32> {
        let position = self.plan.position.iter().copied();
        position.filter(|&element| self.plan.phase_of(element) == Phase::Solid).collect()
    }

    /// Part of this process, patch in the part, and range in the memory of the patch of an element of the solid; `None` if it belongs to another process.
    fn place_in_memory(&self, element: u32) -> Option<(usize, usize, std::ops::Range<usize>)> {
        let part = self.part_of(element).checked_sub(self.team.own().start)?;
        let (patch, within) = self.parts.get(part)?.own(Phase::Solid).patch_of(element)?;
        let length = self.plan.memory_of_element(element);
        Some((part, patch, within * length..(within + 1) * length))
    }

    /// Passes the memory of all elements to `sink` on the first rank, `[element][relaxing point][mechanism][variable]` in the element order of the original mesh.
    pub(crate) fn save_memory(&mut self, sink: &mut dyn FnMut(&[T])) -> Result<(), Failure> {
        let memories = self.parts.iter_mut().map(Part::element_memory).collect::<Result<Vec<_>, Failure>>()?;
        for block in self.solid_elements().chunks(BLOCK) {
            let places = block.iter().filter_map(|&element| self.place_in_memory(element));
            let own: Vec<T> = places.flat_map(|(part, patch, range)| memories[part][patch][range].to_vec()).collect();
            let Some(all) = gather_values(&**self.team.ranks(), &own)? else { continue };
            let mut ranks: Vec<_> = all.into_iter().map(Vec::into_iter).collect();
            let in_order = block.iter().flat_map(|&element| {
                let rank = self.team.rank_of(self.part_of(element));
                ranks[rank].by_ref().take(self.plan.memory_of_element(element)).collect::<Vec<T>>()
            });
            sink(&in_order.collect::<Vec<T>>());
        }
        Ok(())
    }

    /// Replaces the memory of all elements by values that `source` provides on the first rank, in the order of [`Self::save_memory`].
    pub(crate) fn restore_memory(&mut self, source: &mut dyn FnMut(&mut [T])) -> Result<(), Failure> {
        let mut memories = self.parts.iter_mut().map(Part::element_memory).collect::<Result<Vec<_>, Failure>>()?;
        for block in self.solid_elements().chunks(BLOCK) {
            let length = block.iter().map(|&element| self.plan.memory_of_element(element)).sum();
            let values = broadcast_next(&**self.team.ranks(), length, source)?;
            let mut rest = &values[..];
            for &element in block {
                let (own, after) = rest.split_at(self.plan.memory_of_element(element));
                rest = after;
                if let Some((part, patch, range)) = self.place_in_memory(element) {
                    memories[part][patch][range].copy_from_slice(own);
                }
            }
        }
        self.parts.iter_mut().zip(&memories).try_for_each(|(part, memory)| part.replace_element_memory(memory))
    }
}
