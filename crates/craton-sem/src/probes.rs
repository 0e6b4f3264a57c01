//! What is sampled after every step.

use craton_device::Scalar;
use craton_mesh::HexMesh;

use crate::discretisation::Discretisation;
use crate::fields::Field;
use crate::state::{PatchState, SharedState};
use crate::taps::Tap;

/// A point to be sampled.
#[derive(Debug, Clone, Copy)]
pub struct Probe {
    /// The element, in the order of the solver's mesh.
    pub element: u32,
    /// Where in it, reference coordinates.
    pub xi: [f64; 3],
    /// The gradient (nine channels, row = component) instead of the field (three).
    pub gradient: bool,
}

impl Probe {
    /// Values it gives: 3, or 9 for a gradient.
    pub fn channels(&self) -> usize {
        if self.gradient { 9 } else { 3 }
    }

    /// One weight for each point of the element, or three.
    pub(crate) fn weights(&self, mesh: &HexMesh, points: &[f64]) -> Vec<Vec<f64>> {
        let tap = Tap::new(mesh, points, self.element, self.xi);
        if !self.gradient {
            return vec![tap.values()];
        }
        let gradients = tap.gradients();
        (0..3).map(|j| gradients.iter().map(|slope| slope[j]).collect()).collect()
    }
}

/// A probe ready to read: nodes and weights.
pub struct ProbeReader {
    patch: usize,
    nodes: Vec<u16>,
    /// One weight per node, or three.
    weights: Vec<Vec<f64>>,
}

impl ProbeReader {
    /// Prepares a probe; none if its element belongs to another part.
    pub fn new<T: Scalar>(on: &Discretisation<T>, probe: &Probe) -> Option<Self> {
        let (patch, within) = on.own.patch_of(probe.element)?;
        let weights = probe.weights(on.mesh(), &on.gll().points);
        Some(Self { patch, nodes: on.local_nodes(patch, within).collect(), weights })
    }

    /// Values it gives: 3, or 9 for a gradient.
    pub fn channels(&self) -> usize {
        3 * self.weights.len()
    }

    /// Patch of its element.
    pub fn patch(&self) -> usize {
        self.patch
    }

    /// Reads a field: its components, or `values[3 i + j]` = derivative of component i along j.
    pub fn read<T: Scalar>(&self, patch: &PatchState<T>, shared: &SharedState<T>, field: Field, values: &mut [T]) {
        let mut sums = [[0.0; 3]; 3];
        for (index, &local) in self.nodes.iter().enumerate() {
            let node = field.node(patch, shared, local);
            for (sum, weights) in sums.iter_mut().zip(&self.weights) {
                for c in 0..3 {
                    sum[c] += weights[index] * node[c].to_f64();
                }
            }
        }
        let directions = self.weights.len();
        for (slot, value) in values.iter_mut().enumerate() {
            *value = T::from_f64(sums[slot % directions][slot / directions]);
        }
    }
}
