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
use super::workers::Worker;
use crate::config::DeviceChoice;
use crate::device::{CPU, Device, GPU, LocalRank};
use crate::error::Error;
use crate::number::counted;

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
/// Samples that a device holds at most [bytes].
const LARGEST_RING: f64 = 5.4e8;
/// Part of a GPU's free memory that shots may fill.
const FILLED: f64 = 0.9;

/// What computes in this process.
pub struct Crew {
    gpus: Vec<Gpu>,
    /// Workers on cores, and the threads of each.
    on_cores: (usize, usize),
    /// Threads of this process.
    threads: usize,
    /// Processes of the survey on this machine that MPI has started, this one included.
    processes: usize,
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
        Ok(Self { gpus, on_cores, threads, processes: place.ranks, note })
    }

    /// What computes, in words.
    pub fn name(&self) -> String {
        let (workers, threads) = self.on_cores;
        let cores = format!("CPU, {}, {}", counted(workers * threads, "thread"), Isa::detect().name());
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

    /// Processes of the survey on this machine that MPI has started, this one included.
    pub fn processes(&self) -> usize {
        self.processes
    }

    /// Has no more shots on cores at a time than there is memory for; the cores besides help with those. Returns what a user should know.
    ///
    /// # Arguments
    /// * `largest`, `channels` – as in [`Crew::workers`]
    /// * `room` – memory of the host for this process, if that is known
    pub fn fit(&mut self, grids: &Grids, largest: &Window, channels: usize, room: Option<Bytes>) -> Option<String> {
        let (wanted, room) = (self.on_cores.0, room?);
        let least = usize::from(self.gpus.is_empty());
        while self.on_cores.0 > least && self.bytes(grids, largest, channels) > room {
            self.on_cores.0 -= 1;
        }
        let (now, threads) = self.on_cores;
        if now == wanted {
            return None;
        }
        if self.gpus.is_empty() {
            self.on_cores.1 = wanted * threads / now;
        }
        let each = Bytes(Need { grids, window: largest, channels }.host(1) as u64);
        Some(format!(
            "{room} of memory hold {now} of {wanted} shots on cores at a time, of {each} each; a smaller \
             method.fd.aperture or a lower method.fd.max_frequency makes them smaller, --threads asks for fewer"
        ))
    }

    /// Memory of the host that shots of these cells and channels take together [bytes].
    pub fn bytes(&self, grids: &Grids, largest: &Window, channels: usize) -> Bytes {
        let need = Need { grids, window: largest, channels };
        // A core has one at a time.
        let on_cores = self.on_cores.0 as f64 * need.host(1);
        let on_gpus = (PER_GPU * self.gpus.len()) as f64 * need.host(need.wanted());
        Bytes((on_cores + on_gpus + need.model()) as u64)
    }

    /// What computes shots one group after the other: the first GPU, or all cores.
    ///
    /// # Arguments
    /// * `largest`, `channels` – as in [`Crew::workers`]
    /// # Errors
    /// A GPU that cannot hold a shot.
    pub fn engine<'a>(
        &self,
        shots: &'a Shots<'a>,
        largest: &Window,
        channels: usize,
    ) -> Result<Box<dyn Engine + 'a>, Error> {
        let Some(gpu) = self.gpus.first() else {
            return Ok(Box::new(CpuEngine::new(shots, Arc::new(Workers::new(Some(self.threads))?))));
        };
        let (_, at_once) = Need { grids: shots.grids, window: largest, channels }.on(gpu)?;
        Ok(Box::new(GpuEngine::new(shots, gpu.clone(), at_once, Arc::new(Mutex::new(())))))
    }

    /// Workers, each with a hold of its own on the journal, so that a shot that failed on one is offered to another first.
    ///
    /// # Arguments
    /// * `largest`, `channels` – the window with the most points, and the channels of a shot at most
    /// * `journal` – joins it
    /// # Errors
    /// A journal of another survey, a GPU that cannot hold a shot.
    pub fn workers<'a>(
        &self,
        shots: &'a Shots<'a>,
        largest: &Window,
        channels: usize,
        journal: impl Fn() -> Result<Journal, Error>,
    ) -> Result<Vec<Worker<'a>>, Error> {
        let mut workers = Vec::new();
        let finishing = (self.threads / (PER_GPU * self.gpus.len()).max(1)).clamp(1, FINISHING);
        for gpu in &self.gpus {
            let (sharing, at_once) = Need { grids: shots.grids, window: largest, channels }.on(gpu)?;
            let turn = Arc::new(Mutex::new(()));
            for number in 0..sharing {
                let own = if number == 0 { gpu.clone() } else { gpu.another_queue()? };
                workers.push(Worker {
                    name: if gpu.is_emulated() {
                        "emulated GPU".into()
                    } else {
                        format!("cuda:{}", gpu.info().ordinal)
                    },
                    device: GPU,
                    sharing,
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
                sharing: 1,
                engine: Box::new(CpuEngine::new(shots, Arc::clone(&own))),
                finishers: own,
                journal: journal()?,
            });
        }
        Ok(workers)
    }
}

