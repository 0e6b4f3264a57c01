//! All parts as the solver of a run.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicU32;
use std::sync::{Arc, OnceLock};

use craton_comm::Solo;
use craton_device::{Scalar, Workers};
use craton_sem_kernels::Phase;
use craton_sim::{Common, DistributedSolver, Failure, Holders, Requests, Rows, StateArray};

use crate::canonical::{TileSizes, blocks_of_memory, blocks_of_nodes};
use crate::closed::ClosedFluids;
use crate::fields::{Field, NodePlace};
use crate::part::Part;
use crate::parts::Parts;
use crate::plan::Plan;
use crate::probes::Probe;
use crate::requests::FieldRequest;
use crate::seen::Seen;
use crate::selection::Selected;
use crate::team::Team;

/// The parts of this process, which advance in step with those of all other ranks.
pub struct PartSet<T: Scalar, P: Part<T>> {
    pub(crate) plan: Arc<Plan>,
    pub(crate) team: Team,
    pub(crate) parts: Vec<P>,
    pub(crate) common: Common,
    /// Number of selections so far.
    pub(crate) selections: AtomicU32,
    /// Selections that the first rank has requested, on the other ranks.
    pub(crate) requested: Vec<Selected<T>>,
    /// The closed fluids, once they are needed.
    pub(crate) closed: Option<Arc<ClosedFluids>>,
    /// For each part, the closed fluid of each node of the fluid, once it is needed.
    pub(crate) closed_fluids: Vec<Vec<u8>>,
    /// What the first rank shows, if it has a window of the mesh.
    pub(crate) seen: Option<Seen>,
    /// Sizes of the state; a process with the plan of the whole mesh computes them when they are needed.
    tile_sizes: OnceLock<TileSizes>,
}

impl<T: Scalar, P: Part<T>> PartSet<T, P> {
    /// Creates the solver from the parts of this process, all at the same step.
    ///
    /// # Arguments
    /// * `channels` – channels of the samples of each part of all ranks
    /// * `dt` – time step [s]
    /// * `courant` – fraction of the largest stable time step
    pub fn new(
        plan: Arc<Plan>,
        team: Team,
        parts: Vec<P>,
        channels: Channels,
        [dt, courant]: [f64; 2],
        workers: Arc<Workers>,
    ) -> Self {
        let rows = Rows::new(channels.0, parts[0].step());
        let common = Common { requests: Requests::new(Arc::clone(team.ranks())), rows, workers, dt, courant };
        Self {
            plan,
            team,
            parts,
            common,
            selections: AtomicU32::new(0),
            requested: Vec::new(),
            closed: None,
            closed_fluids: Vec::new(),
            seen: None,
            tile_sizes: OnceLock::new(),
        }
    }

    /// Sets the sizes of the tiles of all processes, if they are known.
    pub(crate) fn with_tile_sizes(self, sizes: Option<&TileSizes>) -> Self {
        Self { tile_sizes: sizes.map_or(OnceLock::new(), |sizes| OnceLock::from(sizes.clone())), ..self }
    }

    /// Sets the mesh of [`Solver::mesh`](crate::Solver::mesh), if it is not that of the plan.
    pub(crate) fn showing(self, seen: Option<Seen>) -> Self {
        Self { seen, ..self }
    }

    /// Number of values of the state in each tile of all processes.
    pub(crate) fn tile_sizes(&self) -> &TileSizes {
        self.tile_sizes.get_or_init(|| TileSizes::of_plan(&self.plan, |_| true, None))
    }

    /// The tiles with elements of this process; all their elements in mesh order.
    pub(crate) fn own_tiles(&self) -> BTreeMap<u32, Vec<u32>> {
        own_tiles(&self.plan, &self.team)
    }

    /// Creates the solver from a single part.
    ///
    /// # Arguments
    /// * `times` – time step [s], and fraction of the largest stable time step
    pub fn of_one(plan: Arc<Plan>, part: P, probes: &[Probe], times: [f64; 2], workers: Arc<Workers>) -> Self {
        let team = Team::new(Parts::one(&plan), Arc::new(Solo));
        let channels = Channels::of_probes(&plan, team.parts(), probes);
        Self::new(plan, team, vec![part], channels, times, workers)
    }

    /// The parts of this process.
    pub fn parts(&self) -> &[P] {
        &self.parts
    }

    /// The fields of the phases of the mesh, in the order in which they are saved.
    fn fields(&self) -> impl Iterator<Item = Field> {
        Field::STATE.into_iter().filter(|field| self.plan.phases().any(|phase| phase == field.phase()))
    }
}

impl<T: Scalar, P: Part<T>> DistributedSolver for PartSet<T, P> {
    type Scalar = T;

    fn common(&self) -> &Common {
        &self.common
    }

    fn common_mut(&mut self) -> &mut Common {
        &mut self.common
    }

    fn steps_here(&self) -> u64 {
        self.parts[0].step()
    }

