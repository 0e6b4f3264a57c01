//! GPU kernels, compiled ahead of time.

use craton_device::Scalar;
use craton_device::gpu::{Built, Gpu, GpuError, Image, Module};
use craton_sem_kernels::{MaterialKind, Phase, Pml, Relaxation, Rheology};

const HEADERS: [(&str, &str); 15] = [
    ("absorbing.cuh", include_str!("../../kernels/absorbing.cuh")),
    ("laws.cuh", include_str!("../../kernels/laws.cuh")),
    ("element.cuh", include_str!("../../kernels/element.cuh")),
    ("async.cuh", include_str!("../../kernels/async.cuh")),
    ("gll4.cuh", include_str!("../../kernels/gll4.cuh")),
    ("patch_shape.cuh", include_str!("../../kernels/patch_shape.cuh")),
    ("patch_sums.cuh", include_str!("../../kernels/patch_sums.cuh")),
    ("plane_geometry.cuh", include_str!("../../kernels/plane_geometry.cuh")),
    ("plane_passes.cuh", include_str!("../../kernels/plane_passes.cuh")),
    ("plane_pml.cuh", include_str!("../../kernels/plane_pml.cuh")),
    ("plane_sites.cuh", include_str!("../../kernels/plane_sites.cuh")),
    ("pml.cuh", include_str!("../../kernels/pml.cuh")),
    ("runs.cuh", include_str!("../../kernels/runs.cuh")),
    ("slots.cuh", include_str!("../../kernels/slots.cuh")),
    ("sources.cuh", include_str!("../../kernels/sources.cuh")),
];

/// The kernels compiled ahead of time.
const BUILT: &[Built] = include!("../../kernels/built/images.rs");

/// Compile-time parameters of an element kernel.
#[derive(Debug, Clone, Copy)]
pub struct Variant {
    /// Points per axis.
    pub points: usize,
    /// Control nodes per axis, 2 or 3.
    pub control: usize,
    /// The rheology of the elements.
    pub rheology: Rheology,
}

impl Variant {
    /// Name of the law in `kernels/element.cuh`.
    fn law(self) -> &'static str {
        match self.rheology.material {
            MaterialKind::Isotropic => "Isotropic",
            MaterialKind::TransverselyIsotropic => "TransverselyIsotropic",
            MaterialKind::Anisotropic => "Anisotropic",
            MaterialKind::Fluid => "Fluid",
        }
    }
}

/// Storage of the material parameters of a patch kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Storage {
    /// One set per element.
    Element,
    /// Single-precision parameters at every point.
    Point,
    /// 15-bit integers at every point.
    Packed,
}

/// `kernels/patch.cu`.
pub fn patch(gpu: &Gpu, variant: Variant, storage: Storage) -> Result<Module, GpuError> {
    let varies = match storage {
        Storage::Element => "0",
        Storage::Point => "1",
        Storage::Packed => "2",
    };
    let control = variant.control.to_string();
    let mut defines = vec![("CONTROL", &*control), ("LAW", variant.law()), ("VARIES", varies)];
    match variant.rheology.relaxation {
        Relaxation::None => (),
        Relaxation::Odd { .. } => defines.push(("RELAXES", "1")),
        Relaxation::Inner { .. } => defines.push(("RELAXES", "2")),
        Relaxation::Full { .. } => defines.push(("RELAXES", "3")),
    }
    match variant.rheology.pml {
        Pml::None => (),
        Pml::Side => defines.push(("PML", "1")),
        Pml::Edge | Pml::Corner => defines.push(("PML", "3")),
    }
    load(gpu, "patch.cu", include_str!("../../kernels/patch.cu"), &defines)
}

/// `kernels/gather.cu`.
pub fn gather<T: Scalar>(gpu: &Gpu, variant: Variant) -> Result<Module, GpuError> {
    load(
        gpu,
        "gather.cu",
        include_str!("../../kernels/gather.cu"),
        &[
            ("POINTS", &variant.points.to_string()),
            ("CONTROL", &variant.control.to_string()),
            ("LAW", variant.law()),
            ("REAL", real::<T>()),
        ],
    )
}

/// `kernels/nodes.cu`.
pub fn nodes<T: Scalar>(gpu: &Gpu, points: usize, phase: Phase) -> Result<Module, GpuError> {
    load(
        gpu,
        "nodes.cu",
        include_str!("../../kernels/nodes.cu"),
        &[("POINTS", &points.to_string()), ("COMPONENTS", &phase.components().to_string()), ("REAL", real::<T>())],
    )
}

/// `kernels/substeps.cu`.
pub fn substeps<T: Scalar>(gpu: &Gpu, phase: Phase) -> Result<Module, GpuError> {
    load(
        gpu,
        "substeps.cu",
        include_str!("../../kernels/substeps.cu"),
        &[("COMPONENTS", &phase.components().to_string()), ("REAL", real::<T>())],
    )
}

/// `kernels/coupling.cu`.
pub fn coupling<T: Scalar>(gpu: &Gpu) -> Result<Module, GpuError> {
    load(gpu, "coupling.cu", include_str!("../../kernels/coupling.cu"), &[("REAL", real::<T>())])
}

fn real<T>() -> &'static str {
    if size_of::<T>() == 4 { "float" } else { "double" }
}

fn load(gpu: &Gpu, name: &str, source: &str, defines: &[(&str, &str)]) -> Result<Module, GpuError> {
    let image = Image { name, source, headers: &HEADERS, defines, ..Image::default() };
    let key = [vec![name.to_owned()], image.define_options()].concat().join(" ");
    let (_, ptx, machine_code) =
        BUILT.iter().find(|(built, ..)| *built == key).expect("every image is built ahead of time");
    gpu.module(&Image { ptx: Some(ptx), machine_code, ..image })
}
