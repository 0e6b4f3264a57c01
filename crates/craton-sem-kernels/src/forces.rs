//! The loop over the batches of a patch: gather, stiffness, scatter.

use std::marker::PhantomData;
use std::ops::Range;

use craton_device::{AlignedVec, Isa, Kernel, Lanes, NodeScratch, Scalar, node_scratch};
use craton_numerics::gll::Gll;
use craton_physics::{Anisotropic, Isotropic, TransverselyIsotropic};

use crate::batch::{BatchLaw, FluidLaw, SolidLaw};
use crate::geometry::ControlNodes;
use crate::pml::{Stretching, Unstretched};
use crate::relaxation::Memory;
use crate::stiffness::{Cube, stiffness};
use crate::tables::{CONSTANT, MOST, Tables, size_of_kernel};
use crate::{MaterialKind, Rheology};

/// The elements of one patch, all of one rheology, in the layout of the kernel: batches with one element per lane. The last batch is filled with
/// copies, which write to a spare node.
pub struct ElementData<T: Scalar> {
    /// The rheology, which determines the kernel.
    pub rheology: Rheology,
    /// Number of batches.
    pub batches: usize,
    /// Local node of each point, `[batch][point][lane]`.
    pub nodes: Vec<u16>,
    /// Control nodes relative to a point of the element [m], `[batch][c][b][a][component][lane]`.
    pub geometry: AlignedVec<T>,
    /// Parameters of the law, `[batch][point][parameter][lane]`, or without the point if they do not vary inside an element.
    pub material: AlignedVec<T>,
    /// Whether the material varies inside an element.
    pub material_varies: bool,
    /// Coefficients of the symmetry axis, `[batch][coefficient][component][lane]`; empty if the rheology has none.
    pub axes: AlignedVec<T>,
    /// Moduli that relax, `[batch][relaxing point][mechanism][λ_l, μ_l][lane]`, or without the point if they do not vary inside an element; empty if
    /// elastic.
    pub relaxing: AlignedVec<T>,
    /// Constants of the absorbing axes, `[batch][axis][point along it][constant][lane]`, see [`crate::PML_CONSTANTS`]; zeta first. Empty in the domain.
    pub pml: AlignedVec<T>,
}

impl<T: Scalar> ElementData<T> {
    /// Bytes held.
    pub fn bytes(&self) -> usize {
        let arrays = [&self.geometry, &self.material, &self.axes, &self.relaxing, &self.pml];
        2 * self.nodes.len() + arrays.into_iter().map(AlignedVec::bytes).sum::<usize>()
    }
}

/// Number of vectors per point of a batch in the scratch.
const CUBES: usize = 2;

/// Scratch memory of one worker for advancing a patch.
pub struct Scratch<T: Scalar> {
    /// Displacement of the patch's nodes [m]; in a fluid the first values are the potential [kg/m].
    pub values: Box<NodeScratch<T>>,
    /// Their rates, in the same layout; only read in absorbing layers.
    pub rates: Box<NodeScratch<T>>,
    /// Forces on the patch's nodes [N], in the layout of `values`; in a fluid injected volumes [m³].
    pub force: Box<NodeScratch<T>>,
    /// Vectors per point and lane, for one batch.
    cubes: AlignedVec<T>,
}

impl<T: Scalar> Scratch<T> {
    /// Scratch for elements of `points` points per axis.
    pub fn new(points: usize, isa: Isa) -> Self {
        Self {
            values: node_scratch(),
            rates: node_scratch(),
            force: node_scratch(),
            cubes: AlignedVec::zeroed(CUBES * 3 * size_of_kernel(points).pow(3) * T::lanes(isa)),
        }
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        3 * size_of::<NodeScratch<T>>() + self.cubes.bytes()
    }
}

