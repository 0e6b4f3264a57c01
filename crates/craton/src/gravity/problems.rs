//! Checks of the meaning of a gravity problem that the schema cannot express and that open no other file.

use serde::Serialize;

use super::config::{
    Body, Config, LevelGrid, ListFormat, OutputFormat, Path, PointFile, Points, Precision, Prisms, Quantity,
};
use super::results::observation;
use super::setup::{UPSIDE_DOWN, format_of};
use super::{geographic_problems, magnetic_problems};
use crate::error::Problem;
use crate::inputs::Inputs;
use crate::key_path::KeyPath;
use crate::number::{Number, bracketed};
use crate::sampled::volume_problems;
use crate::validate::device;

/// All problems; empty if there are none.
pub fn problems(config: &Config, inputs: &Inputs) -> Vec<Problem> {
    let root = KeyPath::default();
    let bodies = config.bodies.iter().enumerate();
    let mut problems: Vec<Problem> =
        bodies.flat_map(|(index, one)| body(one, inputs, &root.key("body").index(index))).collect();
    problems.extend(points(&config.points, inputs, &root.key("points")));
    problems.extend(twice(&config.fields, &root.key("fields")));
    problems.extend(geographic_problems::problems(config, inputs, &root));
    problems.extend(magnetic_problems::magnetisation(config, &root));
    problems.extend(magnetic_problems::reduction(config, inputs, &root));
    problems.extend(method(config, &root.key("method")));
    problems.extend(device(&config.compute.device, &root.key("compute")));
    let path = root.key("output").key("formats");
    problems.extend(formats(config, &path));
    problems.extend(twice(config.output.formats.as_deref().unwrap_or_default(), &path));
    problems
}

fn body(body: &Body, inputs: &Inputs, path: &KeyPath) -> Vec<Problem> {
    match body {
        Body::Prisms(prisms) => list_of_prisms(prisms, inputs, &path.key("prisms")),
        Body::Volume(volume) => volume_problems(&volume.density, inputs, &path.key("volume").key("density")),
        Body::Block(block) => {
            let path = path.key("block");
            [("x", block.x), ("y", block.y), ("z", block.z)]
                .into_iter()
                .filter(|(_, [low, high])| low >= high)
                .map(|(axis, ends)| {
                    let problem = Problem::new(path.key(axis), "the first limit must be below the last one");
                    let problem = problem.value(bracketed(&ends)).allowed("[first, last] in metres, first < last");
                    if axis == "z" { problem.hint(UPSIDE_DOWN) } else { problem }
                })
                .collect()
        }
        _ => Vec::new(),
    }
}

fn list_of_prisms(prisms: &Prisms, inputs: &Inputs, path: &KeyPath) -> Vec<Problem> {
    let Prisms { file, format, columns: given, rows, .. } = prisms;
    let format = file.as_ref().map(|file| format_of(file, *format, inputs));
    if file.is_none() && rows.is_empty() {
        return vec![Problem::new(path, "has no prisms").hint("give `file`, or `rows`")];
    }
    if format == Some(ListFormat::Ubc) {
        let problem = Problem::new(path.key("format"), "contains points, not prisms");
        return vec![problem.value("\"ubc\"").allowed("table, npy, netcdf").hint("use [body.ubc] for UBC-GIF meshes")];
    }
    given.iter().flat_map(|given| columns(format, &given.numbers(), &path.key("columns"))).collect()
}

fn list_of_points(list: &PointFile, inputs: &Inputs, path: &KeyPath) -> Vec<Problem> {
    let PointFile { file, format, columns: given, rows, .. } = list;
    let format = file.as_ref().map(|file| format_of(file, *format, inputs));
    if file.is_none() && rows.is_empty() {
        return vec![Problem::new(path, "has no points").hint("give `file`, or `rows`")];
    }
    let path = path.key("columns");
    let nameless = given.iter().filter(|given| given.name.as_deref() == Some(""));
    let nameless = nameless.map(|_| Problem::new(path.key("name"), "is empty").value("\"\"").hint("remove the key"));
    let numbers = given.iter().flat_map(|given| columns(format, &given.numbers(), &path));
    nameless.chain(numbers).collect()
}

