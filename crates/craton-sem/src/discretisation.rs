//! A scenario's Earth on a mesh: everything about the elements and nodes that does not depend on the time step.

use craton_device::{Isa, NODE_CAPACITY, Scalar, Workers};
use craton_mesh::{HexMesh, Numbering, recursive_bisection};
use craton_model::EarthModel;
use craton_numerics::gll::Gll;
use rayon::prelude::*;

use crate::SemError;
use crate::boundary::{self, Boundaries, Boundary};
use crate::elements::{PatchElements, Recipe};
use crate::kernel::{ElementData, ElementKernel, Precision};
use crate::layout::{Layout, PatchNodes};
use crate::stability::{self, StableStep};

/// How elements are cut into patches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Patching {
    /// For threads: up to 256 elements, whose nodes fit the second-level cache, in whole multiples of the widest batch of lanes, so that
    /// patches are the same for every instruction set.
    Threads,
    /// For the shared memory of a GPU: 24 elements.
    Blocks,
}

impl Patching {
    /// What serves a GPU best: blocks where there are kernels for them.
    pub fn for_gpu<T: Scalar>(degree: usize) -> Self {
        if degree == 4 && size_of::<T>() == 4 { Self::Blocks } else { Self::Threads }
    }

    /// Elements of a patch, at most, and what they are a multiple of. A thread's nodes and a spare one fit the scratch even if none is shared.
    fn elements(self, degree: usize) -> (usize, usize) {
        let largest = (NODE_CAPACITY - 1) / (degree + 1).pow(3);
        match self {
            Self::Threads => (256.min(largest / 16 * 16), 16),
            Self::Blocks => (24, 24),
        }
    }
}

/// How the Earth is discretised.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// Polynomial degree, 1 to 10.
    pub degree: usize,
    /// What happens at the sides.
    pub boundaries: Boundaries,
    /// Instruction set of the kernels.
    pub isa: Isa,
    /// How elements are cut into patches.
    pub patching: Patching,
}

/// Elements, nodes, masses and the stable time step.
pub struct Discretisation<T: Scalar> {
    pub(crate) mesh: HexMesh,
    /// Where each element of the mesh as it was given stands in `mesh`.
    pub(crate) position: Vec<u32>,
    pub(crate) gll: Gll,
    pub(crate) isa: Isa,
    pub(crate) kernel: Box<dyn ElementKernel<T>>,
    pub(crate) layout: Layout,
    pub(crate) patches: Vec<ElementData<T>>,
    /// Mass of the inner nodes of each patch [kg]; infinite where rigid.
    pub(crate) inner_mass: Vec<Vec<f64>>,
    /// Mass of the shared nodes [kg]; infinite where rigid.
    pub(crate) shared_mass: Vec<f64>,
    /// Damping of the absorbing nodes [kg/s], xx, yy, zz, yz, xz, xy.
    pub(crate) damping: Vec<[f64; 6]>,
    anisotropic: bool,
    patching: Patching,
    stable: StableStep,
}

impl<T: Precision> Discretisation<T> {
    /// Discretises `model` on `mesh`.
    ///
    /// # Errors
    /// A degree outside 1 to 10, or a mesh whose arrays or elements are not sound.
    pub fn new(mesh: HexMesh, model: &EarthModel, options: &Options, workers: &Workers) -> Result<Self, SemError> {
        let gll = Gll::new(options.degree)?;
        let (most, multiple) = options.patching.elements(options.degree);
        let patches = recursive_bisection(&mesh.centroids(), most, multiple)?;
        let mesh = mesh.reordered(&patches.elements)?;
        let mut position = vec![0; patches.elements.len()];
        for (here, &element) in patches.elements.iter().enumerate() {
            position[element as usize] = here as u32;
        }
        let numbering = Numbering::new(&mesh, options.degree)?;
        let absorbing = boundary::nodes_on(&mesh, &numbering, &options.boundaries, Boundary::Absorbing);
        let mut layout = Layout::new(&numbering, &patches, &absorbing);

        let anisotropic = model.is_anisotropic();
        let kernel = T::element_kernel(&gll, mesh.geometry, anisotropic);
        let recipe = Recipe { mesh: &mesh, model, gll: &gll, anisotropic, lanes: T::lanes(options.isa) };
        let elements: Vec<PatchElements<T>> =
            workers.run(|| layout.patches.par_iter().map(|nodes| recipe.build(nodes)).collect());
        let points = gll.points.len();
        let stable = workers.run(|| {
            stability::stable_step(&*kernel, options.isa, &mesh, &layout, &elements, points, &patches.elements)
        });

        let damping = assemble_damping(&layout, &gll, &boundary::damping(&mesh, model, &gll, &options.boundaries));
        let rigid = boundary::nodes_on(&mesh, &numbering, &options.boundaries, Boundary::Rigid);
        let (inner_mass, shared_mass) = assemble_mass(&layout, &elements, &numbering, &rigid);
        for nodes in &mut layout.patches {
            nodes.local = Vec::new();
        }
        let patches = elements.into_iter().map(|patch| patch.data).collect();
        Ok(Self {
            mesh,
            position,
            gll,
            isa: options.isa,
            kernel,
            layout,
            patches,
            inner_mass,
            shared_mass,
            damping,
            anisotropic,
            patching: options.patching,
            stable,
        })
    }
}

