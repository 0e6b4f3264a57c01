//! Closed fluids: those without a free surface.
//!
//! Only the gradient and the second time derivative of the potential χ are physical there, so the solver may subtract any constant from χ. A permanent pressure
//! change p makes χ grow as -p t²/2, and its round-off error would soon exceed the changes caused by waves. The solver therefore subtracts the potential of a
//! reference node every [`INTERVAL`] steps; the rate of χ is unchanged.

use std::collections::HashMap;
use std::sync::Arc;

use bytemuck::{Pod, Zeroable};
use craton_comm::CommError;
use craton_device::Scalar;
use craton_mesh::Numbering;
use craton_sem_kernels::Phase;
use craton_sim::Failure;

use crate::fields::Field;
use crate::part::Part;
use crate::part_set::PartSet;
use crate::plan::Plan;
use crate::team::Team;

/// Number of steps between two subtractions.
pub(crate) const INTERVAL: u64 = 32;
/// Largest number of closed fluids; the potentials of further closed fluids are not reduced.
const MOST: usize = u8::MAX as usize;

/// The fluid elements of a plan in pieces: sets of elements of one tile that share corners. Every process with the tile finds the same pieces.
pub(crate) struct FluidPieces {
    /// Piece of each fluid element of the plan.
    of_element: Vec<u32>,
    pieces: Vec<Piece>,
    /// First element of each piece, by key.
    first: Vec<u32>,
    /// Keys of pieces that share corners.
    links: Vec<[u64; 2]>,
}

/// A piece of a fluid.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Piece {
    /// Smallest key of its elements.
    key: u64,
    /// Part of the element with this key; unknown in a plan.
    part: u32,
    /// Whether the potential of one of its nodes is fixed.
    is_open: u32,
}

impl FluidPieces {
    /// Finds the pieces of a mesh.
    ///
    /// # Arguments
    /// * `key` – key of each element
    /// * `is_fixed` – whether the potential of each node is fixed
    pub fn new(numbering: &Numbering, first_fluid: u32, key: impl Fn(u32) -> u64, is_fixed: &[bool]) -> Self {
        let n = numbering.degree + 1;
        let nodes = numbering.local_to_global[first_fluid as usize * n.pow(3)..].chunks_exact(n.pow(3));
        let key = |element: u32| key(first_fluid + element);
        let mut groups = Groups((0..nodes.len() as u32).collect());
        let mut at_corner: HashMap<(u32, u64), u32> = HashMap::new();
        let corners = |nodes: &[u32]| -> [u32; 8] {
            std::array::from_fn(|corner| {
                let [i, j, k] = [corner & 1, corner >> 1 & 1, corner >> 2].map(|end| end * (n - 1));
                nodes[i + n * (j + n * k)]
            })
        };
        for (element, nodes) in (0..).zip(nodes.clone()) {
            for corner in corners(nodes) {
                groups.join(element, *at_corner.entry((corner, key(element) >> 32)).or_insert(element));
            }
        }
        let mut numbers: HashMap<u32, u32> = HashMap::new();
        let (mut of_element, mut pieces, mut first) = (Vec::new(), Vec::<Piece>::new(), Vec::new());
        for (element, nodes) in (0..).zip(nodes) {
            let number = *numbers.entry(groups.first(element)).or_insert(pieces.len() as u32);
            if number as usize == pieces.len() {
                pieces.push(Piece { key: u64::MAX, part: 0, is_open: 0 });
                first.push(0);
            }
            of_element.push(number);
            let piece = &mut pieces[number as usize];
            piece.is_open |= u32::from(nodes.iter().any(|&node| is_fixed[node as usize]));
            if key(element) < piece.key {
                (piece.key, first[number as usize]) = (key(element), first_fluid + element);
            }
        }
        let mut links: Vec<(u32, u64)> = at_corner
            .into_iter()
            .map(|((corner, _), element)| (corner, pieces[of_element[element as usize] as usize].key))
            .collect();
        links.sort_unstable();
        let pairs = links.windows(2).filter(|pair| pair[0].0 == pair[1].0 && pair[0].1 != pair[1].1);
        let mut links: Vec<[u64; 2]> = pairs.map(|pair| [pair[0].1, pair[1].1]).collect();
        links.sort_unstable();
        links.dedup();
        Self { of_element, pieces, first, links }
    }
}

/// The closed fluids of the meshes of all processes.
pub(crate) struct ClosedFluids {
    references: Vec<Reference>,
    /// For each fluid element of the plan, the number of its closed fluid from 1, or 0 in other fluids.
    of_element: Vec<u8>,
    first_fluid: u32,
}

