//! Sums over tesseroids and magnetised prisms as linear operators, and their transposes.

use craton::{Cancel, Error};
use craton_gravity::{
    Ellipsoid, Field, Fields, GravityError, Isa, MagneticField, MagneticFields, Magnetisation, Points, Prisms,
    Stations, Tesseroid, Tesseroids, Workers, magnetic_forward_while, magnetic_transpose_while,
};
use numpy::{IntoPyArray, PyArray1};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;

use crate::computing::{compute, interrupted, most_threads, number};
use crate::errors::CratonError;
use crate::inputs::borrowed;
use crate::prisms::{faces, field, positions, signed_fields, split_weights};

/// The exception for an error of the library.
pub fn refused(error: &GravityError) -> PyErr {
    CratonError::new_err(error.to_string())
}

/// The threads of an operator.
pub fn workers(threads: Option<i64>) -> PyResult<Workers> {
    let threads = number("threads", threads, most_threads())?;
    Workers::new(threads).map_err(|error| PyRuntimeError::new_err(error.to_string()))
}

/// Sums of tesseroids at stations in SI units, as a linear function of the densities.
#[pyclass(frozen, module = "craton._craton")]
pub struct TesseroidSums {
    /// With a density of one, or on an ellipsoid with the factor that keeps the mass.
    tesseroids: Tesseroids,
    stations: Stations,
    fields: Vec<(Field, f64)>,
    workers: Workers,
    isa: Isa,
}

#[pymethods]
impl TesseroidSums {
    /// Stations [longitude, latitude, height, ...] and cells [west, east, south, north, bottom, top, ...] in degrees and metres; heights are
    /// above a sphere with a radius, or above `ellipsoid`.
    #[new]
    #[pyo3(signature = (stations, cells, fields, radius, ellipsoid=None, threads=None))]
    fn new(
        stations: &Bound<'_, PyAny>,
        cells: &Bound<'_, PyAny>,
        fields: Vec<String>,
        radius: f64,
        ellipsoid: Option<&str>,
        threads: Option<i64>,
    ) -> PyResult<Self> {
        let (stations, cells) = (borrowed(stations)?, borrowed(cells)?);
        let ellipsoid = match ellipsoid {
            None => None,
            Some("grs80") => Some(Ellipsoid::GRS80),
            Some("wgs84") => Some(Ellipsoid::WGS84),
            Some(name) => return Err(PyValueError::new_err(format!("ellipsoid = {name:?}: grs80 or wgs84"))),
        };
        let surface = if ellipsoid.is_some() { 0.0 } else { radius };
        let cell = |faces: &[f64]| Tesseroid {
            west: faces[0],
            east: faces[1],
            south: faces[2],
            north: faces[3],
            bottom: surface + faces[4],
            top: surface + faces[5],
            density: 1.0,
            gradient: 0.0,
        };
        let cells = cells.as_slice()?.chunks_exact(6).map(cell);
        let places = stations.as_slice()?.chunks_exact(3).map(|place| [place[0], place[1], surface + place[2]]);
        let (tesseroids, stations) = match &ellipsoid {
            Some(ellipsoid) => (Tesseroids::geodetic(cells, ellipsoid), Stations::geodetic(places, ellipsoid)),
            None => (Tesseroids::new(cells), Stations::new(places)),
        };
        let (tesseroids, stations) =
            (tesseroids.map_err(|error| refused(&error))?, stations.map_err(|error| refused(&error))?);
        let fields = fields.iter().map(|name| field(name)).collect::<PyResult<_>>()?;
        Ok(Self { tesseroids, stations, fields, workers: workers(threads)?, isa: Isa::detect() })
    }

    /// Fields at the stations, field by field, for densities [kg/m3].
    fn forward<'py>(&self, py: Python<'py>, density: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let (density, cancel) = (borrowed(density)?, Cancel::new());
        let density = density.as_slice()?;
        if density.len() != self.tesseroids.len() {
            let message = format!("{} densities for {} tesseroids", density.len(), self.tesseroids.len());
            return Err(PyValueError::new_err(message));
        }
        let of = |(number, value): (usize, &f64)| {
            let unit = self.tesseroids.get(number);
            Tesseroid { density: value * unit.density, ..unit }
        };
        let made = Tesseroids::new(density.iter().enumerate().map(of)).map_err(|error| refused(&error))?;
        let sums = compute(py, &cancel, || {
            let fields: Fields = self.fields.iter().map(|&(field, _)| field).collect();
            let go_on = || !cancel.is_cancelled();
            Ok::<_, Error>(made.forward_while(&self.stations, fields, 0.0, &self.workers, self.isa, &go_on))
        })?;
        Ok(signed_fields(&sums.ok_or_else(interrupted)?, &self.fields).into_pyarray(py))
    }

    /// The transposed product: one value per tesseroid, for weights of the values of `forward`.
    fn transpose<'py>(&self, py: Python<'py>, weights: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let cancel = Cancel::new();
        let weights = split_weights(borrowed(weights)?.as_slice()?, &self.fields, self.stations.points().len())?;
        let weights: Vec<_> = weights.iter().map(|(field, weights)| (*field, &**weights)).collect();
        let product = compute(py, &cancel, || {
            let go_on = || !cancel.is_cancelled();
            let (stations, isa) = (&self.stations, self.isa);
            Ok::<_, Error>(self.tesseroids.transpose_while(stations, &weights, &self.workers, isa, &go_on))
        })?;
        let mut product = product.map_err(|error| refused(&error))?.ok_or_else(interrupted)?;
        for (number, value) in product.iter_mut().enumerate() {
            *value *= self.tesseroids.get(number).density;
        }
        Ok(product.into_pyarray(py))
    }
}

