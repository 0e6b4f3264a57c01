//! Attenuation of waves.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Attenuation: the band of frequencies in which quality factors hold, and the frequency at which wave speeds hold.
///
/// Quality factors are given with the model: `qp` and `qs`, or `qkappa` and `qmu`; a reference Earth has its own. Where
/// none is given, the model is elastic. Without this table a reference Earth is elastic.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Attenuation {
    /// Whether waves are attenuated. If false, quality factors are ignored.
    pub enabled: bool,
    /// Frequency at which the wave speeds of the model hold [Hz]. By default 1 Hz for a reference Earth; other models
    /// require it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0.0), range(max = 1e12), example = 1.0)]
    pub reference_frequency: Option<f64>,
    /// Lowest and highest frequency of the band in which the quality factors hold [Hz]. By default the two decades up to
    /// `max_frequency` of the method.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(inner(range(min = 1e-12, max = 1e12)), extend("examples" = [[0.05, 5.0]]))]
    pub band: Option<[f64; 2]>,
    /// Number of standard linear solids. Over two decades, 3 fit the quality factor within 4 %, 5 within 0.3 %.
    #[schemars(range(min = 1, max = 8))]
    pub mechanisms: usize,
    /// Quality factors that grow with frequency: Q (f / corner)^exponent above the corner.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub power_law: Option<PowerLaw>,
    /// Quality factors that follow from vs, where the model gives none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub relation: Option<QualityRelation>,
}

impl Default for Attenuation {
    fn default() -> Self {
        Self { enabled: true, reference_frequency: None, band: None, mechanisms: 3, power_law: None, relation: None }
    }
}

/// Quality factors that grow with frequency above a corner.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PowerLaw {
    /// Frequency up to which the quality factors of the model hold [Hz].
    #[schemars(extend("exclusiveMinimum" = 0.0), range(max = 1e12), example = 1.0)]
    pub corner: f64,
    /// Exponent of frequency above the corner.
    #[schemars(range(min = -1.0, max = 1.0), example = 0.6)]
    pub exponent: f64,
}

/// Quality factors from the speed of S waves: Qs = factor vs^exponent, with vs in m/s, and at least 5.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct QualityRelation {
    /// Qs of vs = 1 m/s.
    #[schemars(extend("exclusiveMinimum" = 0.0), range(max = 1e6), example = 0.05)]
    pub factor: f64,
    /// Exponent of vs.
    #[serde(default = "QualityRelation::default_exponent")]
    #[schemars(range(min = 0.0, max = 4.0))]
    pub exponent: f64,
    /// Qp / Qs.
    #[serde(default = "QualityRelation::default_ratio")]
    #[schemars(extend("exclusiveMinimum" = 0.0), range(max = 100.0))]
    pub qp_over_qs: f64,
}

impl QualityRelation {
    fn default_exponent() -> f64 {
        1.0
    }

    fn default_ratio() -> f64 {
        2.0
    }
}
