//! Filters of maps from file to file.

use std::path::{Path, PathBuf};

use craton::Error;
use craton::gravity::gravity;
use craton::options::RunOptions;
use craton::process::{Direction, Edges, MapAxis, MapOperation, MapPlan, process_maps};
use craton_formats::netcdf::{self, DataType, Dataset, Dimension, NetcdfReader, Variable};

const PROBLEM: &str = r#"
fields = ["g_u", "g_uu"]
[[body]]
block = { x = [-700.0, 500.0], y = [-400.0, 900.0], z = [-1500.0, -600.0], density = 400.0 }
[points.grid]
x = [-8000.0, 8000.0]
y = [-7000.0, 7000.0]
spacing = [200.0, 200.0]
z = 0.0
[output]
directory = "results"
formats = ["netcdf", "esri"]
pictures = false
"#;

/// Computes the problem at a height into a folder; returns the netCDF file.
fn computed(folder: &Path, z: f64) -> PathBuf {
    let directory = folder.join(format!("z{z}"));
    std::fs::write(folder.join("it.toml"), PROBLEM).expect("written");
    let overrides = vec![format!("output.directory='{}'", directory.display()), format!("points.grid.z={z:?}")];
    gravity(&folder.join("it.toml"), &RunOptions { overrides, ..RunOptions::default() }).expect("computed");
    directory.join("gravity.nc")
}

fn plan(operations: Vec<MapOperation>) -> MapPlan {
    MapPlan { operations, edges: Edges::default(), variable: None, overwrite: true }
}

fn values(file: &Path, name: &str) -> Vec<f64> {
    NetcdfReader::open(file).expect("opened").values_f64(name).expect("a variable")
}

/// Largest difference in the middle of maps of 81 x 71 points, relative to the largest value.
fn difference(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!((a.len(), b.len()), (81 * 71, 81 * 71));
    let is_inner = |at: usize| (20..61).contains(&(at % 81)) && (18..53).contains(&(at / 81));
    let largest = b.iter().fold(0.0_f64, |most, value| most.max(value.abs()));
    (0..a.len()).filter(|&at| is_inner(at)).map(|at| (a[at] - b[at]).abs()).fold(0.0, f64::max) / largest
}

#[test]
fn a_map_continued_upwards_is_the_field_at_the_higher_level() {
    let folder = tempfile::tempdir().expect("a folder");
    let [low, high] = [0.0, 400.0].map(|z| computed(folder.path(), z));
    let output = folder.path().join("up");
    let processed = process_maps(&[low], &output, &plan(vec![MapOperation::Upward(400.0)])).expect("processed");
    assert_eq!((processed.maps, processed.files.len()), (2, 2));
    let found = output.join("gravity.nc");
    for name in ["g_u_mgal", "g_uu_eotvos"] {
        let error = difference(&values(&found, name), &values(&high, name));
        assert!(error < 4e-3, "{name}: {error:e}");
    }
    assert_eq!(values(&found, "z"), [400.0]);
    assert!(output.join("gravity.png").exists());
}

#[test]
fn derivatives_have_their_names_and_units_and_esri_grids_stay_esri_grids() {
    let folder = tempfile::tempdir().expect("a folder");
    let low = computed(folder.path(), 0.0);
    let output = folder.path().join("slope");
    let mut wanted = plan(vec![MapOperation::Derivative(MapAxis::Z)]);
    wanted.variable = Some("g_u_mgal".to_owned());
    process_maps(&[low.clone(), low.with_file_name("g_u_mgal.asc")], &output, &wanted).expect("processed");
    let found = output.join("gravity.nc");
    let dataset = NetcdfReader::open(&found).expect("opened").dataset().clone();
    let slope = dataset.variables.iter().find(|variable| variable.name == "g_u_mgal_z").expect("the derivative");
    assert_eq!(slope.text("units"), Some("1e-5 m s-2 m-1"));
    // 1 E is 1e-4 mGal/m.
    let exact: Vec<f64> = values(&low, "g_uu_eotvos").iter().map(|value| 1e-4 * value).collect();
    let slope = values(&found, "g_u_mgal_z");
    let error = difference(&slope, &exact);
    assert!(error < 5e-3, "{error:e}");
    let (esri, _) = craton_formats::grid::read(&output.join("g_u_mgal.asc")).expect("a grid");
    assert!(difference(&esri.values, &slope) < 1e-9);
}

#[test]
fn rows_from_north_to_south_are_the_same_map() {
    let folder = tempfile::tempdir().expect("a folder");
    let low = computed(folder.path(), 0.0);
    let turned = folder.path().join("turned.nc");
    let values_of = |name: &str| values(&low, name);
    let (x, mut y) = (values_of("x"), values_of("y"));
    y.reverse();
    let rows: Vec<f64> = values_of("g_u_mgal").chunks(81).rev().flatten().copied().collect();
    let variable = |name: &str, dimensions| Variable {
        name: name.to_owned(),
        data_type: DataType::F64,
        dimensions,
        attributes: Vec::new(),
    };
    let dataset = Dataset {
        dimensions: vec![Dimension::new("y", 71), Dimension::new("x", 81)],
        attributes: Vec::new(),
        variables: vec![variable("x", vec![1]), variable("y", vec![0]), variable("g_u_mgal", vec![0, 1])],
    };
    let content = [x, y, rows];
    netcdf::write(&turned, &dataset, |slab| slab.write(&content[slab.index()])).expect("written");
    let slope = plan(vec![MapOperation::Derivative(MapAxis::Y)]);
    let [straight, turned] = [low.clone(), turned].map(|input| {
        let output = folder.path().join(input.file_stem().expect("a name"));
        process_maps(std::slice::from_ref(&input), &output, &slope).expect("processed");
        values(&output.join(input.file_name().expect("a name")), "g_u_mgal_y")
    });
    assert!(difference(&turned, &straight) < 1e-12);
}

#[test]
fn mistakes_are_refused_before_anything_is_written() {
    let folder = tempfile::tempdir().expect("a folder");
    let low = computed(folder.path(), 0.0);
    let output = folder.path().join("out");
    let refused = |plan: &MapPlan, inputs: &[PathBuf], output: &Path| {
        let error: Error = process_maps(inputs, output, plan).expect_err("refused");
        error.to_string()
    };
    let up = plan(vec![MapOperation::Upward(100.0)]);
    let message = refused(&plan(vec![MapOperation::Upward(-1.0)]), std::slice::from_ref(&low), &output);
    assert!(message.contains("g_u_mgal: the height of an upward continuation is -1"), "{message}");
    let flat = Direction { inclination: 1.0, declination: 0.0 };
    let message = refused(
        &plan(vec![MapOperation::Pole { main: flat, magnetisation: flat }]),
        std::slice::from_ref(&low),
        &output,
    );
    assert!(message.contains("an inclination is 1"), "{message}");
    let other = MapPlan { variable: Some("tfa_nt".to_owned()), ..up.clone() };
    let message = refused(&other, std::slice::from_ref(&low), &output);
    assert!(message.contains("there is no map \"tfa_nt\"") && message.contains("g_u_mgal, g_uu_eotvos"), "{message}");
    assert!(refused(&plan(Vec::new()), std::slice::from_ref(&low), &output).contains("nothing to do"));
    assert!(
        refused(&up, std::slice::from_ref(&low), low.parent().expect("a folder")).contains("is also the input folder")
    );
    let uneven = folder.path().join("uneven.txt");
    std::fs::write(&uneven, "this is no grid\n").expect("written");
    assert!(refused(&up, &[uneven], &output).contains("uneven.txt"));
    assert!(!output.exists());
}
