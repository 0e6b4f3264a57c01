//! Estimates the device memory of a mesh before anything is allocated.

use craton_device::Scalar;
use craton_mesh::Geometry;
use craton_sem_kernels::{MaterialKind, Phase, Rheology};

use super::patches;
use crate::discretisation::Patching;

/// Unknowns of a node of a solid; all elements count as solid ones.
const COMPONENTS: usize = Phase::Solid.components();
/// Largest number of slots that 32-bit indices can address, with the components of a solid.
const MOST_PLACES: usize = u32::MAX as usize / COMPONENTS;
/// Upper bound of the number of surface nodes of patches per element.
const SURFACE: usize = 45;
/// Relative allowance for irregular patches and absorbing sides.
const RAGGED: f64 = 0.05;

/// Device memory that a mesh needs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DeviceNeeds {
    /// Bytes per element, without sources and samples.
    pub bytes_per_element: f64,
    /// Largest number of elements that the indices can address.
    pub most_elements: usize,
}

impl DeviceNeeds {
    /// Computes a conservative estimate.
    ///
    /// # Arguments
    /// * `geometry`, `degree` – geometry and polynomial degree of the elements
    /// * `regions` – rheology of each region, and whether its medium varies inside elements; all elements count as those of the most expensive region
    pub fn new<T: Scalar>(geometry: Geometry, degree: usize, regions: &[(Rheology, bool)]) -> Self {
        let points = (degree + 1).pow(3);
        let axis = regions.iter().map(|(rheology, _)| rheology.axis_coefficients()).max().unwrap_or(0);
        let relaxing = |(rheology, varies): &(Rheology, bool)| {
            // Patches store the moduli of anisotropic elements at every point.
            let is_constant = !*varies && rheology.material != MaterialKind::Anisotropic;
            let sites = if is_constant { 1 } else { rheology.relaxation.points(degree + 1) };
            rheology.memory(degree + 1) + rheology.relaxing_moduli() * sites
        };
        let memory = regions.iter().map(relaxing).max().unwrap_or(0);
        let largest = |bytes: &dyn Fn(Rheology, bool) -> usize| {
            axis * size_of::<T>() + regions.iter().map(|&(rheology, varies)| bytes(rheology, varies)).max().unwrap_or(0)
        };
        let control = 3 * geometry.per_element();
        // The number in a box of ten elements along each axis, an upper bound for larger boxes.
        let nodes = degree.pow(3) + degree.pow(2).div_ceil(2);
        // Displacement, velocity, and the inverse mass.
        let state = nodes * (2 * COMPONENTS + 1) * size_of::<T>();
        let (own, places) = match Patching::for_gpu::<T>(degree) {
            Patching::Blocks => {
                let material = largest(&|rheology, varies| match (rheology.material, varies) {
                    (MaterialKind::Anisotropic, _) => 4 * 21 * points,
                    // Transversely isotropic elements may be packed, which halves this.
                    (_, true) => 4 * rheology.parameters() * points,
                    (_, false) => 4 * rheology.parameters(),
                });
                let connection = 4 * patches::HEADER + patches::PLANES * (3 * 16 + 2);
                // Slots, and the places of sums among the shared nodes.
                let sums = 2 * points + 2 * SURFACE;
                // The sums of the patches at shared nodes, and the runs of their nodes and slots.
                let surface = SURFACE * (4 * COMPONENTS + 4);
                (4 * (control + memory) + material + connection / patches::ELEMENTS + sums + surface, SURFACE)
            }
            Patching::Threads => {
                let material = largest(&|rheology, varies| {
                    size_of::<T>() * rheology.parameters() * if varies { points } else { 1 }
                });
                let slots = points * (4 + COMPONENTS * size_of::<T>() + 4);
                (slots + size_of::<T>() * (control + memory) + material + nodes * 12, points)
            }
        };
        Self { bytes_per_element: (1.0 + RAGGED) * (own + state) as f64, most_elements: MOST_PLACES / places }
    }
}
