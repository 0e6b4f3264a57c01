//! Sums of prisms over points on a GPU: `forward` as `kernels/prisms.cu` does it.

mod images;

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use craton_device::args;
use craton_device::gpu::{Buffer, Gpu, GpuError, Launch, Mark};
pub use images::Precision;
use images::{BLOCK, Kernels};

use crate::{Field, Fields, GRAVITATIONAL_CONSTANT, GoOn, Gravity, Points, Prisms};

/// Prisms of a run, whose sum is made before it is added to those of the runs before: those of `kernels/prisms.cu`. Runs are shorter than the blocks of a CPU, for
/// there is more to keep busy.
const RUN: usize = 512;
/// Sums of runs at points that a launch makes: some tenths of a second of work, so that a launch can be waited for.
const ROOM: usize = 1 << 21;
/// Points of a launch at most.
const MOST_POINTS: usize = 1 << 18;
/// Runs of a launch at most: blocks of a grid along y.
const MOST_RUNS: usize = 65535;
/// Launches that wait on the device while the next one is asked for.
const AHEAD: usize = 2;
/// Numbers of a prism on the device: bounds, and G times density.
const NUMBERS: usize = 7;

/// Prisms on a GPU, ready for sums.
///
/// Every method may be called from any thread; two sums at a time share the device's queue.
pub struct GpuPrisms {
    gpu: Gpu,
    /// `[number][prism]`.
    numbers: Buffer<f64>,
    count: usize,
    /// Sums of runs at points that a launch makes at most.
    room: usize,
    /// Points of a block of threads.
    block: usize,
    /// Those loaded so far.
    kernels: Mutex<Vec<Kernels>>,
}

impl GpuPrisms {
    /// Copies prisms to a device.
    ///
    /// # Errors
    /// [`GpuError::OutOfMemory`]: see [`GpuPrisms::bytes`].
    pub fn new(gpu: &Gpu, prisms: &Prisms) -> Result<Self, GpuError> {
        let count = prisms.len();
        let mut numbers = gpu.zeroed(NUMBERS * count)?;
        for number in 0..NUMBERS {
            let get = |prism: usize| match number {
                // Not -0, whose difference with 0 has a sign.
                0..6 => prisms.bounds(prism)[number / 2][number % 2] + 0.0,
                _ => GRAVITATIONAL_CONSTANT * prisms.density()[prism],
            };
            let values: Vec<f64> = (0..count).map(get).collect();
            numbers.write(number * count..(number + 1) * count, &values)?;
        }
        Ok(Self { gpu: gpu.clone(), numbers, count, room: ROOM, block: BLOCK, kernels: Mutex::default() })
    }

    /// The same with other launches: less work in each takes less memory, and is stopped sooner. No bit of a result changes.
    ///
    /// # Arguments
    /// * `sums` – of runs of 512 prisms at points, that a launch makes at most; 80 bytes each
    pub fn with_room(self, sums: usize) -> Self {
        Self { room: sums.max(1), ..self }
    }

    /// The same with other blocks of threads, for experiments: their kernels are compiled on demand, by NVRTC, for the fields that are asked for. In double precision
    /// no bit of a result changes. Verified by `gpu::blocks_of_any_size_give_the_same_sums`.
    ///
    /// # Arguments
    /// * `points` – of a block, a thread each; 128 unless said
    /// # Panics
    /// If there are not 32, 64, 128, 256 or 512.
    pub fn with_block(self, points: usize) -> Self {
        assert!(points.is_power_of_two() && (32..=512).contains(&points), "a block of {points} points");
        Self { block: points, kernels: Mutex::default(), ..self }
    }

    /// Memory that so many prisms take on a device, and sums at so many points at a time [bytes].
    pub fn bytes(prisms: usize, points: usize) -> u64 {
        let runs = prisms.div_ceil(RUN);
        let chunk = points.min(MOST_POINTS);
        let sums = (runs * chunk).min(ROOM).max(chunk);
        (size_of::<f64>() * (NUMBERS * prisms + 3 * chunk + Field::ALL.len() * (sums + chunk))) as u64
    }

