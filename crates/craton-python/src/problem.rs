//! The text and the data of a scenario, a survey or a gravity problem.

use std::path::PathBuf;

use craton::gravity::GravityFile;
use craton::options::{CheckOptions, Computing, RunOptions};
use craton::survey::SurveyFile;
use craton::written::{Format, Written};
use craton::{Error, Inputs, Prepared, ResultsFolder, Scenario, ScenarioErrors};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::computing::{compute, options};
use crate::errors::of_scenario;
use crate::inputs::inputs;

/// The format of a problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Scenario,
    Survey,
    Gravity,
}

/// Text of a report, facts and warnings.
type Description = (String, Vec<(&'static str, f64)>, Vec<String>);

/// A scenario, a survey or a gravity problem: TOML text, and data by name.
#[pyclass(frozen, module = "craton._craton")]
pub struct Problem {
    kind: Kind,
    text: String,
    name: String,
    folder: PathBuf,
    overrides: Vec<String>,
    inputs: Inputs,
}

#[pymethods]
impl Problem {
    /// Parses and checks a problem.
    ///
    /// kind: "scenario", "survey" or "gravity"; text: TOML; name: of the file, for messages; folder: to which relative paths refer;
    /// overrides: as given to `--set`; inputs: data by name.
    #[new]
    fn new(
        kind: &str,
        text: String,
        name: String,
        folder: PathBuf,
        overrides: Vec<String>,
        given: &Bound<'_, PyDict>,
    ) -> PyResult<Self> {
        let kind = match kind {
            "scenario" => Kind::Scenario,
            "survey" => Kind::Survey,
            "gravity" => Kind::Gravity,
            _ => return Err(PyValueError::new_err("kind is scenario, survey or gravity")),
        };
        let problem = Self { kind, text, name, folder, overrides, inputs: inputs(given)? };
        problem.check_values().map_err(|errors| of_scenario(&errors))?;
        Ok(problem)
    }

    /// The values with all overrides applied, as TOML.
    fn to_toml(&self) -> PyResult<String> {
        let text = match self.kind {
            Kind::Scenario => self.written::<craton::Config>().map(|written| written.to_toml()),
            Kind::Survey => self.written::<craton::survey::Config>().map(|written| written.to_toml()),
            Kind::Gravity => self.written::<craton::gravity::Config>().map(|written| written.to_toml()),
        };
        text.map_err(|errors| of_scenario(&errors))
    }

    /// Describes the computation: text of the report, facts, warnings.
    #[pyo3(signature = (device=None, devices=None, threads=None))]
    fn check(
        &self,
        py: Python<'_>,
        device: Option<&str>,
        devices: Option<i64>,
        threads: Option<i64>,
    ) -> PyResult<Description> {
        let computing = options(device, devices, threads)?;
        let cancel = computing.cancel.clone().unwrap_or_default();
        compute(py, &cancel, || match self.kind {
            Kind::Scenario => {
                let report = craton::check_scenario(self.scenario()?, &computing)?;
                let facts = vec![
                    ("time_step", report.preflight.time_step.dt),
                    ("steps", report.preflight.time_step.steps as f64),
                    ("points_per_wavelength", report.preflight.resolution.points_per_wavelength),
                    ("resolved_frequency", report.preflight.resolution.resolved_frequency),
                    ("memory", report.preflight.memory.0 as f64),
                    ("disk", report.preflight.disk.0 as f64),
                    ("time_loop", report.time_loop.0),
                ];
                Ok((report.to_string(), facts, report.warnings))
            }
            Kind::Survey => {
                let Computing { device, devices, threads, .. } = computing.clone();
                let options = CheckOptions { device, devices, threads, ..CheckOptions::default() };
                let report = craton::check_given_survey(self.survey()?, &options)?;
                Ok((report.to_string(), Vec::new(), report.warnings))
            }
            Kind::Gravity => {
                let gravity = craton::Gravity::with(self.gravity()?, &computing)?;
                let setup = gravity.setup();
                let bodies = match &setup.sphere {
                    Some(sphere) => format!("{} tesseroids", sphere.tesseroids.len()),
                    None => format!("{} prisms", setup.prisms.len()),
                };
                let text = format!("{bodies}, {} points\n", setup.places.points.len());
                Ok((text, Vec::new(), gravity.warnings().to_vec()))
            }
        })
    }

    /// Computes a survey into a results folder, or continues it; returns the names of the files.
    #[pyo3(signature = (device=None, devices=None, threads=None, overwrite=false))]
    fn survey_into_folder(
        &self,
        py: Python<'_>,
        device: Option<&str>,
        devices: Option<i64>,
        threads: Option<i64>,
        overwrite: bool,
    ) -> PyResult<String> {
        let computing = options(device, devices, threads)?;
        let cancel = computing.cancel.clone().unwrap_or_default();
        let Computing { device, devices, threads, cancel: flag, .. } = computing;
        let options = RunOptions { device, devices, threads, overwrite, cancel: flag, ..RunOptions::default() };
        let report = compute(py, &cancel, || craton::given_survey(self.survey()?, &options))?;
        Ok(report.to_string())
    }
}

impl Problem {
    fn written<C: Format>(&self) -> Result<Written<C>, ScenarioErrors> {
        let (folder, inputs) = (self.folder.clone(), self.inputs.clone());
        Written::with_inputs(&self.name, &self.text, folder, &self.overrides, inputs)
    }

    fn check_values(&self) -> Result<(), ScenarioErrors> {
        match self.kind {
            Kind::Scenario => self.written::<craton::Config>().map(drop),
            Kind::Survey => self.written::<craton::survey::Config>().map(drop),
            Kind::Gravity => self.written::<craton::gravity::Config>().map(drop),
        }
    }

    /// The scenario.
    pub fn scenario(&self) -> Result<Scenario, Error> {
        Ok(self.written()?)
    }

    /// The survey.
    pub fn survey(&self) -> Result<SurveyFile, Error> {
        Ok(self.written()?)
    }

    /// The gravity problem.
    pub fn gravity(&self) -> Result<GravityFile, Error> {
        Ok(self.written()?)
    }

    /// Opens the results folder of a prepared scenario.
    pub fn results(
        prepared: &Prepared,
        directory: Option<PathBuf>,
        overwrite: bool,
    ) -> Result<Option<ResultsFolder>, Error> {
        directory.map(|directory| ResultsFolder::create(prepared, directory, overwrite)).transpose()
    }
}
