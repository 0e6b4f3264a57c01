//! The density of a scenario's model, discretised into cells.

use std::path::Path;

use craton_gravity::TensorMesh;
use craton_model::EarthModel;
use rayon::prelude::*;

use super::layer::BodyMessages;
use super::{Places, workers};
use crate::error::Problem;
use crate::gravity::GravityFile;
use crate::gravity::config::ScenarioModel;
use crate::inputs::{Given, Input, wrong_kind};
use crate::key_path::KeyPath;
use crate::number::Number;
use crate::setup::Setup;
use crate::setup::findings::{Checked, of_file};
use crate::written::Scenario;

/// Number of vertical lines through a cell along x and y, and smallest number of parts of each.
const PLACES: usize = 4;
/// Largest number of cells.
const MOST_CELLS: f64 = 1e9;

/// Reads and checks a scenario.
///
/// # Arguments
/// * `name` – its file, `set` – overrides of its keys
/// # Errors
/// An unreadable or invalid file.
pub fn read(name: &Path, set: &[String], file: &GravityFile, path: &KeyPath) -> Checked<Setup> {
    let refuse = |error: crate::Error| of_file(Problem::new(path.key("file"), one_line(&error)), name);
    let scenario = match file.input(name) {
        Input::File(opened) => Scenario::read(&opened, set),
        Input::Given(Given::Text(text)) => {
            let named = name.display().to_string();
            Scenario::with_inputs(&named, text, file.folder.clone(), set, file.inputs().clone()).map_err(Into::into)
        }
        Input::Given(given) => return Err(wrong_kind(given, "the text of a scenario", name, &path.key("file"))),
    };
    let scenario = scenario.map_err(refuse)?;
    let setup = Setup::new(&scenario).map_err(refuse)?;
    // Data of the calling program have no folder.
    let is_given = matches!(file.input(name), Input::Given(_));
    let folder = name.parent().filter(|_| !is_given).unwrap_or(Path::new(""));
    for read in setup.files.keys() {
        // The input files of the scenario belong to the problem.
        file.mark(&folder.join(read));
    }
    Ok(setup)
}

/// The box of a scenario as cells with their mean densities; cells of air are left out.
///
/// # Arguments
/// * `messages` – receives warnings about points below the ground
/// # Errors
/// As [`read`]; too many cells.
pub fn cells(
    model: &ScenarioModel,
    file: &GravityFile,
    places: Option<&Places>,
    path: &KeyPath,
    messages: &mut BodyMessages,
) -> Checked<TensorMesh> {
    let setup = read(&model.file, &model.set, file, path)?;
    if setup.frame.sphere().is_some() {
        let problem = Problem::new(path.key("file"), "is on the spherical Earth, which prisms do not support");
        return Err(problem.hint("use a scenario with a box as its domain").into());
    }
    let ends = [setup.x, setup.y, setup.z];
    messages.warnings.extend(places.and_then(|places| points_inside(&setup, file, places)));
    let count = ends.map(|[low, high]| ((high - low) / model.cell - 1e-6).ceil().max(1.0));
    let all: f64 = count.iter().product();
    if all > MOST_CELLS {
        let problem = Problem::new(path.key("cell"), format!("results in {} cells", Number(all)));
        return Err(problem.value(Number(model.cell)).allowed(format!("at most {MOST_CELLS:.0} cells")).into());
    }
    let planes = [0, 1, 2].map(|axis| {
        let ([low, high], count) = (ends[axis], count[axis] as usize);
        (0..=count).map(|plane| low + (high - low) * (plane as f64 / count as f64)).collect::<Vec<_>>()
    });
    let spacing = [0, 1, 2].map(|axis| planes[axis][1] - planes[axis][0]);
    let of = |cell: usize| {
        let [nx, ny, _] = count.map(|count| count as usize);
        let cell = [cell % nx, cell / nx % ny, cell / (nx * ny)];
        let middle = [0, 1, 2].map(|axis| 0.5 * (planes[axis][cell[axis]] + planes[axis][cell[axis] + 1]));
        of_cell(&setup.model, middle, spacing, model.reference)
    };
    let density = workers(file)?.run(|| (0..all as usize).into_par_iter().map(of).collect());
    TensorMesh::new(planes, density).map_err(|error| Problem::new(path, error.to_string()).into())
}

/// The number of points below the ground, as a warning.
fn points_inside(setup: &Setup, file: &GravityFile, places: &Places) -> Option<String> {
    if file.config.points.may_be_in_the_ground() {
        return None;
    }
    let is_within = |[low, high]: [f64; 2], place: f64| (low..=high).contains(&place);
    let is_below = |[x, y, z]: [f64; 3]| {
        let is_in_box = is_within(setup.x, x) && is_within(setup.y, y) && z > setup.z[0];
        is_in_box && z < setup.model.surface().elevation(x, y)
    };
    places.told_of("below the surface of a scenario", is_below)
}

/// Mean density of a cell minus the reference; air above the ground counts as zero.
///
/// Vertical lines through the cell are divided exactly at interfaces. Between interfaces the density is sampled at the
/// midpoints of parts of at most a quarter of the cell.
fn of_cell(model: &EarthModel, [x, y, z]: [f64; 3], spacing: [f64; 3], reference: f64) -> f64 {
    let [bottom, top] = [z - 0.5 * spacing[2], z + 0.5 * spacing[2]];
    let part = spacing[2] / PLACES as f64;
    let along = |digit: usize| (digit as f64 + 0.5) / PLACES as f64 - 0.5;
    let line = |number: usize| {
        let [x, y] = [x + along(number % PLACES) * spacing[0], y + along(number / PLACES) * spacing[1]];
        let ground = model.surface().elevation(x, y).min(top);
        let tops = model.regions().iter().map(|region| region.top.elevation(x, y));
        let mut cuts: Vec<f64> = tops.chain([ground, bottom]).filter(|cut| (bottom..=ground).contains(cut)).collect();
        cuts.sort_by(f64::total_cmp);
        let between = |pair: &[f64]| {
            let thickness = pair[1] - pair[0];
            let parts = (thickness / part).ceil();
            let middle = |index: usize| pair[0] + (index as f64 + 0.5) / parts * thickness;
            let density = |z: f64| model.medium(model.region_at([x, y, z]), [x, y, z]).rho() - reference;
            (0..parts as usize).map(|index| density(middle(index)) * thickness / parts).sum::<f64>()
        };
        cuts.windows(2).map(between).sum::<f64>()
    };
    let lines = PLACES * PLACES;
    (0..lines).map(line).sum::<f64>() / (lines as f64 * spacing[2])
}

/// The problems of a scenario on one line.
fn one_line(error: &crate::Error) -> String {
    match error {
        crate::Error::Scenario(errors) => errors.lines().trim_end().replace('\n', "; "),
        other => other.to_string(),
    }
}
