//! Checks the values of a document against the schema: keys, types, ranges and words. Finds all problems at once.

use serde_json::Value as Schema;
use toml::{Table, Value};

use crate::error::Problem;
use crate::key_path::KeyPath;
use crate::number::Number;
use crate::schema::{choices, resolve, words};
use crate::suggestion::suggestion;

/// The problems of a document.
///
/// # Arguments
/// * `values` – the document
/// * `schema` – the schema, see [`schema`](crate::schema::schema)
pub fn check(values: &Table, schema: &Schema) -> Vec<Problem> {
    let mut checker = Checker { root: schema, problems: Vec::new() };
    checker.table(values, schema, &KeyPath::default());
    checker.problems
}

/// Largest accepted magnitude of a number, which single precision represents with a margin.
pub(crate) const LARGEST: f64 = 1e30;
/// Smallest accepted positive number.
pub(crate) const LEAST_POSITIVE: f64 = 1e-15;

/// Number of problems with hints that take long to find.
const HINTED: usize = 100;

struct Checker<'a> {
    root: &'a Schema,
    problems: Vec<Problem>,
}

impl<'a> Checker<'a> {
    fn value(&mut self, value: &Value, schema: &'a Schema, path: &KeyPath) {
        let written = schema;
        let schema = resolve(schema, self.root);
        let invalid = match choices(schema) {
            Some(choices) => self.choice(value, schema, choices, path),
            None => self.plain(value, schema, path),
        };
        let hint = |problem| (problem, suggestion(value, written, self.root, path));
        self.problems.extend(invalid.map(hint).map(|(problem, hint)| Problem { hint, ..problem }));
    }

    /// Checks a value against a schema without alternatives.
    ///
    /// # Returns
    /// The problem with its type, if the type is wrong.
    fn plain(&mut self, value: &Value, schema: &'a Schema, path: &KeyPath) -> Option<Problem> {
        let expected = schema.get("type").and_then(Schema::as_str).unwrap_or("string");
        match (expected, value) {
            ("object", Value::Table(table)) => self.table(table, schema, path),
            ("array", Value::Array(items)) => self.list(items, schema, path),
            ("number", Value::Integer(integer)) => self.number(*integer as f64, value, schema, path),
            ("integer", Value::Integer(integer)) => self.number(*integer as f64, value, schema, path),
            ("number", Value::Float(float)) => self.number(*float, value, schema, path),
            ("string", Value::String(word)) => self.word(word, &words(schema), schema, path),
            ("boolean", Value::Boolean(_)) => {}
            _ => return Some(wrong_type(value, described(expected), path)),
        }
        None
    }

