//! Bodies on a GPU: the machinery of products, independent of the kind of body.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use craton_device::args;
use craton_device::gpu::{Buffer, Gpu, GpuError, Launch, Mark};

use super::Precision;
use super::images::{self, BLOCK, Kernels, Kind, Product};
use super::spare::{Room, Taken};
use crate::{Field, Fields, GoOn, Gravity, Points};

/// Bodies per run (or points per run in transposed products), as in `kernels/pairs.cuh` and `kernels/tesseroids.cu`. Each run is summed separately and added to the total in order. Runs
/// are shorter than the blocks on a CPU to expose more parallelism.
pub const RUN: usize = 512;
/// Runs per span. Spans are summed separately and added in order, so that they can be distributed over devices if there are too few points.
const SPAN: usize = 1024;
/// Maximum number of (run, point) sums per kernel launch: a few tenths of a second of work, so that cancellation is prompt.
pub const MOST_SUMS: usize = 1 << 21;
/// Maximum number of points per launch.
const MOST_POINTS: usize = 1 << 18;
/// Launches queued on the device ahead of the host.
const AHEAD: usize = 2;

/// Bodies of one kind on a GPU.
pub struct GpuBodies {
    pub kind: Kind,
    pub gpu: Gpu,
    /// `[number][body]`.
    pub numbers: Buffer<f64>,
    pub count: usize,
    /// Maximum number of (run, point) sums per launch.
    pub most: usize,
    /// Runs per span.
    pub span: usize,
    /// Points per block of threads.
    pub block: usize,
    /// Kernels loaded so far.
    pub kernels: Mutex<Vec<Kernels>>,
    pub room: Room,
}

impl GpuBodies {
    /// Copies bodies to a device.
    ///
    /// # Arguments
    /// * `columns` – the numbers of all bodies, in the order of the kernels
    pub fn new(gpu: &Gpu, kind: Kind, count: usize, columns: impl Iterator<Item = Vec<f64>>) -> Result<Self, GpuError> {
        let mut numbers = gpu.zeroed(kind.numbers() * count)?;
        for (number, values) in columns.enumerate() {
            numbers.write(number * count..(number + 1) * count, &values)?;
        }
        let (kernels, room) = (Mutex::default(), Room::new(gpu));
        Ok(Self { kind, gpu: gpu.clone(), numbers, count, most: MOST_SUMS, span: SPAN, block: BLOCK, kernels, room })
    }

    /// Device memory needed for bodies and sums at points [bytes].
    pub fn bytes(kind: Kind, bodies: usize, points: usize) -> u64 {
        let runs = bodies.div_ceil(RUN).min(SPAN);
        let chunk = points.min(MOST_POINTS);
        let sums = (runs * chunk).min(MOST_SUMS).max(chunk);
        (size_of::<f64>() * (kind.numbers() * bodies + 3 * chunk + Field::ALL.len() * (sums + 2 * chunk))) as u64
    }

    /// Gravity at points; `None` if cancelled.
    pub fn forward(
        &self,
        points: &Points,
        fields: Fields,
        precision: Precision,
        go_on: GoOn,
    ) -> Result<Option<Gravity>, GpuError> {
        let kernels = self.kernels(Product::Forward, precision, fields)?;
        let mut values = vec![Vec::with_capacity(points.len()); fields.iter().count()];
        for start in (0..points.len()).step_by(MOST_POINTS) {
            let chunk = points.part(start..(start + MOST_POINTS).min(points.len()));
            let Some(totals) = self.totals(&kernels, &chunk, go_on)? else { return Ok(None) };
            kernels.pick(fields, &totals, &mut values);
        }
        Ok(Some(Gravity::new(fields, values)))
    }

    /// Like [`forward`](Self::forward), on several devices that hold the same bodies.
    ///
    /// # Panics
    /// If `devices` is empty or their numbers of bodies differ.
    pub fn forward_on(
        devices: &[&Self],
        points: &Points,
        fields: Fields,
        precision: Precision,
        go_on: GoOn,
    ) -> Result<Option<Gravity>, GpuError> {
        check_alike(devices);
        if (1..=(devices.len() - 1) * BLOCK).contains(&points.len()) && devices[0].spans() > 1 {
            return Self::forward_by_spans(devices, points, fields, precision, go_on);
        }
        let shares = (0..devices.len()).map(|number| points.part(part(points.len(), devices.len(), number)));
        let parts =
            on_all(devices, shares.collect(), |device, points| device.forward(&points, fields, precision, go_on))?;
        let Some(parts) = parts else { return Ok(None) };
        let of = |field| parts.iter().filter_map(|part| part.get(field)).collect::<Vec<_>>().concat();
        Ok(Some(Gravity::new(fields, fields.iter().map(of).collect())))
    }

