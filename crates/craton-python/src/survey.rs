//! Surveys: gathers as arrays.

use std::sync::{Mutex, PoisonError};

use craton::survey::config::Quantity;
use craton::survey::{
    GradientOptions, MisfitKind, Observed, ObservedGather, ObservedInPlace, SurveyGradient, TraceMisfit,
};
use craton::{Cancel, Error, Gather, GatherSink, RunStatus};
use numpy::{IntoPyArray, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::computing::{Event, Events, compute, compute_with, interrupted, options};
use crate::problem::Problem;

/// Shot number, channel numbers, positions of source and receivers, time of the first sample and sample interval, and name of the quantity of an observed gather.
type ObservedHeader<'py> = (u32, Vec<u32>, [f64; 3], PyReadonlyArray2<'py, f64>, [f64; 2], String);

/// An observed gather: its header, or None for an array, and its traces, of one channel after the other, as `craton._inputs.Kept`.
type GatherInPlace<'py> = (Option<ObservedHeader<'py>>, Bound<'py, PyAny>);

/// A survey on its devices.
#[pyclass(frozen, module = "craton._craton")]
pub struct Survey {
    survey: craton::Survey,
    cancel: Cancel,
}

#[pymethods]
impl Survey {
    /// Checks a survey and samples its model.
    #[new]
    #[pyo3(signature = (problem, device=None, devices=None, threads=None))]
    fn new(
        py: Python<'_>,
        problem: &Problem,
        device: Option<&str>,
        devices: Option<i64>,
        threads: Option<i64>,
    ) -> PyResult<Self> {
        let computing = options(device, devices, threads)?;
        let cancel = computing.cancel.clone().unwrap_or_default();
        let survey = compute(py, &cancel, || craton::Survey::with(problem.survey()?, &computing))?;
        Ok(Self { survey, cancel })
    }

    /// Number of shots.
    #[getter]
    fn shots(&self) -> usize {
        self.survey.shots()
    }

    /// Number of samples of a trace.
    #[getter]
    fn samples(&self) -> usize {
        self.survey.samples()
    }

    /// Time of the first sample [s].
    #[getter]
    fn start(&self) -> f64 {
        self.survey.start()
    }

    /// Sample interval of the traces [s].
    #[getter]
    fn sample_interval(&self) -> f64 {
        self.survey.sample_interval()
    }

    /// Warnings about the survey.
    #[getter]
    fn warnings(&self) -> Vec<String> {
        self.survey.warnings().to_vec()
    }

    /// Stops a computation in another thread; the survey cannot compute again.
    fn cancel(&self) {
        self.cancel.cancel();
    }

    /// Computes the shots from index `first` to before `last`, and passes each gather to `gather`.
    #[pyo3(signature = (first, last, gather, progress=None, message=None))]
    fn run(
        &self,
        py: Python<'_>,
        first: usize,
        last: usize,
        gather: &Bound<'_, PyAny>,
        progress: Option<Bound<'_, PyAny>>,
        message: Option<Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        if first > last || last > self.survey.shots() {
            let message = format!("shots {first} to {last} of {}", self.survey.shots());
            return Err(PyIndexError::new_err(message));
        }
        let total = (last - first) as u64;
        let quantity = self.survey.setup().heard.first().map_or_else(String::new, |first| name(*first));
        let work = |mut events| self.survey.run_shots(first..last, &mut events);
        let status = compute_with(py, &self.cancel, work, |event| match event {
            Event::Begin(_, done, _) | Event::Progress(done) => {
                progress.as_ref().map_or(Ok(()), |call| call.call1(("shot", done, total)).map(drop))
            }
            Event::Message(text) => message.as_ref().map_or(Ok(()), |call| call.call1((text,)).map(drop)),
            Event::Result(found) => gather.call1((gather_of(py, &quantity, found)?,)).map(drop),
        })?;
        if status == RunStatus::Complete { Ok(()) } else { Err(interrupted()) }
    }

