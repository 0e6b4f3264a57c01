//! Surfaces.

use super::*;
use crate::common::assert_refused;
use craton_formats::grid::{self, Grid, Unit};

/// Heights over two axes, whose coordinate variables have these attributes; the second axis is the fastest.
fn heights(axes: [(&str, &[(&str, &str)]); 2], of_heights: &[(&str, &str)]) -> Dataset {
    let texts = |list: &[(&str, &str)]| list.iter().map(|(key, text)| Attribute::text(key, text)).collect();
    let [(slow, of_slow), (fast, of_fast)] = axes;
    Dataset {
        dimensions: vec![Dimension::new(slow, 2), Dimension::new(fast, 3)],
        variables: vec![
            Variable { attributes: texts(of_slow), ..variable(slow, DataType::F64, &[0]) },
            Variable { attributes: texts(of_fast), ..variable(fast, DataType::F64, &[1]) },
            Variable { attributes: texts(of_heights), ..variable("z", DataType::F64, &[0, 1]) },
        ],
        ..Dataset::default()
    }
}

const OVER_Y_AND_X: [(&str, &[(&str, &str)]); 2] = [("y", &[]), ("x", &[])];
const Z: &[f64] = &[0.1, 2.0, 3.0, 4.0, 5.0, 6.0];

fn read(dataset: &Dataset, values: [&[f64]; 3]) -> Result<Grid> {
    Ok(read_with_unit(dataset, values)?.0)
}

fn read_with_unit(dataset: &Dataset, values: [&[f64]; 3]) -> Result<(Grid, Option<Unit>)> {
    let (_folder, path) = written(dataset, &values)?;
    grid::read(&path)
}

#[test]
fn a_surface_is_read_with_any_order_names_and_units_of_its_axes() {
    let wanted = Grid { x: vec![0.0, 10.0, 20.0], y: vec![-5.0, 5.0], values: Z.to_vec() };
    let (x, y): (&[f64], &[f64]) = (&[0.0, 10.0, 20.0], &[-5.0, 5.0]);
    for names in [["northing", "easting"], ["Y", "X"], ["lat", "lon"]] {
        assert_eq!(read(&heights(names.map(|name| (name, &[][..])), &[]), [y, x, Z]).unwrap(), wanted, "{names:?}");
    }
    let by_attributes = [("j", &[("axis", "Y")][..]), ("i", &[("standard_name", "projection_x_coordinate")][..])];
    assert_eq!(read(&heights(by_attributes, &[("units", "m")]), [y, x, Z]).unwrap(), wanted);
    let southward = [4.0, 5.0, 6.0, 0.1, 2.0, 3.0];
    assert_eq!(read(&heights(OVER_Y_AND_X, &[]), [&[5.0, -5.0], x, &southward]).unwrap(), wanted);
    let in_kilometres = [("y", &[("units", "km")][..]), ("x", &[("units", "m")][..])];
    let feet: Vec<f64> = Z.iter().map(|z| z / 0.3048).collect();
    let feet = read(&heights(in_kilometres, &[("units", "ft")]), [&[-0.005, 0.005], x, &feet]).unwrap();
    assert_eq!((&feet.x, &feet.y), (&wanted.x, &wanted.y));
    assert!(feet.values.iter().zip(Z).all(|(found, z)| (found - z).abs() < 1e-14), "{:?}", feet.values);
    // Here x is the slower axis.
    let turned = read(&heights([("x", &[]), ("y", &[])], &[]), [&[0.0, 10.0], &[3.0, 2.0, 1.0], Z]).unwrap();
    assert_eq!(turned, Grid { x: vec![0.0, 10.0], y: vec![1.0, 2.0, 3.0], values: vec![3.0, 6.0, 2.0, 5.0, 0.1, 4.0] });
}

