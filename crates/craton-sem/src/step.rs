//! The fields of a phase, on a patch and on the shared nodes, and a time step of each.
//!
//! Both phases have the same equation of motion, M d²q/dt² = F: in a solid q is the displacement, in a fluid the potential χ.

use std::sync::Arc;

use craton_device::{Isa, Scalar, prefetch};
use craton_sem_kernels::{ElementData, Memory, Phase, Pml, Scratch};
use craton_sim::History;

use crate::coupling::Coupling;
use crate::kernels::Kernels;
use crate::layout::Layout;

/// Three components of a node of a solid and one of padding, so that a node is a single vector load.
pub type Node<T> = [T; 4];

/// Number of values that the arrays of a phase hold for a node, including padding.
pub const fn width(phase: Phase) -> usize {
    match phase {
        Phase::Solid => 4,
        Phase::Fluid => 1,
    }
}

/// The fields on the inner nodes of a patch, and the contributions of the patch to the forces on shared nodes. All arrays have `width` values per node.
pub struct PatchState<T: Scalar> {
    /// Its elements.
    pub elements: ElementData<T>,
    /// Number of its elements.
    pub count: usize,
    /// Memory variables of its elements.
    pub memory: Memory<T>,
    /// Shared number of each local node after the inner ones.
    pub shared: Vec<u32>,
    /// Displacement [m] or potential [kg/m] of the inner nodes at the whole step.
    pub u: Vec<T>,
    /// Its rate at the inner nodes half a step earlier.
    pub v: Vec<T>,
    /// dt / mass of the inner nodes, one value per node.
    pub dt_over_mass: Vec<T>,
    /// Forces of this patch on the shared nodes.
    pub force: Vec<T>,
    /// Sources in this patch.
    pub sources: Vec<PatchSource<T>>,
}

/// A point source in a patch.
pub struct PatchSource<T> {
    /// Index of its history.
    pub history: usize,
    /// (local node, force for a unit history); a fluid uses the first component only.
    pub nodes: Vec<(u16, [T; 3])>,
}

impl<T: Scalar> PatchState<T> {
    /// Creates the state at rest.
    ///
    /// # Arguments
    /// * `count` – number of its elements; lanes beyond them hold copies of the last element
    /// * `memory` – memory variables of the elements at rest
    /// * `shared` – shared number of each local node after the inner ones
    /// * `mass` – mass of the inner nodes
    /// * `dt` – time step [s]
    pub fn new(
        (elements, memory, count): (ElementData<T>, Memory<T>, usize),
        shared: Vec<u32>,
        mass: &[f64],
        sources: Vec<PatchSource<T>>,
        dt: f64,
    ) -> Self {
        let width = width(elements.rheology.phase());
        // Written explicitly: the system maps a zeroed page twice if it is read before it is written.
        let at_rest = || std::iter::repeat_n(T::default(), width * mass.len()).collect();
        Self {
            memory,
            elements,
            count,
            u: at_rest(),
            v: at_rest(),
            dt_over_mass: mass.iter().map(|m| T::from_f64(dt / m)).collect(),
            force: vec![T::default(); width * shared.len()],
            shared,
            sources,
        }
    }

    /// Advances one step: computes the forces of elements and sources, updates the inner nodes, and stores the force sums on shared nodes.
    ///
    /// # Arguments
    /// * `shared` – displacement or potential of the shared nodes, and its rate
    pub fn advance(&mut self, with: &Step<T>, shared: [&[T]; 2], scratch: &mut Scratch<T>) {
        match self.elements.rheology.phase() {
            Phase::Solid => self.advance_with::<{ width(Phase::Solid) }>(with, shared, scratch),
            Phase::Fluid => self.advance_with::<{ width(Phase::Fluid) }>(with, shared, scratch),
        }
    }

    /// [`Self::advance`] for arrays with `W` values per node.
    fn advance_with<const W: usize>(&mut self, with: &Step<T>, [u, v]: [&[T]; 2], scratch: &mut Scratch<T>) {
        self.stage::<W>(&self.u, u, scratch.values.as_flattened_mut());
        if self.elements.rheology.pml != Pml::None {
            self.stage::<W>(&self.v, v, scratch.rates.as_flattened_mut());
        }
        self.clear::<W>(scratch);
        self.add_forces(with, scratch);
        self.add_sources::<W>(with, scratch);
        self.move_inner::<W>(with.dt, scratch);
        let inner = self.u.len();
        self.force.copy_from_slice(&scratch.force.as_flattened()[inner..inner + W * self.shared.len()]);
    }

