//! A scenario, a survey or a gravity problem read from its file: checked in form and in meaning, and able to say where each of its values was written.

use std::collections::{BTreeMap, BTreeSet};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::config::Config;
use crate::document::Document;
use crate::error::{Error, Problem, ScenarioErrors};
use crate::inputs::{Input, Inputs};
use crate::key_path::KeyPath;
use crate::schema::schema;
use crate::{gravity, structure, survey, validate};

/// What can be written in a file of values.
pub trait Format: DeserializeOwned + JsonSchema {
    /// What a file of it is: `scenario`.
    const NAME: &'static str;
    /// The beginning of its reference page, in Markdown.
    const INTRODUCTION: &'static str;
    /// The example that the page shows.
    const EXAMPLE: &'static str;
    /// Some changes of its keys.
    const CHANGES: &'static str;

    /// What in it cannot be meant, other files left closed; empty when it can be tried.
    ///
    /// # Arguments
    /// * `inputs` – what is given instead of files
    fn problems(&self, inputs: &Inputs) -> Vec<Problem>;
}

impl Format for Config {
    const NAME: &'static str = "scenario";
    const INTRODUCTION: &'static str = "\
# The scenario file

A scenario is one [TOML](https://toml.io) file. Units are SI; x is east, y north and z up, so that depths are negative. Relative paths of
files to be read start from the folder of the scenario, that of the results from the working directory.
";
    const EXAMPLE: &'static str = include_str!("../../../examples/loh1/loh1.toml");
    const CHANGES: &'static str = "--set duration=5 --set source[0].position[2]=-500";

    fn problems(&self, inputs: &Inputs) -> Vec<Problem> {
        validate::validate(self, inputs)
    }
}

impl Format for survey::Config {
    const NAME: &'static str = "survey";
    const INTRODUCTION: &'static str = "\
# The survey file

A survey is one [TOML](https://toml.io) file: a model, shots with their receivers, and what is sent and heard. Units are SI; x is east, y north, and
depths are positive down from 0. Relative paths of files to be read start from the folder of the survey, that of the results from the working directory.
";
    const EXAMPLE: &'static str = include_str!("../../../examples/marine_line/marine_line.toml");
    const CHANGES: &'static str = "--set duration=5 --set source.amplitude=2";

    fn problems(&self, inputs: &Inputs) -> Vec<Problem> {
        survey::problems(self, inputs)
    }
}

impl Format for gravity::Config {
    const NAME: &'static str = "gravity problem";
    const INTRODUCTION: &'static str = "\
# The gravity file

A gravity problem is one [TOML](https://toml.io) file: bodies, points, and the fields that are asked for. Units are SI but for the results; x is east, y north
and z up. Relative paths of files to be read start from the folder of the gravity file, that of the results from the working directory.
";
    const EXAMPLE: &'static str = include_str!("../../../examples/seven_balls/seven_balls.toml");
    const CHANGES: &'static str = "--set points.grid.z=300 --set body[0].ball.density=100";

    fn problems(&self, inputs: &Inputs) -> Vec<Problem> {
        gravity::problems(self, inputs)
    }
}

/// A scenario read from its file.
pub type Scenario = Written<Config>;

/// A beginning of keys, and what stands in its place in the document: `("output.formats", "gravity.formats")`.
pub type Move = (&'static str, &'static str);

/// Values read from their file.
#[derive(Debug)]
pub struct Written<C> {
    /// The values as they are written, overrides included.
    pub config: C,
    /// The folder from which relative paths are taken.
    pub folder: PathBuf,
    /// The file that it was read from; none for a text, such as the copy in a results folder.
    pub file: Option<PathBuf>,
    document: Document,
    /// Where keys stand in the document that have another place in the format.
    moves: &'static [Move],
    /// The text that it was read from.
    text: String,
    /// What was changed in it.
    overrides: Vec<String>,
    /// What is given instead of files.
    inputs: Inputs,
    /// What has been read, as the values name it.
    opened: Mutex<BTreeSet<PathBuf>>,
}

impl<C: Format> Written<C> {
    /// Reads a file, applies the overrides and checks all that can be checked without opening another file.
    ///
    /// # Arguments
    /// * `file` – the file, TOML
    /// * `overrides` – texts `key=value`, as given to `--set`
    /// # Errors
    /// [`Error::Read`] when the file cannot be read, [`Error::Scenario`] with everything that is wrong in it.
    pub fn read(file: &Path, overrides: &[String]) -> Result<Self, Error> {
        let text = std::fs::read_to_string(file).map_err(|source| Error::Read {
            file: file.to_owned(),
            hint: match source.kind() {
                ErrorKind::InvalidData => "save it as UTF-8".to_owned(),
                _ => format!("give the path of a {} file (TOML); examples/ has some", C::NAME),
            },
            source,
        })?;
        let folder = file.parent().unwrap_or(Path::new("")).to_owned();
        let parsed = Self::parse(&file.display().to_string(), &text, folder, overrides)?;
        Ok(Self { file: Some(file.to_owned()), ..parsed })
    }

