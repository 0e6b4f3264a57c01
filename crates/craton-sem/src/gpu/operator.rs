//! Spectral elements on a GPU.

use std::sync::Arc;

use craton_device::args;
use craton_device::gpu::{Buffer, Gpu, GpuError, Graph, Kernel, Launch};
use craton_device::{Scalar, Workers};
use craton_mesh::HexMesh;
use craton_numerics::gll::Gll;
use craton_sim::Messaging;

use super::images;
use super::messages::Messages;
use super::nodes::DeviceNodes;
use super::patches;
use super::probes::DeviceProbes;
use super::step::{DeviceState, Step};
use crate::discretisation::{Discretisation, Patching};
use crate::fields::Field;
use crate::parts::PartLayout;
use crate::plan::Plan;
use crate::probes::Probe;
use crate::sources::PointSource;

/// Threads of the blocks of kernels that take a thread per value.
const THREADS: u32 = 256;

/// A part of the discretised Earth in motion on a GPU: displacement at whole steps, velocity at half steps.
pub struct GpuOperator<T: Scalar> {
    pub(super) gpu: Gpu,
    workers: Arc<Workers>,
    plan: Arc<Plan>,
    pub(super) nodes: DeviceNodes,
    state: DeviceState<T>,
    pub(super) program: Step<T>,
    pub(super) messages: Messages<T>,
    probes: DeviceProbes<T>,
    count_step: Kernel,
    find_broken: Kernel,
    pub(super) collect: Kernel,
    broken: Buffer<u32>,
    graphs: Option<Graphs>,
    pub(super) step: u64,
    /// First step whose samples have not been taken.
    first_sample: u64,
    dt: f64,
}

/// Steps of the longer recording.
const SEVERAL: u64 = 8;

/// A step as it was recorded.
struct Graphs {
    /// The patches that neighbours wait for, and the messages to them; none where there are no neighbours.
    outer: Option<Graph>,
    /// The other patches.
    inner: Graph,
    /// What is left when the neighbours' messages are here; part of `inner` where there are no neighbours.
    rest: Option<Graph>,
    /// [`SEVERAL`] whole steps where there are no neighbours: small problems would wait between recordings.
    several: Option<Graph>,
}

/// The inner nodes of a patch in the order of their numbers.
fn as_they_are(_local: &[u16], inner: usize) -> Vec<u16> {
    (0..inner as u16).collect()
}

impl<T: Scalar> GpuOperator<T> {
    /// At rest at step 0.
    ///
    /// # Arguments
    /// * `dt` – time step [s]; the caller keeps it below the discretisation's stable one
    /// * `sources` – their histories hold one value per step to be done; those of other parts are passed over
    /// * `probes` – what is sampled after each step; likewise
    ///
    /// # Errors
    /// Too little memory on the device, kernels that it cannot run.
    pub fn new(
        gpu: &Gpu,
        on: Discretisation<T>,
        dt: f64,
        sources: &[PointSource],
        probes: &[Probe],
        workers: Arc<Workers>,
    ) -> Result<Self, GpuError> {
        let degree = on.gll().degree;
        let by_patches = on.is_patched_for_blocks() && Patching::for_gpu::<T>(degree) == Patching::Blocks;
        let nodes = if by_patches { DeviceNodes::new(&on, patches::order) } else { DeviceNodes::new(&on, as_they_are) };
        let common = images::nodes::<T>(gpu, degree + 1)?;
        let program = Step::new(gpu, &on, &nodes, sources, by_patches)?;
        let collect = common.kernel("collect")?;
        Ok(Self {
            state: DeviceState::new(gpu, &on, &nodes, dt)?,
            messages: program.messages(gpu, collect.clone(), &nodes.own.links)?,
            program,
            probes: DeviceProbes::new(gpu, common.kernel("sample")?, &on, &nodes, probes)?,
            count_step: common.kernel("count_step")?,
            find_broken: common.kernel("find_broken")?,
            collect,
            broken: gpu.zeroed(1)?,
            graphs: None,
            gpu: gpu.clone(),
            workers,
            plan: on.plan,
            nodes,
            step: 0,
            first_sample: 0,
            dt,
        })
    }

    /// Time step [s].
    pub fn dt(&self) -> f64 {
        self.dt
    }

    /// What all parts agree on.
    pub fn plan(&self) -> &Arc<Plan> {
        &self.plan
    }

    /// The mesh, its elements in the order of the solver.
    pub fn mesh(&self) -> &HexMesh {
        self.plan.mesh()
    }

    /// The one-dimensional points of an element.
    pub fn gll(&self) -> &Gll {
        self.plan.gll()
    }

    /// The team that computes on the host.
    pub fn workers(&self) -> &Workers {
        &self.workers
    }

    /// The device.
    pub fn gpu(&self) -> &Gpu {
        &self.gpu
    }

    /// Its patches, nodes and neighbours.
    pub fn layout(&self) -> &PartLayout {
        &self.nodes.own
    }

    /// Queues `steps` steps of a part without neighbours, at most as many as the ring of samples holds.
    ///
    /// # Errors
    /// [`GpuError`] when the device fails.
    pub fn advance_alone(&mut self, steps: u64) -> Result<(), GpuError> {
        self.record(Messaging::Overlapped)?;
        let graphs = self.graphs.as_ref().expect("recorded just now");
        let several = graphs.several.as_ref().map_or(0, |_| steps / SEVERAL);
        graphs.several.iter().try_for_each(|graph| (0..several).try_for_each(|_| graph.replay()))?;
        (several * SEVERAL..steps).try_for_each(|_| graphs.inner.replay())?;
        self.step += steps;
        Ok(())
    }