/// Column names for formats without names, and duplicate names.
///
/// # Arguments
/// * `format` – format of the file, if there is one
/// * `given` – the quantities to read, and their column names
pub fn columns(format: Option<ListFormat>, given: &[(&'static str, &str)], path: &KeyPath) -> Vec<Problem> {
    let what_has_none = match format {
        Some(ListFormat::Table | ListFormat::Netcdf) => None,
        Some(ListFormat::Npy) => Some("NumPy arrays have"),
        Some(ListFormat::Ubc) => Some("UBC-GIF files have"),
        None => Some("`rows` have"),
    };
    if let Some(what) = what_has_none {
        let order: Vec<&str> = given.iter().map(|&(key, _)| key).collect();
        let problem = Problem::new(path, format!("cannot be given: {what} a fixed column order")).at_key();
        return vec![problem.allowed(order.join(", ")).hint("remove the key")];
    }
    let problem = |(index, &(key, called)): (usize, &(&'static str, &str))| {
        let problem = |message: String| Some(Problem::new(path.key(key), message).value(format!("{called:?}")));
        let other = given[..index].iter().find(|(_, before)| *before == called);
        match other {
            _ if called.is_empty() => problem("is empty".to_owned()),
            Some((other, _)) => problem(format!("is also the column of `{other}`")),
            None => None,
        }
    };
    given.iter().enumerate().filter_map(problem).collect()
}

fn points(points: &Points, inputs: &Inputs, path: &KeyPath) -> Vec<Problem> {
    match points {
        Points::Grid(grid) => {
            let LevelGrid { x, y, count, spacing, .. } = grid;
            let path = path.key("grid");
            let missing = (count.is_none() && spacing.is_none()).then(|| {
                let problem = Problem::new(path.key("count"), "is missing");
                problem.hint("give the number of points along x and y, or `spacing`")
            });
            // One point if both limits are the same.
            let count = count.unwrap_or([x, y].map(|[first, last]| if first == last { 1 } else { 2 }));
            let ends = ends([(*x, count[0], "x"), (*y, count[1], "y")], "metres", &path);
            missing.into_iter().chain(both(grid.count, *spacing, &path)).chain(ends).collect()
        }
        Points::Draped(draped) => {
            let path = path.key("draped");
            let is_one = |ends: Option<[f64; 2]>| ends.is_some_and(|[first, last]| first == last);
            let of_spacing = |ends| if draped.spacing.is_some() && is_one(ends) { 1 } else { 2 };
            let count = draped.count.unwrap_or([draped.x, draped.y].map(of_spacing));
            let given = [(draped.x, count[0], "x"), (draped.y, count[1], "y")];
            let ends = given
                .into_iter()
                .flat_map(|(given, count, axis)| ends(given.map(|given| (given, count, axis)), "metres", &path));
            both(draped.count, draped.spacing, &path).into_iter().chain(ends).collect()
        }
        Points::List(list) => list_of_points(list, inputs, &path.key("list")),
        Points::GeographicGrid(_) | Points::GeographicList(_) | Points::Line(_) | Points::Receivers(_) => Vec::new(),
    }
}

/// Number of points and spacing, which exclude each other.
pub fn both(count: Option<[usize; 2]>, spacing: Option<[f64; 2]>, path: &KeyPath) -> Option<Problem> {
    let problem = || Problem::new(path.key("spacing"), "conflicts with `count`: give exactly one of them").at_key();
    count.and(spacing).map(|_| problem().hint("remove one of the two keys"))
}

/// Limits of a grid that are reversed, or inconsistent with the number of points.
///
/// # Arguments
/// * `axes` – limits, number of points and key of each axis; `unit` – of the limits
pub fn ends<'a>(
    axes: impl IntoIterator<Item = ([f64; 2], usize, &'a str)>,
    unit: &str,
    path: &KeyPath,
) -> Vec<Problem> {
    let problem = |([first, last], count, axis): ([f64; 2], usize, &str)| {
        let problem = Problem::new(path.key(axis), "are invalid limits of the grid").value(bracketed(&[first, last]));
        match count {
            1 if first != last => Some(problem.allowed("first = last for a single point")),
            1 => None,
            _ if first >= last => Some(problem.allowed(format!("[first, last] in {unit}, first < last"))),
            _ => None,
        }
    };
    axes.into_iter().filter_map(problem).collect()
}

/// Duplicates in a list.
fn twice<T: PartialEq + Serialize>(list: &[T], path: &KeyPath) -> Vec<Problem> {
    let is_again = |&index: &usize| list[..index].contains(&list[index]);
    let problem = |index: usize| {
        let value = serde_json::to_string(&list[index]).expect("a choice is a word");
        Problem::new(path.index(index), "is a duplicate").value(value).hint("remove it")
    };
    (0..list.len()).filter(is_again).map(problem).collect()
}

fn method(config: &Config, path: &KeyPath) -> Option<Problem> {
    let accuracy = config.method.accuracy;
    if let (Precision::Single, Some(accuracy)) = (config.method.precision, accuracy) {
        let why = "cannot guarantee an `accuracy` relative to the largest value";
        let problem = Problem::new(path.key("precision"), why).value("\"single\"");
        return Some(problem.hint(format!("remove it, or remove accuracy = {}", Number(accuracy))));
    }
    let (name, why) = match config.method.path {
        Path::Tree if accuracy.is_none() => ("tree", "requires `accuracy`, which determines the error of a tree"),
        Path::Convolution if accuracy.is_none() => {
            ("convolution", "requires `accuracy`, because its round-off is relative to the largest value")
        }
        _ => return None,
    };
    Some(
        Problem::new(path.key("path"), why).value(format!("{name:?}")).hint(format!("set accuracy = {}", Number(1e-5))),
    )
}

/// Formats that do not support the requested fields.
fn formats(config: &Config, path: &KeyPath) -> Vec<Problem> {
    let is_grid = matches!(config.points, Points::Grid(_) | Points::Draped(_) | Points::GeographicGrid(_));
    let is_observed = |&quantity: &Quantity| observation(quantity).is_some();
    let formats = config.output.formats.iter().flatten().enumerate();
    let problem = |(index, format): (usize, &OutputFormat)| match format {
        OutputFormat::Esri if !is_grid => {
            let problem = Problem::new(path.index(index), "requires points on a grid");
            Some(problem.value("\"esri\"").allowed("csv, netcdf, npy, ubc"))
        }
        OutputFormat::Ubc if !config.fields.iter().any(is_observed) => {
            let problem = Problem::new(
                path.index(index),
                "supports only the vertical attraction and tensor components, but none is requested",
            );
            Some(problem.value("\"ubc\"").hint("add g_d, or components such as g_dd, to `fields`"))
        }
        _ => None,
    };
    formats.filter_map(problem).collect()
}
