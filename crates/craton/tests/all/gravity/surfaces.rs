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

/// Uneven coordinates of the hill and of its columns.
const EAST: [f64; 4] = [0.0, 40.0, 130.0, 150.0];
const NORTH: [f64; 3] = [-10.0, 0.0, 60.0];
const EDGES_EAST: [f64; 5] = [-20.0, 20.0, 85.0, 140.0, 160.0];
const EDGES_NORTH: [f64; 4] = [-15.0, -5.0, 30.0, 90.0];

/// Values at the uneven grid points, x fastest.
fn uneven(value: impl Fn(usize) -> f64) -> Vec<f64> {
    (0..EAST.len() * NORTH.len()).map(value).collect()
}

/// A netCDF file with a variable at the uneven grid points, with y from north to south.
fn write_uneven(path: &std::path::Path, name: &str, values: &[f64]) {
    let double = |name: &str, dimensions: Vec<usize>| Variable {
        name: name.to_owned(),
        data_type: DataType::F64,
        dimensions,
        attributes: Vec::new(),
    };
    let dataset = Dataset {
        dimensions: vec![Dimension::new("y", NORTH.len() as u64), Dimension::new("x", EAST.len() as u64)],
        variables: vec![double("y", vec![0]), double("x", vec![1]), double(name, vec![0, 1])],
        ..Dataset::default()
    };
    let southward: Vec<f64> = NORTH.into_iter().rev().collect();
    let rows: Vec<f64> = values.chunks(EAST.len()).rev().flatten().copied().collect();
    let values: [&[f64]; 3] = [&southward, &EAST, &rows];
    netcdf::write(path, &dataset, |slab| slab.write(values[slab.index()])).expect("written");
}

#[test]
fn uneven_grids_are_columns_between_the_midpoints_of_their_points() {
    let folder = tempfile::tempdir().expect("a folder");
    let (heights, densities) = (uneven(|n| 30.0 + 7.0 * n as f64), uneven(|n| 2000.0 + 50.0 * n as f64));
    let prism = |n: usize| {
        let (i, j) = (n % EAST.len(), n / EAST.len());
        let (east, north) = (&EDGES_EAST[i..], &EDGES_NORTH[j..]);
        [east[0], east[1], north[0], north[1], 0.0, heights[n], densities[n]]
    };
    let rows: Vec<[f64; 7]> = (0..heights.len()).map(prism).collect();
    let begin = HILL.find("layer").expect("a layer");
    let points = "[points.grid]\nx = [-30.0, 170.0]\ny = [-40.0, 110.0]\ncount = [9, 7]\nz = 150.0\n";
    let output = &HILL[HILL.find("[output").expect("output")..];
    let problem = |body: &str| format!("{}{body}\n{points}{output}", &HILL[..begin]);
    run(folder.path(), &problem(&format!("prisms.rows = {rows:?}")), &[]);
    let expected = column(&results(folder.path()), "g_d_mgal");
    let line = |n: usize| format!("{} {} {}\n", EAST[n % EAST.len()], NORTH[n / EAST.len()], heights[n]);
    std::fs::write(folder.path().join("hill.xyz"), (0..heights.len()).map(line).collect::<String>()).expect("written");
    write_uneven(&folder.path().join("hill.nc"), "z", &heights);
    write_uneven(&folder.path().join("density.nc"), "density", &densities);
    for top in ["hill.nc", "hill.xyz"] {
        let density = "density.columns = { file = 'density.nc', variable = 'density' }";
        let layer = problem(&format!("layer = {{ top = '{top}', bottom = 0.0, tops = 'flat', {density} }}"));
        for overrides in [&[][..], &["method.accuracy=1e-9", "method.path='tree'"][..]] {
            run(folder.path(), &layer, overrides);
            let found = column(&results(folder.path()), "g_d_mgal");
            let peak = expected.iter().copied().fold(0.0, f64::max);
            let is_close = |(a, b): (&f64, &f64)| (a - b).abs() < 2e-9 * peak;
            assert!(found.iter().zip(&expected).all(is_close), "{top}: {found:?} instead of {expected:?}");
        }
    }
    let ahead = check_gravity(&folder.path().join("it.toml"), &CheckOptions::default());
    let ahead = ahead.unwrap_or_else(|error| panic!("{error:?}")).lines;
    let note = "the spacing of the grid varies from 20 to 90 along x and from 10 to 60 along y";
    assert!(ahead.iter().any(|(_, line)| line.contains(note)), "{ahead:?}");
    // A convolution requires an even lattice.
    let even = problem("layer = { top = 'hill.nc', bottom = 0.0, density.constant = 2670.0 }");
    let overrides = vec!["method.accuracy=1e-5".to_owned(), "method.path='convolution'".to_owned()];
    std::fs::write(folder.path().join("it.toml"), even).expect("written");
    let options = CheckOptions { overrides, ..CheckOptions::default() };
    let refused = check_gravity(&folder.path().join("it.toml"), &options).expect_err("no lattice");
    assert!(refused.to_string().contains("the prisms are not equal cells of a lattice"), "{refused}");
}

