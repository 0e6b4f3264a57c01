//! What is asked of spectral elements beyond what a run asks of any method.

use craton_device::Scalar;
use craton_mesh::HexMesh;
use craton_numerics::gll::Gll;
use craton_sim::Failure;

use crate::fields::{Field, NodePlace};
use crate::selection::{Selected, Selection, Values};

/// Spectral elements in motion: displacement at whole steps, velocity at half steps.
///
/// Elements, and what is asked about them, stand in the order of [`Solver::mesh`]. The saved state, displacement and velocity, knows no such
/// order: its nodes stand as the elements of the mesh as it was made first touch them, the same for every way to cut the elements into
/// patches and parts, and for every device.
pub trait Solver<T: Scalar>: craton_sim::Solver<T> {
    /// The mesh, its elements in the order of the solver.
    fn mesh(&self) -> &HexMesh;

    /// The one-dimensional points of an element.
    fn gll(&self) -> &Gll;

    /// Bytes that this process holds where it computes, without sources and samples.
    fn bytes(&self) -> usize;

    /// Where the fields of all points of an element stand, lexicographic.
    fn places(&self, element: u32) -> Vec<NodePlace>;

    /// Makes ready to read the same places again and again.
    ///
    /// # Errors
    /// [`Failure::Device`]: too little memory; [`Failure::Ranks`].
    fn select(&self, what: Selection) -> Result<Selected<T>, Failure>;

    /// A field at the places of a selection of this solver, all at this step.
    ///
    /// # Errors
    /// [`Failure::Device`], [`Failure::Ranks`].
    fn read<'a>(&'a self, selected: &'a Selected<T>, field: Field) -> Result<Values<'a, T>, Failure>;
}