    fn advance_here(&mut self, steps: u64) -> Result<(), Failure> {
        self.advance_and_lower(steps)
    }

    fn broken_here(&mut self) -> Result<Vec<[f64; 3]>, Failure> {
        let mut broken = Vec::new();
        for part in &mut self.parts {
            for phase in self.plan.phases() {
                let place = part.broken_place(phase)?.map(|place| part.own(phase).place_in_plan(place));
                broken.extend(place.map(|place| position_of(&self.plan, phase, place)));
            }
        }
        Ok(broken)
    }

    fn samples_here(&mut self) -> Result<Vec<T>, Failure> {
        let mut own = Vec::new();
        for part in &mut self.parts {
            own.extend(part.take_samples()?);
        }
        Ok(own)
    }

    fn arrays(&self) -> Vec<StateArray> {
        let sizes = self.tile_sizes().as_slice();
        let array = |field: Field| {
            let (phase, components) = (field.phase() as usize, field.components());
            let blocks: Vec<usize> = sizes.iter().flat_map(|size| blocks_of_nodes(size.nodes[phase])).collect();
            let shape = vec![blocks.iter().sum(), components];
            let blocks = blocks.into_iter().map(|nodes| components * nodes).collect();
            StateArray { name: field.name().into(), shape, blocks }
        };
        let blocks: Vec<usize> = sizes.iter().flat_map(|size| blocks_of_memory(size.memory)).collect();
        let shape = vec![blocks.iter().sum()];
        let memory = (shape[0] > 0).then(|| StateArray { name: "state/element_memory".into(), shape, blocks });
        self.fields().map(array).chain(memory).collect()
    }

    fn save_here(&mut self, array: usize, holders: Holders, sink: &mut dyn FnMut(usize, &[T])) -> Result<(), Failure> {
        let field = self.fields().nth(array);
        match field {
            Some(field) => self.save_field(field, holders, sink),
            None => self.save_memory(holders, sink),
        }
    }

    fn restore_here(
        &mut self,
        array: usize,
        holders: Holders,
        source: &mut dyn FnMut(usize, &mut [T]),
    ) -> Result<(), Failure> {
        let field = self.fields().nth(array);
        match field {
            Some(field) => self.restore_field(field, holders, source),
            None => self.restore_memory(holders, source),
        }
    }

    fn restore_step_here(&mut self, step: u64) -> Result<(), Failure> {
        self.parts.iter_mut().try_for_each(|part| part.restore_step(step))
    }

    fn answer(&mut self, request: &[u32]) -> Result<(), Failure> {
        match FieldRequest::from_words(request) {
            FieldRequest::Select(wanted) => {
                let selected = self.select_by_key(wanted)?;
                self.requested.push(selected);
            }
            FieldRequest::Read(number, field) => drop(self.gather(&self.requested[number as usize], field)?),
        }
        Ok(())
    }
}

/// Channels of the samples of each part of all ranks, in the order of the probes of the part.
#[derive(Debug, Clone)]
pub struct Channels(Vec<Vec<u32>>);

impl Channels {
    /// The channels of probes, all of which are in a plan.
    pub fn of_probes(plan: &Plan, parts: &Parts, probes: &[Probe]) -> Self {
        let owner = |probe: &Probe| (parts.of_element(plan, probe.element), probe.channels());
        Self::of_owners(parts.count(), probes.iter().map(owner))
    }

    /// The channels of probes, of which only the parts are known.
    ///
    /// # Arguments
    /// * `parts` – number of parts
    /// * `probes` – part and number of channels of each probe
    pub fn of_owners(parts: usize, probes: impl IntoIterator<Item = (usize, usize)>) -> Self {
        let mut channels = vec![Vec::new(); parts];
        let mut channel = 0;
        for (part, count) in probes {
            channels[part].extend(channel..channel + count as u32);
            channel += count as u32;
        }
        Self(channels)
    }
}

/// The tiles with elements of the parts of this process; all their elements in mesh order.
pub(crate) fn own_tiles(plan: &Plan, team: &Team) -> BTreeMap<u32, Vec<u32>> {
    let mut tiles = plan.tiles();
    let is_own = |&element: &u32| team.own().contains(&team.parts().of_element(plan, element));
    tiles.retain(|_, elements| elements.iter().any(is_own));
    tiles
}

/// Position [m] of a node.
fn position_of(plan: &Plan, phase: Phase, place: NodePlace) -> [f64; 3] {
    let points = &plan.gll.points;
    let n = points.len();
    let point_of = |element| Some((element, plan.places(element).position(|other| other == place)?));
    let mut elements = (0..plan.mesh.n_elements() as u32).filter(|&element| plan.phase_of(element) == phase);
    elements.find_map(point_of).map_or([f64::NAN; 3], |(element, point)| {
        let xi = [point % n, point / n % n, point / (n * n)].map(|i| points[i]);
        plan.mesh.position(element, xi)
    })
}
