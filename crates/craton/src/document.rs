//! A configuration file with its `--set` overrides: the values, and the position of each.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use erased_serde::Serialize;
use miette::NamedSource;
use toml::de::{DeTable, DeValue};
use toml::{Spanned, Table};

use crate::error::{Problem, ScenarioError, ScenarioErrors};
use crate::key_path::{KeyPath, Segment};
use crate::overrides::Override;

/// TOML of values. Behind `dyn`, the writer of TOML is compiled once and not for every type.
///
/// # Errors
/// Values that TOML has no form for, such as a path that is not UTF-8.
pub fn to_toml(values: &dyn Serialize) -> Result<String, toml::ser::Error> {
    toml::to_string(values)
}

/// A configuration file with its overrides applied, before its values are interpreted.
#[derive(Debug, Clone)]
pub struct Document {
    values: Table,
    locator: Locator,
}

impl Document {
    /// Reads the text of a configuration file and applies the overrides in their order.
    ///
    /// # Arguments
    /// * `name` – name of the file for messages
    /// * `text` – its content, TOML
    /// * `overrides` – texts `key=value`
    /// # Errors
    /// Text that is not TOML, and overrides that cannot be applied.
    pub fn parse(name: &str, text: &str, overrides: &[String]) -> Result<Self, ScenarioErrors> {
        let mut locator = Locator::new(name, text);
        let parsed = DeTable::parse(text).and_then(|spans| Ok((spans, toml::from_str::<Table>(text)?)));
        let (spans, mut values) = match parsed {
            Ok(parsed) => parsed,
            Err(error) => return Err(locator.all(vec![not_toml(&error)])),
        };
        locator.root = Place::of_table(spans.get_ref(), None, spans.span());
        let mut errors = Vec::new();
        for text in overrides {
            let source = locator.add_override(text);
            match Override::parse(text).and_then(|change| change.apply(&mut values).map(|()| change)) {
                Ok(change) => locator.graft(&change, source, text.len()),
                Err(problem) => errors.push(Located { source, bytes: 0..text.len(), problem: *problem }),
            }
        }
        if errors.is_empty() { Ok(Self { values, locator }) } else { Err(locator.all(errors)) }
    }

    /// The values.
    pub fn values(&self) -> &Table {
        &self.values
    }

    /// Locates every problem; the result is ordered by line, and describes the first [`MOST_SHOWN`].
    pub fn locate(&self, problems: Vec<Problem>) -> ScenarioErrors {
        self.locator.all(problems.into_iter().map(|problem| self.locator.locate(problem)).collect())
    }
}

/// Largest number of problems that are described; the others are only counted.
pub const MOST_SHOWN: usize = 20;

/// A problem and its bytes in a source.
struct Located {
    source: usize,
    bytes: Range<usize>,
    problem: Problem,
}

/// The positions of all values of a document.
#[derive(Debug, Clone)]
struct Locator {
    name: String,
    /// The file, followed by the overrides.
    sources: Vec<Arc<NamedSource<String>>>,
    root: Place,
}

/// The position of a value, and those of its nested values.
#[derive(Debug, Clone)]
struct Place {
    source: usize,
    key: Option<Range<usize>>,
    value: Range<usize>,
    inside: HashMap<Segment, Place>,
}

impl Locator {
    fn new(name: &str, text: &str) -> Self {
        let file = Arc::new(NamedSource::new(name, text.to_owned()));
        let root = Place { source: 0, key: None, value: 0..0, inside: HashMap::new() };
        Self { name: name.to_owned(), sources: vec![file], root }
    }

    /// Adds the text of an override and returns its index among the sources.
    fn add_override(&mut self, text: &str) -> usize {
        self.sources.push(Arc::new(NamedSource::new("--set", text.to_owned())));
        self.sources.len() - 1
    }

    /// Sets the position of an overridden value to the text of the override.
    fn graft(&mut self, change: &Override, source: usize, end: usize) {
        let (key, value) = (0..change.value_start - 1, change.value_start..end);
        let leaf = Place { source, key: Some(key), value, inside: HashMap::new() };
        let mut here = &mut self.root;
        for segment in change.path.segments() {
            here = here.inside.entry(segment.clone()).or_insert_with(|| leaf.clone());
        }
        *here = leaf;
    }

    /// The position of a problem: that of its path, or of the nearest enclosing table in the file.
    fn locate(&self, problem: Problem) -> Located {
        let path: KeyPath = problem.path.parse().unwrap_or_default();
        let mut here = &self.root;
        let mut found = true;
        for segment in path.segments() {
            match here.inside.get(segment) {
                Some(inner) => here = inner,
                None => {
                    found = false;
                    break;
                }
            }
        }
        let key = here.key.clone().filter(|_| problem.key_at_fault && found);
        Located { source: here.source, bytes: key.unwrap_or_else(|| here.value.clone()), problem }
    }

    /// The errors in the order of the file. Only those that are shown are described, so that the work is linear in their number.
    fn all(&self, mut problems: Vec<Located>) -> ScenarioErrors {
        problems.sort_by_key(|located| (located.source > 0, located.bytes.start));
        let others = problems.len().saturating_sub(MOST_SHOWN);
        let shown = problems.into_iter().take(MOST_SHOWN);
        let described = |Located { source, bytes, problem }: Located| {
            let text = &self.sources[source];
            ScenarioError::new(text.name(), text.inner(), bytes, problem)
        };
        ScenarioErrors { file: self.name.clone(), errors: shown.map(described).collect(), others }
    }
}

fn not_toml(error: &toml::de::Error) -> Located {
    let problem = Problem::new("", format!("this is not TOML: {}", error.message()))
        .hint("see https://toml.io. Strings need quotes, and tables begin with [name]");
    Located { source: 0, bytes: error.span().unwrap_or(0..0), problem }
}

impl Place {
    fn of_table(table: &DeTable<'_>, key: Option<Range<usize>>, value: Range<usize>) -> Self {
        let inside = table
            .iter()
            .map(|(key, value)| (Segment::Key(key.get_ref().to_string()), Self::of_value(value, Some(key.span()))));
        Self { source: 0, key, value, inside: inside.collect() }
    }

    fn of_value(value: &Spanned<DeValue<'_>>, key: Option<Range<usize>>) -> Self {
        match value.get_ref() {
            DeValue::Table(table) => Self::of_table(table, key, value.span()),
            DeValue::Array(items) => {
                let items = items.iter().enumerate();
                let inside = items.map(|(index, item)| (Segment::Index(index), Self::of_value(item, None)));
                Self { source: 0, key, value: value.span(), inside: inside.collect() }
            }
            _ => Self { source: 0, key, value: value.span(), inside: HashMap::new() },
        }
    }
}
