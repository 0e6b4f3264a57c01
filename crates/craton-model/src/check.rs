//! Validation of single numbers.

use crate::ModelError;

/// Returns the value if `passed`, else an error with the range and the hint.
pub(crate) fn require(
    passed: bool,
    what: &str,
    value: f64,
    allowed: impl Into<String>,
    hint: impl Into<String>,
) -> Result<f64, ModelError> {
    if passed {
        return Ok(value);
    }
    Err(ModelError::OutOfRange { what: what.to_owned(), value, allowed: allowed.into(), hint: hint.into() })
}

/// A number for a message: 12 digits, without those of round-off.
pub(crate) fn readable(value: f64) -> f64 {
    format!("{value:.11e}").parse().unwrap_or(value)
}

/// Returns the value if it is finite.
pub(crate) fn finite(what: &str, value: f64, unit: &str) -> Result<f64, ModelError> {
    require(
        value.is_finite(),
        what,
        value,
        format!("a finite number of {unit}"),
        "check the input for NaN and infinity",
    )
}

/// Returns the value if it is finite and above zero.
pub(crate) fn positive(what: &str, value: f64, unit: &str, hint: &str) -> Result<f64, ModelError> {
    if value.is_finite() && value > 0.0 {
        return Ok(value);
    }
    require(false, what, value, format!("above 0 {unit}"), hint)
}
