//! Substeps of nodes and patches of a device; see `../substeps.rs`.

use craton_device::Scalar;
use craton_device::args;
use craton_device::gpu::{Buffer, Gpu, GpuError, Kernel, Launch};

use super::element_memory::ElementMemory;
use super::images;
use super::messages::Slots;
use super::move_nodes::{Move, NODE_THREADS};
use super::nodes::{DeviceNodes, NodeRange};
use super::runs::Run;
use super::step::DeviceState;
use crate::discretisation::Discretisation;
use crate::shared_nodes::AbsorbingNode;
use crate::substeps::{Substeps, Tick};

/// Nodes with consecutive numbers and one level above 0, whose substeps are completed where halves end.
pub struct Climb<T: Scalar> {
    kernel: Kernel,
    range: NodeRange,
    components: u32,
    reach: Buffer<T>,
    /// Changes of velocity in the first halves of several substeps, `[half][node][component]`.
    kept: Buffer<T>,
    absorbing: Buffer<T>,
}

impl<T: Scalar> Climb<T> {
    /// Prepares the substeps of a range of nodes; `None` on level 0.
    ///
    /// # Arguments
    /// * `dt` – time step of the run [s]
    pub fn new(
        gpu: &Gpu,
        on: &Discretisation<T>,
        nodes: &DeviceNodes,
        dt: f64,
        range: NodeRange,
    ) -> Result<Option<Self>, GpuError> {
        let Some(several) = usize::from(range.level).checked_sub(1) else { return Ok(None) };
        let of = on.of(nodes.phase);
        let first_damped = of.own.layout.first_absorbing;
        let damped = |node: u32| {
            let number = nodes.shared[(node - nodes.first_shared) as usize] as usize;
            let node = AbsorbingNode::<T>::new(of.shared_mass[number], of.damping[number - first_damped], dt);
            [node.damping, node.dt_over_mass].concat()
        };
        let mut absorbing: Vec<T> = (range.first_absorbing..range.end).flat_map(damped).collect();
        absorbing.resize(absorbing.len().max(1), T::default());
        let kept = several * nodes.components() * range.count() as usize;
        Ok(Some(Self {
            kernel: images::substeps::<T>(gpu, nodes.phase)?.kernel("climb")?,
            components: nodes.components() as u32,
            reach: gpu.upload(Substeps::<T>::new(on.plan.order(), range.level, dt).reach())?,
            kept: gpu.zeroed(kept.max(1))?,
            absorbing: gpu.upload(&absorbing)?,
            range,
        }))
    }

    /// Enqueues the end of the halves that end with a substep, after the changes of velocity have been added to [`DeviceState::target`].
    pub fn launch(&self, state: &DeviceState<T>, tick: Tick) -> Result<(), GpuError> {
        let NodeRange { level, first, first_absorbing, end } = self.range;
        let ended = tick.halves_ended(level);
        let first_absorbing = if ended == usize::from(level) { first_absorbing } else { end };
        let plain_blocks = (self.components * (first_absorbing - first)).div_ceil(NODE_THREADS);
        let blocks = plain_blocks + (end - first_absorbing).div_ceil(NODE_THREADS);
        if ended == 0 || blocks == 0 {
            return Ok(());
        }
        let [first_half, second_half] = &state.changes;
        self.kernel.launch(
            Launch::new(blocks, NODE_THREADS),
            args![
                first,
                first_absorbing,
                end,
                plain_blocks,
                u32::from(level),
                ended as u32,
                state.dt,
                &self.reach,
                first_half,
                second_half,
                &self.kept,
                &state.u,
                &state.v,
                &self.absorbing,
                &state.dt_over_mass
            ],
        )
    }
}

/// Slots of patches of one level at nodes of lower levels.
pub struct Means<T: Scalar> {
    kernel: Kernel,
    level: u8,
    /// Slot, and by how many levels its node is lower.
    slower: Buffer<[u32; 2]>,
    means: Buffer<T>,
    stride: u32,
}

impl<T: Scalar> Means<T> {
    /// Prepares the means of the forces in these slots; `None` if there are none.
    pub fn new(
        gpu: &Gpu,
        nodes: &DeviceNodes,
        level: u8,
        slower: &[[u32; 2]],
        stride: usize,
    ) -> Result<Option<Self>, GpuError> {
        if slower.is_empty() {
            return Ok(None);
        }
        Ok(Some(Self {
            kernel: images::substeps::<T>(gpu, nodes.phase)?.kernel("take_means")?,
            level,
            slower: gpu.upload(slower)?,
            means: gpu.zeroed(nodes.components() * slower.len())?,
            stride: stride as u32,
        }))
    }

