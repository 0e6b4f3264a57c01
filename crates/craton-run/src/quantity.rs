//! Bytes and seconds, formatted for people.

use std::fmt;

/// A number of bytes, displayed with three digits and a decimal unit: `1.50 GB`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Bytes(pub u64);

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const UNITS: [&str; 5] = ["kB", "MB", "GB", "TB", "PB"];
        if self.0 < 1000 {
            return write!(f, "{} B", self.0);
        }
        let mut value = self.0 as f64 / 1000.0;
        let mut unit = 0;
        // 999.5 would be printed as 1000, so it moves to the next unit.
        while value >= 999.5 && unit + 1 < UNITS.len() {
            value /= 1000.0;
            unit += 1;
        }
        let decimals = if value < 9.995 { 2 } else { usize::from(value < 99.95) };
        write!(f, "{value:.decimals$} {}", UNITS[unit])
    }
}

/// A duration in seconds, displayed in one or two units: `3.2 s`, `4 min 05 s`, `2 h 07 min`, `3 d 04 h`.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Seconds(pub f64);

impl fmt::Display for Seconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.0.is_finite() || self.0 < 0.0 {
            return write!(f, "unknown");
        }
        if self.0 < 0.9995 {
            return write!(f, "{:.0} ms", self.0 * 1e3);
        }
        if self.0 < 59.95 {
            return write!(f, "{:.1} s", self.0);
        }
        let seconds = self.0.round() as u64;
        let (minutes, hours, days) = (seconds / 60, seconds / 3600, seconds / 86_400);
        match (days, hours) {
            (0, 0) => write!(f, "{minutes} min {:02} s", seconds % 60),
            (0, _) => write!(f, "{hours} h {:02} min", minutes % 60),
            _ => write!(f, "{days} d {:02} h", hours % 24),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_displayed_with_three_digits() {
        for (bytes, text) in [
            (0, "0 B"),
            (999, "999 B"),
            (1000, "1.00 kB"),
            (12_340, "12.3 kB"),
            (999_499, "999 kB"),
            (999_999, "1.00 MB"),
            (1_500_000_000, "1.50 GB"),
            (u64::MAX, "18447 PB"),
        ] {
            assert_eq!(Bytes(bytes).to_string(), text);
        }
    }

    #[test]
    fn seconds_are_displayed_in_two_units() {
        for (seconds, text) in [
            (0.0, "0 ms"),
            (0.0123, "12 ms"),
            (3.21, "3.2 s"),
            (59.94, "59.9 s"),
            (59.96, "1 min 00 s"),
            (245.0, "4 min 05 s"),
            (7620.0, "2 h 07 min"),
            (273_600.0, "3 d 04 h"),
            (f64::INFINITY, "unknown"),
            (f64::NAN, "unknown"),
        ] {
            assert_eq!(Seconds(seconds).to_string(), text);
        }
    }
}
