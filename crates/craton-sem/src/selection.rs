//! Places that are read again and again: in the state of a CPU where they stand, from a GPU all at once.

use craton_device::Scalar;

use crate::fields::{Field, NodePlace};
use crate::gpu::{DeviceCopy, DeviceNodes};
use crate::operator::SemOperator;

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
    /// What brings it to the host, if it is not there.
    pub(crate) copy: Option<DeviceCopy<T>>,
}

/// A field at the places of a selection.
pub struct Values<'a, T: Scalar> {
    pub(crate) what: &'a Selection,
    pub(crate) source: Source<'a, T>,
}

/// Where the values stand.
pub(crate) enum Source<'a, T: Scalar> {
    /// In the state.
    InPlace(&'a SemOperator<T>, Field),
    /// Here, in the order of the selection: `[index][component]`, or `[index][point][component]`.
    Selected(Vec<T>),
    /// Here, those of all nodes by their number.
    All(&'a DeviceNodes, Vec<T>),
}

impl<T: Scalar> Values<'_, T> {
    /// The field at a node.
    ///
    /// # Panics
    /// If the selection is of elements, or `index` beyond its end.
    pub fn node(&self, index: usize) -> [f64; 3] {
        let Selection::Nodes(places) = self.what else { unreachable!("nodes are read of a selection of nodes") };
        match &self.source {
            Source::InPlace(operator, field) => operator.at(places[index], *field),
            Source::Selected(values) => vector(values, index),
            Source::All(nodes, values) => vector(values, nodes.number_of(places[index]) as usize),
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
            Source::InPlace(operator, field) => operator.element_field(elements[index], *field),
            Source::Selected(values) => {
                let points = values.len() / 3 / elements.len();
                (index * points..(index + 1) * points).map(|at| vector(values, at)).collect()
            }
            Source::All(nodes, values) => {
                nodes.of_element(elements[index]).map(|number| vector(values, number as usize)).collect()
            }
        }
    }
}

fn vector<T: Scalar>(values: &[T], index: usize) -> [f64; 3] {
    [0, 1, 2].map(|c| values[3 * index + c].to_f64())
}
