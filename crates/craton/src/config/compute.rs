//! What the computer may use.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Threads at most.
pub const MOST_THREADS: usize = 4096;

/// What the computer may use.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Compute {
    /// What computes: `"auto"`, a GPU if there is one and else the CPU; `"cpu"`; `"cuda"`, a GPU and nothing else; `"cuda:1"`, the GPU of
    /// this number; a list of GPUs. Traces agree to round-off, and an interrupted run may go on elsewhere.
    pub device: DeviceNames,
    /// Worker threads; one for every core by default. The results do not depend on it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = MOST_THREADS), example = 2)]
    pub threads: Option<usize>,
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
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeviceChoice {
    /// A GPU if there is one, else the CPU.
    Auto,
    /// The CPU.
    Cpu,
    /// Any GPU.
    AnyGpu,
    /// The GPU of this number.
    Gpu(usize),
    /// A GPU whose kernels run on the CPU: for tests.
    #[cfg(feature = "emulation")]
    Emulated,
}

/// The words that name a device.
pub const DEVICES_ALLOWED: &str = "\"auto\", \"cpu\", \"cuda\", \"cuda:0\", \"cuda:1\" ...";

/// Why names are no choice of a device.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadDevice {
    /// A name that is none.
    #[error("{0:?} is no device")]
    Unknown(String),
    /// So many of them.
    #[error("names {0} devices: a run takes one device at present")]
    Several(usize),
}

impl DeviceNames {
    /// What they mean.
    ///
    /// # Errors
    /// A name that is none; anything but one name.
    pub fn choice(&self) -> Result<DeviceChoice, BadDevice> {
        let names = match self {
            Self::One(name) => std::slice::from_ref(name),
            Self::Several(names) => names,
        };
        let choices: Vec<DeviceChoice> = names.iter().map(|name| choice(name)).collect::<Result<_, _>>()?;
        match choices[..] {
            [only] => Ok(only),
            _ => Err(BadDevice::Several(choices.len())),
        }
    }
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
        "cuda" => Ok(DeviceChoice::AnyGpu),
        #[cfg(feature = "emulation")]
        "emulated" => Ok(DeviceChoice::Emulated),
        _ => number().map(DeviceChoice::Gpu).ok_or_else(|| BadDevice::Unknown(name.to_owned())),
    }
}
