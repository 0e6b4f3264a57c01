//! The fields of a phase on a patch, and a time step of it. `shared_nodes.rs` contains those of the shared nodes.
//!
//! Both phases have the same equation of motion, M d²q/dt² = F: in a solid q is the displacement, in a fluid the potential χ.

use craton_device::{Isa, Scalar, prefetch};
use craton_sem_kernels::{ElementData, Memory, Phase, Pml, Scratch};
use craton_sim::History;

use crate::kernels::Kernels;
use crate::levels::Order;
use crate::patch_substeps::PatchSubsteps;
use crate::substeps::Tick;

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
    /// dt / mass of the inner nodes, one value per node; dt is that of a substep.
    pub dt_over_mass: Vec<T>,
    /// Substeps of the patch, if it has any.
    pub substeps: Option<PatchSubsteps<T>>,
    /// Forces of this patch on the shared nodes, in the mean over the substeps so far of a substep of the node.
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
    /// * `level` – level of the patch, and of each shared node of its phase
    /// * `dt` – time step of the run [s]
    pub fn new(
        (elements, memory, count): (ElementData<T>, Memory<T>, usize),
        shared: Vec<u32>,
        mass: &[f64],
        sources: Vec<PatchSource<T>>,
        (order, level, of_shared): (Order, u8, &[u8]),
        dt: f64,
    ) -> Self {
        let width = width(elements.rheology.phase());
        // Written explicitly: the system maps a zeroed page twice if it is read before it is written.
        let at_rest = || std::iter::repeat_n(T::default(), width * mass.len()).collect();
        let substep = dt / f64::from(1 << level);
        let sizes = [width, width * mass.len(), memory.variables.len()];
        Self {
            substeps: PatchSubsteps::new(
                (order, level),
                dt,
                shared.iter().map(|&node| of_shared[node as usize]),
                sizes,
            ),
            memory,
            elements,
            count,
            u: at_rest(),
            v: at_rest(),
            dt_over_mass: mass.iter().map(|m| T::from_f64(substep / m)).collect(),
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
        match self.substeps.take() {
            None => {
                self.add_forces(with, scratch);
                self.add_sources::<W>(with, scratch);
                self.move_inner::<W>(with.dt, scratch);
            }
            Some(mut substeps) => {
                let substep = with.tick.of_level(substeps.level());
                substeps.hold(substep, &mut self.memory);
                self.add_forces(with, scratch);
                substeps.release(substep, &mut self.memory);
                self.add_sources::<W>(with, scratch);
                let forces = scratch.force.as_flattened().as_chunks::<W>().0;
                substeps.move_inner(substep, [&mut self.u, &mut self.v], &self.dt_over_mass, forces);
                let forces = self.surface_of::<W>(scratch).as_chunks_mut().0;
                substeps.take_means(substep, self.force.as_chunks::<W>().0, forces);
                self.substeps = Some(substeps);
            }
        }
        let surface = self.surface_of::<W>(scratch);
        self.force.copy_from_slice(surface);
    }

    /// The forces on the shared nodes.
    fn surface_of<'a, const W: usize>(&self, scratch: &'a mut Scratch<T>) -> &'a mut [T] {
        let inner = self.u.len();
        &mut scratch.force.as_flattened_mut()[inner..inner + W * self.shared.len()]
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
    /// The substep of the step.
    pub tick: Tick,
    /// Histories of the sources, one value per step.
    pub histories: &'a [History<T>],
}