    /// Enqueues the means, after the forces of a substep are in the slots.
    pub fn launch(&self, slots: &Buffer<T>, tick: Tick) -> Result<(), GpuError> {
        let count = self.slower.len();
        self.kernel.launch(
            Launch::covering(count, NODE_THREADS),
            args![&self.slower, count as u32, tick.of_level(self.level) as u32, self.stride, &self.means, slots],
        )
    }
}

/// Memory variables of relaxation of a run of patches with substeps. They advance once in a step, with the strain at its beginning; the other substeps use what
/// they were before it.
pub struct HeldMemory<T: Scalar> {
    copy: Kernel,
    before: Buffer<T>,
    /// What the kernel of the elements advances in vain.
    aside: Buffer<T>,
}

impl<T: Scalar> HeldMemory<T> {
    /// Prepares the memory of a run; `None` on level 0 and without relaxation.
    pub fn new(gpu: &Gpu, nodes: &DeviceNodes, level: u8, memory: &ElementMemory<T>) -> Result<Option<Self>, GpuError> {
        if level == 0 || memory.mechanisms == 0 {
            return Ok(None);
        }
        let count = memory.values.len();
        Ok(Some(Self {
            copy: images::substeps::<T>(gpu, nodes.phase)?.kernel("copy_values")?,
            before: gpu.zeroed(count)?,
            aside: gpu.zeroed(count)?,
        }))
    }

    /// Enqueues the copies before the forces of a substep. Returns the variables that its kernel reads and advances.
    pub fn launch<'a>(&'a self, substep: usize, values: &'a Buffer<T>) -> Result<&'a Buffer<T>, GpuError> {
        let (from, to, own) = match substep {
            0 => (values, &self.before, values),
            _ => (&self.before, &self.aside, &self.aside),
        };
        self.copy.launch(Launch::covering(values.len(), NODE_THREADS), args![from, values.len() as u32, to])?;
        Ok(own)
    }
}

/// The substeps of a run of patches; all are absent on level 0.
pub struct RunSubsteps<T: Scalar> {
    /// Its inner nodes, if its kernel moves them.
    pub climb: Option<Climb<T>>,
    pub means: Option<Means<T>>,
    pub held: Option<HeldMemory<T>>,
}

impl<T: Scalar> RunSubsteps<T> {
    /// Prepares the substeps of a run whose nodes are moved elsewhere.
    ///
    /// # Arguments
    /// * `slower` – its slots at nodes of lower levels, and by how many levels they are lower
    /// * `stride` – distance of the components of a slot
    pub fn new(
        gpu: &Gpu,
        nodes: &DeviceNodes,
        run: &Run,
        memory: &ElementMemory<T>,
        slower: &[[u32; 2]],
        stride: usize,
    ) -> Result<Self, GpuError> {
        Ok(Self {
            climb: None,
            means: Means::new(gpu, nodes, run.level, slower, stride)?,
            held: HeldMemory::new(gpu, nodes, run.level, memory)?,
        })
    }

    /// Moves the kernels to another queue.
    pub fn move_to(&mut self, queue: &Gpu) {
        let Self { climb, means, held } = self;
        let kernels = [
            climb.as_mut().map(|climb| &mut climb.kernel),
            means.as_mut().map(|means| &mut means.kernel),
            held.as_mut().map(|held| &mut held.copy),
        ];
        kernels.into_iter().flatten().for_each(|kernel| *kernel = kernel.on(queue));
    }

    /// Enqueues what precedes the kernel of the elements. Returns the memory variables for it.
    pub fn hold<'a>(&'a self, run: &Run, memory: &'a ElementMemory<T>, tick: Tick) -> Result<&'a Buffer<T>, GpuError> {
        match &self.held {
            Some(held) => held.launch(tick.of_level(run.level), &memory.values),
            None => Ok(&memory.values),
        }
    }

    /// Enqueues what follows the kernel of the elements.
    pub fn launch(&self, state: &DeviceState<T>, slots: &Buffer<T>, tick: Tick) -> Result<(), GpuError> {
        self.means.iter().try_for_each(|means| means.launch(slots, tick))?;
        self.climb.iter().try_for_each(|climb| climb.launch(state, tick))
    }
}

/// Enqueues the update of the nodes that move at the end of a substep.
pub fn launch_moves<T: Scalar>(
    moves: &[(Move, Option<Climb<T>>)],
    state: &DeviceState<T>,
    slots: &Slots<T>,
    tick: Tick,
) -> Result<(), GpuError> {
    for (own, climb) in moves.iter().filter(|(own, _)| tick.moves(own.level())) {
        own.launch(state, &slots.values, slots.stride as u32, tick)?;
        climb.iter().try_for_each(|climb| climb.launch(state, tick))?;
    }
    Ok(())
}
