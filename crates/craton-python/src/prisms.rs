//! Sums over prisms as a linear operator: from densities to fields at points, and its transpose.

use craton::{Cancel, Error};
use craton_gravity::{Field, Fields, Gravity, Isa, Points, Prism, Prisms, Workers, forward_while, transpose_while};
use numpy::{IntoPyArray, PyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::computing::{compute, interrupted};
use crate::errors::CratonError;
use crate::inputs::borrowed;
use crate::operators::workers;

/// Exact sums of prisms at points in SI units, as a linear function of the densities.
#[pyclass(frozen, module = "craton._craton")]
pub struct PrismSums {
    prisms: Prisms,
    points: Points,
    fields: Vec<(Field, f64)>,
    workers: Workers,
    isa: Isa,
}

#[pymethods]
impl PrismSums {
    /// Points [x, y, z, x, ...] and prisms [west, east, south, north, bottom, top, west, ...] in metres; fields: names such as "g_d".
    #[new]
    #[pyo3(signature = (points, prisms, fields, threads=None))]
    fn new(
        points: &Bound<'_, PyAny>,
        prisms: &Bound<'_, PyAny>,
        fields: Vec<String>,
        threads: Option<i64>,
    ) -> PyResult<Self> {
        let (points, prisms) = (positions(points)?, faces(prisms)?);
        let fields = fields.iter().map(|name| field(name)).collect::<PyResult<_>>()?;
        Ok(Self { prisms, points, fields, workers: workers(threads)?, isa: Isa::detect() })
    }

    /// Fields at the points, field by field, for densities [kg/m3].
    fn forward<'py>(&self, py: Python<'py>, density: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let cancel = Cancel::new();
        let mut prisms = self.prisms.clone();
        prisms.set_density(borrowed(density)?.as_slice()?).map_err(|error| PyValueError::new_err(error.to_string()))?;
        let sums = compute(py, &cancel, || {
            let fields: Fields = self.fields.iter().map(|&(field, _)| field).collect();
            let go_on = || !cancel.is_cancelled();
            Ok::<_, Error>(forward_while(&prisms, &self.points, fields, &self.workers, self.isa, &go_on))
        })?;
        Ok(signed_fields(&sums.ok_or_else(interrupted)?, &self.fields).into_pyarray(py))
    }

    /// The transposed product: one value per prism, for weights of the values of `forward`.
    fn transpose<'py>(&self, py: Python<'py>, weights: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let cancel = Cancel::new();
        let weights = split_weights(borrowed(weights)?.as_slice()?, &self.fields, self.points.len())?;
        let weights: Vec<_> = weights.iter().map(|(field, weights)| (*field, &**weights)).collect();
        let product = compute(py, &cancel, || {
            let go_on = |_| !cancel.is_cancelled();
            Ok::<_, Error>(transpose_while(&self.prisms, &self.points, &weights, &self.workers, self.isa, &go_on))
        })?;
        let product = product.map_err(|error| CratonError::new_err(error.to_string()))?;
        Ok(product.ok_or_else(interrupted)?.into_pyarray(py))
    }
}

/// Points from their coordinates [x, y, z, x, ...].
pub fn positions(points: &Bound<'_, PyAny>) -> PyResult<Points> {
    let points = borrowed(points)?;
    let points = Points::new(points.as_slice()?.chunks_exact(3).map(|point| [point[0], point[1], point[2]]));
    points.map_err(|error| CratonError::new_err(error.to_string()))
}

/// Prisms without density from their faces [west, east, south, north, bottom, top, west, ...].
pub fn faces(prisms: &Bound<'_, PyAny>) -> PyResult<Prisms> {
    let prisms = borrowed(prisms)?;
    let prism = |faces: &[f64]| Prism {
        west: faces[0],
        east: faces[1],
        south: faces[2],
        north: faces[3],
        bottom: faces[4],
        top: faces[5],
        density: 0.0,
    };
    Prisms::new(prisms.as_slice()?.chunks_exact(6).map(prism)).map_err(|error| CratonError::new_err(error.to_string()))
}

/// The values of fields times their signs, field by field.
pub fn signed_fields(gravity: &Gravity, fields: &[(Field, f64)]) -> Vec<f64> {
    let of_field = |&(field, sign): &(Field, f64)| {
        let values = gravity.get(field).expect("a computed field");
        values.iter().map(move |value| sign * value)
    };
    fields.iter().flat_map(of_field).collect()
}

/// The weights of each field times its sign.
pub fn split_weights(weights: &[f64], fields: &[(Field, f64)], count: usize) -> PyResult<Vec<(Field, Vec<f64>)>> {
    if weights.len() != count * fields.len() {
        let message = format!("{} weights for {} fields at {count} points", weights.len(), fields.len());
        return Err(PyValueError::new_err(message));
    }
    let signed = |(part, &(field, sign)): (&[f64], &(Field, f64))| {
        (field, part.iter().map(|weight| sign * weight).collect::<Vec<f64>>())
    };
    Ok(weights.chunks(count.max(1)).zip(fields).map(signed).collect())
}

/// The field of a name, and its sign: names may point down.
pub fn field(name: &str) -> PyResult<(Field, f64)> {
    Ok(match name {
        "potential" => (Field::Potential, 1.0),
        "g_e" => (Field::East, 1.0),
        "g_n" => (Field::North, 1.0),
        "g_u" => (Field::Up, 1.0),
        "g_d" => (Field::Up, -1.0),
        "g_ee" => (Field::EastEast, 1.0),
        "g_en" => (Field::EastNorth, 1.0),
        "g_eu" => (Field::EastUp, 1.0),
        "g_ed" => (Field::EastUp, -1.0),
        "g_nn" => (Field::NorthNorth, 1.0),
        "g_nu" => (Field::NorthUp, 1.0),
        "g_nd" => (Field::NorthUp, -1.0),
        "g_uu" | "g_dd" => (Field::UpUp, 1.0),
        _ => {
            let message = format!(
                "{name:?} is not a linear field: potential, g_e, g_n, g_u, g_d, g_ee, g_en, g_eu, g_ed, g_nn, g_nu, g_nd, g_uu or g_dd"
            );
            return Err(PyValueError::new_err(message));
        }
    })
}
