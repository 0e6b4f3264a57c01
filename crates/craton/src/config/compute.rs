//! Computing resources of a run.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Largest number of threads.
pub const MOST_THREADS: usize = 4096;

/// Largest number of devices of one process.
pub const MOST_DEVICES: usize = 64;

/// The devices and threads of a run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Compute {
    /// The device: `"auto"` uses the available GPUs, or the CPU if there are none; `"cpu"`; `"cuda"` uses all GPUs and
    /// fails without one; `"cuda:1"` is GPU number 1; a list selects several GPUs. Results on CPU and GPU agree to
    /// round-off, and an interrupted run may continue on another device. The number of GPUs does not change a bit of
    /// the results.
    pub device: DeviceNames,
    /// Number of devices. For `"auto"` and `"cuda"`, the number of GPUs; all of them by default. For `"cpu"`, the
    /// number of parts of the mesh, which affects neither speed nor results.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = MOST_DEVICES), example = 4)]
    pub devices: Option<usize>,
    /// How the mesh is partitioned among the devices. A finite-difference grid is always partitioned into blocks. The
    /// results do not depend on it.
    pub partition: Partition,
    /// Path of MPI messages between ranks that compute on GPUs. The results do not depend on it.
    pub gpu_messages: GpuMessages,
    /// Number of worker threads; one per core by default. The results do not depend on it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = MOST_THREADS), example = 2)]
    pub threads: Option<usize>,
}

/// Method of mesh partitioning.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Partition {
    /// Recursive bisection by planes: slices or blocks of a box.
    #[default]
    Regular,
    /// Vertical slices from the top to the bottom, such as 8 x 8 of a chunk of the Earth for 64 devices. Craton chooses
    /// the numbers along x and y that minimise the area between slices.
    Slices,
    /// METIS, which minimises the number of shared nodes for a mesh of any shape. Requires a program built with METIS.
    Metis,
}

/// Path of MPI messages between ranks that compute on GPUs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum GpuMessages {
    /// Directly between GPUs if MPI reports support for it and each rank has one GPU; through host memory otherwise.
    #[default]
    Auto,
    /// Through host memory; works with any MPI library.
    Host,
    /// Directly between GPUs, whatever MPI reports. A library without that support stops the run or crashes.
    Direct,
}

/// Device names as written in the file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum DeviceNames {
    /// One name.
    One(String),
    /// Several names.
    Several(Vec<String>),
}

impl Default for DeviceNames {
    fn default() -> Self {
        Self::One("auto".to_owned())
    }
}

/// The selected device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DeviceChoice {
    /// The available GPUs, or the CPU if there are none.
    Auto,
    /// The CPU.
    Cpu,
    /// All available GPUs.
    AllGpus,
    /// The GPUs with these numbers.
    Gpus(Vec<usize>),
    /// This number of emulated GPUs, whose kernels run on the CPU; for tests.
    #[cfg(feature = "emulation")]
    Emulated(usize),
}

/// The allowed device names.
pub const DEVICES_ALLOWED: &str = "\"auto\", \"cpu\", \"cuda\", \"cuda:0\", [\"cuda:0\", \"cuda:1\"] ...";

/// Why a device name is invalid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadDevice {
    /// An unknown name.
    #[error("{0:?} is not a device")]
    Unknown(String),
    /// A list item that is not a numbered GPU.
    #[error("{0:?} cannot be in a list: list numbered GPUs only, such as \"cuda:0\"")]
    Listed(String),
    /// A GPU that is listed twice.
    #[error("\"cuda:{0}\" is listed twice")]
    Twice(usize),
    /// An empty list.
    #[error("the list of devices is empty")]
    None,
}

impl DeviceNames {
    /// The device that the names select.
    ///
    /// # Errors
    /// An unknown name, or a list that contains anything but distinct numbered GPUs.
    pub fn choice(&self) -> Result<DeviceChoice, BadDevice> {
        let names = match self {
            Self::One(name) => std::slice::from_ref(name),
            Self::Several(names) => names,
        };
        match names {
            [] => Err(BadDevice::None),
            [only] => choice(only),
            #[cfg(feature = "emulation")]
            several if several.iter().all(|name| name == "emulated") => Ok(DeviceChoice::Emulated(several.len())),
            several => listed(several),
        }
    }
}

/// Parses a list of numbered GPUs.
fn listed(names: &[String]) -> Result<DeviceChoice, BadDevice> {
    let mut numbers = Vec::new();
    for name in names {
        let DeviceChoice::Gpus(number) = choice(name)? else { return Err(BadDevice::Listed(name.clone())) };
        if numbers.contains(&number[0]) {
            return Err(BadDevice::Twice(number[0]));
        }
        numbers.extend(number);
    }
    Ok(DeviceChoice::Gpus(numbers))
}

impl std::str::FromStr for DeviceNames {
    type Err = BadDevice;

    /// Parses comma-separated names, as the command line has them.
    fn from_str(text: &str) -> Result<Self, BadDevice> {
        let names: Vec<String> = text.split(',').map(|name| name.trim().to_owned()).collect();
        let names = Self::Several(names);
        names.choice().map(|_| names)
    }
}

fn choice(name: &str) -> Result<DeviceChoice, BadDevice> {
    let number = || name.strip_prefix("cuda:")?.parse().ok();
    match name {
        "auto" => Ok(DeviceChoice::Auto),
        "cpu" => Ok(DeviceChoice::Cpu),
        "cuda" => Ok(DeviceChoice::AllGpus),
        #[cfg(feature = "emulation")]
        "emulated" => Ok(DeviceChoice::Emulated(1)),
        _ => number().map(|number| DeviceChoice::Gpus(vec![number])).ok_or_else(|| BadDevice::Unknown(name.to_owned())),
    }
}
