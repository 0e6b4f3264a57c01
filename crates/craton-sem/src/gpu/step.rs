//! One step on a device as a list of launches, with assembly by patches or by slots.

use craton_device::Scalar;
use craton_device::gpu::{Buffer, Gpu, GpuError, Kernel};
use craton_sim::Link;

use super::element_memory::ElementMemory;
use super::gather_step::GatherStep;
use super::messages::{Messages, Slots};
use super::nodes::DeviceNodes;
use super::patch_step::PatchStep;
use super::patches::PatchArrays;
use super::runs::Run;
use crate::discretisation::Discretisation;
use crate::solid::{AbsorbingNode, COMPONENTS};
use crate::sources::PointSource;

/// The fields on a device and other arrays that all kernels use.
pub struct DeviceState<T: Scalar> {
    /// Displacement at the whole step, `[node][component]` [m].
    pub u: Buffer<T>,
    /// Velocity half a step earlier, `[node][component]` [m/s].
    pub v: Buffer<T>,
    /// dt / mass [s/kg].
    pub dt_over_mass: Buffer<T>,
    /// Damping C [kg/s] and dt (M + dt/2 C)^-1 [s/kg] of absorbing nodes.
    pub absorbing: Buffer<T>,
    /// Number of completed steps.
    pub step: Buffer<u32>,
    /// Time step [s].
    pub dt: T,
}

impl<T: Scalar> DeviceState<T> {
    /// Creates the state at rest.
    pub fn new(gpu: &Gpu, on: &Discretisation<T>, nodes: &DeviceNodes, dt: f64) -> Result<Self, GpuError> {
        let scaled = |mass: &Vec<f64>| mass.iter().map(|m| T::from_f64(dt / m)).collect::<Vec<T>>();
        let inner: Vec<Vec<T>> = on.inner_mass.iter().map(scaled).collect();
        let first_absorbing = on.own.layout.first_absorbing;
        let damped = |&number: &u32| {
            let damping = on.damping[number as usize - first_absorbing];
            let node = AbsorbingNode::<T>::new(on.shared_mass[number as usize], damping, dt);
            [node.damping, node.dt_over_mass].concat()
        };
        let absorbing = nodes.shared[first_absorbing..].iter().flat_map(damped);
        Ok(Self {
            u: gpu.zeroed(COMPONENTS * nodes.end as usize)?,
            v: gpu.zeroed(COMPONENTS * nodes.end as usize)?,
            dt_over_mass: gpu.upload(&nodes.spread(&inner, &scaled(&on.shared_mass)))?,
            absorbing: gpu.upload(&absorbing.collect::<Vec<T>>())?,
            step: gpu.zeroed(1)?,
            dt: T::from_f64(dt),
        })
    }
}

/// Point sources on a device.
pub struct DeviceSources<T: Scalar> {
    /// Number of sources.
    pub count: u32,
    /// Element number in the kernel, and row of `histories`.
    pub places: Buffer<[u32; 2]>,
    /// Nodal forces for a unit history, `[source][component][point]` [N].
    pub weights: Buffer<T>,
    /// Histories, `[source][step]`.
    pub histories: Buffer<T>,
    /// Number of steps of a history.
    pub steps: u32,
}

impl<T: Scalar> DeviceSources<T> {
    /// Uploads the sources.
    ///
    /// # Arguments
    /// * `order` – indices of the sources, in the order in which they are added
    /// * `place` – number of an element in the kernel
    pub fn new(
        gpu: &Gpu,
        on: &Discretisation<T>,
        sources: &[PointSource],
        order: &[usize],
        place: impl Fn(u32) -> u32,
    ) -> Result<Self, GpuError> {
        let points = on.gll().points.len().pow(3);
        let mut weights = Vec::with_capacity(order.len() * 3 * points);
        for &source in order {
            let forces = sources[source].forces(on.mesh(), &on.gll().points);
            weights.extend((0..3).flat_map(|c| forces.iter().map(move |force| T::from_f64(force[c]))));
        }
        let places: Vec<[u32; 2]> =
            order.iter().enumerate().map(|(row, &source)| [place(sources[source].element), row as u32]).collect();
        let history = |&source: &usize| sources[source].history.iter().map(|&f| T::from_f64(f));
        let histories: Vec<T> = order.iter().flat_map(history).collect();
        let steps = sources.first().map_or(0, |source| source.history.len());
        Ok(Self {
            count: order.len() as u32,
            places: gpu.upload(&places)?,
            weights: gpu.upload(&weights)?,
            histories: gpu.upload(&histories)?,
            steps: steps as u32,
        })
    }
}

/// The launches of a step.
pub enum Step<T: Scalar> {
    /// Assembly by patches in shared memory.
    Patches(Box<PatchStep<T>>),
    /// Assembly by slots of elements.
    Gather(Box<GatherStep<T>>),
}

impl<T: Scalar> Step<T> {
    /// Prepares steps of `dt` [s] of a discretisation. `by_patches` selects assembly by patches if the device has enough shared memory.
    pub fn new(
        gpu: &Gpu,
        on: &Discretisation<T>,
        dt: f64,
        nodes: &DeviceNodes,
        sources: &[PointSource],
        by_patches: bool,
    ) -> Result<Self, GpuError> {
        if by_patches {
            let runs = Run::all(on, nodes);
            let arrays = PatchArrays::new(on, nodes, &runs);
            if arrays.shared_bytes.iter().all(|&bytes| bytes <= gpu.info().shared_per_block as usize) {
                return Ok(Self::Patches(Box::new(PatchStep::new(gpu, on, dt, nodes, sources, runs, arrays)?)));
            }
        }
        Ok(Self::Gather(Box::new(GatherStep::new(gpu, on, dt, nodes, sources)?)))
    }

    /// Enqueues the forces of the outer patches, which share nodes with other parts, or of the inner patches.
    pub fn launch_elements(&self, state: &DeviceState<T>, outer: bool) -> Result<(), GpuError> {
        match self {
            Self::Patches(step) => step.launch_patches(state, outer),
            Self::Gather(step) => step.launch_elements(state, outer),
        }
    }

    /// The runs of patches and the memory of their elements.
    pub fn memories(&mut self) -> Vec<(&Run, &mut ElementMemory<T>)> {
        match self {
            Self::Patches(step) => step.memories(),
            Self::Gather(step) => step.memories(),
        }
    }

    /// Enqueues the node updates that need all sums.
    pub fn launch_nodes(&self, state: &DeviceState<T>) -> Result<(), GpuError> {
        match self {
            Self::Patches(step) => step.launch_shared(state),
            Self::Gather(step) => step.launch_nodes(state),
        }
    }

    /// The force sums that update nodes.
    pub fn slots(&self) -> &Slots<T> {
        match self {
            Self::Patches(step) => &step.slots,
            Self::Gather(step) => &step.slots,
        }
    }

    /// Mutable access to [`Self::slots`].
    pub fn slots_mut(&mut self) -> &mut Slots<T> {
        match self {
            Self::Patches(step) => &mut step.slots,
            Self::Gather(step) => &mut step.slots,
        }
    }

    /// Allocates the messages between the device and its neighbours.
    pub fn messages(&self, gpu: &Gpu, collect: Kernel, neighbours: &[Link]) -> Result<Messages<T>, GpuError> {
        let (outgoing, incoming) = match self {
            Self::Patches(step) => (&step.outgoing, &step.incoming),
            Self::Gather(step) => (&step.outgoing, &step.incoming),
        };
        Messages::new(gpu, collect, neighbours, outgoing, self.slots(), incoming)
    }
}
