//! Configuration files: a scenario, a survey or a gravity problem, read and checked, with the position of each value in
//! the file.

use std::collections::{BTreeMap, BTreeSet};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::config::Config;
use crate::document::{Document, to_toml};
use crate::error::{Error, Problem, ScenarioErrors};
use crate::inputs::{Input, Inputs};
use crate::key_path::KeyPath;
use crate::schema::schema;
use crate::{gravity, structure, survey, validate};

/// A configuration file format.
pub trait Format: DeserializeOwned + JsonSchema {
    /// Name of the format, such as `scenario`.
    const NAME: &'static str;
    /// Introduction of its reference page, in Markdown.
    const INTRODUCTION: &'static str;
    /// Example on its reference page.
    const EXAMPLE: &'static str;
    /// Examples of overrides of its keys.
    const CHANGES: &'static str;

    /// Problems with the values that can be found without opening other files; empty if there are none.
    ///
    /// # Arguments
    /// * `inputs` – data that the calling program gives instead of files
    fn problems(&self, inputs: &Inputs) -> Vec<Problem>;

    /// The values with those that follow from others.
    ///
    /// # Errors
    /// Values that contradict each other.
    fn resolved(self) -> Result<Self, Box<Problem>> {
        Ok(self)
    }
}

impl Format for Config {
    const NAME: &'static str = "scenario";
    const INTRODUCTION: &'static str = "\
# The scenario file

A scenario is one [TOML](https://toml.io) file. Units are SI; x is east, y north and z up, so that depths are negative z. Relative paths of
input files are relative to the folder of the scenario file; the results folder is relative to the working directory.
";
    const EXAMPLE: &'static str = include_str!("../../../examples/loh1/loh1.toml");
    const CHANGES: &'static str = "--set duration=5 --set source[0].position[2]=-500";

    fn problems(&self, inputs: &Inputs) -> Vec<Problem> {
        validate::validate(self, inputs)
    }

    fn resolved(self) -> Result<Self, Box<Problem>> {
        Ok(Self { domain: self.domain.resolved()?, ..self })
    }
}

impl Format for survey::Config {
    const NAME: &'static str = "survey";
    const INTRODUCTION: &'static str = "\
# The survey file

A survey is one [TOML](https://toml.io) file: a model, shots with their receivers, a source wavelet and the recorded quantities. Units are SI; x is east, y north,
and depth is positive down from 0. Relative paths of input files are relative to the folder of the survey file; the results folder is relative to the working directory.
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

A gravity problem is one [TOML](https://toml.io) file: bodies, observation points, and the requested fields. Units are SI except for results; x is east, y north
and z up, or positions are longitude, latitude and height. Relative paths of input files are relative to the folder of the gravity file; the results folder is relative to the working directory.
";
    const EXAMPLE: &'static str = include_str!("../../../examples/seven_balls/seven_balls.toml");
    const CHANGES: &'static str = "--set points.grid.z=300 --set body[0].ball.density=100";

    fn problems(&self, inputs: &Inputs) -> Vec<Problem> {
        gravity::problems(self, inputs)
    }
}

/// A scenario read from its file.
pub type Scenario = Written<Config>;

/// The beginning of a key and its replacement in the document, such as `("output.formats", "gravity.formats")`.
pub type Move = (&'static str, &'static str);

/// Values read from a configuration file.
#[derive(Debug)]
pub struct Written<C> {
    /// The values as written, with overrides applied.
    pub config: C,
    /// The folder to which relative paths refer.
    pub folder: PathBuf,
    /// The file; `None` for a text, such as the copy in a results folder.
    pub file: Option<PathBuf>,
    document: Document,
    /// Keys that have another place in the document than in the format.
    moves: &'static [Move],
    /// The text of the file.
    text: String,
    /// The overrides.
    overrides: Vec<String>,
    /// Data that the calling program gives instead of files.
    inputs: Inputs,
    /// Inputs that were read, with their names as written.
    opened: Mutex<BTreeSet<PathBuf>>,
}

impl<C: Format> Written<C> {
    /// Reads a file, applies the overrides, and runs all checks that do not open another file.
    ///
    /// # Arguments
    /// * `file` – the file, TOML
    /// * `overrides` – texts `key=value`, as given to `--set`
    /// # Errors
    /// [`Error::Read`] if the file cannot be read, [`Error::Scenario`] with all problems of its values.
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

    /// Reads a text, with data of the calling program.
    ///
    /// # Arguments
    /// * `text` – TOML
    /// * `folder` – the folder to which relative paths refer
    /// * `inputs` – data that the calling program gives instead of files
    /// # Errors
    /// All problems of the values.
    pub fn from_toml(text: &str, folder: impl Into<PathBuf>, inputs: Inputs) -> Result<Self, ScenarioErrors> {
        Self::with_inputs(C::NAME, text, folder.into(), &[], inputs)
    }

    /// Takes values made in code, with data of the calling program.
    ///
    /// The values are checked like a text; problems refer to positions in their TOML.
    ///
    /// # Arguments
    /// * `folder`, `inputs` – as in [`from_toml`](Self::from_toml)
    /// # Errors
    /// All problems of the values.
    pub fn from_config(config: &C, folder: impl Into<PathBuf>, inputs: Inputs) -> Result<Self, ScenarioErrors>
    where
        C: Serialize,
    {
        let text = match to_toml(config) {
            Ok(text) => text,
            // Such as a path that is not UTF-8.
            Err(error) => {
                let message = format!("cannot be written as TOML: {error}");
                return Err(Document::parse(C::NAME, "", &[])?.locate(vec![Problem::new("", message)]));
            }
        };
        Self::from_toml(&text, folder, inputs)
    }

    /// Reads a text as [`read`](Self::read) reads a file.
    ///
    /// # Arguments
    /// * `name` – name of the file for messages
    /// * `text` – its content
    /// * `folder` – the folder to which relative paths refer
    /// * `overrides` – texts `key=value`
    /// # Errors
    /// All problems of the values.
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
            return Err(document.locate(vec![without_keys(C::NAME)]));
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
        let config = config.resolved().map_err(|problem| document.locate(vec![*problem]))?;
        let problems = config.problems(&inputs);
        if !problems.is_empty() {
            return Err(document.locate(problems));
        }
        let (text, overrides) = (text.to_owned(), overrides.to_vec());
        Ok(Self { config, folder, file: None, document, moves: &[], text, overrides, inputs, opened: Mutex::default() })
    }

    /// Derives values of another format from these. Their problems refer to positions in this document.
    ///
    /// # Arguments
    /// * `moves` – the places here of keys of the other format; the first one that matches a key counts
    /// # Errors
    /// All problems of the derived values.
    pub fn derive<D: Format + Serialize>(
        &self,
        config: D,
        moves: &'static [Move],
    ) -> Result<Written<D>, ScenarioErrors> {
        let problems = config.problems(&self.inputs);
        let derived = Written {
            text: to_toml(&config).expect("values can be written"),
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

    /// Turns problems that were found later, for example in input files, into an error with their lines.
    pub fn refuse(&self, problems: Vec<Problem>) -> Error {
        Error::Scenario(self.locate(problems))
    }

    /// Locates every problem in the document.
    fn locate(&self, problems: Vec<Problem>) -> ScenarioErrors {
        let path = |text: &str| text.parse::<KeyPath>().unwrap_or_default();
        let in_document = |problem: Problem| {
            let own = path(&problem.path);
            let moved = self.moves.iter().find_map(|(from, to)| own.moved(&path(from), &path(to)));
            Problem { path: moved.map_or(problem.path, |moved| moved.to_string()), ..problem }
        };
        self.document.locate(problems.into_iter().map(in_document).collect())
    }

    /// The input with a name in the values: a file, or data of the calling program. Marks its contents as part of the
    /// values; see [`file_hashes`](Self::file_hashes).
    pub(crate) fn input(&self, name: &Path) -> Input<'_> {
        self.mark(name);
        self.inputs.get(name).map_or_else(|| Input::File(self.folder.join(name)), Input::Given)
    }

    /// Makes the contents of the input with this name part of the values.
    pub(crate) fn mark(&self, name: &Path) {
        self.opened.lock().unwrap_or_else(PoisonError::into_inner).insert(name.to_owned());
    }

    /// Data that the calling program gives instead of files.
    pub fn inputs(&self) -> &Inputs {
        &self.inputs
    }

    /// The hash (xxh3, 16 hexadecimal digits) of every input that was read, by its name as written.
    ///
    /// # Errors
    /// [`Error::Read`] if a file can no longer be read.
    pub fn file_hashes(&self) -> Result<BTreeMap<String, String>, Error> {
        let opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        let hash = |name: &PathBuf| Ok((name.display().to_string(), self.inputs.hash(name, &self.folder)?));
        opened.iter().map(hash).collect()
    }

    /// The values with all overrides applied, as TOML.
    pub fn to_toml(&self) -> String {
        self.document.values().to_string()
    }

    /// The text that a results folder keeps: the text of the file, or with overrides the changed values under a list of
    /// the overrides.
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

/// The problem of a file without keys.
fn without_keys(expected: &str) -> Problem {
    let hint = "a scenario requires [domain] and [model]; a survey requires [acquisition]; a gravity problem requires [[body]] and [points]; \
         see examples/, and `craton reference` for all keys";
    Problem::new("", format!("the file has no keys and is not a {expected}")).hint(hint)
}

/// Keys of `receivers` that only scenarios have.
const OF_SCENARIOS: [&str; 4] = ["stations", "line", "grid", "stations_file"];

/// The problem of values that belong to another format; `None` if they may belong to this one.
fn foreign(values: &toml::Table, expected: &str) -> Option<Problem> {
    let has = |key: &str| values.contains_key(key);
    // A survey that is still incomplete has none of these keys, and a gravity problem has no model.
    let is_scenario = || {
        let receivers = values.get("receivers").and_then(toml::Value::as_table);
        let has_stations =
            || receivers.is_some_and(|receivers| OF_SCENARIOS.iter().any(|key| receivers.contains_key(*key)));
        let has_sources = || values.get("source").is_some_and(toml::Value::is_array);
        expected == gravity::Config::NAME || has("gravity") || has("perturbation") || has_sources() || has_stations()
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
    let hint = match expected == gravity::Config::NAME && command == "run" {
        true => {
            "add a table [gravity] with `cell` to compute the gravity of this model, see `craton reference`".to_owned()
        }
        false => format!("use `craton {command}` or `craton check` instead"),
    };
    let problem = Problem::new(key, format!("this key belongs to a {found}, not to a {expected}")).at_key();
    (found != expected).then(|| problem.hint(hint))
}

/// Whether a file has all of some tables; false if it cannot be read.
pub(crate) fn has_tables(file: &Path, tables: &[&str]) -> bool {
    let values = std::fs::read_to_string(file).ok().and_then(|text| text.parse::<toml::Table>().ok());
    values.is_some_and(|values| tables.iter().all(|table| values.contains_key(*table)))
}

/// Escapes characters that would end a comment, so that the text stays on one line.
fn one_line(text: &str) -> String {
    let escaped = |letter: char| match letter.is_control() {
        true => letter.escape_debug().to_string(),
        false => letter.to_string(),
    };
    text.chars().map(escaped).collect()
}
