//! Direct sums of tesseroids on a GPU (`kernels/tesseroids.cu`).

use craton_device::gpu::{Gpu, GpuError};

use super::Precision;
use super::bodies::GpuBodies;
use super::images::Kind;
use super::transpose::Weights;
use crate::{Field, Fields, GRAVITATIONAL_CONSTANT, GoOn, Gravity, GravityError, Points, Stations, Tesseroids};

/// Tesseroids on a GPU.
///
/// All sums are direct and in double precision: every tesseroid is evaluated at every station. All methods are thread-safe; concurrent products share the
/// queue of the device.
pub struct GpuTesseroids(GpuBodies);

impl GpuTesseroids {
    /// Copies tesseroids to a device.
    ///
    /// # Errors
    /// [`GpuError::OutOfMemory`]; see [`GpuTesseroids::bytes`].
    pub fn new(gpu: &Gpu, tesseroids: &Tesseroids) -> Result<Self, GpuError> {
        let column = |number| (0..tesseroids.len()).map(|at| tesseroids.at(at).numbers()[number]).collect();
        let columns = (0..Kind::Tesseroids.numbers()).map(column);
        Ok(Self(GpuBodies::new(gpu, Kind::Tesseroids, tesseroids.len(), columns)?))
    }

    /// Limits the work per launch. Smaller launches need less memory and can be cancelled sooner. Results stay bit-identical.
    ///
    /// # Arguments
    /// * `sums` – maximum number of sums per launch: sums of 512 tesseroids at a station, 80 bytes each, or in transposed products sums of 512 stations at a
    ///   tesseroid, 8 bytes each
    pub fn with_room(self, sums: usize) -> Self {
        Self(GpuBodies { most: sums.max(1), ..self.0 })
    }

    /// Device memory needed for tesseroids and sums at stations [bytes].
    pub fn bytes(tesseroids: usize, stations: usize) -> u64 {
        GpuBodies::bytes(Kind::Tesseroids, tesseroids, stations)
    }

    /// Gravity at stations along their local axes, like [`Tesseroids::forward`] with accuracy 0; returns `None` if `go_on` returns `false`.
    ///
    /// The pieces of tesseroids and their Gauss points are those of the CPU, so that both differ only by the round-off of fields and sums: at most 1e-10 of the
    /// largest potential, attraction and tensor. Verified by `gpu::tesseroids::sums_match_the_cpu`. The result is bit-identical for any distribution of the
    /// stations over calls, launches and devices of the same model. Verified by `gpu::tesseroids::results_are_bit_identical_for_any_partition`.
    ///
    /// # Arguments
    /// * `fields` – fields to compute, all in one pass
    /// * `go_on` – cancellation callback, called before each launch, a few times a second
    /// # Errors
    /// [`GpuError`] if memory is insufficient or the device fails.
    /// # Example
    /// ```no_run
    /// use craton_device::gpu::Gpu;
    /// use craton_gravity::{Fields, GpuTesseroids, Stations, Tesseroid, Tesseroids};
    /// let (bottom, top) = (6_361_000.0, 6_371_000.0);
    /// let crust = Tesseroid { west: 10.0, east: 12.0, south: 45.0, north: 47.0, bottom, top, density: 300.0, gradient: 0.0 };
    /// let stations = Stations::new([[11.0, 46.0, 6_381_000.0]])?;
    /// let tesseroids = GpuTesseroids::new(&Gpu::cuda(0)?, &Tesseroids::new([crust])?)?;
    /// let gravity = tesseroids.forward(&stations, Fields::ATTRACTION, &|| true)?;
    /// # Ok::<(), craton_gravity::GravityError>(())
    /// ```
    pub fn forward(&self, stations: &Stations, fields: Fields, go_on: GoOn) -> Result<Option<Gravity>, GpuError> {
        Self::forward_on(std::slice::from_ref(self), stations, fields, go_on)
    }

