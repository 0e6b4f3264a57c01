//! Absorbing axes of the elements of a run on a device: coefficients of their filters, and memory variables.

use craton_device::Scalar;
use craton_device::gpu::{Buffer, Gpu, GpuError};
use craton_sem_kernels::{ElementData, Memory, PML_CONSTANTS, Pml};

use super::element_memory::MemoryLayout;
use super::nodes::DeviceNodes;
use super::patches::{ELEMENTS, N, PLANE_POINTS, PLANES};
use super::runs::Run;
use crate::discretisation::Discretisation;

/// Absorbing axes of the elements of a run; single values in the domain.
pub struct PmlMemory<T: Scalar> {
    /// Coefficients at the points along each axis, in the layout of the kernel.
    pub coefficients: Buffer<T>,
    /// Memory variables, in the layout of the kernel.
    pub values: Buffer<T>,
    places: Places,
}

/// Places of the values of absorbing axes.
#[derive(Clone, Copy)]
struct Places {
    layout: MemoryLayout,
    pml: Pml,
    /// Points of an element along an axis.
    along: usize,
    /// Unknowns of a node.
    components: usize,
}

impl Places {
    /// Axes for which the kernel has room: patch kernels are compiled for one or three.
    fn axes(self) -> usize {
        match (self.layout, self.pml.axes()) {
            (MemoryLayout::Planes, 2..) => 3,
            (_, axes) => axes,
        }
    }

    /// Memory variables of an axis of an element.
    fn of_axis(self) -> usize {
        2 * self.components * self.along.pow(3)
    }

    /// Memory variables of a run.
    fn count(self, run: &Run) -> usize {
        let elements = match self.layout {
            MemoryLayout::Elements => run.elements.len(),
            MemoryLayout::Planes => run.patches.len() * ELEMENTS,
        };
        elements * self.axes() * self.of_axis()
    }

    /// Index of a memory variable of an element.
    ///
    /// # Arguments
    /// * `patch`, `within`, `element` – patch of the run, element of the patch, element of the run
    /// * `value` – its number among the variables of the element, `[axis][derivative, force][point][component]`
    fn place(self, [patch, within, element]: [usize; 3], value: usize) -> usize {
        let (n, components) = (self.along, self.components);
        let (component, point) = (value % components, value / components % n.pow(3));
        let (filter, axis) = (value / (self.of_axis() / 2) % 2, value / self.of_axis());
        match self.layout {
            MemoryLayout::Elements => {
                ((2 * (element * self.axes() + axis) + filter) * components + component) * n.pow(3) + point
            }
            MemoryLayout::Planes => {
                let [i, j, k] = [point % n, point / n % n, point / (n * n)];
                let (thread, row) = match axis {
                    0 => (within * N + j, (component * N + i) * N + k),
                    _ => (within * N + k, component * PLANE_POINTS + i + N * j),
                };
                let first = (2 * (patch * self.axes() + axis) + filter) * components * PLANE_POINTS;
                (first + row) * PLANES + thread
            }
        }
    }
}

impl<T: Scalar> PmlMemory<T> {
    /// Uploads the coefficients of a run for a time step [s] and allocates zero memory.
    pub fn new(gpu: &Gpu, on: &Discretisation<T>, dt: f64, run: &Run, layout: MemoryLayout) -> Result<Self, GpuError> {
        let (rheology, along) = (run.rheology, on.gll().points.len());
        let places = Places { layout, pml: rheology.pml, along, components: rheology.phase().components() };
        Ok(Self {
            coefficients: gpu.upload(&coefficients(on, dt, run, places))?,
            values: gpu.zeroed(places.count(run).max(1))?,
            places,
        })
    }

    /// Number of absorbing axes, as `kernels/gather.cu` reads it.
    pub fn axes(&self) -> u32 {
        self.places.axes() as u32
    }

    /// Number of memory variables of an element.
    pub fn of_element(&self) -> usize {
        self.places.pml.axes() * self.places.of_axis()
    }

    /// Buffer index of each memory variable of an element of a patch of the run.
    pub fn indices(&self, nodes: &DeviceNodes, run: &Run, [patch, within]: [usize; 2]) -> impl Iterator<Item = usize> {
        let first = nodes.patches[patch].first_element as usize - run.elements.start;
        let (places, element) = (self.places, [patch - run.patches.start, within, first + within]);
        (0..self.of_element()).map(move |value| places.place(element, value))
    }
}

/// Coefficients of a run in the layout of its kernel; one value in the domain. Filters of axes that do not absorb pass their values.
fn coefficients<T: Scalar>(on: &Discretisation<T>, dt: f64, run: &Run, places: Places) -> Vec<T> {
    let (axes, along, own) = (places.axes(), places.along, run.rheology.pml.axes());
    if axes == 0 {
        return vec![T::default()];
    }
    let lanes = T::lanes(on.isa);
    let of = on.of(run.rheology.phase());
    let mut all = Vec::new();
    for (patch, data) in of.patches[run.patches.clone()].iter().enumerate() {
        let count = of.own.layout.patches[run.patches.start + patch].elements.len();
        let filters = filters(on, data, dt);
        let at = |element: usize, axis: usize, point: usize, coefficient: usize| {
            if axis >= own {
                return T::from_f64(if coefficient == 2 { 1.0 } else { 0.0 });
            }
            let row = ((element / lanes * own + axis) * along + point) * PML_CONSTANTS + coefficient;
            filters[row * lanes + element % lanes]
        };
        let rows = || {
            (0..axes * along * PML_CONSTANTS)
                .map(|row| (row / PML_CONSTANTS / along, row / PML_CONSTANTS % along, row % PML_CONSTANTS))
        };
        match places.layout {
            MemoryLayout::Elements => {
                let of_element =
                    |element| rows().map(move |(axis, point, coefficient)| (element, axis, point, coefficient));
                all.extend(
                    (0..count)
                        .flat_map(of_element)
                        .map(|(element, axis, point, coefficient)| at(element, axis, point, coefficient)),
                );
            }
            MemoryLayout::Planes => {
                for (axis, point, coefficient) in rows() {
                    all.extend((0..ELEMENTS).map(|slot| at(slot.min(count - 1), axis, point, coefficient)));
                }
            }
        }
    }
    all
}

/// Coefficients of the filters of a patch, in the layout of the CPU.
fn filters<T: Scalar>(on: &Discretisation<T>, data: &ElementData<T>, dt: f64) -> Vec<T> {
    Memory::new(data, on.gll().points.len(), &on.rates, dt).pml.to_vec()
}