    /// Misfit between the survey and observed gathers, and its gradient.
    ///
    /// observed: of each gather its header, or None for that of the survey in its order, and its traces.
    #[pyo3(signature = (observed, misfit, density, exact, progress=None, message=None))]
    #[expect(clippy::too_many_arguments, reason = "called by the Python class alone")]
    fn misfit_and_gradient<'py>(
        &self,
        py: Python<'py>,
        observed: Vec<GatherInPlace<'py>>,
        misfit: &str,
        density: bool,
        exact: bool,
        progress: Option<Bound<'py, PyAny>>,
        message: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let misfit = MisfitKind::named(misfit).ok_or_else(|| {
            let names = MisfitKind::ALL.map(|kind| format!("\"{}\"", kind.name()));
            PyValueError::new_err(format!("misfit is one of {}, or a function", names.join(", ")))
        })?;
        let options = GradientOptions { misfit, density, exact };
        let observed = self.observed(observed)?;
        self.warn(message.as_ref())?;
        let work = |mut events: Events<()>| self.survey.misfit_and_gradient(&observed, &options, &mut events);
        let found = compute_with(py, &self.cancel, work, |event| self.report(event, progress.as_ref()))?;
        self.gradient(py, found)
    }

    /// As `misfit_and_gradient`, for a function from a computed gather to its misfit and adjoint source, in double precision and contiguous.
    #[pyo3(signature = (function, density, exact, progress=None, message=None))]
    fn gradient_of_misfit<'py>(
        &self,
        py: Python<'py>,
        function: Py<PyAny>,
        density: bool,
        exact: bool,
        progress: Option<Bound<'py, PyAny>>,
        message: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let options = GradientOptions { density, exact, ..GradientOptions::default() };
        self.warn(message.as_ref())?;
        let (turn, raised) = (Mutex::new(()), Mutex::new(None));
        let misfit = |gather: &Gather| {
            // One call at a time. The lock is taken without the interpreter, which the function may release.
            let _turn = turn.lock().unwrap_or_else(PoisonError::into_inner);
            Python::attach(|py| self.misfit_of(py, &function, gather)).map_err(|error| {
                let text = error.to_string();
                raised.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
                text
            })
        };
        let work = |mut events: Events<()>| self.survey.gradient_of_misfit(&misfit, &options, &mut events);
        let found = compute_with(py, &self.cancel, work, |event| self.report(event, progress.as_ref()));
        if let Some(exception) = raised.lock().unwrap_or_else(PoisonError::into_inner).take() {
            return Err(exception);
        }
        self.gradient(py, found?)
    }
}

impl Survey {
    /// Passes the warnings to a function.
    fn warn(&self, message: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        let Some(call) = message else { return Ok(()) };
        self.survey.warnings().iter().try_for_each(|text| call.call1((text,)).map(drop))
    }

    /// Passes the progress of a gradient to a function.
    fn report(&self, event: Event<()>, progress: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        match (event, progress) {
            (Event::Begin(_, done, _) | Event::Progress(done), Some(call)) => {
                call.call1(("shot", done, self.survey.shots() as u64)).map(drop)
            }
            _ => Ok(()),
        }
    }