/// The kernel of one degree, geometry and law.
pub trait ElementKernel<T: Scalar>: Send + Sync {
    /// Adds the forces -K u of some batches of a patch to those in `scratch`, and the damping of layers, and advances their memory variables by one step.
    ///
    /// # Arguments
    /// * `memory` – memory variables of all batches
    fn add_forces(
        &self,
        isa: Isa,
        elements: &ElementData<T>,
        memory: &mut Memory<T>,
        batches: Range<usize>,
        scratch: &mut Scratch<T>,
    );
}

/// The precision of a run: `f32` or `f64`.
pub trait Precision: Scalar {
    /// The kernel for a degree (1 to 10), a number of control nodes per axis (2 or 3), and a material, with any relaxation.
    ///
    /// # Panics
    /// For other degrees or control nodes.
    #[doc(hidden)]
    fn element_kernel(gll: &Gll, control: usize, material: MaterialKind) -> Box<dyn ElementKernel<Self>>;
}

// The types are concrete here, so that the kernels are compiled with this crate, not again in every program that uses it.
impl Precision for f32 {
    #[inline(never)]
    fn element_kernel(gll: &Gll, control: usize, material: MaterialKind) -> Box<dyn ElementKernel<f32>> {
        for_material(gll, control, material)
    }
}

impl Precision for f64 {
    #[inline(never)]
    fn element_kernel(gll: &Gll, control: usize, material: MaterialKind) -> Box<dyn ElementKernel<f64>> {
        for_material(gll, control, material)
    }
}

fn for_material<T: Scalar>(gll: &Gll, control: usize, material: MaterialKind) -> Box<dyn ElementKernel<T>> {
    match (material, control) {
        (MaterialKind::Isotropic, 2) => for_degree::<T, SolidLaw<Isotropic>, 2, 3>(gll),
        (MaterialKind::Isotropic, 3) => for_degree::<T, SolidLaw<Isotropic>, 3, 3>(gll),
        (MaterialKind::TransverselyIsotropic, 2) => for_degree::<T, SolidLaw<TransverselyIsotropic>, 2, 3>(gll),
        (MaterialKind::TransverselyIsotropic, 3) => for_degree::<T, SolidLaw<TransverselyIsotropic>, 3, 3>(gll),
        (MaterialKind::Anisotropic, 2) => for_degree::<T, SolidLaw<Anisotropic>, 2, 3>(gll),
        (MaterialKind::Anisotropic, 3) => for_degree::<T, SolidLaw<Anisotropic>, 3, 3>(gll),
        (MaterialKind::Fluid, 2) => for_degree::<T, FluidLaw, 2, 1>(gll),
        (MaterialKind::Fluid, 3) => for_degree::<T, FluidLaw, 3, 1>(gll),
        _ => unreachable!("no kernel of {material:?} for {control} control nodes per axis"),
    }
}

fn for_degree<T: Scalar, L: BatchLaw<C>, const G: usize, const C: usize>(gll: &Gll) -> Box<dyn ElementKernel<T>> {
    match size_of_kernel(gll.points.len()) {
        MOST => Box::new(Skeleton::<T, L, MOST, G, C>::new(gll)),
        _ => Box::new(Skeleton::<T, L, CONSTANT, G, C>::new(gll)),
    }
}

/// The element kernel for elements of at most `N` points along an axis.
struct Skeleton<T, L, const N: usize, const G: usize, const C: usize> {
    tables: Tables<T, N, G>,
    law: PhantomData<L>,
}

impl<T: Scalar, L: BatchLaw<C>, const N: usize, const G: usize, const C: usize> Skeleton<T, L, N, G, C> {
    fn new(gll: &Gll) -> Self {
        Self { tables: Tables::new(gll), law: PhantomData }
    }
}

impl<T: Scalar, L: BatchLaw<C>, const N: usize, const G: usize, const C: usize> ElementKernel<T>
    for Skeleton<T, L, N, G, C>
{
    fn add_forces(
        &self,
        isa: Isa,
        elements: &ElementData<T>,
        memory: &mut Memory<T>,
        batches: Range<usize>,
        scratch: &mut Scratch<T>,
    ) {
        let tables = &self.tables;
        T::dispatch(isa, AddForces::<T, L, N, G, C> { tables, elements, memory, batches, scratch, law: PhantomData });
    }
}

