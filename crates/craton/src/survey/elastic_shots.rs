//! The engine of elastic shots, on cores or on a GPU.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use craton_acquisition::survey::Shot;
use craton_device::gpu::Gpu;
use craton_device::{Isa, Workers};
use craton_fd::acoustic::{AcousticField, Drive, Listener, Placed};
use craton_fd::{Options, PointSource, Probe, ProbeQuantity, Problem, Solver, SolverPrecision as _, SourceMechanism};
use craton_model::Elasticity;
use craton_sim::{History, PartExchange};

use super::grid::Window;
use super::grid::elastic::{ElasticCells, ElasticGrid};
use super::shots::{Engine, GPU_FACTOR, Outcome, Recording, Shots, Trouble, failed, of_shots};
use crate::error::Error;
use crate::gridding::medium_on_grid;

/// Where an engine computes.
pub enum Place {
    /// On its worker threads.
    Cores,
    /// On a GPU.
    Gpu {
        /// The GPU.
        gpu: Gpu,
        /// Held during the time loop, which the engines of a GPU share.
        turn: Arc<Mutex<()>>,
    },
}

/// A device that computes elastic shots one after the other.
pub struct ElasticEngine<'a> {
    shots: &'a Shots<'a>,
    grid: &'a ElasticGrid,
    place: Place,
    workers: Arc<Workers>,
    /// The cells of the last shot, reused for the next one with the same window.
    cells: Option<(Window, ElasticCells)>,
    busy: Duration,
}

/// A channel: the probes that it is the weighted sum of.
type Channel = Vec<(usize, f64)>;

/// A solver, and the channels of its probes.
type WithChannels = (Box<dyn Solver<f32>>, Vec<Channel>);

/// The sources and receivers of a shot on its grid.
struct OnGrid {
    sources: Vec<PointSource>,
    probes: Vec<Probe>,
    channels: Vec<Channel>,
}

impl<'a> ElasticEngine<'a> {
    /// An engine.
    ///
    /// # Arguments
    /// * `workers` – the threads that compute, or next to a GPU those that place sources and receivers
    pub fn new(shots: &'a Shots<'a>, grid: &'a ElasticGrid, place: Place, workers: Arc<Workers>) -> Self {
        Self { shots, grid, place, workers, cells: None, busy: Duration::ZERO }
    }

    fn cells(&mut self, window: &Window) -> Result<ElasticCells, Error> {
        if let Some((known, cells)) = &self.cells
            && known == window
        {
            return Ok(cells.clone());
        }
        self.cells = None;
        let (grid, workers) = (self.grid, &self.workers);
        let cells = workers.run(|| grid.cells_of(window))?;
        self.cells = Some((window.clone(), cells.clone()));
        Ok(cells)
    }

    /// The solver of a shot at rest, and its channels.
    fn solver(&mut self, shot: &Shot, window: &Window) -> Result<WithChannels, Error> {
        let cells = self.cells(window)?;
        let (grid, dt) = (self.grid, self.shots.grids.axis.dt);
        let (drives, listeners) = (self.shots.drives(shot)?, self.shots.listeners(shot));
        let places = Places { grid, cells: &cells, shot };
        let OnGrid { sources, probes, channels } = OnGrid::new(&places, dt, (&drives, &listeners))?;
        let options = Options {
            stencil: grid.stencil.clone(),
            boundaries: cells.plan.boundaries,
            parts: [1; 3],
            interpolation: grid.interpolation.clone(),
            isa: Isa::detect(),
        };
        let problem = Problem { medium: &*cells.medium, options: &options, dt, sources: &sources, probes: &probes };
        let (exchange, workers) = (PartExchange::solo(1), Arc::clone(&self.workers));
        let solver = match &self.place {
            Place::Cores => f32::cpu_solver(&problem, &exchange, workers)?,
            Place::Gpu { gpu, .. } => f32::gpu_solver(std::slice::from_ref(gpu), &problem, &exchange, workers)?,
        };
        Ok((solver, channels))
    }

