//! Gravity from file to results: known values, equal bodies in every input format, and results in every output format.

mod bodies;
mod devices;
mod examples;
mod formats;
mod ground;
mod lists;
mod magnetics;
mod messages;
mod reduction;
mod refused;
mod sphere;
mod sphere_refused;
mod sphere_volume;
mod surfaces;
mod warnings;

use std::path::Path;

use craton::gravity::{check_gravity, gravity};
use craton::options::{CheckOptions, RunOptions};
use craton::{Error, RunStatus};

/// A prism whose fields are known, at a point above it.
const PRISM: &str = r#"
[[body]]
block = { x = [-20.0, 30.0], y = [-15.0, 10.0], z = [-80.0, -30.0], density = 1000.0 }
[points.list]
rows = [[17.0, 3.0, 5.0]]
[output]
directory = "results"
pictures = false
"#;

/// A small grid of points; `BODY` is a placeholder for the bodies.
const CELLS: &str = r#"
BODY
[points.grid]
x = [-150.0, 350.0]
y = [-100.0, 300.0]
count = [6, 5]
z = 40.0
[output]
directory = "results"
formats = ["csv"]
pictures = false
"#;

fn run(folder: &Path, problem: &str, overrides: &[&str]) {
    std::fs::write(folder.join("it.toml"), problem).expect("written");
    let directory = format!("output.directory='{}'", folder.join("results").display());
    let overrides = overrides.iter().map(|&change| change.to_owned()).chain([directory]).collect();
    let options = RunOptions { overrides, overwrite: true, ..RunOptions::default() };
    let report = gravity(&folder.join("it.toml"), &options).unwrap_or_else(|error| panic!("{error:?}"));
    assert_eq!(report.status, RunStatus::Complete);
}

/// The error messages of a refused problem, one per line.
fn refusal(file: &Path) -> String {
    match check_gravity(file, &CheckOptions::default()) {
        Err(Error::Scenario(errors)) => errors.lines(),
        other => panic!("{other:?}"),
    }
}

/// Numeric columns of the results; NaN marks missing values.
struct Results {
    names: Vec<String>,
    columns: Vec<Vec<f64>>,
}

fn results(folder: &Path) -> Results {
    let text = std::fs::read_to_string(folder.join("results/gravity.csv")).expect("results");
    let mut lines = text.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let names: Vec<String> = lines.next().expect("names").into_iter().map(str::to_owned).collect();
    let rows: Vec<Vec<&str>> = lines.collect();
    let column = |index: usize| rows.iter().map(|row| row[index].parse().expect("a number")).collect();
    let first = usize::from(names[0] == "name");
    Results { columns: (first..names.len()).map(column).collect(), names: names[first..].to_vec() }
}

fn column(results: &Results, name: &str) -> Vec<f64> {
    let index = results.names.iter().position(|known| known == name);
    results.columns[index.unwrap_or_else(|| panic!("there is no {name}"))].clone()
}

fn assert_close(value: f64, expected: f64, relative: f64) {
    assert!((value - expected).abs() <= relative * expected.abs(), "{value} instead of {expected}");
}
