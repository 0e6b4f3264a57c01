//! Surveys for calling programs: gathers in arrays.
//!
//! ```
//! use craton::config::VolumeAxis::{Depth, X};
//! use craton::survey::SurveyFile;
//! use craton::{Given, Inputs, Survey};
//!
//! let speeds = (0..41 * 81).map(|point| if point % 41 < 20 { 1500.0 } else { 2000.0 }).collect();
//! let inputs = Inputs::new()
//!     .with("vp", Given::volume(&[(Depth, 0.0, 10.0, 41), (X, 0.0, 10.0, 81)], speeds)?)
//!     .with("shots", Given::table([("shot", vec![1.0, 2.0]), ("x", vec![200.0, 400.0]), ("y", vec![0.0; 2]), ("depth", vec![20.0; 2])]))
//!     .with("receivers", Given::table([("channel", vec![1.0, 2.0]), ("x", vec![300.0, 600.0]), ("y", vec![0.0; 2]), ("depth", vec![20.0; 2])]));
//! let survey = SurveyFile::from_toml(r#"
//!     duration = 0.5
//!     model.volume.velocity.file = "vp"
//!     acquisition.tables = { shots = "shots", receivers = "receivers" }
//!     source.time_function.ricker.frequency = 8.0
//!     method.fd.max_frequency = 20.0
//!     output = { directory = "unused", sample_interval = 0.004 }
//! "#, ".", inputs)?;
//! let survey = Survey::new(survey)?;
//! let gather = survey.gather(0)?;
//! assert_eq!((gather.shot, gather.traces.len(), gather.traces[0].len()), (1, 2, 126));
//! # Ok::<(), craton::Error>(())
//! ```

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, sync_channel};
use std::sync::{Mutex, PoisonError};

use craton_acquisition::survey::Shot;
use craton_device::Workers;
use craton_run::{Cancel, Room, RunStatus};

use super::SurveyFile;
use super::config::Quantity;
use super::frames::Frames;
use super::grid::{Grids, Window};
use super::setup::Setup;
use super::shot_devices::{Computer, ShotDevices};
use super::shots::{Engine, Recording, Shots, Trouble};
use super::time_axis::{Clock, TimeAxis};
use crate::error::{Error, SurveyError};
use crate::options::Computing;
use crate::simulation::{Watch, Work};

/// A survey of a calling program, whose shots all devices compute together.
pub struct Survey {
    pub(super) setup: Setup,
    pub(super) devices: ShotDevices,
    pub(super) grids: Grids,
    pub(super) clock: Clock,
    /// Empty: only surveys with a results folder have frames.
    frames: Frames,
    cancel: Cancel,
}

/// The gather of a shot.
#[derive(Debug, Clone, PartialEq)]
pub struct Gather {
    /// Number of the shot.
    pub shot: u32,
    /// Centre of the source: x, y, z [m].
    pub source: [f64; 3],
    /// The channels, in the order of the traces.
    pub channels: Vec<u32>,
    /// Centre of each channel's receivers: x, y, z [m].
    pub receivers: Vec<[f64; 3]>,
    /// Sample interval [s].
    pub sample_interval: f64,
    /// Time of the first sample [s]: 0, or before the peak of the wavelet with `output.time_zero = "peak"`.
    pub start: f64,
    /// Traces of the first quantity in `receivers.quantities`, `[channel][sample]`.
    pub traces: Vec<Vec<f32>>,
    /// Traces of each other quantity.
    pub others: Vec<(Quantity, Vec<Vec<f32>>)>,
}

impl Gather {
    /// The gather of a shot.
    pub(super) fn new(
        shot: &Shot,
        axis: &TimeAxis,
        traces: Vec<Vec<f32>>,
        others: Vec<(Quantity, Vec<Vec<f32>>)>,
    ) -> Self {
        Self {
            shot: shot.number,
            source: shot.source.centre(),
            channels: shot.spread.receivers().map(|receiver| receiver.channel).collect(),
            receivers: shot.spread.receivers().map(|receiver| receiver.array.centre()).collect(),
            sample_interval: axis.interval,
            start: axis.first(),
            traces,
            others,
        }
    }
}

/// Receives the gathers of a survey.
pub trait GatherSink: Watch {
    /// Receives the gather of a shot.
    ///
    /// # Errors
    /// An error of the sink, which ends the run.
    fn gather(&mut self, gather: Gather) -> Result<(), Error>;
}

impl Watch for Vec<Gather> {}

/// Stores all gathers.
impl GatherSink for Vec<Gather> {
    fn gather(&mut self, gather: Gather) -> Result<(), Error> {
        self.push(gather);
        Ok(())
    }
}

impl Survey {
    /// Checks a survey, reads its input, and samples its model; the survey selects the devices.
    ///
    /// # Errors
    /// Any problem of the survey or its data, insufficient memory, or a missing device.
    pub fn new(survey: SurveyFile) -> Result<Self, Error> {
        Self::with(survey, &Computing::default())
    }

