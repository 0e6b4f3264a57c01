//! Memory of an operator, by its use in a step.

use std::sync::Arc;

use craton_device::Scalar;

use crate::operator::SemOperator;

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
        let shared = &self.shared;
        // A single part shares the layout of the plan, which must not be counted twice.
        let places = self.own.layout.bytes();
        let counted = if Arc::ptr_eq(&self.own.layout, &self.plan.layout) { places } else { 0 };
        Memory {
            elements: self.patches.iter().map(|patch| patch.elements.bytes()).sum(),
            state: self.state().into_iter().map(size_of_val).sum::<usize>()
                + self.patches.iter().map(|patch| patch.memory.bytes()).sum::<usize>(),
            masses: self.patches.iter().map(|patch| size_of_val(&patch.dt_over_mass[..])).sum::<usize>()
                + size_of_val(&shared.dt_over_mass[..])
                + size_of_val(&shared.absorbing[..]),
            sums: self.patches.iter().map(|patch| size_of_val(&patch.force[..])).sum(),
            places,
            mesh: self.plan.bytes() - counted,
            scratch: self.scratches.iter().map(|scratch| scratch.lock().map_or(0, |scratch| scratch.bytes())).sum(),
        }
    }
}