    /// Distributes spans evenly; their sums are added in the same order as on a single device.
    fn forward_by_spans(
        devices: &[&Self],
        points: &Points,
        fields: Fields,
        precision: Precision,
        go_on: GoOn,
    ) -> Result<Option<Gravity>, GpuError> {
        let spans = devices[0].spans();
        let cut = |number: usize| number * spans / devices.len();
        let shares = (0..devices.len()).map(|number| cut(number)..cut(number + 1));
        let parts = on_all(devices, shares.collect(), |device, spans| {
            let kernels = device.kernels(Product::Forward, precision, fields)?;
            let count = points.len() * kernels.fields.iter().count();
            let mut sums = Vec::new();
            let done = device.each_span(&kernels, points, spans, go_on, |of_span| {
                sums.push(of_span.download_range(0..count)?);
                Ok(())
            })?;
            Ok(done.map(|()| (kernels, sums)))
        })?;
        let Some(parts) = parts else { return Ok(None) };
        let kernels = &parts[0].0;
        let mut totals = vec![0.0; points.len() * kernels.fields.iter().count()];
        for of_span in parts.iter().flat_map(|(_, sums)| sums) {
            totals.iter_mut().zip(of_span).for_each(|(total, sum)| *total += sum);
        }
        let mut values = vec![Vec::with_capacity(points.len()); fields.iter().count()];
        kernels.pick(fields, &totals, &mut values);
        Ok(Some(Gravity::new(fields, values)))
    }

    /// Number of spans.
    fn spans(&self) -> usize {
        self.count.div_ceil(RUN * self.span)
    }

    /// Sums of all bodies at some points, `[field][point]`.
    fn totals(&self, kernels: &Kernels, points: &Points, go_on: GoOn) -> Result<Option<Vec<f64>>, GpuError> {
        let count = points.len() * kernels.fields.iter().count();
        let mut totals = self.room.totals.zeroed(count)?;
        let add = |of_span: &Buffer<f64>| kernels.add(of_span, 1, &mut totals, count);
        let done = self.each_span(kernels, points, 0..self.spans(), go_on, add)?;
        done.map(|()| totals.download_range(0..count)).transpose()
    }

    /// Enqueues the sums of spans at some points and passes each to `take`; `None` if cancelled.
    ///
    /// # Arguments
    /// * `take` – receives the sums of a span, `[field][point]`, before the buffer is reused
    fn each_span(
        &self,
        kernels: &Kernels,
        points: &Points,
        spans: Range<usize>,
        go_on: GoOn,
        mut take: impl FnMut(&Buffer<f64>) -> Result<(), GpuError>,
    ) -> Result<Option<()>, GpuError> {
        let sums_of_run = points.len() * kernels.fields.iter().count();
        let runs = self.count.div_ceil(RUN);
        let wave = self.wave(runs, points.len());
        let places = self.upload(points)?;
        let mut of_span = self.room.span.take(sums_of_run)?;
        let mut sums = self.room.runs.take(wave * sums_of_run)?;
        let mut waves = Waves::new(&self.gpu, go_on);
        for span in spans {
            of_span.clear()?;
            let of_this = span * self.span..runs.min((span + 1) * self.span);
            let launch = |runs| self.launch(kernels, runs, (&places, points.len()), &mut sums, &mut of_span);
            if waves.launch(of_this, wave, launch)?.is_none() {
                return Ok(None);
            }
            take(&of_span)?;
        }
        Ok(Some(()))
    }

