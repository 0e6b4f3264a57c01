//! Gravity of the Earth model of a scenario.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::gravity::config::{Method, OutputFormat, Quantity, Units};

/// Gravity of the scenario's model at its receivers, computed by `craton gravity`. The wave simulation ignores this
/// table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ModelGravity {
    /// Edge length of the cells that discretise the box [m]. Cells fill the box exactly, so that their edges may be
    /// slightly shorter.
    #[schemars(extend("exclusiveMinimum" = 0.0), example = 100.0)]
    pub cell: f64,
    /// Reference density, subtracted everywhere below the ground to give the density contrast [kg/m3].
    #[serde(default)]
    pub reference: f64,
    /// The computed fields, as in a gravity file.
    #[serde(default = "Quantity::nine")]
    #[schemars(length(min = 1), extend("examples" = [["g_d", "g_dd"]]))]
    pub fields: Vec<Quantity>,
    /// How the sums over cells are computed.
    #[serde(default)]
    pub method: Method,
    /// Folder of the results, relative to the working directory. By default the folder of the scenario with `_gravity`
    /// appended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(example = &"results/valley_gravity")]
    pub directory: Option<PathBuf>,
    /// Formats of the results; a CSV table by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1), extend("examples" = [["csv", "npy"]]))]
    pub formats: Option<Vec<OutputFormat>>,
    /// Units of the results.
    #[serde(default)]
    pub units: Units,
    /// Whether to draw pictures.
    #[serde(default = "yes")]
    pub pictures: bool,
}

fn yes() -> bool {
    true
}
