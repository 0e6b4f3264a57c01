//! Discretisation of an Earth model on a part of a mesh: all element and node data that does not depend on the time step.

use std::sync::Arc;

use craton_comm::Solo;
use craton_device::{AlignedVec, Isa, NODE_CAPACITY, Scalar, Workers};
use craton_mesh::HexMesh;
use craton_model::EarthModel;
use craton_numerics::gll::Gll;
use craton_sem_kernels::{ElementData, Phase, Precision};
use craton_sim::Link;
use rayon::prelude::*;

use crate::SemError;
use crate::boundary::{self, Boundaries};
use crate::canonical::TileSizes;
use crate::elements::{PatchElements, Recipe};
use crate::kernels::Kernels;
use crate::layout::{Layout, PatchNodes};
use crate::moduli::medium_in_element;
use crate::part_set::own_tiles;
use crate::parts::{PartLayout, Parts};
use crate::plan::{PhasePlan, Plan};
use crate::rheologies::Rheologies;
use crate::stability::{self, StableStep};
use crate::team::Team;
use crate::wet::WetNode;

/// Size of the patches into which elements are divided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Patching {
    /// For CPU threads: up to 256 elements, whose nodes fit the second-level cache. A multiple of the widest SIMD batch, so that patches are the same for every
    /// instruction set.
    Threads,
    /// For thread blocks of a GPU: 24 elements, which fit its shared memory.
    Blocks,
}

impl Patching {
    /// Fastest choice for a GPU: [`Self::Blocks`] if there is a kernel for this degree and precision.
    pub fn for_gpu<T: Scalar>(degree: usize) -> Self {
        if degree == 4 && size_of::<T>() == 4 { Self::Blocks } else { Self::Threads }
    }

    /// Largest number of elements of a patch, and its granularity. The nodes of a patch and a spare node fit the scratch even if elements share no nodes.
    pub(crate) fn elements(self, degree: usize) -> (usize, usize) {
        let largest = (NODE_CAPACITY - 1) / (degree + 1).pow(3);
        match self {
            Self::Threads => (256.min(largest / 16 * 16), 16),
            Self::Blocks => (24, 24),
        }
    }
}

/// Discretisation of an Earth model.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// Polynomial degree, 1 to 10.
    pub degree: usize,
    /// Boundary conditions.
    pub boundaries: Boundaries,
    /// Instruction set of the kernels.
    pub isa: Isa,
    /// Size of the patches.
    pub patching: Patching,
}

/// Elements, nodes, masses and the stable time step of one part.
pub struct Discretisation<T: Scalar> {
    pub(crate) plan: Arc<Plan>,
    pub(crate) isa: Isa,
    pub(crate) kernels: Kernels<T>,
    /// Solids and fluids.
    pub(crate) phases: [PhaseDiscretisation<T>; 2],
    /// Wet nodes, with shared numbers of the part.
    pub(crate) wet: Vec<WetNode>,
    /// Relaxation rates of the mechanisms [rad/s]; none in an elastic model.
    pub(crate) rates: Vec<f64>,
    /// The model, if it has fluids.
    fluids: Option<Arc<EarthModel>>,
    stable: StableStep,
    /// Sizes of the state in the tiles of all processes, if there are several.
    pub(crate) tile_sizes: Option<Arc<TileSizes>>,
}

/// The elements and nodes of a phase of one part. Masses and damping of fluids are integrals of 1/κ [m³/Pa] and 1/(ρ c) [m⁴ s/kg].
pub(crate) struct PhaseDiscretisation<T: Scalar> {
    pub own: Arc<PartLayout>,
    pub patches: Vec<ElementData<T>>,
    /// Level of each patch.
    pub rates: Vec<u8>,
    /// Mass of the inner nodes of each patch [kg]; infinite for fixed nodes.
    pub inner_mass: Vec<Vec<f64>>,
    /// Mass of the shared nodes [kg], including contributions of other parts; infinite for fixed nodes.
    pub shared_mass: Vec<f64>,
    /// Damping of the absorbing nodes [kg/s], xx, yy, zz, yz, xz, xy.
    pub damping: Vec<[f64; 6]>,
}

/// A fluid at a point.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FluidPoint {
    /// Density [kg/m³].
    pub rho: f64,
    /// Bulk modulus [Pa].
    pub kappa: f64,
}

