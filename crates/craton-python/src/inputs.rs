//! Arrays and texts of the calling program instead of files.

use std::collections::BTreeMap;

use craton::config::VolumeAxis;
use craton::{Given, Inputs};
use numpy::{PyArray1, PyArrayMethods, PyReadonlyArray1};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use crate::errors::exception;

/// Converts a dictionary from names to data: a tuple with the kind and the arrays of each, as `craton/_inputs.py` makes them.
pub fn inputs(given: &Bound<'_, PyDict>) -> PyResult<Inputs> {
    given.iter().try_fold(Inputs::new(), |inputs, (name, data)| {
        Ok(inputs.with(name.extract::<String>()?, given_data(data.cast::<PyTuple>()?)?))
    })
}

fn given_data(data: &Bound<'_, PyTuple>) -> PyResult<Given> {
    let kind: String = data.get_item(0)?.extract()?;
    let part = |index: usize| data.get_item(index);
    match &*kind {
        "volume" => {
            let axes: Vec<(String, f64, f64, usize)> = part(1)?.extract()?;
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
        "receivers" => {
            let positions: BTreeMap<usize, (String, [f64; 3])> =
                part(1)?.extract::<Vec<(String, [f64; 3])>>()?.into_iter().enumerate().collect();
            Ok(Given::Receivers(positions.into_values().collect()))
        }
        "text" => Ok(Given::Text(part(1)?.extract()?)),
        other => Err(PyTypeError::new_err(format!("unknown kind of data: {other}"))),
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
