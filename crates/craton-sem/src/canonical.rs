//! The order of nodes that all solvers of one mesh share: by first touch over the elements as the mesh was made, lexicographic inside them.

use crate::fields::NodePlace;

/// Nodes handed over at a time.
const BLOCK: usize = 4096;

/// The nodes of a solver, and what they are to be brought into order by.
pub struct Canonical<'a, P, N> {
    /// Where each element of the mesh as it was made stands in the solver.
    pub position: &'a [u32],
    /// Places of the points of an element of the solver, lexicographic.
    pub places: P,
    /// A number of its own for each place ...
    pub number: N,
    /// ... below this one.
    pub numbers: usize,
}

impl<P, N> Canonical<'_, P, N>
where
    P: Fn(u32) -> Vec<NodePlace>,
    N: Fn(NodePlace) -> usize,
{
    /// Hands the values of all nodes over in order, some at a time.
    pub fn save<V>(&self, value: impl Fn(NodePlace) -> V, sink: &mut dyn FnMut(&[V])) {
        let mut block = Vec::with_capacity(BLOCK);
        self.visit(|place| {
            block.push(value(place));
            if block.len() == BLOCK {
                sink(&block);
                block.clear();
            }
        });
        sink(&block);
    }

    /// Gives all nodes, `count` of them, their values in order, some fetched at a time.
    pub fn restore<V: Copy + Default>(
        &self,
        count: usize,
        mut set: impl FnMut(NodePlace, V),
        source: &mut dyn FnMut(&mut [V]),
    ) {
        let (mut left, mut block) = (count, Vec::new().into_iter());
        self.visit(|place| {
            if block.len() == 0 {
                let mut next = vec![V::default(); BLOCK.min(left)];
                source(&mut next);
                left -= next.len();
                block = next.into_iter();
            }
            set(place, block.next().expect("as many nodes as were counted"));
        });
    }

    /// Every node once, in order.
    fn visit(&self, mut visit: impl FnMut(NodePlace)) {
        let mut touched = vec![0_u64; self.numbers.div_ceil(64)];
        for &element in self.position {
            for place in (self.places)(element) {
                let number = (self.number)(place);
                let (word, bit) = (&mut touched[number / 64], 1 << (number % 64));
                if *word & bit == 0 {
                    *word |= bit;
                    visit(place);
                }
            }
        }
    }
}
