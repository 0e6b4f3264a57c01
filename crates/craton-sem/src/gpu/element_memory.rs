//! Relaxation of the elements of a run on a device: moduli, and memory variables.

use craton_device::Scalar;
use craton_device::gpu::{Buffer, Gpu, GpuError};
use craton_physics::{MEMORY, decay};
use craton_sem_kernels::{ElementData, Relaxation};

use super::images::Storage;
use super::nodes::DeviceNodes;
use super::patches;
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

/// Relaxation of the elements of a run; single values if they are elastic.
pub struct ElementMemory<T: Scalar> {
    /// Number of mechanisms.
    pub mechanisms: u32,
    /// Decay of each mechanism in a time step [–].
    pub decays: Buffer<T>,
    /// Moduli that relax [Pa], in the layout of the kernel.
    pub moduli: Buffer<T>,
    /// Memory variables, in the layout of the kernel.
    pub values: Buffer<T>,
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

    /// Buffer indices of the memory of a patch of the run, `[element][relaxing point][mechanism][variable]`.
    fn indices(&self, nodes: &DeviceNodes, run: &Run, patch: usize) -> impl Iterator<Item = usize> {
        let (places, values) = (self.places, MEMORY * self.mechanisms as usize);
        let first = nodes.patches[patch].first_element as usize - run.elements.start;
        let in_run = patch - run.patches.start;
        let per_element = places.points() * values;
        (0..nodes.patches[patch].elements.len() * per_element).map(move |at| {
            let (within, point, value) = (at / per_element, at % per_element / values, at % values);
            places.place([in_run, within, first + within], point, [values, value])
        })
    }

    /// Reads the memory of all patches of the run, `[patch]` and `[element][relaxing point][mechanism][variable]`; empty if they are elastic.
    pub fn read(&self, nodes: &DeviceNodes, run: &Run) -> Result<Vec<Vec<T>>, GpuError> {
        if self.mechanisms == 0 {
            return Ok(vec![Vec::new(); run.patches.len()]);
        }
        let all = self.values.download()?;
        Ok(run.patches.clone().map(|patch| self.indices(nodes, run, patch).map(|at| all[at]).collect()).collect())
    }

    /// Replaces the memory of all patches of the run.
    pub fn write(&mut self, nodes: &DeviceNodes, run: &Run, values: &[Vec<T>]) -> Result<(), GpuError> {
        if self.mechanisms == 0 {
            return Ok(());
        }
        let mut all = vec![T::default(); self.values.len()];
        for (patch, values) in run.patches.clone().zip(values) {
            self.indices(nodes, run, patch).zip(values).for_each(|(at, &value)| all[at] = value);
        }
        self.values.write(0..all.len(), &all)
    }
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