#[test]
fn the_unit_of_the_coordinates_is_returned() {
    let (x, y): (&[f64], &[f64]) = (&[0.0, 10.0, 20.0], &[-5.0, 5.0]);
    let unit = |slow, fast, units: [&str; 2]| {
        let of = units.map(|unit| [("units", unit)]);
        read_with_unit(&heights([(slow, &of[0]), (fast, &of[1])], &[]), [y, x, Z]).unwrap().1
    };
    for units in [["degrees_north", "degrees_east"], ["degree_N", "degree_E"], ["degreesN", "degreeE"]] {
        assert_eq!(unit("j", "i", units), Some(Unit::Degrees), "{units:?}");
    }
    assert_eq!(unit("y", "x", ["degrees", "degree"]), Some(Unit::Degrees));
    assert_eq!(unit("lat", "lon", ["", ""]), Some(Unit::Degrees));
    assert_eq!(unit("y", "x", ["m", "km"]), Some(Unit::Metres));
    assert_eq!(unit("y", "x", ["", "m"]), Some(Unit::Metres));
    assert_eq!(unit("y", "x", ["", " "]), None);
    let over = |axes| read(&heights(axes, &[]), [y, x, Z]);
    let mixed = [("y", &[("units", "m")][..]), ("x", &[("units", "degrees")][..])];
    assert_refused(over(mixed), &["units of the axes = x [degrees] and y [m]", "both degrees"]);
    let rotated = [("rlat", "grid_latitude"), ("rlon", "grid_longitude")];
    let attributes = rotated.map(|(_, name)| [("standard_name", name), ("units", "degrees")]);
    let axes = [("rlat", &attributes[0][..]), ("rlon", &attributes[1][..])];
    assert_refused(over(axes), &["standard_name of rlon = grid_longitude", "rotated pole"]);
}

#[test]
fn coordinates_in_single_precision_are_even_within_round_off() {
    let mut dataset = heights(OVER_Y_AND_X, &[]);
    dataset.dimensions = vec![Dimension::new("y", 40), Dimension::new("x", 2)];
    let y: Vec<f64> = (0..40).map(|row| f64::from((5_234_567.8 + 20.1 * f64::from(row)) as f32)).collect();
    let heights = vec![1.0; 80];
    assert_refused(read(&dataset, [&y, &[0.0, 20.1], &heights]), &["of y", "within 1 %"]);
    dataset.variables[0].data_type = DataType::F32;
    assert_eq!(read(&dataset, [&y, &[0.0, 20.1], &heights]).unwrap().y.len(), 40);
    let mut uneven = y;
    uneven[20] += 2.0;
    assert_refused(read(&dataset, [&uneven, &[0.0, 20.1], &heights]), &["coordinate 20 of y"]);
}

#[test]
fn coordinates_that_do_not_differ_in_double_precision_are_refused() {
    let read = |units, y: [f64; 2]| {
        let dataset = heights([("y", &[("units", units)]), ("x", &[])], &[]);
        read(&dataset, [&y, &[0.0, 10.0, 20.0], &[1.0; 6]])
    };
    for (units, y, fragment) in [
        ("km", [0.0, 1e306], "coordinates of y = 2 points from 0"),
        ("m", [-1e308, 1e308], "of y"),
        ("m", [0.0, f64::INFINITY], "of y"),
        ("m", [5.0, 5.0], "a spacing other than 0"),
    ] {
        assert_refused(read(units, y), &[fragment]);
    }
}

