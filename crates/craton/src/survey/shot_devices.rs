//! The devices of this process: GPUs, GPUs with additional cores, or cores alone.

use std::sync::{Arc, Mutex};

use craton_comm::Ranks;
use craton_device::gpu::Gpu;
use craton_device::{Isa, Workers};
use craton_run::Bytes;
use craton_run::journal::Journal;

use super::elastic_shots::{ElasticEngine, Place};
use super::grid::{Grids, Physics, Window};
use super::point_values::PointValues;
use super::setup::Setup;
use super::shots::{CpuEngine, Engine, GpuEngine, Recording, Shots};
use super::workers::Worker;
use crate::config::DeviceChoice;
use crate::device::{CPU, Device, GPU, LocalRank};
use crate::error::Error;
use crate::number::counted;

/// Share of a GPU's cache for concurrent shots [bytes], and cache use per point: fields and factors. A shot that fills
/// the cache is fastest alone.
const NEAR: usize = 40 << 20;
const BYTES_PER_POINT: f64 = 24.0;
const BYTES_PER_SCALAR_POINT: f64 = 12.0;
/// Largest number of concurrent shots on a GPU.
const MOST_CONCURRENT: usize = 16;
/// Number of host threads per GPU: while one computes, the others download samples, make traces, and place sources.
const PER_GPU: usize = 3;
/// Largest number of trace-making threads for each of them.
pub const FINISHING: usize = 8;
/// Largest size of the samples on a device [bytes].
pub const LARGEST_RING: f64 = 5.4e8;
/// Fraction of a GPU's free memory for shots.
pub const FILLED: f64 = 0.9;

/// The devices of this process.
pub struct ShotDevices {
    /// The GPUs.
    pub gpus: Vec<Gpu>,
    /// Number of workers on cores, and of threads of each.
    on_cores: (usize, usize),
    /// Number of threads of this process.
    pub threads: usize,
    /// Number of processes of the survey on this machine started by MPI, including this one.
    pub processes: usize,
    /// Why no GPU computes, if one was searched.
    note: Option<String>,
}

impl ShotDevices {
    /// Finds the requested devices.
    ///
    /// # Errors
    /// A requested GPU is missing.
    pub fn find(setup: &Setup, ranks: &dyn Ranks) -> Result<Self, Error> {
        let place = LocalRank::new(ranks)?;
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let threads = setup.threads.unwrap_or_else(|| (cores / place.on_same_cores).max(1));
        let device = Device::find(&setup.device, setup.devices, place)?;
        let note = device.note();
        let gpus = match device {
            Device::Cpu { .. } => Vec::new(),
            Device::Gpus { gpus, .. } => gpus,
        };
        // A three-dimensional shot uses all cores, a two-dimensional one a single core.
        let share = |threads: usize| if setup.is_plane { (threads, 1) } else { (1, threads) };
        let on_cores = match (gpus.is_empty(), &setup.device, setup.reproducible) {
            (true, ..) => share(threads),
            (false, DeviceChoice::Auto, false) if setup.is_plane => {
                share(threads.saturating_sub(PER_GPU * (1 + FINISHING) * gpus.len()))
            }
            _ => (0, 0),
        };
        Ok(Self { gpus, on_cores, threads, processes: place.ranks, note })
    }

    /// Description of the devices.
    pub fn name(&self) -> String {
        let (workers, threads) = self.on_cores;
        let cores = format!("CPU, {}, {}", counted(workers * threads, "thread"), Isa::detect().name());
        match &self.gpus[..] {
            [] => cores,
            [first, ..] => {
                let many = if self.gpus.len() > 1 { format!("{} x ", self.gpus.len()) } else { String::new() };
                let additional = if workers > 0 { format!("; {cores}, if they help") } else { String::new() };
                format!("{many}{}{additional}", first.info().name)
            }
        }
    }

