//! Selections of nodes or elements that are read repeatedly: in place on a CPU, in one copy from GPUs and other ranks.

use craton_device::Scalar;

use crate::fields::NodePlace;
use crate::gpu::DeviceCopy;

/// Nodes or elements to read.
#[derive(Debug, Clone)]
pub enum Selection {
    /// Nodes of the solid.
    Nodes(Vec<NodePlace>),
    /// All points of elements of one phase.
    Elements(Vec<u32>),
}

impl Selection {
    /// Number of vectors to read.
    ///
    /// # Arguments
    /// * `points` – number of points of an element
    pub(crate) fn len(&self, points: usize) -> usize {
        match self {
            Self::Nodes(places) => places.len(),
            Self::Elements(elements) => elements.len() * points,
        }
    }
}

/// A selection that a solver has prepared.
pub struct Selected<T: Scalar> {
    pub(crate) what: Selection,
    /// Number of the selection.
    pub(crate) number: u32,
    /// Share of each part of this process.
    pub(crate) shares: Vec<Share<T>>,
    /// Indices of the nodes or elements that each part of all ranks provides.
    pub(crate) owners: Vec<Vec<u32>>,
}

/// Share of a part in a selection.
pub(crate) struct Share<T: Scalar> {
    /// Its nodes, located in the part, or its elements.
    pub what: Selection,
    /// Device buffers that gather the values, if they cannot be read in place.
    pub copy: Option<DeviceCopy<T>>,
}

/// A field at a selection.
pub struct Values<'a, T: Scalar> {
    pub(crate) what: &'a Selection,
    /// Number of components at each node.
    pub(crate) components: usize,
    pub(crate) source: ValueSource<'a, T>,
}

/// Storage of the values.
pub(crate) enum ValueSource<'a, T: Scalar> {
    /// The state of the solver.
    InPlace(Box<dyn InPlace + 'a>),
    /// A copy, in the order of the selection: `[index][component]`, or `[index][point][component]`.
    Here(Vec<T>),
}

/// A field that is read in place.
pub(crate) trait InPlace: Sync {
    /// Writes the components at a node.
    fn node(&self, place: NodePlace, values: &mut [f64]);
    /// The field at all points of an element, `[point][component]`, points in lexicographic order.
    fn element(&self, element: u32) -> Vec<f64>;
}

impl<T: Scalar> Values<'_, T> {
    /// Writes the components of the field at node `index` of the selection.
    ///
    /// # Panics
    /// If the selection consists of elements, `index` is out of range, or `values` has another length.
    pub fn node(&self, index: usize, values: &mut [f64]) {
        let Selection::Nodes(places) = self.what else { unreachable!("the selection consists of elements") };
        match &self.source {
            ValueSource::InPlace(field) => field.node(places[index], values),
            ValueSource::Here(all) => in_double(&all[self.components * index..][..self.components], values),
        }
    }

    /// The field at all points of element `index` of the selection, `[point][component]`, points in lexicographic order.
    ///
    /// # Panics
    /// If the selection consists of nodes, or `index` is out of range.
    pub fn element(&self, index: usize) -> Vec<f64> {
        let Selection::Elements(elements) = self.what else { unreachable!("the selection consists of nodes") };
        match &self.source {
            ValueSource::InPlace(field) => field.element(elements[index]),
            ValueSource::Here(all) => {
                let mut values = vec![0.0; all.len() / elements.len()];
                in_double(&all[index * values.len()..][..values.len()], &mut values);
                values
            }
        }
    }
}

fn in_double<T: Scalar>(from: &[T], to: &mut [f64]) {
    assert_eq!(from.len(), to.len(), "a value for each component");
    to.iter_mut().zip(from).for_each(|(to, from)| *to = from.to_f64());
}
