//! What the computer may use.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Threads at most.
pub const MOST_THREADS: usize = 4096;

/// Devices of a process at most.
pub const MOST_DEVICES: usize = 64;

/// What the computer may use.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Compute {
    /// What computes: `"auto"`, the GPUs that are there and else the CPU; `"cpu"`; `"cuda"`, the GPUs and nothing else; `"cuda:1"`, the GPU of
    /// this number; a list of GPUs. Traces agree to round-off, and an interrupted run may go on elsewhere. On several GPUs they are the same
    /// to the last bit as on one.
    pub device: DeviceNames,
    /// How many of the devices compute: for `"auto"` and `"cuda"` as many GPUs, all by default; for `"cpu"` the number of parts that the mesh is cut
    /// into, which changes neither speed nor results.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = MOST_DEVICES), example = 4)]
    pub devices: Option<usize>,
    /// How the mesh is cut into a part for each device; a grid is always cut by planes. The results do not depend on it.
    pub partition: Partition,
    /// Which way messages between ranks take whose parts compute on GPUs. The results do not depend on it.
    pub gpu_messages: GpuMessages,
    /// Worker threads; one for every core by default. The results do not depend on it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = MOST_THREADS), example = 2)]
    pub threads: Option<usize>,
}

/// How a mesh is cut into parts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Partition {
    /// By planes: slices or blocks of a box.
    #[default]
    Regular,
    /// Upright slices from the top to the bottom, such as 8 x 8 of a chunk of the Earth for 64 devices: along x and y as many as touch each other least.
    Slices,
    /// By METIS, so that parts of any mesh share few nodes; for programs that are built with it.
    Metis,
}

/// The way of messages between ranks that compute on GPUs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum GpuMessages {
    /// From GPU to GPU where MPI says that it can and each rank has one GPU, else through the host.
    #[default]
    Auto,
    /// Through the memory of the host, with any MPI.
    Host,
    /// From GPU to GPU, whatever MPI says of itself: one that cannot ends the run, or crashes.
    Direct,
}

/// Devices as they are written.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum DeviceNames {
    /// One.
    One(String),
    /// Several.
    Several(Vec<String>),
}

impl Default for DeviceNames {
    fn default() -> Self {
        Self::One("auto".to_owned())
    }
}

/// What is to compute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DeviceChoice {
    /// The GPUs that are there, else the CPU.
    Auto,
    /// The CPU.
    Cpu,
    /// The GPUs that are there.
    AllGpus,
    /// The GPUs of these numbers.
    Gpus(Vec<usize>),
    /// GPUs whose kernels run on the CPU, this many: for tests.
    #[cfg(feature = "emulation")]
    Emulated(usize),
}

/// The words that name a device.
pub const DEVICES_ALLOWED: &str = "\"auto\", \"cpu\", \"cuda\", \"cuda:0\", [\"cuda:0\", \"cuda:1\"] ...";

/// Why names are no choice of a device.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadDevice {
    /// A name that is none.
    #[error("{0:?} is no device")]
    Unknown(String),
    /// A list of something else than GPUs with their numbers.
    #[error("{0:?} stands in a list: only GPUs with their numbers can be listed")]
    Listed(String),
    /// A GPU that is named twice.
    #[error("\"cuda:{0}\" is named twice")]
    Twice(usize),
    /// Nothing at all.
    #[error("names no device")]
    None,
}

impl DeviceNames {
    /// What they mean.
    ///
    /// # Errors
    /// A name that is none, a list of anything but different GPUs.
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

/// GPUs by their numbers.
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

    /// Names with commas between, as a command line has them.
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
