//! The main field of the Earth, and directions by inclination and declination.

use crate::cases::{numbers, rows};
use craton_gravity::{Direction, Igrf};

#[test]
fn fields_match_ppigrf_to_a_hundredth_of_a_nanotesla() {
    let rows = rows("igrf.csv");
    assert_eq!(rows.len(), 42);
    for row in rows {
        let row = numbers(&row);
        let field = Igrf::get().field(row[0], row[1], row[2], row[3]).expect("a place and a year of the model");
        for (component, exact) in field.into_iter().zip(&row[4..]) {
            assert!(
                (component * 1e9 - exact).abs() < 0.001,
                "{field:?} T instead of {:?} nT at {:?}",
                &row[4..],
                &row[..4]
            );
        }
    }
}

#[test]
fn fields_are_continuous_over_poles_and_the_date_line() {
    let model = Igrf::get();
    let at = |longitude, latitude| model.field(2025.0, longitude, latitude, 0.0).expect("a place");
    for latitude in [-90.0, 90.0] {
        // At a pole the frame turns with the longitude, the field does not.
        let [east, north, up] = at(0.0, latitude);
        let turned = at(90.0, latitude);
        let expected = [latitude.signum() * north, -latitude.signum() * east, up];
        assert!(turned.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-16), "{turned:?}, not {expected:?}");
    }
    let [west, east] = [-180.0, 180.0].map(|longitude| at(longitude, 40.0));
    assert!(west.iter().zip(east).all(|(a, b)| (a - b).abs() < 1e-18));
}

#[test]
fn dates_are_decimal_years_and_ranges_are_checked() {
    let year = |y, m, d| Igrf::decimal_year(y, m, d);
    assert_eq!(year(2025, 1, 1), Some(2025.0));
    assert_eq!(year(2024, 12, 31), Some(2024.0 + 365.0 / 366.0));
    assert_eq!(year(2023, 7, 2), Some(2023.0 + 182.0 / 365.0));
    for (y, m, d) in [(2023, 2, 29), (1900, 2, 29), (2023, 0, 1), (2023, 13, 1), (2023, 4, 31), (2023, 4, 0)] {
        assert_eq!(year(y, m, d), None, "{y}-{m}-{d}");
    }
    assert!(year(2000, 2, 29).is_some());
    let refused = |year, latitude| Igrf::get().field(year, 0.0, latitude, 0.0).expect_err("refused").to_string();
    assert_eq!(refused(2031.0, 0.0), "the year of the main field is 2031, but must be 1900 to 2030");
    assert_eq!(refused(2020.0, 90.5), "the latitude is 90.5, but must be -90 to 90");
    assert!(refused(f64::NAN, 0.0).contains("NaN"));
}

#[test]
fn directions_and_vectors_are_inverse() {
    assert_eq!(Direction { inclination: 90.0, declination: 17.0 }.vector(), [0.0, 0.0, -1.0]);
    assert_eq!(Direction { inclination: 0.0, declination: 90.0 }.vector(), [1.0, 0.0, 0.0]);
    assert_eq!(Direction { inclination: 0.0, declination: -180.0 }.vector(), [0.0, -1.0, 0.0]);
    for (inclination, declination) in [(63.2, -3.5), (-40.0, 170.0), (1e-9, 0.0), (89.999, -120.0)] {
        let back = Direction::of(Direction { inclination, declination }.vector().map(|x| 48e-6 * x));
        assert!(
            (back.inclination - inclination).abs() < 1e-9 && (back.declination - declination).abs() < 1e-9,
            "{back:?}"
        );
    }
}