    fn steps_at_once(&self, window: &Window) -> u64 {
        let factor = if matches!(self.place, Place::Gpu { .. }) { GPU_FACTOR } else { 1 };
        factor * self.shots.steps_at_once(window)
    }

    fn one(&mut self, shot: &Shot, window: &Window) -> Result<Recording, Trouble> {
        let (mut solver, channels) = self.solver(shot, window).map_err(of_shots)?;
        let (all, at_once) = (self.shots, self.steps_at_once(window));
        let mut recording = Recording::new();
        while solver.step() < all.grids.axis.steps {
            if all.is_over() {
                return Err(Trouble::Stopped);
            }
            let steps = at_once.min(all.grids.axis.steps - solver.step()).min(solver.longest_advance());
            let own_turn = match &self.place {
                Place::Cores => None,
                Place::Gpu { turn, .. } => Some(turn.lock().expect("no thread panics")),
            };
            let begun = Instant::now();
            let moved = solver.advance(steps).and_then(|()| solver.check());
            self.busy += begun.elapsed();
            drop(own_turn);
            moved.map_err(failed)?;
            recording.extend(summed(&solver.take_samples().map_err(failed)?, &channels));
        }
        Ok(recording)
    }
}

impl Engine for ElasticEngine<'_> {
    fn at_once(&self) -> usize {
        1
    }

    fn estimate(&mut self, shot: &Shot) -> Result<f64, Error> {
        if matches!(self.place, Place::Gpu { .. }) {
            // No other device is faster.
            return Ok(0.0);
        }
        let window = self.shots.grids.window(shot);
        let (mut solver, _) = self.solver(shot, &window)?;
        let steps = self.steps_at_once(&window).min(solver.longest_advance());
        let begun = Instant::now();
        solver.advance(steps)?;
        let seconds = begun.elapsed().as_secs_f64();
        self.busy += begun.elapsed();
        Ok(seconds / steps as f64 * self.shots.grids.axis.steps as f64)
    }

    fn busy(&self) -> Duration {
        self.busy
    }

    fn compute(&mut self, shots: &[&Shot], window: &Window) -> Result<Vec<Outcome>, Trouble> {
        let mut outcomes = Vec::with_capacity(shots.len());
        for shot in shots {
            match self.one(shot, window) {
                Ok(recording) => outcomes.push(Ok(recording)),
                Err(Trouble::Shots(error)) => outcomes.push(Err(error)),
                Err(trouble) => return Err(trouble),
            }
        }
        Ok(outcomes)
    }
}

impl OnGrid {
    /// Places the sources and receivers of a shot.
    ///
    /// # Errors
    /// A position without ground.
    fn new(places: &Places, dt: f64, (drives, listeners): (&[Drive], &[Listener])) -> Result<Self, Error> {
        let sources = drives.iter().map(|drive| places.sources(drive, dt)).collect::<Result<Vec<_>, _>>()?.concat();
        let (mut probes, mut channels) = (Vec::new(), Vec::with_capacity(listeners.len()));
        // Each quantity has all receivers.
        let numbers: Vec<u32> = places.shot.spread.receivers().map(|receiver| receiver.channel).collect();
        for (listener, number) in listeners.iter().zip(numbers.iter().cycle()) {
            let first = probes.len();
            for place in &listener.places {
                probes.push(places.probe(listener.field, place.position, *number)?);
            }
            channels.push((first..).zip(listener.places.iter().map(|place| place.weight)).collect());
        }
        Ok(Self { sources, probes, channels })
    }
}

/// The grid on which sources and receivers of a shot are placed.
struct Places<'a> {
    grid: &'a ElasticGrid,
    cells: &'a ElasticCells,
    shot: &'a Shot,
}

