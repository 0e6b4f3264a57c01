//! The unit of the lengths of a file, as its headers have it.

use crate::error::Result;
use crate::segy::FOOT;
use crate::text::Place;

/// Where the value of a header begins, in bytes.
const VALUE: usize = 32;
/// Metres of the foot that land surveys of the United States are in.
const SURVEY_FOOT: f64 = 1200.0 / 3937.0;
/// By how much name and factor may differ, in parts: files write few digits, and do not tell feet apart.
const SLACK: f64 = 1e-4;
/// Metres that a unit may have: of a millimetre to those of a mile.
const ALLOWED: std::ops::RangeInclusive<f64> = 1e-3..=2e3;

/// What the headers say, each in metres.
#[derive(Default)]
pub(super) struct Unit<'a> {
    /// By its name (H20): none of a unit that is not known by it.
    named: Option<(Place<'a>, &'a str, Option<f64>)>,
    /// By its factor (H201).
    factor: Option<(Place<'a>, &'a str, f64)>,
}

impl<'a> Unit<'a> {
    /// Takes note of a header; others than those of the unit say nothing.
    ///
    /// # Errors
    /// A factor that is none.
    pub fn hear(&mut self, place: Place<'a>, line: &'a str) -> Result<()> {
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

    /// Metres of one unit; `None` where no header says it.
    ///
    /// # Errors
    /// A name that is not known, without a factor; a factor that is not that of the name.
    pub fn metres(&self) -> Result<Option<f64>> {
        match (self.factor, self.named) {
            (Some((place, value, metres)), Some((_, name, Some(named)))) if (metres / named - 1.0).abs() > SLACK => {
                Err(place.bad_value("factor to metre", value, format!("{named}, as the unit is `{name}` (H20)")))
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

/// Whether a value stands for that there is none.
fn is_none(value: &str) -> bool {
    ["", "n/a", "na", "none"].iter().any(|none| value.eq_ignore_ascii_case(none))
}

/// Metres of a unit that is known by its name.
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
