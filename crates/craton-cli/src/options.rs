//! Conversion of command-line arguments to options of the library.

use craton::config::SeismogramFormat;
use craton::options::{CheckOptions, CompareOptions, MeshOptions, PlotKind, PlotOptions, ResumeOptions, RunOptions};
use craton::process::Plan;

use crate::arguments::{Check, Compare, Form, Gravity, Kind, Mesh, Plot, Process, Resume, Run, Survey};

impl Run {
    /// The options of the library.
    pub fn options(&self) -> RunOptions {
        let Self { threads, overwrite, quiet, .. } = *self;
        RunOptions {
            overrides: self.scenario.overrides.clone(),
            device: self.device.clone(),
            devices: self.devices,
            threads,
            overwrite,
            quiet,
            ..RunOptions::default()
        }
    }
}

impl Survey {
    /// The options of the library.
    pub fn options(&self) -> RunOptions {
        let Self { threads, overwrite, retry_failed, quiet, .. } = *self;
        let reproducible = self.reproducible.then(|| "compute.reproducible=true".to_owned());
        RunOptions {
            overrides: self.survey.overrides.iter().cloned().chain(reproducible).collect(),
            device: self.device.clone(),
            devices: self.devices,
            threads,
            overwrite,
            retry_failed,
            quiet,
            ..RunOptions::default()
        }
    }
}

impl Gravity {
    /// The options of the library.
    pub fn options(&self) -> RunOptions {
        let Self { threads, overwrite, quiet, .. } = *self;
        RunOptions {
            overrides: self.problem.overrides.clone(),
            device: self.device.clone(),
            devices: self.devices,
            threads,
            overwrite,
            quiet,
            ..RunOptions::default()
        }
    }
}

impl Check {
    /// The options of the library.
    pub fn options(&self) -> CheckOptions {
        CheckOptions {
            overrides: self.scenario.overrides.clone(),
            device: self.device.clone(),
            devices: self.devices,
            threads: self.threads,
        }
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
    pub fn options(&self) -> ResumeOptions {
        let (device, devices) = (self.device.clone(), self.devices);
        ResumeOptions { device, devices, threads: self.threads, quiet: self.quiet, ..ResumeOptions::default() }
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
    pub fn plan(&self) -> Plan {
        let format = self.format.map(|form| match form {
            Form::Sac => SeismogramFormat::Sac,
            Form::Text => SeismogramFormat::Text,
            Form::Specfem => SeismogramFormat::Specfem,
            Form::Miniseed => SeismogramFormat::Miniseed,
        });
        Plan { operations: self.operations.0.clone(), format, overwrite: self.overwrite }
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
