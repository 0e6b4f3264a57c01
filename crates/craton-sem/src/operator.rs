//! Spectral elements as an operator of the time loop.

use std::sync::{Arc, Mutex};

use craton_device::{Isa, Scalar, Workers};
use craton_mesh::HexMesh;
use craton_numerics::gll::Gll;
use craton_sim::{Instability, Operator};
use rayon::prelude::*;

use crate::canonical::Canonical;
use crate::discretisation::Discretisation;
use crate::error::Failure;
use crate::fields::{Field, NodePlace};
use crate::kernel::{ElementKernel, Scratch};
use crate::probes::{Probe, ProbeReader, SampleRing};
use crate::selection::{Selected, Selection, Source, Values};
use crate::solver::Solver;
use crate::sources::PointSource;
use crate::state::{Node, PatchState, SharedBlock, SharedForces, SharedState, Step};

/// Shared nodes that a worker moves at a time.
const SHARED_BLOCK: usize = 1024;

/// The discretised Earth in motion: displacement at whole steps, velocity at half steps.
pub struct SemOperator<T: Scalar> {
    kernel: Box<dyn ElementKernel<T>>,
    pub(crate) isa: Isa,
    workers: Arc<Workers>,
    pub(crate) scratches: Vec<Mutex<Scratch<T>>>,
    pub(crate) mesh: HexMesh,
    position: Vec<u32>,
    pub(crate) gll: Gll,
    pub(crate) first_element: Vec<usize>,
    pub(crate) patches: Vec<PatchState<T>>,
    pub(crate) shared: SharedState<T>,
    histories: Vec<Vec<T>>,
    probes: Vec<ProbeReader>,
    samples: SampleRing<T>,
    step: u64,
    dt: f64,
    courant: f64,
}

impl<T: Scalar> SemOperator<T> {
    /// At rest at step 0.
    ///
    /// # Arguments
    /// * `dt` – time step [s]; the caller keeps it below the discretisation's stable one
    /// * `sources` – their histories hold one value per step to be done
    /// * `probes` – what is sampled after each step
    pub fn new(
        mut on: Discretisation<T>,
        dt: f64,
        sources: &[PointSource],
        probes: &[Probe],
        workers: Arc<Workers>,
    ) -> Self {
        let probes: Vec<_> = probes.iter().map(|probe| ProbeReader::new(&on, probe)).collect();
        let mut in_patches: Vec<Vec<_>> = on.patches.iter().map(|_| Vec::new()).collect();
        for (history, source) in sources.iter().enumerate() {
            let (patch, source) = source.in_patch(&on, history);
            in_patches[patch].push(source);
        }
        let scratch = || Mutex::new(Scratch::new(on.gll.points.len(), on.isa));
        let scratches = (0..workers.threads()).map(|_| scratch()).collect();
        let courant = dt / on.stable().dt;
        let first_element = on.layout.patches.iter().map(|nodes| nodes.elements.start).collect();
        let shared_nodes: Vec<_> =
            on.layout.patches.iter_mut().map(|nodes| std::mem::take(&mut nodes.shared)).collect();
        // By the workers, each in the memory that building the elements has left free.
        let parts = on.patches.into_par_iter().zip(shared_nodes).zip(on.inner_mass).zip(in_patches);
        let at_rest =
            parts.map(|(((elements, shared), mass), sources)| PatchState::new(elements, shared, &mass, sources, dt));
        let patches = workers.run(|| at_rest.collect());
        Self {
            kernel: on.kernel,
            isa: on.isa,
            workers,
            scratches,
            mesh: on.mesh,
            position: on.position,
            gll: on.gll,
            first_element,
            patches,
            shared: SharedState::new(on.layout, &on.shared_mass, &on.damping, dt),
            histories: sources.iter().map(|source| source.history.iter().map(|&f| T::from_f64(f)).collect()).collect(),
            samples: SampleRing::new(probes.iter().map(ProbeReader::channels).sum()),
            probes,
            step: 0,
            dt,
            courant,
        }
    }

