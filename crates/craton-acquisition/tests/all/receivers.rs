//! Receiver codes are unique and stable; lines and grids have the requested positions.

use craton_acquisition::{AxisNames, Quantity, Receiver, Receivers};

#[test]
fn a_line_includes_its_ends_and_has_equal_spacing() {
    let line = Receivers::line("XX.L", [0.0, 0.0, -1.0], [10.0, 20.0, -1.0], 3).unwrap();
    let positions: Vec<_> = line.iter().map(Receiver::position).collect();
    assert_eq!(positions, [[0.0, 0.0, -1.0], [5.0, 10.0, -1.0], [10.0, 20.0, -1.0]]);
    let alone = Receivers::line("XX.L", [1.0, 2.0, 3.0], [9.0; 3], 1).unwrap();
    assert_eq!(alone[0].position(), [1.0, 2.0, 3.0]);
}

#[test]
fn codes_do_not_change_when_a_line_grows() {
    let short = Receivers::line("XX.L", [0.0; 3], [1.0; 3], 9).unwrap();
    let long = Receivers::line("XX.L", [0.0; 3], [1.0; 3], 900).unwrap();
    assert_eq!(short[8].code(), "XX.L0009");
    assert_eq!(long[8].code(), "XX.L0009");
}

#[test]
fn a_grid_counts_along_x_first() {
    let grid = Receivers::grid("XX.G", [0.0, 2.0], [10.0, 11.0], [3, 2], -5.0).unwrap();
    assert_eq!(grid.len(), 6);
    assert_eq!(grid[1].position(), [1.0, 10.0, -5.0]);
    assert_eq!(grid[3].position(), [0.0, 11.0, -5.0]);
    assert_eq!(grid[5].code(), "XX.G0006");
}

#[test]
fn duplicate_codes_are_refused_with_both_receivers() {
    let receiver = |code, x| Receiver::new(code, [x, 0.0, 0.0]).unwrap();
    let error = Receivers::new(vec![receiver("XX.A", 1.0), receiver("XX.B", 2.0), receiver("XX.A", 3.0)]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "receivers 1 and 3 (counted from 1) have the same code \"XX.A\", at [1.0, 0.0, 0.0] and [3.0, 0.0, 0.0] m; \
         give each a unique code"
    );
    let line = || Receivers::line("XX.L", [0.0; 3], [1.0; 3], 2).unwrap();
    assert!(line().join(line()).is_err());
}

#[test]
fn codes_unsuitable_for_file_names_are_refused() {
    for code in ["XX", "XX.", "XX.A.B.C", "XX.A/B", "XX.é"] {
        assert!(Receiver::new(code, [0.0; 3]).is_err(), "{code}");
    }
    let error = Receiver::new("XX.A B", [0.0; 3]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "receiver code \"XX.A B\" is not allowed: it contains a character that is not allowed; write NET.STA or NET.STA.LOC with \
         ASCII letters, digits, '-' and '_', at most 32 characters each"
    );
    let located = Receiver::new("XX.S10.00", [0.0; 3]).unwrap();
    assert_eq!((located.code().as_str(), located.location()), ("XX.S10.00", Some("00")));
}

#[test]
fn invalid_positions_and_empty_lines_are_refused() {
    let error = Receiver::new("XX.S1", [0.0, 0.0, f64::NAN]).unwrap_err();
    assert!(error.to_string().starts_with("receiver XX.S1, z = NaN"));
    assert!(Receivers::line("XX.L", [0.0; 3], [1.0; 3], 0).is_err());
}

#[test]
fn component_names_depend_on_the_axes() {
    assert_eq!(Quantity::Velocity.components(AxisNames::Geographic), ["E", "N", "Z"]);
    assert_eq!(Quantity::Velocity.components(AxisNames::Cartesian), ["X", "Y", "Z"]);
    assert_eq!(Quantity::Strain.components(AxisNames::Geographic)[3], "NZ");
    assert_eq!(Quantity::Pressure.components(AxisNames::Cartesian), ["P"]);
}
