//! Direct sums on GPUs.

use std::sync::OnceLock;

use craton_device::Workers;
use craton_device::gpu::{Gpu, GpuError};
use craton_gravity::{
    Fields, GpuMagnetisedPrisms, GpuPrisms, GpuTesseroids, Gravity, GravityError, Limits, Magnetic, MagneticFields,
    Magnetisation, Points, Precision, Prisms, Stations, Tesseroids,
};
use craton_run::{Bytes, Cancel};

use super::config;
use super::costs::{Costs, START};
use super::setup::Setup;
use crate::device::{Device, LocalRank, available};
use crate::error::{Error, GravityFailure};

/// GPUs that each store all bodies, and share the points.
pub struct OnGpus {
    gpus: Vec<Gpu>,
    /// Number of ranks on each of them.
    sharing: Vec<usize>,
    name: String,
    precision: Precision,
    /// The prisms or tesseroids on each GPU, once uploaded.
    prisms: OnceLock<Vec<GpuPrisms>>,
    magnetised: OnceLock<Vec<GpuMagnetisedPrisms>>,
    tesseroids: OnceLock<Vec<GpuTesseroids>>,
}

impl OnGpus {
    /// Finds the GPUs of this process, without uploading data.
    ///
    /// # Errors
    /// A requested GPU is missing.
    pub fn find(setup: &Setup, place: LocalRank, workers: &Workers) -> Result<Self, Error> {
        let device = Device::find(&setup.device, setup.devices, place)?;
        let Device::Gpus { gpus, sharing, .. } = &device else { unreachable!("GPUs were requested or found") };
        let precision = match setup.method.precision {
            config::Precision::Double => Precision::Double,
            config::Precision::Single => Precision::Single,
        };
        let (gpus, sharing, name) = (gpus.clone(), sharing.clone(), device.name(workers, gpus.len()));
        let (prisms, magnetised, tesseroids) = (OnceLock::new(), OnceLock::new(), OnceLock::new());
        Ok(Self { gpus, sharing, name, precision, prisms, magnetised, tesseroids })
    }

    /// Names of the GPUs.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Approximate time of the sums on all of them [s]; `None` if they are emulated.
    pub fn seconds(&self, costs: Costs) -> Option<f64> {
        let precision = match self.precision {
            Precision::Double => config::Precision::Double,
            Precision::Single => config::Precision::Single,
        };
        let one = costs.on_gpu(self.gpus[0].info(), precision)?;
        Some(START + (one - START) / self.gpus.len() as f64)
    }

    /// Whether they are emulated, for tests.
    pub fn are_emulated(&self) -> bool {
        self.gpus[0].is_emulated()
    }

