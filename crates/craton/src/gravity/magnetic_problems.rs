//! Checks of magnetic problems and of reductions that the schema cannot express and that open no other file.

use super::config::{Config, Points, Quantity, Reduction};
use super::setup::format_of;
use crate::error::Problem;
use crate::inputs::Inputs;
use crate::key_path::KeyPath;

/// Problems of the magnetisation and the fields.
pub fn magnetisation(config: &Config, root: &KeyPath) -> Vec<Problem> {
    let is_wrong = |quantity: &Quantity| quantity.is_magnetic() != config.magnetisation.is_some();
    let wrong = config.fields.iter().position(is_wrong).map(|index| {
        let problem = Problem::new(
            root.key("fields").index(index),
            match config.magnetisation {
                Some(_) => "is a field of gravity, but the problem has a table [magnetisation]",
                None => "is a magnetic field, but the problem has no table [magnetisation]",
            },
        );
        let problem = problem.value(format!("{:?}", config.fields[index].name()));
        match config.magnetisation {
            Some(_) => {
                problem.hint("set `fields` to magnetic fields such as [\"tfa\"], and compute gravity in another file")
            }
            None => problem.hint("add [magnetisation] with the main field and the magnetisation of each body"),
        }
    });
    let count = config.magnetisation.iter().filter(|given| given.bodies.len() != config.bodies.len()).map(|given| {
        let message = format!("has {} items for {} bodies", given.bodies.len(), config.bodies.len());
        let problem = Problem::new(root.key("magnetisation").key("body"), message).at_key();
        problem.allowed("one item for each [[body]], in the same order")
    });
    wrong.into_iter().chain(count).collect()
}

/// Problems of a reduction.
pub fn reduction(config: &Config, inputs: &Inputs, root: &KeyPath) -> Vec<Problem> {
    let Some(reduction) = &config.reduction else { return Vec::new() };
    let path = root.key("reduction");
    let mut problems = Vec::new();
    if !config.fields.iter().any(|field| matches!(field, Quantity::GD | Quantity::GU)) {
        let problem =
            Problem::new(root.key("fields"), "lack the attraction of the terrain, which [reduction] requires");
        problems.push(problem.at_key().hint("add \"g_d\""));
    }
    let Points::List(list) = &config.points else {
        let problem = Problem::new(&path, "requires a list of points with the observed values").at_key();
        problems.push(problem.hint("give the stations with [points.list] file = \"...\""));
        return problems;
    };
    match &list.file {
        Some(name) if !Reduction::reads(format_of(name, list.format, inputs)) => {
            let problem = Problem::new(&path, "requires points in a table or in netCDF, whose columns have names");
            problems.push(problem.at_key());
        }
        Some(_) if !list.rows.is_empty() => {
            let problem = Problem::new(root.key("points").key("list").key("rows"), "have no observed values").at_key();
            problems.push(problem.hint("remove the key, or write these points to the file"));
        }
        Some(_) => {}
        None => {
            let problem = Problem::new(&path, "requires a file with the points and the observed values").at_key();
            problems.push(problem.hint("set points.list.file"));
        }
    }
    if reduction.latitude.is_none() && list.projection.is_none() {
        let problem = Problem::new(path.key("latitude"), "is missing");
        problems.push(
            problem.hint("name the column of the latitude, or give points.list.projection for points in degrees"),
        );
    }
    problems
}
