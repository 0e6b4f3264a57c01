//! The fields of solids, on a patch and on the shared nodes, and a time step of each.
//!
//! This file, the sources and the kernels know that the equation of motion of a solid has three unknowns per node. The rest of the crate takes their
//! number from [`Field::components`](crate::Field::components), so that fluids can be added next to solids.

use std::sync::Arc;

use craton_device::{Isa, Scalar, prefetch};
use craton_physics::{Isotropic, Law};
use craton_sem_kernels::{ElementData, Memory, Scratch};

use crate::kernels::Kernels;
use crate::layout::Layout;

/// Number of unknowns at each node: the components of displacement.
pub const COMPONENTS: usize = Isotropic::COMPONENTS;

/// Three components of a node and one of padding, so that a node is a single vector load.
pub type Node<T> = [T; 4];

/// The fields on the inner nodes of a patch, and the contributions of the patch to the forces on shared nodes.
pub struct PatchState<T: Scalar> {
    /// Its elements.
    pub elements: ElementData<T>,
    /// Number of its elements.
    pub count: usize,
    /// Memory variables of its elements.
    pub memory: Memory<T>,
    /// Shared number of each local node after the inner ones.
    pub shared: Vec<u32>,
    /// Displacement of the inner nodes at the whole step [m].
    pub u: Vec<Node<T>>,
    /// Velocity of the inner nodes half a step earlier [m/s].
    pub v: Vec<Node<T>>,
    /// dt / mass of the inner nodes [s/kg].
    pub dt_over_mass: Vec<T>,
    /// Forces of this patch on the shared nodes [N].
    pub force: Vec<Node<T>>,
    /// Sources in this patch.
    pub sources: Vec<PatchSource<T>>,
}

/// A point source in a patch.
pub struct PatchSource<T> {
    /// Index of its history.
    pub history: usize,
    /// (local node, force [N] for a unit history).
    pub nodes: Vec<(u16, [T; 3])>,
}

impl<T: Scalar> PatchState<T> {
    /// Creates the state at rest.
    ///
    /// # Arguments
    /// * `count` – number of its elements; lanes beyond them hold copies of the last element
    /// * `memory` – memory variables of the elements at rest
    /// * `shared` – shared number of each local node after the inner ones
    /// * `mass` – mass of the inner nodes [kg]
    /// * `dt` – time step [s]
    pub fn new(
        (elements, memory, count): (ElementData<T>, Memory<T>, usize),
        shared: Vec<u32>,
        mass: &[f64],
        sources: Vec<PatchSource<T>>,
        dt: f64,
    ) -> Self {
        // Written explicitly: the system maps a zeroed page twice if it is read before it is written.
        let at_rest = || std::iter::repeat_n([T::default(); 4], mass.len()).collect();
        Self {
            memory,
            elements,
            count,
            u: at_rest(),
            v: at_rest(),
            dt_over_mass: mass.iter().map(|m| T::from_f64(dt / m)).collect(),
            force: vec![[T::default(); 4]; shared.len()],
            shared,
            sources,
        }
    }

    /// Advances one step: computes the forces of elements and sources, updates the inner nodes, and stores the force sums on shared nodes.
    pub fn advance(&mut self, with: &Step<T>, shared: &[Node<T>], scratch: &mut Scratch<T>) {
        self.stage(shared, scratch);
        self.add_forces(with, scratch);
        self.add_sources(with, scratch);
        self.move_inner(with.dt, scratch);
        let inner = self.u.len();
        self.force.copy_from_slice(&scratch.force[inner..inner + self.shared.len()]);
    }

    /// Indices of the memory variables of all its elements, `[element][relaxing point][mechanism][variable]`.
    pub fn memory_places(&self, isa: Isa) -> impl Iterator<Item = usize> + use<T> {
        let lanes = T::lanes(isa);
        let per_element = self.memory.variables.len() / (self.elements.batches * lanes);
        (0..self.count * per_element).map(move |at| {
            let (element, row) = (at / per_element, at % per_element);
            (element / lanes * per_element + row) * lanes + element % lanes
        })
    }