struct AddForces<'a, T: Scalar, L, const N: usize, const G: usize, const C: usize> {
    tables: &'a Tables<T, N, G>,
    elements: &'a ElementData<T>,
    memory: &'a mut Memory<T>,
    batches: Range<usize>,
    scratch: &'a mut Scratch<T>,
    law: PhantomData<L>,
}

impl<T: Scalar, L: BatchLaw<C>, const N: usize, const G: usize, const C: usize> Kernel<T>
    for AddForces<'_, T, L, N, G, C>
{
    type Output = ();

    #[inline(always)]
    fn run<V: Lanes<Scalar = T>>(self) {
        let Scratch { values, rates, force, cubes } = self.scratch;
        let Memory { decays, pml, variables } = self.memory;
        let [u, work] = cubes_of::<V, N, C, CUBES>(cubes);
        let n = self.tables.along();
        for batch in self.batches {
            let nodes = &self.elements.nodes[batch * n.pow(3) * V::COUNT..][..n.pow(3) * V::COUNT];
            gather::<V, L, N, C>(values, nodes, n, u);
            let [relaxing, filters] = Memory::of_batch::<V>(variables, self.elements, batch, n);
            let mut stretching = Stretching::of_batch(self.elements, pml, filters, batch, n);
            let mut law = L::of_batch::<V>(self.elements, decays, relaxing, batch, n);
            let geometry = control_nodes::<V, G>(self.elements, batch);
            // A closure for each call: one that is shared would be a function of its own, which is compiled without vector instructions. Kernels with variable loops
            // have no version without filters.
            if N != MOST && !stretching.damps() {
                let law = (&mut law, &mut Unstretched);
                stiffness::<V, L::Of<'_, V>, N, G, C>(self.tables, geometry, law, u, work, |point, value| {
                    L::scatter_add(value, force, &nodes[point * V::COUNT..])
                });
                continue;
            }
            let law = (&mut law, &mut stretching);
            stiffness::<V, L::Of<'_, V>, N, G, C>(self.tables, geometry, law, u, work, |point, value| {
                L::scatter_add(value, force, &nodes[point * V::COUNT..])
            });
            if stretching.damps() {
                gather::<V, L, N, C>(rates, nodes, n, u);
                stretching
                    .damp(self.tables, u, |point, value| L::scatter_add(value, force, &nodes[point * V::COUNT..]));
            }
        }
    }
}

/// Reads the unknowns of a batch of elements with `n` points along an axis.
#[inline(always)]
fn gather<V: Lanes, L: BatchLaw<C>, const N: usize, const C: usize>(
    values: &NodeScratch<V::Scalar>,
    nodes: &[u16],
    n: usize,
    u: &mut Cube<V, N, C>,
) {
    for k in 0..n {
        for j in 0..n {
            for i in 0..n {
                u[k][j][i] = L::gather(values, &nodes[(i + n * (j + n * k)) * V::COUNT..][..V::COUNT]);
            }
        }
    }
}

/// Views scratch as `COUNT` cubes of lanes.
#[inline(always)]
fn cubes_of<V: Lanes, const N: usize, const C: usize, const COUNT: usize>(
    scratch: &mut [V::Scalar],
) -> &mut [Cube<V, N, C>; COUNT] {
    let points = V::cast_mut(scratch).as_chunks_mut::<C>().0;
    let cubes = points.as_chunks_mut::<N>().0.as_chunks_mut::<N>().0.as_chunks_mut::<N>().0;
    cubes.first_chunk_mut().expect("scratch has room for the cubes of a batch")
}

/// Control nodes of one batch.
#[inline(always)]
fn control_nodes<V: Lanes, const G: usize>(elements: &ElementData<V::Scalar>, batch: usize) -> &ControlNodes<V, G> {
    let nodes = V::cast(&elements.geometry).as_chunks::<3>().0;
    &nodes.as_chunks::<G>().0.as_chunks::<G>().0.as_chunks::<G>().0[batch]
}