/// Sums of magnetised prisms at points in SI units, as a linear function of the magnetisation.
#[pyclass(frozen, module = "craton._craton")]
pub struct MagneticSums {
    prisms: Prisms,
    points: Points,
    /// The coefficients of all magnetic components for each row of fields.
    rows: Vec<[f64; 9]>,
    workers: Workers,
    isa: Isa,
}

impl MagneticSums {
    fn components(&self) -> MagneticFields {
        let has_gradient = self.rows.iter().any(|row| row[3..].iter().any(|&value| value != 0.0));
        if has_gradient { MagneticFields::WithGradient } else { MagneticFields::FluxDensity }
    }
}

#[pymethods]
impl MagneticSums {
    /// Points [x, y, z, ...] and prisms [west, east, south, north, bottom, top, ...] in metres; nine coefficients for each field, of B along
    /// east, north and up, and of its gradient ee, en, eu, nn, nu, uu.
    #[new]
    #[pyo3(signature = (points, prisms, coefficients, threads=None))]
    fn new(
        points: &Bound<'_, PyAny>,
        prisms: &Bound<'_, PyAny>,
        coefficients: &Bound<'_, PyAny>,
        threads: Option<i64>,
    ) -> PyResult<Self> {
        let rows = borrowed(coefficients)?.as_slice()?.as_chunks::<9>().0.to_vec();
        let (points, prisms) = (positions(points)?, faces(prisms)?);
        Ok(Self { prisms, points, rows, workers: workers(threads)?, isa: Isa::detect() })
    }

    /// Fields at the points, field by field, for magnetisations [A/m]: all components along east, then north, then up.
    fn forward<'py>(&self, py: Python<'py>, vectors: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let (vectors, cancel, count) = (borrowed(vectors)?, Cancel::new(), self.prisms.len());
        let vectors = vectors.as_slice()?;
        if vectors.len() != 3 * count {
            return Err(PyValueError::new_err(format!("{} values for {count} vectors", vectors.len())));
        }
        let components = [0, 1, 2].map(|axis| vectors[axis * count..(axis + 1) * count].to_vec());
        let magnetisation = Magnetisation::new(components).map_err(|error| refused(&error))?;
        let sums = compute(py, &cancel, || {
            let (prisms, points, fields, isa) = (&self.prisms, &self.points, self.components(), self.isa);
            let go_on = || !cancel.is_cancelled();
            Ok::<_, Error>(magnetic_forward_while(prisms, &magnetisation, points, fields, &self.workers, isa, &go_on))
        })?;
        let all = sums.map_err(|error| refused(&error))?.ok_or_else(interrupted)?;
        let of_row = |row: &[f64; 9]| {
            let mut values = vec![0.0; self.points.len()];
            for (field, &factor) in MagneticField::ALL.into_iter().zip(row).filter(|(_, factor)| **factor != 0.0) {
                let of = all.get(field).expect("a computed component");
                values.iter_mut().zip(of).for_each(|(value, of)| *value += factor * of);
            }
            values
        };
        Ok(self.rows.iter().flat_map(of_row).collect::<Vec<f64>>().into_pyarray(py))
    }

    /// The transposed product: three values per prism, in the order of the vectors, for weights of the values of `forward`.
    fn transpose<'py>(&self, py: Python<'py>, weights: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let (weights, cancel, count) = (borrowed(weights)?, Cancel::new(), self.points.len());
        let weights = weights.as_slice()?;
        if weights.len() != count * self.rows.len() {
            let message = format!("{} weights for {} fields at {count} points", weights.len(), self.rows.len());
            return Err(PyValueError::new_err(message));
        }
        let of_component = |(number, field): (usize, MagneticField)| {
            let at = |point: usize| {
                self.rows.iter().enumerate().map(|(row, of)| of[number] * weights[row * count + point]).sum()
            };
            let is_used = self.rows.iter().any(|row| row[number] != 0.0);
            is_used.then(|| (field, (0..count).map(at).collect::<Vec<f64>>()))
        };
        let weights: Vec<_> = MagneticField::ALL.into_iter().enumerate().filter_map(of_component).collect();
        let weights: Vec<_> = weights.iter().map(|(field, weights)| (*field, &**weights)).collect();
        let product = compute(py, &cancel, || {
            let go_on = |_| !cancel.is_cancelled();
            let (prisms, points, isa) = (&self.prisms, &self.points, self.isa);
            Ok::<_, Error>(magnetic_transpose_while(prisms, points, &weights, &self.workers, isa, &go_on))
        })?;
        let product = product.map_err(|error| refused(&error))?.ok_or_else(interrupted)?;
        Ok(product.concat().into_pyarray(py))
    }
}