    /// Gathers the displacement of all local nodes and clears their forces.
    fn stage(&self, shared: &[Node<T>], scratch: &mut Scratch<T>) {
        let inner = self.u.len();
        let end = inner + self.shared.len();
        scratch.displacement[..inner].copy_from_slice(&self.u);
        for (local, &node) in scratch.displacement[inner..end].iter_mut().zip(&self.shared) {
            *local = shared[node as usize];
        }
        // Includes the spare node, which unused lanes of the last batch read and write.
        scratch.force[..=end].fill([T::default(); 4]);
        scratch.displacement[end] = [T::default(); 4];
    }

    /// Adds the forces of the elements, batch by batch, and prefetches the velocities and masses for the update that follows.
    fn add_forces(&mut self, with: &Step<T>, scratch: &mut Scratch<T>) {
        let batches = self.elements.batches;
        let part = self.v.len().div_ceil(batches.max(1)).max(1);
        let kernel = with.kernels.of(self.elements.rheology);
        let (mut velocities, mut masses) = (self.v.chunks(part), self.dt_over_mass.chunks(part));
        for batch in 0..batches {
            prefetch(velocities.next().unwrap_or_default());
            prefetch(masses.next().unwrap_or_default());
            kernel.add_forces(with.isa, &self.elements, &mut self.memory, batch..batch + 1, scratch);
        }
    }

    fn add_sources(&self, with: &Step<T>, scratch: &mut Scratch<T>) {
        for source in &self.sources {
            let amplitude = with.histories[source.history][with.step];
            for (node, weight) in &source.nodes {
                let force = &mut scratch.force[usize::from(*node)];
                for c in 0..3 {
                    force[c] = force[c] + amplitude * weight[c];
                }
            }
        }
    }

    fn move_inner(&mut self, dt: T, scratch: &Scratch<T>) {
        let nodes = self.u.iter_mut().zip(&mut self.v).zip(&self.dt_over_mass).zip(scratch.force.iter());
        for (((u, v), &scale), force) in nodes {
            for c in 0..4 {
                v[c] = (v[c] + scale * force[c]).without_negligible();
                u[c] = (u[c] + dt * v[c]).without_negligible();
            }
        }
    }
}

/// Inputs of a step that all patches share.
pub struct Step<'a, T: Scalar> {
    /// The element kernels.
    pub kernels: &'a Kernels<T>,
    /// Their instruction set.
    pub isa: Isa,
    /// Time step [s].
    pub dt: T,
    /// Number of the step.
    pub step: usize,
    /// Histories of the sources, one value per step.
    pub histories: &'a [Vec<T>],
}

/// The fields on the shared nodes.
pub struct SharedState<T: Scalar> {
    /// Displacement at the whole step [m].
    pub u: Vec<Node<T>>,
    /// Velocity half a step earlier [m/s].
    pub v: Vec<Node<T>>,
    /// dt / mass [s/kg].
    pub dt_over_mass: Vec<T>,
    /// First node on an absorbing boundary; all later ones are, too.
    pub first_absorbing: usize,
    /// Damping of the nodes on absorbing boundaries.
    pub absorbing: Vec<AbsorbingNode<T>>,
    /// Contributions to each shared node.
    pub layout: Arc<Layout>,
    /// Force sums received from other parts, in message order [N].
    pub received: Vec<Node<T>>,
}

impl<T: Scalar> SharedState<T> {
    /// Number of shared nodes.
    pub fn len(&self) -> usize {
        self.layout.shared
    }

    /// Creates the state at rest.
    ///
    /// # Arguments
    /// * `mass` – mass of all shared nodes [kg]
    /// * `damping` – damping of the nodes on absorbing boundaries [kg/s], xx, yy, zz, yz, xz, xy
    /// * `received` – number of sums that are received from other parts
    /// * `dt` – time step [s]
    pub fn new(layout: Arc<Layout>, mass: &[f64], damping: &[[f64; 6]], received: usize, dt: f64) -> Self {
        let absorbing = mass[layout.first_absorbing..].iter().zip(damping);
        Self {
            u: vec![[T::default(); 4]; mass.len()],
            v: vec![[T::default(); 4]; mass.len()],
            dt_over_mass: mass.iter().map(|m| T::from_f64(dt / m)).collect(),
            first_absorbing: layout.first_absorbing,
            absorbing: absorbing.map(|(mass, damping)| AbsorbingNode::new(*mass, *damping, dt)).collect(),
            received: vec![[T::default(); 4]; received],
            layout,
        }
    }
}