    /// Records the step, if that has not been done.
    pub(super) fn record(&mut self, messaging: Messaging) -> Result<(), GpuError> {
        if self.graphs.is_some() {
            return Ok(());
        }
        let inner = || self.program.launch_elements(&self.state, false);
        self.graphs = Some(if self.nodes.own.links.is_empty() {
            let all = || inner().and_then(|()| self.launch_rest());
            let several = || (0..SEVERAL).try_for_each(|_| all());
            Graphs { outer: None, inner: self.gpu.record(all)?, rest: None, several: Some(self.gpu.record(several)?) }
        } else {
            let outer = || {
                self.program.launch_elements(&self.state, true)?;
                match messaging {
                    Messaging::Silent => Ok(()),
                    _ => self.messages.launch(self.program.slots()),
                }
            };
            Graphs {
                outer: Some(self.gpu.record(outer)?),
                inner: self.gpu.record(inner)?,
                rest: Some(self.gpu.record(|| self.launch_rest())?),
                several: None,
            }
        });
        Ok(())
    }

    /// Shared nodes move; the step is sampled and counted.
    fn launch_rest(&self) -> Result<(), GpuError> {
        self.program.launch_nodes(&self.state)?;
        self.probes.launch(&self.state)?;
        self.count_step.launch(Launch::new(1, 1), args![&self.state.step])
    }

    /// Queues the patches that neighbours wait for, and the collection of the messages to them.
    pub(super) fn replay_outer(&self) -> Result<(), GpuError> {
        self.graphs.as_ref().and_then(|graphs| graphs.outer.as_ref()).map_or(Ok(()), Graph::replay)
    }

    /// Queues the patches that no neighbour touches.
    pub(super) fn replay_inner(&self) -> Result<(), GpuError> {
        self.graphs.as_ref().map_or(Ok(()), |graphs| graphs.inner.replay())
    }

    /// Queues what is left when the neighbours' messages are here.
    pub(super) fn replay_rest(&mut self) -> Result<(), GpuError> {
        self.graphs.as_ref().and_then(|graphs| graphs.rest.as_ref()).map_or(Ok(()), Graph::replay)?;
        self.step += 1;
        Ok(())
    }

    /// Steps that the ring of samples holds.
    pub fn longest_advance(&self) -> u64 {
        self.probes.rows() as u64
    }

    /// Samples since the last call, `[step][channel]`.
    ///
    /// # Errors
    /// [`GpuError`] when the device fails.
    pub fn take_samples(&mut self) -> Result<Vec<T>, GpuError> {
        let first = std::mem::replace(&mut self.first_sample, self.step);
        self.probes.read(first, self.step)
    }

    /// Number of a node that is not finite, if there is one.
    ///
    /// # Errors
    /// [`GpuError`] when the device fails.
    pub fn broken_node(&mut self) -> Result<Option<u32>, GpuError> {
        self.broken.write(0..1, &[u32::MAX])?;
        let count = self.nodes.end;
        self.find_broken
            .launch(Launch::covering(count as usize, THREADS), args![&self.state.u, count, &self.broken])?;
        let broken = self.broken.download()?[0];
        Ok((broken < count).then_some(broken))
    }

    pub(super) fn field(&self, field: Field) -> &Buffer<T> {
        match field {
            Field::Displacement => &self.state.u,
            Field::Velocity => &self.state.v,
        }
    }

    pub(super) fn field_mut(&mut self, field: Field) -> &mut Buffer<T> {
        match field {
            Field::Displacement => &mut self.state.u,
            Field::Velocity => &mut self.state.v,
        }
    }

    /// Says how many steps the restored state has behind it.
    ///
    /// # Errors
    /// [`GpuError`] when the device fails.
    pub fn restore_step(&mut self, step: u64) -> Result<(), GpuError> {
        self.state.step.write(0..1, &[step as u32])?;
        (self.step, self.first_sample) = (step, step);
        Ok(())
    }

    /// Memory variables of the elements of each patch, `[element][point][variable]`.
    ///
    /// # Errors
    /// [`GpuError`] when the device fails.
    pub fn element_memory(&mut self) -> Result<Vec<Vec<T>>, GpuError> {
        let mut all = Vec::new();
        for (run, memory) in self.program.memories() {
            all.extend(memory.read(&self.nodes, run)?);
        }
        Ok(all)
    }

    /// Replaces the memory variables of the elements of each patch.
    ///
    /// # Errors
    /// [`GpuError`] when the device fails.
    pub fn replace_element_memory(&mut self, values: &[Vec<T>]) -> Result<(), GpuError> {
        self.program
            .memories()
            .into_iter()
            .try_for_each(|(run, memory)| memory.write(&self.nodes, run, &values[run.patches.clone()]))
    }

    /// Bytes held on the device.
    pub fn device_bytes(&self) -> usize {
        self.gpu.bytes_held()
    }

    /// Whether patches are assembled in shared memory.
    pub fn by_patches(&self) -> bool {
        matches!(self.program, Step::Patches(_))
    }
}
