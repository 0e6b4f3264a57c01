//! Point sources on a device: one thread for each value that they change.

use std::collections::BTreeMap;

use craton_device::args;
use craton_device::gpu::{Buffer, Gpu, GpuError, Kernel, Launch};

use super::arrays::{DeviceBlock, LEAD, countable};
use crate::error::GpuSetupError;
use crate::sources::GridSource;
use crate::sweep::Precision;

/// Threads per block.
const THREADS: u32 = 128;

/// The sources of one half of the step: forces on velocities, or moments on stresses.
pub struct DeviceSources {
    half: usize,
    kernel: Kernel,
    /// Field, array index, range of the amounts.
    targets: Buffer<[u32; 4]>,
    /// Increment of a target for a unit time function, and number of the source.
    amounts: Buffer<f64>,
    origins: Buffer<u32>,
    /// Step of the first factor of each source, number of its factors, and their place in `factors`; the last one is used for all later steps.
    histories: Buffer<[u32; 3]>,
    factors: Buffer<f64>,
}

impl DeviceSources {
    /// Copies those of `sources` that belong to a half of the step.
    ///
    /// # Errors
    /// Histories too long for 32-bit indices; too little memory.
    pub fn new(gpu: &Gpu, kernel: Kernel, half: usize, sources: &[GridSource]) -> Result<Self, GpuSetupError> {
        let (mut histories, mut factors) = (Vec::new(), Vec::new());
        let mut additions: BTreeMap<[u32; 2], Vec<(f64, u32)>> = BTreeMap::new();
        for source in sources.iter().filter(|source| source.is_moment == (half == 1)) {
            let steps = source.steps();
            for addition in &source.additions {
                let field = addition.field.index() - 3 * half;
                let own = additions.entry([field, addition.at + LEAD].map(|number| number as u32)).or_default();
                own.push((addition.amount, histories.len() as u32));
            }
            histories.push([countable(steps.start)?, countable(steps.len())?, countable(factors.len())?]);
            factors.extend(steps.map(|step| source.factor(step)));
        }
        countable(factors.len())?;
        let (mut targets, mut amounts, mut origins) = (Vec::new(), Vec::new(), Vec::new());
        for ([field, at], own) in additions {
            targets.push([field, at, countable(amounts.len())?, countable(amounts.len() + own.len())?]);
            amounts.extend(own.iter().map(|(amount, _)| *amount));
            origins.extend(own.iter().map(|(_, origin)| *origin));
        }
        Ok(Self {
            half,
            kernel,
            targets: gpu.upload(&targets)?,
            amounts: gpu.upload(&amounts)?,
            origins: gpu.upload(&origins)?,
            histories: gpu.upload(&histories)?,
            factors: gpu.upload(&factors)?,
        })
    }

    /// Queues the addition of the sources in the current step.
    pub fn launch<T: Precision>(&self, block: &DeviceBlock<T>, step: &Buffer<u32>) -> Result<(), GpuError> {
        self.kernel.launch(
            Launch::covering(self.targets.len(), THREADS),
            args![
                &self.targets,
                self.targets.len() as u32,
                &self.amounts,
                &self.origins,
                &self.histories,
                &self.factors,
                step,
                block.length(),
                &block.fields[self.half]
            ],
        )
    }
}