    /// Description of the summation.
    pub fn description(&self) -> &'static str {
        match self.precision {
            Precision::Double => "direct sum on GPUs in double precision: ten digits for each prism and point",
            Precision::Single => {
                "direct sum on GPUs in single precision: error at most 2e-4 per prism and point, about 1e-6 of the largest values for many prisms"
            }
        }
    }

    /// The scalar type of a pair, as in records.
    pub fn scalar(&self) -> &'static str {
        if self.precision == Precision::Single { "f32" } else { "f64" }
    }

    /// Memory on each GPU for this number of prisms or tesseroids, and points at a time, after a check of the free memory.
    ///
    /// # Errors
    /// [`GravityFailure::DeviceMemory`] with the number of bodies that fit.
    pub fn require_memory(&self, stored: Stored, bodies: usize, points: usize) -> Result<Bytes, Error> {
        let needed = stored.bytes(bodies, points);
        for (gpu, &ranks) in self.gpus.iter().zip(&self.sharing) {
            let free = available(gpu)? / ranks as f64;
            if needed as f64 > free {
                return Err(GravityFailure::DeviceMemory {
                    device: gpu.info().name.clone(),
                    needed: Bytes(needed),
                    free: Bytes(free as u64),
                    bodies,
                    noun: stored.noun(),
                    fit: fitting(stored, bodies, points, free as u64),
                }
                .into());
            }
        }
        Ok(Bytes(needed))
    }

    /// The fields at points; `None` if interrupted.
    ///
    /// # Arguments
    /// * `limits` – points with limits, which are inserted later; the tensor there is in double precision, because it
    ///   is completed by the CPU
    /// # Errors
    /// A failing GPU.
    pub fn forward(
        &self,
        prisms: &Prisms,
        points: &Points,
        fields: Fields,
        limits: &Limits,
        cancel: &Cancel,
    ) -> Result<Option<Gravity>, GpuError> {
        let may_continue = || !cancel.is_cancelled();
        let prisms = self.with(prisms)?;
        let gravity = GpuPrisms::forward_on(prisms, points, fields, self.precision, &may_continue)?;
        if self.precision == Precision::Double || limits.is_empty() {
            return Ok(gravity);
        }
        let places = points.select(limits.points());
        let tensor = GpuPrisms::forward_on(prisms, &places, fields, Precision::Double, &may_continue)?;
        let (Some(mut gravity), Some(tensor)) = (gravity, tensor) else { return Ok(None) };
        gravity.put_tensor(limits.points(), &tensor);
        Ok(Some(gravity))
    }

    /// The magnetic fields of prisms at points; `None` if interrupted.
    ///
    /// # Arguments
    /// * `limits` – points where B has limits, as for [`forward`](Self::forward)
    /// # Errors
    /// A failing GPU.
    pub fn forward_magnetised(
        &self,
        (prisms, magnetisation): (&Prisms, &Magnetisation),
        points: &Points,
        fields: MagneticFields,
        limits: &Limits,
        cancel: &Cancel,
    ) -> Result<Option<Magnetic>, GpuError> {
        let devices = self.uploaded(&self.magnetised, |gpu| {
            GpuMagnetisedPrisms::new(gpu, prisms, magnetisation).map_err(|error| match error {
                GravityError::Gpu(error) => error,
                other => unreachable!("every prism has a magnetisation: {other}"),
            })
        })?;
        let sums = |points: &Points, precision| {
            GpuMagnetisedPrisms::forward_on(devices, points, fields, precision, &|| !cancel.is_cancelled())
        };
        let all = sums(points, self.precision)?;
        if self.precision == Precision::Double || limits.is_empty() {
            return Ok(all);
        }
        let (Some(mut all), Some(there)) = (all, sums(&points.select(limits.points()), Precision::Double)?) else {
            return Ok(None);
        };
        all.put_flux_density(limits.points(), &there);
        Ok(Some(all))
    }

    /// The fields of tesseroids at stations, along their local axes; `None` if interrupted.
    ///
    /// # Errors
    /// A failing GPU.
    pub fn forward_tesseroids(
        &self,
        tesseroids: &Tesseroids,
        stations: &Stations,
        fields: Fields,
        cancel: &Cancel,
    ) -> Result<Option<Gravity>, GpuError> {
        let devices = self.uploaded(&self.tesseroids, |gpu| GpuTesseroids::new(gpu, tesseroids))?;
        GpuTesseroids::forward_on(devices, stations, fields, &|| !cancel.is_cancelled())
    }

    fn with(&self, prisms: &Prisms) -> Result<&[GpuPrisms], GpuError> {
        self.uploaded(&self.prisms, |gpu| GpuPrisms::new(gpu, prisms))
    }

    /// The bodies on the devices, uploaded in parallel at the first call.
    fn uploaded<'a, T: Send>(
        &self,
        stored: &'a OnceLock<Vec<T>>,
        upload: impl Fn(&Gpu) -> Result<T, GpuError> + Sync,
    ) -> Result<&'a [T], GpuError> {
        if let Some(ready) = stored.get() {
            return Ok(ready);
        }
        let upload = &upload;
        let ready = std::thread::scope(|scope| {
            let running: Vec<_> = self.gpus.iter().map(|gpu| scope.spawn(move || upload(gpu))).collect();
            let ended =
                running.into_iter().map(|one| one.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
            ended.collect::<Result<Vec<_>, _>>()
        })?;
        Ok(stored.get_or_init(|| ready))
    }
}

/// What GPUs store.
#[derive(Debug, Clone, Copy)]
pub enum Stored {
    /// Right rectangular prisms.
    Prisms,
    /// Prisms with a magnetisation.
    Magnetised,
    /// Tesseroids.
    Tesseroids,
}

impl Stored {
    /// Memory on a GPU for this number of bodies and points at a time [bytes].
    fn bytes(self, bodies: usize, points: usize) -> u64 {
        match self {
            Self::Prisms => GpuPrisms::bytes(bodies, points),
            Self::Magnetised => GpuMagnetisedPrisms::bytes(bodies, points),
            Self::Tesseroids => GpuTesseroids::bytes(bodies, points),
        }
    }

    fn noun(self) -> &'static str {
        match self {
            Self::Prisms | Self::Magnetised => "prisms",
            Self::Tesseroids => "tesseroids",
        }
    }
}

/// Number of bodies that fit into this memory.
fn fitting(stored: Stored, bodies: usize, points: usize, free: u64) -> usize {
    let (mut fits, mut too_many) = (0, bodies);
    while too_many - fits > 1 {
        let middle = fits.midpoint(too_many);
        if stored.bytes(middle, points) <= free { fits = middle } else { too_many = middle }
    }
    fits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_memory_determines_the_number_of_bodies_that_fit() {
        let points = 15_000;
        for stored in [Stored::Prisms, Stored::Magnetised, Stored::Tesseroids] {
            for fit in [1, 700, 123_456, 14_000_000] {
                let free = stored.bytes(fit, points);
                assert_eq!(fitting(stored, 20_000_000, points, free), fit);
                assert_eq!(fitting(stored, 20_000_000, points, free - 1), fit - 1);
            }
            assert_eq!(fitting(stored, 1000, points, 0), 0);
        }
    }
}