/// Paraxial damping at a node: (M + dt/2 C) dv/dt = f - C v.
#[derive(Debug, Clone, Copy)]
pub struct AbsorbingNode<T> {
    /// C [kg/s], xx, yy, zz, yz, xz, xy.
    pub damping: [T; 6],
    /// dt (M + dt/2 C)^-1 [s/kg], xx, yy, zz, yz, xz, xy.
    pub dt_over_mass: [T; 6],
}

/// A range of shared nodes that one thread updates.
pub struct SharedBlock<'a, T> {
    /// First node.
    pub start: usize,
    /// Displacement.
    pub u: &'a mut [Node<T>],
    /// Velocity.
    pub v: &'a mut [Node<T>],
}

/// Inputs of the update of the shared nodes, apart from their fields.
pub struct SharedForces<'a, T: Scalar> {
    /// All patches, with their forces on shared nodes.
    pub patches: &'a [PatchState<T>],
    /// As in [`SharedState`].
    pub dt_over_mass: &'a [T],
    /// As in [`SharedState`].
    pub first_absorbing: usize,
    /// As in [`SharedState`].
    pub absorbing: &'a [AbsorbingNode<T>],
    /// As in [`SharedState`].
    pub layout: &'a Layout,
    /// As in [`SharedState`].
    pub received: &'a [Node<T>],
    /// Time step [s].
    pub dt: T,
}

impl<T: Scalar> SharedForces<'_, T> {
    /// Updates a block. Forces of all patches, received ones included, are added in ascending patch order of the plan.
    pub fn advance(&self, block: SharedBlock<T>) {
        for (index, (u, v)) in block.u.iter_mut().zip(block.v).enumerate() {
            let node = block.start + index;
            let force = self.sum(node);
            let change = match node.checked_sub(self.first_absorbing) {
                None => force.map(|f| self.dt_over_mass[node] * f),
                Some(absorbing) => self.absorbing[absorbing].change_of_velocity(force, *v),
            };
            for c in 0..3 {
                v[c] = (v[c] + change[c]).without_negligible();
                u[c] = (u[c] + self.dt * v[c]).without_negligible();
            }
        }
    }

    fn sum(&self, node: usize) -> [T; 3] {
        let mut sum = [T::default(); 3];
        for &(patch, slot) in self.layout.contributions_of(node as u32) {
            let forces = self.patches.get(patch as usize).map_or(self.received, |patch| &patch.force);
            let force = &forces[slot as usize];
            sum = [sum[0] + force[0], sum[1] + force[1], sum[2] + force[2]];
        }
        sum
    }
}

impl<T: Scalar> AbsorbingNode<T> {
    /// Prepares a node with a mass [kg] and a damping [kg/s] for the time step `dt` [s]. A node with infinite mass is rigid.
    pub fn new(mass: f64, damping: [f64; 6], dt: f64) -> Self {
        let [xx, yy, zz, yz, xz, xy] = damping.map(|c| 0.5 * dt * c);
        let [a, b, c] = [mass + xx, mass + yy, mass + zz];
        let minors =
            [b * c - yz * yz, a * c - xz * xz, a * b - xy * xy, xy * xz - a * yz, xy * yz - b * xz, xz * yz - c * xy];
        let det = a * minors[0] + xy * minors[5] + xz * minors[4];
        let inverse = if mass.is_finite() { minors.map(|m| dt * m / det) } else { [0.0; 6] };
        Self { damping: damping.map(T::from_f64), dt_over_mass: inverse.map(T::from_f64) }
    }

    fn change_of_velocity(&self, force: [T; 3], v: Node<T>) -> [T; 3] {
        let damped = apply(&self.damping, [v[0], v[1], v[2]]);
        apply(&self.dt_over_mass, [force[0] - damped[0], force[1] - damped[1], force[2] - damped[2]])
    }
}

/// Product of a symmetric tensor (xx, yy, zz, yz, xz, xy) and a vector.
fn apply<T: Scalar>([xx, yy, zz, yz, xz, xy]: &[T; 6], [x, y, z]: [T; 3]) -> [T; 3] {
    [*xx * x + *xy * y + *xz * z, *xy * x + *yy * y + *yz * z, *xz * x + *yz * y + *zz * z]
}
