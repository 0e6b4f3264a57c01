//! Simulations: steps, results in arrays, checkpoints, results folders.

use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, TryLockError};

use craton::traces::Trace;
use craton::{
    Cancel, Error, Frame, Memory, Prepared, ResultsFolder, RunStatus, Setup, Sink, State, Values, Watch, Work,
};
use numpy::{IntoPyArray, PyArray1, PyArrayMethods};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::computing::{Event, Events, compute, compute_with, interrupted, options};
use crate::problem::Problem;

/// A simulation on its devices, from step 0 to its end.
#[pyclass(frozen, module = "craton._craton")]
pub struct Simulation {
    held: Mutex<Held>,
    cancel: Cancel,
}

struct Held {
    simulation: craton::Simulation,
    folder: Option<ResultsFolder>,
}

/// The state of a simulation at a step.
#[pyclass(frozen, module = "craton._craton")]
pub struct Checkpoint(craton::Checkpoint);

#[pymethods]
impl Checkpoint {
    /// Number of completed steps.
    #[getter]
    fn step(&self) -> u64 {
        self.0.step()
    }

    /// A copy of an array by its name; None if there is none.
    fn array<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Option<Bound<'py, PyAny>>> {
        let Some((values, shape)) = self.0.array(name).zip(self.0.shape(name)) else { return Ok(None) };
        Ok(Some(match values {
            Values::Single(values) => PyArray1::from_slice(py, values).reshape(shape)?.into_any(),
            Values::Double(values) => PyArray1::from_slice(py, values).reshape(shape)?.into_any(),
        }))
    }

    /// Names of the arrays.
    #[getter]
    fn names(&self) -> Vec<String> {
        self.0.names().map(str::to_owned).collect()
    }
}

#[pymethods]
impl Simulation {
    /// Checks a scenario, discretises it, and transfers it to the devices.
    #[new]
    #[pyo3(signature = (problem, device=None, devices=None, threads=None, directory=None, overwrite=false))]
    fn new(
        py: Python<'_>,
        problem: &Problem,
        device: Option<&str>,
        devices: Option<i64>,
        threads: Option<i64>,
        directory: Option<PathBuf>,
        overwrite: bool,
    ) -> PyResult<Self> {
        let computing = options(device, devices, threads)?;
        let cancel = computing.cancel.clone().unwrap_or_default();
        let held = compute(py, &cancel, || {
            let prepared = Prepared::new(problem.scenario()?, &computing)?;
            let folder = Problem::results(&prepared, directory, overwrite)?;
            let simulation = prepared.start()?.expect("a single process is the first rank");
            Ok(Held { simulation, folder })
        })?;
        Ok(Self { held: Mutex::new(held), cancel })
    }

    /// Number of completed steps.
    #[getter]
    fn step(&self) -> PyResult<u64> {
        Ok(self.held()?.simulation.step())
    }

    /// Total number of steps.
    #[getter]
    fn steps(&self) -> PyResult<u64> {
        Ok(self.held()?.simulation.steps())
    }

    /// Time step [s].
    #[getter]
    fn time_step(&self) -> PyResult<f64> {
        Ok(self.held()?.simulation.time_step())
    }

    /// Simulated time [s].
    #[getter]
    fn time(&self) -> PyResult<f64> {
        Ok(self.held()?.simulation.time())
    }

    /// Codes of the receivers.
    #[getter]
    fn receivers(&self) -> PyResult<Vec<String>> {
        Ok(self.held()?.simulation.receivers().collect())
    }

    /// Warnings about the scenario.
    #[getter]
    fn warnings(&self) -> PyResult<Vec<String>> {
        Ok(self.held()?.simulation.warnings().to_vec())
    }

    /// The device.
    #[getter]
    fn device(&self) -> PyResult<String> {
        Ok(self.held()?.simulation.preflight().device.clone())
    }

