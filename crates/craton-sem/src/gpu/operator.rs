//! Spectral elements on a GPU.

use std::sync::Arc;

use craton_device::args;
use craton_device::gpu::{Buffer, Gpu, GpuError, Graph, Kernel, Launch};
use craton_device::{Scalar, Workers};
use craton_mesh::HexMesh;
use craton_numerics::gll::Gll;
use craton_sem_kernels::Phase;
use craton_sim::Messaging;

use super::coupling::DeviceCoupling;
use super::images;
use super::phase::DevicePhase;
use super::step::Step;
use crate::discretisation::Discretisation;
use crate::plan::Plan;
use crate::probes::Probe;
use crate::sources::PointSource;
use crate::substeps::Tick;

/// A part that is advanced on a GPU: displacement and potential at whole steps, their rates at half steps.
pub struct GpuOperator<T: Scalar> {
    pub(super) gpu: Gpu,
    workers: Arc<Workers>,
    plan: Arc<Plan>,
    /// The phases that the mesh has, solids first.
    pub(super) phases: Vec<DevicePhase<T>>,
    /// The wet nodes, if the part has any.
    coupling: Option<DeviceCoupling<T>>,
    /// Places of the channels of the samples of each phase in those of the part.
    channels: Vec<Vec<usize>>,
    count_step: Kernel,
    counter: Arc<Buffer<u32>>,
    graphs: Option<Graphs>,
    pub(super) step: u64,
    /// First step whose samples have not been taken.
    first_sample: u64,
    dt: f64,
}

/// Number of steps of the longer graph.
const SEVERAL: u64 = 8;

/// The recorded graphs of a step.
enum Graphs {
    /// Without neighbours: a whole step, and [`SEVERAL`] of them, which reduces the launch overhead of small problems.
    Alone { step: Graph, several: Graph },
    /// With neighbours: each substep.
    Meeting(Vec<Substep>),
}

/// The graphs of a substep.
struct Substep {
    /// The patches that share nodes with other parts, and the packing of their messages.
    outer: Graph,
    /// The other patches.
    inner: Graph,
    /// Work that needs the messages of the neighbours.
    rest: Graph,
}

impl<T: Scalar> GpuOperator<T> {
    /// Creates the operator at rest at step 0.
    ///
    /// # Arguments
    /// * `dt` – time step [s], at most the stable step of the discretisation
    /// * `sources` – point sources; sources in other parts are ignored
    /// * `probes` – points that are sampled after each step; probes in other parts are ignored
    ///
    /// # Errors
    /// Too little memory on the device, kernels that it does not support.
    pub fn new(
        gpu: &Gpu,
        on: Discretisation<T>,
        dt: f64,
        sources: &[PointSource],
        probes: &[Probe],
        workers: Arc<Workers>,
    ) -> Result<Self, GpuError> {
        let overlaps = overlaps(&on);
        let gpu = &if overlaps { gpu.urgent_queue()? } else { gpu.clone() };
        let common = images::nodes::<T>(gpu, on.gll().degree + 1, Phase::Solid)?;
        let counter = Arc::new(gpu.zeroed(1)?);
        let phase = |phase| DevicePhase::new(gpu, (&on, phase), (dt, &counter), sources, probes);
        let mut phases: Vec<DevicePhase<T>> = on.plan.phases().map(phase).collect::<Result<_, _>>()?;
        if overlaps {
            phases.iter_mut().try_for_each(|phase| phase.program.overlap(gpu))?;
        }
        let coupling = match &phases[..] {
            [solid, fluid] if !on.wet.is_empty() => Some(DeviceCoupling::new(gpu, &on.wet, [solid, fluid], dt)?),
            _ => None,
        };
        Ok(Self {
            channels: places_of_channels(&phases),
            phases,
            coupling,
            count_step: common.kernel("count_step")?,
            counter,
            graphs: None,
            gpu: gpu.clone(),
            workers,
            plan: on.plan,
            step: 0,
            first_sample: 0,
            dt,
        })
    }

    /// Time step [s].
    pub fn dt(&self) -> f64 {
        self.dt
    }

    /// The plan, which all parts share.
    pub fn plan(&self) -> &Arc<Plan> {
        &self.plan
    }

    /// The mesh, with its elements in the order of the solver.
    pub fn mesh(&self) -> &HexMesh {
        self.plan.mesh()
    }

    /// The Gauss-Lobatto-Legendre rule of the elements.
    pub fn gll(&self) -> &Gll {
        self.plan.gll()
    }

    /// Threads that compute on the host.
    pub fn workers(&self) -> &Workers {
        &self.workers
    }

    /// The device, with the queue of the operator, which may be another one than that with which it was created.
    pub fn gpu(&self) -> &Gpu {
        &self.gpu
    }

