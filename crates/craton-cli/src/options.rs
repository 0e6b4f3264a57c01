//! Conversion of command-line arguments to options of the library.

use craton::config::SeismogramFormat;
use craton::error::ProcessError;
use craton::options::{
    CheckOptions, CompareOptions, GraphPartitioner, MeshOptions, PlotKind, PlotOptions, ResumeOptions, RunOptions,
};
use craton::process::{MapPlan, ProcessingPlan};

use craton::{Cancel, ProgressMode};

use crate::arguments::{Check, Compare, Computing, Form, Gravity, Kind, Mesh, Plot, Process, Resume, Run};
use crate::map_operations::MapOperations;
use crate::survey_arguments::Survey;

/// The partitioner of meshes, if the program was built with it.
#[cfg(feature = "metis")]
const PARTITIONER: Option<GraphPartitioner> = Some(GraphPartitioner(craton_metis::metis_partition));
#[cfg(not(feature = "metis"))]
const PARTITIONER: Option<GraphPartitioner> = None;

/// How progress is shown.
fn shown(quiet: bool) -> Option<ProgressMode> {
    (!quiet).then_some(ProgressMode::Auto)
}

impl Computing {
    /// The options of a run with these changes of its file.
    fn run_options(&self, overrides: Vec<String>, quiet: bool, cancel: &Cancel) -> RunOptions {
        let (device, progress, cancel) = (self.device.clone(), shown(quiet), Some(cancel.clone()));
        let Self { devices, threads, .. } = *self;
        let more = RunOptions { partitioner: PARTITIONER, ..RunOptions::default() };
        RunOptions { overrides, device, devices, threads, progress, cancel, ..more }
    }
}

impl Run {
    /// The options of the library.
    pub fn options(&self, cancel: &Cancel) -> RunOptions {
        let overrides = self.scenario.overrides.clone();
        RunOptions { overwrite: self.overwrite, ..self.computing.run_options(overrides, self.quiet, cancel) }
    }
}

impl Survey {
    /// The options of the library.
    pub fn options(&self, cancel: &Cancel) -> RunOptions {
        let Self { overwrite, retry_failed, quiet, .. } = *self;
        let reproducible = self.reproducible.then(|| "compute.reproducible=true".to_owned());
        let overrides = self.survey.overrides.iter().cloned().chain(reproducible).collect();
        RunOptions { overwrite, retry_failed, ..self.computing.run_options(overrides, quiet, cancel) }
    }
}

impl Gravity {
    /// The options of the library.
    pub fn options(&self, cancel: &Cancel) -> RunOptions {
        let overrides = self.problem.overrides.clone();
        RunOptions { overwrite: self.overwrite, ..self.computing.run_options(overrides, self.quiet, cancel) }
    }
}

impl Check {
    /// The options of the library.
    pub fn options(&self) -> CheckOptions {
        let Computing { device, devices, threads } = &self.computing;
        let overrides = self.scenario.overrides.clone();
        let (device, partitioner) = (device.clone(), PARTITIONER);
        CheckOptions { overrides, device, devices: *devices, threads: *threads, partitioner }
    }
}

impl Mesh {
    /// The options of the library.
    pub fn options(&self) -> MeshOptions {
        MeshOptions { overrides: self.scenario.overrides.clone(), directory: self.output.clone() }
    }
}

impl Resume {
    /// The options of the library.
    pub fn options(&self, cancel: &Cancel) -> ResumeOptions {
        let Computing { device, devices, threads } = &self.computing;
        let more = (shown(self.quiet), Some(cancel.clone()), PARTITIONER);
        let (device, devices, threads, (progress, cancel, partitioner)) = (device.clone(), *devices, *threads, more);
        ResumeOptions { device, devices, threads, progress, cancel, partitioner }
    }
}

impl Compare {
    /// The options of the library.
    pub fn options(&self) -> CompareOptions {
        let Self { limit, lowpass, window, amplify, .. } = *self;
        CompareOptions { lowpass, window, limit, picture: self.picture.clone(), amplify }
    }
}

impl Process {
    /// The plan of the library.
    pub fn plan(&self) -> ProcessingPlan {
        let format = self.format.map(|form| match form {
            Form::Sac => SeismogramFormat::Sac,
            Form::Text => SeismogramFormat::Text,
            Form::Specfem => SeismogramFormat::Specfem,
            Form::Miniseed => SeismogramFormat::Miniseed,
        });
        ProcessingPlan { operations: self.operations.0.clone(), format, overwrite: self.overwrite }
    }
}

impl Process {
    /// The plan of the library for maps; `None` if the operations are those of seismograms.
    ///
    /// # Errors
    /// Operations of both kinds.
    pub fn map_plan(&self) -> Result<Option<MapPlan>, ProcessError> {
        let MapOperations { operations, edges, variable } = self.map_operations.clone();
        if operations.is_empty() {
            return Ok(None);
        }
        if !self.operations.0.is_empty() || self.format.is_some() {
            return Err(ProcessError::BothKinds);
        }
        Ok(Some(MapPlan { operations, edges, variable, overwrite: self.overwrite }))
    }
}

impl Plot {
    /// The options of the library.
    pub fn options(&self) -> PlotOptions {
        let kind = match self.kind {
            Kind::Section => PlotKind::Section,
            Kind::Traces => PlotKind::Traces,
            Kind::Spectra => PlotKind::Spectra,
        };
        let Self { window, lowpass, reduction_speed, .. } = *self;
        PlotOptions {
            kind,
            directory: self.output.clone(),
            stations: self.stations.clone(),
            components: self.components.clone(),
            window,
            lowpass,
            reduction_speed,
        }
    }
}
