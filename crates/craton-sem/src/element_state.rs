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
        let patches = |phase: Phase| self.of(phase).rheologies.iter().zip(&self.of(phase).layout.patches);
        let all = Phase::ALL.into_iter().flat_map(patches);
        all.map(|(rheology, nodes)| rheology.memory(along) * nodes.elements.len()).sum()
    }
}

impl<T: Scalar, P: Part<T>> PartSet<T, P> {
    /// The part that contains an element.
    fn part_of(&self, element: u32) -> usize {
        self.team.parts().of_element(&self.plan, element)
    }

    /// The elements with memory, in the order of the original mesh.
    fn elements_with_memory(&self) -> Vec<u32> {
        let position = self.plan.position.iter().copied();
        position.filter(|&element| self.plan.memory_of_element(element) > 0).collect()
    }

    /// Part of this process, patch in the part, counted over both phases, and range in the memory of the patch of an element; `None` if it belongs to another
    /// process.
    fn place_in_memory(&self, element: u32) -> Option<(usize, usize, std::ops::Range<usize>)> {
        let part = self.part_of(element).checked_sub(self.team.own().start)?;
        let phase = self.plan.phase_of(element);
        let own = self.parts.get(part)?;
        let (patch, within) = own.own(phase).patch_of(element)?;
        let before = if phase == Phase::Fluid { own.own(Phase::Solid).patches.len() } else { 0 };
        let patch = before + patch;
        let length = self.plan.memory_of_element(element);
        Some((part, patch, within * length..(within + 1) * length))
    }

    /// Passes the memory of all elements to `sink` on the first rank, `[element][variable]` in the element order of the original mesh.
    pub(crate) fn save_memory(&mut self, sink: &mut dyn FnMut(&[T])) -> Result<(), Failure> {
        let memories = self.parts.iter_mut().map(Part::element_memory).collect::<Result<Vec<_>, Failure>>()?;
        for block in self.elements_with_memory().chunks(BLOCK) {
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
        for block in self.elements_with_memory().chunks(BLOCK) {
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
