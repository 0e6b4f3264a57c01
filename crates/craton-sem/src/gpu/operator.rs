//! Spectral elements on a GPU as an operator of the time loop.

use std::sync::Arc;

use craton_device::args;
use craton_device::gpu::{Buffer, Gpu, GpuError, Graph, Kernel, Launch};
use craton_device::{Scalar, Workers};
use craton_mesh::HexMesh;
use craton_numerics::gll::Gll;

use super::images;
use super::nodes::DeviceNodes;
use super::patches;
use super::probes::DeviceProbes;
use super::step::{DeviceState, Step};
use crate::discretisation::Discretisation;
use crate::fields::Field;
use crate::probes::Probe;
use crate::sources::PointSource;

/// Threads of the blocks of kernels that take a thread per value.
const THREADS: u32 = 256;

/// The discretised Earth in motion on a GPU: displacement at whole steps, velocity at half steps.
pub struct GpuOperator<T: Scalar> {
    gpu: Gpu,
    workers: Arc<Workers>,
    mesh: HexMesh,
    pub(super) position: Vec<u32>,
    gll: Gll,
    pub(super) nodes: DeviceNodes,
    state: DeviceState<T>,
    program: Step<T>,
    probes: DeviceProbes<T>,
    count_step: Kernel,
    find_broken: Kernel,
    pub(super) gather_field: Kernel,
    broken: Buffer<u32>,
    graph: Option<Graph>,
    step: u64,
    /// First step whose samples have not been taken.
    first_sample: u64,
    dt: f64,
    courant: f64,
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
    /// * `sources` – their histories hold one value per step to be done
    /// * `probes` – what is sampled after each step
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
        let by_patches = on.is_patched_for_blocks() && on.gll.degree == 4 && size_of::<T>() == 4;
        let nodes = if by_patches { DeviceNodes::new(&on, patches::order) } else { DeviceNodes::new(&on, as_they_are) };
        let common = images::nodes::<T>(gpu, on.gll.points.len())?;
        Ok(Self {
            state: DeviceState::new(gpu, &on, &nodes, dt)?,
            program: Step::new(gpu, &on, &nodes, sources, by_patches)?,
            probes: DeviceProbes::new(gpu, common.kernel("sample")?, &on, &nodes, probes)?,
            count_step: common.kernel("count_step")?,
            find_broken: common.kernel("find_broken")?,
            gather_field: common.kernel("gather_field")?,
            broken: gpu.zeroed(1)?,
            graph: None,
            gpu: gpu.clone(),
            workers,
            courant: dt / on.stable().dt,
            mesh: on.mesh,
            position: on.position,
            gll: on.gll,
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

    /// The time step over the largest stable one.
    pub fn courant(&self) -> f64 {
        self.courant
    }

    /// The mesh, its elements in the order of the solver.
    pub fn mesh(&self) -> &HexMesh {
        &self.mesh
    }

    /// The one-dimensional points of an element.
    pub fn gll(&self) -> &Gll {
        &self.gll
    }

    /// The team that computes on the host.
    pub fn workers(&self) -> &Workers {
        &self.workers
    }

    /// The device.
    pub fn gpu(&self) -> &Gpu {
        &self.gpu
    }

    /// Steps done.
    pub fn step(&self) -> u64 {
        self.step
    }

    /// Queues `steps` steps, at most as many as the ring of samples holds.
    ///
    /// # Errors
    /// [`GpuError`] when the device fails.
    pub fn advance(&mut self, steps: u64) -> Result<(), GpuError> {
        if self.graph.is_none() {
            self.graph = Some(self.gpu.record(|| self.launch_step())?);
        }
        let graph = self.graph.as_ref().expect("recorded just now");
        (0..steps).try_for_each(|_| graph.replay())?;
        self.step += steps;
        Ok(())
    }

    /// One step, as a list.
    fn launch_step(&self) -> Result<(), GpuError> {
        self.program.launch(&self.state)?;
        self.probes.launch(&self.state)?;
        self.count_step.launch(Launch::new(1, 1), args![&self.state.step])
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

    /// Position [m] of a node that is not finite, if there is one.
    ///
    /// # Errors
    /// [`GpuError`] when the device fails.
    pub fn broken_place(&mut self) -> Result<Option<[f64; 3]>, GpuError> {
        self.broken.write(0..1, &[u32::MAX])?;
        let count = self.nodes.end;
        self.find_broken
            .launch(Launch::covering(count as usize, THREADS), args![&self.state.u, count, &self.broken])?;
        let broken = self.broken.download()?[0];
        Ok((broken < count).then(|| self.position_of(broken)))
    }

    fn position_of(&self, node: u32) -> [f64; 3] {
        let n = self.gll.points.len();
        let place = (0..self.mesh.n_elements() as u32)
            .find_map(|element| Some((element, self.nodes.of_element(element).position(|number| number == node)?)));
        place.map_or([f64::NAN; 3], |(element, point)| {
            let xi = [point % n, point / n % n, point / (n * n)].map(|i| self.gll.points[i]);
            self.mesh.position(element, xi)
        })
    }

    /// A field at all points of an element, lexicographic.
    ///
    /// # Errors
    /// [`GpuError`] when the device fails.
    pub fn element_field(&self, element: u32, field: Field) -> Result<Vec<[f64; 3]>, GpuError> {
        let buffer = self.field(field);
        let node = |number: u32| {
            let values = buffer.download_range(3 * number as usize..3 * number as usize + 3)?;
            Ok([values[0].to_f64(), values[1].to_f64(), values[2].to_f64()])
        };
        self.nodes.of_element(element).map(node).collect()
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

    /// Bytes held on the device.
    pub fn device_bytes(&self) -> usize {
        self.gpu.bytes_held()
    }

    /// Whether patches are assembled in shared memory.
    pub fn by_patches(&self) -> bool {
        matches!(self.program, Step::Patches(_))
    }
}
