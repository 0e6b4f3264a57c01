//! Time 0 and the first sample of the traces.

use craton_formats::segy::TraceHeader;

use crate::error::Problem;
use crate::key_path::KeyPath;
use crate::number::Number;
use crate::setup::findings::Checked;
use crate::survey::config::{Config, GatherFormat};
use crate::survey::time_axis::{MOST_SAMPLES, samples_of};

/// Time 0 and the first sample of the traces.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TraceTimes {
    /// Time 0 of the traces after the start of the shots [s].
    pub zero: f64,
    /// Number of samples before time 0.
    pub before: usize,
}

impl TraceTimes {
    /// The most samples before time 0 that do not precede the shots, and whose time trace headers can represent exactly.
    ///
    /// # Arguments
    /// * `zero` – time 0 of the traces after the start of the shots [s]
    /// # Errors
    /// Too many samples.
    pub fn new(config: &Config, zero: f64, root: &KeyPath) -> Checked<Self> {
        let interval = config.output.sample_interval;
        // A whole number, except for round-off.
        let most = ((zero / interval).round() as usize).min(MOST_SAMPLES);
        let is_exact = |before: &usize| {
            let mut header = TraceHeader::default();
            let is_exact = header.set_start(-(*before as f64 * interval));
            // Seismic Unix has no scalar for times.
            is_exact && (config.output.format == GatherFormat::Segy || header.time_scalar == 1)
        };
        let before = (0..=most).rev().find(is_exact).unwrap_or(0);
        let samples = before as f64 + samples_of(config.duration, interval);
        if samples > MOST_SAMPLES as f64 {
            let path = root.key("output").key("sample_interval");
            let message = format!("results in {} samples per trace, {before} of them before time 0", Number(samples));
            let problem = Problem::new(path, message).value(Number(interval));
            return Err(problem.allowed(format!("at most {MOST_SAMPLES} samples per trace")).into());
        }
        Ok(Self { zero, before })
    }
}