    /// Values as text, with data of the calling program.
    ///
    /// # Arguments
    /// * `text` – TOML
    /// * `folder` – the folder from which relative paths are taken
    /// * `inputs` – data that take the place of files
    /// # Errors
    /// Everything that is wrong with the values.
    pub fn from_toml(text: &str, folder: impl Into<PathBuf>, inputs: Inputs) -> Result<Self, ScenarioErrors> {
        Self::with_inputs(C::NAME, text, folder.into(), &[], inputs)
    }

    /// Values that were made in code, with data of the calling program.
    ///
    /// They are checked as text is, and problems are located in their TOML.
    ///
    /// # Arguments
    /// * `folder`, `inputs` – as those of [`from_toml`](Self::from_toml)
    /// # Errors
    /// Everything that is wrong with the values.
    pub fn from_config(config: &C, folder: impl Into<PathBuf>, inputs: Inputs) -> Result<Self, ScenarioErrors>
    where
        C: Serialize,
    {
        Self::from_toml(&toml::to_string(config).expect("values can be written"), folder, inputs)
    }

    /// As [`read`](Self::read), from a text.
    ///
    /// # Arguments
    /// * `name` – name of the file for messages
    /// * `text` – its content
    /// * `folder` – the folder from which relative paths are taken
    /// * `overrides` – texts `key=value`
    /// # Errors
    /// Everything that is wrong with the values.
    pub fn parse(name: &str, text: &str, folder: PathBuf, overrides: &[String]) -> Result<Self, ScenarioErrors> {
        Self::with_inputs(name, text, folder, overrides, Inputs::new())
    }

    /// As [`parse`](Self::parse), with data of the calling program.
    ///
    /// # Errors
    /// As [`parse`](Self::parse).
    pub fn with_inputs(
        name: &str,
        text: &str,
        folder: PathBuf,
        overrides: &[String],
        inputs: Inputs,
    ) -> Result<Self, ScenarioErrors> {
        let document = Document::parse(name, text, overrides)?;
        if document.values().is_empty() {
            return Err(document.locate(vec![nothing(C::NAME)]));
        }
        if let Some(problem) = foreign(document.values(), C::NAME) {
            return Err(document.locate(vec![problem]));
        }
        let problems = structure::check(document.values(), &schema::<C>());
        if !problems.is_empty() {
            return Err(document.locate(problems));
        }
        let config = C::deserialize(document.values().clone())
            .map_err(|error| document.locate(vec![Problem::new("", error.message())]))?;
        let problems = config.problems(&inputs);
        if !problems.is_empty() {
            return Err(document.locate(problems));
        }
        let (text, overrides) = (text.to_owned(), overrides.to_vec());
        Ok(Self { config, folder, file: None, document, moves: &[], text, overrides, inputs, opened: Mutex::default() })
    }

    /// Values of another format that follow from these, and are told by the places of these.
    ///
    /// # Arguments
    /// * `moves` – where keys of the other format stand here; the first one that fits a key counts
    /// # Errors
    /// Everything that is wrong with the other values.
    pub fn derive<D: Format + Serialize>(
        &self,
        config: D,
        moves: &'static [Move],
    ) -> Result<Written<D>, ScenarioErrors> {
        let problems = config.problems(&self.inputs);
        let derived = Written {
            text: toml::to_string(&config).expect("values can be written"),
            config,
            folder: self.folder.clone(),
            file: self.file.clone(),
            document: self.document.clone(),
            moves,
            overrides: Vec::new(),
            inputs: self.inputs.clone(),
            opened: Mutex::default(),
        };
        if problems.is_empty() { Ok(derived) } else { Err(derived.locate(problems)) }
    }

    /// Refuses the values for problems that were found later, such as in the files it names; each gets its line.
    pub fn refuse(&self, problems: Vec<Problem>) -> Error {
        Error::Scenario(self.locate(problems))
    }

    /// Gives every problem its place in the document.
    fn locate(&self, problems: Vec<Problem>) -> ScenarioErrors {
        let path = |text: &str| text.parse::<KeyPath>().unwrap_or_default();
        let in_document = |problem: Problem| {
            let own = path(&problem.path);
            let moved = self.moves.iter().find_map(|(from, to)| own.moved(&path(from), &path(to)));
            Problem { path: moved.map_or(problem.path, |moved| moved.to_string()), ..problem }
        };
        self.document.locate(problems.into_iter().map(in_document).collect())
    }

