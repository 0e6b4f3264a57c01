//! Runs of patches that one kernel computes: consecutive patches of one rheology and level that are all outer or all inner.

use std::ops::Range;

use super::images::{Storage, Variant};
use craton_device::Scalar;
use craton_sem_kernels::Rheology;

use super::nodes::DeviceNodes;
use super::sites;
use crate::discretisation::Discretisation;

/// A run of patches, with device numbers.
#[derive(Debug, Clone)]
pub struct Run {
    /// The patches.
    pub patches: Range<usize>,
    /// Their elements.
    pub elements: Range<usize>,
    /// Rheology of the elements.
    pub rheology: Rheology,
    /// Whether material parameters vary inside some of the elements.
    pub varies: bool,
    /// Storage of the material parameters for the patch kernel.
    pub storage: Storage,
    /// Whether the patches share nodes with other parts.
    pub outer: bool,
    /// Level of the patches.
    pub level: u8,
}

impl Run {
    /// All runs of a phase of a part, in patch order.
    pub fn all<T: Scalar>(on: &Discretisation<T>, nodes: &DeviceNodes) -> Vec<Self> {
        let data = &on.of(nodes.phase).patches;
        let kind = |patch: usize| (data[patch].rheology, patch < nodes.own.outer, nodes.rates[patch]);
        let numbers: Vec<usize> = (0..data.len()).collect();
        let run = |patches: &[usize]| {
            let (first, last) = (patches[0], patches[patches.len() - 1]);
            let (rheology, outer, level) = kind(first);
            let [begin, end] = [first, last].map(|patch| &nodes.patches[patch]);
            let varies = patches.iter().any(|&patch| data[patch].material_varies);
            Self {
                storage: sites::storage(rheology, varies, &data[first..=last], T::lanes(on.isa)),
                patches: first..last + 1,
                elements: begin.first_element as usize..end.first_element as usize + end.elements.len(),
                rheology,
                varies,
                outer,
                level,
            }
        };
        numbers.chunk_by(|&a, &b| kind(a) == kind(b)).map(run).collect()
    }

    /// Compile-time parameters of the kernel.
    pub fn variant<T: Scalar>(&self, on: &Discretisation<T>) -> Variant {
        let control = on.mesh().geometry.per_axis();
        Variant { points: on.gll().points.len(), control, rheology: self.rheology }
    }
}