    /// A phase of the part.
    ///
    /// # Panics
    /// If the mesh has no such phase.
    pub(super) fn of(&self, phase: Phase) -> &DevicePhase<T> {
        self.phases.iter().find(|of| of.nodes.phase == phase).expect("a phase of the mesh")
    }

    /// Mutable access to [`Self::of`].
    pub(super) fn of_mut(&mut self, phase: Phase) -> &mut DevicePhase<T> {
        self.phases.iter_mut().find(|of| of.nodes.phase == phase).expect("a phase of the mesh")
    }

    /// Enqueues `steps` steps of a part without neighbours, at most the capacity of the sample ring.
    ///
    /// # Errors
    /// [`GpuError`] when the device fails.
    pub fn advance_alone(&mut self, steps: u64) -> Result<(), GpuError> {
        self.record(Messaging::Overlapped)?;
        if let Some(Graphs::Alone { step, several }) = &self.graphs {
            (0..steps / SEVERAL).try_for_each(|_| several.replay())?;
            (0..steps % SEVERAL).try_for_each(|_| step.replay())?;
        }
        self.step += steps;
        Ok(())
    }

    /// Whether the part exchanges messages with others.
    pub(super) fn has_neighbours(&self) -> bool {
        self.phases.iter().any(|phase| !phase.nodes.own.links.is_empty())
    }

    /// Records the graphs, unless they exist.
    pub(super) fn record(&mut self, messaging: Messaging) -> Result<(), GpuError> {
        if self.graphs.is_some() {
            return Ok(());
        }
        let finest = self.plan.finest_level();
        let elements = |outer, tick| {
            self.phases.iter().try_for_each(|phase| phase.program.launch_elements(&phase.state, outer, tick))
        };
        self.graphs = Some(if self.has_neighbours() {
            let outer = |tick| {
                elements(true, tick)?;
                match messaging {
                    Messaging::Silent => Ok(()),
                    _ => self.phases.iter().try_for_each(|phase| phase.messages.launch(phase.program.slots())),
                }
            };
            let substep = |tick| {
                Ok(Substep {
                    outer: self.gpu.record(|| outer(tick))?,
                    inner: self.gpu.record(|| elements(false, tick))?,
                    rest: self.gpu.record(|| self.launch_rest(tick))?,
                })
            };
            Graphs::Meeting(Tick::all(finest).map(substep).collect::<Result<_, GpuError>>()?)
        } else {
            let substep = |tick| {
                elements(false, tick)?;
                self.phases.iter().try_for_each(|phase| phase.program.wait_for_elements())?;
                self.launch_rest(tick)
            };
            let all = || Tick::all(finest).try_for_each(substep);
            let several = || (0..SEVERAL).try_for_each(|_| all());
            Graphs::Alone { step: self.gpu.record(all)?, several: self.gpu.record(several)? }
        });
        Ok(())
    }

    /// Enqueues the update of the shared nodes, and at the end of the step the sampling and the increment of the step counter. The displacement of the solid acts on the fluid before it
    /// changes, then the pressure of the fluid acts on the solid.
    fn launch_rest(&self, tick: Tick) -> Result<(), GpuError> {
        match (&self.phases[..], &self.coupling) {
            // The nodes between the phases have level 0.
            ([solid, fluid], Some(coupling)) if tick.is_last() => {
                coupling.launch_on_fluid([solid, fluid])?;
                fluid.program.launch_nodes(&fluid.state, tick)?;
                coupling.launch_on_solid([solid, fluid])?;
                solid.program.launch_nodes(&solid.state, tick)?;
            }
            (phases, _) => phases.iter().try_for_each(|phase| phase.program.launch_nodes(&phase.state, tick))?,
        }
        if !tick.is_last() {
            return Ok(());
        }
        self.phases.iter().try_for_each(|phase| phase.probes.launch(&phase.state))?;
        self.count_step.launch(Launch::new(1, 1), args![&*self.counter])
    }

    /// The recorded graphs of a substep.
    fn substep(&self, tick: Tick) -> Option<&Substep> {
        match &self.graphs {
            Some(Graphs::Meeting(substeps)) => substeps.get(tick.number),
            _ => None,
        }
    }

    /// Enqueues the patches that share nodes with other parts, and the packing of their messages.
    pub(super) fn replay_outer(&self, tick: Tick) -> Result<(), GpuError> {
        self.substep(tick).map_or(Ok(()), |graphs| graphs.outer.replay())
    }

    /// Enqueues the patches that share no nodes with other parts.
    pub(super) fn replay_inner(&self, tick: Tick) -> Result<(), GpuError> {
        self.substep(tick).map_or(Ok(()), |graphs| graphs.inner.replay())
    }