    /// What a name in the values stands for. It is part of them from here on, see [`file_hashes`](Self::file_hashes).
    pub(crate) fn input(&self, name: &Path) -> Input<'_> {
        self.mark(name);
        self.inputs.get(name).map_or_else(|| Input::File(self.folder.join(name)), Input::Given)
    }

    /// Makes what a name stands for a part of the values.
    pub(crate) fn mark(&self, name: &Path) {
        self.opened.lock().unwrap_or_else(PoisonError::into_inner).insert(name.to_owned());
    }

    /// What is given instead of files.
    pub fn inputs(&self) -> &Inputs {
        &self.inputs
    }

    /// What has been read, as the values name it, and the hash (xxh3) of each, 16 hexadecimal digits.
    ///
    /// # Errors
    /// [`Error::Read`] when a file cannot be read any more.
    pub fn file_hashes(&self) -> Result<BTreeMap<String, String>, Error> {
        let opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        let hash = |name: &PathBuf| Ok((name.display().to_string(), self.inputs.hash(name, &self.folder)?));
        opened.iter().map(hash).collect()
    }

    /// The values with all overrides applied, as TOML.
    pub fn to_toml(&self) -> String {
        self.document.values().to_string()
    }

    /// What a results folder keeps: the text as it was read; after overrides the values in their place, under a list of what was changed.
    pub fn kept(&self) -> String {
        if self.overrides.is_empty() {
            return self.text.clone();
        }
        let file = self.file.as_deref().map_or_else(String::new, |file| format!(" {}", file.display()));
        let changes: String = self.overrides.iter().map(|change| format!("#   --set {}\n", one_line(change))).collect();
        let file = one_line(&file);
        format!("# The values of the {}{file}, changed by\n{changes}\n{}", C::NAME, self.to_toml())
    }
}

/// What is wrong with a file that holds no key.
fn nothing(wanted: &str) -> Problem {
    let hint = "a scenario begins with `duration`, [domain] and [model]; a survey with [acquisition]; a gravity problem with [[body]] and [points]; \
         examples/ has some of each, and `craton reference` tells every key";
    Problem::new("", format!("the file holds no keys, and is no {wanted} yet")).hint(hint)
}

/// Keys of `receivers` that surveys do not have.
const OF_SCENARIOS: [&str; 4] = ["stations", "line", "grid", "stations_file"];

/// What is wrong if values are those of another format than this one; none if they may be of this one.
fn foreign(values: &toml::Table, wanted: &str) -> Option<Problem> {
    let has = |key: &str| values.contains_key(key);
    // A survey that is not yet whole has none of these; of gravity none has a model.
    let is_scenario = || {
        let receivers = values.get("receivers").and_then(toml::Value::as_table);
        let has_stations =
            || receivers.is_some_and(|receivers| OF_SCENARIOS.iter().any(|key| receivers.contains_key(*key)));
        let has_sources = || values.get("source").is_some_and(toml::Value::is_array);
        wanted == gravity::Config::NAME || has("gravity") || has("perturbation") || has_sources() || has_stations()
    };
    let (key, found, command) = if has("acquisition") {
        ("acquisition", survey::Config::NAME, "survey")
    } else if has("body") {
        ("body", gravity::Config::NAME, "gravity")
    } else if has("model") && is_scenario() {
        ("model", Config::NAME, "run")
    } else {
        return None;
    };
    let hint = match wanted == gravity::Config::NAME && command == "run" {
        true => {
            "add a table [gravity] with `cell` to compute the gravity of its model, see `craton reference`".to_owned()
        }
        false => format!("give it to `craton {command}`, or to `craton check`"),
    };
    let problem = Problem::new(key, format!("makes this a {found}, and no {wanted}")).at_key();
    (found != wanted).then(|| problem.hint(hint))
}

/// Whether a file of values has all of some tables; one that cannot be read has none.
pub(crate) fn has_tables(file: &Path, tables: &[&str]) -> bool {
    let values = std::fs::read_to_string(file).ok().and_then(|text| text.parse::<toml::Table>().ok());
    values.is_some_and(|values| tables.iter().all(|table| values.contains_key(*table)))
}

/// A text that stays on its line: what a comment must not hold is escaped.
fn one_line(text: &str) -> String {
    let escaped = |letter: char| match letter.is_control() {
        true => letter.escape_debug().to_string(),
        false => letter.to_string(),
    };
    text.chars().map(escaped).collect()
}
