//! Element order, patches and shared nodes of a mesh, common to all parts of a run.

use std::ops::Range;
use std::sync::Arc;

use craton_mesh::{HexMesh, Numbering, Patches, recursive_bisection};
use craton_numerics::gll::Gll;
use rayon::prelude::*;

use crate::SemError;
use crate::boundary::{self, Boundaries, Boundary};
use crate::discretisation::Patching;
use crate::fields::NodePlace;
use crate::layout::{Layout, PatchNodes};
use crate::rheologies::Rheologies;
use craton_sem_kernels::Rheology;

/// A mesh in the element order of the solver, divided into patches. It is independent of parts, devices and threads.
pub struct Plan {
    /// The mesh, with its elements in patch order.
    pub(crate) mesh: HexMesh,
    /// Number in the original mesh of each element of `mesh`.
    pub(crate) meshed: Vec<u32>,
    /// Number in `mesh` of each element of the original mesh.
    pub(crate) position: Vec<u32>,
    pub(crate) gll: Gll,
    pub(crate) boundaries: Boundaries,
    pub(crate) patching: Patching,
    /// Nodes of each patch.
    pub(crate) layout: Arc<Layout>,
    /// Local node of each point of each patch, `[element of the patch][point]`.
    pub(crate) local: Vec<Vec<u16>>,
    /// Rigid local nodes of each patch.
    pub(crate) rigid: Vec<Vec<u16>>,
    /// Rheology of each patch. Patches of the same rheology are consecutive.
    rheologies: Vec<Rheology>,
}

impl Plan {
    /// Orders the elements of `mesh`, divides them into patches and numbers their nodes.
    ///
    /// # Arguments
    /// * `degree` – polynomial degree, 1 to 10
    /// * `boundaries` – boundary conditions, which determine the absorbing and rigid nodes
    /// * `rheologies` – rheologies of the elements; a patch contains elements of a single rheology
    ///
    /// # Errors
    /// A degree outside 1 to 10, or a mesh with invalid arrays or elements.
    pub fn new(
        mesh: HexMesh,
        degree: usize,
        boundaries: Boundaries,
        patching: Patching,
        rheologies: &Rheologies,
    ) -> Result<Self, SemError> {
        let gll = Gll::new(degree)?;
        let (most, multiple) = patching.elements(degree);
        let of_elements = rheologies.of_elements(&mesh);
        let Patches { elements: meshed, offsets } =
            patches_by_rheology(&mesh.centroids(), |element| of_elements[element], [most, multiple])?;
        let of_patch = |first: &u32| of_elements[meshed[*first as usize] as usize];
        let rheologies = offsets[..offsets.len() - 1].iter().map(of_patch).collect();
        let mesh = {
            // Moves the original mesh into this block, which frees it.
            let given = mesh;
            given.reordered(&meshed)?
        };
        let mut position = vec![0; meshed.len()];
        for (here, &element) in meshed.iter().enumerate() {
            position[element as usize] = here as u32;
        }
        let numbering = Numbering::new(&mesh, degree)?;
        let on_side = |kind| boundary::nodes_on(&mesh, &numbering, &boundaries, kind);
        let (layout, local) = Layout::new(&numbering, &offsets, &on_side(Boundary::Absorbing));
        let rigid = rigid_nodes(&layout.patches, &local, &numbering, &on_side(Boundary::Rigid));
        Ok(Self {
            mesh,
            meshed,
            position,
            gll,
            boundaries,
            patching,
            layout: Arc::new(layout),
            local,
            rigid,
            rheologies,
        })
    }

    /// The mesh, with its elements in the order of the solver.
    pub fn mesh(&self) -> &HexMesh {
        &self.mesh
    }

    /// The Gauss-Lobatto-Legendre rule of the elements.
    pub fn gll(&self) -> &Gll {
        &self.gll
    }

    /// Number of distinct nodes.
    pub fn n_nodes(&self) -> usize {
        self.layout.n_nodes()
    }

    /// Number of patches.
    pub fn n_patches(&self) -> usize {
        self.layout.patches.len()
    }

