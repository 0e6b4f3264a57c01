//! The unit of length of a file, from its headers.

use crate::error::Result;
use crate::segy::FOOT;
use crate::text::Place;

/// Byte offset of the value of a header.
const VALUE: usize = 32;
/// The US survey foot [m].
const SURVEY_FOOT: f64 = 1200.0 / 3937.0;
/// Largest relative difference between name and factor: files have few digits, and do not distinguish kinds of feet.
const SLACK: f64 = 1e-4;
/// Allowed size of a unit [m]: from a millimetre to a mile.
const ALLOWED: std::ops::RangeInclusive<f64> = 1e-3..=2e3;

/// Unit of length from the headers, in metres.
#[derive(Default)]
pub(super) struct Unit<'a> {
    /// From the name (H20); without a value if the name is unknown.
    named: Option<(Place<'a>, &'a str, Option<f64>)>,
    /// From the factor (H201).
    factor: Option<(Place<'a>, &'a str, f64)>,
}

impl<'a> Unit<'a> {
    /// Evaluates a header line; headers other than those of the unit are ignored.
    ///
    /// # Errors
    /// An invalid factor.
    pub fn read_header(&mut self, place: Place<'a>, line: &'a str) -> Result<()> {
        let value =
            line.get(VALUE..).unwrap_or_default().trim_matches(|letter: char| letter.is_whitespace() || letter == ';');
        if line.starts_with("H201") && value.contains(|letter: char| letter.is_ascii_digit()) {
            let metres = place.finite("factor to metre", value)?;
            if !ALLOWED.contains(&metres) {
                let expected = format!("{} to {}, the metres of one unit", ALLOWED.start(), ALLOWED.end());
                return Err(place.bad_value("factor to metre", value, expected));
            }
            self.factor = Some((place, value, metres));
        } else if line.starts_with("H20") && !line.starts_with("H201") && !is_none(value) {
            self.named = Some((place, value, of_name(value)));
        }
        Ok(())
    }

    /// Metres per unit; `None` if no header gives it.
    ///
    /// # Errors
    /// An unknown name without a factor; a factor that contradicts the name.
    pub fn metres(&self) -> Result<Option<f64>> {
        match (self.factor, self.named) {
            (Some((place, value, metres)), Some((_, name, Some(named)))) if (metres / named - 1.0).abs() > SLACK => {
                Err(place.bad_value("factor to metre", value, format!("{named}, since the unit is `{name}` (H20)")))
            }
            (Some((.., metres)), _) | (None, Some((.., Some(metres)))) => Ok(Some(metres)),
            (None, Some((place, name, None))) => Err(place.bad_value(
                "unit of the grid",
                name,
                "`METRES` or `FEET`, or a factor to metre in a header H201",
            )),
            (None, None) => Ok(None),
        }
    }
}

/// Whether a value means that there is none.
fn is_none(value: &str) -> bool {
    ["", "n/a", "na", "none"].iter().any(|none| value.eq_ignore_ascii_case(none))
}

/// Metres per unit for a known name.
fn of_name(name: &str) -> Option<f64> {
    let name = name.to_ascii_lowercase();
    let has =
        |known: &[&str]| name.split(|letter: char| !letter.is_ascii_alphanumeric()).any(|word| known.contains(&word));
    if has(&["ftus", "usft"]) {
        return Some(SURVEY_FOOT);
    }
    if has(&["feet", "foot", "ft"]) {
        return Some(if has(&["us", "s", "american", "survey"]) { SURVEY_FOOT } else { FOOT });
    }
    has(&["m", "mt", "mts", "mtr", "mtrs", "metre", "metres", "meter", "meters", "metric"]).then_some(1.0)
}
