//! The interface of a part on any device.

use craton_device::Scalar;
use craton_sem_kernels::Phase;
use craton_sim::Failure;

use crate::fields::{Field, NodePlace};
use crate::gpu::DeviceCopy;
use crate::parts::PartLayout;
use crate::selection::PartSelection;
use crate::team::Team;

/// Passes the components of a field at a node of a part.
pub type Reader<'a, T> = Box<dyn Fn(NodePlace, &mut dyn FnMut(T)) + Sync + 'a>;

/// A part of the mesh that is advanced on one device.
///
/// Element numbers refer to the mesh of the plan, node locations to the part.
pub trait Part<T: Scalar>: Send + Sync {
    /// Patches, nodes and neighbours of a phase of the part.
    fn own(&self, phase: Phase) -> &PartLayout;

    /// Number of completed steps.
    fn step(&self) -> u64;

    /// Number of steps whose samples it can hold.
    fn longest_advance(&self) -> u64;

    /// Advances all parts of this process. Every rank must call it.
    ///
    /// # Errors
    /// A device that fails, a rank that is lost.
    fn advance_all(parts: &mut [Self], team: &Team, steps: u64) -> Result<(), Failure>
    where
        Self: Sized;

    /// Takes the samples of its own probes since the last call, `[step][channel]`.
    ///
    /// # Errors
    /// A device that fails.
    fn take_samples(&mut self) -> Result<Vec<T>, Failure>;

    /// A node of a phase whose displacement or potential is not finite, if there is one.
    ///
    /// # Errors
    /// A device that fails, in this call or in an earlier step.
    fn broken_place(&mut self, phase: Phase) -> Result<Option<NodePlace>, Failure>;

    /// Prepares access to single nodes of a field, which may copy the field from the device.
    ///
    /// # Errors
    /// A device that fails.
    fn reader(&self, field: Field) -> Result<Reader<'_, T>, Failure>;

    /// The first component of a field at a node.
    ///
    /// # Errors
    /// A device that fails.
    fn value(&self, field: Field, place: NodePlace) -> Result<T, Failure>;

    /// Subtracts from the potential at each node of the fluid the value of its closed fluid.
    ///
    /// # Arguments
    /// * `of_nodes` – index into `by` of each node, by [`Part::number_of`]; the same in every call
    /// * `by` – what is subtracted
    /// # Errors
    /// A device that fails.
    fn lower_potential(&mut self, of_nodes: &[u8], by: &[T]) -> Result<(), Failure>;

    /// Prepares a selection for repeated reading. Returns `None` if fields can be read in place.
    ///
    /// # Errors
    /// Too little memory on the device.
    fn select(&self, what: &PartSelection) -> Result<Option<DeviceCopy<T>>, Failure>;

    /// Reads a field at a prepared selection, `[index][component]` or `[index][point][component]`.
    ///
    /// # Errors
    /// A device that fails.
    fn fetch(&self, what: &PartSelection, copy: &DeviceCopy<T>, field: Field) -> Result<Vec<T>, Failure> {
        let _ = (what, copy, field);
        unreachable!("fields that can be read in place are not fetched")
    }

    /// Number of a node of a phase of the part.
    fn number_of(&self, phase: Phase, place: NodePlace) -> usize;

    /// Upper bound (exclusive) of [`Part::number_of`].
    fn numbers(&self, phase: Phase) -> usize;

    /// Replaces a field by `values`, `[number][component]` with the numbers of [`Part::number_of`].
    ///
    /// # Errors
    /// A device that fails.
    fn replace(&mut self, field: Field, values: &[T]) -> Result<(), Failure>;

    /// Reads the memory variables of the elements of each patch, solids first, `[element][variable]`; empty for an elastic rheology.
    ///
    /// # Errors
    /// A device that fails.
    fn element_memory(&mut self) -> Result<Vec<Vec<T>>, Failure>;

    /// Replaces the memory variables of the elements of each patch, solids first.
    ///
    /// # Errors
    /// A device that fails.
    fn replace_element_memory(&mut self, values: &[Vec<T>]) -> Result<(), Failure>;

    /// Sets the number of completed steps of a restored state.
    ///
    /// # Errors
    /// A device that fails.
    fn restore_step(&mut self, step: u64) -> Result<(), Failure>;

    /// Bytes held on the device, without sources and samples.
    fn bytes(&self) -> usize;
}
