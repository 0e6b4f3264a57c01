//! The machine that a run used.

use serde::{Deserialize, Serialize};

/// Hardware and operating system of the machine, recorded with performance figures.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Host {
    /// Operating system: "linux".
    pub os: String,
    /// Architecture: "x86_64".
    pub arch: String,
    /// Name of the processor as reported by the system; "unknown" if it is not available.
    pub cpu: String,
    /// Hardware threads that this process may use.
    pub threads: usize,
    /// Widest vector instructions of the processor: "avx512", "avx2", "neon", "baseline".
    pub isa: String,
}

impl Host {
    /// Detects the machine that this process runs on.
    #[must_use]
    pub fn detect() -> Self {
        Self {
            os: std::env::consts::OS.to_owned(),
            arch: std::env::consts::ARCH.to_owned(),
            cpu: std::fs::read_to_string("/proc/cpuinfo")
                .ok()
                .and_then(|text| cpu_name(&text))
                .unwrap_or_else(|| "unknown".to_owned()),
            threads: std::thread::available_parallelism().map_or(1, std::num::NonZero::get),
            isa: isa().to_owned(),
        }
    }
}

/// Returns the first "model name" in the text of /proc/cpuinfo.
fn cpu_name(cpuinfo: &str) -> Option<String> {
    let line = cpuinfo.lines().find(|line| line.starts_with("model name"))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}

#[cfg(target_arch = "x86_64")]
fn isa() -> &'static str {
    if is_x86_feature_detected!("avx512f") {
        "avx512"
    } else if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
        "avx2"
    } else {
        "baseline"
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn isa() -> &'static str {
    if cfg!(target_arch = "aarch64") { "neon" } else { "baseline" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_processor_name_is_parsed() {
        let text = "processor\t: 0\nvendor_id\t: X\nmodel name\t: Example CPU @ 2.0GHz\nprocessor\t: 1\n";
        assert_eq!(cpu_name(text).as_deref(), Some("Example CPU @ 2.0GHz"));
        assert_eq!(cpu_name("CPU implementer : 0x41\n"), None);
    }

    #[test]
    fn at_least_one_thread_is_detected() {
        let host = Host::detect();
        assert!(host.threads >= 1);
        assert_eq!(host.arch, std::env::consts::ARCH);
    }
}
