//! Gravity of a scenario's model: one Earth, two answers.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::gravity::config::{Method, OutputFormat, Quantity, Units};

/// Gravity of the scenario's model at its receivers, for `craton gravity`; waves know nothing of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ModelGravity {
    /// Edge of the cells into which the box is cut [m]; the edges of the box are kept, so that it may be a little less.
    #[schemars(extend("exclusiveMinimum" = 0.0), example = 100.0)]
    pub cell: f64,
    /// Density that is taken away everywhere below the ground, so that what is left attracts [kg/m3].
    #[serde(default)]
    pub reference: f64,
    /// What is computed, as in a gravity file.
    #[serde(default = "Quantity::nine")]
    #[schemars(length(min = 1), extend("examples" = [["g_d", "g_dd"]]))]
    pub fields: Vec<Quantity>,
    /// How sums are made.
    #[serde(default)]
    pub method: Method,
    /// Folder of the results, from the working directory; by default that of the scenario with `_gravity` behind its name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(example = &"results/valley_gravity")]
    pub directory: Option<PathBuf>,
    /// Formats of the results; a table by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1), extend("examples" = [["csv", "npy"]]))]
    pub formats: Option<Vec<OutputFormat>>,
    /// Units of the results.
    #[serde(default)]
    pub units: Units,
    /// Whether pictures are drawn.
    #[serde(default = "yes")]
    pub pictures: bool,
}

fn yes() -> bool {
    true
}