    /// Gravity at points, as [`forward_while`](crate::forward_while) gives it; `None` if it may not go on.
    ///
    /// In double precision each pair of a prism and a point has V, |g| and the tensor's norm to 1e-10, as there, and NaN where it has.
    /// Verified by `gpu::ten_digits_inside_near_and_far`. In single precision a pair has them to 2e-4, for sides of 1e-12 to 1e18 m and up to a thousand times as long
    /// as others; sums over bodies of many prisms to 1e-6 of the largest attraction and tensor.
    /// Verified by `gpu::single_precision_keeps_its_promise_for_each_pair` and `gpu::single_precision_keeps_its_promise_for_a_shallow_body`.
    ///
    /// The result has the same bits however the points are dealt to calls, launches and devices of a kind. Verified by `gpu::no_cut_changes_a_bit`.
    ///
    /// # Arguments
    /// * `fields` – what is computed, all in one pass
    /// * `go_on` – asked before each launch, some times a second
    /// # Errors
    /// Too little memory, a device that fails.
    pub fn forward(
        &self,
        points: &Points,
        fields: Fields,
        precision: Precision,
        go_on: GoOn,
    ) -> Result<Option<Gravity>, GpuError> {
        let summed = if self.block == BLOCK { images::summed_for(fields) } else { fields };
        let kernels = self.kernels(precision, summed)?;
        let mut values = vec![Vec::with_capacity(points.len()); fields.iter().count()];
        for start in (0..points.len()).step_by(MOST_POINTS) {
            let chunk = points.part(start..(start + MOST_POINTS).min(points.len()));
            let Some(totals) = self.totals(&kernels, &chunk, go_on)? else { return Ok(None) };
            let places = kernels.fields.iter().zip(totals.chunks_exact(chunk.len()));
            let asked = places.filter(|&(field, _)| fields.contains(field));
            values.iter_mut().zip(asked).for_each(|(values, (_, totals))| values.extend_from_slice(totals));
        }
        Ok(Some(Gravity::new(fields, values)))
    }

    /// The same by several devices that hold the same prisms, points dealt evenly; not a bit differs from what one gives.
    /// Verified by `gpu::no_cut_changes_a_bit`.
    ///
    /// # Errors
    /// As [`forward`](Self::forward), the first of them.
    ///
    /// # Panics
    /// If there is no device, or they hold different numbers of prisms.
    pub fn forward_on(
        devices: &[Self],
        points: &Points,
        fields: Fields,
        precision: Precision,
        go_on: GoOn,
    ) -> Result<Option<Gravity>, GpuError> {
        assert!(devices.iter().all(|device| device.count == devices[0].count), "the same prisms on all devices");
        // Whole blocks of threads.
        let share = points.len().div_ceil(devices.len()).next_multiple_of(BLOCK);
        let part = |number: usize| (number * share).min(points.len())..((number + 1) * share).min(points.len());
        let parts: Vec<_> = std::thread::scope(|scope| {
            let work = |(number, device): (usize, &'_ Self)| {
                device.forward(&points.part(part(number)), fields, precision, go_on)
            };
            let running: Vec<_> = devices.iter().enumerate().map(|one| scope.spawn(move || work(one))).collect();
            running.into_iter().map(|one| one.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))).collect()
        });
        let parts: Option<Vec<Gravity>> = parts.into_iter().collect::<Result<_, _>>()?;
        let Some(parts) = parts else { return Ok(None) };
        let of = |field| parts.iter().filter_map(|part| part.get(field)).flatten().copied().collect();
        Ok(Some(Gravity::new(fields, fields.iter().map(of).collect())))
    }

    /// Sums of all prisms at some points, `[field][point]`.
    fn totals(&self, kernels: &Kernels, points: &Points, go_on: GoOn) -> Result<Option<Vec<f64>>, GpuError> {
        let sums_of_run = points.len() * kernels.fields.iter().count();
        let runs = self.count.div_ceil(RUN);
        let wave = (self.room / points.len()).clamp(1, MOST_RUNS).min(runs.max(1));
        let places = self.gpu.upload(&[0, 1, 2].map(|axis| points.along(axis)).concat())?;
        let mut totals = self.gpu.zeroed(sums_of_run)?;
        let mut sums = self.gpu.zeroed(wave * sums_of_run)?;
        let mut marks: Vec<Mark> = Vec::new();
        for first in (0..runs).step_by(wave) {
            if !go_on() {
                return Ok(None);
            }
            let wave = first..(first + wave).min(runs);
            self.launch(kernels, wave, &places, &mut sums, &mut totals)?;
            marks.push(self.gpu.mark()?);
            if marks.len() > AHEAD {
                marks.remove(0).wait()?;
            }
        }
        totals.download().map(Some)
    }

    /// Queues the sums of some runs, and adds them to the totals.
    fn launch(
        &self,
        kernels: &Kernels,
        runs: Range<usize>,
        places: &Buffer<f64>,
        sums: &mut Buffer<f64>,
        totals: &mut Buffer<f64>,
    ) -> Result<(), GpuError> {
        let points = places.len() / 3;
        let tiles = points.div_ceil(self.block) as u32;
        kernels.sum_runs.launch(
            Launch::new([tiles, runs.len() as u32], self.block as u32),
            args![&self.numbers, self.count as u32, runs.start as u32, places, points as u32, &mut *sums],
        )?;
        kernels.add_runs.launch(
            Launch::covering(totals.len(), BLOCK as u32),
            args![&*sums, runs.len() as u32, totals.len() as u32, &mut *totals],
        )
    }

    /// The kernels, loaded when they are first asked for.
    fn kernels(&self, precision: Precision, fields: Fields) -> Result<Kernels, GpuError> {
        let mut loaded = self.kernels.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(kernels) = loaded.iter().find(|one| (one.precision, one.fields) == (precision, fields)) {
            return Ok(kernels.clone());
        }
        let kernels = Kernels::load(&self.gpu, precision, fields, self.block)?;
        loaded.push(kernels.clone());
        Ok(kernels)
    }
}