/// The layouts of both phases of a part.
pub(crate) type PartLayouts = [PartLayout; 2];
/// The elements of all patches of both phases of a part.
pub(crate) type PartElements<T> = [Vec<PatchElements<T>>; 2];

impl<T: Precision> Discretisation<T> {
    /// Discretises `model` on all of `mesh`, in one part.
    ///
    /// # Errors
    /// A degree outside 1 to 10, or a mesh with invalid arrays or elements.
    pub fn new(mesh: HexMesh, model: &EarthModel, options: &Options, workers: &Workers) -> Result<Self, SemError> {
        let rheologies = Rheologies::new(model, options.degree, true);
        let plan = Plan::new(mesh, options.degree, options.boundaries, options.patching, &rheologies)?;
        let plan = Arc::new(plan);
        let team = Team::new(Parts::one(&plan), Arc::new(Solo));
        let mut all = Self::of_parts(&plan, &team, model, options.isa, workers)?;
        Ok(all.pop().expect("one part"))
    }

    /// Discretises `model` on the parts of this process. Every rank of the team must call it.
    ///
    /// # Errors
    /// A rank that is lost.
    pub fn of_parts(
        plan: &Arc<Plan>,
        team: &Team,
        model: &EarthModel,
        isa: Isa,
        workers: &Workers,
    ) -> Result<Vec<Self>, SemError> {
        let kernels = || Kernels::new(&plan.gll, plan.mesh.geometry, plan.rheologies_in_use().into_iter());
        let recipe = Recipe { mesh: &plan.mesh, model, gll: &plan.gll, lanes: T::lanes(isa), pml: plan.pml.as_ref() };
        let layouts = workers.run(|| layouts(plan, team))?;
        let of_part = |own: &PartLayouts| Phase::ALL.map(|phase| build(&recipe, &own[phase as usize], plan.of(phase)));
        let mut elements: Vec<PartElements<T>> = workers.run(|| layouts.iter().map(of_part).collect());
        let ranking =
            stability::Ranking { kernels: &kernels(), isa, plan, model, parts: &layouts, elements: &elements };
        let stable = workers.run(|| ranking.stable_step(team))?;
        for patch in elements.iter_mut().flatten().flatten() {
            patch.element_mass = AlignedVec::zeroed(0);
        }

        let faces = workers.run(|| boundary::damping(plan, model));
        let damping = Phase::ALL.map(|phase| assemble_damping(plan, phase, &faces));
        let masses = Phase::ALL.map(|phase| assemble_masses(plan, phase, (team, workers), &layouts, &mut elements));
        let mut masses = masses.into_iter().collect::<Result<Vec<_>, SemError>>()?.into_iter();
        let [solid, fluid] = std::array::from_fn(|_| masses.next().expect("masses of both phases"));
        let tile_sizes = tile_sizes(plan, team)?.map(Arc::new);
        let has_fluids = plan.phases().any(|phase| phase == Phase::Fluid);
        let fluids = has_fluids.then(|| Arc::new(model.clone()));
        let parts = layouts.into_iter().zip(elements).zip(solid.into_iter().zip(fluid));
        let of_part = |((layouts, elements), masses): ((PartLayouts, PartElements<T>), (Masses, Masses))| {
            let wet = wet_here(&plan.wet, &layouts);
            let [solid, fluid] = layouts.map(Arc::new);
            let [of_solid, of_fluid] = elements;
            Self {
                plan: Arc::clone(plan),
                isa,
                kernels: kernels(),
                wet,
                phases: [
                    PhaseDiscretisation::new(plan, (Phase::Solid, solid), of_solid, masses.0, &damping[0]),
                    PhaseDiscretisation::new(plan, (Phase::Fluid, fluid), of_fluid, masses.1, &damping[1]),
                ],
                rates: model.attenuation().map_or(Vec::new(), |attenuation| attenuation.relaxation().rates().to_vec()),
                fluids: fluids.clone(),
                stable,
                tile_sizes: tile_sizes.clone(),
            }
        };
        Ok(parts.map(of_part).collect())
    }
}

