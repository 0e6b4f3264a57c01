//! Element order, patches and shared nodes of a mesh, common to all parts of a run.

use std::ops::Range;
use std::sync::Arc;

use craton_mesh::{HexMesh, MeshError, Numbering, Patches, Topology, recursive_bisection};
use craton_numerics::gll::Gll;
use rayon::prelude::*;

use crate::SemError;
use crate::boundary::{self, Boundaries, Boundary};
use crate::closed::FluidPieces;
use crate::discretisation::Patching;
use crate::fields::NodePlace;
use crate::layout::{Layout, PatchNodes, SpecialNodes};
use crate::levels::Order;
use crate::pml::PmlProfile;
use crate::rheologies::Rheologies;
use crate::team::Team;
use crate::wet::{self, WetFace, WetNode, WetSides};
use craton_sem_kernels::{Phase, Rheology};

/// Number of patches of each level of local time steps in all tiles, unless the smallest or largest patches are fewer or more.
const PATCHES_OF_LEVEL: usize = 32;

/// A mesh in the element order of the solver, divided into patches. It is independent of parts, devices and threads.
pub struct Plan {
    /// The mesh, with its elements in patch order: solid ones first.
    pub(crate) mesh: HexMesh,
    /// Key of each element of `mesh`, see [`Self::key`].
    keys: Vec<u64>,
    /// Number in `mesh` of each element of the original mesh.
    pub(crate) position: Vec<u32>,
    /// First fluid element.
    pub(crate) first_fluid: u32,
    pub(crate) gll: Gll,
    pub(crate) boundaries: Boundaries,
    pub(crate) patching: Patching,
    /// Solids and fluids, either of which may have no patch.
    phases: [PhasePlan; 2],
    /// Nodes between solids and fluids.
    pub(crate) wet: Vec<WetNode>,
    /// Faces between solids and fluids.
    pub(crate) wet_faces: Vec<WetFace>,
    /// Pieces of fluids, some of which may be closed.
    pub(crate) fluids: FluidPieces,
    /// The damping of the layers around the domain.
    pub(crate) pml: Option<PmlProfile>,
    /// See [`Self::order`] and [`Self::finest_level`].
    substeps: (Order, u8),
}

/// The patches and nodes of a phase.
pub(crate) struct PhasePlan {
    /// Nodes of each patch.
    pub layout: Arc<Layout>,
    /// Local node of each point of each patch, `[element of the patch][point]`.
    pub local: Vec<Vec<u16>>,
    /// Local nodes of each patch whose unknowns stay zero: on rigid sides of a solid, on free surfaces of a fluid, at the outer ends of absorbing layers.
    pub fixed: Vec<Vec<u16>>,
    /// Rheology of each patch. Patches of the same rheology are consecutive.
    pub rheologies: Vec<Rheology>,
    /// Level of each patch: its elements are computed 2^level times in a step.
    pub rates: Vec<u8>,
}

