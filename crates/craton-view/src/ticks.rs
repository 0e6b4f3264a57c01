//! Tick marks of axes, and formatting of values and units.

/// One mark on an axis.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Tick {
    /// Value in the unit of the axis.
    pub(crate) value: f64,
    /// Label of the mark.
    pub(crate) label: String,
}

/// A display unit: conversion factor from SI and name.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Unit {
    pub(crate) factor: f64,
    pub(crate) name: &'static str,
}

impl Unit {
    /// Metres, or kilometres from 2 km on.
    pub(crate) fn for_length(largest: f64) -> Self {
        let (factor, name) = if largest.abs() >= 2000.0 { (1e-3, "km") } else { (1.0, "m") };
        Self { factor, name }
    }

    /// Degrees on a sphere, with the given length of a degree \[m\].
    pub(crate) fn degrees(length: f64) -> Self {
        Self { factor: length.recip(), name: "degrees" }
    }

    /// A length \[m\] in this unit, without trailing zeros.
    pub(crate) fn write(&self, metres: f64) -> String {
        format!("{} {}", brief(metres * self.factor), self.name)
    }

    /// Lengths \[m\] in this unit, with the number of decimals that gives the largest one three digits.
    pub(crate) fn write_alike(&self, metres: f64, largest: f64) -> String {
        let whole = (largest * self.factor).abs().max(1.0).log10().floor() as usize + 1;
        format!("{} {}", decimal(metres * self.factor, 3usize.saturating_sub(whole)), self.name)
    }

    /// Seconds, or milliseconds and microseconds for short records.
    pub(crate) fn for_time(span: f64) -> Self {
        let (factor, name) = match span.abs() {
            span if span >= 0.2 => (1.0, "s"),
            span if span >= 2e-4 => (1e3, "ms"),
            _ => (1e6, "µs"),
        };
        Self { factor, name }
    }
}

/// Marks at multiples of 1, 2 or 5 times a power of ten inside `[low, high]`, at most about `count` of them.
pub(crate) fn linear(low: f64, high: f64, count: usize) -> Vec<Tick> {
    let step = round_step((high - low) / count.max(1) as f64);
    let decimals = decimals_of(step);
    // Marks that miss an end by round-off only are included.
    let slack = 1e-9 * step;
    let first = ((low - slack) / step).ceil() as i64;
    let last = ((high + slack) / step).floor() as i64;
    (first..=last).map(|i| i as f64 * step).map(|value| Tick { value, label: decimal(value, decimals) }).collect()
}

/// Marks at powers of ten inside `[low, high]`, thinned to about `count`; also at two and five times these if there is room.
pub(crate) fn logarithmic(low: f64, high: f64, count: usize) -> Vec<Tick> {
    let first = (low.log10() + 1e-9).floor() as i32;
    let last = (high.log10() - 1e-9).ceil() as i32;
    let span = (last - first).max(1) as usize;
    let room_for_more = 3.0 * (high / low).log10() <= count as f64;
    let digits: &[u8] = if room_for_more { &[1, 2, 5] } else { &[1] };
    let stride = span.div_ceil(count.max(1)) as i32;
    let inside = |value: &f64| *value >= low * (1.0 - 1e-9) && *value <= high * (1.0 + 1e-9);
    (first..=last)
        .filter(|exponent| exponent.rem_euclid(stride) == 0)
        .flat_map(|exponent| digits.iter().map(move |&digit| (digit, exponent)))
        .filter(|&(digit, exponent)| inside(&(f64::from(digit) * 10f64.powi(exponent))))
        .map(|(digit, exponent)| Tick {
            value: f64::from(digit) * 10f64.powi(exponent),
            label: match digit {
                1 => power_of_ten(exponent),
                _ => brief(f64::from(digit) * 10f64.powi(exponent)),
            },
        })
        .collect()
}

/// The smallest of 1, 2, 5 times a power of ten that is not below `raw`.
pub(crate) fn round_step(raw: f64) -> f64 {
    if !(raw.is_finite() && raw > 0.0) {
        return 1.0;
    }
    let power = 10f64.powf(raw.log10().floor());
    let digit = raw / power;
    let rounded = [1.0, 2.0, 5.0].into_iter().find(|&nice| digit <= nice * (1.0 + 1e-9)).unwrap_or(10.0);
    rounded * power
}

fn decimals_of(step: f64) -> usize {
    (-(step.log10() + 1e-9).floor()).clamp(0.0, 12.0) as usize
}