    /// Indices of the memory variables of all its elements, `[element][variable]`.
    pub fn memory_places(&self, isa: Isa) -> impl Iterator<Item = usize> + use<T> {
        let lanes = T::lanes(isa);
        let per_element = self.memory.variables.len() / (self.elements.batches * lanes);
        (0..self.count * per_element).map(move |at| {
            let (element, row) = (at / per_element, at % per_element);
            (element / lanes * per_element + row) * lanes + element % lanes
        })
    }

    /// Gathers a field of all local nodes from the inner and the shared ones.
    fn stage<const W: usize>(&self, inner: &[T], shared: &[T], values: &mut [T]) {
        values[..inner.len()].copy_from_slice(inner);
        let outer = values[inner.len()..].as_chunks_mut::<W>().0;
        let shared = shared.as_chunks::<W>().0;
        for (local, &node) in outer.iter_mut().zip(&self.shared) {
            *local = shared[node as usize];
        }
        // The spare node, which unused lanes of the last batch read and write.
        outer[self.shared.len()] = [T::default(); W];
    }

    /// Clears the forces on all local nodes.
    fn clear<const W: usize>(&self, scratch: &mut Scratch<T>) {
        let end = self.u.len() + W * (self.shared.len() + 1);
        scratch.force.as_flattened_mut()[..end].fill(T::default());
    }

    /// Adds the forces of the elements, batch by batch, and prefetches the rates and masses for the update that follows.
    fn add_forces(&mut self, with: &Step<T>, scratch: &mut Scratch<T>) {
        let batches = self.elements.batches.max(1);
        let kernel = with.kernels.of(self.elements.rheology);
        let mut rates = self.v.chunks(self.v.len().div_ceil(batches).max(1));
        let mut masses = self.dt_over_mass.chunks(self.dt_over_mass.len().div_ceil(batches).max(1));
        for batch in 0..self.elements.batches {
            prefetch(rates.next().unwrap_or_default());
            prefetch(masses.next().unwrap_or_default());
            kernel.add_forces(with.isa, &self.elements, &mut self.memory, batch..batch + 1, scratch);
        }
    }

    fn add_sources<const W: usize>(&self, with: &Step<T>, scratch: &mut Scratch<T>) {
        let forces = scratch.force.as_flattened_mut().as_chunks_mut::<W>().0;
        for source in &self.sources {
            let amplitude = with.histories[source.history].at(with.step);
            if amplitude == T::default() {
                continue;
            }
            for (node, weight) in &source.nodes {
                for (force, &weight) in forces[usize::from(*node)].iter_mut().zip(weight) {
                    *force = *force + amplitude * weight;
                }
            }
        }
    }

