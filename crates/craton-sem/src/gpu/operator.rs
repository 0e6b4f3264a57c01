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

/// Block size of kernels with one thread per value.
const THREADS: u32 = 256;

/// A part that is advanced on a GPU: displacement at whole steps, velocity at half steps.
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

/// Number of steps of the longer graph.
const SEVERAL: u64 = 8;

/// The recorded graphs of a step.
struct Graphs {
    /// The patches that share nodes with other parts, and the packing of their messages; `None` without neighbours.
    outer: Option<Graph>,
    /// The other patches.
    inner: Graph,
    /// Work that needs the messages of the neighbours; part of `inner` without neighbours.
    rest: Option<Graph>,
    /// [`SEVERAL`] whole steps without neighbours, which reduces the launch overhead of small problems.
    several: Option<Graph>,
}

/// Keeps the order of the inner nodes of a patch.
fn keep_order(_local: &[u16], inner: usize) -> Vec<u16> {
    (0..inner as u16).collect()
}

impl<T: Scalar> GpuOperator<T> {
    /// Creates the operator at rest at step 0.
    ///
    /// # Arguments
    /// * `dt` – time step [s], at most the stable step of the discretisation
    /// * `sources` – point sources, whose histories have one value per step; sources in other parts are ignored
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
        let degree = on.gll().degree;
        let by_patches = on.is_patched_for_blocks() && Patching::for_gpu::<T>(degree) == Patching::Blocks;
        let nodes = if by_patches { DeviceNodes::new(&on, patches::order) } else { DeviceNodes::new(&on, keep_order) };
        let common = images::nodes::<T>(gpu, degree + 1)?;
        let program = Step::new(gpu, &on, dt, &nodes, sources, by_patches)?;
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

    /// The device.
    pub fn gpu(&self) -> &Gpu {
        &self.gpu
    }

    /// Patches, nodes and neighbours of the part.
    pub fn layout(&self) -> &PartLayout {
        &self.nodes.own
    }

    /// Enqueues `steps` steps of a part without neighbours, at most the capacity of the sample ring.
    ///
    /// # Errors
    /// [`GpuError`] when the device fails.
    pub fn advance_alone(&mut self, steps: u64) -> Result<(), GpuError> {
        self.record(Messaging::Overlapped)?;
        let graphs = self.graphs.as_ref().expect("recorded above");
        let several = graphs.several.as_ref().map_or(0, |_| steps / SEVERAL);
        graphs.several.iter().try_for_each(|graph| (0..several).try_for_each(|_| graph.replay()))?;
        (several * SEVERAL..steps).try_for_each(|_| graphs.inner.replay())?;
        self.step += steps;
        Ok(())
    }

    /// Records the graphs, unless they exist.
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

    /// Enqueues the update of the shared nodes, the sampling, and the increment of the step counter.
    fn launch_rest(&self) -> Result<(), GpuError> {
        self.program.launch_nodes(&self.state)?;
        self.probes.launch(&self.state)?;
        self.count_step.launch(Launch::new(1, 1), args![&self.state.step])
    }

    /// Enqueues the patches that share nodes with other parts, and the packing of their messages.
    pub(super) fn replay_outer(&self) -> Result<(), GpuError> {
        self.graphs.as_ref().and_then(|graphs| graphs.outer.as_ref()).map_or(Ok(()), Graph::replay)
    }

    /// Enqueues the patches that share no nodes with other parts.
    pub(super) fn replay_inner(&self) -> Result<(), GpuError> {
        self.graphs.as_ref().map_or(Ok(()), |graphs| graphs.inner.replay())
    }

    /// Enqueues the work that needs the messages of the neighbours.
    pub(super) fn replay_rest(&mut self) -> Result<(), GpuError> {
        self.graphs.as_ref().and_then(|graphs| graphs.rest.as_ref()).map_or(Ok(()), Graph::replay)?;
        self.step += 1;
        Ok(())
    }

    /// Number of steps that the sample ring holds.
    pub fn longest_advance(&self) -> u64 {
        self.probes.rows() as u64
    }

    /// Takes the samples since the last call, `[step][channel]`.
    ///
    /// # Errors
    /// [`GpuError`] when the device fails.
    pub fn take_samples(&mut self) -> Result<Vec<T>, GpuError> {
        let first = std::mem::replace(&mut self.first_sample, self.step);
        self.probes.read(first, self.step)
    }

    /// Device number of a node whose displacement is not finite, if there is one.
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

    /// Sets the number of completed steps of a restored state.
    ///
    /// # Errors
    /// [`GpuError`] when the device fails.
    pub fn restore_step(&mut self, step: u64) -> Result<(), GpuError> {
        self.state.step.write(0..1, &[step as u32])?;
        (self.step, self.first_sample) = (step, step);
        Ok(())
    }

    /// Reads the memory variables of the elements of each patch, `[element][point][variable]`.
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
