//! Surfaces of layers and of draped points in every input format.

use craton::gravity::check_gravity;
use craton::options::CheckOptions;
use craton_formats::netcdf::{self, Attribute, DataType, Dataset, Dimension, Variable};

use super::{column, refusal, results, run};

/// A hill of rock and points above it.
const HILL: &str = "fields = ['g_d']
[[body]]
layer = { top = 'hill.asc', bottom = 0.0, density.constant = 2670.0 }
[points.draped]
surface = 'hill.asc'
above = 20.0
[output]
directory = 'results'
pictures = false
";
const ASC: &str = "ncols 3\nnrows 2\nxllcenter 100\nyllcenter 0\ncellsize 50\n50 60 70\n50 80 65\n";

/// Writes the hill as netCDF with x as the slow dimension and y from north to south.
///
/// # Arguments
/// * `unit` – unit of the coordinates; empty for none
fn write_turned(path: &std::path::Path, unit: &str, of_heights: Attribute) {
    let double = |name: &str, dimensions: Vec<usize>, attributes: Vec<Attribute>| Variable {
        name: name.to_owned(),
        data_type: DataType::F64,
        dimensions,
        attributes,
    };
    let of_places = || Vec::from_iter((!unit.is_empty()).then(|| Attribute::text("units", unit)));
    let dataset = Dataset {
        dimensions: vec![Dimension::new("easting", 3), Dimension::new("northing", 2)],
        variables: vec![
            double("easting", vec![0], of_places()),
            double("northing", vec![1], of_places()),
            double("topography", vec![0, 1], vec![of_heights]),
        ],
        ..Dataset::default()
    };
    let values: [&[f64]; 3] = [&[100.0, 150.0, 200.0], &[50.0, 0.0], &[50.0, 50.0, 60.0, 80.0, 70.0, 65.0]];
    netcdf::write(path, &dataset, |slab| slab.write(values[slab.index()])).expect("written");
}

#[test]
fn a_netcdf_surface_equals_the_same_esri_grid() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("hill.asc"), ASC).expect("written");
    run(folder.path(), HILL, &[]);
    let expected = column(&results(folder.path()), "g_d_mgal");
    write_turned(&folder.path().join("hill.nc"), "meters", Attribute::text("long_name", "height"));
    let of_netcdf = HILL.replace("hill.asc", "hill.nc");
    run(folder.path(), &of_netcdf, &[]);
    assert_eq!(column(&results(folder.path()), "g_d_mgal"), expected);
    write_turned(&folder.path().join("hill.nc"), "m", Attribute::text("positive", "down"));
    let message = refusal(&folder.path().join("it.toml"));
    assert!(message.contains("\"hill.nc\": positive of topography = down"), "{message}");
    write_turned(&folder.path().join("hill.nc"), "degrees", Attribute::text("long_name", "height"));
    let message = refusal(&folder.path().join("it.toml"));
    assert!(
        message.contains("points.draped.surface") && message.contains("is over longitude and latitude"),
        "{message}"
    );
    let list = "[points.list]\nrows = [[0.0, 0.0, 99.0]]\n";
    let listed = of_netcdf.replace("[points.draped]\nsurface = 'hill.nc'\nabove = 20.0\n", list);
    std::fs::write(folder.path().join("it.toml"), listed).expect("written");
    let message = refusal(&folder.path().join("it.toml"));
    assert!(message.contains("layer.top") && message.contains("is over longitude and latitude"), "{message}");
}

#[test]
fn surface_coordinates_in_metres_cause_no_warning_about_degrees() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("it.toml");
    // Columns 50 m wide and 5 km tall, as if their sides were in degrees.
    let needles = HILL.replace("hill.asc", "hill.nc").replace("bottom = 0.0", "bottom = -5000.0");
    std::fs::write(&file, needles).expect("written");
    let warns = |unit: &str| {
        write_turned(&folder.path().join("hill.nc"), unit, Attribute::text("long_name", "height"));
        let ahead = check_gravity(&file, &CheckOptions::default()).unwrap_or_else(|error| panic!("{error:?}"));
        ahead.warnings.iter().any(|warning| {
            warning.contains(" times as tall as wide. Check the coordinates, which must be in metres, not degrees")
        })
    };
    assert_eq!(["", "m"].map(warns), [true, false]);
}

#[test]
fn draped_points_next_to_a_cliff_keep_their_height() {
    let folder = tempfile::tempdir().expect("a folder");
    // Low up to x = 900 m, high from 1000 m on.
    let row = ["0 "; 10].concat() + &["500 "; 11].concat();
    let cliff = format!("ncols 21\nnrows 2\nxllcenter 0\nyllcenter 0\ncellsize 100\n{row}\n{row}\n");
    std::fs::write(folder.path().join("cliff.asc"), cliff).expect("written");
    let draped = HILL.replace("hill.asc", "cliff.asc").replace("above = 20.0", "above = 20.0\nspacing = [25.0, 25.0]");
    // A smooth ground overshoots next to the cliff, and so do its points.
    run(folder.path(), &draped.replace("bottom = 0.0", "bottom = 0.0, tops = 'flat'"), &[]);
    let found = results(folder.path());
    let (x, z) = (column(&found, "x_m"), column(&found, "z_m"));
    for (x, z) in x.into_iter().zip(z) {
        let level = if x <= 900.0 { Some(20.0) } else { (x >= 1000.0).then_some(520.0) };
        assert!(level.map_or((20.0..=520.0).contains(&z), |level| z == level), "z = {z} m at x = {x} m");
    }
}

#[test]
fn draped_points_over_smooth_ground_follow_its_curvature() {
    let folder = tempfile::tempdir().expect("a folder");
    let height = |x: f64| 1e-3 * x * x;
    let row: String = (0..6).map(|column| format!("{} ", height(100.0 * f64::from(column)))).collect();
    let slope = format!("ncols 6\nnrows 2\nxllcenter 0\nyllcenter 0\ncellsize 100\n{row}\n{row}\n");
    std::fs::write(folder.path().join("slope.asc"), slope).expect("written");
    let draped = HILL.replace("hill.asc", "slope.asc").replace("above = 20.0", "above = 20.0\ncount = [21, 3]");
    run(folder.path(), &draped, &[]);
    let found = results(folder.path());
    let (x, z) = (column(&found, "x_m"), column(&found, "z_m"));
    x.into_iter().zip(z).for_each(|(x, z)| assert!((z - 20.0 - height(x)).abs() < 1e-9, "z = {z} m at x = {x} m"));
}
