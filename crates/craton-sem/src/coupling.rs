//! Forces between the phases at wet nodes; see `wet.rs`.

use craton_device::Scalar;

use crate::step::width;
use crate::wet::WetNode;
use craton_sem_kernels::Phase;

/// The wet nodes of a part.
pub struct Coupling<T> {
    /// By fluid node.
    pairs: Vec<Pair<T>>,
    /// Indices of the pairs by solid node.
    by_solid: Vec<u32>,
}

/// A fluid and a solid node at the same position, with shared numbers of the part.
struct Pair<T> {
    fluid: u32,
    solid: u32,
    /// Area times the normal out of the fluid [m²].
    area: [T; 3],
}

/// Values at ascending nodes, one call per node.
pub struct Pushes<I: Iterator>(std::iter::Peekable<I>);

impl<P, I: Iterator<Item = (usize, P)>> Pushes<I> {
    /// The value at a node, if it is wet. Nodes must be given in ascending order.
    pub fn at(&mut self, node: usize) -> Option<P> {
        self.0.next_if(|(wet, _)| *wet == node).map(|(_, push)| push)
    }
}

impl<T: Scalar> Coupling<T> {
    /// The coupling of wet nodes with the shared numbers of the part.
    pub fn new(nodes: &[WetNode]) -> Self {
        let pair = |node: &WetNode| Pair { fluid: node.fluid, solid: node.solid, area: node.area.map(T::from_f64) };
        let mut pairs: Vec<Pair<T>> = nodes.iter().map(pair).collect();
        pairs.sort_unstable_by_key(|pair| pair.fluid);
        let mut by_solid: Vec<u32> = (0..pairs.len() as u32).collect();
        by_solid.sort_unstable_by_key(|&pair| pairs[pair as usize].solid);
        Self { pairs, by_solid }
    }

    /// Change of volume of the fluid nodes from `start` on: a · u [m³].
    ///
    /// # Arguments
    /// * `u` – displacement of the shared nodes of the solid
    pub fn on_fluid(&self, start: usize, u: &[T]) -> Pushes<impl Iterator<Item = (usize, T)>> {
        let u = u.as_chunks::<{ width(Phase::Solid) }>().0;
        let first = self.pairs.partition_point(|pair| (pair.fluid as usize) < start);
        let push = |pair: &Pair<T>| {
            let u = u[pair.solid as usize];
            (pair.fluid as usize, pair.area[0] * u[0] + pair.area[1] * u[1] + pair.area[2] * u[2])
        };
        Pushes(self.pairs[first..].iter().map(push).peekable())
    }

    /// Force of the fluid on the solid nodes from `start` on: -a χ″ [N].
    ///
    /// # Arguments
    /// * `change` – dt χ″ of the shared nodes of the fluid
    /// * `dt` – time step [s]
    pub fn on_solid(&self, start: usize, change: &[T], dt: T) -> Pushes<impl Iterator<Item = (usize, [T; 3])>> {
        let solid = |pair: u32| self.pairs[pair as usize].solid as usize;
        let first = self.by_solid.partition_point(|&pair| solid(pair) < start);
        let push = move |&pair: &u32| {
            let pair = &self.pairs[pair as usize];
            let pressure = -change[pair.fluid as usize] / dt;
            (pair.solid as usize, pair.area.map(|area| area * pressure))
        };
        Pushes(self.by_solid[first..].iter().map(push).peekable())
    }
}
