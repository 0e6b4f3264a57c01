//! Files that a fixed configuration names, up to its checked set-up: what becomes of extreme values that a reader accepts.

use super::configurations::{FILES, MEMORY, MESSAGE, read_gravity, read_scenario, read_survey};
use crate::fuzz::mutate::Form::{self, Binary, Mixed, Text};
use crate::fuzz::target::{Outcome, Target};
use std::path::Path;

/// Name of the target, form and name of the file in [`FILES`], and the configuration that names it.
type Row = (&'static str, Form, &'static str, &'static str);

const OF_SCENARIOS: [Row; 10] = [
    ("scenario_surface", Text, "hill.xyz", "xtask/corpus/scenario/box.toml"),
    ("scenario_stations", Text, "S1", "xtask/corpus/scenario/box.toml"),
    ("scenario_time_function", Text, "stf.txt", "xtask/corpus/scenario/box.toml"),
    ("scenario_depth_table", Text, "crust.txt", "xtask/corpus/scenario/map.toml"),
    ("scenario_perturbation", Binary, "tomography.nc", "xtask/corpus/scenario/map.toml"),
    ("scenario_volume", Mixed, "vp.rsf", "xtask/corpus/scenario/volume.toml"),
    ("scenario_cmtsolution", Text, "CMTSOLUTION", "xtask/corpus/scenario/chunk.toml"),
    ("scenario_quakeml", Text, "events.xml", "xtask/corpus/scenario/chunk.toml"),
    ("scenario_stationxml", Text, "stations.xml", "xtask/corpus/scenario/chunk.toml"),
    ("scenario_forcesolution", Text, "forces", "xtask/corpus/scenario/forces.toml"),
];

const OF_SURVEYS: [Row; 6] = [
    ("survey_shots", Text, "shots.csv", "xtask/corpus/survey/tables.toml"),
    ("survey_receivers", Text, "receivers.csv", "xtask/corpus/survey/tables.toml"),
    ("survey_relations", Text, "relations.csv", "xtask/corpus/survey/tables.toml"),
    ("survey_sps", Text, "line.sps", "xtask/corpus/survey/sps.toml"),
    ("survey_headers", Binary, "shots.segy", "xtask/corpus/survey/headers.toml"),
    ("survey_velocity", Binary, "section.segy", "xtask/corpus/survey/volume.toml"),
];

const OF_GRAVITY: [Row; 6] = [
    ("gravity_prisms", Text, "prisms.csv", "xtask/corpus/gravity/bodies.toml"),
    ("gravity_surface", Text, "hill.xyz", "xtask/corpus/gravity/files.toml"),
    ("gravity_mesh", Text, "mesh.msh", "xtask/corpus/gravity/files.toml"),
    ("gravity_volume", Binary, "cells.nc", "xtask/corpus/gravity/files.toml"),
    ("gravity_points", Text, "stations.csv", "xtask/corpus/gravity/list.toml"),
    ("gravity_netcdf_points", Binary, "points.nc", "xtask/corpus/gravity/netcdf_list.toml"),
];

/// The targets of this module.
pub fn all() -> Vec<Target> {
    let scenarios = OF_SCENARIOS.map(|row| target(row, "scenario.toml", scenario));
    let surveys = OF_SURVEYS.map(|row| target(row, "survey.toml", survey));
    let gravity = OF_GRAVITY.map(|row| target(row, "gravity.toml", gravity));
    scenarios.into_iter().chain(surveys).chain(gravity).collect()
}

fn target((name, form, input, configuration): Row, file: &'static str, read: fn(&Path) -> Outcome) -> Target {
    let seed = FILES.iter().find(|(known, _)| *known == input).map_or(&[][..], |(_, seed)| std::slice::from_ref(seed));
    let mut companions = FILES.to_vec();
    companions.push((file, configuration));
    Target { corpus: seed, companions, memory: MEMORY, message: MESSAGE, ..Target::new(name, form, input, read) }
}

/// Reads the configuration in the folder of the input.
fn scenario(path: &Path) -> Outcome {
    read_scenario(&path.with_file_name("scenario.toml"))
}

fn survey(path: &Path) -> Outcome {
    read_survey(&path.with_file_name("survey.toml"))
}

fn gravity(path: &Path) -> Outcome {
    read_gravity(&path.with_file_name("gravity.toml"))
}