    /// As [`new`](Self::new), with other devices or a cancellation flag.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn with(survey: SurveyFile, computing: &Computing) -> Result<Self, Error> {
        let mut setup = Setup::new(&survey)?;
        computing.apply_to(&mut setup.device, &mut setup.devices, &mut setup.threads)?;
        let mut devices = ShotDevices::find(&setup, &craton_comm::Solo)?;
        devices.without_additional_cores();
        let workers = Workers::new(Some(devices.threads()))?;
        let room = Room::look(devices.threads(), devices.processes());
        let grids = Grids::new(&setup, &workers, &room)?;
        grids.check().map_err(|problem| survey.refuse(vec![*problem]))?;
        setup.warnings.extend(grids.warnings(&setup));
        if let Some((largest, channels)) = largest_of(&grids, setup.survey.shots(), setup.heard.len()) {
            setup.warnings.extend(devices.fit(&grids, &largest, channels, room.of_each()));
        }
        let clock = Clock::new(&grids.axis, &setup.sent, setup.amplitude)?;
        let frames = Frames::new(&setup, &grids, &[]);
        let cancel = computing.cancel.clone().unwrap_or_default();
        Ok(Self { setup, devices, grids, clock, frames, cancel })
    }

    /// The checked survey.
    pub fn setup(&self) -> &Setup {
        &self.setup
    }

    /// Warnings for the user.
    pub fn warnings(&self) -> &[String] {
        &self.setup.warnings
    }

    /// Number of shots.
    pub fn shots(&self) -> usize {
        self.setup.survey.shots().len()
    }

    /// Number of samples of a trace.
    pub fn samples(&self) -> usize {
        self.grids.axis.samples
    }

    /// Time of the first sample [s].
    pub fn start(&self) -> f64 {
        self.grids.axis.first()
    }

    /// Sample interval of the traces [s].
    pub fn sample_interval(&self) -> f64 {
        self.grids.axis.interval
    }

    /// Computes the gather of a shot.
    ///
    /// # Arguments
    /// * `index` – index of the shot in the survey, from 0
    /// # Errors
    /// A field that is no longer finite, a failing device, or [`SurveyError::Stopped`] after a cancellation.
    /// # Panics
    /// If the index is out of range.
    pub fn gather(&self, index: usize) -> Result<Gather, Error> {
        let mut gathers = Vec::new();
        self.compute(index..index + 1, &mut gathers)?;
        gathers.pop().ok_or_else(|| SurveyError::Stopped.into())
    }

    /// Computes all shots and passes each gather to a sink.
    ///
    /// # Errors
    /// As [`gather`](Self::gather) except for a cancellation, or an error of the sink.
    pub fn run(&self, sink: &mut dyn GatherSink) -> Result<RunStatus, Error> {
        self.run_shots(0..self.shots(), sink)
    }

    /// As [`run`](Self::run), for some of the shots.
    ///
    /// # Arguments
    /// * `range` – indices of the shots in the survey, from 0
    /// # Errors
    /// As [`run`](Self::run).
    /// # Panics
    /// If the range exceeds the number of shots.
    pub fn run_shots(&self, range: Range<usize>, sink: &mut dyn GatherSink) -> Result<RunStatus, Error> {
        let shots = range.len();
        let points = self.setup.survey.shots()[range.clone()]
            .iter()
            .map(|shot| self.grids.points(&self.grids.window(shot)) as f64);
        let units = ("points", points.sum::<f64>() / shots.max(1) as f64 * self.grids.axis.steps as f64);
        sink.begin(&Work { piece: "shot", first: 0, total: shots as u64, times: None, units });
        sink.message(&format!("computing on {}", self.devices.name()));
        self.warnings().iter().for_each(|warning| sink.message(&format!("warning: {warning}")));
        self.compute(range, sink)
    }

    /// The input of the shots.
    pub(super) fn all_shots(&self) -> Shots<'_> {
        Shots {
            grids: &self.grids,
            clock: &self.clock,
            source: self.setup.source,
            quantities: &self.setup.heard,
            frames: &self.frames,
            folder: None,
            cancel: &self.cancel,
            halt: AtomicBool::new(false),
        }
    }

    fn compute(&self, range: Range<usize>, sink: &mut dyn GatherSink) -> Result<RunStatus, Error> {
        let all = &self.setup.survey.shots()[range];
        let shots = self.all_shots();
        let Some((largest, channels)) = largest_of(&self.grids, all, self.setup.heard.len()) else {
            return Ok(RunStatus::Complete);
        };
        let needed = self.devices.bytes(&self.grids, &largest, channels);
        Room::look(self.devices.threads(), self.devices.processes()).require_of_each(needed)?;
        let computers = self.devices.computers(&shots, &largest, channels)?;
        let at_once = computers.iter().map(|computer| computer.engine.at_once()).max().unwrap_or(1);
        let groups = Mutex::new(self.groups(all, at_once.min(all.len().div_ceil(computers.len()))).enumerate());
        std::thread::scope(|scope| {
            let (sender, receiver) = sync_channel(computers.len());
            for mut computer in computers {
                let (groups, sender, halt) = (&groups, sender.clone(), &shots.halt);
                scope.spawn(move || {
                    let next = || groups.lock().unwrap_or_else(PoisonError::into_inner).next();
                    while let Some((number, group)) = next() {
                        let gathers = self.computed(&mut computer, group);
                        let is_last = !matches!(gathers, Ok(Some(_)));
                        // The receiver has ended after an error.
                        if sender.send((number, gathers)).is_err() || is_last || halt.load(Ordering::Relaxed) {
                            return;
                        }
                    }
                });
            }
            drop(sender);
            let status = in_order(receiver, sink);
            // After an error, the other computers stop.
            shots.halt();
            status
        })
    }

    /// The gathers of a group; `None` after a cancellation.
    fn computed(&self, computer: &mut Computer, group: &[Shot]) -> Result<Option<Vec<Gather>>, Error> {
        let Some(recordings) = concurrently(&mut *computer.engine, group, &self.grids)? else { return Ok(None) };
        let gathers = || -> Result<Vec<Gather>, Error> {
            group.iter().zip(&recordings).map(|(shot, recording)| self.gather_of(shot, recording)).collect()
        };
        computer.finishers.run(gathers).map(Some)
    }

    /// Groups of at most `at_once` consecutive shots with the same window.
    fn groups<'a>(&self, shots: &'a [Shot], at_once: usize) -> impl Iterator<Item = &'a [Shot]> + Send {
        let has_same_window = |a: &Shot, b: &Shot| self.grids.window(a) == self.grids.window(b);
        let of_windows: Vec<&[Shot]> = shots.chunk_by(has_same_window).collect();
        of_windows.into_iter().flat_map(move |shots| shots.chunks(at_once.max(1)))
    }

    /// Makes the gather of a shot from its recording.
    fn gather_of(&self, shot: &Shot, recording: &[f32]) -> Result<Gather, Error> {
        let (channels, quantities) = (shot.spread.len(), &self.setup.heard);
        let traces = |(number, quantity): (usize, &Quantity)| {
            let own = number * channels..(number + 1) * channels;
            let traces = self.clock.traces((recording, quantities.len() * channels), own, quantity.is_velocity())?;
            Ok((*quantity, traces))
        };
        let made: Result<Vec<_>, craton_numerics::NumericsError> = quantities.iter().enumerate().map(traces).collect();
        let mut made = made?.into_iter();
        let (_, first) = made.next().expect("a survey records a quantity");
        Ok(Gather::new(shot, &self.grids.axis, first, made.collect()))
    }
}

