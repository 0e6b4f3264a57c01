//! The gravity problem of a scenario with a table `[gravity]`: its model in cells, and its receivers.

use std::path::{Path, PathBuf};

use super::config::{Body, Config, Output, Points, ScenarioModel, ScenarioReceivers};
use super::setup::Setup;
use super::{GravityFile, is_gravity};
use crate::config::{Compute, ModelGravity};
use crate::error::Error;
use crate::written::{Move, Scenario, has_tables};

/// Positions in the scenario of the keys of the problem.
const MOVES: &[Move] = &[
    ("body[0].scenario.cell", "gravity.cell"),
    ("body[0].scenario.reference", "gravity.reference"),
    // A chunk of the Earth is not supported by prisms.
    ("body[0].scenario.file", "domain"),
    ("body[0].scenario", "gravity"),
    ("body", "gravity"),
    ("points.receivers", "receivers"),
    ("fields", "gravity.fields"),
    ("method", "gravity.method"),
    ("output", "gravity"),
];

/// Reads and checks a gravity problem: a gravity file, or a scenario with a table `[gravity]`.
///
/// # Errors
/// An unreadable or invalid file, with the positions of all problems in the given file.
pub fn set_up(file: &Path, overrides: &[String]) -> Result<(GravityFile, Setup), Error> {
    if is_gravity(file) || !has_tables(file, &["gravity", "model"]) {
        let problem = GravityFile::read(file, overrides)?;
        let setup = Setup::new(&problem)?;
        return Ok((problem, setup));
    }
    let scenario = Scenario::read(file, overrides)?;
    let problem = scenario.derive(of_scenario(file, &scenario.config, overrides)?, MOVES)?;
    // Problems of the scenario itself are reported as for `craton run`.
    let setup = Setup::new(&problem).or_else(|error| crate::Setup::new(&scenario).and(Err(error)))?;
    Ok((problem, setup))
}

fn of_scenario(file: &Path, config: &crate::Config, overrides: &[String]) -> Result<Config, Error> {
    let gravity = config.gravity.clone().expect("the scenario has a table [gravity]");
    let ModelGravity { cell, reference, fields, method, directory, formats, units, pictures } = gravity;
    // The problem names the file, and is text.
    let own = file.file_name().and_then(|name| name.to_str()).map(PathBuf::from).ok_or_else(|| Error::Read {
        file: file.to_owned(),
        source: std::io::Error::other("the name is not UTF-8"),
        hint: "rename the file with a UTF-8 name".to_owned(),
    })?;
    // Output and devices do not affect the model.
    let matters =
        |change: &&String| !["output", "compute", "gravity"].iter().any(|table| change.trim_start().starts_with(table));
    let set: Vec<String> = overrides.iter().filter(matters).cloned().collect();
    let Compute { device, devices, threads, .. } = &config.compute;
    Ok(Config {
        title: config.title.clone(),
        bodies: vec![Body::Scenario(ScenarioModel { file: own.clone(), set: set.clone(), cell, reference })],
        points: Points::Receivers(ScenarioReceivers { file: own, set }),
        sphere: None,
        ellipsoid: None,
        fields,
        magnetisation: None,
        reduction: None,
        method,
        output: Output {
            directory: directory.unwrap_or_else(|| results_folder(&config.output.directory)),
            formats,
            units,
            pictures,
        },
        compute: super::config::Compute { device: device.clone(), devices: *devices, threads: *threads },
    })
}

/// The folder with `_gravity` appended to its name.
fn results_folder(directory: &Path) -> PathBuf {
    let mut name = directory.as_os_str().to_owned();
    name.push("_gravity");
    name.into()
}
