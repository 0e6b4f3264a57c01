//! Variables with their coordinates.

use super::*;
use crate::common::assert_refused;
use craton_formats::netcdf::{Cells, read_cells, read_volume};
use craton_formats::volume::Axis;

/// A plane of `vs` over depth and distance, both with coordinates.
fn plane() -> Dataset {
    let kilometres = vec![Attribute::text("units", "km")];
    Dataset {
        dimensions: vec![Dimension::new("depth", 2), Dimension::new("distance", 3)],
        variables: vec![
            Variable { attributes: kilometres, ..variable("depth", DataType::F64, &[0]) },
            variable("distance", DataType::F64, &[1]),
            variable("vs", DataType::F32, &[0, 1]),
        ],
        ..Dataset::default()
    }
}

const VS: &[f64] = &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0];

#[test]
fn a_model_is_read_with_its_axes() {
    let volume = read_volume(&sample("scipy_cdf1.nc"), None).unwrap();
    let [longitude, latitude, depth] = volume.axes() else { panic!("{:?}", volume.axes()) };
    assert_eq!(*depth, Axis::new(2, 0.0, 25.0).named("depth", "km"));
    assert_eq!((latitude.count, &*latitude.label, &*latitude.unit), (3, "latitude", "degrees_north"));
    assert_eq!((longitude.count, longitude.origin, &*longitude.label), (4, 30.0, "longitude"));
    // The coordinates are in single precision.
    assert!((latitude.spacing - 0.1).abs() < 1e-6 && (longitude.spacing - 0.1).abs() < 1e-6);
    assert_eq!(volume.value(&[3, 2, 1]), 3.0 + 0.125 * 23.0);
    assert_eq!(volume.value(&[1, 0, 0]), 3.125);
}

#[test]
fn axes_may_descend_lack_coordinates_and_have_one_point() {
    let mut dataset = plane();
    dataset.variables.remove(1);
    let (_folder, path) = written(&dataset, &[&[5.0, 2.5], VS]).unwrap();
    let wanted = [Axis::new(3, 0.0, 1.0).named("distance", ""), Axis::new(2, 5.0, -2.5).named("depth", "km")];
    assert_eq!(read_volume(&path, None).unwrap().axes(), wanted);
    dataset.dimensions[0].length = 1;
    let (_folder, path) = written(&dataset, &[&[5.0], &VS[..3]]).unwrap();
    assert_eq!(read_volume(&path, None).unwrap().axes(), &wanted[..1]);
    dataset.dimensions[1].length = 1;
    dataset.dimensions[0].length = 2;
    let (_folder, path) = written(&dataset, &[&[5.0, 2.5], &VS[..2]]).unwrap();
    let one = Axis::new(1, 0.0, 1.0).named("distance", "");
    assert_eq!(read_volume(&path, Some("vs")).unwrap().axes(), [one, wanted[1].clone()]);
}

#[test]
fn coordinates_are_even_within_a_hundredth_of_their_spacing() {
    let rounded: &[f64] = &[0.0, 9.91, 20.0];
    let (_folder, path) = written(&plane(), &[&[0.0, 1.0], rounded, VS]).unwrap();
    assert_eq!(read_volume(&path, None).unwrap().axes()[0].spacing, 10.0);
    for (places, fragments) in [
        ([0.0, 9.89, 20.0], ["a.nc: coordinate 1 of distance = 9.89; expected 10, for even steps of 10", "within 1 %"]),
        ([0.0, f64::NAN, 20.0], ["coordinate 1 of distance = NaN", "interpolate the values to even steps"]),
        ([0.0, 0.0, 0.0], ["axis 1 = 3 points from 0 by 0", "a spacing other than 0"]),
    ] {
        let (_folder, path) = written(&plane(), &[&[0.0, 1.0], &places, VS]).unwrap();
        assert_refused(read_volume(&path, None), &fragments);
    }
}

