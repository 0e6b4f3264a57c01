//! Numbers in messages.

use std::fmt;

/// A number in readable form: plain, or in exponent notation if it is very large or small, with at most 12 digits. A
/// precision applies to both forms.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct Number(pub f64);

/// Magnitudes in plain notation.
const PLAIN: std::ops::Range<f64> = 1e-4..1e9;

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Sums of spacings and conversions of units leave digits that mean nothing.
        let number = match f.precision() {
            None => format!("{:.11e}", self.0).parse().unwrap_or(self.0),
            Some(_) => self.0,
        };
        let plain = number == 0.0 || !number.is_finite() || PLAIN.contains(&number.abs());
        match (plain, f.precision()) {
            (true, _) => number.fmt(f),
            (false, Some(_)) => write!(f, "{number:.3e}"),
            (false, None) => write!(f, "{number:e}"),
        }
    }
}

/// A count with its noun: `1 shot`, `2 shots`.
pub fn counted<N: fmt::Display + PartialEq + From<u8>>(number: N, what: &str) -> String {
    format!("{number} {what}{}", if number == N::from(1) { "" } else { "s" })
}

/// A point or a range in brackets: `[0, 0, -2000]`.
pub fn bracketed(numbers: &[f64]) -> String {
    let numbers: Vec<String> = numbers.iter().map(|&number| Number(number).to_string()).collect();
    format!("[{}]", numbers.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_formatted_without_rows_of_zeros() {
        for (number, text) in [
            (0.0, "0"),
            (-2000.0, "-2000"),
            (0.125, "0.125"),
            (123456789.5, "123456789.5"),
            (1e9, "1e9"),
            (1e300, "1e300"),
            (-2.5e-7, "-2.5e-7"),
            (f64::INFINITY, "inf"),
            (0.1 + 0.2, "0.3"),
            (1e5 / 3.0, "33333.3333333"),
            (7.0 * 1e-8 / 3.0, "2.33333333333e-8"),
        ] {
            assert_eq!(Number(number).to_string(), text);
        }
        assert_eq!(format!("{:.4} {:.4}", Number(5.5), Number(1.0 / 3.0 * 1e20)), "5.5000 3.333e19");
        assert_eq!(bracketed(&[0.0, 1e38]), "[0, 1e38]");
        assert_eq!([0_usize, 1, 12].map(|count| counted(count, "shot")), ["0 shots", "1 shot", "12 shots"]);
    }
}
