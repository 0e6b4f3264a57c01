//! Sums over a layer below a smooth surface as a linear operator, and its transpose.

use craton::{Cancel, Error};
use craton_gravity::{Field, Fields, Isa, Points, SmoothLayer, Workers};
use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;

use crate::computing::{compute, interrupted};
use crate::inputs::{borrowed, numbers};
use crate::operators::{refused, workers};
use crate::prisms::{field, positions, signed_fields, split_weights};

/// Sums of a layer below a smooth surface at points in SI units, as a linear function of the densities of its columns.
#[pyclass(frozen, module = "craton._craton")]
pub struct LayerSums {
    layer: SmoothLayer,
    points: Points,
    fields: Vec<(Field, f64)>,
    workers: Workers,
    isa: Isa,
}

#[pymethods]
impl LayerSums {
    /// Points [x, y, z, ...], grid points along x and y, and heights of the surface and of the bottom, x fastest, in metres; `radius` in columns.
    #[new]
    #[pyo3(signature = (points, x, y, top, bottom, fields, radius=None, threads=None))]
    #[expect(clippy::too_many_arguments, reason = "the arguments of the Python constructor")]
    fn new(
        points: &Bound<'_, PyAny>,
        x: &Bound<'_, PyAny>,
        y: &Bound<'_, PyAny>,
        top: &Bound<'_, PyAny>,
        bottom: &Bound<'_, PyAny>,
        fields: Vec<String>,
        radius: Option<usize>,
        threads: Option<i64>,
    ) -> PyResult<Self> {
        let layer = SmoothLayer::new(numbers(x)?, numbers(y)?, numbers(top)?, borrowed(bottom)?.as_slice()?);
        let layer = layer.map_err(|error| refused(&error))?.within(radius.unwrap_or(usize::MAX));
        let fields = fields.iter().map(|name| field(name)).collect::<PyResult<_>>()?;
        Ok(Self { layer, points: positions(points)?, fields, workers: workers(threads)?, isa: Isa::detect() })
    }

    /// Fields at the points, field by field, for densities [kg/m3].
    fn forward<'py>(&self, py: Python<'py>, density: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let (density, cancel) = (numbers(density)?, Cancel::new());
        let sums = compute(py, &cancel, || {
            let fields: Fields = self.fields.iter().map(|&(field, _)| field).collect();
            let (points, go_on) = (&self.points, || !cancel.is_cancelled());
            Ok::<_, Error>(self.layer.forward_while(&density, points, fields, &self.workers, self.isa, &go_on))
        })?;
        let sums = sums.map_err(|error| refused(&error))?.ok_or_else(interrupted)?;
        Ok(signed_fields(&sums, &self.fields).into_pyarray(py))
    }

    /// The transposed product: one value per column, for weights of the values of `forward`.
    fn transpose<'py>(&self, py: Python<'py>, weights: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let cancel = Cancel::new();
        let weights = split_weights(borrowed(weights)?.as_slice()?, &self.fields, self.points.len())?;
        let weights: Vec<_> = weights.iter().map(|(field, weights)| (*field, &**weights)).collect();
        let product = compute(py, &cancel, || {
            let go_on = || !cancel.is_cancelled();
            Ok::<_, Error>(self.layer.transpose_while(&self.points, &weights, &self.workers, self.isa, &go_on))
        })?;
        Ok(product.map_err(|error| refused(&error))?.ok_or_else(interrupted)?.into_pyarray(py))
    }
}