    /// The rheology of a patch.
    pub fn rheology(&self, patch: usize) -> Rheology {
        self.rheologies[patch]
    }

    /// The distinct rheologies of the patches, in patch order.
    pub(crate) fn rheologies_in_use(&self) -> Vec<Rheology> {
        let mut all = self.rheologies.clone();
        all.dedup();
        all
    }

    /// Elements of a patch.
    pub(crate) fn elements(&self, patch: usize) -> Range<usize> {
        self.layout.patches[patch].elements.clone()
    }

    /// The patch of an element.
    pub fn patch_of_element(&self, element: u32) -> usize {
        self.patch_of(element).0
    }

    /// The patch that contains an element, and its position in the patch.
    pub(crate) fn patch_of(&self, element: u32) -> (usize, usize) {
        let element = element as usize;
        let patch = self.layout.patches.partition_point(|nodes| nodes.elements.end <= element);
        (patch, element - self.layout.patches[patch].elements.start)
    }

    /// The patch of an element, and the local nodes of its points in lexicographic order.
    pub(crate) fn local_nodes(&self, element: u32) -> (usize, &[u16]) {
        let points = self.gll.points.len().pow(3);
        let (patch, within) = self.patch_of(element);
        (patch, &self.local[patch][within * points..][..points])
    }

    /// Locations of the nodes of an element, in lexicographic order.
    pub fn places(&self, element: u32) -> impl Iterator<Item = NodePlace> {
        let (patch, local) = self.local_nodes(element);
        local.iter().map(move |&node| self.layout.patches[patch].place(patch, node))
    }

    /// Memory in bytes.
    pub fn bytes(&self) -> usize {
        let mesh = &self.mesh;
        size_of_val(&mesh.control_nodes[..])
            + size_of_val(&mesh.connectivity[..])
            + size_of_val(&mesh.twin[..])
            + size_of_val(&mesh.region[..])
            + self.local.iter().map(|local| size_of_val(&local[..])).sum::<usize>()
            + self.layout.bytes()
    }
}

/// Divides elements into patches of one rheology each, in ascending order.
fn patches_by_rheology(
    centroids: &[[f64; 3]],
    rheology: impl Fn(usize) -> Rheology,
    [most, multiple]: [usize; 2],
) -> Result<Patches, SemError> {
    let mut all = Patches { elements: Vec::with_capacity(centroids.len()), offsets: vec![0] };
    let mut rheologies: Vec<Rheology> = (0..centroids.len()).map(&rheology).collect();
    rheologies.sort_unstable();
    rheologies.dedup();
    for wanted in rheologies {
        let own: Vec<u32> = (0..centroids.len() as u32).filter(|&e| rheology(e as usize) == wanted).collect();
        let places: Vec<[f64; 3]> = own.iter().map(|&element| centroids[element as usize]).collect();
        let Patches { elements, offsets } = recursive_bisection(&places, most, multiple)?;
        let before = all.elements.len() as u32;
        all.elements.extend(elements.into_iter().map(|index| own[index as usize]));
        all.offsets.extend(offsets[1..].iter().map(|&end| before + end));
    }
    Ok(all)
}

/// Rigid local nodes of each patch.
fn rigid_nodes(patches: &[PatchNodes], local: &[Vec<u16>], numbering: &Numbering, rigid: &[bool]) -> Vec<Vec<u16>> {
    let points = (numbering.degree + 1).pow(3);
    let of_patch = |(nodes, local): (&PatchNodes, &Vec<u16>)| {
        let global = &numbering.local_to_global[nodes.elements.start * points..nodes.elements.end * points];
        let fixed = local.iter().zip(global).filter(|&(_, &node)| rigid[node as usize]);
        let mut fixed: Vec<u16> = fixed.map(|(&local, _)| local).collect();
        fixed.sort_unstable();
        fixed.dedup();
        fixed
    };
    if !rigid.contains(&true) {
        return vec![Vec::new(); patches.len()];
    }
    patches.par_iter().zip(local).map(of_patch).collect()
}
