//! What shots send and receivers hear.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::config::TimeFunction;

/// What every shot sends.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Source {
    /// How it acts in time.
    pub time_function: TimeFunction,
    /// Replace the time function by the pulse of minimum phase with the same amplitude spectrum, which sets in at time 0.
    #[serde(default)]
    pub minimum_phase: bool,
    /// What it is.
    #[serde(default)]
    pub kind: SourceKind,
    /// Factor on the time function: Pa m for a monopole in space and Pa in a plane, N for a force in space and N/m in a plane.
    #[serde(default = "one")]
    pub amplitude: f64,
    /// Points of a source array about its place, all of them sending at once; a single point by default, or what tables say. Those of a streamer turn with the line.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub array: Vec<ArrayPoint>,
}

fn one() -> f64 {
    1.0
}

/// What a source is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SourceKind {
    /// An air gun, an explosion: s(t) of (1/c²) ∂²p/∂t² - ρ ∇·(1/ρ ∇p) = s(t) δ(x);
    /// s is (1/c²) ∂q/∂t where q(t) is added to the rate of pressure, ∂p/∂t = -ρ c² ∇·v + q(t) δ(x).
    #[default]
    Monopole,
    /// A force towards the east.
    ForceX,
    /// A force towards the north.
    ForceY,
    /// A force upwards.
    ForceZ,
}

/// A point of an array.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ArrayPoint {
    /// Place relative to that of the array: x, y, z (up), or ahead, to the left, up where a ship tows it [m].
    #[schemars(extend("examples" = [[0.0, 5.0, 0.0]]))]
    pub at: [f64; 3],
    /// Factor of what it sends or hears.
    #[serde(default = "one")]
    pub weight: f64,
}

/// What every receiver hears.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Receivers {
    /// What is recorded. One quantity makes the file `gathers.segy`; several make a folder `gathers` with a file for each, such as
    /// `gathers/pressure.segy`, all with the same traces in the same order.
    #[schemars(length(min = 1))]
    pub quantities: Vec<Quantity>,
    /// Points of a group about its place, whose weighted sum is the trace; a single point by default.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub array: Vec<ArrayPoint>,
}

impl Default for Receivers {
    fn default() -> Self {
        Self { quantities: vec![Quantity::Pressure], array: Vec::new() }
    }
}

/// What is recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Quantity {
    /// Pressure [Pa].
    Pressure,
    /// Velocity of particles towards the east [m/s].
    VelocityX,
    /// Velocity towards the north [m/s].
    VelocityY,
    /// Velocity upwards [m/s].
    VelocityZ,
}