/// A number with a given number of decimals and a typographic minus sign; never "−0".
pub(crate) fn decimal(value: f64, decimals: usize) -> String {
    let text = format!("{value:.decimals$}");
    match text.strip_prefix('-') {
        Some(digits) if digits.bytes().all(|byte| matches!(byte, b'0' | b'.')) => digits.into(),
        Some(digits) => format!("−{digits}"),
        None => text,
    }
}

/// Three significant digits: "0.372", "12.5", "3.72 × 10⁻⁷".
pub(crate) fn significant(value: f64) -> String {
    if value == 0.0 {
        return "0".into();
    }
    let mut exponent = value.abs().log10().floor() as i32;
    // Rounding to three digits may carry into the next power of ten: 9.999 becomes 10.0.
    if (value.abs() / 10f64.powi(exponent)) >= 9.995 {
        exponent += 1;
    }
    if (-3..4).contains(&exponent) {
        decimal(value, (2 - exponent).max(0) as usize)
    } else {
        let mantissa = decimal(value / 10f64.powi(exponent), 2);
        format!("{mantissa} × {}", power_of_ten(exponent))
    }
}

/// Three significant digits of a value and its unit: "0.372 m/s", "5.69 × 10⁻⁶".
pub(crate) fn measured(value: f64, unit: &str) -> String {
    format!("{} {}", significant(value), printed_unit(unit)).trim_end().to_owned()
}

/// The printed form of a unit, "m/s²" for "m/s^2"; empty for the dimensionless unit "1".
pub(crate) fn printed_unit(unit: &str) -> String {
    match unit {
        "1" => String::new(),
        unit => unit.replace("^2", "²").replace("^3", "³"),
    }
}

/// A number without trailing zeros, for factors: "1", "2.5", "5000", "2 × 10⁶".
pub(crate) fn brief(value: f64) -> String {
    if value != 0.0 && !(1e-3..1e5).contains(&value.abs()) {
        let exponent = value.abs().log10().floor() as i32;
        let mantissa = brief(value / 10f64.powi(exponent));
        let power = power_of_ten(exponent);
        return if mantissa == "1" { power } else { format!("{mantissa} × {power}") };
    }
    let text = decimal(value, 3);
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// A power of ten, such as "10⁻³"; 1, 10 and 0.1 are written without an exponent.
pub(crate) fn power_of_ten(exponent: i32) -> String {
    match exponent {
        -2..=3 => decimal(10f64.powi(exponent), (-exponent).max(0) as usize),
        _ => format!("10{}", superscript(exponent)),
    }
}

fn superscript(number: i32) -> String {
    const DIGITS: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    number
        .to_string()
        .bytes()
        .map(|byte| match byte {
            b'-' => '⁻',
            digit => DIGITS[usize::from(digit - b'0')],
        })
        .collect()
}

/// A power of ten that makes labels of numbers up to `largest` short, and its text before a unit.
///
/// Between 0.01 and 10 000 the factor is 1 and the text empty.
pub(crate) fn common_factor(largest: f64) -> (f64, String) {
    if largest == 0.0 || (0.01..1e4).contains(&largest) {
        return (1.0, String::new());
    }
    let exponent = 3 * (largest.log10() / 3.0).floor() as i32;
    (10f64.powi(-exponent), format!("10{} ", superscript(exponent)))
}

/// Offset and factor that shorten the labels of a range: values are written as (value − origin) × factor.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Reading {
    pub(crate) origin: f64,
    /// The origin in full; empty if it is zero.
    pub(crate) written: String,
    pub(crate) factor: f64,
    /// Text before the unit.
    pub(crate) prefix: String,
}

impl Reading {
    /// The origin is zero unless the range is less than a thousandth of its values.
    pub(crate) fn of([low, high]: [f64; 2]) -> Self {
        const NARROW: f64 = 1e-3;
        let largest = low.abs().max(high.abs());
        if high - low >= NARROW * largest {
            let (factor, prefix) = common_factor(largest);
            return Self { origin: 0.0, written: String::new(), factor, prefix };
        }
        let exponent = (high - low).log10().ceil() as i32;
        let origin = (low / 10f64.powi(exponent)).floor() * 10f64.powi(exponent);
        let (factor, prefix) = common_factor(high - origin);
        Self { origin, written: to_the_power(origin, exponent), factor, prefix }
    }
}

