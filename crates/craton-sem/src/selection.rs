//! Places that are read again and again: in the state of a CPU where they stand, from GPUs and other ranks all at once.

use craton_device::Scalar;

use crate::fields::NodePlace;
use crate::gpu::DeviceCopy;

/// What is read.
#[derive(Debug, Clone)]
pub enum Selection {
    /// Nodes.
    Nodes(Vec<NodePlace>),
    /// All points of elements.
    Elements(Vec<u32>),
}

impl Selection {
    /// Values that are read, for elements of so many points.
    pub(crate) fn len(&self, points: usize) -> usize {
        match self {
            Self::Nodes(places) => places.len(),
            Self::Elements(elements) => elements.len() * points,
        }
    }
}

/// A selection made ready by a solver.
pub struct Selected<T: Scalar> {
    pub(crate) what: Selection,
    /// Its number among all of the solver.
    pub(crate) number: u32,
    /// What each part of this process brings.
    pub(crate) shares: Vec<Share<T>>,
    /// Which of the selection's nodes or elements each part of all ranks brings.
    pub(crate) owners: Vec<Vec<u32>>,
}

/// What one part brings to a selection.
pub(crate) struct Share<T: Scalar> {
    /// Its nodes or elements, as the part knows them.
    pub what: Selection,
    /// What fetches them, if they cannot be read in place.
    pub copy: Option<DeviceCopy<T>>,
}

/// A field at the places of a selection.
pub struct Values<'a, T: Scalar> {
    pub(crate) what: &'a Selection,
    pub(crate) source: Source<'a, T>,
}

/// Where the values stand.
pub(crate) enum Source<'a, T: Scalar> {
    /// In the state.
    InPlace(Box<dyn InPlace + 'a>),
    /// Here, in the order of the selection: `[index][component]`, or `[index][point][component]`.
    Here(Vec<T>),
}

/// A field that is read where it stands.
pub(crate) trait InPlace: Sync {
    /// At a node.
    fn node(&self, place: NodePlace) -> [f64; 3];
    /// At all points of an element, lexicographic.
    fn element(&self, element: u32) -> Vec<[f64; 3]>;
}

impl<T: Scalar> Values<'_, T> {
    /// The field at a node.
    ///
    /// # Panics
    /// If the selection is of elements, or `index` beyond its end.
    pub fn node(&self, index: usize) -> [f64; 3] {
        let Selection::Nodes(places) = self.what else { unreachable!("nodes are read of a selection of nodes") };
        match &self.source {
            Source::InPlace(field) => field.node(places[index]),
            Source::Here(values) => vector(values, index),
        }
    }

    /// The field at all points of an element, lexicographic.
    ///
    /// # Panics
    /// If the selection is of nodes, or `index` beyond its end.
    pub fn element(&self, index: usize) -> Vec<[f64; 3]> {
        let Selection::Elements(elements) = self.what else {
            unreachable!("elements are read of a selection of elements")
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
