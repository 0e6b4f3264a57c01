//! Direct sums on a GPU: of prisms, `forward` (`kernels/prisms.cu`) and `transpose` (`kernels/transpose.cu`), of magnetised prisms (`kernels/magnetics.cu`), and of
//! tesseroids (`kernels/tesseroids.cu`).

mod bodies;
mod images;
mod magnetics;
mod spare;
mod tesseroids;
#[cfg(test)]
mod tests;
mod transpose;

use std::sync::Mutex;

use craton_device::gpu::{Gpu, GpuError};

use crate::{Fields, GRAVITATIONAL_CONSTANT, GoOn, Gravity, Points, Prisms};
use bodies::GpuBodies;
use images::Kind;
pub use images::Precision;
pub use magnetics::GpuMagnetisedPrisms;
pub use tesseroids::GpuTesseroids;

/// Prisms on a GPU.
///
/// All methods are thread-safe; concurrent products share the queue of the device. Buffers are kept for the next product: those counted by
/// [`GpuPrisms::bytes`], and for points and weights of transposed products up to 168 MB each. Verified by `gpu::products_reuse_their_buffers`.
pub struct GpuPrisms(GpuBodies);

impl GpuPrisms {
    /// Copies prisms to a device.
    ///
    /// # Errors
    /// [`GpuError::OutOfMemory`]; see [`GpuPrisms::bytes`].
    pub fn new(gpu: &Gpu, prisms: &Prisms) -> Result<Self, GpuError> {
        let column = |number| {
            let column = prisms.column(number).iter();
            match number {
                // Turns -0 into +0, because the sign of a zero difference matters.
                0..6 => column.map(|bound| bound + 0.0).collect(),
                _ => column.map(|density| GRAVITATIONAL_CONSTANT * density).collect(),
            }
        };
        let columns = (0..Kind::Prisms.numbers()).map(column);
        Ok(Self(GpuBodies::new(gpu, Kind::Prisms, prisms.len(), columns)?))
    }

    /// Limits the work per launch. Smaller launches need less memory and can be cancelled sooner. Results stay bit-identical.
    ///
    /// # Arguments
    /// * `sums` – maximum number of sums per launch: sums of 512 prisms at a point, 80 bytes each, or in transposed products sums of 512 points at a prism, 8
    ///   bytes each
    pub fn with_room(self, sums: usize) -> Self {
        Self(GpuBodies { most: sums.max(1), ..self.0 })
    }

    /// Sets the number of threads per block of [`forward`](Self::forward), for experiments. Kernels for other sizes than 128 are compiled on demand by NVRTC
    /// for the requested fields. In double precision results stay bit-identical. Verified by `gpu::blocks_of_any_size_give_the_same_sums`.
    ///
    /// # Arguments
    /// * `points` – points per block, one per thread; the default is 128
    /// # Panics
    /// Unless `points` is 32, 64, 128, 256 or 512.
    pub fn with_block(self, points: usize) -> Self {
        assert!(points.is_power_of_two() && (32..=512).contains(&points), "a block of {points} points");
        Self(GpuBodies { block: points, kernels: Mutex::default(), ..self.0 })
    }

    /// Device memory needed for `prisms` prisms and sums at `points` points [bytes].
    pub fn bytes(prisms: usize, points: usize) -> u64 {
        GpuBodies::bytes(Kind::Prisms, prisms, points)
    }

    /// Gravity at points, like [`forward_while`](crate::forward_while); returns `None` if `go_on` returns `false`.
    ///
    /// In double precision the relative error of V, |g| and the norm of the tensor is at most 1e-10 for each pair of a prism and a point, and values are NaN in
    /// the same cases, as on a CPU. Verified by `gpu::ten_digits_inside_near_and_far`. In single precision the error of a pair is at most 2e-4, for sides of
    /// 1e-12 to 1e18 m and aspect ratios up to a thousand; sums over bodies of many prisms are accurate to about 1e-6 of the largest attraction and tensor.
    /// Verified by `gpu::single_precision_is_accurate_for_each_pair` and `gpu::single_precision_is_accurate_for_a_shallow_body`.
    ///
    /// The result is bit-identical for any distribution of the points over calls, launches and devices of the same model. Verified by
    /// `gpu::results_are_bit_identical_for_any_partition`.
    ///
    /// # Arguments
    /// * `fields` – fields to compute, all in one pass
    /// * `go_on` – cancellation callback, called before each launch, a few times a second
    /// # Errors
    /// [`GpuError`] if memory is insufficient or the device fails.
    pub fn forward(
        &self,
        points: &Points,
        fields: Fields,
        precision: Precision,
        go_on: GoOn,
    ) -> Result<Option<Gravity>, GpuError> {
        self.0.forward(points, fields, precision, go_on)
    }

    /// Like [`forward`](Self::forward), on several devices that hold the same prisms. Points are distributed evenly, or spans of 524,288 prisms if there are
    /// too few points for all devices. The result is bit-identical to that of a single device. Verified by `gpu::results_are_bit_identical_for_any_partition`
    /// and `gpu::tests::results_are_bit_identical_when_spans_are_split_over_devices`.
    ///
    /// # Errors
    /// Like [`forward`](Self::forward); the first error if several devices fail.
    ///
    /// # Panics
    /// If `devices` is empty or their numbers of prisms differ.
    pub fn forward_on(
        devices: &[Self],
        points: &Points,
        fields: Fields,
        precision: Precision,
        go_on: GoOn,
    ) -> Result<Option<Gravity>, GpuError> {
        GpuBodies::forward_on(&Self::bodies(devices), points, fields, precision, go_on)
    }

    fn bodies(devices: &[Self]) -> Vec<&GpuBodies> {
        devices.iter().map(|device| &device.0).collect()
    }
}
