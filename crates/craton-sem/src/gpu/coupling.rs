//! Forces between the phases on a device; see `wet.rs`.

use craton_device::Scalar;
use craton_device::args;
use craton_device::gpu::{Buffer, Gpu, GpuError, Kernel, Launch};
use craton_sem_kernels::Phase;

use super::images;
use super::messages::MessageLayout;
use super::nodes::DeviceNodes;
use super::phase::DevicePhase;
use crate::discretisation::Discretisation;
use crate::fields::NodePlace;
use crate::wet::WetNode;

/// Block size: one thread per pair of nodes.
const THREADS: u32 = 256;

/// The wet nodes of a part on a device.
pub struct DeviceCoupling<T: Scalar> {
    push_fluid: Kernel,
    push_solid: Kernel,
    /// Fluid node, solid node, slot of the fluid node, first slot of the solid node.
    pairs: Buffer<[u32; 4]>,
    /// Area vector out of the fluid, `[pair][component]` [m²].
    areas: Buffer<T>,
    count: u32,
    first_change: u32,
    dt: T,
}

impl<T: Scalar> DeviceCoupling<T> {
    /// Uploads the pairs.
    ///
    /// # Arguments
    /// * `slots` – the slots of each pair: see [`wet_slots`]
    pub fn new(gpu: &Gpu, wet: &[WetNode], [solid, fluid]: [&DevicePhase<T>; 2], dt: f64) -> Result<Self, GpuError> {
        let module = images::coupling::<T>(gpu)?;
        let (solid_slots, fluid_slots) = (solid.program.wet_slots(wet.len()), fluid.program.wet_slots(wet.len()));
        let pair = |((pair, solid_slot), fluid_slot): ((&WetNode, u32), u32)| {
            let [on_fluid, on_solid] = [(fluid, pair.fluid), (solid, pair.solid)]
                .map(|(phase, node)| phase.nodes.number_of(NodePlace::Shared(node)));
            [on_fluid, on_solid, fluid_slot, solid_slot]
        };
        let pairs: Vec<[u32; 4]> = wet.iter().zip(solid_slots).zip(fluid_slots).map(pair).collect();
        let areas: Vec<T> = wet.iter().flat_map(|pair| pair.area.map(T::from_f64)).collect();
        Ok(Self {
            push_fluid: module.kernel("push_fluid")?,
            push_solid: module.kernel("push_solid")?,
            count: pairs.len() as u32,
            pairs: gpu.upload(&pairs)?,
            areas: gpu.upload(&areas)?,
            first_change: fluid.nodes.first_shared,
            dt: T::from_f64(dt),
        })
    }

    /// Enqueues the change of volume of the fluid nodes, before the solid moves.
    pub fn launch_on_fluid(&self, [solid, fluid]: [&DevicePhase<T>; 2]) -> Result<(), GpuError> {
        self.push_fluid.launch(
            Launch::covering(self.count as usize, THREADS),
            args![&self.pairs, &self.areas, self.count, &solid.state.u, &fluid.program.slots().values],
        )
    }

    /// Enqueues the force of the fluid on the solid nodes, after the fluid has moved.
    pub fn launch_on_solid(&self, [solid, fluid]: [&DevicePhase<T>; 2]) -> Result<(), GpuError> {
        let slots = solid.program.slots();
        self.push_solid.launch(
            Launch::covering(self.count as usize, THREADS),
            args![
                &self.pairs,
                &self.areas,
                self.count,
                &fluid.state.change,
                self.first_change,
                self.dt,
                &slots.values,
                slots.stride as u32
            ],
        )
    }
}

/// (node of the device, slot of its first component) of each force of the other phase on the nodes of a phase. They follow the incoming messages.
pub fn wet_slots<T: Scalar>(
    on: &Discretisation<T>,
    nodes: &DeviceNodes,
    own_values: usize,
    incoming: &MessageLayout,
) -> Vec<[u32; 2]> {
    let message = nodes.own.links.len();
    let slot = |(at, pair): (usize, &WetNode)| {
        let node = match nodes.phase {
            Phase::Solid => pair.solid,
            Phase::Fluid => pair.fluid,
        };
        [nodes.number_of(NodePlace::Shared(node)), (own_values + incoming.place(message, at)) as u32]
    };
    on.wet.iter().enumerate().map(slot).collect()
}