/// The layouts of the parts of this process.
fn layouts(plan: &Plan, team: &Team) -> Result<Vec<PartLayouts>, SemError> {
    let layout = |part| Phase::ALL.map(|phase| PartLayout::new(plan, phase, team.parts(), part));
    let mut layouts: Vec<PartLayouts> = team.own().map(layout).collect();
    if plan.finest_level() > 0 {
        // All parts exchange messages after the same substeps.
        let own = layouts.iter().flatten().map(|own| own.finest_cut).max().unwrap_or(0);
        let of_all = team.ranks().greatest(own.into())? as u8;
        layouts.iter_mut().flatten().for_each(|own| own.finest_cut = of_all);
    }
    Ok(layouts)
}

/// Sizes of the state in the tiles of all processes, if there are several.
fn tile_sizes(plan: &Plan, team: &Team) -> Result<Option<TileSizes>, SemError> {
    if team.ranks().count() == 1 {
        return Ok(None);
    }
    let tiles = own_tiles(plan, team);
    let own = TileSizes::of_plan(plan, |tile| tiles.contains_key(&tile), Some(team.ranks().rank()));
    Ok(Some(TileSizes::of_all(team.values_of_all(own.as_slice())?)))
}

/// Builds the elements of a phase of a part.
fn build<T: Scalar>(recipe: &Recipe, own: &PartLayout, phase: &PhasePlan) -> Vec<PatchElements<T>> {
    let patches = own.layout.patches.par_iter().zip(&own.patches);
    let build = |(nodes, &patch): (&PatchNodes, &u32)| {
        recipe.build(phase.rheologies[patch as usize], nodes, &phase.local[patch as usize])
    };
    patches.map(build).collect()
}

impl<T: Scalar> PhaseDiscretisation<T> {
    fn new(
        plan: &Plan,
        (phase, own): (Phase, Arc<PartLayout>),
        elements: Vec<PatchElements<T>>,
        (inner_mass, shared_mass): Masses,
        damping: &[[f64; 6]],
    ) -> Self {
        let first_absorbing = plan.of(phase).layout.first_absorbing;
        let absorbing = own.shared[own.layout.first_absorbing..].iter();
        Self {
            patches: elements.into_iter().map(|patch| patch.data).collect(),
            rates: own.patches.iter().map(|&patch| plan.of(phase).rates[patch as usize]).collect(),
            inner_mass,
            shared_mass,
            damping: absorbing.map(|&node| damping[node as usize - first_absorbing]).collect(),
            own,
        }
    }
}

/// The wet nodes of a part, with its shared numbers. A part that has one node of a pair has the other one, too.
fn wet_here(wet: &[WetNode], [solid, fluid]: &PartLayouts) -> Vec<WetNode> {
    let here = |pair: &WetNode| {
        Some(WetNode { solid: solid.shared_node(pair.solid)?, fluid: fluid.shared_node(pair.fluid)?, ..*pair })
    };
    wet.iter().filter_map(here).collect()
}

impl<T: Scalar> Discretisation<T> {
    /// The mesh of the plan, with its elements in the order of the solver.
    pub fn mesh(&self) -> &HexMesh {
        &self.plan.mesh
    }

    /// Whether an element of the mesh belongs to this part.
    pub fn contains(&self, element: u32) -> bool {
        self.of(self.plan.phase_of(element)).own.patch_of(element).is_some()
    }

    /// The plan, which all parts share.
    pub fn plan(&self) -> &Arc<Plan> {
        &self.plan
    }

    /// The Gauss-Lobatto-Legendre rule of the elements.
    pub fn gll(&self) -> &Gll {
        &self.plan.gll
    }

    /// Whether its patches have the size of GPU thread blocks.
    pub fn is_patched_for_blocks(&self) -> bool {
        self.plan.patching == Patching::Blocks
    }

    /// The largest stable time step of all parts, and the element that determines it.
    pub fn stable(&self) -> &StableStep {
        &self.stable
    }

    /// Number of distinct nodes of the mesh of the plan.
    pub fn n_nodes(&self) -> usize {
        self.plan.n_nodes()
    }

    /// Number of elements in this part.
    pub fn n_elements(&self) -> usize {
        self.phases.iter().flat_map(|phase| &phase.own.layout.patches).map(|nodes| nodes.elements.len()).sum()
    }

    /// The elements and nodes of a phase.
    pub(crate) fn of(&self, phase: Phase) -> &PhaseDiscretisation<T> {
        &self.phases[phase as usize]
    }

