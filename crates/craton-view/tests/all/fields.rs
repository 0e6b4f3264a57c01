//! Maps and profiles of fields: values have the documented colours and positions; invalid input is rejected.

use std::path::Path;

use crate::drawing::{PAPER, Picture, drawn};
use craton_view::*;

const SIZE: [usize; 2] = [30, 20];

fn grid(values: &[f64]) -> FieldSamples<'_> {
    FieldSamples::Grid(Raster { size: SIZE, x: [0.0, 2900.0], y: [-1900.0, 0.0], values })
}

fn panel(samples: FieldSamples<'_>) -> FieldPanel<'_> {
    FieldPanel { title: "g_u", unit: "mGal", samples, colours: FieldColours::default(), place: None }
}

fn options() -> FieldMapOptions<'static> {
    FieldMapOptions { paper: PAPER, ..FieldMapOptions::default() }
}

fn draw(panels: &[FieldPanel<'_>]) -> Picture {
    drawn(|path| field_maps(panels, &options(), path)).unwrap()
}

/// The mean of the two middle colours of Vik.
fn middle() -> [u8; 3] {
    let vik = include_bytes!("../../assets/vik.rgb");
    [0, 1, 2].map(|i| ((f64::from(vik[3 * 127 + i]) + f64::from(vik[3 * 128 + i])) / 2.0).round() as u8)
}

/// Left, right, top and bottom of all pixels of a colour in some columns.
fn bounds(picture: &Picture, columns: std::ops::Range<u32>, colour: [u8; 3]) -> [u32; 4] {
    let pixels = columns.flat_map(|column| (0..600).map(move |row| (column, row)));
    let found = pixels.filter(|&(column, row)| picture.pixel(column, row) == colour);
    found.fold([u32::MAX, 0, u32::MAX, 0], |[left, right, top, bottom], (column, row)| {
        [left.min(column), right.max(column), top.min(row), bottom.max(row)]
    })
}

/// The panel of one field of zeros and its bounds inside the frame.
fn zeros() -> (Picture, [u32; 4]) {
    let values = [0.0; 600];
    let colours = FieldColours { map: Some(ColourMap::Vik), ..FieldColours::default() };
    let picture = draw(&[FieldPanel { colours, ..panel(grid(&values)) }]);
    let [left, _, top, bottom] = bounds(&picture, 0..300, middle());
    // The colour bar outside the panel contains the same colour.
    let is_inside = |column: &u32| picture.pixel(*column, (top + bottom) / 2) == middle();
    let right = (left..900).take_while(is_inside).last().unwrap();
    (picture, [left, right, top, bottom])
}

#[test]
fn zero_has_the_middle_colour_and_both_axes_have_one_scale() {
    let (_, [left, right, top, bottom]) = zeros();
    // The frame hides a pixel or less on each side.
    let (width, height) = (f64::from(right + 3 - left), f64::from(bottom + 3 - top));
    assert!(width > 400.0 && (width / height - 2900.0 / 1900.0).abs() < 0.015, "{width} {height}");
}

#[test]
fn extreme_values_have_the_end_colours_and_north_is_up() {
    let values: Vec<f64> = (0..600).map(|i| if i < 300 { -4.0 } else { 4.0 }).collect();
    let picture = draw(&[panel(grid(&values))]);
    let (_, [left, right, top, bottom]) = zeros();
    let column = (left + right) / 2;
    assert_eq!(picture.pixel(column, bottom - 9), [0, 18, 97]);
    let vik = include_bytes!("../../assets/vik.rgb");
    assert_eq!(picture.pixel(column, top + 9), [vik[765], vik[766], vik[767]]);
}

#[test]
fn missing_values_are_white_and_outliers_do_not_change_other_colours() {
    let mut values: Vec<f64> = (0..600).map(|i| f64::from(i % 30) - 14.5).collect();
    let usual = draw(&[panel(grid(&values))]);
    values[14 + 30 * 10] = 1e12;
    (values[0], values[1], values[30], values[31]) = (f64::NAN, f64::NAN, f64::NAN, f64::NAN);
    let picture = draw(&[panel(grid(&values))]);
    let (_, [left, right, top, bottom]) = zeros();
    assert_eq!(picture.pixel(left + 9, bottom - 9), [255; 3]);
    // Far from the gap and the outlier nothing changes.
    for (column, row) in [(left + 40, top + 40), (right - 9, top + 9), (right - 40, bottom - 40)] {
        assert_eq!(picture.pixel(column, row), usual.pixel(column, row));
    }
}

#[test]
fn contours_connect_or_separate_the_corners_of_a_saddle() {
    let (_, [left, right, top, bottom]) = zeros();
    let middle = [(left + right) / 2, (top + bottom) / 2];
    // Along the diagonal from the south-west to the north-east through the middle, where the saddle point is.
    for (low, crossed) in [(-1.5, false), (-2.2, true)] {
        let values = [4.0, low, low, 1.0];
        let raster = Raster { size: [2, 2], x: [0.0, 2900.0], y: [-1900.0, 0.0], values: &values };
        let colours = FieldColours { range: Some([-0.01, 0.01]), ..FieldColours::default() };
        let one = [FieldPanel { colours, ..panel(FieldSamples::Grid(raster)) }];
        let plain = draw(&one);
        let lined = drawn(|path| field_maps(&one, &FieldMapOptions { contours: true, ..options() }, path)).unwrap();
        let differs = |column, row| plain.pixel(column, row) != lined.pixel(column, row);
        let changed = (left..right).flat_map(|column| (top..bottom).map(move |row| (column, row)));
        let count = changed.filter(|&(column, row)| differs(column, row)).count();
        assert!(count > 300, "{count}");
        let crossings = (0..200).filter(|step| {
            let along = |ends: [u32; 2]| ends[0] + (ends[1] - ends[0]) * step / 200;
            differs(along([left + 3, right - 3]), bottom + top - along([top + 3, bottom - 3]))
        });
        assert_eq!(crossings.count() > 0, crossed, "{low} {middle:?}");
    }
}

#[test]
fn dots_have_their_positions_and_colours() {
    let positions = [[0.0, 0.0], [1000.0, 0.0], [0.0, 500.0], [500.0, 250.0]];
    let values = [-1.0, 0.0, 1.0, f64::NAN];
    let picture = draw(&[panel(FieldSamples::Points(&positions, &values))]);
    let vik = include_bytes!("../../assets/vik.rgb");
    let centre = |colour: [u8; 3]| {
        let [left, right, top, bottom] = bounds(&picture, 0..740, colour);
        assert!(right - left < 20 && bottom - top < 20, "{colour:?} must be one dot");
        [f64::from(left + right) / 2.0, f64::from(top + bottom) / 2.0]
    };
    let [a, b, c] = [[0, 18, 97], middle(), [vik[765], vik[766], vik[767]]].map(centre);
    assert!((a[1] - b[1]).abs() <= 1.0 && (a[0] - c[0]).abs() <= 1.0);
    assert!(((b[0] - a[0]) / (a[1] - c[1]) - 2.0).abs() < 0.02, "{a:?} {b:?} {c:?}");
    let gap = [(b[0] + a[0]) / 2.0, (a[1] + c[1]) / 2.0].map(|middle| middle.round() as u32);
    assert_eq!(picture.pixel(gap[0], gap[1]), [255; 3]);
}

#[test]
fn dots_are_visible_and_do_not_cover_one_another() {
    for count in [50_u32, 2000, 20_000] {
        let place = |i: u32| {
            let golden = 0.618_033_988_749_895 * f64::from(i);
            [1000.0 * golden.fract(), 600.0 * f64::from(i) / f64::from(count)]
        };
        let positions: Vec<[f64; 2]> = (0..count).map(place).collect();
        let values = vec![0.0; positions.len()];
        let colours = FieldColours { map: Some(ColourMap::Vik), range: Some([-1.0, 1.0]), ..FieldColours::default() };
        let picture = draw(&[FieldPanel { colours, ..panel(FieldSamples::Points(&positions, &values)) }]);
        // Pixels on a rim count by their covered fraction.
        let covered = |colour: [u8; 3]| f64::min(1.0, f64::from(255 - colour[1]) / f64::from(255 - middle()[1]));
        let inside = (60..500).flat_map(|row| (100..600).map(move |column| (column, row)));
        let inked = inside.map(|(column, row)| covered(picture.pixel(column, row))).sum::<f64>() / 220_000.0;
        assert!((0.02..0.75).contains(&inked), "{count}: {inked}");
        assert!(count < 2000 || inked > 0.3, "{count}: {inked}");
    }
}

#[test]
fn outlines_are_drawn_only_inside_the_panel() {
    let (bare, [left, right, top, bottom]) = zeros();
    let values = [0.0; 600];
    let colours = FieldColours { map: Some(ColourMap::Vik), ..FieldColours::default() };
    let outlines = [vec![[-9e3, -1000.0], [9e3, -1000.0]], vec![[1000.0, -9e3], [1000.0, 9e3], [1e4, 9e3]]];
    let options = FieldMapOptions { outlines: &outlines, ..options() };
    let one = [FieldPanel { colours, ..panel(grid(&values)) }];
    let picture = drawn(|path| field_maps(&one, &options, path)).unwrap();
    let changed: Vec<(u32, u32)> = (0..900)
        .flat_map(|column| (0..600).map(move |row| (column, row)))
        .filter(|&(column, row)| bare.pixel(column, row) != picture.pixel(column, row))
        .collect();
    assert!(changed.len() > 2000, "{}", changed.len());
    let reach = 4;
    assert!(changed.iter().all(|&(column, row)| {
        (left - reach..=right + reach).contains(&column) && (top - reach..=bottom + reach).contains(&row)
    }));
}

#[test]
fn logarithmic_colours_are_even_steps_for_equal_ratios() {
    let batlow = include_bytes!("../../assets/batlow.rgb");
    let at = |entry: usize| [batlow[3 * entry], batlow[3 * entry + 1], batlow[3 * entry + 2]];
    let values: Vec<f64> = (0..600)
        .map(|i| {
            if i % 30 < 10 {
                1e-9
            } else if i % 30 < 20 {
                0.0
            } else {
                1e-4
            }
        })
        .collect();
    let colours = FieldColours { logarithmic: true, range: Some([1e-9, 1e-4]), ..FieldColours::default() };
    let picture = draw(&[FieldPanel { colours, ..panel(grid(&values)) }]);
    let (_, [left, right, top, bottom]) = zeros();
    let row = (top + bottom) / 2;
    for (part, entry) in [(0.15, 0), (0.5, 0), (0.9, 255)] {
        let column = left + (f64::from(right - left) * part) as u32;
        assert_eq!(picture.pixel(column, row), at(entry), "{part}");
    }
}

#[test]
fn any_number_of_panels_is_drawn_also_on_the_smallest_paper() {
    let values: Vec<f64> = (0..600).map(|i| f64::from(i % 37) * 1e-7).collect();
    for count in 1..=12 {
        draw(&vec![panel(grid(&values)); count]);
    }
    let paper = Paper { width: 160.0, height: Some(160.0), scale: 1.0 };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("small.png");
    field_maps(&[panel(grid(&values)); 12], &FieldMapOptions { paper, contours: true, ..options() }, &path).unwrap();
    let curve = ProfileCurve { label: "", places: &[0.0, 1.0], values: &[1.0, 2.0] };
    let profile = ProfilePanel { title: "", unit: "", curves: &[curve] };
    for axis in [ProfileAxis::Distance, ProfileAxis::Depth] {
        let options = FieldProfileOptions { paper, axis, ..FieldProfileOptions::default() };
        field_profile(&[profile; 12], &options, &path).unwrap();
    }
    assert_eq!(Picture::read(&path).size, (160, 160));
}

#[test]
fn maps_that_cannot_be_drawn_are_refused() {
    let mut values = vec![1.0; 600];
    let refused = |panels: &[FieldPanel<'_>]| field_maps(panels, &options(), "never.png").unwrap_err();
    assert!(matches!(refused(&[]), Error::Nothing { what: "panels" }));
    assert!(matches!(refused(&[panel(grid(&values)); 13]), Error::TooMany { count: 13, most: 12, .. }));
    assert!(matches!(refused(&[panel(grid(&values[1..]))]), Error::Length { found: 599, expected: 600, .. }));
    assert!(matches!(refused(&[panel(grid(&[f64::NAN; 600]))]), Error::Nothing { .. }));
    assert!(matches!(refused(&[panel(FieldSamples::Points(&[], &[]))]), Error::Nothing { .. }));
    let points = FieldSamples::Points(&[[0.0, 0.0], [1.0, f64::NAN]], &[1.0, 2.0]);
    let error = refused(&[panel(points)]).to_string();
    assert!(error.starts_with("the position of point 2 of the field g_u is NaN"), "{error}");
    assert!(matches!(refused(&[panel(FieldSamples::Points(&[[0.0; 2]], &[]))]), Error::Length { found: 0, .. }));
    let twice = [FieldPanel { place: Some([1, 1]), ..panel(grid(&values)) }; 2];
    assert!(refused(&twice).to_string().contains("row 1, column 1, which panel g_u occupies"));
    let colours = FieldColours { range: Some([2.0, 1.0]), ..FieldColours::default() };
    assert!(matches!(refused(&[FieldPanel { colours, ..panel(grid(&values)) }]), Error::Range { .. }));
    let outlines = [vec![[0.0, f64::INFINITY]]];
    let lost = FieldMapOptions { outlines: &outlines, ..options() };
    assert!(matches!(field_maps(&[panel(grid(&values))], &lost, "never.png"), Err(Error::NotFinite { .. })));
    values[7] = f64::NEG_INFINITY;
    assert!(matches!(refused(&[panel(grid(&values))]), Error::NotFinite { index: 7, .. }));
    assert!(!Path::new("never.png").exists());
}

const BLUE: [u8; 3] = [0, 114, 178];

fn profile(curves: &[ProfileCurve<'_>], axis: ProfileAxis) -> Picture {
    let options = FieldProfileOptions { paper: PAPER, axis, ..FieldProfileOptions::default() };
    drawn(|path| field_profile(&[ProfilePanel { title: "g_u", unit: "mGal", curves }], &options, path)).unwrap()
}

#[test]
fn depth_points_downwards_and_nan_interrupts_curves() {
    let places: Vec<f64> = (0..=100).map(f64::from).collect();
    let values: Vec<f64> = places.iter().map(|&place| if place < 75.0 { 1.0 } else { f64::NAN }).collect();
    let [_, _, top, bottom] = bounds(
        &profile(&[ProfileCurve { label: "a", places: &places, values: &places }], ProfileAxis::Depth),
        0..900,
        BLUE,
    );
    // The curve of depth itself runs from the upper left to the lower right corner.
    assert!(bottom - top > 400, "{top} {bottom}");
    let broken = profile(&[ProfileCurve { label: "a", places: &places, values: &values }], ProfileAxis::Depth);
    let [left, right, first, last] = bounds(&broken, 0..900, BLUE);
    assert!(right - left < 3 && first.abs_diff(top) < 3, "{left} {right} {first} {top}");
    assert!((f64::from(last - first) / f64::from(bottom - top) - 0.74).abs() < 0.01, "{first} {last}");
}

#[test]
fn coinciding_curves_are_both_visible() {
    let places: Vec<f64> = (0..=100).map(f64::from).collect();
    let curve = |label| ProfileCurve { label, places: &places, values: &places };
    let picture = profile(&[curve("measured"), curve("computed")], ProfileAxis::Distance);
    let (measured, computed) = (picture.count(BLUE), picture.count([213, 94, 0]));
    assert!(measured > 300 && computed > 300, "{measured} {computed}");
}

#[test]
fn profiles_that_cannot_be_drawn_are_refused() {
    let draw = |curves: &[ProfileCurve<'_>], count: usize| {
        let panel = ProfilePanel { title: "g_u", unit: "mGal", curves };
        field_profile(&vec![panel; count], &FieldProfileOptions::default(), "never.png").unwrap_err()
    };
    let curve = ProfileCurve { label: "a", places: &[0.0, 1.0], values: &[1.0, 2.0] };
    assert!(matches!(draw(&[curve], 0), Error::Nothing { what: "panels" }));
    assert!(matches!(draw(&[curve], 13), Error::TooMany { .. }));
    assert!(matches!(draw(&[], 1), Error::Nothing { .. }));
    assert!(matches!(
        draw(&[ProfileCurve { values: &[1.0], ..curve }], 1),
        Error::Length { found: 1, expected: 2, .. }
    ));
    let error = draw(&[ProfileCurve { places: &[0.0, f64::NAN], ..curve }], 1).to_string();
    assert!(error.starts_with("a place of curve \"a\" of g_u is NaN at index 1"), "{error}");
    let infinite = ProfileCurve { values: &[1.0, f64::INFINITY], ..curve };
    assert!(matches!(draw(&[infinite], 1), Error::NotFinite { index: 1, .. }));
    assert!(!Path::new("never.png").exists());
}
