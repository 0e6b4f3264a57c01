//! All that computes here: GPUs, the cores besides, or the cores alone.

use std::sync::{Arc, Mutex};

use craton_comm::Ranks;
use craton_device::gpu::Gpu;
use craton_device::{Isa, Workers};
use craton_run::Bytes;
use craton_run::journal::Journal;

use super::grid::{Grids, Window};
use super::setup::Setup;
use super::shots::{CpuEngine, Engine, GpuEngine, Shots};
use super::workers::{CPU, GPU, Worker};
use crate::config::DeviceChoice;
use crate::error::Error;
use crate::pipeline::device::{Device, LocalRank};

/// What shots side by side may take of a GPU's cache [bytes], and what they take of it per point: fields and factors. A shot that fills the cache by
/// itself is fastest alone.
const NEAR: usize = 40 << 20;
const BYTES_PER_POINT: usize = 24;
/// Shots side by side on a GPU at most.
const SIDE_BY_SIDE: usize = 16;
/// Threads that keep a GPU busy: while one computes, the others bring samples home, make traces of them, and place sources.
const PER_GPU: usize = 3;
/// Threads that make traces for each of them at most.
const FINISHING: usize = 8;
/// Part of a GPU's free memory that shots may fill.
const FILLED: f64 = 0.9;

/// What computes in this process.
pub struct Crew {
    gpus: Vec<Gpu>,
    /// Workers on cores, and the threads of each.
    on_cores: (usize, usize),
    /// Threads of this process.
    threads: usize,
    /// Why no GPU computes, if one was looked for.
    note: Option<String>,
}

impl Crew {
    /// Finds what was asked for.
    ///
    /// # Errors
    /// A GPU that was asked for and is not there.
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
        // A shot in space fills all cores, one in a plane a single one.
        let share = |threads: usize| if setup.is_plane { (threads, 1) } else { (1, threads) };
        let on_cores = match (gpus.is_empty(), &setup.device, setup.reproducible) {
            (true, ..) => share(threads),
            (false, DeviceChoice::Auto, false) if setup.is_plane => {
                share(threads.saturating_sub(PER_GPU * (1 + FINISHING) * gpus.len()))
            }
            _ => (0, 0),
        };
        Ok(Self { gpus, on_cores, threads, note })
    }

    /// What computes, in words.
    pub fn name(&self) -> String {
        let (workers, threads) = self.on_cores;
        let cores = format!("CPU, {} threads, {}", workers * threads, Isa::detect().name());
        match &self.gpus[..] {
            [] => cores,
            [first, ..] => {
                let many = if self.gpus.len() > 1 { format!("{} x ", self.gpus.len()) } else { String::new() };
                let besides = if workers > 0 { format!("; {cores}, where they help") } else { String::new() };
                format!("{many}{}{besides}", first.info().name)
            }
        }
    }

    /// Why no GPU computes although one would have been taken.
    pub fn note(&self) -> Option<&str> {
        self.note.as_deref()
    }

    /// Threads of this process.
    pub fn threads(&self) -> usize {
        self.threads
    }

    /// Memory of the host that the shots take together, and what their samples do [bytes].
    pub fn bytes(&self, grids: &Grids, largest: &Window, channels: usize) -> Bytes {
        let (on_cores, _) = self.on_cores;
        let operators = (on_cores + PER_GPU * self.gpus.len()) as f64;
        let samples = 4.0 * channels as f64 * grids.axis.steps as f64;
        Bytes((operators * (bytes_of(grids, largest, 1) + 3.0 * samples)) as u64)
    }

    /// Workers, each with a hold of its own on the journal, so that a shot that failed on one is offered to another first.
    ///
    /// # Arguments
    /// * `largest` – the window with the most points
    /// * `journal` – joins it
    /// # Errors
    /// A journal of another survey, a GPU that cannot hold a shot.
    pub fn workers<'a>(
        &self,
        shots: &'a Shots<'a>,
        largest: &Window,
        journal: impl Fn() -> Result<Journal, Error>,
    ) -> Result<Vec<Worker<'a>>, Error> {
        let mut workers = Vec::new();
        let finishing = (self.threads / (PER_GPU * self.gpus.len()).max(1)).clamp(1, FINISHING);
        for gpu in &self.gpus {
            let at_once = at_once(gpu, shots.grids, largest)?;
            let turn = Arc::new(Mutex::new(()));
            for number in 0..PER_GPU {
                let own = if number == 0 { gpu.clone() } else { gpu.another_queue()? };
                workers.push(Worker {
                    name: if gpu.is_emulated() {
                        "emulated GPU".into()
                    } else {
                        format!("cuda:{}", gpu.info().ordinal)
                    },
                    device: GPU,
                    engine: Box::new(GpuEngine::new(shots, own, at_once, Arc::clone(&turn))) as Box<dyn Engine>,
                    finishers: Arc::new(Workers::new(Some(finishing))?),
                    journal: journal()?,
                });
            }
        }
        let (on_cores, threads) = self.on_cores;
        for _ in 0..on_cores {
            let own = Arc::new(Workers::new(Some(threads))?);
            workers.push(Worker {
                name: "CPU".into(),
                device: CPU,
                engine: Box::new(CpuEngine::new(shots, Arc::clone(&own))),
                finishers: own,
                journal: journal()?,
            });
        }
        Ok(workers)
    }
}

/// Shots side by side on a GPU, each of its workers.
fn at_once(gpu: &Gpu, grids: &Grids, window: &Window) -> Result<usize, Error> {
    let wanted = (NEAR / (BYTES_PER_POINT * grids.points(window))).clamp(1, SIDE_BY_SIDE);
    if gpu.is_emulated() {
        return Ok(2.min(wanted));
    }
    let free = FILLED * gpu.memory()?.free as f64 / PER_GPU as f64;
    let fits = |shots: &usize| bytes_of(grids, window, *shots) <= free;
    Ok((1..=wanted).rev().find(fits).unwrap_or(1))
}

/// Memory that shots of one window take together [bytes]: fields and the memory of layers of each, factors of all.
fn bytes_of(grids: &Grids, window: &Window, shots: usize) -> f64 {
    const FACTORS: f64 = 4.0;
    const FIELDS: f64 = 6.0;
    4.0 * grids.points(window) as f64 * (FACTORS + FIELDS * shots as f64)
}