#[test]
fn a_plane_on_an_uneven_grid_has_the_attraction_of_the_same_plane_on_an_even_grid() {
    let folder = tempfile::tempdir().expect("a folder");
    let plane = |x: f64, y: f64| 45.0 + 0.2 * x + 0.1 * y;
    let heights = uneven(|n| plane(EAST[n % EAST.len()], NORTH[n / EAST.len()]));
    write_uneven(&folder.path().join("uneven.nc"), "z", &heights);
    // Columns of 5 m over the same area: from -20 m to 160 m along x, from -15 m to 90 m along y.
    let axis = |first: f64, count: usize| (0..count).map(move |n| first + 5.0 * n as f64);
    let places = axis(-12.5, 21).flat_map(|y| axis(-17.5, 36).map(move |x| [x, y]));
    let lines: String = places.map(|[x, y]| format!("{x} {y} {}\n", plane(x, y))).collect();
    std::fs::write(folder.path().join("even.xyz"), lines).expect("written");
    // On the plane and 3 m above it.
    let sites = [[7.3, 3.1], [63.7, 21.2], [101.9, 47.4], [147.2, 71.8], [-13.6, -9.3], [122.1, -2.7]];
    let rows: Vec<[f64; 3]> =
        [0.0, 3.0].into_iter().flat_map(|above| sites.map(|[x, y]| [x, y, plane(x, y) + above])).collect();
    let output = &HILL[HILL.find("[output").expect("output")..];
    let attraction = |top: &str, tops: &str| {
        let layer = format!("layer = {{ top = '{top}', bottom = 0.0, tops = '{tops}', density.constant = 2670.0 }}");
        let problem = format!("fields = ['g_d']\n[[body]]\n{layer}\n[points.list]\nrows = {rows:?}\n{output}");
        run(folder.path(), &problem, &[]);
        column(&results(folder.path()), "g_d_mgal")
    };
    let expected = attraction("even.xyz", "auto");
    let peak = expected.iter().copied().fold(0.0, f64::max);
    let largest_difference = |found: Vec<f64>| {
        assert_eq!(found.len(), expected.len());
        found.iter().zip(&expected).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
    };
    // The interpolation reproduces a plane on both grids, and either attraction has an error below 1e-6.
    let difference = largest_difference(attraction("uneven.nc", "auto"));
    assert!(peak > 0.0 && difference < 2e-6 * peak, "{difference:e} of {peak} mGal");
    // Flat columns differ.
    assert!(largest_difference(attraction("uneven.nc", "flat")) > 1e-2 * peak);
}

#[test]
fn grids_with_unordered_coordinates_and_scattered_points_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let list = "[points.list]\nrows = [[0.0, 0.0, 99.0]]\n";
    let problem = |top: &str| {
        let text =
            HILL.replacen("hill.asc", top, 1).replace("[points.draped]\nsurface = 'hill.asc'\nabove = 20.0\n", list);
        std::fs::write(folder.path().join("it.toml"), text).expect("written");
        refusal(&folder.path().join("it.toml"))
    };
    let variable = |name: &str, dimensions: Vec<usize>| Variable {
        name: name.to_owned(),
        data_type: DataType::F64,
        dimensions,
        attributes: Vec::new(),
    };
    let dataset = Dataset {
        dimensions: vec![Dimension::new("y", 2), Dimension::new("x", 3)],
        variables: vec![variable("y", vec![0]), variable("x", vec![1]), variable("z", vec![0, 1])],
        ..Dataset::default()
    };
    let values: [&[f64]; 3] = [&[0.0, 10.0], &[0.0, 50.0, 20.0], &[1.0; 6]];
    netcdf::write(&folder.path().join("top.nc"), &dataset, |slab| slab.write(values[slab.index()])).expect("written");
    let message = problem("top.nc");
    assert!(message.contains("coordinate 2 of x") && message.contains("monotonic coordinates"), "{message}");
    std::fs::write(folder.path().join("top.xyz"), "0 0 1\n10 1 1\n25 7 1\n3 9 1\n").expect("written");
    let message = problem("top.xyz");
    assert!(message.contains("the points are not a regular grid"), "{message}");
}
