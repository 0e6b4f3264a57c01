//! Copies of fields to the host, whole or at selected nodes.

use craton_device::Scalar;
use craton_device::args;
use craton_device::gpu::{Buffer, Gpu, GpuError, Kernel, Launch};

use super::nodes::DeviceNodes;
use crate::selection::PartSelection;

/// Threads of a block, each of which copies a vector.
const THREADS: u32 = 256;

/// Copies a field at a selection to the host.
pub enum DeviceCopy<T: Scalar> {
    /// Copies the whole field, because the selection contains most of it.
    All,
    /// Gathers the selection on the device first.
    Selected {
        /// The gather kernel.
        kernel: Kernel,
        /// Index of the first component of each node.
        places: Buffer<u32>,
        /// The gathered field.
        values: Buffer<T>,
    },
}

/// Device numbers of the nodes of a selection of a part.
fn numbers<'a>(nodes: &'a DeviceNodes, what: &'a PartSelection) -> Box<dyn Iterator<Item = u32> + 'a> {
    match what {
        PartSelection::Nodes(places) => Box::new(places.iter().map(|&place| nodes.number_of(place))),
        PartSelection::Elements(elements) => Box::new(elements.iter().flat_map(|&element| {
            let (patch, within) = nodes.patch_of(element).expect("an element of this part");
            nodes.of_element(patch, within)
        })),
    }
}

impl<T: Scalar> DeviceCopy<T> {
    /// Prepares the copies of a selection of a part.
    ///
    /// # Arguments
    /// * `components` – number of components of the fields at each node
    /// # Errors
    /// Too little memory on the device.
    pub fn new(
        gpu: &Gpu,
        kernel: &Kernel,
        nodes: &DeviceNodes,
        what: &PartSelection,
        components: usize,
    ) -> Result<Self, GpuError> {
        if what.len(nodes.per_element()) > nodes.len() / 2 {
            return Ok(Self::All);
        }
        let places: Vec<u32> = numbers(nodes, what).map(|number| components as u32 * number).collect();
        Ok(Self::Selected {
            kernel: kernel.clone(),
            values: gpu.zeroed(components * places.len())?,
            places: gpu.upload(&places)?,
        })
    }

    /// Reads the field in the order of the selection.
    ///
    /// # Errors
    /// A device that has failed.
    pub fn fetch(
        &self,
        nodes: &DeviceNodes,
        what: &PartSelection,
        field: &Buffer<T>,
        components: usize,
    ) -> Result<Vec<T>, GpuError> {
        match self {
            Self::All => {
                let all = field.download()?;
                let node = |number: u32| &all[components * number as usize..][..components];
                Ok(numbers(nodes, what).flat_map(node).copied().collect())
            }
            Self::Selected { kernel, places, values } => {
                let count = places.len();
                kernel.launch(Launch::covering(count, THREADS), args![places, count as u32, field, 1_u32, values])?;
                values.download()
            }
        }
    }
}
