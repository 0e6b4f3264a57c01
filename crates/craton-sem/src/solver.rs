//! The part of the solver interface that is specific to spectral elements.

use craton_device::Scalar;
use craton_mesh::HexMesh;
use craton_numerics::gll::Gll;
use craton_sem_kernels::Phase;
use craton_sim::Failure;

use crate::fields::{Field, NodePlace};
use crate::selection::{Selected, Selection, Values};

/// Solver of spectral elements: displacement at whole steps, velocity at half steps.
///
/// Element numbers refer to [`Solver::mesh`]. The saved state is independent of this order: its nodes are in the order of their first occurrence in the
/// original mesh, for any patches, parts and devices.
pub trait Solver<T: Scalar>: craton_sim::Solver<T> {
    /// The mesh, with its elements in the order of the solver.
    fn mesh(&self) -> &HexMesh;

    /// The Gauss-Lobatto-Legendre rule of the elements.
    fn gll(&self) -> &Gll;

    /// Bytes that this process holds on its devices, without sources and samples.
    fn bytes(&self) -> usize;

    /// The phase of an element.
    fn phase_of(&self, element: u32) -> Phase;

    /// Locations of the nodes of an element among those of its phase, in lexicographic order of its points.
    fn places(&self, element: u32) -> Vec<NodePlace>;

    /// Prepares a selection for repeated reading.
    ///
    /// # Errors
    /// [`Failure::Device`]: too little memory; [`Failure::Ranks`].
    fn select(&self, what: Selection) -> Result<Selected<T>, Failure>;

    /// Reads a field at a selection of this solver, at the current step.
    ///
    /// # Errors
    /// [`Failure::Device`], [`Failure::Ranks`].
    fn read<'a>(&'a self, selected: &'a Selected<T>, field: Field) -> Result<Values<'a, T>, Failure>;
}
