//! Checks of single numbers.

use crate::ModelError;

/// The value if it passed, the error that tells why not otherwise.
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

/// The value if it is finite.
pub(crate) fn finite(what: &str, value: f64, unit: &str) -> Result<f64, ModelError> {
    require(
        value.is_finite(),
        what,
        value,
        format!("a finite number of {unit}"),
        "look for NaN or infinity in the input",
    )
}

/// The value if it is finite and above zero.
pub(crate) fn positive(what: &str, value: f64, unit: &str, hint: &str) -> Result<f64, ModelError> {
    require(value.is_finite() && value > 0.0, what, value, format!("above 0 {unit}"), hint)
}