    /// Time step [s].
    pub fn dt(&self) -> f64 {
        self.dt
    }

    /// The mesh, its elements in the order of the solver.
    pub fn mesh(&self) -> &HexMesh {
        &self.mesh
    }

    /// The one-dimensional points of an element.
    pub fn gll(&self) -> &Gll {
        &self.gll
    }

    /// The team that computes.
    pub fn workers(&self) -> &Workers {
        &self.workers
    }

    /// One step, as a list.
    fn advance_once(&mut self) {
        self.advance_patches();
        self.advance_shared();
        self.step += 1;
        self.sample();
    }

    /// Forces of all elements and sources; inner nodes move.
    fn advance_patches(&mut self) {
        let (scratches, shared) = (&self.scratches, &self.shared.u);
        let with = Step {
            kernel: &*self.kernel,
            isa: self.isa,
            dt: T::from_f64(self.dt),
            step: self.step as usize,
            histories: &self.histories,
        };
        self.patches.par_iter_mut().for_each(|patch| {
            let mut scratch = scratches[Workers::current()].lock().expect("a worker that fails ends the run");
            patch.advance(&with, shared, &mut scratch);
        });
    }

    /// Shared nodes move by the sums of the patches' forces.
    fn advance_shared(&mut self) {
        let SharedState { u, v, dt_over_mass, first_absorbing, absorbing, offsets, contributions } = &mut self.shared;
        let forces = SharedForces {
            patches: &self.patches,
            dt_over_mass,
            first_absorbing: *first_absorbing,
            absorbing,
            offsets,
            contributions,
            dt: T::from_f64(self.dt),
        };
        let blocks = u.par_chunks_mut(SHARED_BLOCK).zip(v.par_chunks_mut(SHARED_BLOCK)).enumerate();
        blocks.for_each(|(block, (u, v))| forces.advance(SharedBlock { start: block * SHARED_BLOCK, u, v }));
    }

    /// Velocity, or its gradient, at every probe.
    fn sample(&mut self) {
        let mut row = self.samples.next_row();
        for probe in &self.probes {
            let (own, rest) = row.split_at_mut(probe.channels());
            probe.read(&self.patches[probe.patch()], &self.shared, Field::Velocity, own);
            row = rest;
        }
    }

    /// Samples since the last call, `[step][channel]`: velocity [m/s] half a step before each whole step, or its gradient [1/s],
    /// probe by probe.
    pub fn take_samples(&mut self) -> Vec<T> {
        self.samples.take()
    }

    /// The arrays that make up the state: displacement and velocity of each patch, then of the shared nodes.
    pub fn state(&self) -> Vec<&[Node<T>]> {
        let patches = self.patches.iter().flat_map(|patch| [&patch.u[..], &patch.v[..]]);
        patches.chain([&self.shared.u[..], &self.shared.v[..]]).collect()
    }

    /// The same for restoring; [`SemOperator::restore_step`] completes it.
    pub fn state_mut(&mut self) -> Vec<&mut [Node<T>]> {
        let patches = self.patches.iter_mut().flat_map(|patch| [&mut patch.u[..], &mut patch.v[..]]);
        patches.chain([&mut self.shared.u[..], &mut self.shared.v[..]]).collect()
    }

    /// Says how many steps the restored state has behind it.
    pub fn restore_step(&mut self, step: u64) {
        self.step = step;
    }

    /// Its nodes in the order of all solvers of this mesh.
    fn canonical(&self) -> Canonical<'_, impl Fn(u32) -> Vec<NodePlace>, impl Fn(NodePlace) -> usize> {
        let mut first = vec![0];
        for patch in &self.patches {
            first.push(first[first.len() - 1] + patch.inner());
        }
        let first_shared = first[self.patches.len()];
        Canonical {
            position: &self.position,
            places: |element| self.places(element),
            number: move |place| match place {
                NodePlace::Inner { patch, node } => first[patch as usize] + node as usize,
                NodePlace::Shared(node) => first_shared + node as usize,
            },
            numbers: self.n_nodes(),
        }
    }

    /// Position [m] of a point of the mesh whose displacement is not finite.
    fn broken_place(&self) -> Option<[f64; 3]> {
        let points = self.gll.points.len();
        (0..self.mesh.n_elements() as u32).find_map(|element| {
            let field = self.element_field(element, Field::Displacement);
            let point = field.iter().position(|u| u.iter().any(|x| !x.is_finite()))?;
            let xi = [point % points, point / points % points, point / (points * points)].map(|i| self.gll.points[i]);
            Some(self.mesh.position(element, xi))
        })
    }
}

