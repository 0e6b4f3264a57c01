//! Suggested corrections of a value of the wrong type.

use serde_json::Value as Schema;
use toml::Value;

use crate::key_path::{KeyPath, Segment};
use crate::number::Number;
use crate::reference::{split_unit, toml as as_toml};
use crate::schema::{choices, resolve, words};

/// The suggested way to write a value, such as `count = [11, 11]`, or an example from the schema.
///
/// # Arguments
/// * `written` – the schema at the key, which may be a reference
pub fn suggestion(value: &Value, written: &Schema, root: &Schema, path: &KeyPath) -> Option<String> {
    let schema = resolve(written, root);
    let key = path.segments().iter().rev().find_map(|segment| match segment {
        Segment::Key(key) => Some(key.as_str()),
        Segment::Index(_) => None,
    })?;
    let is_item = matches!(path.segments().last(), Some(Segment::Index(_)));
    let wrong_value = WrongValue { value, root, key, path, is_item };
    let found =
        wrong_value.list(schema).or_else(|| wrong_value.kind(schema)).or_else(|| wrong_value.number(written, schema));
    let example = || {
        let example = example(written, root).or_else(|| example(schema, root))?;
        Some(if is_item { format!("as in {example}") } else { format!("as in {key} = {example}") })
    };
    found.or_else(example)
}

/// A value of the wrong type, and its key.
struct WrongValue<'a> {
    value: &'a Value,
    root: &'a Schema,
    key: &'a str,
    path: &'a KeyPath,
    /// Whether it is an item of a list.
    is_item: bool,
}

impl WrongValue<'_> {
    /// A suggestion for a list of such values.
    fn list(&self, schema: &Schema) -> Option<String> {
        let is_list = |schema: &&Schema| schema.get("items").is_some();
        let list = std::iter::once(schema).chain(choices(schema).into_iter().flatten()).find(is_list)?;
        if !accepts(&list["items"], self.value, self.root) {
            return None;
        }
        if self.value.is_table() {
            return Some(format!("write each item as a table under its own heading [[{}]]", self.path));
        }
        if self.is_item {
            return Some(format!("{} is a list of lists: write {0} = [[{}, ...], ...]", self.key, self.value));
        }
        let count = list.get("minItems").and_then(Schema::as_u64).unwrap_or(1).max(1);
        let items = vec![self.value.to_string(); count as usize];
        Some(format!("write {} = [{}]", self.key, items.join(", ")))
    }

    /// A suggestion for a table whose single key takes such a value: `density.constant = 2670`.
    fn kind(&self, schema: &Schema) -> Option<String> {
        let kinds = choices(schema)?.iter().map(|kind| resolve(kind, self.root));
        let mut keys = kinds.filter_map(|kind| kind.get("properties")?.as_object()).flatten();
        let (name, _) = keys.find(|(_, schema)| accepts(schema, self.value, self.root))?;
        Some(format!("write {}.{name} = {}", self.key, self.value))
    }

    /// A suggestion for a number in quotes, with or without its unit.
    fn number(&self, written: &Schema, schema: &Schema) -> Option<String> {
        let text = self.value.as_str()?.trim();
        let is_number = matches!(schema.get("type").and_then(Schema::as_str), Some("number" | "integer"));
        let end = text
            .find(|letter: char| letter.is_whitespace() || letter.is_alphabetic() && letter != 'e' && letter != 'E');
        let (number, unit) = text.split_at(end.unwrap_or(text.len()));
        let number: f64 = number.parse().ok().filter(|number: &f64| number.is_finite() && is_number)?;
        let meaning = written.get("description").and_then(Schema::as_str).unwrap_or_default();
        let alone = format!("{} = {}", self.key, Number(number));
        match (split_unit(meaning).1, unit.trim()) {
            (_, "") => {
                // Not every parseable number is a TOML number.
                let is_fine = format!("it = {text}").parse::<toml::Table>().is_ok();
                let value = if is_fine { text.to_owned() } else { Number(number).to_string() };
                Some(format!("write the number without quotes: {value}"))
            }
            (known, unit) if known == unit => Some(format!("write the number without unit: {alone}")),
            ("", _) => Some(format!("write a number without unit, as in {alone}")),
            (known, _) => Some(format!("write a number without unit, in {known}")),
        }
    }
}

/// Whether a value has the type of a schema.
fn accepts(schema: &Schema, value: &Value, root: &Schema) -> bool {
    let schema = resolve(schema, root);
    if let Some(choices) = choices(schema) {
        return choices.iter().any(|choice| accepts(choice, value, root));
    }
    match (schema.get("type").and_then(Schema::as_str).unwrap_or("string"), value) {
        ("object", Value::Table(table)) => {
            let known = schema.get("properties").and_then(Schema::as_object);
            table.keys().all(|key| known.is_some_and(|known| known.contains_key(key)))
        }
        ("number", Value::Integer(_) | Value::Float(_)) | ("integer", Value::Integer(_)) => true,
        ("boolean", Value::Boolean(_)) => true,
        ("string", Value::String(word)) => {
            let allowed = words(schema);
            allowed.is_empty() || allowed.contains(&word.as_str())
        }
        _ => false,
    }
}

/// An example of a value: that of the schema, or a table of its required keys.
fn example(schema: &Schema, root: &Schema) -> Option<String> {
    if let Some(example) = schema.get("examples").and_then(Schema::as_array).and_then(|examples| examples.first()) {
        return Some(as_toml(example));
    }
    let required = schema.get("required").and_then(Schema::as_array)?;
    let entry = |key: &Schema| {
        let key = key.as_str()?;
        let inner = schema.get("properties")?.get(key)?;
        let inner = example(inner, root).or_else(|| example(resolve(inner, root), root))?;
        Some(format!("{key} = {inner}"))
    };
    let entries: Option<Vec<String>> = required.iter().map(entry).collect();
    entries.filter(|entries| !entries.is_empty()).map(|entries| format!("{{ {} }}", entries.join(", ")))
}
