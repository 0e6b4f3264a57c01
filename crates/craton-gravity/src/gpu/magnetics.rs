//! Direct sums of magnetic fields on a GPU (`kernels/magnetics.cu`).

use craton_device::gpu::{Gpu, GpuError};

use super::Precision;
use super::bodies::GpuBodies;
use super::images::Kind;
use crate::magnetics::FACTOR;
use crate::{GoOn, GravityError, Magnetic, MagneticFields, Magnetisation, Points, Prisms};

/// Magnetised prisms on a GPU, for sums of the flux density and its gradient.
///
/// One pass computes all components for any directions of magnetisation. For B alone with one direction, [`GpuPrisms`](super::GpuPrisms) and
/// [`Poisson`](crate::Poisson) need fewer operations. All methods are thread-safe; concurrent sums share the queue of the device.
pub struct GpuMagnetisedPrisms(GpuBodies);

impl GpuMagnetisedPrisms {
    /// Copies magnetised prisms to a device.
    ///
    /// # Arguments
    /// * `prisms` – their densities are not used
    /// # Errors
    /// [`GravityError::Count`] unless every prism has a magnetisation; [`GravityError::Gpu`] if memory is insufficient, see
    /// [`GpuMagnetisedPrisms::bytes`].
    pub fn new(gpu: &Gpu, prisms: &Prisms, magnetisation: &Magnetisation) -> Result<Self, GravityError> {
        GravityError::check_count("magnetisations", magnetisation.len(), "prisms", prisms.len())?;
        let column = |number: usize| match number {
            // Turns -0 into +0, because the sign of a zero difference matters.
            0..6 => prisms.column(number).iter().map(|bound| bound + 0.0).collect(),
            _ => magnetisation.components()[number - 6].iter().map(|component| FACTOR * component).collect(),
        };
        let columns = (0..Kind::Magnetised.numbers()).map(column);
        Ok(Self(GpuBodies::new(gpu, Kind::Magnetised, prisms.len(), columns)?))
    }

    /// Limits the work per launch. Smaller launches need less memory and can be cancelled sooner. Results stay bit-identical.
    ///
    /// # Arguments
    /// * `sums` – maximum number of sums of 512 prisms at a point per launch, 72 bytes each
    pub fn with_room(self, sums: usize) -> Self {
        Self(GpuBodies { most: sums.max(1), ..self.0 })
    }

    /// Device memory needed for `prisms` prisms and sums at `points` points [bytes].
    pub fn bytes(prisms: usize, points: usize) -> u64 {
        GpuBodies::bytes(Kind::Magnetised, prisms, points)
    }

    /// Magnetic fields at points, like [`magnetic_forward_while`](crate::magnetic_forward_while); returns `None` if `go_on` returns `false`.
    ///
    /// In double precision the accuracy of each pair is that of [`magnetic_forward`](crate::magnetic_forward), and values are NaN in the same cases. Verified by
    /// `gpu::magnetics::fields_match_fifty_digits` and `gpu::magnetics::edges_have_no_gradient_as_on_the_cpu`. In single precision the error of a pair is at
    /// most 2e-4 of μ₀/(4π) |M| times the norm of the tensor per G ρ, and for the gradient 2e-3 of that of the third derivatives. Verified by
    /// `gpu::magnetics::single_precision_is_accurate_for_each_pair`.
    ///
    /// The result is bit-identical for any distribution of the points over calls, launches and devices of the same model. Verified by
    /// `gpu::magnetics::results_are_bit_identical_for_any_partition`.
    ///
    /// # Arguments
    /// * `go_on` – cancellation callback, called before each launch, a few times a second
    /// # Errors
    /// [`GpuError`] if memory is insufficient or the device fails.
    pub fn forward(
        &self,
        points: &Points,
        fields: MagneticFields,
        precision: Precision,
        go_on: GoOn,
    ) -> Result<Option<Magnetic>, GpuError> {
        Self::forward_on(std::slice::from_ref(self), points, fields, precision, go_on)
    }

    /// Like [`forward`](Self::forward), on several devices that hold the same prisms. The result is bit-identical to that of a single device.
    ///
    /// # Errors
    /// Like [`forward`](Self::forward); the first error if several devices fail.
    /// # Panics
    /// If `devices` is empty or their numbers of prisms differ.
    pub fn forward_on(
        devices: &[Self],
        points: &Points,
        fields: MagneticFields,
        precision: Precision,
        go_on: GoOn,
    ) -> Result<Option<Magnetic>, GpuError> {
        let devices: Vec<&GpuBodies> = devices.iter().map(|device| &device.0).collect();
        let corresponding = fields.corresponding();
        let sums = GpuBodies::forward_on(&devices, points, corresponding, precision, go_on)?;
        Ok(sums.map(|sums| Magnetic::in_places_of(&sums, corresponding)))
    }
}
