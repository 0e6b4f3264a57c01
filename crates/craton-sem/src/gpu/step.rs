//! One step on a device as a list of launches, by patches in shared memory or by slots of elements.

use craton_device::Scalar;
use craton_device::args;
use craton_device::gpu::{Buffer, Gpu, GpuError, Kernel, Launch};

use super::gather::{self, GatherArrays};
use super::images::{self, Variant};
use super::nodes::DeviceNodes;
use super::patches::{self, PatchArrays};
use crate::discretisation::Discretisation;
use crate::sources::PointSource;
use crate::state::AbsorbingNode;

/// Threads of the blocks of kernels that take a thread per node.
const NODE_THREADS: u32 = 256;

/// Blocks of the kernel of patches that fit a multiprocessor by their registers.
const BLOCKS_PER_MULTIPROCESSOR: u32 = 2;

/// A distance in blocks beyond every patch.
const NEVER: u32 = u32::MAX / 2;

/// The field on a device, and what all kernels share.
pub struct DeviceState<T: Scalar> {
    /// Displacement at the whole step, `[node][component]` [m].
    pub u: Buffer<T>,
    /// Velocity half a step earlier, likewise [m/s].
    pub v: Buffer<T>,
    /// dt / mass [s/kg].
    pub dt_over_mass: Buffer<T>,
    /// Damping and dt (M + dt/2 C)^-1 of absorbing nodes.
    pub absorbing: Buffer<T>,
    /// Steps done.
    pub step: Buffer<u32>,
    /// Time step [s].
    pub dt: T,
}

impl<T: Scalar> DeviceState<T> {
    /// At rest.
    pub fn new(gpu: &Gpu, on: &Discretisation<T>, nodes: &DeviceNodes, dt: f64) -> Result<Self, GpuError> {
        let scaled = |mass: &Vec<f64>| mass.iter().map(|m| T::from_f64(dt / m)).collect::<Vec<T>>();
        let inner: Vec<Vec<T>> = on.inner_mass.iter().map(scaled).collect();
        let first_absorbing = on.layout.first_absorbing;
        let damped = |&number: &u32| {
            let damping = on.damping[number as usize - first_absorbing];
            let node = AbsorbingNode::<T>::new(on.shared_mass[number as usize], damping, dt);
            [node.damping, node.dt_over_mass].concat()
        };
        let absorbing = nodes.shared[first_absorbing..].iter().flat_map(damped);
        Ok(Self {
            u: gpu.zeroed(3 * nodes.end as usize)?,
            v: gpu.zeroed(3 * nodes.end as usize)?,
            dt_over_mass: gpu.upload(&nodes.spread(&inner, &scaled(&on.shared_mass)))?,
            absorbing: gpu.upload(&absorbing.collect::<Vec<T>>())?,
            step: gpu.zeroed(1)?,
            dt: T::from_f64(dt),
        })
    }
}

/// Point sources on a device: pairs (element, history), and the force at every point of the element for a history of one.
struct DeviceSources<T: Scalar> {
    count: u32,
    places: Buffer<[u32; 2]>,
    weights: Buffer<T>,
    histories: Buffer<T>,
    steps: u32,
}

