//! Configuration files and overrides, up to the checked set-up; no mesh, grid or sum is computed.

use super::size::{is_small_gravity, is_small_scenario, is_small_survey};
use crate::fuzz::mutate::Form;
use crate::fuzz::target::{Outcome, Target};
use craton::error::Error;
use craton::gravity::{self, GravityFile};
use craton::survey::{self, SurveyFile};
use craton::{KeyPath, Scenario, Setup};
use miette::{GraphicalReportHandler, GraphicalTheme};
use std::path::{Path, PathBuf};

/// Maximum memory of a set-up [bytes]: a configuration may contain many receivers, shots or prisms.
pub const MEMORY: usize = 1 << 30;

/// Longest report [bytes]; it shows whole lines of the input.
pub const MESSAGE: usize = 1_000_000;

/// Files that the configurations in the corpus name.
pub const FILES: &[(&str, &str)] = &[
    ("hill.xyz", "xtask/corpus/companions/hill.xyz"),
    ("stf.txt", "xtask/corpus/companions/stf.txt"),
    ("S1", "xtask/corpus/companions/S1"),
    ("crust.txt", "xtask/corpus/companions/crust.txt"),
    ("small.toml", "xtask/corpus/companions/small.toml"),
    ("CMTSOLUTION", "examples/bolivia/CMTSOLUTION"),
    ("events.xml", "xtask/corpus/companions/events.xml"),
    ("stations.xml", "crates/craton-formats/tests/all/xml/samples/obspy_stationxml.xml"),
    ("tomography.nc", "xtask/corpus/netcdf/tomography.nc"),
    ("vp.rsf", "xtask/corpus/rsf/inside"),
    ("vs.raw", "xtask/corpus/raw/values"),
    ("section.segy", "xtask/corpus/segy/section"),
    ("shots.segy", "xtask/corpus/segy/shots"),
    ("line.sps", "xtask/corpus/sps/survey"),
    ("shots.csv", "xtask/corpus/companions/shots.csv"),
    ("receivers.csv", "xtask/corpus/companions/receivers.csv"),
    ("relations.csv", "xtask/corpus/companions/relations.csv"),
    ("prisms.csv", "xtask/corpus/companions/prisms.csv"),
    ("stations.csv", "xtask/corpus/companions/stations.csv"),
    ("forces", "xtask/corpus/companions/forces"),
    ("points.nc", "xtask/corpus/netcdf/points.nc"),
    ("cells.nc", "xtask/corpus/netcdf/cells.nc"),
    ("mesh.msh", "crates/craton-formats/tests/all/ubc/samples/discretize.msh"),
    ("cells.den", "crates/craton-formats/tests/all/ubc/samples/discretize.den"),
];

/// The targets of this module.
pub fn all() -> Vec<Target> {
    let configuration = |name, input, read| Target {
        companions: FILES.to_vec(),
        memory: MEMORY,
        message: MESSAGE,
        ..Target::new(name, Form::Text, input, read)
    };
    vec![
        configuration("scenario", "scenario.toml", read_scenario),
        configuration("survey", "survey.toml", read_survey),
        configuration("gravity", "gravity.toml", read_gravity),
        configuration("overrides", "overrides", read_overrides),
    ]
}

/// Reads a scenario with its files.
pub fn read_scenario(path: &Path) -> Outcome {
    let check = |setup: Setup| match Outcome::finite([setup.start, setup.end]) {
        Outcome::Accepted(_) => Outcome::Accepted(setup.receivers.len() + setup.sources.len()),
        broken => broken,
    };
    rendered(Scenario::read(path, &[]), |scenario| match is_small_scenario(&scenario.config) {
        true => rendered(Setup::new(&scenario), check),
        false => Outcome::Accepted(0),
    })
}

/// Reads a survey with its files.
pub fn read_survey(path: &Path) -> Outcome {
    rendered(SurveyFile::read(path, &[]), |file| match is_small_survey(&file.config) {
        true => rendered(survey::Setup::new(&file), |setup| Outcome::Accepted(setup.survey.shots().len())),
        false => Outcome::Accepted(0),
    })
}

/// Reads a gravity problem with its files.
pub fn read_gravity(path: &Path) -> Outcome {
    rendered(GravityFile::read(path, &[]), |file| match is_small_gravity(&file.config) {
        true => rendered(gravity::Setup::new(&file), |setup| Outcome::Accepted(setup.files.len())),
        false => Outcome::Accepted(0),
    })
}

/// Uses the lines of the input as overrides of a scenario, and as paths of keys.
fn read_overrides(path: &Path) -> Outcome {
    const SCENARIO: &str = include_str!("../../../corpus/companions/small.toml");
    let Ok(text) = std::fs::read_to_string(path) else { return Outcome::Refused("not UTF-8".to_owned()) };
    let lines: Vec<String> = text.lines().map(str::to_owned).collect();
    for line in &lines {
        if let Ok(key) = line.parse::<KeyPath>() {
            let again = key.to_string().parse::<KeyPath>();
            assert!(again.is_ok_and(|again| again == key), "{key} changes when it is printed and parsed");
        }
    }
    let scenario = Scenario::parse("a.toml", SCENARIO, PathBuf::from("."), &lines);
    rendered(scenario.map_err(Error::from), |scenario| Outcome::Accepted(scenario.kept().len()))
}

/// The outcome of a command, with the error as the command line shows it.
fn rendered<T>(result: Result<T, Error>, check: impl FnOnce(T) -> Outcome) -> Outcome {
    Outcome::of(
        result.map_err(|error| {
            let mut text = String::new();
            let handler = GraphicalReportHandler::new_themed(GraphicalTheme::unicode_nocolor());
            handler.render_report(&mut text, &error).expect("a report can be rendered");
            text
        }),
        check,
    )
}
