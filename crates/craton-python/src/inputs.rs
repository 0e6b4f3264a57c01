//! Arrays and texts of the calling program instead of files.

use std::sync::Arc;

use craton::config::VolumeAxis;
use craton::{Given, Inputs};
use numpy::{PyArray1, PyArrayMethods, PyReadonlyArray1};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple, PyType};

use crate::errors::exception;

/// Data instead of a file, copied when it is created, and shared by all problems that use it.
#[pyclass(frozen, eq, module = "craton._craton")]
#[derive(PartialEq)]
pub struct Data(Arc<Given>);

#[pymethods]
impl Data {
    /// Copies data: the kind, and the parts of this kind, as `craton/_inputs.py` makes them.
    #[new]
    #[pyo3(signature = (*parts))]
    fn new(parts: &Bound<'_, PyTuple>) -> PyResult<Self> {
        Ok(Self(Arc::new(given(parts)?)))
    }

    /// For `pickle`: the class and its arguments.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyType>, Bound<'py, PyTuple>)> {
        Ok((py.get_type::<Self>(), parts(py, &self.0)?))
    }
}

/// Converts a dictionary from names to data.
pub fn inputs(given: &Bound<'_, PyDict>) -> PyResult<Inputs> {
    given.iter().try_fold(Inputs::new(), |inputs, (name, data)| {
        let data = Arc::clone(&data.cast::<Data>()?.get().0);
        Ok(inputs.with(name.extract::<String>()?, data))
    })
}

/// Axis of a volume: name, first coordinate, spacing, number of points.
type NamedAxis = (String, f64, f64, usize);

fn given(parts: &Bound<'_, PyTuple>) -> PyResult<Given> {
    let kind: String = parts.get_item(0)?.extract()?;
    let part = |index: usize| parts.get_item(index);
    match &*kind {
        "volume" => {
            let axes: Vec<NamedAxis> = part(1)?.extract()?;
            let axes = axes.into_iter().map(|(name, first, spacing, count)| Ok((axis(&name)?, first, spacing, count)));
            let axes: Vec<_> = axes.collect::<PyResult<_>>()?;
            Given::volume(&axes, part(2)?.extract::<PyReadonlyArray1<f32>>()?.as_slice()?.to_vec())
                .map_err(|error| exception(&error))
        }
        "surface" => Ok(Given::surface(numbers(&part(1)?)?, numbers(&part(2)?)?, numbers(&part(3)?)?)),
        "table" => {
            let columns = part(1)?;
            let columns = columns.cast::<PyDict>()?.iter();
            let columns: Vec<_> = columns
                .map(|(name, values)| Ok((name.extract::<String>()?, numbers(&values)?)))
                .collect::<PyResult<_>>()?;
            Ok(Given::table(columns))
        }
        "samples" => Ok(Given::Samples {
            start: part(1)?.extract()?,
            interval: part(2)?.extract()?,
            values: numbers(&part(3)?)?,
        }),
        "receivers" => Ok(Given::Receivers(part(1)?.extract()?)),
        "text" => Ok(Given::Text(part(1)?.extract()?)),
        other => Err(PyTypeError::new_err(format!("unknown kind of data: {other}"))),
    }
}

/// The kind and the parts of data, from which [`given`] makes them again.
fn parts<'py>(py: Python<'py>, given: &Given) -> PyResult<Bound<'py, PyTuple>> {
    let array = |values: &[f64]| PyArray1::from_slice(py, values);
    match given {
        Given::Volume(volume) => {
            // Volumes call the height of a point so, as messages do.
            let name = |label: &str| if label == "height" { "z".to_owned() } else { label.to_owned() };
            let axes = volume.axes().iter();
            let axes: Vec<NamedAxis> =
                axes.map(|axis| (name(&axis.label), axis.origin, axis.spacing, axis.count)).collect();
            ("volume", axes, PyArray1::from_slice(py, volume.values())).into_pyobject(py)
        }
        Given::Surface(grid) => ("surface", array(&grid.x), array(&grid.y), array(&grid.values)).into_pyobject(py),
        Given::Table(columns) => {
            let all = PyDict::new(py);
            columns.iter().try_for_each(|(name, values)| all.set_item(name, array(values)))?;
            ("table", all).into_pyobject(py)
        }
        Given::Samples { start, interval, values } => ("samples", *start, *interval, array(values)).into_pyobject(py),
        Given::Receivers(receivers) => ("receivers", receivers.clone()).into_pyobject(py),
        Given::Text(text) => ("text", text).into_pyobject(py),
        _ => Err(PyTypeError::new_err("data of a kind that cannot be copied")),
    }
}

/// The values of a contiguous array of doubles.
pub fn numbers(array: &Bound<'_, PyAny>) -> PyResult<Vec<f64>> {
    Ok(array.cast::<PyArray1<f64>>()?.try_readonly()?.as_slice()?.to_vec())
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
