//! A phase of a part on a device: its nodes, fields, launches, messages and probes.

use std::sync::Arc;

use craton_device::Scalar;
use craton_device::args;
use craton_device::gpu::{Buffer, Gpu, GpuError, Kernel, Launch};
use craton_sem_kernels::Phase;

use super::bank_order;
use super::images;
use super::messages::Messages;
use super::nodes::DeviceNodes;
use super::probes::DeviceProbes;
use super::step::{DeviceState, Step};
use crate::discretisation::{Discretisation, Patching};
use crate::fields::Field;
use crate::probes::Probe;
use crate::sources::PointSource;

/// Block size of kernels with one thread per node.
const THREADS: u32 = 256;

/// A phase of a part on a device.
pub struct DevicePhase<T: Scalar> {
    pub nodes: DeviceNodes,
    pub state: DeviceState<T>,
    pub program: Step<T>,
    pub messages: Messages<T>,
    pub probes: DeviceProbes<T>,
    pub collect: Kernel,
    find_broken: Kernel,
    broken: Buffer<u32>,
    lower: Kernel,
    /// Closed fluid of each node, once it is needed.
    closed_fluids: Option<Buffer<u8>>,
}

/// Keeps the order of the inner nodes of a patch.
fn keep_order(_local: &[u16], inner: usize) -> Vec<u16> {
    (0..inner as u16).collect()
}

impl<T: Scalar> DevicePhase<T> {
    /// Uploads a phase at rest; see [`GpuOperator::new`](super::operator::GpuOperator::new).
    ///
    /// # Arguments
    /// * `step` – the counter of steps
    pub fn new(
        gpu: &Gpu,
        (on, phase): (&Discretisation<T>, Phase),
        (dt, step): (f64, &Arc<Buffer<u32>>),
        sources: &[PointSource],
        probes: &[Probe],
    ) -> Result<Self, GpuError> {
        let degree = on.gll().degree;
        let by_patches = on.is_patched_for_blocks() && Patching::for_gpu::<T>(degree) == Patching::Blocks;
        let order = if by_patches { bank_order::order } else { keep_order };
        let nodes = DeviceNodes::new(on, phase, order);
        let common = images::nodes::<T>(gpu, degree + 1, phase)?;
        let program = Step::new(gpu, on, dt, &nodes, sources, by_patches)?;
        let collect = common.kernel("collect")?;
        Ok(Self {
            state: DeviceState::new(gpu, on, &nodes, dt, Arc::clone(step))?,
            messages: program.messages(gpu, collect.clone(), &nodes.own.links)?,
            probes: DeviceProbes::new(gpu, common.kernel("sample")?, on, &nodes, probes)?,
            program,
            find_broken: common.kernel("find_broken")?,
            lower: common.kernel("lower")?,
            closed_fluids: None,
            collect,
            broken: gpu.zeroed(1)?,
            nodes,
        })
    }

    /// Device number of a node whose displacement or potential is not finite, if there is one.
    pub fn broken_node(&mut self) -> Result<Option<u32>, GpuError> {
        self.broken.write(0..1, &[u32::MAX])?;
        let count = self.nodes.end;
        self.find_broken
            .launch(Launch::covering(count as usize, THREADS), args![&self.state.u, count, &self.broken])?;
        let broken = self.broken.download()?[0];
        Ok((broken < count).then_some(broken))
    }

    /// Subtracts from the unknown at each node one of some values; see [`Part::lower_potential`](crate::part::Part::lower_potential).
    pub fn lower(&mut self, of_nodes: &[u8], by: &[T]) -> Result<(), GpuError> {
        let gpu = self.state.u.gpu();
        let of_nodes = match self.closed_fluids.take() {
            Some(known) => known,
            None => gpu.upload(of_nodes)?,
        };
        let by = gpu.upload(by)?;
        let count = self.nodes.end;
        self.lower.launch(Launch::covering(count as usize, THREADS), args![&self.state.u, count, &of_nodes, &by])?;
        self.closed_fluids = Some(of_nodes);
        Ok(())
    }

    /// A field of the phase.
    pub fn field(&self, field: Field) -> &Buffer<T> {
        match field {
            Field::Displacement | Field::Potential => &self.state.u,
            Field::Velocity | Field::PotentialRate => &self.state.v,
        }
    }

    /// Mutable access to a field of the phase.
    pub fn field_mut(&mut self, field: Field) -> &mut Buffer<T> {
        match field {
            Field::Displacement | Field::Potential => &mut self.state.u,
            Field::Velocity | Field::PotentialRate => &mut self.state.v,
        }
    }
}
