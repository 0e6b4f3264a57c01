//! Update of nodes by the sums of their slots.

use std::ops::Range;

use craton_device::Scalar;
use craton_device::args;
use craton_device::gpu::{Buffer, Gpu, GpuError, Kernel, Launch};
use rayon::prelude::*;

use super::images;
use super::messages::Slots;
use super::nodes::{DeviceNodes, NodeRange};
use super::number_runs;
use super::rows::{BLOCK, Rows, joined};
use super::step::DeviceState;
use super::substeps::NodeSubsteps;
use crate::discretisation::Discretisation;
use crate::substeps::Tick;

/// Block size of kernels with one thread per node.
pub const NODE_THREADS: u32 = 256;
/// Values that a thread updates: two hide the memory latency of each other.
pub const AT_A_TIME: u32 = 2;

/// Sums the forces at nodes of one level, and moves them.
pub struct Move<T: Scalar> {
    kernel: Kernel,
    slots: SlotRuns,
    components: u32,
    range: NodeRange,
    first_shared: u32,
    /// Of a level above 0.
    substeps: Option<NodeSubsteps<T>>,
}

impl<T: Scalar> Move<T> {
    /// Prepares the moves of a range of nodes.
    ///
    /// # Arguments
    /// * `dt` – time step of the run [s]
    /// * `stride` – distance of the components of a slot
    /// * `places` – slots, in the order in which they are added, of nodes from number `first` on
    pub fn new(
        gpu: &Gpu,
        on: &Discretisation<T>,
        nodes: &DeviceNodes,
        dt: f64,
        range: NodeRange,
        stride: usize,
        (places, first): (&Rows, u32),
    ) -> Result<Self, GpuError> {
        let components = nodes.components() as u32;
        let substeps = NodeSubsteps::new(gpu, on, nodes, dt, range)?;
        let kernel = match &substeps {
            None => images::nodes::<T>(gpu, on.gll().points.len(), nodes.phase)?.kernel("move_nodes")?,
            Some(_) => images::substeps::<T>(gpu, nodes.phase)?.kernel("move_substep")?,
        };
        let own = (range.first - first) as usize..(range.end - first) as usize;
        Ok(Self {
            kernel,
            slots: SlotRuns::new(gpu, if stride == 1 { components } else { 1 }, places, own)?,
            components,
            range,
            first_shared: nodes.first_shared,
            substeps,
        })
    }

    /// Enqueues the moves at the end of a substep by the forces in `slots`, unless the nodes stay.
    pub fn launch(&self, state: &DeviceState<T>, slots: &Slots<T>, tick: Tick) -> Result<(), GpuError> {
        match &self.substeps {
            _ if !tick.moves(self.range.level) || self.range.count() == 0 => Ok(()),
            None => self.launch_step(state, slots),
            Some(own) => self.launch_substep(own, state, slots, tick),
        }
    }

    /// Blocks that update components independently, and all blocks, of nodes of which those from `first_absorbing` on are damped.
    fn blocks(&self, first_absorbing: u32) -> [u32; 2] {
        let plain = (self.components * (first_absorbing - self.range.first)).div_ceil(AT_A_TIME * NODE_THREADS);
        [plain, plain + (self.range.end - first_absorbing).div_ceil(NODE_THREADS)]
    }

    fn launch_step(&self, state: &DeviceState<T>, slots: &Slots<T>) -> Result<(), GpuError> {
        let NodeRange { first, first_absorbing, end, .. } = self.range;
        let [plain_blocks, blocks] = self.blocks(first_absorbing);
        self.kernel.launch(
            Launch::new(blocks, NODE_THREADS),
            args![
                &self.slots.chunks,
                &self.slots.runs,
                &self.slots.more,
                &slots.values,
                slots.stride as u32,
                &state.dt_over_mass,
                &state.absorbing,
                first,
                first_absorbing,
                end,
                plain_blocks,
                state.dt,
                &state.u,
                &state.v,
                self.first_shared,
                &state.change
            ],
        )
    }

