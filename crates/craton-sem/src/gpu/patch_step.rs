//! A step by patches: summed in shared memory, inner nodes moved in place, shared ones by a kernel of their own.

use std::ops::Range;

use craton_device::Scalar;
use craton_device::args;
use craton_device::gpu::{Buffer, Gpu, GpuError, Kernel, Launch};
use craton_sim::Link;

use super::images;
use super::messages::{MessageLayout, Slots};
use super::move_nodes::{Move, row};
use super::nodes::DeviceNodes;
use super::patches::{self, PatchArrays};
use super::step::{DeviceSources, DeviceState, variant};
use crate::discretisation::Discretisation;
use crate::sources::PointSource;

/// Blocks of the kernel of patches that fit a multiprocessor by their registers.
const BLOCKS_PER_MULTIPROCESSOR: u32 = 2;

/// A distance in blocks beyond every patch.
const NEVER: u32 = u32::MAX / 2;

/// A step by patches.
pub struct PatchStep<T: Scalar> {
    kernel: Kernel,
    shared_bytes: u32,
    patches: Buffer<[u32; patches::HEADER]>,
    connection: Buffer<[u32; 4]>,
    last_connection: Buffer<u16>,
    tables: Buffer<u16>,
    surface: Buffer<u32>,
    geometry: Buffer<f32>,
    material: Buffer<f32>,
    sources: DeviceSources<T>,
    /// Sums on shared nodes: those of each patch, and those of other parts.
    pub slots: Slots<T>,
    /// Blocks that run at a time.
    ahead: u32,
    shared: Move,
    /// What is sent: first component of each sum of each message.
    pub outgoing: Vec<Vec<u32>>,
    /// Where messages are received.
    pub incoming: MessageLayout,
}

impl<T: Scalar> PatchStep<T> {
    /// Puts the arrays of a discretisation on a device.
    pub fn new(
        gpu: &Gpu,
        on: &Discretisation<T>,
        nodes: &DeviceNodes,
        sources: &[PointSource],
        mut arrays: PatchArrays,
    ) -> Result<Self, GpuError> {
        let variant = variant(on);
        let module = images::patch(gpu, variant, arrays.varies)?;
        let patch_of = |source: usize| nodes.patch_of(sources[source].element).map(|(patch, _)| patch);
        let mut order: Vec<usize> = (0..sources.len()).filter(|&source| patch_of(source).is_some()).collect();
        order.sort_by_key(|&source| patch_of(source));
        arrays.place_sources(order.iter().filter_map(|&source| patch_of(source)));
        let within = |element| nodes.patch_of(element).expect("an element of this part").1 as u32;

        let own_values = 3 * arrays.surface.len();
        let incoming = MessageLayout::new(1, on.own.links.iter().map(|link| link.incoming.len()));
        let received: Vec<u32> = incoming.places().map(|place| (own_values + place) as u32).collect();
        let place = |&(patch, slot): &(u32, u32)| {
            let Some(patch_nodes) = nodes.patches.get(patch as usize) else { return received[slot as usize] };
            let local = usize::from(patch_nodes.moved_to[patch_nodes.inner + slot as usize]) - patch_nodes.inner;
            3 * (arrays.first_surface[patch as usize] + local as u32)
        };
        let places: Vec<u32> = on.own.layout.contributions.iter().map(place).collect();
        let to_neighbour = |link: &Link| on.own.outgoing[link.outgoing.clone()].iter().map(place).collect();
        Ok(Self {
            kernel: module.kernel("advance_patches")?,
            shared_bytes: arrays.shared_bytes as u32,
            patches: gpu.upload(&arrays.patches)?,
            connection: gpu.upload(&arrays.connection)?,
            last_connection: gpu.upload(&arrays.last_connection)?,
            tables: gpu.upload(&arrays.tables)?,
            surface: gpu.upload(&arrays.surface)?,
            geometry: gpu.upload(&arrays.geometry)?,
            material: gpu.upload(&arrays.material)?,
            sources: DeviceSources::new(gpu, on, sources, &order, within)?,
            slots: Slots::new(gpu, 1, own_values, &incoming)?,
            // The coefficients of anisotropic elements have the second-level cache to themselves.
            ahead: if on.anisotropic() { NEVER } else { BLOCKS_PER_MULTIPROCESSOR * gpu.info().multiprocessors },
            shared: Move::new(
                gpu,
                images::nodes::<T>(gpu, variant.points)?.kernel("move_nodes")?,
                nodes,
                nodes.first_shared,
                nodes.shared.iter().map(|&number| row(&on.own.layout.offsets, &places, number)),
            )?,
            outgoing: on.own.links.iter().map(to_neighbour).collect(),
            incoming,
        })
    }

    /// Queues some patches: their sums, and the moves of their inner nodes.
    pub fn launch_patches(&self, state: &DeviceState<T>, range: Range<usize>) -> Result<(), GpuError> {
        self.kernel.launch(
            Launch::new(range.len() as u32, patches::THREADS as u32).shared(self.shared_bytes),
            args![
                &self.patches,
                range.start as u32,
                &self.connection,
                &self.last_connection,
                &self.tables,
                &self.surface,
                &self.geometry,
                &self.material,
                &state.dt_over_mass,
                state.dt,
                &self.sources.places,
                &self.sources.weights,
                &self.sources.histories,
                self.sources.steps,
                &state.step,
                &state.u,
                &state.v,
                &self.slots.values,
                self.ahead
            ],
        )
    }

    /// Queues what moves the shared nodes.
    pub fn launch_shared(&self, state: &DeviceState<T>) -> Result<(), GpuError> {
        self.shared.launch(state, &self.slots.values, 1)
    }
}
