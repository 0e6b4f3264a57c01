//! Gravity problems: fields at points as arrays.

use craton::Gravity;
use numpy::IntoPyArray;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::computing::{Event, Events, compute_with, options};
use crate::problem::Problem;

/// Computes a gravity problem; returns the unit and the values of each column by its field.
#[pyfunction]
#[pyo3(signature = (problem, device=None, devices=None, threads=None, progress=None, message=None))]
pub fn compute_gravity<'py>(
    py: Python<'py>,
    problem: &Problem,
    device: Option<&str>,
    devices: Option<i64>,
    threads: Option<i64>,
    progress: Option<Bound<'py, PyAny>>,
    message: Option<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let computing = options(device, devices, threads)?;
    let cancel = computing.cancel.clone().unwrap_or_default();
    let mut total = 0;
    let work = |mut events: Events<()>| {
        let gravity = Gravity::with(problem.gravity()?, &computing)?;
        gravity.compute_watched(&mut events)
    };
    let columns = compute_with(py, &cancel, work, |event| match event {
        Event::Begin(_, _, last) => {
            total = last;
            Ok(())
        }
        Event::Progress(done) => progress.as_ref().map_or(Ok(()), |call| call.call1(("piece", done, total)).map(drop)),
        Event::Message(text) => message.as_ref().map_or(Ok(()), |call| call.call1((text,)).map(drop)),
        Event::Result(()) => Ok(()),
    })?;
    let values = PyDict::new(py);
    for column in columns {
        let name = toml::Value::try_from(column.quantity).ok().and_then(|name| name.as_str().map(str::to_owned));
        values.set_item(name.unwrap_or(column.name), (column.unit, column.values.into_pyarray(py)))?;
    }
    Ok(values)
}