    /// The misfit of a gather by a function.
    fn misfit_of(&self, py: Python<'_>, function: &Py<PyAny>, gather: &Gather) -> PyResult<TraceMisfit> {
        let quantity = self.survey.setup().heard.first().map_or_else(String::new, |first| name(*first));
        let found = function.bind(py).call1((gather_of(py, &quantity, gather.clone())?,))?;
        let (misfit, adjoint): (f64, PyReadonlyArray2<'_, f64>) = found.extract()?;
        Ok((misfit, adjoint.as_array().rows().into_iter().map(|row| row.to_vec()).collect()))
    }

    /// A gradient as a dictionary of arrays.
    fn gradient<'py>(&self, py: Python<'py>, found: SurveyGradient) -> PyResult<Bound<'py, PyDict>> {
        let values = PyDict::new(py);
        values.set_item("misfit", found.total.misfit)?;
        values.set_item("misfits", found.misfits)?;
        for (name, shape, gradient) in self.survey.shaped(&found.total.gradient) {
            values.set_item(name, gradient.into_pyarray(py).reshape(shape)?)?;
        }
        Ok(values)
    }

    /// Observed gathers whose traces stay in arrays.
    fn observed(&self, given: Vec<GatherInPlace<'_>>) -> PyResult<impl Observed + use<>> {
        let headers = given.iter().enumerate().map(|(index, given)| self.observed_gather(index, given));
        let headers = headers.collect::<PyResult<Vec<ObservedGather>>>()?;
        let samples = headers.iter().map(|header| header.samples.first().copied().unwrap_or(0));
        let arrays: Vec<(Py<PyAny>, usize)> =
            given.into_iter().zip(samples).map(|((_, array), samples)| (array.unbind(), samples)).collect();
        let read = move |index: usize| {
            let (array, samples) = &arrays[index];
            Python::attach(|py| rows(&array.call0(py)?.into_bound(py), *samples)).map_err(|error| error.to_string())
        };
        Ok(ObservedInPlace::new(headers, read))
    }

    /// An observed gather; without header, that of the survey at this index.
    fn observed_gather(&self, index: usize, (header, array): &GatherInPlace<'_>) -> PyResult<ObservedGather> {
        let setup = self.survey.setup();
        let shots = setup.survey.shots();
        let own = shots.get(index).ok_or_else(|| {
            PyValueError::new_err(format!("the survey has {} shots, but more gathers are observed", shots.len()))
        })?;
        let [count, samples]: [usize; 2] = array.getattr("array")?.getattr("shape")?.extract()?;
        let samples = vec![samples; count];
        let Some((shot, channels, source, receivers, [start, sample_interval], quantity)) = header else {
            let channels: Vec<u32> = own.spread.receivers().map(|receiver| receiver.channel).collect();
            refuse_other_count(index, count, channels.len())?;
            let (shot, source, sample_interval) = (own.number, own.source.centre(), self.survey.sample_interval());
            let start = self.survey.start();
            return Ok(ObservedGather {
                shot,
                source,
                channels,
                receivers: Vec::new(),
                sample_interval,
                start,
                samples,
            });
        };
        let needed = setup.heard.first().map_or_else(String::new, |first| name(*first));
        if *quantity != needed {
            let message = format!("observed gather {index} has {quantity} instead of {needed}");
            return Err(PyValueError::new_err(message));
        }
        refuse_other_count(index, count, channels.len())?;
        Ok(ObservedGather {
            shot: *shot,
            source: *source,
            channels: channels.clone(),
            receivers: receivers.as_array().rows().into_iter().map(|row| [row[0], row[1], row[2]]).collect(),
            sample_interval: *sample_interval,
            start: *start,
            samples,
        })
    }
}

/// Refuses an observed gather with another number of traces than channels.
fn refuse_other_count(index: usize, found: usize, needed: usize) -> PyResult<()> {
    if found == needed {
        return Ok(());
    }
    Err(PyValueError::new_err(format!("observed gather {index} has {found} traces instead of {needed}")))
}

/// Rows of a contiguous array in single precision; the last one is shorter if the array has another number of values.
fn rows(array: &Bound<'_, PyAny>, samples: usize) -> PyResult<Vec<Vec<f32>>> {
    let array: PyReadonlyArray1<'_, f32> = array.extract()?;
    Ok(array.as_slice()?.chunks(samples.max(1)).map(<[f32]>::to_vec).collect())
}

impl GatherSink for Events<Gather> {
    fn gather(&mut self, gather: Gather) -> Result<(), Error> {
        self.send(Event::Result(gather));
        Ok(())
    }
}

/// A gather as a dictionary of arrays.
fn gather_of<'py>(py: Python<'py>, first: &str, gather: Gather) -> PyResult<Bound<'py, PyDict>> {
    let values = PyDict::new(py);
    values.set_item("shot", gather.shot)?;
    values.set_item("source", gather.source.to_vec())?;
    values.set_item("channels", gather.channels.into_pyarray(py))?;
    let receivers = gather.receivers.len();
    let places: Vec<f64> = gather.receivers.into_iter().flatten().collect();
    values.set_item("receivers", places.into_pyarray(py).reshape([receivers, 3])?)?;
    values.set_item("interval", gather.sample_interval)?;
    values.set_item("start", gather.start)?;
    let traces = PyDict::new(py);
    traces.set_item(first, matrix(py, gather.traces)?)?;
    for (quantity, all) in gather.others {
        traces.set_item(name(quantity), matrix(py, all)?)?;
    }
    values.set_item("traces", traces)?;
    Ok(values)
}

/// Traces of equal length as an array `[channel][sample]`.
fn matrix(py: Python<'_>, traces: Vec<Vec<f32>>) -> PyResult<Bound<'_, PyAny>> {
    let shape = [traces.len(), traces.first().map_or(0, Vec::len)];
    Ok(traces.concat().into_pyarray(py).reshape(shape)?.into_any())
}

/// Name of a quantity in the survey file.
fn name(quantity: Quantity) -> String {
    let named = toml::Value::try_from(quantity).ok();
    named.and_then(|name| name.as_str().map(str::to_owned)).unwrap_or_else(|| format!("{quantity:?}"))
}
