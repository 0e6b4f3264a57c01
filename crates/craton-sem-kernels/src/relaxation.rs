//! Relaxation of the stress at the points of a batch.

use craton_device::{AlignedVec, Lanes, Scalar};
use craton_physics::{MEMORY, Sym3, decay, relax};

use crate::{ElementData, Relaxation, pml};

/// The memory variables of the elements of a patch.
pub struct Memory<T: Scalar> {
    /// Decay of each mechanism in a time step [–].
    pub decays: Vec<T>,
    /// Coefficients of the absorbing axes, `[batch][axis][point along it][coefficient][lane]`; empty in the domain.
    pub pml: AlignedVec<T>,
    /// The state of the elements, `[batch][variable][lane]`: `[relaxing point][mechanism][variable]`, then `[axis][derivative, force][point][component]` of
    /// the absorbing axes.
    pub variables: AlignedVec<T>,
}

impl<T: Scalar> Memory<T> {
    /// Creates memory variables at rest.
    ///
    /// # Arguments
    /// * `along` – number of points along an axis
    /// * `rates` – relaxation rate of each mechanism [rad/s]
    /// * `dt` – time step [s]
    pub fn new(elements: &ElementData<T>, along: usize, rates: &[f64], dt: f64) -> Self {
        let per_element = elements.rheology.memory(along);
        let slots = elements.nodes.len() / along.pow(3);
        let count = elements.rheology.relaxation.mechanisms();
        Self {
            decays: rates[..count].iter().map(|&rate| T::from_f64(decay(rate, dt))).collect(),
            pml: pml::coefficients(elements, slots / elements.batches.max(1), dt),
            variables: AlignedVec::zeroed(slots * per_element),
        }
    }

    /// Memory with which elements have their instantaneous response, which is the stiffest.
    pub fn none() -> Self {
        Self { decays: Vec::new(), pml: AlignedVec::zeroed(0), variables: AlignedVec::zeroed(0) }
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.pml.bytes() + self.variables.bytes()
    }
}

/// Relaxation of a batch.
pub struct Relaxing<'a, V: Lanes> {
    relaxation: Relaxation,
    decays: &'a [V::Scalar],
    /// `[point][mechanism][λ_l, μ_l]`.
    moduli: &'a [V],
    /// Distance between the moduli of successive points: 0 if they do not vary.
    stride: usize,
    /// `[point][mechanism][variable]`.
    memory: &'a mut [V],
}

impl<'a, V: Lanes> Relaxing<'a, V> {
    /// The relaxation of a batch of elements with `along` points along an axis.
    #[inline(always)]
    ///
    /// # Arguments
    /// * `memory` – relaxing memory variables of the batch
    pub fn of_batch(
        elements: &'a ElementData<V::Scalar>,
        decays: &'a [V::Scalar],
        memory: &'a mut [V],
        batch: usize,
        along: usize,
    ) -> Self {
        let rheology = elements.rheology;
        let relaxation = if decays.is_empty() { Relaxation::None } else { rheology.relaxation };
        let stride = if elements.material_varies { rheology.relaxing_moduli() } else { 0 };
        let points = if elements.material_varies { relaxation.points(along) } else { 1 };
        let own = points * rheology.relaxing_moduli();
        let moduli =
            if relaxation == Relaxation::None { &[] } else { &V::cast(&elements.relaxing)[batch * own..][..own] };
        Self { relaxation, decays, moduli, stride, memory }
    }

    /// Subtracts what the mechanisms have relaxed from the unrelaxed stress at a point, and advances their memory.
    #[inline(always)]
    pub fn apply(&mut self, point: [usize; 3], along: usize, grad_u: [[V; 3]; 3], mut stress: Sym3<V>) -> Sym3<V> {
        let Some(place) = self.relaxation.place(point, along) else { return stress };
        let count = self.decays.len();
        let memory = self.memory.as_chunks_mut::<MEMORY>().0;
        let moduli = self.moduli[place * self.stride..].as_chunks::<2>().0;
        let own = memory[place * count..][..count].iter_mut().zip(moduli).zip(self.decays);
        for ((memory, &moduli), &decay) in own {
            (stress, *memory) = relax(V::splat(decay), moduli, *memory, grad_u, stress);
        }
        stress
    }
}
