//! Memory of the elements of a run on a device: moduli that relax, filters of absorbing axes, and memory variables of both.

use craton_device::Scalar;
use craton_device::gpu::{Buffer, Gpu, GpuError};
use craton_physics::{MEMORY, decay};
use craton_sem_kernels::{ElementData, Relaxation};

use super::images::Storage;
use super::nodes::DeviceNodes;
use super::patches;
use super::pml::PmlMemory;
use super::runs::Run;
use crate::discretisation::Discretisation;

/// Layout of values at the relaxing points in a kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MemoryLayout {
    /// `[element][value][relaxing point]`.
    Elements,
    /// `[patch][relaxing point of the plane][value][relaxing plane]`, with one thread for each plane of an element.
    Planes,
}

/// Relaxation and absorbing axes of the elements of a run; single values if they are elastic and in the domain.
pub struct ElementMemory<T: Scalar> {
    /// Number of mechanisms.
    pub mechanisms: u32,
    /// Decay of each mechanism in a time step [–].
    pub decays: Buffer<T>,
    /// Moduli that relax [Pa], in the layout of the kernel.
    pub moduli: Buffer<T>,
    /// Memory variables of relaxation, in the layout of the kernel.
    pub values: Buffer<T>,
    /// Absorbing axes.
    pub pml: PmlMemory<T>,
    places: Places,
}

/// Places of values of the relaxing points.
#[derive(Clone, Copy)]
struct Places {
    layout: MemoryLayout,
    relaxation: Relaxation,
    /// Points of an element along an axis.
    along: usize,
}

impl Places {
    /// Relaxing points of an element.
    fn points(self) -> usize {
        self.relaxation.points(self.along)
    }

    /// Relaxing points of a plane, and relaxing planes of a patch.
    fn of_plane(self) -> [usize; 2] {
        match self.relaxation {
            Relaxation::Odd { .. } => [4, 2 * patches::ELEMENTS],
            Relaxation::Inner { .. } => [9, 3 * patches::ELEMENTS],
            _ => [patches::PLANE_POINTS, patches::PLANES],
        }
    }

    /// Number of values at the relaxing points of a run, with this number at each.
    fn count(self, run: &Run, values: usize) -> usize {
        match self.layout {
            MemoryLayout::Elements => run.elements.len() * self.points() * values,
            MemoryLayout::Planes => run.patches.len() * self.of_plane().iter().product::<usize>() * values,
        }
    }

    /// Index of value `value` of `values` at a relaxing point of an element.
    ///
    /// # Arguments
    /// * `patch`, `within` – patch of the run, and element of the patch
    /// * `element` – element of the run
    fn place(self, [patch, within, element]: [usize; 3], point: usize, [values, value]: [usize; 2]) -> usize {
        match self.layout {
            MemoryLayout::Elements => (element * values + value) * self.points() + point,
            MemoryLayout::Planes => {
                let [points, planes] = self.of_plane();
                let (in_plane, plane) = (point % points, within * planes / patches::ELEMENTS + point / points);
                ((patch * points + in_plane) * values + value) * planes + plane
            }
        }
    }
}

impl<T: Scalar> ElementMemory<T> {
    /// Uploads the moduli of a run and allocates zero memory.
    ///
    /// # Arguments
    /// * `dt` – time step [s]
    pub fn new(gpu: &Gpu, on: &Discretisation<T>, dt: f64, run: &Run, layout: MemoryLayout) -> Result<Self, GpuError> {
        let mechanisms = run.rheology.relaxation.mechanisms();
        let places = Places { layout, relaxation: run.rheology.relaxation, along: on.gll().points.len() };
        let mut decays: Vec<T> = on.rates.iter().map(|&rate| T::from_f64(decay(rate, dt))).collect();
        decays.resize(decays.len().max(1), T::default());
        let values = places.count(run, MEMORY * mechanisms);
        Ok(Self {
            mechanisms: mechanisms as u32,
            decays: gpu.upload(&decays)?,
            moduli: gpu.upload(&moduli(on, run, places))?,
            values: gpu.zeroed(values.max(1))?,
            pml: PmlMemory::new(gpu, on, dt, run, layout)?,
            places,
        })
    }

    /// Which points relax, as `kernels/gather.cu` reads it.
    pub fn selection(&self) -> u32 {
        match self.places.relaxation {
            Relaxation::Odd { .. } => 1,
            Relaxation::Inner { .. } => 2,
            Relaxation::None | Relaxation::Full { .. } => 3,
        }
    }

