//! Options of the commands.

use std::path::PathBuf;

use craton_run::Cancel;

use crate::config::DeviceNames;
use crate::error::Error;

/// The cancellation of work: the given one, or signals.
///
/// # Errors
/// A program that already has a signal handler.
pub(crate) fn cancel(given: Option<&Cancel>) -> Result<Cancel, Error> {
    Ok(given.map_or_else(Cancel::on_signals, |cancel| Ok(cancel.clone()))?)
}

/// Options of a run.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RunOptions {
    /// Overrides of the scenario, `key=value` each.
    pub overrides: Vec<String>,
    /// The device, instead of that of the scenario.
    pub device: Option<DeviceNames>,
    /// Number of devices, instead of that of the scenario.
    pub devices: Option<usize>,
    /// Number of worker threads, instead of that of the scenario.
    pub threads: Option<usize>,
    /// Whether to replace existing results in the folder.
    pub overwrite: bool,
    /// Whether to compute permanently failed shots of a survey again.
    pub retry_failed: bool,
    /// Whether to print only errors.
    pub quiet: bool,
    /// Cancellation; by default by Ctrl-C and other signals, which installs the signal handler of the process.
    pub cancel: Option<Cancel>,
}

/// Options of a preview.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CheckOptions {
    /// Overrides of the scenario, `key=value` each.
    pub overrides: Vec<String>,
    /// The device, instead of that of the scenario.
    pub device: Option<DeviceNames>,
    /// Number of devices, instead of that of the scenario.
    pub devices: Option<usize>,
    /// Number of worker threads for the time estimate, instead of that of the scenario.
    pub threads: Option<usize>,
}

/// Options of mesh output.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct MeshOptions {
    /// Overrides of the scenario, `key=value` each.
    pub overrides: Vec<String>,
    /// Folder for the mesh and its picture; by default that of the results with `_mesh` appended.
    pub directory: Option<PathBuf>,
}

/// Options of a resumed run.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ResumeOptions {
    /// The device, instead of that of the scenario.
    pub device: Option<DeviceNames>,
    /// Number of devices, instead of that of the scenario.
    pub devices: Option<usize>,
    /// Number of worker threads, instead of that of the scenario.
    pub threads: Option<usize>,
    /// Whether to print only errors.
    pub quiet: bool,
    /// As in [`RunOptions`].
    pub cancel: Option<Cancel>,
}

/// Options of a comparison.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CompareOptions {
    /// Corner [Hz] of a zero-phase Butterworth low-pass of order 4 for both sides.
    pub lowpass: Option<f64>,
    /// Time window [s]; all common times by default.
    pub window: Option<[f64; 2]>,
    /// Largest accepted relative L2 misfit of a station.
    pub limit: Option<f64>,
    /// PNG picture of both traces; with several quantities, one picture each with the quantity appended to its name.
    pub picture: Option<PathBuf>,
    /// Magnification of the plotted difference, with its RMS relative to the peak; by default the largest round factor
    /// that fits, with the misfit.
    pub amplify: Option<f64>,
}

/// Kind of plot of seismograms.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum PlotKind {
    /// All traces over their distance from the source.
    #[default]
    Section,
    /// One panel per trace.
    Traces,
    /// Amplitude spectra.
    Spectra,
}

/// Options of a plot.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PlotOptions {
    /// Kind of plot.
    pub kind: PlotKind,
    /// Folder of the pictures; that of the seismograms by default.
    pub directory: Option<PathBuf>,
    /// Only these stations (`NET.STA`); all by default.
    pub stations: Vec<String>,
    /// Only these components; all by default.
    pub components: Vec<String>,
    /// Time window [s].
    pub window: Option<[f64; 2]>,
    /// Corner [Hz] of a zero-phase Butterworth low-pass of order 4.
    pub lowpass: Option<f64>,
    /// Reduction speed of a section [m/s]: arrivals of this speed are vertical.
    pub reduction_speed: Option<f64>,
}