impl<T: Scalar> DeviceSources<T> {
    /// `place` gives the number of an element as the kernel counts them; `sources` stand in the order in which they are added.
    fn new(
        gpu: &Gpu,
        on: &Discretisation<T>,
        sources: &[PointSource],
        order: &[usize],
        place: impl Fn(u32) -> u32,
    ) -> Result<Self, GpuError> {
        let points = on.gll.points.len().pow(3);
        let mut weights = Vec::with_capacity(order.len() * 3 * points);
        for &source in order {
            let forces = sources[source].forces(&on.mesh, &on.gll.points);
            weights.extend((0..3).flat_map(|c| forces.iter().map(move |force| T::from_f64(force[c]))));
        }
        let places: Vec<[u32; 2]> =
            order.iter().map(|&source| [place(sources[source].element), source as u32]).collect();
        let histories: Vec<T> =
            sources.iter().flat_map(|source| source.history.iter().map(|&f| T::from_f64(f))).collect();
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

/// What moves the field by one step.
pub enum Step<T: Scalar> {
    /// Patches assembled in shared memory.
    Patches(Box<PatchStep<T>>),
    /// Slots of elements, summed at the nodes.
    Gather(Box<GatherStep<T>>),
}

impl<T: Scalar> Step<T> {
    /// The step of a discretisation: by patches where they are made for it and the device has the shared memory.
    pub fn new(
        gpu: &Gpu,
        on: &Discretisation<T>,
        nodes: &DeviceNodes,
        sources: &[PointSource],
        by_patches: bool,
    ) -> Result<Self, GpuError> {
        if by_patches {
            let arrays = PatchArrays::new(on, nodes);
            if arrays.shared_bytes <= gpu.info().shared_per_block as usize {
                return Ok(Self::Patches(Box::new(PatchStep::new(gpu, on, nodes, sources, arrays)?)));
            }
        }
        Ok(Self::Gather(Box::new(GatherStep::new(gpu, on, nodes, sources)?)))
    }

    /// Queues everything that moves the nodes.
    pub fn launch(&self, state: &DeviceState<T>) -> Result<(), GpuError> {
        match self {
            Self::Patches(step) => step.launch(state),
            Self::Gather(step) => step.launch(state),
        }
    }
}

/// What sums forces at nodes and moves them.
struct Move {
    kernel: Kernel,
    /// The two slots of each node; or where all of them stand in `more_places`, behind their number.
    places: Buffer<[u32; 2]>,
    more_places: Buffer<u32>,
    first: u32,
    first_absorbing: u32,
    end: u32,
}

impl Move {
    /// Moves the nodes from `first` on.
    ///
    /// # Arguments
    /// * `places` – of the slots of each node, in the order in which they are added
    fn new<'a>(
        gpu: &Gpu,
        kernel: Kernel,
        nodes: &DeviceNodes,
        first: u32,
        places: impl Iterator<Item = &'a [u32]>,
    ) -> Result<Self, GpuError> {
        /// Marks a node that has not just two slots.
        const MORE: u32 = u32::MAX;
        let mut more = Vec::new();
        let mut entries = Vec::with_capacity((nodes.end - first) as usize);
        for slots in places {
            if let &[first, second] = slots {
                entries.push([first, second]);
            } else {
                entries.push([more.len() as u32, MORE]);
                more.push(slots.len() as u32);
                more.extend_from_slice(slots);
            }
        }
        Ok(Self {
            kernel,
            places: gpu.upload(&entries)?,
            more_places: gpu.upload(&more)?,
            first,
            first_absorbing: nodes.first_absorbing,
            end: nodes.end,
        })
    }

    /// Moves the nodes by `slots`, whose components stand `stride` apart.
    fn launch<T: Scalar>(&self, state: &DeviceState<T>, slots: &Buffer<T>, stride: u32) -> Result<(), GpuError> {
        let plain_blocks = (3 * (self.first_absorbing - self.first)).div_ceil(NODE_THREADS);
        let blocks = plain_blocks + (self.end - self.first_absorbing).div_ceil(NODE_THREADS);
        self.kernel.launch(
            Launch::new(blocks, NODE_THREADS),
            args![
                &self.places,
                &self.more_places,
                slots,
                stride,
                &state.dt_over_mass,
                &state.absorbing,
                self.first,
                self.first_absorbing,
                self.end,
                plain_blocks,
                state.dt,
                &state.u,
                &state.v
            ],
        )
    }
}

/// The entries of `values` from the offset of an index to the next one.
fn row<'a>(offsets: &[u32], values: &'a [u32], index: u32) -> &'a [u32] {
    &values[offsets[index as usize] as usize..offsets[index as usize + 1] as usize]
}

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
    sums: Buffer<T>,
    /// Blocks that run at a time.
    ahead: u32,
    shared: Move,
}