/// What shots need.
struct Need<'a> {
    grids: &'a Grids,
    window: &'a Window,
    channels: usize,
}

impl Need<'_> {
    /// Shots side by side, where there is room.
    fn wanted(&self) -> usize {
        (NEAR / (BYTES_PER_POINT * self.points())).clamp(1, SIDE_BY_SIDE)
    }

    /// Workers of a GPU, and shots side by side of each.
    ///
    /// # Errors
    /// [`Error::DeviceMemory`] if not even one fits.
    fn on(&self, gpu: &Gpu) -> Result<(usize, usize), Error> {
        if gpu.is_emulated() {
            return Ok((2, 2.min(self.wanted())));
        }
        let free = FILLED * gpu.memory()?.free as f64;
        let choices =
            (1..=PER_GPU).rev().flat_map(|engines| (1..=self.wanted()).rev().map(move |shots| (engines, shots)));
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

    /// Samples of a shot.
    fn samples(&self) -> f64 {
        self.channels as f64 * self.grids.axis.steps as f64
    }

    /// Memory of a device [bytes]: factors of all shots; fields, layers, samples and taps of each.
    fn device(&self, shots: usize) -> f64 {
        const FACTORS: f64 = 4.0;
        const FIELDS: f64 = 6.0;
        const TAP: f64 = 16.0;
        let of_shot = 4.0 * FIELDS * self.points() as f64 + TAP * self.grids.taps() as f64 * self.channels as f64;
        let samples = (4.0 * self.samples() * shots as f64).min(LARGEST_RING);
        4.0 * FACTORS * self.points() as f64 + shots as f64 * of_shot + samples
    }

    /// Memory of the host [bytes]: what a device holds, or has held, and samples on their way to traces and bytes.
    fn host(&self, shots: usize) -> f64 {
        // Those of a shot are made while those of the one before are there.
        const TAP: f64 = 2.0 * 28.0;
        const VALUES: f64 = 12.0;
        let taps = TAP * self.grids.taps() as f64 * self.channels as f64;
        let arrays = 4.0 * VALUES * self.points() as f64;
        arrays + shots as f64 * (taps + 12.0 * self.samples())
    }

    /// Memory of the host for the fluid of the box, and for the program itself [bytes].
    fn model(&self) -> f64 {
        const PROGRAM: f64 = 4e7;
        PROGRAM + 8.0 * self.grids.grid().n_cells() as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_core_beside_gpus_takes_the_memory_of_one_shot() {
        let Some(gpu) = Gpu::emulated_for_tests() else { return };
        let folder = tempfile::tempdir().expect("a folder");
        let plan = super::super::tests::session(folder.path()).plan().expect("a plan");
        let need = Need { grids: &plan.grids, window: &plan.largest, channels: plan.channels };
        assert!(need.wanted() > 1);
        let bytes = |gpus: &[Gpu], on_cores| {
            let crew = Crew { gpus: gpus.to_vec(), on_cores: (on_cores, 1), threads: 4, processes: 1, note: None };
            crew.bytes(&plan.grids, &plan.largest, plan.channels).0 as f64
        };
        let of_three = 3.0 * need.host(1);
        for gpus in [&[][..], &[gpu]] {
            assert!((bytes(gpus, 4) - bytes(gpus, 1) - of_three).abs() <= 2.0);
        }
    }
}