    /// Why no GPU computes, although one would have been used.
    pub fn note(&self) -> Option<&str> {
        self.note.as_deref()
    }

    /// Number of threads of this process.
    pub fn threads(&self) -> usize {
        self.threads
    }

    /// Number of processes of the survey on this machine started by MPI, including this one.
    pub fn processes(&self) -> usize {
        self.processes
    }

    /// Limits the number of concurrent shots on cores to the available memory; additional cores help with those.
    /// Returns a warning.
    ///
    /// # Arguments
    /// * `largest`, `channels` – as in [`ShotDevices::workers`]
    /// * `room` – host memory of this process, if known
    pub fn fit(&mut self, grids: &Grids, largest: &Window, channels: usize, room: Option<Bytes>) -> Option<String> {
        let (requested, room) = (self.on_cores.0, room?);
        let least = usize::from(self.gpus.is_empty());
        while self.on_cores.0 > least && self.bytes(grids, largest, channels) > room {
            self.on_cores.0 -= 1;
        }
        let (now, threads) = self.on_cores;
        if now == requested {
            return None;
        }
        if self.gpus.is_empty() {
            self.on_cores.1 = requested * threads / now;
        }
        let each = Bytes(Need { grids, window: largest, channels }.host(1) as u64);
        Some(format!(
            "{room} of memory allow only {now} of {requested} concurrent shots on cores, with {each} each. Reduce \
             method.fd.aperture, method.fd.max_frequency or --threads"
        ))
    }

    /// Host memory of concurrent shots with these cells and channels [bytes].
    pub fn bytes(&self, grids: &Grids, largest: &Window, channels: usize) -> Bytes {
        let need = Need { grids, window: largest, channels };
        // A core computes one shot at a time.
        let on_cores = self.on_cores.0 as f64 * need.host(1);
        let on_gpus = (PER_GPU * self.gpus.len()) as f64 * need.host_of_gpu(need.concurrent_shots());
        Bytes((on_cores + on_gpus + need.model()) as u64)
    }

    /// The workers, each with its own connection to the journal, so that a failed shot is offered to another worker
    /// first.
    ///
    /// # Arguments
    /// * `largest`, `channels` – the window with the most points, and the largest number of channels of a shot
    /// * `journal` – opens the journal
    /// # Errors
    /// A journal of another survey, or a GPU with too little memory for a shot.
    pub fn workers<'a>(
        &self,
        shots: &'a Shots<'a>,
        largest: &Window,
        channels: usize,
        journal: impl Fn() -> Result<Journal, Error>,
    ) -> Result<Vec<Worker<'a>>, Error> {
        let with_journal = |computer: Computer<'a>| Ok(Worker { computer, journal: journal()? });
        self.computers(shots, largest, channels)?.into_iter().map(with_journal).collect()
    }

    /// The computers of shots: those of each GPU, and of cores.
    ///
    /// # Arguments
    /// * `largest`, `channels` – as in [`ShotDevices::workers`]
    /// # Errors
    /// A GPU with too little memory for a shot, or threads that cannot be started.
    pub fn computers<'a>(
        &self,
        shots: &'a Shots<'a>,
        largest: &Window,
        channels: usize,
    ) -> Result<Vec<Computer<'a>>, Error> {
        let mut computers = Vec::new();
        let finishing = (self.threads / (PER_GPU * self.gpus.len()).max(1)).clamp(1, FINISHING);
        for gpu in &self.gpus {
            let (sharing, at_once) = Need { grids: shots.grids, window: largest, channels }.on(gpu)?;
            let turn = Arc::new(Mutex::new(()));
            for number in 0..sharing {
                let own = if number == 0 { gpu.clone() } else { gpu.another_queue()? };
                let finishers = Arc::new(Workers::new(Some(finishing))?);
                let (turn, workers) = (Arc::clone(&turn), Arc::clone(&finishers));
                let engine: Box<dyn Engine> = match shots.grids.physics() {
                    Physics::Acoustic(_) => Box::new(GpuEngine::new(shots, own, at_once, turn, workers)),
                    Physics::Elastic(grid) => {
                        craton_fd::require_kernels::<f32>(gpu, grid.half_length(), grid.memory_sets() > 0)?;
                        Box::new(ElasticEngine::new(shots, grid, Place::Gpu { gpu: own, turn }, workers))
                    }
                };
                computers.push(Computer { name: name_of(gpu), device: GPU, sharing, engine, finishers });
            }
        }
        let (on_cores, threads) = self.on_cores;
        for _ in 0..on_cores {
            let own = Arc::new(Workers::new(Some(threads))?);
            let engine: Box<dyn Engine> = match shots.grids.physics() {
                Physics::Acoustic(_) => Box::new(CpuEngine::new(shots, Arc::clone(&own))),
                Physics::Elastic(grid) => Box::new(ElasticEngine::new(shots, grid, Place::Cores, Arc::clone(&own))),
            };
            computers.push(Computer { name: "CPU".into(), device: CPU, sharing: 1, engine, finishers: own });
        }
        Ok(computers)
    }

    /// Computes on GPUs alone if there are any, so that results do not depend on which device computes a shot.
    pub fn without_additional_cores(&mut self) {
        if !self.gpus.is_empty() {
            self.on_cores = (0, 0);
        }
    }
}

