//! Runs of patches that one kernel computes: neighbours in number, of one rheology, all outer or all inner.

use std::ops::Range;

use super::images::Variant;
use craton_device::Scalar;
use craton_sem_kernels::Rheology;

use super::nodes::DeviceNodes;
use crate::discretisation::Discretisation;

/// A run of patches, numbered as on the device.
#[derive(Debug, Clone)]
pub struct Run {
    /// The patches.
    pub patches: Range<usize>,
    /// Their elements.
    pub elements: Range<usize>,
    /// What they are made of.
    pub rheology: Rheology,
    /// Whether parameters vary inside some of the elements.
    pub varies: bool,
    /// Whether neighbouring parts wait for them.
    pub outer: bool,
}

impl Run {
    /// All runs of a part, in the order of its patches.
    pub fn all<T: Scalar>(on: &Discretisation<T>, nodes: &DeviceNodes) -> Vec<Self> {
        let kind = |patch: usize| (on.patches[patch].rheology, patch < nodes.own.outer);
        let numbers: Vec<usize> = (0..on.patches.len()).collect();
        let run = |patches: &[usize]| {
            let (first, last) = (patches[0], patches[patches.len() - 1]);
            let (rheology, outer) = kind(first);
            let [begin, end] = [first, last].map(|patch| &nodes.patches[patch]);
            Self {
                patches: first..last + 1,
                elements: begin.first_element as usize..end.first_element as usize + end.elements.len(),
                rheology,
                varies: patches.iter().any(|&patch| on.patches[patch].material_varies),
                outer,
            }
        };
        numbers.chunk_by(|&a, &b| kind(a) == kind(b)).map(run).collect()
    }

    /// What its kernel is compiled for.
    pub fn variant<T: Scalar>(&self, on: &Discretisation<T>) -> Variant {
        let control = on.mesh().geometry.per_axis();
        Variant { points: on.gll().points.len(), control, rheology: self.rheology }
    }
}