#[test]
fn files_without_a_surface_are_refused() {
    let (x, y): (&[f64], &[f64]) = (&[0.0, 10.0, 20.0], &[-5.0, 5.0]);
    let hole = &[0.1, 2.0, 3.0, 4.0, f64::NAN, 6.0];
    let over = |axes, of_heights| read(&heights(axes, of_heights), [y, x, Z]);
    assert_refused(
        read(&heights(OVER_Y_AND_X, &[]), [y, x, hole]),
        &["a.nc: z at x = 10, y = 5 = NaN", "fill the missing values"],
    );
    assert_refused(over([("row", &[]), ("x", &[])], &[]), &["axes of z = row and x", "axis = \"Y\"", "rename"]);
    assert_refused(over([("x", &[]), ("lon", &[])], &[]), &["axes of z = x and lon"]);
    assert_refused(over(OVER_Y_AND_X, &[("positive", "down")]), &["positive of z = down", "sign"]);
    assert_refused(over(OVER_Y_AND_X, &[("positive", " Down ")]), &["positive of z = Down", "sign"]);
    let depth = [("standard_name", "sea_floor_depth_below_geoid")];
    let found = read(&heights(OVER_Y_AND_X, &depth), [y, x, Z]);
    assert_refused(found, &["standard_name of z = sea_floor_depth_below_geoid", "sign"]);
    assert_refused(over(OVER_Y_AND_X, &[("units", "mGal")]), &["units of z = mGal", "m, km or ft"]);
    assert_refused(over([("y", &[("units", "miles")]), ("x", &[])], &[]), &["units of y = miles", "degrees"]);
    assert_refused(read(&heights(OVER_Y_AND_X, &[]), [y, &[0.0, 1.0, 5.0], Z]), &["coordinate 1 of x = 1"]);
    assert_refused(read(&heights(OVER_Y_AND_X, &[]), [y, &[7.0; 3], Z]), &["axis 1 = 3 points from 7 by 0"]);
    let mut dataset = heights(OVER_Y_AND_X, &[]);
    dataset.dimensions[0] = Dimension::unlimited("y", 0);
    assert_refused(read(&dataset, [&[], x, &[]]), &["length of y = 0", "z has no values"]);
    let mut dataset = heights(OVER_Y_AND_X, &[]);
    dataset.variables.remove(0);
    let (_folder, path) = written(&dataset, &[x, Z]).unwrap();
    assert_refused(grid::read(&path), &["coordinates of y = missing"]);
    assert_refused(grid::read(&sample("scipy_cdf1.nc")), &["number of axes of vs = 3", "two"]);
    let (folder, path) = written(&heights(OVER_Y_AND_X, &[]), &[y, x, Z]).unwrap();
    fs::write(&path, b"\x89HDF\r\n\x1a\n and so on").unwrap();
    assert_refused(grid::read(&path), &["netCDF-4", "nccopy -k classic"]);
    drop(folder);
}

#[test]
fn densities_are_refused_as_heights() {
    let (x, y): (&[f64], &[f64]) = (&[0.0, 10.0, 20.0], &[-5.0, 5.0]);
    // A prism layer, whose surfaces are auxiliary coordinates of its density.
    let mut layer = heights(OVER_Y_AND_X, &[("coordinates", "bottom top")]);
    layer.variables.extend(["bottom", "top"].map(|name| variable(name, DataType::F64, &[0, 1])));
    let of_layer = |name: &str, unit: &str| {
        let mut layer = layer.clone();
        layer.variables[2].name = name.to_owned();
        layer.variables[2].attributes.push(Attribute::text("units", unit));
        let (_folder, path) = written(&layer, &[y, x, Z, Z, Z])?;
        grid::read(&path)
    };
    for name in ["density", "Bulk_Density", "rho"] {
        let named = format!("name of the only variable = {name}");
        assert_refused(of_layer(name, ""), &[&named, "a name of heights", "a separate file, as its only variable"]);
    }
    for unit in ["kg/m3", "g cm-3"] {
        let named = format!("units of density = {unit}");
        assert_refused(of_layer("density", unit), &[&named, "m, km or ft", "a separate file"]);
    }
    assert_eq!(of_layer("density", "m").unwrap().0.values, Z);
    layer.variables[2].attributes.clear();
    let (_folder, path) = written(&layer, &[y, x, Z, Z, Z]).unwrap();
    assert_refused(grid::read(&path), &["variables = z(y = 2, x = 3), bottom(", "one; write the surface to"]);
}
