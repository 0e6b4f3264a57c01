//! How the scenario is solved.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How the scenario is solved.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Method {
    /// Spectral elements.
    Sem(Sem),
}

/// Spectral elements on hexahedra. The mesh and the time step follow from `max_frequency`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Sem {
    /// Highest frequency that is to be resolved [Hz].
    #[schemars(extend("exclusiveMinimum" = 0.0), range(max = 1e12), example = 5.0)]
    pub max_frequency: f64,
    /// Polynomial degree of an element.
    #[serde(default = "Sem::default_degree")]
    #[schemars(range(min = 1, max = 10))]
    pub degree: usize,
    /// Points per shortest wavelength at the highest frequency; the size of the elements follows from it. The default is one element of
    /// degree 4 per wavelength, the custom of the field; 5 leaves a third of its error.
    #[serde(default = "Sem::default_points_per_wavelength")]
    #[schemars(range(min = 2.0, max = 100.0))]
    pub points_per_wavelength: f64,
    /// Horizontal edge of an element at the top [m], in place of the one that follows from the wavelength; the vertical one still does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0.0), example = 400.0)]
    pub element_size: Option<f64>,
    /// Let elements grow with depth, by conforming doubling, where the speeds allow it.
    #[serde(default = "yes")]
    pub doubling: bool,
    /// Nodes that carry the geometry of an element: 8 (straight edges) or 27 (curved ones).
    #[serde(default = "Sem::default_control_nodes")]
    #[schemars(extend("enum" = [8, 27]))]
    pub control_nodes: usize,
    /// Precision of the fields.
    #[serde(default)]
    pub precision: Precision,
    /// Time step [s]; refused when it is not stable. By default it follows from `courant`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0.0), example = 0.002)]
    pub time_step: Option<f64>,
    /// Time step as a fraction of the largest stable one.
    #[serde(default = "Sem::default_courant")]
    #[schemars(extend("exclusiveMinimum" = 0.0), range(max = 1.0))]
    pub courant: f64,
    /// Remove the dispersion of the time scheme from the traces, exactly.
    #[serde(default = "yes")]
    pub time_dispersion_correction: bool,
}

/// Precision of the fields.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Precision {
    /// 32 bits: twice as fast, right to about 1e-5.
    #[default]
    Single,
    /// 64 bits.
    Double,
}

impl Sem {
    fn default_degree() -> usize {
        4
    }

    fn default_points_per_wavelength() -> f64 {
        4.0
    }

    fn default_control_nodes() -> usize {
        8
    }

    fn default_courant() -> f64 {
        0.95
    }
}

fn yes() -> bool {
    true
}
