//! Selections of nodes or elements that are read repeatedly: in place on a CPU, in one copy from GPUs and other ranks.

use craton_device::Scalar;

use crate::fields::NodePlace;
use crate::gpu::DeviceCopy;

/// Nodes or elements to read.
#[derive(Debug, Clone)]
pub enum Selection {
    /// Nodes.
    Nodes(Vec<NodePlace>),
    /// All points of elements.
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
    pub(crate) source: Source<'a, T>,
}

/// Storage of the values.
pub(crate) enum Source<'a, T: Scalar> {
    /// The state of the solver.
    InPlace(Box<dyn InPlace + 'a>),
    /// A copy, in the order of the selection: `[index][component]`, or `[index][point][component]`.
    Here(Vec<T>),
}

/// A field that is read in place.
pub(crate) trait InPlace: Sync {
    /// The field at a node.
    fn node(&self, place: NodePlace) -> [f64; 3];
    /// The field at all points of an element, in lexicographic order.
    fn element(&self, element: u32) -> Vec<[f64; 3]>;
}

impl<T: Scalar> Values<'_, T> {
    /// The field at a node.
    ///
    /// # Panics
    /// If the selection consists of elements, or `index` is out of range.
    pub fn node(&self, index: usize) -> [f64; 3] {
        let Selection::Nodes(places) = self.what else { unreachable!("the selection consists of elements") };
        match &self.source {
            Source::InPlace(field) => field.node(places[index]),
            Source::Here(values) => vector(values, index),
        }
    }

    /// The field at all points of an element, in lexicographic order.
    ///
    /// # Panics
    /// If the selection consists of nodes, or `index` is out of range.
    pub fn element(&self, index: usize) -> Vec<[f64; 3]> {
        let Selection::Elements(elements) = self.what else {
            unreachable!("the selection consists of nodes")
        };
        match &self.source {
            Source::InPlace(field) => field.element(elements[index]),
            Source::Here(values) => {
                let points = values.len() / 3 / elements.len();
                (index * points..(index + 1) * points).map(|at| vector(values, at)).collect()
            }
        }
    }
}

fn vector<T: Scalar>(values: &[T], index: usize) -> [f64; 3] {
    [0, 1, 2].map(|c| values[3 * index + c].to_f64())
}