    /// Like [`forward`](Self::forward), on several devices that hold the same tesseroids. The result is bit-identical to that of a single device.
    ///
    /// # Errors
    /// Like [`forward`](Self::forward); the first error if several devices fail.
    /// # Panics
    /// If `devices` is empty or their numbers of tesseroids differ.
    pub fn forward_on(
        devices: &[Self],
        stations: &Stations,
        fields: Fields,
        go_on: GoOn,
    ) -> Result<Option<Gravity>, GpuError> {
        let gravity = Self::cartesian_on(devices, stations.points(), Stations::required(fields), go_on)?;
        Ok(gravity.map(|gravity| stations.local(&gravity, fields)))
    }

    /// Cartesian fields at points, like [`Tree::of_tesseroids`](crate::Tree::of_tesseroids) with tolerance 0, on several devices that hold the same
    /// tesseroids.
    ///
    /// # Errors
    /// Like [`forward`](Self::forward).
    /// # Panics
    /// If `devices` is empty or their numbers of tesseroids differ.
    fn cartesian_on(
        devices: &[Self],
        points: &Points,
        fields: Fields,
        go_on: GoOn,
    ) -> Result<Option<Gravity>, GpuError> {
        // Neighbouring points have the same near tesseroids, so that the threads of a block do the same work.
        let order = points.runs();
        let sums =
            GpuBodies::forward_on(&Self::bodies(devices), &points.select(&order), fields, Precision::Double, go_on)?;
        Ok(sums.map(|sums| sums.unsorted(&order)))
    }

    /// For each tesseroid, the sum over stations and local fields of its field per unit density times a weight, like [`Tesseroids::transpose`]; returns `None` if
    /// `go_on` returns `false`. Gradients of the density count as zero.
    ///
    /// The result is bit-identical for any distribution of the tesseroids over launches and devices of the same model. Verified by
    /// `gpu::tesseroids::transpose_matches_the_cpu`.
    ///
    /// # Arguments
    /// * `weights` – fields, each with one weight per station
    /// * `go_on` – cancellation callback, called before each launch, a few times a second
    /// # Errors
    /// [`GravityError::Count`] unless every field has one weight per station; [`GravityError::Gpu`] if memory is insufficient or the device fails.
    pub fn transpose(
        &self,
        stations: &Stations,
        weights: &[(Field, &[f64])],
        go_on: GoOn,
    ) -> Result<Option<Vec<f64>>, GravityError> {
        Self::transpose_on(std::slice::from_ref(self), stations, weights, go_on)
    }

    /// Like [`transpose`](Self::transpose), on several devices that hold the same tesseroids, which are distributed evenly. The result is bit-identical to that
    /// of a single device.
    ///
    /// # Errors
    /// Like [`transpose`](Self::transpose); the first error if several devices fail.
    /// # Panics
    /// If `devices` is empty or their numbers of tesseroids differ.
    pub fn transpose_on(
        devices: &[Self],
        stations: &Stations,
        weights: &[(Field, &[f64])],
        go_on: GoOn,
    ) -> Result<Option<Vec<f64>>, GravityError> {
        let cartesian = stations.cartesian_weights(weights)?;
        let weights: Vec<_> = cartesian.iter().map(|(field, weights)| (*field, weights.as_slice())).collect();
        let weights: Weights = &weights;
        GpuBodies::transpose_on(&Self::bodies(devices), stations.points(), weights, Precision::Double, go_on)
    }

    fn bodies(devices: &[Self]) -> Vec<&GpuBodies> {
        devices.iter().map(|device| &device.0).collect()
    }
}

impl crate::Tesseroid {
    /// Bounds of longitude and latitude [rad] and radius [m], and G times the density and its gradient.
    fn numbers(&self) -> [f64; 8] {
        let [[west, east], [south, north], [bottom, top]] = self.bounds();
        let [density, gradient] = [self.density, self.gradient].map(|value| GRAVITATIONAL_CONSTANT * value);
        [west, east, south, north, bottom, top, density, gradient]
    }
}