impl Plan {
    /// Orders the elements of `mesh`, divides them into patches and numbers their nodes.
    ///
    /// # Arguments
    /// * `degree` – polynomial degree, 1 to 10
    /// * `boundaries` – boundary conditions, which determine the absorbing and fixed nodes
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
        let Ordered { mesh, keys, position, offsets, kinds } =
            Ordered::new(mesh, patching.elements(degree), rheologies)?;
        let pml = rheologies.pml().cloned();
        let substeps = rheologies.levels().map_or((Order::Second, 0), |levels| (levels.order(), levels.finest()));
        let (rheologies, rates): (Vec<Rheology>, Vec<u8>) = kinds.into_iter().unzip();
        let solid_patches = rheologies.partition_point(|rheology| rheology.phase() == Phase::Solid);
        let first_fluid = offsets[solid_patches];
        let topology = Topology::new(&mesh)?;
        let numbering = Numbering::from_topology(&topology, degree)?;
        let on_side = |kind| boundary::nodes_on(&mesh, &numbering, &boundaries, kind).into_iter();
        let damped = boundary::damped_nodes((&mesh, &gll), &numbering, &boundaries, pml.as_ref());
        let special = SpecialNodes { absorbing: damped, wet: wet::between(&numbering, first_fluid) };
        let either = |(on, at_end): (bool, bool)| on | at_end;
        let fixed_by = |kind| -> Vec<bool> { on_side(kind).zip(on_side(Boundary::LayerEnd)).map(either).collect() };
        let phase = |patches: Range<usize>, fixed: Boundary| {
            let own = &rates[patches.clone()];
            let (layout, local) = Layout::new(&numbering, &offsets[patches.start..=patches.end], &special, own);
            let fixed = fixed_nodes(&layout.patches, &local, &numbering, &fixed_by(fixed));
            let rheologies = rheologies[patches].to_vec();
            PhasePlan { layout: Arc::new(layout), local, fixed, rheologies, rates: own.to_vec() }
        };
        let is_fixed = if solid_patches < rheologies.len() { fixed_by(Boundary::Free) } else { Vec::new() };
        let fluids = FluidPieces::new(&numbering, first_fluid, |element| keys[element as usize], &is_fixed);
        let phases = [phase(0..solid_patches, Boundary::Rigid), phase(solid_patches..rheologies.len(), Boundary::Free)];
        let sides = WetSides { mesh: &mesh, topology: &topology, numbering: &numbering, gll: &gll, first_fluid };
        let wet_faces = sides.faces();
        Ok(Self {
            wet: sides.nodes(&wet_faces, &special.wet, &phases),
            mesh,
            keys,
            position,
            first_fluid,
            gll,
            boundaries,
            patching,
            phases,
            wet_faces,
            fluids,
            pml,
            substeps,
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

    /// Number of distinct nodes; nodes between solids and fluids count twice.
    pub fn n_nodes(&self) -> usize {
        self.phases.iter().map(|phase| phase.layout.n_nodes()).sum()
    }

    /// Number of nodes of the parts of this process, without those whose first patch belongs to another one; nodes between solids and fluids count twice.
    pub fn n_nodes_of(&self, team: &Team) -> usize {
        let of_phase = |phase: Phase| {
            let layout = &self.of(phase).layout;
            let is_own = |patch: usize| team.own().contains(&team.parts().of_patch(phase, patch));
            let inner = layout.patches.iter().enumerate().filter(|(patch, _)| is_own(*patch));
            let shared = (0..layout.shared as u32).map(|node| layout.contributions_of(node)[0].0 as usize);
            inner.map(|(_, nodes)| nodes.inner).sum::<usize>() + shared.filter(|&patch| is_own(patch)).count()
        };
        self.phases().map(of_phase).sum()
    }

    /// Number of patches.
    pub fn n_patches(&self) -> usize {
        self.phases.iter().map(|phase| phase.layout.patches.len()).sum()
    }

    /// The patches and nodes of a phase.
    pub(crate) fn of(&self, phase: Phase) -> &PhasePlan {
        &self.phases[phase as usize]
    }

    /// The phases of the mesh.
    pub fn phases(&self) -> impl Iterator<Item = Phase> {
        Phase::ALL.into_iter().filter(|&phase| !self.of(phase).rheologies.is_empty())
    }

    /// The phase of an element.
    pub fn phase_of(&self, element: u32) -> Phase {
        if element < self.first_fluid { Phase::Solid } else { Phase::Fluid }
    }

    /// The rheology of an element.
    pub fn rheology_of(&self, element: u32) -> Rheology {
        self.of(self.phase_of(element)).rheologies[self.patch_of(element).0]
    }

    /// The highest level of the whole mesh, of which the plan may have a window: the run has 2^level substeps in a step.
    pub fn finest_level(&self) -> u8 {
        self.substeps.1
    }

    /// Order of accuracy in time: four if all elements of the whole mesh have substeps.
    pub fn order(&self) -> Order {
        self.substeps.0
    }

    /// The level of the patch of an element.
    pub fn level_of(&self, element: u32) -> u8 {
        self.of(self.phase_of(element)).rates[self.patch_of(element).0]
    }

    /// The distinct rheologies of the patches, in patch order.
    pub(crate) fn rheologies_in_use(&self) -> Vec<Rheology> {
        let mut all: Vec<Rheology> = self.phases.iter().flat_map(|phase| phase.rheologies.clone()).collect();
        all.dedup();
        all
    }

    /// Identifies an element among those of all processes, each of which may have a plan of some tiles of the mesh, see [`HexMesh::keys`].
    pub(crate) fn key(&self, element: u32) -> u64 {
        self.keys[element as usize]
    }

    /// The patch of its phase that contains an element.
    pub fn patch_of_element(&self, element: u32) -> usize {
        self.patch_of(element).0
    }

    /// The patch of its phase that contains an element, and its position in the patch.
    pub(crate) fn patch_of(&self, element: u32) -> (usize, usize) {
        let patches = &self.of(self.phase_of(element)).layout.patches;
        let element = element as usize;
        let patch = patches.partition_point(|nodes| nodes.elements.end <= element);
        (patch, element - patches[patch].elements.start)
    }

    /// The patch of an element, and the local nodes of its points in lexicographic order.
    pub(crate) fn local_nodes(&self, element: u32) -> (usize, &[u16]) {
        let points = self.gll.points.len().pow(3);
        let (patch, within) = self.patch_of(element);
        (patch, &self.of(self.phase_of(element)).local[patch][within * points..][..points])
    }

    /// Locations of the nodes of an element among those of its phase, in lexicographic order.
    pub fn places(&self, element: u32) -> impl Iterator<Item = NodePlace> {
        let (patch, local) = self.local_nodes(element);
        let nodes = &self.of(self.phase_of(element)).layout.patches[patch];
        local.iter().map(move |&node| nodes.place(patch, node))
    }

    /// Memory in bytes.
    pub fn bytes(&self) -> usize {
        let mesh = &self.mesh;
        size_of_val(&mesh.control_nodes[..])
            + size_of_val(&mesh.connectivity[..])
            + size_of_val(&mesh.twin[..])
            + size_of_val(&mesh.region[..])
            + self.phases.iter().map(PhasePlan::bytes).sum::<usize>()
            + size_of_val(&self.wet[..])
    }
}

impl PhasePlan {
    fn bytes(&self) -> usize {
        self.local.iter().map(|local| size_of_val(&local[..])).sum::<usize>() + self.layout.bytes()
    }
}

/// A mesh whose elements are in the order of their patches.
struct Ordered {
    mesh: HexMesh,
    /// See [`Plan::keys`].
    keys: Vec<u64>,
    /// See [`Plan::position`].
    position: Vec<u32>,
    /// First element of each patch, and the end of the last one.
    offsets: Vec<u32>,
    /// What the elements of each patch have in common.
    kinds: Vec<Kind>,
}

impl Ordered {
    /// Orders the elements of `mesh`, which is freed.
    ///
    /// # Arguments
    /// * `most`, `multiple` – see [`Patching::elements`]
    fn new(mesh: HexMesh, (most, multiple): (usize, usize), rheologies: &Rheologies) -> Result<Self, SemError> {
        let of_elements = kinds_of_elements(&mesh, rheologies);
        let group = |element: u32| (of_elements[element as usize], mesh.tile_of(element));
        // Parts and threads share the patches of each substep, of which there may be few elements.
        // All processes know in how many tiles a level occurs, and divide a tile into the same patches.
        let least = |(_, level): Kind| match rheologies.levels() {
            Some(levels) => PATCHES_OF_LEVEL.div_ceil(levels.tiles_with(level).max(1)),
            None => 1,
        };
        let Patches { elements: meshed, offsets } =
            patches_by_group(&mesh.centroids(), group, [most, multiple], least)?;
        let keys = mesh.keys();
        let keys = meshed.iter().map(|&element| keys[element as usize]).collect();
        let of_patch = |first: &u32| of_elements[meshed[*first as usize] as usize];
        let kinds = offsets[..offsets.len() - 1].iter().map(of_patch).collect();
        let mut position = vec![0; meshed.len()];
        (0..).zip(&meshed).for_each(|(here, &element)| position[element as usize] = here);
        Ok(Self { mesh: mesh.reordered(&meshed)?, keys, position, offsets, kinds })
    }
}

/// What the elements of a patch have in common: their rheology and the level of their time step.
type Kind = (Rheology, u8);

fn kinds_of_elements(mesh: &HexMesh, rheologies: &Rheologies) -> Vec<Kind> {
    let of_elements = rheologies.of_elements(mesh);
    match rheologies.levels() {
        Some(levels) => of_elements.into_iter().zip(levels.rates().iter().copied()).collect(),
        None => of_elements.into_iter().map(|rheology| (rheology, 0)).collect(),
    }
}

/// Divides elements into patches of one kind and one tile each, in ascending order.
///
/// # Arguments
/// * `least` – number of patches of a kind in a tile, if it has enough elements
fn patches_by_group(
    centroids: &[[f64; 3]],
    group: impl Fn(u32) -> (Kind, u32) + Sync,
    [most, multiple]: [usize; 2],
    least: impl Fn(Kind) -> usize + Sync,
) -> Result<Patches, SemError> {
    let mut order: Vec<u32> = (0..centroids.len() as u32).collect();
    order.par_sort_by_key(|&element| group(element));
    let groups: Vec<&[u32]> = order.chunk_by(|&a, &b| group(a) == group(b)).collect();
    let divide = |own: &&[u32]| {
        let places: Vec<[f64; 3]> = own.iter().map(|&element| centroids[element as usize]).collect();
        let wanted = own.len().div_ceil(least(group(own[0]).0)).next_multiple_of(multiple);
        recursive_bisection(&places, wanted.clamp(multiple, most), multiple)
    };
    let divided: Vec<Patches> = groups.par_iter().map(divide).collect::<Result<_, MeshError>>()?;
    let mut all = Patches { elements: Vec::with_capacity(centroids.len()), offsets: vec![0] };
    for (own, Patches { elements, offsets }) in groups.into_iter().zip(divided) {
        let before = all.elements.len() as u32;
        all.elements.extend(elements.into_iter().map(|index| own[index as usize]));
        all.offsets.extend(offsets[1..].iter().map(|&end| before + end));
    }
    Ok(all)
}

/// Local nodes of each patch whose unknowns stay zero, given for each global node.
fn fixed_nodes(patches: &[PatchNodes], local: &[Vec<u16>], numbering: &Numbering, is_fixed: &[bool]) -> Vec<Vec<u16>> {
    let points = (numbering.degree + 1).pow(3);
    let of_patch = |(nodes, local): (&PatchNodes, &Vec<u16>)| {
        let global = &numbering.local_to_global[nodes.elements.start * points..nodes.elements.end * points];
        let fixed = local.iter().zip(global).filter(|&(_, &node)| is_fixed[node as usize]);
        let mut fixed: Vec<u16> = fixed.map(|(&local, _)| local).collect();
        fixed.sort_unstable();
        fixed.dedup();
        fixed
    };
    if !is_fixed.contains(&true) {
        return vec![Vec::new(); patches.len()];
    }
    patches.par_iter().zip(local).map(of_patch).collect()
}
