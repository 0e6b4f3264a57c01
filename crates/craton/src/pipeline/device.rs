//! What computes: this processor or a GPU.

use std::sync::Arc;

use craton_device::gpu::{self, Gpu, GpuError};
use craton_device::{Isa, Workers};
use craton_mesh::HexMesh;
use craton_run::Bytes;
use craton_sem::{DeviceNeeds, Discretisation, GpuOperator, Patching, SemOperator};

use super::session::{Motion, Scalar};
use crate::config::DeviceChoice;
use crate::error::Error;
use crate::placing::{Placed, TimeAxis};
use crate::setup::Setup;

/// Part of a device's free memory that a run may fill: the driver keeps some, and allocations come in blocks.
const FILLED: f64 = 0.97;

/// What computes.
pub enum Device {
    /// This processor; with it, why no GPU does, if one was looked for.
    Cpu(Option<GpuError>),
    /// A GPU.
    Gpu(Gpu),
}

impl Device {
    /// Finds what was asked for.
    ///
    /// # Errors
    /// A GPU that was asked for and is not there; the message lists those that are.
    pub fn find(wanted: DeviceChoice) -> Result<Self, Error> {
        let any_gpu = || Gpu::cuda(gpu::devices()?.first().ok_or(GpuError::NoDevice)?.ordinal);
        Ok(match wanted {
            DeviceChoice::Cpu => Self::Cpu(None),
            DeviceChoice::Auto => any_gpu().map_or_else(|error| Self::Cpu(Some(error)), Self::Gpu),
            DeviceChoice::AnyGpu => Self::Gpu(any_gpu()?),
            DeviceChoice::Gpu(ordinal) => Self::Gpu(Gpu::cuda(ordinal)?),
            #[cfg(feature = "emulation")]
            DeviceChoice::Emulated => Self::Gpu(Gpu::emulated()?),
        })
    }

    /// Its name: `NVIDIA H200, cuda:0`, or `CPU, 16 threads, avx512`.
    pub fn name(&self, workers: &Workers) -> String {
        match self {
            Self::Cpu(_) => format!("CPU, {} threads, {}", workers.threads(), Isa::detect().name()),
            Self::Gpu(gpu) if gpu.is_emulated() => gpu.info().name.clone(),
            Self::Gpu(gpu) => format!("{}, cuda:{}", gpu.info().name, gpu.info().ordinal),
        }
    }

    /// Why no GPU computes although one would have been taken, for who wants to know.
    pub fn note(&self) -> Option<String> {
        match self {
            Self::Cpu(Some(error)) => Some(format!("no GPU: {error}")),
            _ => None,
        }
    }

    /// How elements are best cut into patches for it.
    pub fn patching<T: Scalar>(&self, degree: usize) -> Patching {
        match self {
            Self::Cpu(_) => Patching::Threads,
            Self::Gpu(_) => Patching::for_gpu::<T>(degree),
        }
    }

    /// Memory that a mesh takes of a GPU, after a look at what is free there; none on the CPU.
    ///
    /// # Errors
    /// [`Error::DeviceMemory`] with the mesh that would fit.
    pub fn mesh_memory<T: Scalar>(&self, setup: &Setup, mesh: &HexMesh) -> Result<Option<Bytes>, Error> {
        let Self::Gpu(gpu) = self else { return Ok(None) };
        let varies = (0..setup.model.regions().len()).any(|region| !setup.model.is_constant(region));
        let needs = DeviceNeeds::new::<T>(mesh, setup.method.degree, setup.model.is_anisotropic(), varies);
        let free = FILLED * gpu.memory()?.free as f64;
        let fit = ((free / needs.bytes_per_element) as usize).min(needs.most_elements);
        let elements = mesh.n_elements();
        let needed = Bytes((needs.bytes_per_element * elements as f64) as u64);
        if elements <= fit {
            return Ok(Some(needed));
        }
        Err(Error::DeviceMemory {
            device: gpu.info().name.clone(),
            needed,
            free: Bytes(free as u64),
            elements,
            fit,
            devices: elements.div_ceil(fit.max(1)),
            frequency: setup.method.max_frequency * (fit as f64 / elements as f64).cbrt(),
        })
    }

    /// The operator on this device, at rest.
    ///
    /// # Errors
    /// Too little memory on it, kernels that it cannot run.
    pub fn operator<T: Scalar>(
        &self,
        on: Discretisation<T>,
        axis: &TimeAxis,
        placed: &Placed,
        workers: Arc<Workers>,
    ) -> Result<Box<Motion<T>>, Error> {
        let Placed { sources, probes } = placed;
        Ok(match self {
            Self::Cpu(_) => Box::new(SemOperator::new(on, axis.dt, sources, probes, workers)),
            Self::Gpu(gpu) => Box::new(GpuOperator::new(gpu, on, axis.dt, sources, probes, workers)?),
        })
    }
}