impl<T: Scalar> PatchStep<T> {
    fn new(
        gpu: &Gpu,
        on: &Discretisation<T>,
        nodes: &DeviceNodes,
        sources: &[PointSource],
        mut arrays: PatchArrays,
    ) -> Result<Self, GpuError> {
        let variant = variant(on);
        let module = images::patch(gpu, variant, arrays.varies)?;
        let mut order: Vec<usize> = (0..sources.len()).collect();
        order.sort_by_key(|&source| nodes.patch_of(sources[source].element).0);
        arrays.place_sources(order.iter().map(|&source| nodes.patch_of(sources[source].element).0));
        let entry = |&(patch, slot): &(u32, u32)| {
            let patch_nodes = &nodes.patches[patch as usize];
            let local = usize::from(patch_nodes.moved_to[patch_nodes.inner + slot as usize]) - patch_nodes.inner;
            3 * (arrays.first_surface[patch as usize] + local as u32)
        };
        let places: Vec<u32> = on.layout.contributions.iter().map(entry).collect();
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
            sources: DeviceSources::new(gpu, on, sources, &order, |element| nodes.patch_of(element).1 as u32)?,
            sums: gpu.zeroed(3 * arrays.surface.len())?,
            // The coefficients of anisotropic elements have the second-level cache to themselves.
            ahead: if on.anisotropic() { NEVER } else { BLOCKS_PER_MULTIPROCESSOR * gpu.info().multiprocessors },
            shared: Move::new(
                gpu,
                images::nodes::<T>(gpu, variant.points)?.kernel("move_nodes")?,
                nodes,
                nodes.first_shared,
                nodes.shared.iter().map(|&number| row(&on.layout.offsets, &places, number)),
            )?,
        })
    }

    fn launch(&self, state: &DeviceState<T>) -> Result<(), GpuError> {
        self.kernel.launch(
            Launch::new(self.patches.len() as u32, patches::THREADS as u32).shared(self.shared_bytes),
            args![
                &self.patches,
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
                &self.sums,
                self.ahead
            ],
        )?;
        self.shared.launch(state, &self.sums, 1)
    }
}

/// A step by slots of elements.
pub struct GatherStep<T: Scalar> {
    kernel: Kernel,
    launch: Launch,
    tables: Buffer<T>,
    nodes: Buffer<u32>,
    control: Buffer<T>,
    material: Buffer<T>,
    varies: u32,
    elements: u32,
    add_sources: Kernel,
    sources: DeviceSources<T>,
    slots: Buffer<T>,
    points: u32,
    all: Move,
}

impl<T: Scalar> GatherStep<T> {
    fn new(gpu: &Gpu, on: &Discretisation<T>, nodes: &DeviceNodes, sources: &[PointSource]) -> Result<Self, GpuError> {
        let variant = variant(on);
        let arrays = GatherArrays::new(on, nodes);
        let points = variant.points.pow(3);
        let elements = on.mesh.n_elements() as u32;
        let (offsets, places) = gather::places(nodes, points, elements);
        let common = images::nodes::<T>(gpu, variant.points)?;
        let order: Vec<usize> = (0..sources.len()).collect();
        let columns = variant.points.pow(2);
        let per_block = if columns >= 64 { 1 } else { 128 / columns };
        let workspace = (6 * points + 6 * columns) * size_of::<T>();
        Ok(Self {
            kernel: images::gather::<T>(gpu, variant)?.kernel("element_forces")?,
            launch: Launch::covering(elements as usize * columns, (per_block * columns) as u32)
                .shared((per_block * workspace) as u32),
            tables: gpu.upload(&arrays.tables)?,
            nodes: gpu.upload(&arrays.nodes)?,
            control: gpu.upload(&arrays.control)?,
            material: gpu.upload(&arrays.material)?,
            varies: arrays.varies.into(),
            elements,
            add_sources: common.kernel("add_sources")?,
            sources: DeviceSources::new(gpu, on, sources, &order, |element| element)?,
            slots: gpu.zeroed(3 * points * elements as usize)?,
            points: points as u32,
            all: Move::new(
                gpu,
                common.kernel("move_nodes")?,
                nodes,
                0,
                (0..nodes.end).map(|node| row(&offsets, &places, node)),
            )?,
        })
    }

    fn launch(&self, state: &DeviceState<T>) -> Result<(), GpuError> {
        self.kernel.launch(
            self.launch,
            args![
                &self.tables,
                &self.nodes,
                &state.u,
                &self.control,
                &self.material,
                self.varies,
                self.elements,
                &self.slots
            ],
        )?;
        if self.sources.count > 0 {
            self.add_sources.launch(
                Launch::new(1, NODE_THREADS),
                args![
                    &self.sources.places,
                    self.sources.count,
                    &self.sources.weights,
                    &self.sources.histories,
                    self.sources.steps,
                    &state.step,
                    &self.slots
                ],
            )?;
        }
        self.all.launch(state, &self.slots, self.points)
    }
}

fn variant<T: Scalar>(on: &Discretisation<T>) -> Variant {
    Variant { points: on.gll.points.len(), geometry: on.mesh.geometry, anisotropic: on.anisotropic() }
}
