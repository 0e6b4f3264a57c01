//! Transpose of [`GpuPrisms::forward`] with respect to the densities (`kernels/transpose.cu`), and its machinery for all kinds of bodies.

use std::ops::Range;

use craton_device::args;
use craton_device::gpu::{GpuError, Launch};

use super::bodies::{GpuBodies, RUN, Waves, check_alike, on_all, part};
use super::images::{BLOCK, Product};
use super::{GpuPrisms, Precision};
use crate::{Field, Fields, GRAVITATIONAL_CONSTANT, GoOn, GravityError, Points};

/// Fields, each with one weight per point.
pub type Weights<'a> = &'a [(Field, &'a [f64])];

impl GpuPrisms {
    /// Computes, for each prism, the sum over points and fields of its field per unit density times a weight, like [`transpose_while`](crate::transpose_while);
    /// returns `None` if `go_on` returns `false`.
    ///
    /// With A the matrix of [`forward`](Self::forward) from densities to fields, this is Aᵀ times the weights. The densities of the prisms are not used. Each
    /// pair is as accurate as in `forward`. The value of a prism is NaN if a point lies on one of its edges or corners. Verified by
    /// `transpose::transpose_matches_the_cpu`, `transpose::transpose_is_the_adjoint_of_forward` and `transpose::divergent_components_are_nan_as_on_the_cpu`.
    ///
    /// The result is bit-identical for any distribution of the prisms over launches and devices of the same model. Verified by
    /// `transpose::results_are_bit_identical_for_any_partition`.
    ///
    /// # Arguments
    /// * `weights` – fields, each with one weight per point
    /// * `go_on` – cancellation callback, called before each launch, a few times a second
    /// # Returns
    /// One value per prism, in the unit of the weights times that of the field per kg/m³.
    /// # Errors
    /// [`GravityError::Count`] unless every field has one weight per point; [`GravityError::Gpu`] if memory is insufficient (each point needs 104 bytes in
    /// addition to the prisms) or the device fails.
    /// # Example
    /// ```no_run
    /// use craton_device::gpu::Gpu;
    /// use craton_gravity::{Field, GpuPrisms, Points, Precision, Prism, Prisms};
    /// let cube = Prism { west: -50.0, east: 50.0, south: -50.0, north: 50.0, bottom: -200.0, top: -100.0, density: 0.0 };
    /// let points = Points::new([[0.0, 0.0, 1.0], [100.0, 0.0, 1.0]])?;
    /// let prisms = GpuPrisms::new(&Gpu::cuda(0)?, &Prisms::new([cube])?)?;
    /// let residual = [1e-6, -2e-6];
    /// let gradient = prisms.transpose(&points, &[(Field::Up, &residual)], Precision::Double, &|| true)?;
    /// # Ok::<(), craton_gravity::GravityError>(())
    /// ```
    pub fn transpose(
        &self,
        points: &Points,
        weights: &[(Field, &[f64])],
        precision: Precision,
        go_on: GoOn,
    ) -> Result<Option<Vec<f64>>, GravityError> {
        Self::transpose_on(std::slice::from_ref(self), points, weights, precision, go_on)
    }

    /// Like [`transpose`](Self::transpose), on several devices that hold the same prisms, with the prisms distributed evenly. The result is bit-identical to
    /// that of a single device. Verified by `transpose::results_are_bit_identical_for_any_partition`.
    ///
    /// # Errors
    /// Like [`transpose`](Self::transpose); the first error if several devices fail.
    ///
    /// # Panics
    /// If `devices` is empty or their numbers of prisms differ.
    pub fn transpose_on(
        devices: &[Self],
        points: &Points,
        weights: &[(Field, &[f64])],
        precision: Precision,
        go_on: GoOn,
    ) -> Result<Option<Vec<f64>>, GravityError> {
        GpuBodies::transpose_on(&Self::bodies(devices), points, weights, precision, go_on)
    }
}

impl GpuBodies {
    /// For each body, the sum over points and fields of its field per unit density times a weight; the bodies are distributed evenly over the devices.
    pub fn transpose_on(
        devices: &[&Self],
        points: &Points,
        weights: Weights,
        precision: Precision,
        go_on: GoOn,
    ) -> Result<Option<Vec<f64>>, GravityError> {
        check_alike(devices);
        GravityError::check_weights(weights, points)?;
        let mut product = vec![0.0; devices[0].count];
        let mut rest = product.as_mut_slice();
        let shares = (0..devices.len()).map(|number| {
            let bodies = part(devices[0].count, devices.len(), number);
            let (own, others) = std::mem::take(&mut rest).split_at_mut(bodies.len());
            rest = others;
            Share { first: bodies.start, product: own }
        });
        let shares: Vec<Share> = shares.collect();
        let done =
            on_all(devices, shares, |device, share| device.transposed(share, points, weights, precision, go_on))?;
        Ok(done.map(|_| product))
    }

    /// Computes the values of one share.
    fn transposed(
        &self,
        Share { first: start, product }: Share,
        points: &Points,
        weights: Weights,
        precision: Precision,
        go_on: GoOn,
    ) -> Result<Option<()>, GpuError> {
        let asked: Fields = weights.iter().map(|&(field, _)| field).collect();
        let kernels = self.kernels(Product::Transposed, precision, asked)?;
        let (rows, unit) = rows(kernels.fields, points.len(), weights);
        let (places, rows) = (self.upload(points)?, self.room.weights.upload(&rows)?);
        let runs = points.len().div_ceil(RUN);
        let most = self.most.next_multiple_of(BLOCK);
        let mut waves = Waves::new(&self.gpu, go_on);
        for (number, product) in product.chunks_mut(most).enumerate() {
            let (first, count) = (start + number * most, product.len());
            let wave = self.wave(runs, count);
            let (mut sums, mut totals) = (self.room.runs.take(wave * count)?, self.room.totals.zeroed(count)?);
            let launch = |runs: Range<usize>| {
                let launch = Launch::new([count.div_ceil(BLOCK) as u32, runs.len() as u32], BLOCK as u32);
                let [all, first, number] = [self.count, first, count].map(|number| number as u32);
                let (points, first_run, asked) = (points.len() as u32, runs.start as u32, u32::from(asked.bits()));
                kernels.sum_runs.launch(
                    launch,
                    args![&self.numbers, all, first, number, &*places, &*rows, asked, points, first_run, &mut *sums],
                )?;
                kernels.add(&sums, runs.len(), &mut totals, count)
            };
            if waves.launch(0..runs, wave, launch)?.is_none() {
                return Ok(None);
            }
            totals.download_into(0..count, product)?;
            product.iter_mut().for_each(|total| *total = GRAVITATIONAL_CONSTANT * *total * unit);
        }
        Ok(Some(()))
    }
}

/// The part of a product that one device computes.
struct Share<'a> {
    /// The first body, at the start of a block of threads.
    first: usize,
    /// Output for this body and those after it.
    product: &'a mut [f64],
}

/// Weights of all summed fields, `[field][point]`, zero for fields without weights, and their unit: a power of two near the largest weight, so that single
/// precision can represent weights of any magnitude.
fn rows(fields: Fields, points: usize, weights: Weights) -> (Vec<f64>, f64) {
    let row = |field: Field| {
        let mut row = vec![0.0; points];
        for (_, weights) in weights.iter().filter(|(of, _)| *of == field) {
            row.iter_mut().zip(*weights).for_each(|(sum, weight)| *sum += weight);
        }
        row
    };
    let mut rows: Vec<f64> = fields.iter().flat_map(row).collect();
    let largest = rows.iter().fold(0.0_f64, |largest, weight| largest.max(weight.abs()));
    let power = f64::from_bits(largest.to_bits() & f64::INFINITY.to_bits());
    let unit = if power.is_normal() { power } else { 1.0 };
    rows.iter_mut().for_each(|weight| *weight /= unit);
    (rows, unit)
}
