//! Memory variables of the elements of a run on a device.

use craton_device::Scalar;
use craton_device::gpu::{Buffer, Gpu, GpuError};

use super::nodes::DeviceNodes;
use super::patches;
use super::runs::Run;

/// Layout of memory variables in a kernel.
#[derive(Debug, Clone, Copy)]
pub enum MemoryLayout {
    /// `[element][variable][point]`, with this number of points.
    Elements(usize),
    /// `[patch][row][point of the row][variable][thread]`, with one thread for each plane of an element.
    Planes,
}

/// The memory variables of the elements of a run; a single value if their law has none.
pub struct ElementMemory<T: Scalar> {
    /// Device buffer of the kernel.
    pub values: Buffer<T>,
    layout: MemoryLayout,
    variables: usize,
}

impl<T: Scalar> ElementMemory<T> {
    /// Allocates zero memory for the elements of a run.
    pub fn new(gpu: &Gpu, run: &Run, layout: MemoryLayout) -> Result<Self, GpuError> {
        let variables = run.rheology.memory();
        let values = match layout {
            MemoryLayout::Elements(points) => run.elements.len() * points * variables,
            MemoryLayout::Planes => run.patches.len() * patches::PLANE_POINTS * variables * patches::PLANES,
        };
        Ok(Self { values: gpu.zeroed(values.max(1))?, layout, variables })
    }

    /// Buffer indices of the memory of a patch of the run, `[element][point][variable]`.
    fn places(&self, nodes: &DeviceNodes, run: &Run, patch: usize) -> impl Iterator<Item = usize> {
        let (layout, variables) = (self.layout, self.variables);
        let elements = nodes.patches[patch].elements.len();
        let first = nodes.patches[patch].first_element as usize - run.elements.start;
        let in_run = patch - run.patches.start;
        let per_element = nodes.per_element() * variables;
        (0..elements * per_element).map(move |at| {
            let (element, point, variable) = (at / per_element, at % per_element / variables, at % variables);
            match layout {
                MemoryLayout::Elements(points) => ((first + element) * variables + variable) * points + point,
                MemoryLayout::Planes => patches::plane_value(in_run, element, point, [variables, variable]),
            }
        })
    }

    /// Reads the memory of all patches of the run, `[patch]` and `[element][point][variable]`; empty if the law has none.
    pub fn read(&self, nodes: &DeviceNodes, run: &Run) -> Result<Vec<Vec<T>>, GpuError> {
        if self.variables == 0 {
            return Ok(vec![Vec::new(); run.patches.len()]);
        }
        let all = self.values.download()?;
        Ok(run.patches.clone().map(|patch| self.places(nodes, run, patch).map(|at| all[at]).collect()).collect())
    }

    /// Replaces the memory of all patches of the run.
    pub fn write(&mut self, nodes: &DeviceNodes, run: &Run, values: &[Vec<T>]) -> Result<(), GpuError> {
        if self.variables == 0 {
            return Ok(());
        }
        let mut all = vec![T::default(); self.values.len()];
        for (patch, values) in run.patches.clone().zip(values) {
            self.places(nodes, run, patch).zip(values).for_each(|(at, &value)| all[at] = value);
        }
        self.values.write(0..all.len(), &all)
    }
}