    /// Buffer and index there of the memory of a patch of the run, `[element][variable]`.
    fn indices(&self, nodes: &DeviceNodes, run: &Run, patch: usize) -> impl Iterator<Item = (Held, usize)> {
        let elements = 0..nodes.patches[patch].elements.len();
        elements.flat_map(move |within| {
            let (places, values) = (self.places, MEMORY * self.mechanisms as usize);
            let first = nodes.patches[patch].first_element as usize - run.elements.start;
            let element = [patch - run.patches.start, within, first + within];
            let relaxing = (0..places.points() * values)
                .map(move |at| (Held::Relaxation, places.place(element, at / values, [values, at % values])));
            let filters = self.pml.indices(nodes, run, [patch, within]);
            relaxing.chain(filters.map(|at| (Held::Pml, at)))
        })
    }

    /// Whether the elements have memory variables.
    fn is_empty(&self) -> bool {
        self.mechanisms == 0 && self.pml.of_element() == 0
    }

    /// Reads the memory of all patches of the run, `[patch]` and `[element][variable]`; empty if they have none.
    pub fn read(&self, nodes: &DeviceNodes, run: &Run) -> Result<Vec<Vec<T>>, GpuError> {
        if self.is_empty() {
            return Ok(vec![Vec::new(); run.patches.len()]);
        }
        let all = [self.values.download()?, self.pml.values.download()?];
        let of_patch = |patch| self.indices(nodes, run, patch).map(|(held, at)| all[held as usize][at]).collect();
        Ok(run.patches.clone().map(of_patch).collect())
    }

    /// Replaces the memory of all patches of the run.
    pub fn write(&mut self, nodes: &DeviceNodes, run: &Run, values: &[Vec<T>]) -> Result<(), GpuError> {
        if self.is_empty() {
            return Ok(());
        }
        let mut all = [&self.values, &self.pml.values].map(|buffer| vec![T::default(); buffer.len()]);
        for (patch, values) in run.patches.clone().zip(values) {
            self.indices(nodes, run, patch).zip(values).for_each(|((held, at), &value)| all[held as usize][at] = value);
        }
        let [relaxing, filters] = all;
        self.values.write(0..relaxing.len(), &relaxing)?;
        self.pml.values.write(0..filters.len(), &filters)
    }
}

/// The buffers of memory variables.
#[derive(Clone, Copy)]
enum Held {
    Relaxation,
    Pml,
}

/// Moduli of a run in the layout of its kernel; one value if the elements are elastic.
fn moduli<T: Scalar>(on: &Discretisation<T>, run: &Run, places: Places) -> Vec<T> {
    let values = run.rheology.relaxing_moduli();
    if values == 0 {
        return vec![T::default()];
    }
    let varies = match places.layout {
        MemoryLayout::Elements => run.varies,
        MemoryLayout::Planes => run.storage != Storage::Element,
    };
    let lanes = T::lanes(on.isa);
    let padded =
        if places.layout == MemoryLayout::Planes { run.patches.len() * patches::ELEMENTS } else { run.elements.len() };
    let mut all = vec![T::default(); if varies { places.count(run, values) } else { padded * values }];
    let mut element = 0;
    let of = on.of(run.rheology.phase());
    for (patch, data) in of.patches[run.patches.clone()].iter().enumerate() {
        let count = of.own.layout.patches[run.patches.start + patch].elements.len();
        for within in 0..count {
            for value in 0..values {
                if varies {
                    for point in 0..places.points() {
                        let at = places.place([patch, within, element], point, [values, value]);
                        all[at] = modulus(data, [within, lanes], (point, places.points()), [values, value]);
                    }
                } else {
                    let at = match places.layout {
                        MemoryLayout::Elements => element * values + value,
                        MemoryLayout::Planes => (patch * values + value) * patches::ELEMENTS + within,
                    };
                    all[at] = modulus(data, [within, lanes], (0, 1), [values, value]);
                }
            }
            element += 1;
        }
    }
    all
}

/// A relaxing modulus at a point of `points` of an element of a patch.
fn modulus<T: Scalar>(
    data: &ElementData<T>,
    [element, lanes]: [usize; 2],
    (point, points): (usize, usize),
    [values, value]: [usize; 2],
) -> T {
    let (sites, site) = if data.material_varies { (points, point) } else { (1, 0) };
    data.relaxing[((element / lanes * sites + site) * values + value) * lanes + element % lanes]
}