/// The name of a GPU in reports.
pub fn name_of(gpu: &Gpu) -> String {
    if gpu.is_emulated() { "emulated GPU".to_owned() } else { format!("cuda:{}", gpu.info().ordinal) }
}

/// A part of the devices that computes shots one after another, or several together, with results `R`.
pub struct Computer<'a, R = Recording> {
    /// Its name in reports.
    pub name: String,
    /// Kind of its device, as in the journal.
    pub device: u8,
    /// Number of computers that share its device, including itself.
    pub sharing: usize,
    /// Its device.
    pub engine: Box<dyn Engine<R> + 'a>,
    /// Threads that make traces from recordings, and on a GPU the weights of sources and receivers.
    pub finishers: Arc<Workers>,
}

/// The size of shots.
struct Need<'a> {
    grids: &'a Grids,
    window: &'a Window,
    channels: usize,
}

impl Need<'_> {
    /// The number of concurrent shots, if memory permits.
    fn concurrent_shots(&self) -> usize {
        let of_fields = match self.grids.physics() {
            // An elastic solver has one shot.
            Physics::Elastic(_) => return 1,
            Physics::Acoustic(grid) if grid.equation.is_scalar() => BYTES_PER_SCALAR_POINT,
            Physics::Acoustic(_) => BYTES_PER_POINT,
        };
        let [relaxing, _] = self.values().relaxing;
        ((NEAR as f64 / (of_fields + 4.0 * relaxing) / self.points() as f64) as usize).clamp(1, MOST_CONCURRENT)
    }

    /// The number of workers of a GPU, and of concurrent shots of each.
    ///
    /// # Errors
    /// [`Error::DeviceMemory`] if not even one shot fits.
    fn on(&self, gpu: &Gpu) -> Result<(usize, usize), Error> {
        if gpu.is_emulated() {
            return Ok((2, 2.min(self.concurrent_shots())));
        }
        let free = FILLED * gpu.memory()?.free as f64;
        let choices = (1..=PER_GPU)
            .rev()
            .flat_map(|engines| (1..=self.concurrent_shots()).rev().map(move |shots| (engines, shots)));
        let mut fitting = choices.filter(|&(engines, shots)| engines as f64 * self.device(shots) <= free);
        fitting.next().ok_or_else(|| {
            let (points, needed) = (self.points(), self.device(1));
            Error::DeviceMemory {
                device: gpu.info().name.clone(),
                needed: Bytes(needed as u64),
                free: Bytes(free as u64),
                elements: points,
                unit: "points",
                fit: (points as f64 * free / needed) as usize,
                devices: None,
                frequency: self.grids.max_frequency * (free / needed).cbrt(),
                method: "fd",
            }
        })
    }

    fn points(&self) -> usize {
        self.grids.points(self.window)
    }

    /// Values per point of a shot.
    fn values(&self) -> PointValues {
        self.grids.values_per_point(self.window)
    }

    /// Whether receivers in a plane are recorded point by point.
    fn has_tiles(&self) -> bool {
        self.grids.is_plane() && matches!(self.grids.physics(), Physics::Acoustic(_))
    }

    /// Number of samples of a shot.
    fn samples(&self) -> f64 {
        self.channels as f64 * self.grids.axis.steps as f64
    }

    /// Device memory [bytes]: factors of all shots; fields, layers, samples and interpolation points of each.
    fn device(&self, shots: usize) -> f64 {
        // Tiles of a plane record single points.
        const OF_TILED_POINT: f64 = 32.0;
        let need = self.grids.interpolation();
        let of_channel = if self.has_tiles() { OF_TILED_POINT * need.points as f64 } else { need.bytes as f64 };
        let PointValues { fields, factors, relaxing: [of_one, of_all] } = self.values();
        let of_shot = 4.0 * (fields + of_one) * self.points() as f64 + of_channel * self.channels as f64;
        let samples = (4.0 * self.samples() * shots as f64).min(LARGEST_RING);
        4.0 * (factors + of_all) * self.points() as f64 + shots as f64 * of_shot + samples
    }

    /// Host memory [bytes]: copies of device data, and samples on their way to traces and bytes.
    fn host(&self, shots: usize) -> f64 {
        // Traces of one shot are made while those of the previous one exist.
        let PointValues { fields, factors, relaxing } = self.values();
        // The position and its list, and two copies of the weights.
        const OF_CHANNEL: f64 = 200.0;
        let of_channel = OF_CHANNEL + 2.0 * self.grids.interpolation().bytes as f64;
        let relaxing = relaxing.iter().sum::<f64>();
        let arrays = (4.0 * (fields + factors + relaxing) + self.grids.model_bytes_per_cell()) * self.points() as f64;
        arrays + shots as f64 * (of_channel * self.channels as f64 + 12.0 * self.samples())
    }

    /// Host memory of concurrent shots on a GPU [bytes]: in a plane also the points of channels in tiles.
    fn host_of_gpu(&self, shots: usize) -> f64 {
        const OF_TILED_POINT: f64 = 56.0;
        let points = if self.has_tiles() { self.grids.interpolation().points } else { 0 };
        self.host(shots) + shots as f64 * OF_TILED_POINT * points as f64 * self.channels as f64
    }

    /// Host memory of the model in the box and of the program itself [bytes].
    fn model(&self) -> f64 {
        const PROGRAM: f64 = 4e7;
        PROGRAM + self.grids.model_bytes_per_cell() * self.grids.grid().n_cells() as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_additional_core_needs_the_memory_of_one_shot() {
        let Some(gpu) = Gpu::emulated_for_tests() else { return };
        let folder = tempfile::tempdir().expect("a folder");
        let plan = super::super::tests::session(folder.path()).plan().expect("a plan");
        let need = Need { grids: &plan.grids, window: &plan.largest, channels: plan.channels };
        assert!(need.concurrent_shots() > 1);
        let bytes = |gpus: &[Gpu], on_cores| {
            let devices =
                ShotDevices { gpus: gpus.to_vec(), on_cores: (on_cores, 1), threads: 4, processes: 1, note: None };
            devices.bytes(&plan.grids, &plan.largest, plan.channels).0 as f64
        };
        let of_three = 3.0 * need.host(1);
        for gpus in [&[][..], &[gpu]] {
            assert!((bytes(gpus, 4) - bytes(gpus, 1) - of_three).abs() <= 2.0);
        }
    }
}
