//! Points that are sampled after every step.

use craton_device::Scalar;
use craton_sem_kernels::Phase;

use crate::discretisation::Discretisation;
use crate::fields::Field;
use crate::interpolation_point::InterpolationPoint;
use crate::shared_nodes::SharedState;
use crate::step::PatchState;

/// A point that is sampled after every step.
#[derive(Debug, Clone, Copy)]
pub struct Probe {
    /// The element, in the order of the solver.
    pub element: u32,
    /// Reference coordinates in the element.
    pub xi: [f64; 3],
    /// Whether the gradient of velocity is sampled (nine channels, row = component) instead of velocity (three channels).
    ///
    /// In a fluid, the second time integral of the gradient is sampled instead of the gradient: an isotropic tensor with the trace ∂χ/∂t / κ, whose second time
    /// derivative is minus the rate of pressure over κ.
    pub gradient: bool,
}

impl Probe {
    /// Number of sampled values: 3, or 9 for a gradient.
    pub fn channels(&self) -> usize {
        Self::channels_of(self.gradient)
    }

    /// Number of sampled values of a probe of velocity, or of its gradient.
    pub fn channels_of(gradient: bool) -> usize {
        if gradient { 9 } else { 3 }
    }

    /// Interpolation weights of the rate of the unknown, `[direction][point]`: channel `directions * component + direction`. A solid has one direction for
    /// velocity and three for its gradient; a fluid has one component and as many directions as channels.
    pub(crate) fn weights<T: Scalar>(&self, on: &Discretisation<T>) -> Vec<Vec<f64>> {
        let point = InterpolationPoint::new(on.mesh(), &on.gll().points, self.element, self.xi);
        let slopes = |factor: f64| -> Vec<Vec<f64>> {
            let gradients = point.gradients();
            (0..3).map(|j| gradients.iter().map(|slope| factor * slope[j]).collect()).collect()
        };
        match (on.fluid_at(self.element, self.xi), self.gradient) {
            (None, false) => vec![point.values()],
            (None, true) => slopes(1.0),
            (Some(fluid), false) => slopes(1.0 / fluid.rho),
            (Some(fluid), true) => {
                let diagonal: Vec<f64> = point.values().into_iter().map(|phi| phi / (3.0 * fluid.kappa)).collect();
                let zero = vec![0.0; diagonal.len()];
                (0..9).map(|channel| if channel % 4 == 0 { diagonal.clone() } else { zero.clone() }).collect()
            }
        }
    }
}

/// Nodes and weights of a probe.
pub struct ProbeReader {
    phase: Phase,
    patch: usize,
    nodes: Vec<u16>,
    /// `[direction][node]`, see [`Probe::weights`].
    weights: Vec<Vec<f64>>,
}

impl ProbeReader {
    /// Prepares a probe; `None` if its element belongs to another part.
    pub fn new<T: Scalar>(on: &Discretisation<T>, probe: &Probe) -> Option<Self> {
        let phase = on.plan.phase_of(probe.element);
        let (patch, within) = on.of(phase).own.patch_of(probe.element)?;
        let nodes = on.local_nodes(phase, patch, within).collect();
        Some(Self { phase, patch, nodes, weights: probe.weights(on) })
    }

    /// Number of sampled values: 3, or 9 for a gradient.
    pub fn channels(&self) -> usize {
        self.phase.components() * self.weights.len()
    }

    /// Phase of its element.
    pub fn phase(&self) -> Phase {
        self.phase
    }

    /// Patch of its element.
    pub fn patch(&self) -> usize {
        self.patch
    }

    /// Samples the rate of the unknown: `values[directions * component + direction]`.
    pub fn read<T: Scalar>(&self, patch: &PatchState<T>, shared: &SharedState<T>, values: &mut [T]) {
        let field = Field::rate_of(self.phase);
        let mut sums = [[0.0; 3]; 9];
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
