//! What a command may be told besides its files.

use std::path::PathBuf;

use craton_run::{Cancel, ProgressMode};

use crate::config::{BadDevice, DeviceChoice, DeviceNames};

/// What computes, instead of what the scenario says, and what stops it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Computing {
    /// The devices.
    pub device: Option<DeviceNames>,
    /// How many of them.
    pub devices: Option<usize>,
    /// Worker threads.
    pub threads: Option<usize>,
    /// What asks to stop; by default nothing does.
    pub cancel: Option<Cancel>,
}

impl Computing {
    /// Takes the place of what was written.
    ///
    /// # Errors
    /// A name that is no device.
    pub(crate) fn apply_to(
        &self,
        device: &mut DeviceChoice,
        devices: &mut Option<usize>,
        threads: &mut Option<usize>,
    ) -> Result<(), BadDevice> {
        *devices = self.devices.or(*devices);
        *threads = self.threads.or(*threads);
        if let Some(names) = &self.device {
            *device = names.choice()?;
        }
        Ok(())
    }
}

/// How a scenario is run.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RunOptions {
    /// Changes of the scenario, `key=value` each.
    pub overrides: Vec<String>,
    /// What computes, in place of the scenario's own.
    pub device: Option<DeviceNames>,
    /// How many of the devices, in place of the scenario's own.
    pub devices: Option<usize>,
    /// Worker threads, in place of the scenario's own.
    pub threads: Option<usize>,
    /// Whether results that are in the folder already may be replaced.
    pub overwrite: bool,
    /// Whether shots of a survey that have failed for good are computed again.
    pub retry_failed: bool,
    /// How progress is shown on standard error; by default it is not.
    pub progress: Option<ProgressMode>,
    /// What asks to stop; by default nothing does.
    pub cancel: Option<Cancel>,
}

impl RunOptions {
    /// What computes.
    pub fn computing(&self) -> Computing {
        let Self { device, devices, threads, cancel, .. } = self.clone();
        Computing { device, devices, threads, cancel }
    }
}

/// How a scenario is checked.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CheckOptions {
    /// Changes of the scenario, `key=value` each.
    pub overrides: Vec<String>,
    /// What would compute, in place of the scenario's own.
    pub device: Option<DeviceNames>,
    /// How many of the devices, in place of the scenario's own.
    pub devices: Option<usize>,
    /// Worker threads, in place of the scenario's own, for the estimate of time.
    pub threads: Option<usize>,
}

impl CheckOptions {
    /// What would compute.
    pub fn computing(&self) -> Computing {
        let Self { device, devices, threads, .. } = self.clone();
        Computing { device, devices, threads, cancel: None }
    }
}

/// How a mesh is written.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct MeshOptions {
    /// Changes of the scenario, `key=value` each.
    pub overrides: Vec<String>,
    /// Folder for the mesh and its picture; by default that of the results with `_mesh` behind its name.
    pub directory: Option<PathBuf>,
}

/// How an interrupted run goes on.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ResumeOptions {
    /// What computes, in place of the scenario's own.
    pub device: Option<DeviceNames>,
    /// How many of the devices, in place of the scenario's own.
    pub devices: Option<usize>,
    /// Worker threads, in place of the scenario's own.
    pub threads: Option<usize>,
    /// How progress is shown on standard error; by default it is not.
    pub progress: Option<ProgressMode>,
    /// As that of [`RunOptions`].
    pub cancel: Option<Cancel>,
}

impl ResumeOptions {
    /// What computes.
    pub fn computing(&self) -> Computing {
        let Self { device, devices, threads, cancel, .. } = self.clone();
        Computing { device, devices, threads, cancel }
    }
}

/// How seismograms are compared.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CompareOptions {
    /// Corner [Hz] of a zero-phase Butterworth low-pass of order 4 for both sides.
    pub lowpass: Option<f64>,
    /// Times that are compared [s]; all that both sides have by default.
    pub window: Option<[f64; 2]>,
    /// Largest relative L2 misfit of a station that is still good.
    pub limit: Option<f64>,
    /// Picture (PNG) of both, one over the other; of several quantities one each, their words behind its name.
    pub picture: Option<PathBuf>,
    /// Factor on the difference in the picture, which then tells its RMS over the peak; by default the roundest that fits, beside the misfit.
    pub amplify: Option<f64>,
}

/// What is drawn of seismograms.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum PlotKind {
    /// Every trace at its distance from the source.
    #[default]
    Section,
    /// Every trace in a panel of its own.
    Traces,
    /// Amplitude spectra.
    Spectra,
}

/// How seismograms are drawn.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PlotOptions {
    /// What is drawn.
    pub kind: PlotKind,
    /// Folder of the pictures; that of the seismograms by default.
    pub directory: Option<PathBuf>,
    /// Only these stations (`NET.STA`); all by default.
    pub stations: Vec<String>,
    /// Only these components; all by default.
    pub components: Vec<String>,
    /// Times that are drawn [s].
    pub window: Option<[f64; 2]>,
    /// Corner [Hz] of a zero-phase Butterworth low-pass of order 4.
    pub lowpass: Option<f64>,
    /// Speed [m/s] whose arrivals stand upright in a section.
    pub reduction_speed: Option<f64>,
}