    /// The fluid at a point of an element; `None` in a solid.
    pub(crate) fn fluid_at(&self, element: u32, xi: [f64; 3]) -> Option<FluidPoint> {
        let model = self.fluids.as_ref().filter(|_| self.plan.phase_of(element) == Phase::Fluid)?;
        let mesh = self.mesh();
        let medium = medium_in_element(model, mesh, element, mesh.position(element, xi));
        Some(FluidPoint { rho: medium.rho(), kappa: medium.rho() * medium.fastest().powi(2) })
    }

    /// Local nodes of the points of element `within` of a patch of this part.
    pub(crate) fn local_nodes(&self, phase: Phase, patch: usize, within: usize) -> impl Iterator<Item = u16> {
        let points = self.plan.gll.points.len().pow(3);
        let local = &self.plan.of(phase).local[self.of(phase).own.patches[patch] as usize];
        local[within * points..][..points].iter().copied()
    }
}

/// Sums the contributions of absorbing faces at each absorbing node of a phase of a plan.
fn assemble_damping(plan: &Plan, phase: Phase, faces: &[(u32, usize, [f64; 6])]) -> Vec<[f64; 6]> {
    let Layout { patches, shared, first_absorbing, .. } = &*plan.of(phase).layout;
    let mut damping = vec![[0.0; 6]; shared - first_absorbing];
    let of_elements = faces.chunk_by(|(element, ..), (next, ..)| element == next);
    for own in of_elements.filter(|own| plan.phase_of(own[0].0) == phase) {
        let (patch, local) = plan.local_nodes(own[0].0);
        let nodes = &patches[patch];
        for &(_, point, added) in own {
            let node = nodes.shared[usize::from(local[point]) - nodes.inner] as usize - first_absorbing;
            for (sum, value) in damping[node].iter_mut().zip(added) {
                *sum += value;
            }
        }
    }
    damping
}

/// Masses of the inner nodes of each patch, and of the shared nodes.
type Masses = (Vec<Vec<f64>>, Vec<f64>);

/// Assembles the masses of a phase of each part from its elements, which lose their node masses. Parts exchange their contributions to cut nodes; fixed nodes
/// get an infinite mass.
fn assemble_masses<T: Scalar>(
    plan: &Plan,
    phase: Phase,
    (team, workers): (&Team, &Workers),
    layouts: &[PartLayouts],
    elements: &mut [PartElements<T>],
) -> Result<Vec<Masses>, SemError> {
    let of_patch = |(patch, elements): (&u32, &mut PatchElements<T>)| {
        let mut mass = std::mem::take(&mut elements.node_mass);
        plan.of(phase).fixed[*patch as usize].iter().for_each(|&node| mass[usize::from(node)] = f64::INFINITY);
        mass
    };
    let layouts: Vec<&PartLayout> = layouts.iter().map(|of_part| &of_part[phase as usize]).collect();
    let parts = layouts.iter().zip(elements.iter_mut().map(|of_part| &mut of_part[phase as usize]));
    let masses: Vec<Vec<Vec<f64>>> =
        parts.map(|(own, elements)| own.patches.iter().zip(elements).map(of_patch).collect()).collect();
    let sent = layouts.iter().zip(&masses).map(|(own, masses)| {
        let of_slot = |&(patch, slot): &(u32, u32)| {
            let patch = patch as usize;
            masses[patch][own.layout.patches[patch].inner + slot as usize]
        };
        own.outgoing.iter().map(of_slot).collect()
    });
    let sent: Vec<Vec<f64>> = sent.collect();
    let mut received: Vec<Vec<f64>> = layouts.iter().map(|own| vec![0.0; own.incoming.len()]).collect();
    let links: Vec<&[Link]> = layouts.iter().map(|own| &own.links[..]).collect();
    team.exchange(&links, &sent, &mut received, &mut || ())?;
    let all = layouts.iter().zip(&masses).zip(&received).map(|((own, masses), received)| {
        let of_place = |&(patch, slot): &(u32, u32)| match own.layout.patches.get(patch as usize) {
            Some(nodes) => masses[patch as usize][nodes.inner + slot as usize],
            None => received[slot as usize],
        };
        let nodes = (0..own.layout.shared as u32).into_par_iter();
        let shared = nodes.map(|node| own.layout.contributions_of(node).iter().map(of_place).sum()).collect();
        let inner = masses.par_iter().zip(&own.layout.patches).map(|(mass, nodes)| mass[..nodes.inner].to_vec());
        (inner.collect(), shared)
    });
    Ok(workers.run(|| all.collect()))
}