/// The element of a closed fluid whose first node is the reference.
struct Reference {
    part: usize,
    /// Its number in the plan, if the plan contains it.
    element: Option<u32>,
}

impl ClosedFluids {
    /// Finds fluids of which no node has a fixed potential. Every rank must call it.
    ///
    /// # Errors
    /// A rank that is lost.
    pub fn new(plan: &Plan, team: &Team) -> Result<Self, CommError> {
        let FluidPieces { of_element, pieces, first, links } = &plan.fluids;
        let part = |&element: &u32| team.parts().of_element(plan, element) as u32;
        let own: Vec<Piece> =
            pieces.iter().zip(first).map(|(piece, first)| Piece { part: part(first), ..*piece }).collect();
        let mut all: Vec<Piece> = team.values_of_all(&own)?;
        all.sort_unstable_by_key(|piece| piece.key);
        all.dedup_by_key(|piece| piece.key);
        let number = |key: u64| all.binary_search_by_key(&key, |piece| piece.key).expect("a known piece");
        let mut groups = Groups((0..all.len() as u32).collect());
        for [one, other] in team.values_of_all(links)? {
            groups.join(number(one) as u32, number(other) as u32);
        }
        let mut is_open = vec![false; all.len()];
        for (index, piece) in all.iter().enumerate() {
            is_open[groups.first(index as u32) as usize] |= piece.is_open > 0;
        }
        let mut references = Vec::new();
        let mut fluids = vec![0; all.len()];
        for (index, piece) in all.iter().enumerate() {
            let group = groups.first(index as u32) as usize;
            if group == index && !is_open[group] && references.len() < MOST {
                let here = pieces.iter().position(|own| own.key == piece.key);
                references.push(Reference { part: piece.part as usize, element: here.map(|own| first[own]) });
                fluids[group] = references.len() as u8;
            }
            fluids[index] = fluids[group];
        }
        let of_piece: Vec<u8> = pieces.iter().map(|piece| fluids[number(piece.key)]).collect();
        let of_element = of_element.iter().map(|&piece| of_piece[piece as usize]).collect();
        Ok(Self { references, of_element, first_fluid: plan.first_fluid })
    }

    /// Number of the closed fluid of each node of a part from 1, or 0, by the number of the node.
    fn of_nodes<T: Scalar>(&self, plan: &Plan, part: &impl Part<T>) -> Vec<u8> {
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
        let closed = match &self.closed {
            Some(closed) => Arc::clone(closed),
            None => Arc::clone(self.closed.insert(Arc::new(ClosedFluids::new(&self.plan, &self.team)?))),
        };
        if closed.references.is_empty() {
            return P::advance_all(&mut self.parts, &self.team, steps);
        }
        let last = self.parts[0].step() + steps;
        while self.parts[0].step() < last {
            let now = self.parts[0].step();
            P::advance_all(&mut self.parts, &self.team, (INTERVAL - now % INTERVAL).min(last - now))?;
            if self.parts[0].step().is_multiple_of(INTERVAL) {
                self.lower_potentials(&closed)?;
            }
        }
        Ok(())
    }

    fn lower_potentials(&mut self, closed: &ClosedFluids) -> Result<(), Failure> {
        if self.closed_fluids.is_empty() {
            self.closed_fluids = self.parts.iter().map(|part| closed.of_nodes(&self.plan, part)).collect();
        }
        let own = self.team.own();
        let mut values = Vec::new();
        for Reference { part, element } in closed.references.iter().filter(|of| own.contains(&of.part)) {
            let place = self.plan.places(element.expect("an element of this process")).next();
            let part = &self.parts[part - own.start];
            let place = part.own(Phase::Fluid).place_of(place.expect("an element has nodes"));
            values.push(part.value(Field::Potential, place.expect("a node of its element"))?);
        }
        let all: Vec<Vec<T>> = match self.team.ranks().count() {
            1 => vec![values],
            _ => {
                let all = self.team.ranks().all_gather(bytemuck::cast_slice(&values))?;
                all.iter().map(|bytes| bytemuck::pod_collect_to_vec(bytes)).collect()
            }
        };
        let mut of_ranks: Vec<_> = all.iter().map(|values| values.iter()).collect();
        let of_fluid = |of: &Reference| of_ranks[self.team.rank_of(of.part)].next().expect("a value of each fluid");
        let by: Vec<T> = [T::default()].into_iter().chain(closed.references.iter().map(of_fluid).copied()).collect();
        let parts = self.parts.iter_mut().zip(&self.closed_fluids);
        parts.into_iter().try_for_each(|(part, of_nodes)| part.lower_potential(of_nodes, &by))
    }
}