impl Places<'_> {
    /// The position of a source or receiver on the grid.
    ///
    /// # Errors
    /// [`Error::NoGround`], with its name.
    fn placed(&self, given: [f64; 3], field: AcousticField, name: impl Fn() -> String) -> Result<[f64; 3], Error> {
        let component = if let AcousticField::Velocity(axis) = field { Some(axis) } else { None };
        let position = self.grid.on_plane(given, component);
        let place = self.cells.plan.place((&*self.cells.medium, self.grid.model()), position, false);
        place.map(|place| place.position).ok_or_else(|| Error::NoGround { name: name(), position: given })
    }

    /// The points of a source. A monopole is an isotropic moment: the volume that it injects, times ρ vp².
    fn sources(&self, drive: &Drive, dt: f64) -> Result<Vec<PointSource>, Error> {
        let Self { grid, cells, shot } = self;
        let history: History = match drive.field {
            AcousticField::Velocity(_) => drive.history.clone().into(),
            AcousticField::Pressure => twice_integrated(&drive.history, dt).into(),
        };
        let source = |&Placed { position: given, weight }: &Placed| {
            let position = self.placed(given, drive.field, || format!("the source of shot {}", shot.number))?;
            let weight = weight * grid.source_length();
            let mechanism = match drive.field {
                AcousticField::Velocity(axis) => {
                    let mut force = [0.0; 3];
                    force[axis] = weight;
                    SourceMechanism::Force(force)
                }
                AcousticField::Pressure => {
                    let moment = weight * self.speed_at(position).powi(2);
                    SourceMechanism::Moment([moment, moment, moment, 0.0, 0.0, 0.0])
                }
            };
            let interface = cells.plan.solid_interface(grid.model(), position);
            Ok(PointSource { position, mechanism, history: history.clone(), interface })
        };
        drive.places.iter().map(source).collect()
    }

    /// Speed of P waves at a position on the grid [m/s].
    fn speed_at(&self, position: [f64; 3]) -> f64 {
        match *medium_on_grid(self.grid.model(), &self.cells.plan.grid, position).elasticity() {
            Elasticity::Isotropic { vp, .. } => vp,
            _ => unreachable!("the media of a survey are isotropic"),
        }
    }

    /// The probe of a field at a position.
    ///
    /// # Arguments
    /// * `channel` – the number of its receiver
    fn probe(&self, field: AcousticField, given: [f64; 3], channel: u32) -> Result<Probe, Error> {
        let Self { grid, cells, shot } = self;
        let position = self.placed(given, field, || format!("channel {channel} of shot {}", shot.number))?;
        let (position, quantity) = match field {
            AcousticField::Velocity(axis) => (position, ProbeQuantity::Component(axis)),
            AcousticField::Pressure => {
                let ground = (&*cells.medium, grid.model());
                let position = cells.plan.pressure_place(ground, grid.on_plane(given, None), position);
                (position, ProbeQuantity::Pressure)
            }
        };
        Ok(Probe { position, quantity, interface: None })
    }
}

/// Integrates the history of a monopole twice, to the time function of its moment at whole steps. The rate of stress in step n is the sum of the history
/// up to step n, as in the acoustic solver.
fn twice_integrated(history: &[f64], dt: f64) -> Vec<f64> {
    let (mut sum, mut moment) = (0.0, 0.0);
    let next = |&value: &f64| {
        let now = moment;
        sum += dt * value;
        moment += dt * sum;
        now
    };
    history.iter().map(next).collect()
}

/// The samples of channels `[step][channel]` from those of probes `[step][probe]`.
fn summed(samples: &[f32], channels: &[Channel]) -> Vec<f32> {
    let width: usize = channels.iter().map(Vec::len).sum();
    let of_channel = |row: &[f32], channel: &Channel| {
        channel.iter().map(|&(probe, weight)| weight * f64::from(row[probe])).sum::<f64>() as f32
    };
    let rows = samples.chunks_exact(width.max(1));
    rows.flat_map(|row| channels.iter().map(move |channel| of_channel(row, channel))).collect()
}
