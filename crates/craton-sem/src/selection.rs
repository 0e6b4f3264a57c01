//! Selections of points or elements that are read repeatedly: in place on a CPU, in one copy from GPUs and other ranks.

use craton_device::Scalar;

use crate::fields::NodePlace;
use crate::gpu::DeviceCopy;

/// Points or elements to read. Elements have their numbers in the mesh of the solver.
#[derive(Debug, Clone)]
pub enum Selection {
    /// Points of elements of the solid: the element, and the number of its point in lexicographic order.
    Points(Vec<(u32, u16)>),
    /// All points of elements of one phase.
    Elements(Vec<u32>),
}

impl Selection {
    /// Number of points or elements.
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Points(points) => points.len(),
            Self::Elements(elements) => elements.len(),
        }
    }
}

/// What a part reads for a selection.
#[derive(Debug, Clone)]
pub enum PartSelection {
    /// Nodes of the solid, located in the part.
    Nodes(Vec<NodePlace>),
    /// Elements of the plan.
    Elements(Vec<u32>),
}

impl PartSelection {
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
    /// Number of the selection.
    pub(crate) number: u32,
    /// Number of points or elements.
    pub(crate) len: usize,
    /// Whether it consists of elements.
    pub(crate) is_of_elements: bool,
    /// Share of each part of this process.
    pub(crate) shares: Vec<Share<T>>,
    /// For each part of this process, the indices of what it provides.
    pub(crate) indices: Vec<Vec<u32>>,
    /// Index of each value that the ranks provide, in their order; on the first rank.
    pub(crate) order: Vec<u32>,
}

/// Share of a part in a selection.
pub(crate) struct Share<T: Scalar> {
    /// Its nodes or elements.
    pub what: PartSelection,
    /// Device buffers that gather the values, if they cannot be read in place.
    pub copy: Option<DeviceCopy<T>>,
}

/// A field at a selection.
pub struct Values<'a, T: Scalar> {
    /// Number of points or elements of the selection.
    pub(crate) len: usize,
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
    /// Writes the components at point `index` of a selection of points.
    fn node(&self, index: usize, values: &mut [f64]);
    /// The field at all points of element `index` of a selection of elements, `[point][component]`, points in lexicographic order.
    fn element(&self, index: usize) -> Vec<f64>;
}

impl<T: Scalar> Values<'_, T> {
    /// Writes the components of the field at point `index` of a selection of points.
    ///
    /// # Panics
    /// If `index` is out of range, or `values` has another length.
    pub fn node(&self, index: usize, values: &mut [f64]) {
        match &self.source {
            ValueSource::InPlace(field) => field.node(index, values),
            ValueSource::Here(all) => in_double(&all[self.components * index..][..self.components], values),
        }
    }

    /// The field at all points of element `index` of a selection of elements, `[point][component]`, points in lexicographic order.
    ///
    /// # Panics
    /// If `index` is out of range.
    pub fn element(&self, index: usize) -> Vec<f64> {
        match &self.source {
            ValueSource::InPlace(field) => field.element(index),
            ValueSource::Here(all) => {
                let mut values = vec![0.0; all.len() / self.len];
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
