//! A scenario on its way to the devices.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use craton_comm::Ranks;
use craton_device::Workers;
use craton_model::Medium;

use super::Simulation;
use crate::comm::together;
use crate::error::Error;
use crate::options::Computing;
use crate::pipeline::{DiscreteEarth, Placed, PlacementReport, Preflight, Session, Started, alone};
use crate::setup::Setup;
use crate::time_axis::TimeAxis;
use crate::written::Scenario;

/// A scenario discretised by its method, on all ranks.
pub(crate) struct Discrete {
    session: Session,
    workers: Arc<Workers>,
    /// The Earth.
    pub earth: DiscreteEarth,
}

impl Discrete {
    /// Discretises a scenario; a collective operation.
    ///
    /// # Errors
    /// Insufficient memory, a model that cannot be discretised, or an unstable time step.
    pub fn new(mut session: Session) -> Result<Self, Error> {
        let workers = Arc::new(Workers::new(session.setup.threads)?);
        let earth = session.discretised(&workers)?;
        session.setup.warnings.extend(earth.preflight.warnings());
        Ok(Self { session, workers, earth })
    }

    /// Locates sources and receivers; a collective operation.
    ///
    /// # Errors
    /// A position that cannot be located.
    pub fn place(self) -> Result<Prepared, Error> {
        let Self { mut session, workers, earth: DiscreteEarth { earth, axis, preflight } } = self;
        let begun = Instant::now();
        let placed = earth.place(&session.setup, &axis);
        session.stages.add("sources and receivers", begun.elapsed().as_secs_f64());
        let (placed, PlacementReport { media, warnings }) = together(&*session.ranks, placed)?;
        session.setup.warnings.extend(warnings);
        Ok(Prepared { session, workers, placed, axis, preflight, media })
    }
}

/// A discretised scenario with its sources and receivers, before its transfer to the devices.
pub struct Prepared {
    pub(crate) session: Session,
    workers: Arc<Workers>,
    placed: Box<dyn Placed>,
    axis: TimeAxis,
    pub(super) preflight: Preflight,
    media: Vec<Medium>,
}

impl Prepared {
    /// Checks a scenario, reads its input, and discretises it.
    ///
    /// # Errors
    /// Any problem of the scenario or its data, insufficient memory, or a missing device.
    pub fn new(scenario: Scenario, computing: &Computing) -> Result<Self, Error> {
        Self::of(Session::of(scenario, computing, &alone())?)
    }

    /// Discretises the scenario of an interrupted run with the same data and time step, for [`ResultsFolder::resume`](super::ResultsFolder::resume).
    ///
    /// # Arguments
    /// * `directory` – the results folder of the run
    /// # Errors
    /// As [`new`](Self::new); a folder without an unfinished run, or data that have changed since.
    pub fn resumed(scenario: Scenario, computing: &Computing, directory: &Path) -> Result<Self, Error> {
        Self::of(Session::of(scenario, computing, &alone())?.resuming(directory)?)
    }

    /// Discretises the scenario of a session; a collective operation.
    pub(crate) fn of(session: Session) -> Result<Self, Error> {
        Discrete::new(session)?.place()
    }

    /// The checked scenario.
    pub fn setup(&self) -> &Setup {
        &self.session.setup
    }

    /// Description of the run.
    pub fn preflight(&self) -> &Preflight {
        &self.preflight
    }

    /// The ranks of the run.
    pub(crate) fn ranks(&self) -> &Arc<dyn Ranks> {
        &self.session.ranks
    }

    /// Transfers the scenario to the devices; a collective operation.
    fn on_devices(mut self) -> Result<(OnDevices, Box<dyn Started>), Error> {
        let begun = Instant::now();
        let started = self.placed.start(&self.session.device, &self.axis, self.workers);
        self.session.stages.add("operator", begun.elapsed().as_secs_f64());
        let started = together(&*self.session.ranks, started)?;
        Ok((
            OnDevices { session: self.session, axis: self.axis, preflight: self.preflight, media: self.media },
            started,
        ))
    }

    /// Transfers the scenario to the devices. All ranks call it; on the first, it returns the simulation, and on the
    /// others, it serves the simulation until its end and returns `None`.
    ///
    /// # Errors
    /// Insufficient device memory, kernels that are not supported, or a slice that does not intersect the Earth.
    pub fn start(self) -> Result<Option<Simulation>, Error> {
        let (OnDevices { session, axis, preflight, media }, started) = self.on_devices()?;
        if !session.ranks.is_root() {
            started.serve()?;
            return Ok(None);
        }
        let marching = started.begin(&session.setup, &axis, session.scenario_hash)?;
        Ok(Some(Simulation { session, axis, preflight, media, marching, marched: 0 }))
    }

    /// Expected time of the run, measured with a few of its steps.
    pub(crate) fn measured(self) -> Result<(Session, Preflight, craton_run::Seconds), Error> {
        let (OnDevices { session, axis, preflight, .. }, mut started) = self.on_devices()?;
        let seconds = started.seconds(&axis).map_err(|error| error.with_place(&session.setup.frame))?;
        Ok((session, preflight, seconds))
    }
}

/// The remainder of [`Prepared`] after the transfer to the devices.
struct OnDevices {
    session: Session,
    axis: TimeAxis,
    preflight: Preflight,
    media: Vec<Medium>,
}