    fn launch_substep(
        &self,
        own: &NodeSubsteps<T>,
        state: &DeviceState<T>,
        slots: &Slots<T>,
        tick: Tick,
    ) -> Result<(), GpuError> {
        let NodeRange { level, first, first_absorbing, end } = self.range;
        let ended = tick.halves_ended(level);
        // Boundaries absorb once in a step, see `substeps`.
        let first_absorbing = if ended == usize::from(level) { first_absorbing } else { end };
        let [plain_blocks, blocks] = self.blocks(first_absorbing);
        self.kernel.launch(
            Launch::new(blocks, NODE_THREADS),
            args![
                &self.slots.chunks,
                &self.slots.runs,
                &self.slots.more,
                &slots.values,
                slots.stride as u32,
                first,
                first_absorbing,
                end,
                plain_blocks,
                u32::from(level),
                ended as u32,
                state.dt,
                &own.reach,
                &own.kept,
                &state.u,
                &state.v,
                &own.absorbing,
                &state.dt_over_mass
            ],
        )
    }
}

/// The slots of consecutive nodes, in runs: from a node to the next one of a run, all slots advance by the same distance.
struct SlotRuns {
    chunks: Buffer<[u32; 2]>,
    /// The two slots of a node of each run, minus the product of its number and the distance of successive slots; or the position in `more` of the number of
    /// slots, which is followed by the slots.
    runs: Buffer<[u32; 2]>,
    more: Buffer<u32>,
}

impl SlotRuns {
    /// Uploads the slots.
    ///
    /// # Arguments
    /// * `step` – distance of the slots of successive nodes of a run
    /// * `places` – slots of each node
    /// * `nodes` – the nodes, as a range of `places`
    fn new(gpu: &Gpu, step: u32, places: &Rows, nodes: Range<usize>) -> Result<Self, GpuError> {
        let firsts: Vec<usize> = nodes.clone().step_by(BLOCK).collect();
        let block = |first: usize| BlockOfRuns::new(step, places, nodes.start, first..nodes.end.min(first + BLOCK));
        let mut blocks: Vec<BlockOfRuns> = firsts.into_par_iter().map(block).collect();
        let mut before = [0, 0];
        for block in &mut blocks {
            block.follow(before);
            before = [before[0] + block.runs.len() as u32, before[1] + block.more.len() as u32];
        }
        let chunks: Vec<Vec<[u32; 2]>> = blocks.iter_mut().map(|block| std::mem::take(&mut block.chunks)).collect();
        let runs: Vec<Vec<[u32; 2]>> = blocks.iter_mut().map(|block| std::mem::take(&mut block.runs)).collect();
        let more: Vec<Vec<u32>> = blocks.into_iter().map(|block| block.more).collect();
        Ok(Self {
            chunks: gpu.upload(&joined(&chunks))?,
            runs: gpu.upload(&joined(&runs))?,
            more: gpu.upload(&joined(&more))?,
        })
    }
}

/// Marks a run with an entry in [`SlotRuns::more`].
const MORE: u32 = u32::MAX;

/// The runs of some nodes.
struct BlockOfRuns {
    chunks: Vec<[u32; 2]>,
    runs: Vec<[u32; 2]>,
    more: Vec<u32>,
}

impl BlockOfRuns {
    /// # Arguments
    /// * `origin` – the node with number 0
    /// * `nodes` – range of `places`; the first one starts a run unless it follows the node before
    fn new(step: u32, places: &Rows, origin: usize, nodes: Range<usize>) -> Self {
        let (mut starts, mut runs, mut more) = (Vec::with_capacity(nodes.len()), Vec::new(), Vec::new());
        for node in nodes {
            let slots = places.of(node);
            let follows = node > origin && {
                let last = places.of(node - 1);
                slots.len() == last.len() && last.iter().zip(slots).all(|(last, slot)| last + step == *slot)
            };
            starts.push(!follows);
            if follows {
                continue;
            }
            let from_first = |slot: &u32| slot.wrapping_sub(step.wrapping_mul((node - origin) as u32));
            let own: Vec<u32> = slots.iter().map(from_first).collect();
            match own[..] {
                [first, second] if second != MORE => runs.push([first, second]),
                _ => {
                    runs.push([more.len() as u32, MORE]);
                    more.push(own.len() as u32);
                    more.extend(own);
                }
            }
        }
        Self { chunks: number_runs::chunks(&starts, 0), runs, more }
    }

    /// Changes numbers of runs and positions in `more` to those after other blocks.
    ///
    /// # Arguments
    /// * `before` – numbers of their runs, and of their entries in `more`
    fn follow(&mut self, [runs, more]: [u32; 2]) {
        self.chunks.iter_mut().for_each(|[_, before]| *before = before.wrapping_add(runs));
        self.runs.iter_mut().filter(|[_, second]| *second == MORE).for_each(|[first, _]| *first += more);
    }
}
