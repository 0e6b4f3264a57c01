//! Errors of devices.

use super::{DeviceInfo, Launch};

/// Errors of devices.
#[derive(Debug, thiserror::Error)]
pub enum GpuError {
    /// The machine has no CUDA driver.
    #[error(
        "no CUDA driver on this machine (library `libcuda` not found); install NVIDIA's driver, or compute on the CPU"
    )]
    NoDriver,
    /// The driver is older than this program needs.
    #[error(
        "the CUDA driver is too old: it supports CUDA {}.{}, but {}.{} or newer is required; update NVIDIA's driver, or compute on \
         the CPU",
        found.0, found.1, needed.0, needed.1
    )]
    DriverTooOld {
        /// CUDA version of the driver: major, minor.
        found: (u32, u32),
        /// Oldest supported version.
        needed: (u32, u32),
    },
    /// The driver finds no device.
    #[error(
        "the CUDA driver finds no device; check `nvidia-smi` and the variable CUDA_VISIBLE_DEVICES, or compute on the CPU"
    )]
    NoDevice,
    /// A device number that does not exist.
    #[error("device cuda:{ordinal} does not exist; available: {}", list(present))]
    NoSuchDevice {
        /// Requested number.
        ordinal: usize,
        /// Available devices.
        present: Vec<DeviceInfo>,
    },
    /// The device is out of memory.
    #[error(
        "{device} is out of memory: {} requested, {} of {} free; use a smaller mesh, more devices, or end other programs on it",
        mebibytes(*asked), mebibytes(*free), mebibytes(*total)
    )]
    OutOfMemory {
        /// Name of the device.
        device: String,
        /// Requested bytes.
        asked: usize,
        /// Free bytes at that time.
        free: usize,
        /// Bytes of the whole device.
        total: usize,
    },
    /// A kernel could not be launched, or an emulated kernel failed.
    #[error("kernel `{kernel}` failed, launched with {launch}: {reason}")]
    Launch {
        /// Name of the kernel.
        kernel: String,
        /// Shape of the launch.
        launch: Launch,
        /// Reason, and advice.
        reason: String,
    },
    /// An asynchronous error of the device, which this process cannot use any more.
    #[error(
        "{device} failed: {reason}. The last kernel launched was {last}; restart from the last checkpoint, and if it fails \
         again, set CUDA_LAUNCH_BLOCKING=1 to learn which kernel it was, or run it under `compute-sanitizer`"
    )]
    Fault {
        /// Name of the device.
        device: String,
        /// The last launched kernel and its shape; an earlier one may be the cause.
        last: String,
        /// Message of the driver.
        reason: String,
    },
    /// An image without code for this device.
    #[error("no code of `{image}` runs on {device} (compute capability {}.{}): {reason}", chip / 10, chip % 10)]
    NoCode {
        /// Name of the image.
        image: String,
        /// Name of the device.
        device: String,
        /// Compute capability, as in 90.
        chip: u32,
        /// The attempts, their errors, and advice.
        reason: String,
    },
    /// A source that does not compile.
    #[error("`{image}` does not compile:\n{log}")]
    Compile {
        /// Name of the image.
        image: String,
        /// Message of the compiler.
        log: String,
    },
    /// A kernel that an image does not contain.
    #[error("`{image}` has no kernel `{kernel}`: declare it `extern \"C\" __global__` and export it with CRATON_ENTRY")]
    NoKernel {
        /// Name of the image.
        image: String,
        /// Requested kernel.
        kernel: String,
    },
    /// An operation that cannot be recorded.
    #[error("cannot {what} while launches are recorded; do it before `record` or after it")]
    Recording {
        /// The operation.
        what: &'static str,
    },
    /// The emulated device needs a C++ compiler.
    #[error(
        "no C++ compiler found for the emulated GPU (tried the variable CXX, c++, g++, clang++); install one, for instance with `apt-get install g++`"
    )]
    NoCompiler,
    /// Any other error of the driver or the operating system.
    #[error("{device} could not {doing}: {reason}")]
    Refused {
        /// Name of the device.
        device: String,
        /// The attempted operation.
        doing: String,
        /// Reason.
        reason: String,
    },
}

/// Lists devices by number and name for a message.
fn list(present: &[DeviceInfo]) -> String {
    if present.is_empty() {
        return "none".to_owned();
    }
    present.iter().map(|info| format!("cuda:{} ({})", info.ordinal, info.name)).collect::<Vec<_>>().join(", ")
}

/// Formats a number of bytes for a message.
fn mebibytes(bytes: usize) -> String {
    format!("{:.1} MiB", bytes as f64 / f64::from(1 << 20))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_that_is_not_there_lists_those_that_are() {
        let info = |ordinal, name: &str| DeviceInfo {
            ordinal,
            name: name.to_owned(),
            chip: 90,
            memory: 1 << 30,
            multiprocessors: 132,
            shared_per_block: 227 << 10,
            slot: [0; 3],
        };
        let present = vec![info(0, "H200"), info(1, "L4")];
        let text = GpuError::NoSuchDevice { ordinal: 3, present }.to_string();
        assert_eq!(text, "device cuda:3 does not exist; available: cuda:0 (H200), cuda:1 (L4)");
    }

    #[test]
    fn sizes_and_versions_are_readable() {
        let text = GpuError::OutOfMemory { device: "H200".to_owned(), asked: 3 << 29, free: 1 << 20, total: 2 << 20 }
            .to_string();
        assert!(
            text.starts_with("H200 is out of memory: 1536.0 MiB requested, 1.0 MiB of 2.0 MiB free; use"),
            "{text}"
        );
        let text = GpuError::DriverTooOld { found: (11, 4), needed: (12, 0) }.to_string();
        assert!(text.contains("it supports CUDA 11.4, but 12.0 or newer is required; update"), "{text}");
        let chip = |chip| GpuError::NoCode { image: "a.cu".into(), device: "L4".into(), chip, reason: "none".into() };
        assert_eq!(chip(120).to_string(), "no code of `a.cu` runs on L4 (compute capability 12.0): none");
    }
}
