//! Memory of the elements of a run, on this machine and on its devices.

use craton_sem::{DeviceNeeds, Rheology};

use super::prepare::{Case, PROGRAM};
use super::rheologies;
use super::running_solver::Scalar;
use crate::device::{DeviceMemory, Need};
use crate::error::Error;
use crate::meshing;

/// Smallest efficient number of elements per GPU: below it, messages take longer than computation.
const WORTH_A_GPU: usize = 50_000;

/// Memory of the program and of the elements of a mesh on this machine [bytes].
///
/// # Arguments
/// * `all`, `here` – number of elements of the whole mesh, and of that of this process
/// * `filters` – memory variables of absorbing layers
pub fn memory_of_elements<T: Scalar>(case: &Case, [all, here]: [usize; 2], filters: f64) -> u64 {
    let more = rheologies::more_memory(case.setup, all) * all as f64 + filters;
    let [plan, own] = memory_of_plan_and_elements::<T>(case);
    let of_process = plan * here as u64 + (own * all as u64).div_ceil(case.ranks.count() as u64);
    PROGRAM + case.ranks_here as u64 * of_process + (size_of::<T>() as f64 * more) as u64
}

/// Peak memory of this machine per element of the mesh [bytes], if all ranks store the plan of the whole mesh, and each its own elements.
pub fn memory_of_element<T: Scalar>(case: &Case) -> u64 {
    let [plan, own] = memory_of_plan_and_elements::<T>(case);
    case.ranks_here as u64 * (plan + own.div_ceil(case.ranks.count() as u64))
}

/// Peak memory of a process per element of its plan, and per element of its parts [bytes].
fn memory_of_plan_and_elements<T: Scalar>(case: &Case) -> [u64; 2] {
    let setup = case.setup;
    let scalar = size_of::<T>() as u64;
    let points = (setup.method.sem().degree as u64 + 1).pow(3);
    let parameters_at = |(rheology, varies): &(Rheology, bool)| {
        let along = setup.method.sem().degree + 1;
        let relaxing = rheology.relaxing_moduli() * if *varies { rheology.relaxation.points(along) } else { 1 };
        let elastic = rheology.parameters() as u64 * if *varies { points } else { 1 };
        elastic + (rheology.axis_coefficients() + relaxing + rheology.memory(along)) as u64
    };
    let parameters = rheologies::of_regions(setup).iter().map(parameters_at).max().unwrap_or(0);
    let control = meshing::geometry(setup).per_element() as u64;
    let material = scalar * parameters;
    let nodes = (setup.method.sem().degree as u64).pow(3) + 2 * (setup.method.sem().degree as u64).pow(2);
    let state = nodes * (9 * scalar + 8);
    // The plan temporarily needs the numbers of all nodes, and the elements their masses.
    let plan = 24 * control + 2 * points + 4 * points + nodes * 8;
    let own = 2 * points + 3 * scalar * control + material + state + points * scalar + nodes * 8;
    [plan, own]
}

/// GPU requirements of the parts of a mesh on this process, which has `parts`, if it computes on GPUs.
///
/// # Arguments
/// * `filters` – memory variables of absorbing layers
fn need<T: Scalar>(case: &Case, elements: usize, parts: usize, filters: f64) -> Need {
    let setup = case.setup;
    let geometry = meshing::geometry(setup);
    let needs = DeviceNeeds::new::<T>(geometry, setup.method.sem().degree, &rheologies::of_regions(setup));
    let of_part = elements.div_ceil(case.ranks.count()).div_ceil(parts);
    let more = rheologies::more_memory(setup, elements) + filters / elements.max(1) as f64;
    Need {
        unit: "elements",
        of_part,
        of_run: elements as f64,
        most: needs.most_elements,
        bytes: (needs.bytes_per_element + size_of::<T>() as f64 * more) * of_part as f64,
    }
}

/// GPU memory of a mesh with this number of elements, after a check of the free memory; `None` on the CPU.
///
/// # Errors
/// [`Error::DeviceMemory`] with the mesh that fits.
pub fn mesh_memory<T: Scalar>(case: &Case, elements: usize, filters: f64) -> Result<Option<DeviceMemory>, Error> {
    let parts = parts_here(case, elements);
    let memory = case.device.require_memory(case.setup, parts, &need::<T>(case, elements, parts, filters));
    memory.map_err(|mut error| {
        if let Error::DeviceMemory { fit, elements: of_device, frequency, .. } = &mut error {
            let most = elements as f64 * *fit as f64 / *of_device as f64;
            *frequency = meshing::highest_frequency(case.setup, most, Some(elements as f64)).unwrap_or(*frequency);
        }
        error
    })
}

/// Number of parts of a mesh with this number of elements in this process.
pub fn parts_here(case: &Case, elements: usize) -> usize {
    case.device.parts(elements.div_ceil(case.ranks.count()), WORTH_A_GPU)
}
