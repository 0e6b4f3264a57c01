//! Arrays and texts of the calling program instead of files.

use std::io;
use std::ops::Range;
use std::sync::Arc;

use craton::config::VolumeAxis;
use craton::{Given, GivenNumbers, Inputs};
use numpy::{PyArray1, PyArrayMethods, PyReadonlyArray1};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PySlice, PyTuple, PyType};

use crate::errors::exception;

/// Largest number of values of a volume that Python converts at a time, unless a plane of points has more.
const BLOCK: usize = 1 << 20;

/// Data instead of a file, shared by all problems that use it. Arrays stay in Python.
#[pyclass(frozen, module = "craton._craton")]
pub struct Data {
    given: Arc<Given>,
    /// The kind and its parts.
    parts: Py<PyTuple>,
}

#[pymethods]
impl Data {
    /// Takes data: the kind, and the parts of this kind, as `craton/_inputs.py` makes them.
    #[new]
    #[pyo3(signature = (*parts))]
    fn new(parts: &Bound<'_, PyTuple>) -> PyResult<Self> {
        Ok(Self { given: Arc::new(given(parts)?), parts: parts.clone().unbind() })
    }

    /// Whether all values are equal.
    fn __eq__(&self, py: Python<'_>, other: &Self) -> PyResult<bool> {
        py.detach(|| match (&*self.given, &*other.given) {
            (Given::Volume(own), Given::Volume(others)) => own.is_same(others).map_err(raised),
            (own, others) => Ok(own == others),
        })
    }

    /// For `pickle`: the class and its arguments.
    fn __reduce__<'py>(&self, py: Python<'py>) -> (Bound<'py, PyType>, Bound<'py, PyTuple>) {
        (py.get_type::<Self>(), self.parts.bind(py).clone())
    }
}

/// Converts a dictionary from names to data.
pub fn inputs(given: &Bound<'_, PyDict>) -> PyResult<Inputs> {
    given.iter().try_fold(Inputs::new(), |inputs, (name, data)| {
        let data = Arc::clone(&data.cast::<Data>()?.get().given);
        Ok(inputs.with(name.extract::<String>()?, data))
    })
}

/// Axis of a volume: name, first coordinate, spacing, number of points.
type NamedAxis = (String, f64, f64, usize);

/// The exception of Python in an error.
fn raised(error: io::Error) -> PyErr {
    let text = error.to_string();
    let inner = error.into_inner().and_then(|inner| inner.downcast::<PyErr>().ok());
    inner.map_or_else(|| PyValueError::new_err(text), |exception| *exception)
}

/// Values of the points of an array within a range along each dimension, the last dimension first.
///
/// # Arguments
/// * `array` – `craton._inputs.Kept`, which converts a part of an array
fn window(array: &Bound<'_, PyAny>, ranges: &[Range<usize>]) -> PyResult<Vec<f32>> {
    let py = array.py();
    let mut values = Vec::with_capacity(ranges.iter().map(ExactSizeIterator::len).product());
    let Some((slowest, others)) = ranges.split_last() else { return Ok(values) };
    let slice = |range: &Range<usize>| PySlice::new(py, range.start as isize, range.end as isize, 1);
    let layer: usize = others.iter().map(ExactSizeIterator::len).product();
    let layers = (BLOCK / layer.max(1)).max(1);
    for first in slowest.clone().step_by(layers) {
        let block = first..(first + layers).min(slowest.end);
        let index: Vec<_> = std::iter::once(&block).chain(others.iter().rev()).map(slice).collect();
        let part: PyReadonlyArray1<'_, f32> = array.call1((PyTuple::new(py, index)?,))?.extract()?;
        values.extend_from_slice(part.as_slice()?);
    }
    Ok(values)
}

fn given(parts: &Bound<'_, PyTuple>) -> PyResult<Given> {
    let kind: String = parts.get_item(0)?.extract()?;
    let part = |index: usize| parts.get_item(index);
    match &*kind {
        "volume" => {
            let axes: Vec<NamedAxis> = part(1)?.extract()?;
            let axes = axes.into_iter().map(|(name, first, spacing, count)| Ok((axis(&name)?, first, spacing, count)));
            let axes: Vec<_> = axes.collect::<PyResult<_>>()?;
            let array = part(2)?.unbind();
            let read = move |ranges: &[Range<usize>]| {
                Python::attach(|py| window(array.bind(py), ranges)).map_err(io::Error::other)
            };
            Given::volume_in_place(&axes, read).map_err(|error| exception(&error))
        }
        "surface" => Ok(Given::surface(numbers(&part(1)?)?, numbers(&part(2)?)?, kept(&part(3)?)?)),
        "table" => {
            let columns = part(1)?;
            let columns = columns.cast::<PyDict>()?.iter();
            let columns: Vec<_> = columns
                .map(|(name, values)| Ok((name.extract::<String>()?, kept(&values)?)))
                .collect::<PyResult<_>>()?;
            Ok(Given::table(columns))
        }
        "samples" => Ok(Given::samples(part(1)?.extract()?, part(2)?.extract()?, kept(&part(3)?)?)),
        "receivers" => Ok(Given::Receivers(part(1)?.extract()?)),
        "text" => Ok(Given::Text(part(1)?.extract()?)),
        other => Err(PyTypeError::new_err(format!("unknown kind of data: {other}"))),
    }
}

/// Numbers that stay in an array.
///
/// # Arguments
/// * `array` – `craton._inputs.Kept`
fn kept(array: &Bound<'_, PyAny>) -> PyResult<GivenNumbers> {
    let count = array.getattr("array")?.getattr("size")?.extract()?;
    let array = array.clone().unbind();
    let read = move || Python::attach(|py| numbers(&array.call0(py)?.into_bound(py))).map_err(io::Error::other);
    Ok(GivenNumbers::in_place(count, read))
}

/// A contiguous array of doubles, whose values are read while this thread holds Python's lock.
pub fn borrowed<'py>(array: &Bound<'py, PyAny>) -> PyResult<PyReadonlyArray1<'py, f64>> {
    Ok(array.cast::<PyArray1<f64>>()?.try_readonly()?)
}

/// The values of a contiguous array of doubles.
pub fn numbers(array: &Bound<'_, PyAny>) -> PyResult<Vec<f64>> {
    Ok(borrowed(array)?.as_slice()?.to_vec())
}

fn axis(name: &str) -> PyResult<VolumeAxis> {
    match name {
        "x" => Ok(VolumeAxis::X),
        "y" => Ok(VolumeAxis::Y),
        "z" => Ok(VolumeAxis::Z),
        "depth" => Ok(VolumeAxis::Depth),
        _ => Err(PyTypeError::new_err(format!("unknown axis: {name}"))),
    }
}
