//! The laws of batches: their parameters, and the gather and scatter of their unknowns.

use std::marker::PhantomData;

use craton_device::{Lanes, NODE_CAPACITY, NodeScratch};
use craton_physics::{Law, fluid_displacement, reference_flux, scalar_flux, unit_axis};

use crate::forces::ElementData;
use crate::relaxation::Relaxing;
use crate::stiffness::PointLaw;

/// The law of the elements of a kernel, with `C` unknowns per node.
pub trait BatchLaw<const C: usize>: Send + Sync + 'static {
    /// The law of one batch.
    type Of<'a, V: Lanes>: PointLaw<V, C>;

    /// The law of a batch of elements with `along` points along an axis.
    ///
    /// # Arguments
    /// * `memory` – relaxing memory variables of the batch
    fn of_batch<'a, V: Lanes>(
        elements: &'a ElementData<V::Scalar>,
        decays: &'a [V::Scalar],
        memory: &'a mut [V],
        batch: usize,
        along: usize,
    ) -> Self::Of<'a, V>;

    /// Reads the unknowns of the nodes `index`, one node per lane.
    fn gather<V: Lanes>(nodes: &NodeScratch<V::Scalar>, index: &[u16]) -> [V; C];

    /// Adds values to the nodes `index`, one node per lane.
    fn scatter_add<V: Lanes>(values: [V; C], nodes: &mut NodeScratch<V::Scalar>, index: &[u16]);
}

/// Parameters of a batch.
struct Parameters<'a, V> {
    /// `[point][parameter]`, or `[parameter]` if they do not vary inside an element.
    values: &'a [V],
    /// Distance between the parameters of successive points: 0 if they do not vary.
    stride: usize,
    /// Number of points along an axis.
    along: usize,
}

impl<'a, V: Lanes> Parameters<'a, V> {
    #[inline(always)]
    fn of_batch(elements: &'a ElementData<V::Scalar>, count: usize, batch: usize, along: usize) -> Self {
        let points = if elements.material_varies { along.pow(3) } else { 1 };
        Self {
            along,
            values: &V::cast(&elements.material)[batch * points * count..][..points * count],
            stride: if elements.material_varies { count } else { 0 },
        }
    }

    #[inline(always)]
    fn at(&self, [i, j, k]: [usize; 3]) -> &'a [V] {
        &self.values[(i + self.along * (j + self.along * k)) * self.stride..]
    }
}

/// Solids with the elastic law `L`, whose moduli may relax.
pub struct SolidLaw<L>(PhantomData<L>);

/// The law of a batch of solids.
pub struct SolidBatch<'a, V: Lanes, L> {
    parameters: Parameters<'a, V>,
    /// Coefficients of the symmetry axis; see [`unit_axis`].
    axis: [[V; 3]; 4],
    relaxing: Relaxing<'a, V>,
    law: PhantomData<L>,
}

impl<L: Law> BatchLaw<3> for SolidLaw<L> {
    type Of<'a, V: Lanes> = SolidBatch<'a, V, L>;

    #[inline(always)]
    fn of_batch<'a, V: Lanes>(
        elements: &'a ElementData<V::Scalar>,
        decays: &'a [V::Scalar],
        memory: &'a mut [V],
        batch: usize,
        along: usize,
    ) -> SolidBatch<'a, V, L> {
        SolidBatch {
            parameters: Parameters::of_batch(elements, L::PARAMETERS, batch, along),
            axis: match L::HAS_AXIS {
                true => V::cast(&elements.axes).as_chunks::<3>().0.as_chunks::<4>().0[batch],
                // A placeholder, which laws without an axis do not read.
                false => [[V::constant(0.0); 3]; 4],
            },
            relaxing: Relaxing::of_batch(elements, decays, memory, batch, along),
            law: PhantomData,
        }
    }

    #[inline(always)]
    fn gather<V: Lanes>(nodes: &NodeScratch<V::Scalar>, index: &[u16]) -> [V; 3] {
        V::gather(nodes, index)
    }

    #[inline(always)]
    fn scatter_add<V: Lanes>(values: [V; 3], nodes: &mut NodeScratch<V::Scalar>, index: &[u16]) {
        V::scatter_add(values, nodes, index);
    }
}

impl<V: Lanes, L: Law> PointLaw<V, 3> for SolidBatch<'_, V, L> {
    #[inline(always)]
    fn flux(
        &mut self,
        point: [usize; 3],
        xi: [V::Scalar; 3],
        cofactors: [[V; 3]; 3],
        gradient: [[V; 3]; 3],
    ) -> [[V; 3]; 3] {
        let parameters = self.parameters.at(point);
        let axis = match L::HAS_AXIS {
            true => unit_axis(self.axis, [V::splat(xi[0]), V::splat(xi[1]), V::splat(xi[2])]),
            false => self.axis[0],
        };
        let unrelaxed = L::stress(|q| parameters[q], axis, gradient);
        reference_flux(cofactors, self.relaxing.apply(point, self.parameters.along, gradient, unrelaxed))
    }
}

/// Inviscid fluids: the unknown is the potential of displacement, the only parameter 1/ρ.
pub struct FluidLaw;

/// The law of a batch of fluids.
pub struct FluidBatch<'a, V>(Parameters<'a, V>);

impl BatchLaw<1> for FluidLaw {
    type Of<'a, V: Lanes> = FluidBatch<'a, V>;

    #[inline(always)]
    fn of_batch<'a, V: Lanes>(
        elements: &'a ElementData<V::Scalar>,
        _decays: &'a [V::Scalar],
        _memory: &'a mut [V],
        batch: usize,
        along: usize,
    ) -> FluidBatch<'a, V> {
        FluidBatch(Parameters::of_batch(elements, 1, batch, along))
    }

    #[inline(always)]
    fn gather<V: Lanes>(nodes: &NodeScratch<V::Scalar>, index: &[u16]) -> [V; 1] {
        let values = nodes.as_flattened().first_chunk::<NODE_CAPACITY>();
        [V::gather_scalars(values.expect("four components per node"), index)]
    }

    #[inline(always)]
    fn scatter_add<V: Lanes>([value]: [V; 1], nodes: &mut NodeScratch<V::Scalar>, index: &[u16]) {
        let values = nodes.as_flattened_mut().first_chunk_mut::<NODE_CAPACITY>();
        value.scatter_add_scalars(values.expect("four components per node"), index);
    }
}

impl<V: Lanes> PointLaw<V, 1> for FluidBatch<'_, V> {
    #[inline(always)]
    fn flux(
        &mut self,
        point: [usize; 3],
        _xi: [V::Scalar; 3],
        cofactors: [[V; 3]; 3],
        [gradient]: [[V; 3]; 1],
    ) -> [[V; 1]; 3] {
        let [xi, eta, zeta] = scalar_flux(cofactors, fluid_displacement(self.0.at(point)[0], gradient));
        [[xi], [eta], [zeta]]
    }
}
