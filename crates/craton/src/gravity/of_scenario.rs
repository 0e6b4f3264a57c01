//! The gravity problem that a scenario with a table `[gravity]` is: its model in cells, its receivers.

use std::path::{Path, PathBuf};

use super::config::{Body, Config, Output, Points, ScenarioModel, ScenarioReceivers};
use super::setup::Setup;
use super::{GravityFile, is_gravity};
use crate::config::{Compute, ModelGravity};
use crate::error::Error;
use crate::written::{Move, Scenario, has_tables};

/// Where the keys of the problem stand in the scenario.
const MOVES: &[Move] = &[
    ("body[0].scenario.cell", "gravity.cell"),
    ("body[0].scenario.reference", "gravity.reference"),
    // It may be bent, which prisms are not.
    ("body[0].scenario.file", "domain"),
    ("body[0].scenario", "gravity"),
    ("body", "gravity"),
    ("points.receivers", "receivers"),
    ("fields", "gravity.fields"),
    ("method", "gravity.method"),
    ("output", "gravity"),
];

/// Reads and checks a gravity problem: a file of its own, or a scenario that asks for gravity.
///
/// # Errors
/// A file that cannot be read, or is wrong: each thing with its place in the file that was given.
pub fn set_up(file: &Path, overrides: &[String]) -> Result<(GravityFile, Setup), Error> {
    if is_gravity(file) || !has_tables(file, &["gravity", "model"]) {
        let problem = GravityFile::read(file, overrides)?;
        let setup = Setup::new(&problem)?;
        return Ok((problem, setup));
    }
    let scenario = Scenario::read(file, overrides)?;
    let problem = scenario.derive(of_scenario(file, &scenario.config, overrides)?, MOVES)?;
    // What is wrong with the scenario itself is told as it is of waves.
    let setup = Setup::new(&problem).or_else(|error| crate::Setup::new(&scenario).and(Err(error)))?;
    Ok((problem, setup))
}

fn of_scenario(file: &Path, config: &crate::Config, overrides: &[String]) -> Result<Config, Error> {
    let asked = config.gravity.clone().expect("its table is what tells it from others");
    let ModelGravity { cell, reference, fields, method, directory, formats, units, pictures } = asked;
    // The problem names it, and is text.
    let own = file.file_name().and_then(|name| name.to_str()).map(PathBuf::from).ok_or_else(|| Error::Read {
        file: file.to_owned(),
        source: std::io::Error::other("the name is not UTF-8"),
        hint: "give the file another name".to_owned(),
    })?;
    // What is written, and by whom, does not matter to the model.
    let matters =
        |change: &&String| !["output", "compute", "gravity"].iter().any(|table| change.trim_start().starts_with(table));
    let set: Vec<String> = overrides.iter().filter(matters).cloned().collect();
    let Compute { device, devices, threads, .. } = &config.compute;
    Ok(Config {
        title: config.title.clone(),
        bodies: vec![Body::Scenario(ScenarioModel { file: own.clone(), set: set.clone(), cell, reference })],
        points: Points::Receivers(ScenarioReceivers { file: own, set }),
        fields,
        method,
        output: Output {
            directory: directory.unwrap_or_else(|| beside(&config.output.directory)),
            formats,
            units,
            pictures,
        },
        compute: super::config::Compute { device: device.clone(), devices: *devices, threads: *threads },
    })
}

/// The folder of the same name with `_gravity` behind it.
fn beside(directory: &Path) -> PathBuf {
    let mut name = directory.as_os_str().to_owned();
    name.push("_gravity");
    name.into()
}