    /// Times of the stages [s], by name.
    #[getter]
    fn stages<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let stages = PyDict::new(py);
        for stage in self.held()?.simulation.stages().iter() {
            stages.set_item(&stage.name, stage.seconds)?;
        }
        Ok(stages)
    }

    /// Advances by a number of steps, at most to the end; returns the number of completed steps.
    fn advance(&self, py: Python<'_>, steps: u64) -> PyResult<u64> {
        let mut held = self.held()?;
        let simulation = &mut held.simulation;
        compute(py, &self.cancel, || simulation.advance(steps))
    }

    /// The seismograms of the complete simulation.
    fn traces<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let traces = {
            let mut held = self.held()?;
            let simulation = &mut held.simulation;
            compute(py, &self.cancel, move || simulation.traces())?
        };
        trace_list(py, traces)
    }

    /// Saves the state.
    fn checkpoint(&self, py: Python<'_>) -> PyResult<Checkpoint> {
        let mut held = self.held()?;
        let simulation = &mut held.simulation;
        compute(py, &self.cancel, || simulation.checkpoint()).map(Checkpoint)
    }

    /// Restores a state of the same scenario.
    fn restore(&self, py: Python<'_>, checkpoint: &Checkpoint) -> PyResult<()> {
        let mut held = self.held()?;
        let simulation = &mut held.simulation;
        compute(py, &self.cancel, || simulation.restore(&checkpoint.0))
    }

    /// Runs to the end; returns the traces.
    ///
    /// progress: called with the name, the number of completed pieces and their total; message: called with a text; snapshot: called with
    /// a frame.
    fn run<'py>(
        &self,
        py: Python<'py>,
        progress: Option<Bound<'py, PyAny>>,
        message: Option<Bound<'py, PyAny>>,
        snapshot: Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyList>> {
        let (mut piece, mut total) = ("step", 0);
        let (traces, status) = {
            let mut held = self.held()?;
            let Held { simulation, folder } = &mut *held;
            let work = |events| {
                let mut recorder = Recorder { events, folder: folder.as_mut(), traces: Vec::new() };
                let status = simulation.run(&mut recorder)?;
                Ok((recorder.traces, status))
            };
            compute_with(py, &self.cancel, work, |event| match event {
                Event::Begin(name, first, last) => {
                    (piece, total) = (name, last);
                    progress.as_ref().map_or(Ok(()), |call| call.call1((piece, first, total)).map(drop))
                }
                Event::Progress(done) => {
                    progress.as_ref().map_or(Ok(()), |call| call.call1((piece, done, total)).map(drop))
                }
                Event::Message(text) => message.as_ref().map_or(Ok(()), |call| call.call1((text,)).map(drop)),
                Event::Result(frame) => snapshot.call1((frame_of(py, frame)?,)).map(drop),
            })?
        };
        match status {
            RunStatus::Complete => trace_list(py, traces),
            _ => Err(interrupted()),
        }
    }
}

impl Simulation {
    fn held(&self) -> PyResult<MutexGuard<'_, Held>> {
        self.held.try_lock().map_err(|error| {
            PyRuntimeError::new_err(match error {
                TryLockError::WouldBlock => "the simulation is in use by another thread",
                TryLockError::Poisoned(_) => "the simulation failed unexpectedly",
            })
        })
    }
}

/// Passes results to Python and to a results folder.
struct Recorder<'a> {
    events: Events<craton::Snapshot>,
    folder: Option<&'a mut ResultsFolder>,
    traces: Vec<Trace>,
}

impl Watch for Recorder<'_> {
    fn begin(&mut self, work: &Work) {
        self.events.begin(work);
    }

    fn progress(&mut self, done: u64) {
        self.events.progress(done);
    }

    fn message(&mut self, text: &str) {
        self.events.message(text);
    }
}

