//! The gravity problem that a scenario with a table `[gravity]` is: its model in cells, its receivers.

use std::path::{Path, PathBuf};

use super::config::{Body, Config, Output, Points, ScenarioModel, ScenarioReceivers};
use super::{GravityFile, is_gravity};
use crate::config::{Compute, ModelGravity};
use crate::error::Error;
use crate::written::{Scenario, has_tables};

/// Reads a gravity problem: a file of its own, or a scenario that asks for gravity.
///
/// # Errors
/// A file that cannot be read, or is wrong.
pub fn read(file: &Path, overrides: &[String]) -> Result<GravityFile, Error> {
    match has_tables(file, &["gravity", "model"]) && !is_gravity(file) {
        true => of_scenario(file, overrides),
        false => GravityFile::read(file, overrides),
    }
}

fn of_scenario(file: &Path, overrides: &[String]) -> Result<GravityFile, Error> {
    let scenario = Scenario::read(file, overrides)?;
    let config = &scenario.config;
    let asked = config.gravity.clone().expect("its table is what tells it from others");
    let ModelGravity { cell, reference, fields, method, directory, formats, units } = asked;
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
    let problem = Config {
        title: config.title.clone(),
        bodies: vec![Body::Scenario(ScenarioModel { file: own.clone(), set: set.clone(), cell, reference })],
        points: Points::Receivers(ScenarioReceivers { file: own, set }),
        fields,
        method,
        output: Output {
            directory: directory.unwrap_or_else(|| beside(&config.output.directory)),
            formats,
            units,
            pictures: true,
        },
        compute: super::config::Compute { device: device.clone(), devices: *devices, threads: *threads },
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
