//! The devices that compute gradients of shots, and their memory.

use std::sync::{Arc, Mutex};

use craton_acquisition::survey::Shot;
use craton_device::Workers;
use craton_run::{Bytes, Room};

use super::MisfitAndGradient;
use super::engine::{GradientEngine, Place, Target};
use crate::device::{CPU, GPU};
use crate::error::Error;
use crate::survey::grid::{Grids, Window};
use crate::survey::shot_devices::{Computer, FILLED, FINISHING, LARGEST_RING, ShotDevices, name_of};
use crate::survey::shots::Shots;

/// Host memory of both operators and the gradient per point of a shot [bytes], without stored fields.
pub const GRADIENT_BYTES_PER_POINT: f64 = 300.0;
/// The same if a GPU computes: the medium, its factors, and the gradient.
const HOST_BYTES_PER_POINT: f64 = 150.0;
/// Fraction of the free host memory for the forward fields of gradients, and memory if the system reports none [bytes].
const FILLED_BY_FIELDS: f64 = 0.7;
const UNKNOWN_ROOM: f64 = 4e9;
/// Largest number of engines of a GPU: one computes while the other does the host work.
const MOST_ENGINES: usize = 2;

/// What a shot needs on a GPU besides its operators and the stored fields [bytes]: samples and residual, values of the residual at points, and the weights of
/// the channels.
pub fn device_bytes_of_channels(grids: &Grids, channels: usize) -> f64 {
    /// Largest size of the values of a recording [bytes].
    const OF_RECORDING: f64 = 6.8e7;
    let (samples, need) = (4.0 * channels as f64 * grids.axis.steps as f64, grids.interpolation());
    let of_channel = need.bytes as f64 + 8.0 * need.points as f64;
    samples.min(LARGEST_RING) + samples + OF_RECORDING + of_channel * channels as f64
}

/// The window of a survey with the most points, and the largest number of channels of a shot.
fn largest(grids: &Grids, shots: &[Shot]) -> Option<(Window, usize)> {
    let windows = shots.iter().map(|shot| grids.window(shot));
    let window = windows.max_by_key(|window| grids.points(window))?;
    Some((window, shots.iter().map(|shot| shot.spread.len()).max().unwrap_or(0)))
}

/// An engine, name and kind of its device, and number of engines that share it.
type Named<'a> = (GradientEngine<'a>, (String, u8, usize));

impl ShotDevices {
    /// The computers of gradients: those of each GPU, or cores. On cores one shot per core in two dimensions, otherwise one shot on all cores.
    ///
    /// # Errors
    /// Insufficient memory for the largest shot; a device that fails, threads that cannot be started.
    pub fn gradient_computers<'a>(
        &self,
        shots: &'a Shots<'a>,
        target: &'a Target<'a>,
    ) -> Result<Vec<Computer<'a, MisfitAndGradient>>, Error> {
        let all = target.setup.survey.shots();
        let Some((window, channels)) = largest(shots.grids, all) else { return Ok(Vec::new()) };
        let largest = (&window, channels);
        let engines = match self.gpus.is_empty() {
            true => self.engines_on_cores((shots, target), largest)?,
            false => self.engines_on_gpus((shots, target), largest)?,
        };
        let computer = |(engine, (name, device, sharing)): Named<'a>| {
            let finishers = engine.workers();
            Computer { name, device, sharing, engine: Box::new(engine), finishers }
        };
        Ok(engines.into_iter().map(computer).collect())
    }

    fn engines_on_cores<'a>(
        &self,
        (shots, target): (&'a Shots<'a>, &'a Target<'a>),
        (window, channels): (&Window, usize),
    ) -> Result<Vec<Named<'a>>, Error> {
        let (count, threads) = match target.setup.is_plane {
            true => (self.threads.min(target.setup.survey.shots().len()).max(1), 1),
            false => (1, self.threads),
        };
        let needed = host_bytes((shots.grids, target), (window, channels), GRADIENT_BYTES_PER_POINT);
        let room = (FILLED_BY_FIELDS * self.host_room(count, needed)?).max(0.0) as u64;
        let mut engines = Vec::new();
        for number in 0..count {
            let workers = Arc::new(Workers::new(Some(threads))?);
            let mut engine = GradientEngine::new(shots, target, (Place::Cores, room), workers);
            if number == 0 {
                engine.require_memory(window, channels)?;
            }
            engines.push((engine, ("CPU".to_owned(), CPU, 1)));
        }
        Ok(engines)
    }

    fn engines_on_gpus<'a>(
        &self,
        (shots, target): (&'a Shots<'a>, &'a Target<'a>),
        (window, channels): (&Window, usize),
    ) -> Result<Vec<Named<'a>>, Error> {
        let of_one = device_bytes(target, shots.grids, (window, channels));
        let most = MOST_ENGINES.min(target.setup.survey.shots().len()).max(1);
        let mut engines = Vec::new();
        for gpu in &self.gpus {
            let free = FILLED * gpu.memory()?.free as f64;
            let sharing = ((free / (1.1 * of_one)) as usize).clamp(1, most);
            let turn = Arc::new(Mutex::new(()));
            let threads = (self.threads / (sharing * self.gpus.len())).clamp(1, FINISHING);
            for number in 0..sharing {
                let own = if number == 0 { gpu.clone() } else { gpu.another_queue()? };
                let place = Place::Gpu { gpu: own, turn: Arc::clone(&turn) };
                let workers = Arc::new(Workers::new(Some(threads))?);
                let room = (free / sharing as f64) as u64;
                let mut engine = GradientEngine::new(shots, target, (place, room), workers);
                // Before the first shot is computed: a GPU may be in use by others.
                if number == 0 {
                    engine.require_memory(window, channels)?;
                }
                engines.push((engine, (name_of(gpu), GPU, sharing)));
            }
        }
        let needed = host_bytes((shots.grids, target), (window, channels), HOST_BYTES_PER_POINT);
        self.host_room(engines.len(), needed)?;
        Ok(engines)
    }

    /// Host memory of each of some engines in addition to what each needs [bytes].
    ///
    /// # Errors
    /// Insufficient memory.
    fn host_room(&self, engines: usize, needed: f64) -> Result<f64, Error> {
        let room = Room::look(self.threads, self.processes);
        room.require_of_each(Bytes((needed * engines as f64) as u64))?;
        let of_each = room.of_each().map_or(UNKNOWN_ROOM, |room| room.0 as f64);
        Ok(of_each / engines as f64 - needed)
    }
}

/// Host memory of an engine, without stored fields [bytes].
fn host_bytes((grids, target): (&Grids, &Target), (window, channels): (&Window, usize), of_point: f64) -> f64 {
    let samples = channels as f64 * grids.axis.steps as f64;
    let observed = 4.0 * channels as f64 * grids.axis.samples as f64;
    of_point * grids.points(window) as f64 + 40.0 * samples + observed + target.bytes_of_gradient(grids)
}

/// Device memory of an engine with all stored fields, approximately [bytes].
fn device_bytes(target: &Target, grids: &Grids, (window, channels): (&Window, usize)) -> f64 {
    /// Fields, factors, layers and sums per point.
    const OF_POINT: f64 = 130.0;
    let stored = grids.axis.steps.div_ceil(target.every()) as f64 * 4.0 * target.stored_fields(grids) as f64;
    (OF_POINT + stored) * grids.points(window) as f64 + device_bytes_of_channels(grids, channels)
}
