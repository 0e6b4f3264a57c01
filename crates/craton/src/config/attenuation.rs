//! Attenuation of waves.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Attenuation: the frequency band in which quality factors are fitted, and the reference frequency of the wave speeds.
///
/// Set quality factors in the model: `qp` and `qs`, or `qkappa` and `qmu`; in surveys `qp`. Reference Earths include them.
/// Where there are none, the model is elastic, unless `relation` is set. Without this table a reference Earth is elastic.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "Attenuation")]
pub struct Attenuation<R = QualityRelation> {
    /// Whether to model attenuation. If false, Craton checks quality factors but does not use them.
    pub enabled: bool,
    /// Reference frequency of the wave speeds [Hz]. Required, except for reference Earths of scenarios, whose default is 1 Hz.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0.0), range(max = 1e12), example = 1.0)]
    pub reference_frequency: Option<f64>,
    /// Lower and upper limit of the band in which quality factors are fitted [Hz]. By default from 0.01 `max_frequency` to
    /// `max_frequency` of the method.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(inner(range(min = 1e-12, max = 1e12)), extend("examples" = [[0.05, 5.0]]))]
    pub band: Option<[f64; 2]>,
    /// Number of relaxation mechanisms (standard linear solids). Over two decades, 3 fit a constant Q of at least 20 within
    /// 3.5 %, 5 within 0.3 %.
    #[schemars(range(min = 1, max = 8))]
    pub mechanisms: usize,
    /// Frequency-dependent quality factors: above the corner frequency, Q is multiplied by (f / corner)^exponent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub power_law: Option<PowerLaw>,
    /// Empirical relation that derives quality factors from wave speeds in regions without them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub relation: Option<R>,
}

impl<R> Default for Attenuation<R> {
    fn default() -> Self {
        Self { enabled: true, reference_frequency: None, band: None, mechanisms: 3, power_law: None, relation: None }
    }
}

/// Quality factors that increase with frequency above a corner frequency.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PowerLaw {
    /// Corner frequency [Hz]. Below it, Q has the value in the model.
    #[schemars(extend("exclusiveMinimum" = 0.0), range(max = 1e12), example = 1.0)]
    pub corner: f64,
    /// Exponent of frequency above the corner frequency.
    #[schemars(range(min = 0.0, max = 1.0), example = 0.6)]
    pub exponent: f64,
}

/// Empirical relation Qs = factor vs^exponent, with vs in m/s. Values below 5 are set to 5.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct QualityRelation {
    /// Qs at vs = 1 m/s.
    #[schemars(extend("exclusiveMinimum" = 0.0), range(max = 1e6), example = 0.05)]
    pub factor: f64,
    /// Exponent of vs.
    #[serde(default = "QualityRelation::default_exponent")]
    #[schemars(range(min = 0.0, max = 4.0))]
    pub exponent: f64,
    /// Ratio Qp / Qs, limited so that 1/Qkappa is between 0 and 1/5.
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