impl<T: Scalar> Discretisation<T> {
    /// The mesh, its elements in the order of the solver.
    pub fn mesh(&self) -> &HexMesh {
        &self.mesh
    }

    /// The one-dimensional points of an element.
    pub fn gll(&self) -> &Gll {
        &self.gll
    }

    /// Whether elements carry 21 coefficients per point instead of two.
    pub fn anisotropic(&self) -> bool {
        self.anisotropic
    }

    /// Whether its patches are made for the shared memory of a GPU.
    pub fn is_patched_for_blocks(&self) -> bool {
        self.patching == Patching::Blocks
    }

    /// The largest stable time step and the element that sets it.
    pub fn stable(&self) -> &StableStep {
        &self.stable
    }

    /// Number of distinct nodes.
    pub fn n_nodes(&self) -> usize {
        self.layout.n_nodes()
    }

    /// The patch an element lies in, and its position in it.
    pub(crate) fn patch_of(&self, element: u32) -> (usize, usize) {
        let element = element as usize;
        let patch = self.layout.patches.partition_point(|nodes| nodes.elements.end <= element);
        (patch, element - self.layout.patches[patch].elements.start)
    }

    /// Local nodes of the points of an element of a patch.
    pub(crate) fn local_nodes(&self, patch: usize, within: usize) -> impl Iterator<Item = u16> {
        local_nodes(&self.patches[patch].nodes, self.gll.points.len().pow(3), T::lanes(self.isa), within)
    }
}

/// Local nodes of the points of element `within` of a patch, out of the kernel's table.
pub(crate) fn local_nodes(table: &[u16], points: usize, lanes: usize, within: usize) -> impl Iterator<Item = u16> {
    let start = within / lanes * points * lanes + within % lanes;
    (0..points).map(move |point| table[start + point * lanes])
}

/// Sums what absorbing faces add at each absorbing node.
fn assemble_damping(layout: &Layout, gll: &Gll, faces: &[(u32, usize, [f64; 6])]) -> Vec<[f64; 6]> {
    let points = gll.points.len().pow(3);
    let mut damping = vec![[0.0; 6]; layout.shared - layout.first_absorbing];
    for &(element, point, added) in faces {
        let patch = layout.patches.partition_point(|nodes| nodes.elements.end <= element as usize);
        let nodes: &PatchNodes = &layout.patches[patch];
        let local = usize::from(nodes.local[(element as usize - nodes.elements.start) * points + point]);
        let node = nodes.shared[local - nodes.inner] as usize - layout.first_absorbing;
        for (sum, value) in damping[node].iter_mut().zip(added) {
            *sum += value;
        }
    }
    damping
}

/// Masses of the inner nodes of each patch and of the shared nodes, infinite where rigid.
fn assemble_mass<T: Scalar>(
    layout: &Layout,
    elements: &[PatchElements<T>],
    numbering: &Numbering,
    rigid: &[bool],
) -> (Vec<Vec<f64>>, Vec<f64>) {
    let points = (numbering.degree + 1).pow(3);
    let mut shared = vec![0.0; layout.shared];
    let mut inner = Vec::with_capacity(elements.len());
    for (nodes, elements) in layout.patches.iter().zip(elements) {
        let mut mass = elements.node_mass.clone();
        let global = &numbering.local_to_global[nodes.elements.start * points..nodes.elements.end * points];
        for (&local, &node) in nodes.local.iter().zip(global) {
            if rigid[node as usize] {
                mass[usize::from(local)] = f64::INFINITY;
            }
        }
        for (&node, &mass) in nodes.shared.iter().zip(&mass[nodes.inner..]) {
            shared[node as usize] += mass;
        }
        mass.truncate(nodes.inner);
        inner.push(mass);
    }
    (inner, shared)
}
