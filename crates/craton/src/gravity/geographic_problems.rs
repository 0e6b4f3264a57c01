//! Checks of problems in longitude and latitude that the schema cannot express and that open no file.

use super::config::{
    Body, Config, Coordinates, GeographicGrid, GeographicList, ListFormat, OutputFormat, Path, Points, Tesseroids, Tops,
};
use super::problems::{both, columns, ends};
use super::setup::format_of;
use crate::error::Problem;
use crate::inputs::Inputs;
use crate::key_path::KeyPath;

/// All problems; empty if there are none.
pub fn problems(config: &Config, inputs: &Inputs, root: &KeyPath) -> Vec<Problem> {
    let mut problems = bodies(config, inputs, &root.key("body"));
    match &config.points {
        Points::GeographicGrid(grid) => problems.extend(on_grid(grid, &root.key("points").key("geographic_grid"))),
        Points::GeographicList(list) => {
            problems.extend(listed(list, inputs, &root.key("points").key("geographic_list")));
        }
        _ => {}
    }
    match config.is_geographic() {
        true => {
            problems.extend(unavailable(config, root));
            problems.extend(config.sphere.iter().filter(|_| config.ellipsoid.is_some()).map(|_| {
                let problem = Problem::new(root.key("sphere"), "has no effect with `ellipsoid`").at_key();
                problem.hint("remove one of them: heights are above either the sphere or the ellipsoid")
            }));
        }
        false => {
            let given = [("sphere", config.sphere.is_some()), ("ellipsoid", config.ellipsoid.is_some())];
            problems.extend(given.into_iter().filter(|(_, is_given)| *is_given).map(|(name, _)| {
                let problem = Problem::new(root.key(name), "applies only to positions in longitude and latitude");
                problem.at_key().hint("remove it, or use [points.geographic_grid] or [points.geographic_list]")
            }));
        }
    }
    problems
}

/// Bodies with other coordinates than the points, and problems of the bodies themselves.
fn bodies(config: &Config, inputs: &Inputs, path: &KeyPath) -> Vec<Problem> {
    let of_body = |(index, body): (usize, &Body)| {
        let path = path.index(index);
        let other = (body.is_geographic() != config.is_geographic()).then(|| match body.is_geographic() {
            true => Problem::new(&path, "is in longitude and latitude, but the points are in metres")
                .hint("give the points with [points.geographic_grid] or [points.geographic_list]"),
            false => Problem::new(&path, "is in metres, but the points are in longitude and latitude")
                .allowed("tesseroids, or a layer or volume with coordinates = \"geographic\"")
                .hint("use these bodies, or give the points in metres"),
        });
        let own = match body {
            Body::Tesseroids(list) => tesseroids(list, inputs, &path.key("tesseroids")),
            Body::Layer(layer) if layer.coordinates == Coordinates::Geographic && layer.tops == Tops::Smooth => {
                let message = "is not available for a layer in longitude and latitude";
                let problem = Problem::new(path.key("layer").key("tops"), message).value("\"smooth\"");
                vec![problem.hint("remove `tops`: tesseroids have flat tops")]
            }
            _ => Vec::new(),
        };
        other.map(Problem::at_key).into_iter().chain(own).collect::<Vec<_>>()
    };
    config.bodies.iter().enumerate().flat_map(of_body).collect()
}

fn tesseroids(list: &Tesseroids, inputs: &Inputs, path: &KeyPath) -> Vec<Problem> {
    let Tesseroids { file, format, columns: given, rows, .. } = list;
    let format = file.as_ref().map(|file| format_of(file, *format, inputs));
    if file.is_none() && rows.is_empty() {
        return vec![Problem::new(path, "has no tesseroids").hint("give `file`, or `rows`")];
    }
    if format == Some(ListFormat::Ubc) {
        let problem = Problem::new(path.key("format"), "contains points in metres, not tesseroids");
        return vec![problem.value("\"ubc\"").allowed("table, npy, netcdf")];
    }
    let names = given.iter().flat_map(|given| {
        let gradient = given.gradient.iter().map(|called| ("gradient", called.as_str()));
        let numbers: Vec<_> = given.numbers().into_iter().chain(gradient).collect();
        columns(format, &numbers, &path.key("columns"))
    });
    names.collect()
}

fn listed(list: &GeographicList, inputs: &Inputs, path: &KeyPath) -> Vec<Problem> {
    let GeographicList { file, format, columns: given, rows } = list;
    let format = file.as_ref().map(|file| format_of(file, *format, inputs));
    if file.is_none() && rows.is_empty() {
        return vec![Problem::new(path, "has no points").hint("give `file`, or `rows`")];
    }
    if format == Some(ListFormat::Ubc) {
        let problem = Problem::new(path.key("format"), "contains points in metres").value("\"ubc\"");
        return vec![problem.allowed("table, npy, netcdf").hint("write the points as a table in degrees")];
    }
    let path = path.key("columns");
    let nameless = given.iter().filter(|given| given.name.as_deref() == Some(""));
    let nameless = nameless.map(|_| Problem::new(path.key("name"), "is empty").value("\"\"").hint("remove the key"));
    nameless.chain(given.iter().flat_map(|given| columns(format, &given.numbers(), &path))).collect()
}

fn on_grid(grid: &GeographicGrid, path: &KeyPath) -> Vec<Problem> {
    let GeographicGrid { longitude, latitude, count, spacing, .. } = *grid;
    let missing = (count.is_none() && spacing.is_none()).then(|| {
        let problem = Problem::new(path.key("count"), "is missing");
        problem.hint("give the number of points along longitude and latitude, or `spacing`")
    });
    // One point if both limits are the same.
    let counts = count.unwrap_or([longitude, latitude].map(|[first, last]| if first == last { 1 } else { 2 }));
    let axes = [(longitude, counts[0], "longitude"), (latitude, counts[1], "latitude")];
    missing.into_iter().chain(both(count, spacing, path)).chain(ends(axes, "degrees", path)).collect()
}

/// Tables and values that problems in longitude and latitude do not support.
fn unavailable(config: &Config, root: &KeyPath) -> Vec<Problem> {
    let tables = [("magnetisation", config.magnetisation.is_some()), ("reduction", config.reduction.is_some())];
    let of_table = |(name, _): (&str, bool)| {
        let problem = Problem::new(root.key(name), "is not available in longitude and latitude").at_key();
        problem.hint("remove the table, or give bodies and points in metres")
    };
    let mut problems: Vec<Problem> = tables.into_iter().filter(|(_, is_given)| *is_given).map(of_table).collect();
    let method = root.key("method");
    if config.method.path == Path::Convolution {
        let problem = Problem::new(method.key("path"), "requires prisms on a level grid").value("\"convolution\"");
        problems.push(problem.allowed("auto, direct, tree").hint("remove the key"));
    }
    if config.method.find_overlaps {
        let problem = Problem::new(method.key("find_overlaps"), "is not available for tesseroids").value("true");
        problems.push(problem.hint("remove the key"));
    }
    let formats = config.output.formats.iter().flatten().enumerate();
    problems.extend(formats.filter(|(_, format)| **format == OutputFormat::Ubc).map(|(index, _)| {
        let path = root.key("output").key("formats").index(index);
        let problem = Problem::new(path, "requires points in metres").value("\"ubc\"");
        problem.allowed("csv, netcdf, npy, esri").hint("remove the format")
    }));
    problems
}
