//! Closed fluids: those without a free surface.
//!
//! Only the gradient and the second time derivative of the potential χ are physical there, so the solver may subtract any constant from χ. A permanent pressure
//! change p makes χ grow as -p t²/2, and its round-off error would soon exceed the changes caused by waves. The solver therefore subtracts the potential of a
//! reference node every [`INTERVAL`] steps; the rate of χ is unchanged.

use std::collections::HashMap;

use craton_device::Scalar;
use craton_mesh::Numbering;
use craton_sem_kernels::Phase;
use craton_sim::Failure;

use crate::fields::Field;
use crate::part::Part;
use crate::part_set::PartSet;
use crate::plan::Plan;

/// Number of steps between two subtractions.
pub(crate) const INTERVAL: u64 = 32;
/// Largest number of closed fluids; the potentials of further closed fluids are not reduced.
const MOST: usize = u8::MAX as usize;

/// The closed fluids of a mesh.
pub(crate) struct ClosedFluids {
    /// One reference element of each closed fluid.
    references: Vec<u32>,
    /// For each element of a fluid, the number of its closed fluid from 1, or 0 in other fluids.
    of_element: Vec<u8>,
    first_fluid: u32,
}

impl ClosedFluids {
    /// Finds fluids whose elements share corners, and of which no node has a fixed potential.
    ///
    /// # Arguments
    /// * `is_fixed` – whether the potential of each node is fixed
    pub fn new(numbering: &Numbering, first_fluid: u32, is_fixed: &[bool]) -> Self {
        let n = numbering.degree + 1;
        let nodes = numbering.local_to_global[first_fluid as usize * n.pow(3)..].chunks_exact(n.pow(3));
        let mut groups = Groups((0..nodes.len() as u32).collect());
        let mut at_corner = HashMap::new();
        for (element, nodes) in nodes.clone().enumerate() {
            for corner in 0..8 {
                let [i, j, k] = [corner & 1, corner >> 1 & 1, corner >> 2].map(|end| end * (n - 1));
                let other = *at_corner.entry(nodes[i + n * (j + n * k)]).or_insert(element as u32);
                groups.join(element as u32, other);
            }
        }
        let mut is_open = vec![false; nodes.len()];
        for (element, nodes) in nodes.clone().enumerate() {
            is_open[groups.first(element as u32) as usize] |= nodes.iter().any(|&node| is_fixed[node as usize]);
        }
        let mut references = Vec::new();
        let mut of_element = vec![0; nodes.len()];
        for element in 0..nodes.len() {
            let first = groups.first(element as u32) as usize;
            if first == element && !is_open[first] && references.len() < MOST {
                references.push(first_fluid + element as u32);
                of_element[element] = references.len() as u8;
            }
            of_element[element] = of_element[first];
        }
        Self { references, of_element, first_fluid }
    }

    /// Number of the closed fluid of each node of a part from 1, or 0, by the number of the node.
    pub fn of_nodes<T: Scalar>(&self, plan: &Plan, part: &impl Part<T>) -> Vec<u8> {
        let mut of_nodes = vec![0; part.numbers(Phase::Fluid)];
        for (element, &fluid) in (self.first_fluid..).zip(&self.of_element).filter(|(_, fluid)| **fluid > 0) {
            for place in plan.places(element) {
                if let Some(place) = part.own(Phase::Fluid).place_of(place) {
                    of_nodes[part.number_of(Phase::Fluid, place)] = fluid;
                }
            }
        }
        of_nodes
    }
}

/// Elements in groups; each refers to an earlier one of its group, or to itself.
struct Groups(Vec<u32>);

impl Groups {
    /// The first element of the group of an element.
    fn first(&mut self, element: u32) -> u32 {
        let before = self.0[element as usize];
        if before == element {
            return element;
        }
        let first = self.first(before);
        self.0[element as usize] = first;
        first
    }

    fn join(&mut self, one: u32, other: u32) {
        let [one, other] = [one, other].map(|element| self.first(element));
        self.0[one.max(other) as usize] = one.min(other);
    }
}

impl<T: Scalar, P: Part<T>> PartSet<T, P> {
    /// Advances, and lowers the potentials of closed fluids at each multiple of [`INTERVAL`].
    pub(crate) fn advance_and_lower(&mut self, steps: u64) -> Result<(), Failure> {
        if self.plan.closed.references.is_empty() {
            return P::advance_all(&mut self.parts, &self.team, steps);
        }
        let last = self.parts[0].step() + steps;
        while self.parts[0].step() < last {
            let now = self.parts[0].step();
            P::advance_all(&mut self.parts, &self.team, (INTERVAL - now % INTERVAL).min(last - now))?;
            if self.parts[0].step().is_multiple_of(INTERVAL) {
                self.lower_potentials()?;
            }
        }
        Ok(())
    }

    fn lower_potentials(&mut self) -> Result<(), Failure> {
        let closed = &self.plan.closed;
        if self.closed_fluids.is_empty() {
            self.closed_fluids = self.parts.iter().map(|part| closed.of_nodes(&self.plan, part)).collect();
        }
        let places =
            closed.references.iter().map(|&element| self.plan.places(element).next().expect("an element has nodes"));
        let owners: Vec<_> = places.map(|place| (place, self.owner(Phase::Fluid, place))).collect();
        let mut own = Vec::new();
        for &(place, owner) in owners.iter().filter(|(_, owner)| self.team.own().contains(owner)) {
            let part = &self.parts[owner - self.team.own().start];
            own.push(
                part.value(Field::Potential, part.own(Phase::Fluid).place_of(place).expect("a node of its owner"))?,
            );
        }
        let all = match self.team.ranks().count() {
            1 => vec![own],
            _ => self.team.ranks().all_gather(bytemuck::cast_slice(&own))?.iter().map(|bytes| values(bytes)).collect(),
        };
        let mut of_ranks: Vec<_> = all.iter().map(|values| values.iter()).collect();
        let of_fluid =
            |&(_, owner): &(_, usize)| of_ranks[self.team.rank_of(owner)].next().expect("a value of each fluid");
        let by: Vec<T> = [T::default()].into_iter().chain(owners.iter().map(of_fluid).copied()).collect();
        let parts = self.parts.iter_mut().zip(&self.closed_fluids);
        parts.into_iter().try_for_each(|(part, of_nodes)| part.lower_potential(of_nodes, &by))
    }
}

/// Values in the bytes of a message.
fn values<T: Scalar>(bytes: &[u8]) -> Vec<T> {
    bytes.chunks_exact(size_of::<T>()).map(bytemuck::pod_read_unaligned).collect()
}