impl Recorder<'_> {
    fn with_folder(&mut self, call: impl FnOnce(&mut ResultsFolder) -> Result<(), Error>) -> Result<(), Error> {
        self.folder.as_mut().map_or(Ok(()), |folder| call(folder))
    }
}

impl Sink for Recorder<'_> {
    fn start(&mut self, simulation: &craton::Simulation) -> Result<(), Error> {
        self.with_folder(|folder| folder.start(simulation))
    }

    fn snapshot(&mut self, frame: &Frame) -> Result<(), Error> {
        self.with_folder(|folder| folder.snapshot(frame))?;
        let mut memory = Memory::new();
        memory.snapshot(frame)?;
        memory.snapshots.into_iter().for_each(|snapshot| self.events.send(Event::Result(snapshot)));
        Ok(())
    }

    fn wants_checkpoints(&self) -> bool {
        self.folder.is_some()
    }

    fn checkpoint(&mut self, state: &mut dyn State) -> Result<(), Error> {
        self.with_folder(|folder| folder.checkpoint(state))
    }

    fn traces(&mut self, setup: &Setup, traces: &[Trace]) -> Result<(), Error> {
        self.traces = traces.to_vec();
        self.with_folder(|folder| folder.traces(setup, traces))
    }

    fn finish(&mut self, simulation: &craton::Simulation) -> Result<(), Error> {
        self.with_folder(|folder| folder.finish(simulation))
    }

    fn ended(&mut self, simulation: &craton::Simulation, outcome: Result<RunStatus, &Error>) -> Result<(), Error> {
        self.with_folder(|folder| folder.ended(simulation, outcome))
    }
}

/// Traces as dictionaries, each with its samples and their description.
fn trace_list(py: Python<'_>, traces: Vec<Trace>) -> PyResult<Bound<'_, PyList>> {
    let traces = traces.into_iter().map(|trace| {
        let values = PyDict::new(py);
        values.set_item("station", &trace.name.station)?;
        values.set_item("codes", trace.seed_codes().to_vec())?;
        values.set_item("quantity", trace.name.quantity.map(|quantity| format!("{quantity:?}").to_lowercase()))?;
        values.set_item("component", &trace.name.component)?;
        values.set_item("unit", trace.unit())?;
        values.set_item("start", trace.start)?;
        values.set_item("interval", trace.dt)?;
        values.set_item("position", trace.position.map(|position| position.to_vec()))?;
        values.set_item("offset", trace.offset)?;
        let situation = &trace.situation;
        values.set_item("longitude", situation.station.map(|place| place.degrees[0]))?;
        values.set_item("latitude", situation.station.map(|place| place.degrees[1]))?;
        let date = situation.zero.map(|zero| (zero.year, zero.month, zero.day, zero.hour, zero.minute, zero.second));
        values.set_item("zero", date)?;
        values.set_item("samples", trace.samples.into_pyarray(py))?;
        Ok(values)
    });
    PyList::new(py, traces.collect::<PyResult<Vec<_>>>()?)
}

/// A frame of snapshots as a dictionary of arrays.
fn frame_of(py: Python<'_>, frame: craton::Snapshot) -> PyResult<Bound<'_, PyDict>> {
    let values = PyDict::new(py);
    values.set_item("series", frame.series)?;
    values.set_item("time", frame.time)?;
    values.set_item("shape", frame.shape.map(|shape| shape.to_vec()))?;
    values.set_item("points", frame.points.into_iter().flatten().collect::<Vec<f64>>().into_pyarray(py))?;
    values.set_item("corners", frame.corners.into_pyarray(py))?;
    for (key, fields) in [("at_points", frame.at_points), ("in_cells", frame.in_cells)] {
        let all = PyDict::new(py);
        for field in fields {
            let shown = field.shown();
            let values = field.values().to_vec().into_pyarray(py);
            all.set_item(shown.name(), (shown.unit(), shown.components(), values))?;
        }
        values.set_item(key, all)?;
    }
    Ok(values)
}
