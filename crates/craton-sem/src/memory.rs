//! Memory of an operator, by its use in a step.

use std::sync::Arc;

use craton_device::Scalar;
use craton_sem_kernels::Phase;

use crate::operator::SemOperator;
use crate::patch_substeps::PatchSubsteps;
use crate::shared_nodes::SharedState;
use crate::step::PatchState;

/// Memory of an operator in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Memory {
    /// Control nodes, materials and node tables of the elements: read once per step.
    pub elements: usize,
    /// Displacement, velocity and memory variables: read and written once per step.
    pub state: usize,
    /// Masses, and the damping of absorbing nodes: read once per step.
    pub masses: usize,
    /// Forces of patches on shared nodes: written and read once per step.
    pub sums: usize,
    /// Indices of shared nodes and of their contributions: read once per step.
    pub places: usize,
    /// The mesh and its nodes, used between steps.
    pub mesh: usize,
    /// Scratch of the threads, which stays in their caches.
    pub scratch: usize,
}

impl Memory {
    /// Total memory in bytes.
    pub fn total(&self) -> usize {
        self.elements + self.state + self.masses + self.sums + self.places + self.mesh + self.scratch
    }

    /// Lower bound of the memory traffic of a step in bytes, with ideal caches.
    pub fn traffic(&self) -> usize {
        self.elements + 2 * self.state + self.masses + 2 * self.sums + self.places
    }
}

impl<T: Scalar> SemOperator<T> {
    /// Memory of the operator, without sources and samples.
    pub fn memory(&self) -> Memory {
        let of_patches = |bytes: fn(&PatchState<T>) -> usize| -> usize {
            self.phases.iter().flat_map(|phase| &phase.patches).map(bytes).sum()
        };
        let of_shared = |bytes: fn(&SharedState<T>) -> usize| -> usize {
            self.phases.iter().map(|phase| bytes(&phase.shared)).sum()
        };
        // A single part shares the layouts of the plan, which must not be counted twice.
        let is_of_plan = |phase: Phase| Arc::ptr_eq(&self.of(phase).own.layout, &self.plan.of(phase).layout);
        let layout = |phase: Phase| self.of(phase).own.layout.bytes();
        let places = Phase::ALL.map(layout).iter().sum();
        let counted: usize = Phase::ALL.into_iter().filter(|&phase| is_of_plan(phase)).map(layout).sum();
        Memory {
            elements: of_patches(|patch| patch.elements.bytes()),
            state: self.state().into_iter().map(size_of_val).sum::<usize>()
                + of_patches(|patch| patch.memory.bytes())
                + of_patches(|patch| patch.substeps.as_ref().map_or(0, PatchSubsteps::bytes)),
            masses: of_patches(|patch| size_of_val(&patch.dt_over_mass[..]))
                + of_shared(|shared| size_of_val(&shared.dt_over_mass[..]) + size_of_val(&shared.absorbing[..])),
            sums: of_patches(|patch| size_of_val(&patch.force[..]))
                + of_shared(|shared| size_of_val(&shared.change[..])),
            places,
            mesh: self.plan.bytes() - counted,
            scratch: self.scratches.iter().map(|scratch| scratch.lock().map_or(0, |scratch| scratch.bytes())).sum(),
        }
    }
}
