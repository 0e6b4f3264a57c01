//! Positions in SEG-Y: scaled integers in the file, metres in the interface.

use craton_formats::segy::{BinaryHeader, Geometry, Scalars, TraceHeader, best_scalar};
use proptest::prelude::*;

use crate::common::assert_refused;

#[test]
fn the_best_scalar_is_the_coarsest_exact_one() {
    for (lengths, scalar) in [
        (vec![], 1),
        (vec![0.0, 12_000.0, -7.0], 1),
        (vec![0.0, 12.5], -10),
        (vec![643_000.25, 7.0], -100),
        (vec![0.125], -1000),
        (vec![0.123_456_789], -10_000),
        // A UTM northing does not fit in units of 0.1 mm, which another length needs.
        (vec![6_500_000.01, 0.000_1], -100),
    ] {
        assert_eq!(best_scalar(lengths.iter().copied()).unwrap(), scalar, "{lengths:?}");
    }
    assert_refused(best_scalar([3e9]), &["length = 3000000000 m", "move the origin"]);
    assert_refused(best_scalar([f64::NAN]), &["length = NaN m"]);
}

#[test]
fn invalid_scalars_units_and_positions_are_refused() {
    let header = TraceHeader { coordinate_scalar: -10, receiver_x: 12_345, receiver_y: -1, ..TraceHeader::default() };
    let scalar = TraceHeader { coordinate_scalar: -50, ..header.clone() };
    assert_refused(scalar.geometry(1.0), &["coordinate scalar (bytes 71-72) = -50", "10, 100, 1000 or 10000"]);
    let angles = TraceHeader { coordinate_units: 2, ..header.clone() };
    assert_refused(angles.geometry(1.0), &["coordinate units (bytes 89-90) = 2", "project angles"]);
    let feet = BinaryHeader { measurement_system: 2, ..BinaryHeader::default() };
    let unknown = BinaryHeader { measurement_system: 3, ..feet.clone() };
    assert_refused(unknown.metres_per_unit(), &["measurement system (bytes 3255-3256) = 3", "2 (feet)"]);
    let geometry = header.geometry(feet.metres_per_unit().unwrap()).unwrap();
    assert_eq!(geometry.receiver, [1234.5 * 0.3048, -0.1 * 0.3048]);
    let far = Geometry { source: [3e7, 0.0], ..Geometry::default() };
    let scalars = Scalars { coordinates: -100, elevations: 1 };
    assert_refused(
        header.clone().set_geometry(&far, scalars),
        &["source x (bytes 73-76) = 30000000 m", "`best_scalar`"],
    );
}

proptest! {
    #[test]
    fn positions_on_multiples_of_the_unit_survive_a_round_trip(
        numbers in prop::array::uniform11(-20_000_000_i32..20_000_000),
        unit in prop::sample::select(vec![1.0, 10.0, 100.0]),
    ) {
        let [a, b, c, d, e, f, g, h, i, j, k] = numbers.map(|number| f64::from(number) / unit);
        let geometry = Geometry {
            source: [a, b],
            receiver: [c, d],
            cdp: [e, f],
            source_surface_elevation: g,
            source_depth: h,
            receiver_elevation: i,
            source_water_depth: j,
            receiver_water_depth: k,
        };
        let mut header = TraceHeader::default();
        header.set_geometry(&geometry, Scalars::best(|| std::iter::once(geometry)).unwrap()).unwrap();
        prop_assert_eq!(header.geometry(1.0).unwrap(), geometry);
        prop_assert!((f64::from(header.offset) - geometry.offset()).abs() <= 0.5);
    }
}
