//! One step on a device as a list of launches, with assembly by patches or by slots.

use std::sync::Arc;

use craton_device::Scalar;
use craton_device::gpu::{Buffer, Gpu, GpuError, Kernel};
use craton_sem_kernels::Phase;
use craton_sim::Link;

use super::element_memory::ElementMemory;
use super::gather_step::GatherStep;
use super::messages::{Messages, Slots};
use super::nodes::DeviceNodes;
use super::patch_step::PatchStep;
use super::patches::PatchArrays;
use super::runs::Run;
use crate::discretisation::Discretisation;
use crate::shared_nodes::AbsorbingNode;
use crate::sources::PointSource;
use crate::substeps::Tick;

/// The fields of a phase on a device and other arrays that all kernels use.
pub struct DeviceState<T: Scalar> {
    /// Displacement [m] or potential [kg/m] at the whole step, `[node][component]`.
    pub u: Buffer<T>,
    /// Its rate half a step earlier, `[node][component]`.
    pub v: Buffer<T>,
    /// dt times the second time derivative of the potential on the shared nodes of a fluid; one value in a solid.
    pub change: Buffer<T>,
    /// dt / mass; dt is that of a substep.
    pub dt_over_mass: Buffer<T>,
    /// Damping C and dt (M + dt/2 C)^-1 of absorbing nodes of level 0.
    pub absorbing: Buffer<T>,
    /// Number of completed steps, the same buffer for both phases.
    pub step: Arc<Buffer<u32>>,
    /// Time step [s].
    pub dt: T,
}

impl<T: Scalar> DeviceState<T> {
    /// Creates the state at rest.
    pub fn new(
        gpu: &Gpu,
        on: &Discretisation<T>,
        nodes: &DeviceNodes,
        dt: f64,
        step: Arc<Buffer<u32>>,
    ) -> Result<Self, GpuError> {
        let (of, components) = (on.of(nodes.phase), nodes.components());
        let changes = if nodes.phase == Phase::Fluid { (nodes.end - nodes.first_shared) as usize } else { 0 };
        let substep = |level: u8| dt / f64::from(1 << level);
        let of_inner = |patch: usize, node: usize| T::from_f64(substep(of.rates[patch]) / of.inner_mass[patch][node]);
        let of_shared = |node: usize| T::from_f64(substep(of.own.layout.levels[node]) / of.shared_mass[node]);
        let first_absorbing = of.own.layout.first_absorbing;
        let damped = |&number: &u32| {
            let damping = of.damping[number as usize - first_absorbing];
            let node = AbsorbingNode::<T>::new(of.shared_mass[number as usize], damping, dt);
            [node.damping, node.dt_over_mass].concat()
        };
        let slowest = nodes.levels[nodes.levels.len() - 1];
        let damped_nodes = (slowest.first_absorbing - nodes.first_shared) as usize..nodes.shared.len();
        let absorbing = nodes.shared[damped_nodes].iter().flat_map(damped);
        Ok(Self {
            u: gpu.zeroed(components * nodes.end as usize)?,
            v: gpu.zeroed(components * nodes.end as usize)?,
            change: gpu.zeroed(changes.max(1))?,
            dt_over_mass: gpu.upload(&nodes.spread(of_inner, of_shared))?,
            absorbing: gpu.upload(&absorbing.collect::<Vec<T>>())?,
            step,
            dt: T::from_f64(dt),
        })
    }
}

/// Point sources on a device.
pub struct DeviceSources<T: Scalar> {
    /// Number of sources.
    pub count: u32,
    /// Element number in the kernel, then the step of the first value, the number of values and their place in `histories`.
    pub places: Buffer<[u32; 4]>,
    /// Nodal forces for a unit history, `[source][component][point]` [N].
    pub weights: Buffer<T>,
    /// The values of all histories, one after the other.
    pub histories: Buffer<T>,
}

impl<T: Scalar> DeviceSources<T> {
    /// Uploads the sources.
    ///
    /// # Arguments
    /// * `order` – indices of the sources, in the order in which they are added
    /// * `place` – number of an element in the kernel
    pub fn new(
        gpu: &Gpu,
        (on, phase): (&Discretisation<T>, Phase),
        sources: &[PointSource],
        order: &[usize],
        place: impl Fn(u32) -> u32,
    ) -> Result<Self, GpuError> {
        let mut weights = Vec::new();
        for &source in order {
            let forces = sources[source].forces(on);
            weights.extend((0..phase.components()).flat_map(|c| forces.iter().map(move |force| T::from_f64(force[c]))));
        }
        let (mut places, mut histories) = (Vec::with_capacity(order.len()), Vec::new());
        for PointSource { element, history, .. } in order.iter().map(|&source| &sources[source]) {
            let countable = |number: usize| u32::try_from(number).expect("histories have fewer than 2^32 values");
            let [first, count, at] = [history.first(), history.values().len(), histories.len()].map(countable);
            places.push([place(*element), first, count, at]);
            histories.extend(history.values().iter().map(|&factor| T::from_f64(factor)));
        }
        Ok(Self {
            count: order.len() as u32,
            places: gpu.upload(&places)?,
            weights: gpu.upload(&weights)?,
            histories: gpu.upload(&histories)?,
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

    /// Enqueues the forces of the outer patches, which share nodes with other parts, or of the inner patches, if they are computed in a substep.
    pub fn launch_elements(&self, state: &DeviceState<T>, outer: bool, tick: Tick) -> Result<(), GpuError> {
        match self {
            Self::Patches(step) => step.launch_patches(state, outer, tick),
            Self::Gather(step) => step.launch_elements(state, outer, tick),
        }
    }

    /// Computes the largest run of patches of a mesh without levels beside the others, in a queue with less priority: small runs alone do not keep the device
    /// busy.
    pub fn overlap(&mut self, gpu: &Gpu) -> Result<(), GpuError> {
        match self {
            Self::Patches(step) => step.overlap(gpu),
            Self::Gather(_) => Ok(()),
        }
    }

    /// Lets the queue of the step wait for elements in other queues.
    pub fn wait_for_elements(&self) -> Result<(), GpuError> {
        match self {
            Self::Patches(step) => step.wait_for_patches(),
            Self::Gather(_) => Ok(()),
        }
    }

    /// The runs of patches and the memory of their elements.
    pub fn memories(&mut self) -> Vec<(&Run, &mut ElementMemory<T>)> {
        match self {
            Self::Patches(step) => step.memories(),
            Self::Gather(step) => step.memories(),
        }
    }

    /// Enqueues the node updates at the end of a substep that need all sums.
    pub fn launch_nodes(&self, state: &DeviceState<T>, tick: Tick) -> Result<(), GpuError> {
        match self {
            Self::Patches(step) => step.launch_shared(state, tick),
            Self::Gather(step) => step.launch_nodes(state, tick),
        }
    }

    /// The force sums that update nodes.
    pub fn slots(&self) -> &Slots<T> {
        match self {
            Self::Patches(step) => &step.slots,
            Self::Gather(step) => &step.slots,
        }
    }

    /// Slots of the first components of the forces of the other phase; see [`wet_slots`](super::coupling::wet_slots).
    ///
    /// # Arguments
    /// * `count` – number of these forces
    pub fn wet_slots(&self, count: usize) -> Vec<u32> {
        let (incoming, slots) = match self {
            Self::Patches(step) => (&step.incoming, &step.slots),
            Self::Gather(step) => (&step.incoming, &step.slots),
        };
        let message = incoming.messages() - 1;
        (0..count).map(|at| (slots.received + incoming.place(message, at)) as u32).collect()
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
