//! Points that are sampled after every step.

use craton_device::Scalar;
use craton_mesh::HexMesh;

use crate::discretisation::Discretisation;
use crate::fields::Field;
use crate::interpolation_point::InterpolationPoint;
use crate::solid::{Node, PatchState, SharedState};

/// A point that is sampled after every step.
#[derive(Debug, Clone, Copy)]
pub struct Probe {
    /// The element, in the order of the solver.
    pub element: u32,
    /// Reference coordinates in the element.
    pub xi: [f64; 3],
    /// Whether the gradient is sampled (nine channels, row = component) instead of the field (three channels).
    pub gradient: bool,
}

impl Probe {
    /// Number of sampled values: 3, or 9 for a gradient.
    pub fn channels(&self) -> usize {
        Field::Velocity.components() * if self.gradient { 3 } else { 1 }
    }

    /// Interpolation weights, `[direction][point]`, with one direction for a field and three for a gradient.
    pub(crate) fn weights(&self, mesh: &HexMesh, points: &[f64]) -> Vec<Vec<f64>> {
        let point = InterpolationPoint::new(mesh, points, self.element, self.xi);
        if !self.gradient {
            return vec![point.values()];
        }
        let gradients = point.gradients();
        (0..3).map(|j| gradients.iter().map(|slope| slope[j]).collect()).collect()
    }
}

/// Nodes and weights of a probe.
pub struct ProbeReader {
    patch: usize,
    nodes: Vec<u16>,
    /// `[direction][node]`, see [`Probe::weights`].
    weights: Vec<Vec<f64>>,
}

impl ProbeReader {
    /// Prepares a probe; `None` if its element belongs to another part.
    pub fn new<T: Scalar>(on: &Discretisation<T>, probe: &Probe) -> Option<Self> {
        let (patch, within) = on.own.patch_of(probe.element)?;
        let weights = probe.weights(on.mesh(), &on.gll().points);
        Some(Self { patch, nodes: on.local_nodes(patch, within).collect(), weights })
    }

    /// Number of sampled values: 3, or 9 for a gradient.
    pub fn channels(&self) -> usize {
        Field::Velocity.components() * self.weights.len()
    }

    /// Patch of its element.
    pub fn patch(&self) -> usize {
        self.patch
    }

    /// Samples a field: its components, or `values[3 i + j]` = derivative of component i along j.
    pub fn read<T: Scalar>(&self, patch: &PatchState<T>, shared: &SharedState<T>, field: Field, values: &mut [T]) {
        let mut sums = [Node::default(); 3];
        for (index, &local) in self.nodes.iter().enumerate() {
            let node = field.node(patch, shared, local);
            for (sum, weights) in sums.iter_mut().zip(&self.weights) {
                for (sum, value) in sum.iter_mut().zip(node) {
                    *sum += weights[index] * value.to_f64();
                }
            }
        }
        let directions = self.weights.len();
        for (slot, value) in values.iter_mut().enumerate() {
            *value = T::from_f64(sums[slot % directions][slot / directions]);
        }
    }
}
