//! Python values as TOML, and back.

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};
use toml::{Table, Value};

/// Writes a dictionary of plain values as TOML.
#[pyfunction]
pub fn to_toml(values: &Bound<'_, PyDict>) -> PyResult<String> {
    let table = table(values, "")?;
    toml::to_string(&table).map_err(|error| PyValueError::new_err(error.to_string()))
}

/// Reads TOML as a dictionary of plain values.
#[pyfunction]
pub fn from_toml<'py>(py: Python<'py>, text: &str) -> PyResult<Bound<'py, PyDict>> {
    let table: Table = text.parse().map_err(|error: toml::de::Error| PyValueError::new_err(error.to_string()))?;
    dictionary(py, table)
}

fn table(values: &Bound<'_, PyDict>, path: &str) -> PyResult<Table> {
    let mut table = Table::new();
    for (key, item) in values.iter() {
        let key: String = key
            .extract()
            .map_err(|_| PyTypeError::new_err(format!("{path}: keys are strings, not {}", key.get_type())))?;
        let inner = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
        // None leaves a key out.
        if !item.is_none() {
            table.insert(key, value(&item, &inner)?);
        }
    }
    Ok(table)
}

fn value(item: &Bound<'_, PyAny>, path: &str) -> PyResult<Value> {
    if let Ok(boolean) = item.cast::<PyBool>() {
        return Ok(Value::Boolean(boolean.is_true()));
    }
    if item.cast::<PyInt>().is_ok() {
        let number = item.extract::<i64>();
        return number.map(Value::Integer).map_err(|_| PyValueError::new_err(format!("{path} = {item} is too large")));
    }
    if item.cast::<PyFloat>().is_ok() {
        return Ok(Value::Float(item.extract()?));
    }
    if item.cast::<PyString>().is_ok() {
        return Ok(Value::String(item.extract()?));
    }
    if let Ok(inner) = item.cast::<PyDict>() {
        return table(inner, path).map(Value::Table);
    }
    if item.cast::<PyList>().is_ok() || item.cast::<PyTuple>().is_ok() {
        let items = item.try_iter()?.enumerate().map(|(index, item)| value(&item?, &format!("{path}[{index}]")));
        return items.collect::<PyResult<_>>().map(Value::Array);
    }
    let message = format!("{path}: a value of type {} cannot be part of a scenario here", item.get_type().name()?);
    Err(PyTypeError::new_err(message))
}

fn dictionary(py: Python<'_>, table: Table) -> PyResult<Bound<'_, PyDict>> {
    let values = PyDict::new(py);
    for (key, item) in table {
        values.set_item(key, object(py, item)?)?;
    }
    Ok(values)
}

fn object(py: Python<'_>, value: Value) -> PyResult<Bound<'_, PyAny>> {
    Ok(match value {
        Value::String(text) => PyString::new(py, &text).into_any(),
        Value::Integer(number) => number.into_pyobject(py)?.into_any(),
        Value::Float(number) => PyFloat::new(py, number).into_any(),
        Value::Boolean(boolean) => PyBool::new(py, boolean).to_owned().into_any(),
        Value::Datetime(time) => PyString::new(py, &time.to_string()).into_any(),
        Value::Array(items) => {
            let items = items.into_iter().map(|item| object(py, item)).collect::<PyResult<Vec<_>>>()?;
            PyList::new(py, items)?.into_any()
        }
        Value::Table(table) => dictionary(py, table)?.into_any(),
    })
}