    /// Enqueues the work that needs the messages of the neighbours.
    pub(super) fn replay_rest(&mut self, tick: Tick) -> Result<(), GpuError> {
        self.substep(tick).map_or(Ok(()), |graphs| graphs.rest.replay())?;
        self.step += u64::from(tick.is_last());
        Ok(())
    }

    /// Number of steps that the sample ring holds.
    pub fn longest_advance(&self) -> u64 {
        self.phases.iter().map(|phase| phase.probes.rows() as u64).min().expect("a mesh has a phase")
    }

    /// Takes the samples since the last call, `[step][channel]`.
    ///
    /// # Errors
    /// [`GpuError`] when the device fails.
    pub fn take_samples(&mut self) -> Result<Vec<T>, GpuError> {
        let first = std::mem::replace(&mut self.first_sample, self.step);
        let all: Vec<Vec<T>> =
            self.phases.iter().map(|phase| phase.probes.read(first, self.step)).collect::<Result<_, _>>()?;
        if let [_] = &all[..] {
            return Ok(all.into_iter().flatten().collect());
        }
        let channels = self.channels.iter().map(Vec::len).sum::<usize>();
        let mut samples = vec![T::default(); channels * (self.step - first) as usize];
        for (own, places) in all.iter().zip(&self.channels).filter(|(_, places)| !places.is_empty()) {
            for (row, own) in samples.chunks_exact_mut(channels).zip(own.chunks_exact(places.len())) {
                places.iter().zip(own).for_each(|(&place, &value)| row[place] = value);
            }
        }
        Ok(samples)
    }

    /// Sets the number of completed steps of a restored state.
    ///
    /// # Errors
    /// [`GpuError`] when the device fails.
    pub fn restore_step(&mut self, step: u64) -> Result<(), GpuError> {
        self.counter = Arc::new(self.gpu.upload(&[step as u32])?);
        for phase in &mut self.phases {
            phase.state.step = Arc::clone(&self.counter);
        }
        // The recorded graphs use the previous counter.
        self.graphs = None;
        (self.step, self.first_sample) = (step, step);
        Ok(())
    }

    /// Reads the memory variables of the elements of each patch, solids first, `[element][variable]`.
    ///
    /// # Errors
    /// [`GpuError`] when the device fails.
    pub fn element_memory(&mut self) -> Result<Vec<Vec<T>>, GpuError> {
        let mut all = Vec::new();
        for phase in &mut self.phases {
            for (run, memory) in phase.program.memories() {
                all.extend(memory.read(&phase.nodes, run)?);
            }
        }
        Ok(all)
    }

    /// Replaces the memory variables of the elements of each patch, solids first.
    ///
    /// # Errors
    /// [`GpuError`] when the device fails.
    pub fn replace_element_memory(&mut self, values: &[Vec<T>]) -> Result<(), GpuError> {
        let mut rest = values;
        for phase in &mut self.phases {
            let (own, after) = rest.split_at(phase.nodes.patches.len());
            rest = after;
            for (run, memory) in phase.program.memories() {
                memory.write(&phase.nodes, run, &own[run.patches.clone()])?;
            }
        }
        Ok(())
    }

    /// Bytes held on the device.
    pub fn device_bytes(&self) -> usize {
        self.gpu.bytes_held()
    }

    /// Whether patches are assembled in shared memory.
    pub fn by_patches(&self) -> bool {
        self.phases.iter().all(|phase| matches!(phase.program, Step::Patches(_)))
    }
}

/// Whether runs of patches overlap: those of a part without neighbours and levels that has several rheologies.
fn overlaps<T: Scalar>(on: &Discretisation<T>) -> bool {
    let alone = on.plan.phases().all(|phase| on.of(phase).own.links.is_empty());
    let patches = || on.plan.phases().flat_map(|phase| &on.of(phase).patches);
    let first = patches().next().map(|patch| patch.rheology);
    alone && on.plan.finest_level() == 0 && patches().any(|patch| Some(patch.rheology) != first)
}

/// Places of the channels of each phase among those of all probes of the part, which are in the order of the probes.
fn places_of_channels<T: Scalar>(phases: &[DevicePhase<T>]) -> Vec<Vec<usize>> {
    let numbered = phases.iter().enumerate().flat_map(|(number, phase)| {
        phase.probes.channels.iter().map(move |&(probe, channels)| (probe, number, channels))
    });
    let mut all: Vec<(usize, usize, usize)> = numbered.collect();
    all.sort_unstable();
    let (mut places, mut next) = (vec![Vec::new(); phases.len()], 0);
    for (_, phase, channels) in all {
        places[phase].extend(next..next + channels);
        next += channels;
    }
    places
}
