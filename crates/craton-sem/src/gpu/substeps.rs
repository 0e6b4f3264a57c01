//! Substeps of nodes and patches of a device; see `../substeps.rs`.

use craton_device::Scalar;
use craton_device::args;
use craton_device::gpu::{Buffer, Gpu, GpuError, Kernel, Launch};

use super::element_memory::ElementMemory;
use super::images;
use super::move_nodes::{AT_A_TIME, NODE_THREADS};
use super::nodes::{DeviceNodes, NodeRange};
use super::runs::Run;
use super::step::DeviceState;
use crate::discretisation::Discretisation;
use crate::shared_nodes::AbsorbingNode;
use crate::substeps::{Substeps, Tick};

/// The substeps of nodes with consecutive numbers and one level above 0.
pub struct NodeSubsteps<T: Scalar> {
    /// η τ/2 of the halves whose changes a node keeps.
    pub reach: Buffer<T>,
    /// Changes of velocity in first halves, `[half][node][component]`, those of one substep first.
    pub kept: Buffer<T>,
    /// Damping of the nodes on absorbing boundaries.
    pub absorbing: Buffer<T>,
}

impl<T: Scalar> NodeSubsteps<T> {
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
        if range.level == 0 {
            return Ok(None);
        }
        let of = on.of(nodes.phase);
        let first_damped = of.own.layout.first_absorbing;
        let damped = |node: u32| {
            let number = nodes.shared[(node - nodes.first_shared) as usize] as usize;
            let node = AbsorbingNode::<T>::new(of.shared_mass[number], of.damping[number - first_damped], dt);
            [node.damping, node.dt_over_mass].concat()
        };
        let mut absorbing: Vec<T> = (range.first_absorbing..range.end).flat_map(damped).collect();
        absorbing.resize(absorbing.len().max(1), T::default());
        Ok(Some(Self {
            reach: gpu.upload(Substeps::<T>::new(on.plan.order(), range.level, dt).reach())?,
            kept: gpu.zeroed(usize::from(range.level) * nodes.components() * range.count() as usize)?,
            absorbing: gpu.upload(&absorbing)?,
        }))
    }
}

/// The inner nodes of patches of one level above 0, which the kernel of the patches moves.
pub struct InnerSubsteps<T: Scalar> {
    climb: Kernel,
    range: NodeRange,
    components: u32,
    of_nodes: Substeps<T>,
    reach: Buffer<T>,
    /// Changes of velocity in the first halves of several substeps, `[half][node][component]`.
    kept: Buffer<T>,
}

impl<T: Scalar> InnerSubsteps<T> {
    /// Prepares the substeps of a range of inner nodes; `None` on level 0.
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
        let of_nodes = Substeps::new(on.plan.order(), range.level, dt);
        Ok(Some(Self {
            climb: images::substeps::<T>(gpu, nodes.phase)?.kernel("climb")?,
            components: nodes.components() as u32,
            reach: gpu.upload(of_nodes.reach())?,
            kept: gpu.zeroed((several * nodes.components() * range.count() as usize).max(1))?,
            of_nodes,
            range,
        }))
    }

    /// The array to whose values the kernel of the patches adds the changes of velocity in a substep, and the step with which it then moves the displacement
    /// by these values. [`Self::launch`] completes the move.
    ///
    /// # Arguments
    /// * `changes` – changes of velocity in the first and second half of two substeps
    pub fn target<'a>(&self, state: &'a DeviceState<T>, changes: &'a [Buffer<T>; 2], tick: Tick) -> (&'a Buffer<T>, T) {
        let ended = tick.halves_ended(self.range.level);
        if ended == usize::from(self.range.level) {
            (&state.v, state.dt)
        } else {
            (&changes[ended.min(1)], self.of_nodes.reach()[ended])
        }
    }

    /// Enqueues the end of the halves that end with a substep.
    pub fn launch(
        &self,
        state: &DeviceState<T>,
        [first_half, second_half]: &[Buffer<T>; 2],
        tick: Tick,
    ) -> Result<(), GpuError> {
        let NodeRange { level, first, .. } = self.range;
        let (ended, count) = (tick.halves_ended(level), self.range.count());
        if ended == 0 {
            return Ok(());
        }
        self.climb.launch(
            Launch::new((self.components * count).div_ceil(AT_A_TIME * NODE_THREADS), NODE_THREADS),
            args![
                first,
                count,
                u32::from(level),
                ended as u32,
                state.dt,
                &self.reach,
                first_half,
                second_half,
                &self.kept,
                &state.u,
                &state.v
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
    pub inner: Option<InnerSubsteps<T>>,
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
            inner: None,
            means: Means::new(gpu, nodes, run.level, slower, stride)?,
            held: HeldMemory::new(gpu, nodes, run.level, memory)?,
        })
    }

    /// Enqueues what precedes the kernel of the elements. Returns the memory variables for it.
    pub fn hold<'a>(&'a self, run: &Run, memory: &'a ElementMemory<T>, tick: Tick) -> Result<&'a Buffer<T>, GpuError> {
        match &self.held {
            Some(held) => held.launch(tick.of_level(run.level), &memory.values),
            None => Ok(&memory.values),
        }
    }

    /// Enqueues the means of the forces, after the kernel of the elements.
    pub fn launch_means(&self, slots: &Buffer<T>, tick: Tick) -> Result<(), GpuError> {
        self.means.iter().try_for_each(|means| means.launch(slots, tick))
    }
}
