//! What the solver needs from a part, wherever it computes.

use craton_device::Scalar;
use craton_sim::Failure;

use crate::fields::{Field, NodePlace};
use crate::gpu::DeviceCopy;
use crate::parts::PartLayout;
use crate::selection::Selection;
use crate::team::Team;

/// A field at the nodes of a part, by their place in it.
pub type Reader<'a, T> = Box<dyn Fn(NodePlace) -> [T; 3] + Sync + 'a>;

/// One part of the Earth in motion on one device.
///
/// Elements have the numbers of the plan's mesh, places those of the part.
pub trait Part<T: Scalar>: Send + Sync {
    /// Its patches, nodes and neighbours.
    fn own(&self) -> &PartLayout;

    /// Steps done.
    fn step(&self) -> u64;

    /// Steps whose samples it can hold.
    fn longest_advance(&self) -> u64;

    /// Advances all parts of this process; those of other ranks do the same.
    ///
    /// # Errors
    /// A device that fails, a rank that is lost.
    fn advance_all(parts: &mut [Self], team: &Team, steps: u64) -> Result<(), Failure>
    where
        Self: Sized;

    /// Samples of its own probes since the last call, `[step][channel]`.
    ///
    /// # Errors
    /// A device that fails.
    fn take_samples(&mut self) -> Result<Vec<T>, Failure>;

    /// The place of a node whose displacement is not finite, if there is one.
    ///
    /// # Errors
    /// A device that fails, now or in a step before.
    fn broken_place(&mut self) -> Result<Option<NodePlace>, Failure>;

    /// A field that is read here and there: where it stands, or fetched once.
    ///
    /// # Errors
    /// A device that fails.
    fn reader(&self, field: Field) -> Result<Reader<'_, T>, Failure>;

    /// Makes ready to fetch a selection again and again; none where a field can be read in place.
    ///
    /// # Errors
    /// Too little memory on the device.
    fn select(&self, what: &Selection) -> Result<Option<DeviceCopy<T>>, Failure>;

    /// A field at a selection that has been made ready, `[index][component]` or `[index][point][component]`.
    ///
    /// # Errors
    /// A device that fails.
    fn fetch(&self, what: &Selection, copy: &DeviceCopy<T>, field: Field) -> Result<Vec<T>, Failure> {
        let _ = (what, copy, field);
        unreachable!("nothing is fetched that can be read in place")
    }

    /// Number of a place among all of the part.
    fn number_of(&self, place: NodePlace) -> usize;

    /// All numbers that [`Part::number_of`] may give lie below this.
    fn numbers(&self) -> usize;

    /// Replaces a field by values at all numbers.
    ///
    /// # Errors
    /// A device that fails.
    fn replace(&mut self, field: Field, values: Vec<[T; 3]>) -> Result<(), Failure>;

    /// Memory variables of the elements of each of its patches, `[element][point][variable]`; empty for an elastic rheology.
    ///
    /// # Errors
    /// A device that fails.
    fn element_memory(&mut self) -> Result<Vec<Vec<T>>, Failure>;

    /// Replaces the memory variables of the elements of each of its patches.
    ///
    /// # Errors
    /// A device that fails.
    fn replace_element_memory(&mut self, values: &[Vec<T>]) -> Result<(), Failure>;

    /// Says how many steps the restored state has behind it.
    ///
    /// # Errors
    /// A device that fails.
    fn restore_step(&mut self, step: u64) -> Result<(), Failure>;

    /// Bytes held where it computes, without sources and samples.
    fn bytes(&self) -> usize;
}
