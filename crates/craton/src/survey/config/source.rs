//! Sources and receivers of a survey.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::config::TimeFunction;

/// The source of every shot.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Source {
    /// Source time function of all shots.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_function: Option<TimeFunction>,
    /// File with the source signature of each shot, instead of `time_function`. A SEG-Y or Seismic Unix file (`.segy`, `.sgy`, `.su`) has one trace per
    /// signature, with its number in bytes 9-12 and the time of the first sample in bytes 109-110. Any other file is a table with a column `time` [s], at equal
    /// steps, and one column per signature, whose name ends with its number, such as `shot_7`. The number is that of the shot, or that in the column `wavelet`
    /// of the shot table. A signature is zero before its first and after its last sample, and band-limited between them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(example = &"signatures.segy")]
    pub signatures: Option<PathBuf>,
    /// Replace the time function by the minimum-phase pulse with the same amplitude spectrum, with onset at time 0.
    #[serde(default)]
    pub minimum_phase: bool,
    /// Source type.
    #[serde(default)]
    pub kind: SourceKind,
    /// Factor on the time function. Units: Pa m (3-D) or Pa (2-D) for a monopole, N (3-D) or N/m (2-D) for a force.
    #[serde(default = "one")]
    pub amplitude: f64,
    /// Elements of a source array; by default a single point, or the array of the shot table.
    /// The array of a marine source rotates with the line.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub array: Vec<SourcePoint>,
}

fn one() -> f64 {
    1.0
}

/// Source type.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SourceKind {
    /// Pressure source, such as an air gun or explosion: s(t) in (1/c²) ∂²p/∂t² - ρ ∇·(1/ρ ∇p) = s(t) δ(x). With q(t)
    /// in ∂p/∂t = -ρ c² ∇·v + q(t) δ(x), s is (1/c²) ∂q/∂t.
    #[default]
    Monopole,
    /// Single force towards the east.
    ForceX,
    /// Single force towards the north.
    ForceY,
    /// Single force upwards.
    ForceZ,
}

/// An element of a source array.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SourcePoint {
    /// Position relative to the centre of the array [m]: x, y, z (up). For a marine source: forward, left, up.
    #[schemars(extend("examples" = [[0.0, 5.0, 0.0]]))]
    pub at: [f64; 3],
    /// Weight of the element.
    #[serde(default = "one")]
    pub weight: f64,
    /// Time by which the element fires later [s].
    #[schemars(range(min = 0.0))]
    #[serde(default, skip_serializing_if = "is_zero")]
    pub delay: f64,
}

#[allow(clippy::trivially_copy_pass_by_ref)] // as serde requires
fn is_zero(delay: &f64) -> bool {
    *delay == 0.0
}

/// An element of a receiver group.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ArrayPoint {
    /// Position relative to the centre of the group [m]: x, y, z (up). For a streamer: forward, left, up.
    #[schemars(extend("examples" = [[0.0, 5.0, 0.0]]))]
    pub at: [f64; 3],
    /// Weight of the element.
    #[serde(default = "one")]
    pub weight: f64,
}

/// The recorded quantities and the receiver array.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Receivers {
    /// Recorded quantities. A single quantity is written to `gathers.segy`. Several quantities are written to one file
    /// each in the folder `gathers`, such as `gathers/pressure.segy`, with the same traces in the same order.
    #[schemars(length(min = 1))]
    pub quantities: Vec<Quantity>,
    /// Elements of a receiver group, whose weighted sum is the trace; a single point by default.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub array: Vec<ArrayPoint>,
}

impl Default for Receivers {
    fn default() -> Self {
        Self { quantities: vec![Quantity::Pressure], array: Vec::new() }
    }
}

/// A recorded quantity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Quantity {
    /// Pressure [Pa].
    Pressure,
    /// Particle velocity towards the east [m/s].
    VelocityX,
    /// Particle velocity towards the north [m/s].
    VelocityY,
    /// Particle velocity upwards [m/s].
    VelocityZ,
}
