//! Units of perturbation files, which have many spellings.

use craton_formats::volume::bare_unit;
use craton_model::MapValues;

use crate::config::PerturbationUnits;

/// Whether values are relative, and the factor that converts them to SI units or fractions.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Unit {
    pub meaning: MapValues,
    pub factor: f64,
}

impl Unit {
    fn relative(factor: f64) -> Self {
        Self { meaning: MapValues::Relative, factor }
    }

    fn absolute(factor: f64) -> Self {
        Self { meaning: MapValues::Absolute, factor }
    }
}

impl From<PerturbationUnits> for Unit {
    fn from(units: PerturbationUnits) -> Self {
        match units {
            PerturbationUnits::Percent => Self::relative(0.01),
            PerturbationUnits::Fraction => Self::relative(1.0),
            PerturbationUnits::KmS => Self::absolute(1000.0),
            PerturbationUnits::Si => Self::absolute(1.0),
        }
    }
}

/// The unit of speeds or densities of an attribute, if it is known.
///
/// # Arguments
/// * `is_density` – whether the quantity is a density
pub fn of_values(attribute: &str, is_density: bool) -> Option<Unit> {
    match (&*plain(attribute), is_density) {
        ("%" | "percent" | "pct" | "percentage", _) => Some(Unit::relative(0.01)),
        ("fraction" | "1" | "dimensionless" | "ratio", _) => Some(Unit::relative(1.0)),
        ("km/s" | "kms-1" | "kmpers", false) => Some(Unit::absolute(1000.0)),
        ("m/s" | "ms-1" | "mpers", false) => Some(Unit::absolute(1.0)),
        ("g/cm3" | "gcm-3" | "g/cc" | "gm/cm3" | "gm/cc", true) => Some(Unit::absolute(1000.0)),
        ("kg/m3" | "kgm-3", true) => Some(Unit::absolute(1.0)),
        _ => None,
    }
}

/// Words and the symbols for which they stand.
const WORDS: [(&str, [&str; 4]); 5] = [
    ("km", ["kilometer", "kilometers", "kilometre", "kilometres"]),
    ("m", ["meter", "meters", "metre", "metres"]),
    ("s", ["sec", "second", "seconds", "secs"]),
    ("g", ["gram", "grams", "gramme", "grammes"]),
    ("kg", ["kilogram", "kilograms", "kilogramme", "kilogrammes"]),
];

/// A unit as returned by [`bare_unit`], with symbols instead of words.
fn plain(attribute: &str) -> String {
    let lower = attribute.to_lowercase();
    let symbols = lower.split_inclusive(|letter: char| !letter.is_alphabetic()).flat_map(|piece| {
        let (word, rest) = piece.split_at(piece.find(|letter: char| !letter.is_alphabetic()).unwrap_or(piece.len()));
        let known = WORDS.into_iter().find(|(_, words)| words.contains(&word));
        [known.map_or(word, |(symbol, _)| symbol), rest]
    });
    bare_unit(&symbols.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_have_several_names() {
        for (attribute, unit) in [
            ("percent", Unit::relative(0.01)),
            ("( % )", Unit::relative(0.01)),
            ("km.s-1", Unit::absolute(1000.0)),
            ("km s^-1", Unit::absolute(1000.0)),
            ("m/s", Unit::absolute(1.0)),
            ("kilometer sec^-1", Unit::absolute(1000.0)),
            ("Kilometers per second", Unit::absolute(1000.0)),
            ("km/sec", Unit::absolute(1000.0)),
            ("meters/second", Unit::absolute(1.0)),
        ] {
            assert_eq!(of_values(attribute, false), Some(unit), "{attribute}");
        }
        for attribute in ["g.cm-3", "g/cm^3", "g cm**-3"] {
            assert_eq!(of_values(attribute, true), Some(Unit::absolute(1000.0)), "{attribute}");
        }
        assert_eq!(of_values("kg m-3", true), Some(Unit::absolute(1.0)));
        for (attribute, is_density) in [("kg/m3", false), ("km/s", true), ("count", false), ("", false)] {
            assert_eq!(of_values(attribute, is_density), None, "{attribute}");
        }
        assert_eq!(of_values("grams per cm3", true), None);
        assert_eq!(of_values("grams/cm3", true), Some(Unit::absolute(1000.0)));
    }
}
