//! UBC-GIF meshes, and their cells of air.

use craton_formats::ubc;
use craton_gravity::TensorMesh;

use super::figures::{LEAST_OF_ROCK, MOST_OF_ROCK};
use super::layer::BodyMessages;
use crate::error::Problem;
use crate::gravity::GravityFile;
use crate::gravity::config::UbcMesh;
use crate::key_path::KeyPath;
use crate::number::{Number, counted};
use crate::setup::findings::{Checked, bad_file, of_file};

/// Largest density that some programs assign to air [kg/m³].
const NOTHING: f64 = 1e-3;
/// Ratio to all other values from which on the value of air is conspicuous.
const FAR_BEYOND: f64 = 10.0;

/// A UBC-GIF mesh with its densities [kg/m³]; cells of air have none.
///
/// # Arguments
/// * `messages` – receives warnings about values that look like air or like another unit
/// # Errors
/// Unreadable files, or a model without densities.
pub fn mesh(given: &UbcMesh, file: &GravityFile, path: &KeyPath, messages: &mut BodyMessages) -> Checked<TensorMesh> {
    let mesh = ubc::Mesh::read(&file.file_named(&given.mesh, &path.key("mesh"))?);
    let mesh = mesh.map_err(|error| bad_file(&error, &given.mesh, &path.key("mesh")))?;
    let model = ubc::Model::read(&file.file_named(&given.model, &path.key("model"))?, &mesh);
    let model = model.map_err(|error| bad_file(&error, &given.model, &path.key("model")))?;
    let mut values = model.densities_g_cm3;
    let gaps = values.iter_mut().filter(|value| value.is_nan()).map(|value| *value = given.air).count();
    if values.iter().all(|&value| value == given.air || value == 0.0) {
        let air = values.iter().filter(|&&value| value == given.air).count();
        let message = format!("has no density: of {} cells, {air} are air and all others are 0", values.len());
        let hint = format!("check `air`, which is {}", Number(given.air));
        return Err(of_file(Problem::new(path.key("model"), message).hint(hint), &given.model));
    }
    if gaps > 0 {
        let gaps = counted(gaps, "cell");
        messages
            .warnings
            .push(format!("{path}: {gaps} of {} have no value (NaN) and are treated as air", values.len()));
    }
    messages.warnings.extend(unit_warning(&values, given).map(|warning| format!("{path}: {warning}")));
    let density = |&written: &f64| if written == given.air { 0.0 } else { given.density_factor * written };
    let density = values.iter().map(density).collect();
    TensorMesh::new(mesh.edges().clone(), density).map_err(|error| Problem::new(path, error.to_string()).into())
}

/// A warning if values look like air that is not left out, or like another unit, with the keys that help.
fn unit_warning(values: &[f64], given: &UbcMesh) -> Option<String> {
    let rock = || values.iter().copied().filter(|&value| value != given.air);
    let larger = |a: f64, b: f64| if b.abs() > a.abs() { b } else { a };
    let outlier = rock().fold(0.0, larger);
    let rest = rock().filter(|&value| value != outlier).fold(0.0, larger).abs();
    let cells = |value: f64| {
        let count = rock().filter(|&other| other == value).count();
        format!("{count} of {} have the value {}", counted(values.len(), "cell"), Number(value))
    };
    let is_rock = |value: f64| given.density_factor * value.abs() <= MOST_OF_ROCK;
    if !is_rock(outlier) {
        let too_much = format!(
            "{}, that is {} kg/m3, which exceeds the density of any rock",
            cells(outlier),
            Number(given.density_factor * outlier)
        );
        return Some(format!("{too_much}: {}", remedy(outlier, is_rock(rest).then_some(rest), rest)));
    }
    if given.density_factor < 1000.0 && given.density_factor * outlier.abs() < LEAST_OF_ROCK {
        let largest = Number(given.density_factor * outlier.abs());
        return Some(format!(
            "the largest density is {largest} kg/m3: for a model in g/cm3, set density_factor = 1000"
        ));
    }
    let least = rock().filter(|&value| value != 0.0).fold(outlier, |a, b| if b.abs() < a.abs() { b } else { a });
    let is_shared = rock().filter(|&value| value == least).nth(1).is_some();
    (is_shared && given.density_factor * least.abs() < NOTHING)
        .then(|| format!("{}, which is almost 0. If these cells are air, set air = {}", cells(least), Number(least)))
}

/// The hint for densities that are too large.
///
/// # Arguments
/// * `outlier` – the largest value, as written
/// * `plausible` – the largest of all other values, if it is plausible in the unit of the model
/// * `rest` – the largest of all other values
fn remedy(outlier: f64, plausible: Option<f64>, rest: f64) -> String {
    let air = format!("if these cells are air, set air = {}", Number(outlier));
    let unit = "for a model in kg/m3, set density_factor = 1".to_owned();
    let is_air = outlier == ubc::LEFT_OUT_G_CM3 || outlier.abs() > MOST_OF_ROCK;
    match plausible {
        Some(_) if is_air => air,
        Some(rest) if rest > 0.0 && outlier.abs() > FAR_BEYOND * rest => format!("{air}; {unit}"),
        _ if !is_air => unit,
        _ if rest <= MOST_OF_ROCK => format!("{air}; {unit}"),
        _ => "see `air` and `density_factor`".to_owned(),
    }
}
