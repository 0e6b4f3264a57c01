//! Options of the commands.

use std::path::PathBuf;

use craton_run::{Cancel, ProgressMode};

use craton_mesh::{Graph, MeshError};

use crate::config::{BadDevice, DeviceChoice, DeviceNames};

/// Divides a graph into a number of parts of equal weight that share little, for `compute.partition = "metis"`; returns the part of
/// every item. No part may be empty.
#[derive(Debug, Clone, Copy)]
pub struct GraphPartitioner(pub fn(&Graph, usize) -> Result<Vec<u32>, MeshError>);

impl PartialEq for GraphPartitioner {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::fn_addr_eq(self.0, other.0)
    }
}

/// Device options of a command, which override the scenario, and its cancellation.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Computing {
    /// The device, instead of that of the scenario.
    pub device: Option<DeviceNames>,
    /// Number of devices, instead of that of the scenario.
    pub devices: Option<usize>,
    /// Number of worker threads, instead of that of the scenario.
    pub threads: Option<usize>,
    /// Cancellation; none by default.
    pub cancel: Option<Cancel>,
    /// Divides meshes with `compute.partition = "metis"`; without it, such scenarios are refused.
    pub partitioner: Option<GraphPartitioner>,
}

impl Computing {
    /// Overrides the device options of a scenario.
    ///
    /// # Errors
    /// An invalid device name.
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
    /// Display of progress on standard error; none by default.
    pub progress: Option<ProgressMode>,
    /// Cancellation; none by default.
    pub cancel: Option<Cancel>,
    /// As in [`Computing`].
    pub partitioner: Option<GraphPartitioner>,
}

impl RunOptions {
    /// The device options and the cancellation.
    pub fn computing(&self) -> Computing {
        let Self { device, devices, threads, cancel, partitioner, .. } = self.clone();
        Computing { device, devices, threads, cancel, partitioner }
    }
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
    /// As in [`Computing`].
    pub partitioner: Option<GraphPartitioner>,
}

impl CheckOptions {
    /// The device options.
    pub fn computing(&self) -> Computing {
        let Self { device, devices, threads, partitioner, .. } = self.clone();
        Computing { device, devices, threads, cancel: None, partitioner }
    }
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
    /// Display of progress on standard error; none by default.
    pub progress: Option<ProgressMode>,
    /// As in [`RunOptions`].
    pub cancel: Option<Cancel>,
    /// As in [`Computing`].
    pub partitioner: Option<GraphPartitioner>,
}

impl ResumeOptions {
    /// The device options and the cancellation.
    pub fn computing(&self) -> Computing {
        let Self { device, devices, threads, cancel, partitioner, .. } = self.clone();
        Computing { device, devices, threads, cancel, partitioner }
    }
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