#[test]
fn several_variables_are_listed() {
    let mut dataset = plane();
    dataset.variables.push(variable("rho", DataType::F32, &[0, 1]));
    dataset.variables.push(variable("depth_bounds", DataType::F32, &[0, 1]));
    dataset.variables.push(variable("latitude", DataType::F32, &[0, 1]));
    dataset.variables.push(variable("crs", DataType::I32, &[]));
    dataset.variables[0].attributes.push(Attribute::text("bounds", "depth_bounds"));
    dataset.variables[2].attributes.push(Attribute::text("coordinates", "longitude latitude"));
    let (_folder, path) = written(&dataset, &[&[0.0, 1.0], &[0.0, 1.0, 2.0], VS, VS, VS, VS, &[1.0]]).unwrap();
    let list = "variables = vs(depth = 2, distance = 3), rho(depth = 2, distance = 3); expected one; name the variable";
    assert_refused(read_volume(&path, None), &[list]);
    assert_eq!(read_volume(&path, Some("rho")).unwrap().values(), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    assert_eq!(read_volume(&path, Some("depth")).unwrap().values(), [0.0, 1.0]);
    assert_refused(read_volume(&path, Some("crs")), &["number of dimensions of crs = 0"]);
    assert_refused(read_volume(&path, Some("vx")), &["variable = vx", "depth, distance, vs, rho"]);
    dataset.variables.truncate(2);
    let (_folder, path) = written(&dataset, &[&[0.0, 1.0], &[0.0, 1.0, 2.0]]).unwrap();
    assert_refused(read_volume(&path, None), &["variables = none with values on a grid"]);
}

#[test]
fn a_missing_value_is_nan() {
    let (_folder, path) =
        written(&plane(), &[&[0.0, 1.0], &[0.0, 1.0, 2.0], &[1.0, 2.0, 3.0, 4.0, f64::NAN, 6.0]]).unwrap();
    let missing = |path: &Path, name| {
        let volume = read_volume(path, name).unwrap();
        volume.values().iter().position(|value| value.is_nan())
    };
    assert_eq!(missing(&path, None), Some(4));
    assert_eq!(missing(&sample("netcdf4_cdf2.nc"), Some("temperature")), Some(2));
}

/// Cells of `vs` in a file with these values.
fn cells(dataset: &Dataset, values: &[&[f64]]) -> Result<Cells> {
    let (_folder, path) = written(dataset, values)?;
    read_cells(&path, Some("vs"))
}

/// [`plane`] with bounds of the distances.
fn bounded() -> Dataset {
    let mut bounded = plane();
    bounded.dimensions.push(Dimension::new("ends", 2));
    bounded.variables[1].attributes = vec![Attribute::text("bounds", "distance_bounds")];
    bounded.variables.push(variable("distance_bounds", DataType::F64, &[1, 2]));
    bounded
}

#[test]
fn cell_boundaries_are_halfway_between_points_or_given_by_bounds() {
    let (read, bounded) = (cells, bounded());
    let uneven: &[f64] = &[0.0, 10.0, 40.0];
    let cells = read(&plane(), &[&[5.0, 2.5], uneven, VS]).unwrap();
    assert_eq!(cells.values, VS);
    let axes: Vec<_> = cells.axes.iter().map(|axis| (&*axis.label, &*axis.unit, &axis.planes[..])).collect();
    assert_eq!(axes, [("distance", "", &[-5.0, 5.0, 25.0, 55.0][..]), ("depth", "km", &[6.25, 3.75, 1.25][..])]);
    // Rounded coordinates count as even.
    let cells = read(&plane(), &[&[0.0, 1.0], &[0.0, 9.91, 20.0], VS]).unwrap();
    assert_eq!(cells.axes[0].planes, [-5.0, 5.0, 15.0, 25.0]);
    let bounds: &[f64] = &[-1.0, 8.0, 8.0, 30.0, 30.0, 33.0];
    let cells = read(&bounded, &[&[0.0, 1.0], uneven, VS, bounds]).unwrap();
    assert_eq!(cells.axes[0].planes, [-1.0, 8.0, 30.0, 33.0]);
    let descending: &[f64] = &[30.0, 33.0, 8.0, 30.0, -1.0, 8.0];
    let cells = read(&bounded, &[&[0.0, 1.0], &[40.0, 10.0, 0.0], VS, descending]).unwrap();
    assert_eq!(cells.axes[0].planes, [33.0, 30.0, 8.0, -1.0]);
    let gap: &[f64] = &[-1.0, 8.0, 9.0, 30.0, 30.0, 33.0];
    let refused = read(&bounded, &[&[0.0, 1.0], uneven, VS, gap]);
    assert_refused(refused, &["cell 1 of distance_bounds = 9 to 30", "start at 8"]);
    let refused = read(&plane(), &[&[0.0, 1.0], &[0.0, 10.0, 5.0], VS]);
    assert_refused(refused, &["coordinate 2 of distance = 5", "monotonic coordinates"]);
    let mut single = plane();
    single.dimensions[0].length = 1;
    assert_refused(read(&single, &[&[0.0], uneven, &VS[..3]]), &["coordinates of depth", "bounds"]);
    assert_refused(
        read(&plane(), &[&[0.0, 1.0], uneven, &[1.0, 2.0, f64::NAN, 4.0, 5.0, 6.0]]),
        &["value 2 of vs", "fill the missing values"],
    );
}

#[test]
fn bounds_may_be_in_single_precision_or_missing() {
    let places: &[f64] = &[4e5, 4e5 + 10.0, 4e5 + 20.0];
    // Shared bounds are rounded to 1/32 of a metre here.
    let apart = |gap: f64| [4e5 - 5.0, 4e5 + 5.0, 4e5 + 5.0 + gap, 4e5 + 15.0, 4e5 + 15.0, 4e5 + 25.0];
    let read = |dataset: &Dataset, gap: f64| cells(dataset, &[&[0.0, 1.0], places, VS, &apart(gap)]);
    let even = apart(0.0);
    for gap in [1.0 / 32.0, -1.0 / 32.0] {
        assert_eq!(read(&bounded(), gap).unwrap().axes[0].planes, [even[0], even[1], even[3], even[5]]);
    }
    assert_refused(read(&bounded(), 0.25), &["cell 1 of distance_bounds = 400005.25 to 400015"]);
    let mut cut = bounded();
    cut.variables.pop();
    let found = cells(&cut, &[&[0.0, 1.0], places, VS]).unwrap();
    assert_eq!(found.axes[0].planes, [even[0], even[1], even[3], even[5]]);
}

#[test]
fn a_single_cell_without_bounds_is_not_one_metre_wide() {
    let mut single = plane();
    single.dimensions[1].length = 1;
    assert_refused(cells(&single, &[&[0.0, 1.0], &[7.0], &VS[..2]]), &["coordinates of distance", "bounds"]);
    single.variables.remove(1);
    assert_refused(cells(&single, &[&[0.0, 1.0], &VS[..2]]), &["coordinates of distance", "bounds"]);
    let mut bounded = bounded();
    bounded.dimensions[1].length = 1;
    let found = cells(&bounded, &[&[0.0, 1.0], &[7.0], &VS[..2], &[2.0, 9.0]]).unwrap();
    assert_eq!(found.axes[0].planes, [2.0, 9.0]);
}

#[test]
fn cells_without_a_width_are_refused() {
    let file = |places: &[f64]| cells(&plane(), &[&[0.0, 1.0], places, VS]);
    for places in [[0.0, 10.0, f64::INFINITY], [f64::NEG_INFINITY, 0.0, 10.0], [-1e308, 1e308, 1.5e308]] {
        assert_refused(file(&places), &["of distance"]);
    }
    for places in [[5.0; 3], [1e17, 1e17 + 16.0, 1e17 + 32.0], [0.0, f64::NAN, 10.0]] {
        assert_refused(file(&places), &["of distance"]);
    }
    let bounds = |bounds: &[f64]| cells(&bounded(), &[&[0.0, 1.0], &[0.0, 10.0, 20.0], VS, bounds]);
    assert_refused(bounds(&[-5.0, 5.0, 5.0, 15.0, 15.0, f64::INFINITY]), &["of distance", "finite coordinates"]);
}
