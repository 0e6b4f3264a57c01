//! Codes of networks, stations, locations and channels, which become parts of file names.

use crate::error::Refused;
use crate::escape::escaped;

/// The characters of a plain code, for messages.
const PLAIN: &str = "ASCII letters, digits, `-` and `_` only; rename it";

/// Refuses a code that is not plain, and could therefore lead a file name out of its folder. An empty code is allowed.
///
/// # Arguments
/// * `what` – the kind of code, for messages
/// # Errors
/// A code with other characters than ASCII letters, digits, `-` and `_`.
pub fn check_code(what: &str, code: &str) -> Result<(), Refused> {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_');
    match code.chars().all(is_plain) {
        true => Ok(()),
        false => Err(Refused::new(what, format!("`{}`", escaped(code)), PLAIN)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_that_are_no_plain_codes_are_refused() {
        for code in ["", "XX", "S-10_b", "00"] {
            check_code("station", code).unwrap();
        }
        for code in ["./../", "/t", "a/b", "a\\b", "..", "A B", "\u{1b}[2J", "é", "C:"] {
            let refused = check_code("station", code).unwrap_err().to_string();
            assert!(refused.starts_with("station = `") && !refused.contains('\u{1b}'), "{refused}");
        }
    }
}
