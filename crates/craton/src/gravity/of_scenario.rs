//! The gravity problem that a scenario with a table `[gravity]` is: its model in cells, its receivers.

use std::path::{Path, PathBuf};

use super::config::{Body, Config, Output, Points, ScenarioModel, ScenarioReceivers};
use super::{GravityFile, is_gravity};
use crate::config::ModelGravity;
use crate::error::Error;
use crate::written::Scenario;

/// Reads a gravity problem: a file of its own, or a scenario that asks for gravity.
///
/// # Errors
/// A file that cannot be read, or is wrong.
pub fn read(file: &Path, overrides: &[String]) -> Result<GravityFile, Error> {
    match is_scenario(file) && !is_gravity(file) {
        true => of_scenario(file, overrides),
        false => GravityFile::read(file, overrides),
    }
}

/// Whether a file is a scenario that asks for gravity.
fn is_scenario(file: &Path) -> bool {
    let values = std::fs::read_to_string(file).ok().and_then(|text| text.parse::<toml::Table>().ok());
    values.is_some_and(|values| values.contains_key("gravity") && values.contains_key("model"))
}

fn of_scenario(file: &Path, overrides: &[String]) -> Result<GravityFile, Error> {
    let scenario = Scenario::read(file, overrides)?;
    let config = &scenario.config;
    let asked = config.gravity.clone().expect("its table is what tells it from others");
    let ModelGravity { cell, reference, fields, method, directory, formats, units } = asked;
    let own = || file.file_name().map(PathBuf::from).expect("a file that was read has a name");
    // What is written, and by whom, does not matter to the model.
    let matters =
        |change: &&String| !["output", "compute", "gravity"].iter().any(|table| change.trim_start().starts_with(table));
    let set: Vec<String> = overrides.iter().filter(matters).cloned().collect();
    let problem = Config {
        title: config.title.clone(),
        bodies: vec![Body::Scenario(ScenarioModel { file: own(), set: set.clone(), cell, reference })],
        points: Points::Receivers(ScenarioReceivers { file: own(), set }),
        fields,
        method,
        output: Output {
            directory: directory.unwrap_or_else(|| beside(&config.output.directory)),
            formats,
            units,
            pictures: true,
        },
        compute: super::config::Compute { threads: config.compute.threads },
    };
    let text = toml::to_string(&problem).expect("a problem can be written");
    Ok(GravityFile::parse(&file.display().to_string(), &text, scenario.folder.clone(), &[])?)
}

/// The folder of the same name with `_gravity` behind it.
fn beside(directory: &Path) -> PathBuf {
    let mut name = directory.as_os_str().to_owned();
    name.push("_gravity");
    name.into()
}