    /// Enqueues the sums of some runs and their addition to the totals.
    fn launch(
        &self,
        kernels: &Kernels,
        runs: Range<usize>,
        (places, points): (&Buffer<f64>, usize),
        sums: &mut Buffer<f64>,
        totals: &mut Buffer<f64>,
    ) -> Result<(), GpuError> {
        let tiles = points.div_ceil(self.block) as u32;
        kernels.sum_runs.launch(
            Launch::new([tiles, runs.len() as u32], self.block as u32),
            args![
                &self.numbers,
                self.count as u32,
                runs.start as u32,
                places,
                points as u32,
                if kernels.fields.leaves_out_edges() { 0.0_f32 } else { f32::NAN },
                &mut *sums
            ],
        )?;
        kernels.add(sums, runs.len(), totals, points * kernels.fields.iter().count())
    }

    /// Number of runs per launch, for a given number of points or bodies.
    pub fn wave(&self, runs: usize, places: usize) -> usize {
        (self.most / places).clamp(1, self.span).min(runs.max(1))
    }

    /// Copies the coordinates of points to the device, `[axis][point]`.
    pub fn upload(&self, points: &Points) -> Result<Taken<'_>, GpuError> {
        self.room.points.upload(&[0, 1, 2].map(|axis| points.along(axis)).concat())
    }

    /// The kernels for at least the requested fields, loaded on first use.
    pub fn kernels(&self, product: Product, precision: Precision, asked: Fields) -> Result<Kernels, GpuError> {
        let block = if product == Product::Forward { self.block } else { BLOCK };
        let fields = if block == BLOCK { images::summed_for(self.kind, asked) } else { asked };
        let mut loaded = self.kernels.lock().unwrap_or_else(PoisonError::into_inner);
        let is_it =
            |one: &&Kernels| (one.product, one.precision, one.fields.bits()) == (product, precision, fields.bits());
        let kernels = match loaded.iter().find(is_it) {
            Some(kernels) => kernels.clone(),
            None => {
                let kernels = Kernels::load(&self.gpu, (self.kind, product), precision, fields, block)?;
                loaded.push(kernels.clone());
                kernels
            }
        };
        Ok(Kernels { fields: fields.like(asked), ..kernels })
    }
}

/// Limits the number of queued launches.
pub struct Waves<'a> {
    gpu: &'a Gpu,
    go_on: GoOn<'a>,
    marks: Vec<Mark>,
}

impl<'a> Waves<'a> {
    pub fn new(gpu: &'a Gpu, go_on: GoOn<'a>) -> Self {
        Self { gpu, go_on, marks: Vec::new() }
    }

    /// Enqueues runs in waves; `None` if cancelled.
    pub fn launch(
        &mut self,
        runs: Range<usize>,
        wave: usize,
        mut launch: impl FnMut(Range<usize>) -> Result<(), GpuError>,
    ) -> Result<Option<()>, GpuError> {
        for first in runs.clone().step_by(wave) {
            if !(self.go_on)() {
                return Ok(None);
            }
            launch(first..(first + wave).min(runs.end))?;
            self.marks.push(self.gpu.mark()?);
            if self.marks.len() > AHEAD {
                self.marks.remove(0).wait()?;
            }
        }
        Ok(Some(()))
    }
}

/// # Panics
/// If `devices` is empty or their numbers of bodies differ.
pub fn check_alike(devices: &[&GpuBodies]) {
    let is_alike = devices.iter().all(|device| device.count == devices[0].count);
    assert!(!devices.is_empty() && is_alike, "devices, with the same bodies on all");
}

/// The range of points or bodies of one device: whole blocks of threads, distributed evenly.
pub fn part(count: usize, devices: usize, number: usize) -> Range<usize> {
    let share = count.div_ceil(devices).next_multiple_of(BLOCK);
    (number * share).min(count)..((number + 1) * share).min(count)
}

/// Runs `work` on all devices in parallel, each with its share; `None` if cancelled.
pub fn on_all<S: Send, T: Send>(
    devices: &[&GpuBodies],
    shares: Vec<S>,
    work: impl Fn(&GpuBodies, S) -> Result<Option<T>, GpuError> + Sync,
) -> Result<Option<Vec<T>>, GpuError> {
    let work = &work;
    std::thread::scope(|scope| {
        let start = |(device, share)| scope.spawn(move || work(device, share));
        let running: Vec<_> = devices.iter().copied().zip(shares).map(start).collect();
        let ended = running.into_iter().map(|one| one.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        ended.collect()
    })
}