/// A number with all digits down to a power of ten: "3.201", "9.80665 × 10⁻⁶".
fn to_the_power(value: f64, last: i32) -> String {
    let first = value.abs().log10().floor() as i32;
    if (-3..7).contains(&first) {
        return decimal(value, (-last).max(0) as usize);
    }
    let mantissa = decimal(value / 10f64.powi(first), (first - last).max(0) as usize);
    format!("{mantissa} × {}", power_of_ten(first))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(ticks: &[Tick]) -> Vec<&str> {
        ticks.iter().map(|tick| tick.label.as_str()).collect()
    }

    #[test]
    fn linear_marks_are_round_and_inside() {
        assert_eq!(labels(&linear(0.0, 9.0, 5)), ["0", "2", "4", "6", "8"]);
        assert_eq!(labels(&linear(-0.3, 0.3, 3)), ["−0.2", "0.0", "0.2"]);
        assert_eq!(labels(&linear(0.0, 0.3, 3)), ["0.0", "0.1", "0.2", "0.3"]);
    }

    #[test]
    fn logarithmic_marks_are_thinned_or_filled_in() {
        assert_eq!(labels(&logarithmic(0.05, 20.0, 5)), ["0.1", "1", "10"]);
        assert_eq!(labels(&logarithmic(1e-9, 1.0, 3)), ["10⁻⁹", "10⁻⁶", "10⁻³", "1"]);
        assert_eq!(labels(&logarithmic(0.15, 6.0, 9)), ["0.2", "0.5", "1", "2", "5"]);
    }

    #[test]
    fn three_digits_are_kept() {
        assert_eq!(significant(0.0), "0");
        assert_eq!(significant(0.37249), "0.372");
        assert_eq!(significant(-12.345), "−12.3");
        assert_eq!(significant(9.999), "10.0");
        assert_eq!(significant(9990.0), "9990");
        assert_eq!(significant(3.721e-7), "3.72 × 10⁻⁷");
        assert_eq!(significant(1e18), "1.00 × 10¹⁸");
    }

    #[test]
    fn units_are_printed_as_people_write_them() {
        assert_eq!(measured(0.281, "m/s^2"), "0.281 m/s²");
        assert_eq!(measured(5.69e-6, "1"), "5.69 × 10⁻⁶");
        assert_eq!(measured(2.0, ""), "2.00");
    }

    #[test]
    fn lengths_of_one_list_have_as_many_decimals() {
        assert_eq!(Unit::degrees(111_194.9).write(222_389.8), "2 degrees");
        let (near, far) = (Unit::for_length(954.83), Unit::for_length(2_725.0));
        assert_eq!(near.write_alike(954.83, 954.83), "955 m");
        assert_eq!(
            [1_840.0, 77.0, 2_725.4].map(|metres| far.write_alike(metres, 2_725.4)),
            ["1.84 km", "0.08 km", "2.73 km"]
        );
        assert_eq!(far.write_alike(288_980.0, 511_302.0), "289 km");
    }

    #[test]
    fn factors_have_no_trailing_zeros() {
        assert_eq!([1.0, 2.5, 5000.0, 1e6, 2e6].map(brief), ["1", "2.5", "5000", "10⁶", "2 × 10⁶"]);
    }

    #[test]
    fn steps_are_one_two_or_five() {
        assert_eq!(round_step(0.8), 1.0);
        assert_eq!(round_step(1.2), 2.0);
        assert_eq!(round_step(30.0), 50.0);
        assert_eq!(round_step(70.0), 100.0);
        assert_eq!(round_step(0.0), 1.0);
    }

    #[test]
    fn factors_leave_short_numbers() {
        assert_eq!(common_factor(3000.0), (1.0, String::new()));
        let (factor, text) = common_factor(4.2e-5);
        assert!((factor * 4.2e-5 - 42.0).abs() < 1e-9);
        assert_eq!(text, "10⁻⁶ ");
    }

    #[test]
    fn narrow_ranges_are_read_from_a_round_origin() {
        let read = |low: f64, high: f64| {
            let Reading { written, prefix, .. } = Reading::of([low, high]);
            (written, prefix)
        };
        assert_eq!(read(0.0, 9.0), (String::new(), String::new()));
        assert_eq!(read(99.8, 100.0), (String::new(), String::new()));
        assert_eq!(read(979_812.32, 979_812.61), ("979812".into(), String::new()));
        assert_eq!(read(-9.806653e-6, -9.806648e-6), ("−9.80666 × 10⁻⁶".into(), "10⁻¹² ".into()));
    }
}