    /// Checks a value against a schema with alternatives: words, a table, tables with one key that names the kind,
    /// lists, or plain types.
    ///
    /// # Returns
    /// As [`plain`](Self::plain).
    fn choice(&mut self, value: &Value, schema: &Schema, choices: &'a [Schema], path: &KeyPath) -> Option<Problem> {
        let choices: Vec<&Schema> = choices.iter().map(|choice| resolve(choice, self.root)).collect();
        let of_type = |name: &str| -> Vec<&'a Schema> {
            choices.iter().copied().filter(|choice| choice.get("type").and_then(Schema::as_str) == Some(name)).collect()
        };
        let (tables, lists, texts, numbers) =
            (of_type("object"), of_type("array"), of_type("string"), of_type("number"));
        let allowed_words: Vec<&str> = texts.iter().flat_map(|text| words(text)).collect();
        match value {
            Value::Table(table) if tables.len() == 1 => self.table(table, tables[0], path),
            Value::Table(table) if !tables.is_empty() => self.kind(table, &tables, path),
            Value::Array(items) if !lists.is_empty() => self.list(items, lists[0], path),
            Value::String(word) if !texts.is_empty() => self.word(word, &allowed_words, schema, path),
            Value::Integer(_) | Value::Float(_) if !numbers.is_empty() => return self.plain(value, numbers[0], path),
            _ => {
                let mut expected = Vec::new();
                expected.extend((!numbers.is_empty()).then_some("a number"));
                expected.extend((!texts.is_empty()).then_some("a string"));
                expected.extend((!lists.is_empty()).then_some("a list"));
                expected.extend((!tables.is_empty()).then_some("a table"));
                let problem = wrong_type(value, &expected.join(" or "), path);
                return Some(match allowed_words.is_empty() {
                    true => problem,
                    false => problem.allowed(quoted(&allowed_words)),
                });
            }
        }
        None
    }

    /// Checks a table with exactly one key, which names the kind.
    fn kind(&mut self, table: &Table, kinds: &[&'a Schema], path: &KeyPath) {
        self.keys(table, kinds, path);
        let known = |key: &&String| kinds.iter().any(|kind| property(kind, key).is_some());
        let named: Vec<&String> = table.keys().filter(known).collect();
        let all = listed(&keys(kinds));
        match &named[..] {
            [_] => {}
            [] if !table.is_empty() => {}
            [] => self.problems.push(Problem::new(path, "no kind is given").allowed(format!("one of {all}"))),
            [first, others @ ..] => {
                let problem =
                    Problem::new(path.key(others[0]), format!("conflicts with `{first}`: give exactly one of them"));
                self.problems
                    .push(problem.allowed(format!("one of {all}")).hint("remove one of the two keys").at_key());
            }
        }
    }

    /// Checks a table: its keys, and that no required key is missing.
    fn table(&mut self, table: &Table, schema: &'a Schema, path: &KeyPath) {
        let meant = self.keys(table, &[schema], path);
        let required =
            schema.get("required").and_then(Schema::as_array).into_iter().flatten().filter_map(Schema::as_str);
        for key in required.filter(|key| !table.contains_key(*key) && !meant.contains(key)) {
            let meaning = property(schema, key).and_then(|schema| schema.get("description")).and_then(Schema::as_str);
            let problem = Problem::new(path.key(key), "is missing");
            self.problems.push(match meaning {
                Some(meaning) => problem.hint(meaning.replace('\n', " ")),
                None => problem,
            });
        }
    }

    /// Checks the keys of a table that may be of any of the given kinds. Returns the known keys that unknown ones
    /// probably mean.
    fn keys(&mut self, table: &Table, kinds: &[&'a Schema], path: &KeyPath) -> Vec<&'a str> {
        let known = keys(kinds);
        let mut meant = Vec::new();
        for (key, value) in table {
            let path = path.key(key);
            match kinds.iter().find_map(|kind| property(kind, key)) {
                Some(schema) => self.value(value, schema, &path),
                None => {
                    let near = nearest(key, &known);
                    meant.extend(near);
                    let problem = Problem::new(path, "unknown key").allowed(listed(&known)).at_key();
                    // A search of the whole schema; of many problems only the first ones are shown.
                    let is_shown = self.problems.len() < HINTED;
                    let home = || if is_shown { home(key, self.root, self.root, &KeyPath::default()) } else { None };
                    let hint = near.map(|near| format!("did you mean `{near}`?"));
                    let hint = hint.or_else(|| home().map(|home| format!("did you mean `{home}`?")));
                    self.problems.push(Problem { hint, ..problem });
                }
            }
        }
        meant
    }

    fn list(&mut self, items: &[Value], schema: &'a Schema, path: &KeyPath) {
        let bound = |name| schema.get(name).and_then(Schema::as_u64).map(|bound| bound as usize);
        let (least, most) = (bound("minItems").unwrap_or(0), bound("maxItems").unwrap_or(usize::MAX));
        if !(least..=most).contains(&items.len()) {
            let allowed = match (least, most) {
                (least, usize::MAX) => format!("at least {least}"),
                (least, most) if least == most => format!("exactly {least}"),
                (least, most) => format!("{least} to {most}"),
            };
            self.problems.push(Problem::new(path, format!("has {} items", items.len())).allowed(allowed));
        }
        if let Some(schema) = schema.get("items") {
            for (index, item) in items.iter().enumerate() {
                self.value(item, schema, &path.index(index));
            }
        }
    }

    fn number(&mut self, number: f64, written: &Value, schema: &Schema, path: &KeyPath) {
        let bound = |name| schema.get(name).and_then(Schema::as_f64);
        let listed = schema.get("enum").and_then(Schema::as_array);
        let fits = number.is_finite()
            && bound("minimum").is_none_or(|least| number >= least)
            && bound("exclusiveMinimum").is_none_or(|below| number > below)
            && bound("maximum").is_none_or(|most| number <= most)
            && listed.is_none_or(|numbers| numbers.iter().any(|allowed| allowed.as_f64() == Some(number)));
        if !fits {
            let message = if number.is_finite() { "is out of range" } else { "is not a finite number" };
            let allowed = range(schema).unwrap_or_else(|| "a finite number".to_owned());
            let problem = Problem::new(path, message).value(as_written(written)).allowed(allowed);
            let hint = schema.get("x-hint").and_then(Schema::as_str);
            self.problems.push(match hint {
                Some(hint) => problem.hint(hint),
                None => problem,
            });
        } else if let Some((message, allowed)) =
            out_of_range(number, [bound("exclusiveMinimum"), bound("minimum")].contains(&Some(0.0)))
        {
            let problem = Problem::new(path, message).value(as_written(written)).allowed(allowed);
            self.problems.push(problem.hint("check the unit: values are in SI units"));
        }
    }

    /// Checks a word against the allowed ones. The schema may have hints for the words of other programs.
    fn word(&mut self, word: &str, allowed: &[&str], schema: &Schema, path: &KeyPath) {
        if allowed.is_empty() || allowed.contains(&word) {
            return;
        }
        let problem = Problem::new(path, "is not an allowed word").value(format!("{word:?}"));
        let problem = problem.allowed(quoted(allowed));
        let of_others = || schema.get("x-others")?.get(bare(word))?.as_str().map(str::to_owned);
        let hint = of_others().or_else(|| nearest(word, allowed).map(|near| format!("did you mean {near:?}?")));
        self.problems.push(Problem { hint, ..problem });
    }
}

/// Why a number within the range of the schema is unusable, and the allowed range.
///
/// # Arguments
/// * `is_size` – whether it must be positive or zero
fn out_of_range(number: f64, is_size: bool) -> Option<(&'static str, String)> {
    if number.abs() > LARGEST {
        Some(("is too large", format!("at most {} in magnitude", Number(LARGEST))))
    } else if is_size && number != 0.0 && number < LEAST_POSITIVE {
        Some(("is too small", format!(">= {}", Number(LEAST_POSITIVE))))
    } else {
        None
    }
}

/// A value in TOML syntax, with large and small numbers in exponent notation.
fn as_written(value: &Value) -> String {
    match value {
        Value::Float(number) if number.is_finite() => format!("{number:?}"),
        other => other.to_string(),
    }
}

/// The allowed range of a schema, in words; `None` without a range.
pub(crate) fn range(schema: &Schema) -> Option<String> {
    let bound = |name| schema.get(name).and_then(Schema::as_f64);
    if let Some(numbers) = schema.get("enum").and_then(Schema::as_array) {
        return Some(numbers.iter().map(Schema::to_string).collect::<Vec<_>>().join(" or "));
    }
    let least = bound("minimum").map(|least| format!(">= {}", Number(least)));
    let least = least.or(bound("exclusiveMinimum").map(|below| format!("> {}", Number(below))));
    match (least, bound("maximum").map(Number)) {
        (None, None) => None,
        (Some(least), None) => Some(least),
        (None, Some(most)) => Some(format!("<= {most}")),
        (Some(least), Some(most)) => Some(format!("{least} and <= {most}")),
    }
}

fn property<'a>(schema: &'a Schema, key: &str) -> Option<&'a Schema> {
    schema.get("properties")?.get(key)
}

