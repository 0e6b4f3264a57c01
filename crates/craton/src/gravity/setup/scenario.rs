//! The density of a scenario's model, in cells.

use std::path::Path;

use craton_gravity::TensorMesh;
use craton_model::EarthModel;

use crate::error::Problem;
use crate::gravity::GravityFile;
use crate::gravity::config::ScenarioModel;
use crate::key_path::KeyPath;
use crate::number::Number;
use crate::setup::Setup;
use crate::setup::findings::{Checked, of_file};
use crate::written::Scenario;

/// Places along each axis of a cell at which density is looked at, where an interface cuts the cell.
const PLACES: usize = 4;
/// Cells at most.
const MOST_CELLS: f64 = 1e9;

/// Reads and checks a scenario.
///
/// # Arguments
/// * `name` – its file, `set` – changes of its keys
/// # Errors
/// A file that cannot be read, or is wrong.
pub fn read(name: &Path, set: &[String], file: &GravityFile, path: &KeyPath) -> Checked<Setup> {
    let refuse = |error: crate::Error| of_file(Problem::new(path.key("file"), one_line(&error)), name);
    let scenario = Scenario::read(&file.opened(name), set).map_err(refuse)?;
    let setup = Setup::new(&scenario).map_err(refuse)?;
    for read in setup.files.keys() {
        // What the scenario reads counts, too.
        file.opened(&name.parent().unwrap_or(Path::new("")).join(read));
    }
    Ok(setup)
}

/// The box of a scenario in cells, each with its mean density; air has none.
///
/// # Errors
/// As [`read`]; too many cells.
pub fn cells(model: &ScenarioModel, file: &GravityFile, path: &KeyPath) -> Checked<TensorMesh> {
    let setup = read(&model.file, &model.set, file, path)?;
    let ends = [setup.x, setup.y, setup.z];
    let count = ends.map(|[low, high]| ((high - low) / model.cell - 1e-6).ceil().max(1.0));
    let all: f64 = count.iter().product();
    if all > MOST_CELLS {
        let problem = Problem::new(path.key("cell"), format!("makes {} cells", Number(all)));
        return Err(problem
            .value(Number(model.cell))
            .allowed(format!("so large that there are at most {MOST_CELLS:.0}"))
            .into());
    }
    let planes = [0, 1, 2].map(|axis| {
        let ([low, high], count) = (ends[axis], count[axis] as usize);
        (0..=count).map(|plane| low + (high - low) * (plane as f64 / count as f64)).collect::<Vec<_>>()
    });
    let spacing = [0, 1, 2].map(|axis| planes[axis][1] - planes[axis][0]);
    let mut density = Vec::with_capacity(all as usize);
    let middles = |axis: usize| planes[axis].windows(2).map(|pair| 0.5 * (pair[0] + pair[1]));
    for z in middles(2) {
        for y in middles(1) {
            density.extend(middles(0).map(|x| of_cell(&setup.model, [x, y, z], spacing, model.reference)));
        }
    }
    TensorMesh::new(planes, density).map_err(|error| Problem::new(path, error.to_string()).into())
}

/// Mean density of a cell less the reference: what is above the ground has neither.
fn of_cell(model: &EarthModel, centre: [f64; 3], spacing: [f64; 3], reference: f64) -> f64 {
    let is_air = |[x, y, z]: [f64; 3]| z > model.surface().elevation(x, y);
    let at = |place: [f64; 3]| match is_air(place) {
        true => 0.0,
        false => model.medium(model.region_at(place), place).rho() - reference,
    };
    let offset = |share: [f64; 3]| [0, 1, 2].map(|axis| centre[axis] + share[axis] * spacing[axis]);
    let corner = |number: usize| offset([0, 1, 2].map(|axis| if number >> axis & 1 == 0 { -0.499 } else { 0.499 }));
    let kind = |place: [f64; 3]| (is_air(place), model.region_at(place));
    if (0..8).all(|number| kind(corner(number)) == kind(centre)) {
        return at(centre);
    }
    let share = |digit: usize| (digit as f64 + 0.5) / PLACES as f64 - 0.5;
    let digits = |number: usize| [number % PLACES, number / PLACES % PLACES, number / (PLACES * PLACES)];
    let places = PLACES.pow(3);
    (0..places).map(|number| at(offset(digits(number).map(share)))).sum::<f64>() / places as f64
}

/// What is wrong with a scenario, on one line.
fn one_line(error: &crate::Error) -> String {
    match error {
        crate::Error::Scenario(errors) => errors.lines().trim_end().replace('\n', "; "),
        other => other.to_string(),
    }
}
