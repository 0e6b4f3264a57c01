//! Fields on their way to the host: those at some nodes are brought together first.

use craton_device::Scalar;
use craton_device::args;
use craton_device::gpu::{Buffer, Gpu, GpuError, Kernel, Launch};

use super::nodes::DeviceNodes;
use crate::selection::Selection;

/// Threads of a block; each copies one component.
const THREADS: u32 = 256;

/// What brings a field at a selection of places to the host.
pub enum DeviceCopy<T: Scalar> {
    /// The whole field: the selection is most of it.
    All,
    /// The selection, brought together.
    Selected {
        /// What copies.
        kernel: Kernel,
        /// Numbers of the nodes.
        numbers: Buffer<u32>,
        /// The field there.
        values: Buffer<T>,
    },
}

impl<T: Scalar> DeviceCopy<T> {
    /// Prepares the copies of a selection.
    ///
    /// # Errors
    /// Too little memory on the device.
    pub fn new(gpu: &Gpu, kernel: &Kernel, nodes: &DeviceNodes, what: &Selection) -> Result<Self, GpuError> {
        let numbers = || -> Vec<u32> {
            match what {
                Selection::Nodes(places) => places.iter().map(|&place| nodes.number_of(place)).collect(),
                Selection::Elements(elements) => {
                    elements.iter().flat_map(|&element| nodes.of_element(element)).collect()
                }
            }
        };
        if what.len(nodes.per_element()) > nodes.len() / 2 {
            return Ok(Self::All);
        }
        let numbers = numbers();
        Ok(Self::Selected {
            kernel: kernel.clone(),
            values: gpu.zeroed(3 * numbers.len())?,
            numbers: gpu.upload(&numbers)?,
        })
    }

    /// The field there, or all of it.
    ///
    /// # Errors
    /// A device that has failed.
    pub fn fetch(&self, field: &Buffer<T>) -> Result<Vec<T>, GpuError> {
        match self {
            Self::All => field.download(),
            Self::Selected { kernel, numbers, values } => {
                kernel.launch(
                    Launch::covering(values.len(), THREADS),
                    args![numbers, numbers.len() as u32, field, values],
                )?;
                values.download()
            }
        }
    }
}