/// The keys of all given kinds of table.
fn keys<'a>(kinds: &[&'a Schema]) -> Vec<&'a str> {
    let properties = kinds.iter().filter_map(|kind| kind.get("properties")).filter_map(Schema::as_object);
    properties.flat_map(|properties| properties.keys().map(String::as_str)).collect()
}

fn wrong_type(value: &Value, expected: &str, path: &KeyPath) -> Problem {
    let found = match value {
        Value::Table(_) => "a table",
        Value::Array(_) => "a list",
        Value::String(_) => "a string",
        Value::Integer(_) => "an integer",
        Value::Float(_) => "a number with a decimal point",
        Value::Boolean(_) => "true or false",
        Value::Datetime(_) => "a date",
    };
    let problem = Problem::new(path, format!("expected {expected}, found {found}"));
    match value {
        Value::Table(_) | Value::Array(_) => problem,
        _ => problem.value(as_written(value)),
    }
}

fn described(json_type: &str) -> &'static str {
    match json_type {
        "object" => "a table",
        "array" => "a list",
        "number" => "a number",
        "integer" => "an integer",
        "boolean" => "true or false",
        _ => "a string",
    }
}

/// The path at which the format has a key of this name.
fn home(key: &str, schema: &Schema, root: &Schema, path: &KeyPath) -> Option<KeyPath> {
    let schema = resolve(schema, root);
    if property(schema, key).is_some() {
        return Some(path.key(key));
    }
    let alternatives = choices(schema).into_iter().flatten().find_map(|choice| home(key, choice, root, path));
    let items = || schema.get("items").and_then(|items| home(key, items, root, &path.index(0)));
    let inside = || {
        let mut properties = schema.get("properties")?.as_object()?.iter();
        properties.find_map(|(name, inner)| home(key, inner, root, &path.key(name)))
    };
    alternatives.or_else(items).or_else(inside)
}

/// The known word that is nearest to a word.
///
/// Verified by `known_words_are_found_in_any_case`.
pub fn nearest<'a>(word: &str, known: &[&'a str]) -> Option<&'a str> {
    if let Some(same) = known.iter().find(|known| bare(known) == bare(word)) {
        return Some(same);
    }
    let likeness = |candidate: &str| strsim::jaro_winkler(word, candidate);
    let best = known.iter().copied().max_by(|a, b| likeness(a).total_cmp(&likeness(b)))?;
    (likeness(best) > 0.75).then_some(best)
}

/// A word in lower case, without separators.
fn bare(word: &str) -> String {
    word.to_lowercase().chars().filter(|letter| letter.is_alphanumeric()).collect()
}

fn listed(keys: &[&str]) -> String {
    keys.iter().map(|key| format!("`{key}`")).collect::<Vec<_>>().join(", ")
}

fn quoted(words: &[&str]) -> String {
    words.iter().map(|word| format!("{word:?}")).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn known_words_are_found_in_any_case() {
        for (word, expected) in
            [("G_D", Some("g_d")), ("gdd", Some("g_dd")), ("EASTING", Some("easting")), ("rho", None)]
        {
            assert_eq!(nearest(word, &["g_d", "g_dd", "easting"]), expected, "{word}");
        }
    }
}