/// The window with the most points and the largest number of recorded channels; `None` without shots.
fn largest_of(grids: &Grids, shots: &[Shot], quantities: usize) -> Option<(Window, usize)> {
    let largest = shots.iter().map(|shot| grids.window(shot)).max_by_key(|window| grids.points(window))?;
    Some((largest, quantities * shots.iter().map(|shot| shot.spread.len()).max().unwrap_or(0)))
}

/// Gathers of groups by number, as they are computed.
type Computed = (usize, Result<Option<Vec<Gather>>, Error>);

/// Passes gathers to a sink in the order of the survey.
fn in_order(computed: Receiver<Computed>, sink: &mut dyn GatherSink) -> Result<RunStatus, Error> {
    let (mut early, mut next, mut done) = (BTreeMap::new(), 0, 0);
    for (number, gathers) in computed {
        let Some(gathers) = gathers? else { return Ok(RunStatus::Interrupted) };
        early.insert(number, gathers);
        while let Some(gathers) = early.remove(&next) {
            next += 1;
            done += gathers.len() as u64;
            gathers.into_iter().try_for_each(|gather| sink.gather(gather))?;
            sink.progress(done);
        }
    }
    Ok(RunStatus::Complete)
}

/// Computes shots with the same window; `None` after a cancellation.
fn concurrently(engine: &mut dyn Engine, shots: &[Shot], grids: &Grids) -> Result<Option<Vec<Recording>>, Error> {
    let window = grids.window(&shots[0]);
    match engine.compute(&shots.iter().collect::<Vec<_>>(), &window) {
        Ok(outcomes) => outcomes.into_iter().collect::<Result<_, _>>().map(Some),
        Err(Trouble::Stopped) => Ok(None),
        Err(Trouble::Shots(error) | Trouble::Device(error) | Trouble::Output(error)) => Err(error),
    }
}