impl<T: Scalar> Operator for SemOperator<T> {
    type Error = Failure;

    fn step(&self) -> u64 {
        self.step
    }

    fn advance(&mut self, steps: u64) -> Result<(), Failure> {
        let workers = self.workers.clone();
        workers.run(|| (0..steps).for_each(|_| self.advance_once()));
        Ok(())
    }

    fn longest_advance(&self) -> u64 {
        self.samples.capacity() as u64
    }

    fn check(&mut self) -> Result<(), Failure> {
        let finite = |nodes: &[Node<T>]| {
            nodes.iter().all(|node| node[0].is_finite() && node[1].is_finite() && node[2].is_finite())
        };
        if self.workers.run(|| self.state().par_iter().all(|nodes| finite(nodes))) {
            return Ok(());
        }
        let position = self.broken_place().unwrap_or([f64::NAN; 3]);
        Err(Instability { step: self.step, position, courant: self.courant }.into())
    }
}

impl<T: Scalar> Solver<T> for SemOperator<T> {
    fn mesh(&self) -> &HexMesh {
        &self.mesh
    }

    fn gll(&self) -> &Gll {
        &self.gll
    }

    fn dt(&self) -> f64 {
        self.dt
    }

    fn workers(&self) -> &Workers {
        &self.workers
    }

    fn n_nodes(&self) -> usize {
        self.shared.len() + self.patches.iter().map(PatchState::inner).sum::<usize>()
    }

    fn bytes(&self) -> usize {
        self.memory().total()
    }

    fn take_samples(&mut self) -> Result<Vec<T>, Failure> {
        Ok(self.take_samples())
    }

    fn places(&self, element: u32) -> Vec<NodePlace> {
        self.places(element)
    }

    fn select(&self, what: Selection) -> Result<Selected<T>, Failure> {
        Ok(Selected { what, copy: None })
    }

    fn read<'a>(&'a self, selected: &'a Selected<T>, field: Field) -> Result<Values<'a, T>, Failure> {
        Ok(Values { what: &selected.what, source: Source::InPlace(self, field) })
    }

    fn save(&self, field: Field, sink: &mut dyn FnMut(&[[T; 3]])) -> Result<(), Failure> {
        let value = |place| {
            let [x, y, z, _] = self.node(place, field);
            [x, y, z]
        };
        self.canonical().save(value, sink);
        Ok(())
    }

    fn restore(&mut self, field: Field, source: &mut dyn FnMut(&mut [[T; 3]])) -> Result<(), Failure> {
        let count = self.n_nodes();
        // Out of the operator while it is asked for places.
        let mut inner: Vec<_> = self.patches.iter_mut().map(|patch| std::mem::take(field.inner_mut(patch))).collect();
        let mut shared = std::mem::take(field.shared_mut(&mut self.shared));
        let set = |place, [x, y, z]: [T; 3]| {
            let node = match place {
                NodePlace::Inner { patch, node } => &mut inner[patch as usize][node as usize],
                NodePlace::Shared(node) => &mut shared[node as usize],
            };
            *node = [x, y, z, T::default()];
        };
        self.canonical().restore(count, set, source);
        for (patch, values) in self.patches.iter_mut().zip(inner) {
            *field.inner_mut(patch) = values;
        }
        *field.shared_mut(&mut self.shared) = shared;
        Ok(())
    }

    fn restore_step(&mut self, step: u64) -> Result<(), Failure> {
        self.restore_step(step);
        Ok(())
    }
}
