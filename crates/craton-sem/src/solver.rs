//! What a run asks of spectral elements, wherever and on however many devices they compute.

use craton_device::{Scalar, Workers};
use craton_mesh::HexMesh;
use craton_numerics::gll::Gll;
use craton_sim::Operator;

use crate::error::Failure;
use crate::fields::{Field, NodePlace};
use crate::selection::{Selected, Selection, Values};

/// Spectral elements in motion: displacement at whole steps, velocity at half steps.
///
/// Elements, and what is asked about them, stand in the order of [`Solver::mesh`]. A saved field knows no such order: see [`Solver::save`].
/// Where several ranks compute, the first alone asks, and the others serve: see [`Solver::serve`].
pub trait Solver<T: Scalar>: Operator<Error = Failure> + Send + Sync {
    /// The mesh, its elements in the order of the solver.
    fn mesh(&self) -> &HexMesh;

    /// The one-dimensional points of an element.
    fn gll(&self) -> &Gll;

    /// Time step [s].
    fn dt(&self) -> f64;

    /// The team that computes on the host.
    fn workers(&self) -> &Workers;

    /// Number of distinct nodes.
    fn n_nodes(&self) -> usize;

    /// Bytes that this process holds where it computes, without sources and samples.
    fn bytes(&self) -> usize;

    /// Samples since the last call, `[step][channel]`: velocity [m/s] half a step before each whole step, or its gradient [1/s],
    /// probe by probe.
    ///
    /// # Errors
    /// [`Failure::Device`], [`Failure::Ranks`].
    fn take_samples(&mut self) -> Result<Vec<T>, Failure>;

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

    /// Hands over a field at all nodes, some at a time, in the order in which the elements of the mesh as it was made first touch them: the same
    /// for every way to cut the elements into patches and parts, and for every device.
    ///
    /// # Errors
    /// [`Failure::Device`], [`Failure::Ranks`].
    fn save(&self, field: Field, sink: &mut dyn FnMut(&[[T; 3]])) -> Result<(), Failure>;

    /// Takes a field back that was saved; [`Solver::restore_step`] completes it.
    ///
    /// # Arguments
    /// * `source` – fills what it is given with the next nodes
    /// # Errors
    /// [`Failure::Device`], [`Failure::Ranks`].
    fn restore(&mut self, field: Field, source: &mut dyn FnMut(&mut [[T; 3]])) -> Result<(), Failure>;

    /// Says how many steps the restored state has behind it.
    ///
    /// # Errors
    /// [`Failure::Device`], [`Failure::Ranks`].
    fn restore_step(&mut self, step: u64) -> Result<(), Failure>;

    /// Does what the first rank asks for, until it has no more questions; for all ranks but the first.
    ///
    /// # Errors
    /// [`Failure::Device`], [`Failure::Ranks`].
    fn serve(&mut self) -> Result<(), Failure>;
}