    fn move_inner<const W: usize>(&mut self, dt: T, scratch: &Scratch<T>) {
        let (u, v) = (self.u.as_chunks_mut::<W>().0, self.v.as_chunks_mut::<W>().0);
        let forces = scratch.force.as_flattened().as_chunks::<W>().0;
        for (((u, v), &scale), force) in u.iter_mut().zip(v).zip(&self.dt_over_mass).zip(forces) {
            for c in 0..W {
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
    pub histories: &'a [History<T>],
}

/// The fields on the shared nodes of a phase, with [`width`] values per node.
pub struct SharedState<T: Scalar> {
    /// Displacement [m] or potential [kg/m] at the whole step.
    pub u: Vec<T>,
    /// Its rate half a step earlier.
    pub v: Vec<T>,
    /// dt times the second time derivative of the potential at the last step; empty in a solid.
    pub change: Vec<T>,
    /// dt / mass, one value per node.
    pub dt_over_mass: Vec<T>,
    /// First node on an absorbing boundary; all later ones are, too.
    pub first_absorbing: usize,
    /// Damping of the nodes on absorbing boundaries.
    pub absorbing: Vec<AbsorbingNode<T>>,
    /// Contributions to each shared node.
    pub layout: Arc<Layout>,
    /// Force sums received from other parts, in message order; a fluid uses the first component only.
    pub received: Vec<Node<T>>,
}

impl<T: Scalar> SharedState<T> {
    /// Creates the state at rest.
    ///
    /// # Arguments
    /// * `mass` – mass of all shared nodes
    /// * `damping` – damping of the nodes on absorbing boundaries, xx, yy, zz, yz, xz, xy
    /// * `received` – number of sums that are received from other parts
    /// * `dt` – time step [s]
    pub fn new(
        (layout, phase): (Arc<Layout>, Phase),
        mass: &[f64],
        damping: &[[f64; 6]],
        received: usize,
        dt: f64,
    ) -> Self {
        let absorbing = mass[layout.first_absorbing..].iter().zip(damping);
        Self {
            u: vec![T::default(); width(phase) * mass.len()],
            v: vec![T::default(); width(phase) * mass.len()],
            change: if phase == Phase::Fluid { vec![T::default(); mass.len()] } else { Vec::new() },
            dt_over_mass: mass.iter().map(|m| T::from_f64(dt / m)).collect(),
            first_absorbing: layout.first_absorbing,
            absorbing: absorbing.map(|(mass, damping)| AbsorbingNode::new(*mass, *damping, dt)).collect(),
            received: vec![[T::default(); 4]; received],
            layout,
        }
    }
}

/// Paraxial damping at a node: (M + dt/2 C) dv/dt = f - C v. In a fluid only the component xx is used.
#[derive(Debug, Clone, Copy)]
pub struct AbsorbingNode<T> {
    /// C, xx, yy, zz, yz, xz, xy.
    pub damping: [T; 6],
    /// dt (M + dt/2 C)^-1, xx, yy, zz, yz, xz, xy.
    pub dt_over_mass: [T; 6],
}

/// A range of shared nodes that one thread updates.
pub struct SharedBlock<'a, T> {
    /// First node.
    pub start: usize,
    /// Displacement or potential.
    pub u: &'a mut [T],
    /// Its rate.
    pub v: &'a mut [T],
    /// See [`SharedState::change`].
    pub change: &'a mut [T],
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
    /// The nodes at the other phase.
    pub coupling: &'a Coupling<T>,
    /// The field of the other phase that acts on this one: the displacement of the solid, or dt χ″ of the fluid.
    pub other: &'a [T],
    /// Time step [s].
    pub dt: T,
}

impl<T: Scalar> SharedForces<'_, T> {
    /// Updates a block of a solid. Forces of all patches, received ones included, are added in ascending patch order of the plan.
    pub fn advance_solid(&self, block: SharedBlock<T>) {
        const W: usize = width(Phase::Solid);
        let nodes = block.u.as_chunks_mut::<W>().0.iter_mut().zip(block.v.as_chunks_mut::<W>().0);
        let mut pushes = self.coupling.on_solid(block.start, self.other, self.dt);
        for (node, (u, v)) in (block.start..).zip(nodes) {
            let mut force = self.sum::<W>(node);
            if let Some(push) = pushes.at(node) {
                force.iter_mut().zip(push).for_each(|(force, push)| *force = *force + push);
            }
            let force = [force[0], force[1], force[2]];
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

    /// Updates a block of a fluid; see [`Self::advance_solid`].
    pub fn advance_fluid(&self, block: SharedBlock<T>) {
        let mut pushes = self.coupling.on_fluid(block.start, self.other);
        let nodes = block.u.iter_mut().zip(block.v).zip(block.change);
        for (node, ((u, v), change)) in (block.start..).zip(nodes) {
            let [mut force] = self.sum::<1>(node);
            if let Some(push) = pushes.at(node) {
                force = force + push;
            }
            *change = match node.checked_sub(self.first_absorbing) {
                None => self.dt_over_mass[node] * force,
                Some(absorbing) => {
                    let AbsorbingNode { damping, dt_over_mass } = &self.absorbing[absorbing];
                    dt_over_mass[0] * (force - damping[0] * *v)
                }
            };
            *v = (*v + *change).without_negligible();
            *u = (*u + self.dt * *v).without_negligible();
        }
    }

    /// Sum of the forces of all patches on a node.
    fn sum<const W: usize>(&self, node: usize) -> [T; W] {
        let mut sum = [T::default(); W];
        for &(patch, slot) in self.layout.contributions_of(node as u32) {
            let force: &[T] = match self.patches.get(patch as usize) {
                Some(patch) => &patch.force.as_chunks::<W>().0[slot as usize],
                None => &self.received[slot as usize][..W],
            };
            for c in 0..W {
                sum[c] = sum[c] + force[c];
            }
        }
        sum
    }
}

impl<T: Scalar> AbsorbingNode<T> {
    /// Prepares a node with a mass and a damping for the time step `dt` [s]. A node with infinite mass keeps its values.
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
