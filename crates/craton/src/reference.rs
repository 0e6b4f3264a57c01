//! The reference pages and schemas of the file formats, generated from the configuration types.

use std::fmt::Write as _;

use serde_json::Value;

use crate::schema::{choices, resolve, schema, words};
use crate::structure::range;
use crate::written::Format;

/// The JSON schema of a file format, for editors with completion and validation.
pub fn schema_json<C: Format>() -> String {
    format!("{:#}\n", schema::<C>())
}

/// The reference page of a file format, in Markdown.
pub fn page<C: Format>() -> String {
    let schema = schema::<C>();
    let common = COMMON.replace("CHANGES", C::CHANGES);
    let text = format!("{}\n{common}\n```toml\n{}```\n\n# Every key\n", C::INTRODUCTION, C::EXAMPLE);
    let mut page = Page { root: &schema, text };
    page.section("", &schema);
    page.text
}

/// Text common to all file formats; `CHANGES` is replaced by examples of `--set`.
const COMMON: &str = "\
`--set key=value` overrides any key from the command line: `CHANGES`. Indices of list items start at 0.

Numbers must be finite and at most 1e30 in magnitude. The smallest accepted positive number is 1e-15.

This page and the JSON schema next to it are generated from the types that read the file. Editors can use the schema for completion and validation.
";

/// The page under construction.
struct Page<'a> {
    root: &'a Value,
    text: String,
}

impl<'a> Page<'a> {
    fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    /// Writes the table at a path: its description, keys and words, and then its nested tables.
    fn section(&mut self, path: &str, schema: &'a Value) {
        let kinds: Vec<&'a Value> = choices(schema).into_iter().flatten().filter(|kind| has_keys(kind)).collect();
        let shapes = if kinds.is_empty() { vec![schema] } else { kinds };
        if !path.is_empty() {
            self.line(&format!("\n## `{path}`"));
        }
        if let Some(description) = text(schema, "description").filter(|_| !path.is_empty()) {
            self.line(&format!("\n{description}"));
        }
        if choices(schema).is_some() {
            self.line("\nExactly one of these keys:");
        }
        self.line("\n| key | type | unit | default | allowed | meaning |\n|---|---|---|---|---|---|");
        let keys: Vec<Key<'a>> = shapes.iter().flat_map(|shape| self.keys(shape)).collect();
        for key in &keys {
            self.line(&self.row(key, choices(schema).is_some()));
        }
        self.explain_words(&keys);
        for (names, inner) in self.tables_inside(&keys) {
            let inside = if path.is_empty() { names } else { format!("{path}.{names}") };
            self.section(&inside, inner);
        }
    }

    /// The nested tables of some keys, each once. Keys with the same table share a name, such as `{x_min, x_max}`.
    fn tables_inside(&self, keys: &[Key<'a>]) -> Vec<(String, &'a Value)> {
        let mut tables: Vec<(&'a Value, Vec<String>)> = Vec::new();
        for key in keys {
            let Some((suffix, inner)) = self.table_inside(key.schema) else { continue };
            let name = format!("{}{suffix}", key.name);
            match tables.iter_mut().find(|(known, _)| std::ptr::eq(*known, inner)) {
                Some((_, names)) => names.push(name),
                None => tables.push((inner, vec![name])),
            }
        }
        let together = |names: Vec<String>| match &names[..] {
            [only] => only.clone(),
            all => format!("{{{}}}", all.join(", ")),
        };
        tables.into_iter().map(|(inner, names)| (together(names), inner)).collect()
    }

    fn keys(&self, shape: &'a Value) -> Vec<Key<'a>> {
        let required: Vec<&str> =
            shape["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let properties = shape["properties"].as_object().into_iter().flatten();
        let key = |(name, schema): (&'a String, &'a Value)| {
            let meaning = text(schema, "description").or(text(shape, "description")).unwrap_or_default();
            Key { name, schema, meaning, required: required.contains(&name.as_str()) }
        };
        properties.map(key).collect()
    }

    fn row(&self, key: &Key<'a>, one_of_kinds: bool) -> String {
        let kind = self.kind(key.schema);
        let (meaning, unit) = if kind == "string" { (in_a_row(key.meaning), "") } else { split_unit(key.meaning) };
        let default = match key.schema.get("default").filter(|_| self.table_inside(key.schema).is_none()) {
            Some(default) if default != "" => format!("`{}`", toml(default)),
            _ if key.required && !one_of_kinds => "required".to_owned(),
            _ => String::new(),
        };
        let example = key.schema["examples"].as_array().and_then(|examples| examples.first());
        let example = example.map(|example| format!(" Example: `{}`.", toml(example))).unwrap_or_default();
        let allowed = self.allowed(key.schema);
        format!("| `{}` | {kind} | {unit} | {default} | {allowed} | {meaning}{example} |", key.name)
    }

    /// The type of a value, in words.
    fn kind(&self, schema: &'a Value) -> String {
        let schema = resolve(schema, self.root);
        if let Some(choices) = choices(schema) {
            let mut kinds: Vec<String> = choices.iter().map(|choice| self.kind(choice)).collect();
            kinds.dedup();
            return kinds.join(" or ");
        }
        match text(schema, "type").unwrap_or_default() {
            "object" => "table".to_owned(),
            "boolean" => "true or false".to_owned(),
            "array" => {
                let count = schema["minItems"].as_u64().filter(|count| schema["maxItems"].as_u64() == Some(*count));
                let count = count.map(|count| format!("{count} ")).unwrap_or_default();
                let item = self.kind(&schema["items"]);
                match item.strip_prefix("list ") {
                    Some(of) => format!("list of {count}lists {of}"),
                    None => format!("list of {count}{item}s"),
                }
            }
            _ if !words(schema).is_empty() => "word".to_owned(),
            plain => plain.to_owned(),
        }
    }

    /// The allowed words or range of a value.
    fn allowed(&self, schema: &'a Value) -> String {
        let schema = resolve(schema, self.root);
        let schema = if schema.get("items").is_some() { resolve(&schema["items"], self.root) } else { schema };
        let allowed = self.words(schema);
        if allowed.is_empty() {
            return range(schema).unwrap_or_default();
        }
        allowed.iter().map(|(word, _)| format!("`\"{word}\"`")).collect::<Vec<_>>().join(", ")
    }

    /// The words that a value may take, and their meanings.
    fn words(&self, schema: &'a Value) -> Words<'a> {
        let alternatives = choices(schema).map_or(std::slice::from_ref(schema), Vec::as_slice);
        let each = alternatives.iter().map(|choice| resolve(choice, self.root));
        each.flat_map(|choice| words(choice).into_iter().map(|word| (word, text(choice, "description")))).collect()
    }

    /// Lists the meanings of the words of some keys, once for all keys that share them.
    fn explain_words(&mut self, keys: &[Key<'a>]) {
        let mut explained: Vec<(Words<'a>, Vec<&str>)> = Vec::new();
        for key in keys {
            let schema = resolve(key.schema, self.root);
            let schema = if schema.get("items").is_some() { resolve(&schema["items"], self.root) } else { schema };
            let words = self.words(schema);
            match explained.iter_mut().find(|(known, _)| *known == words) {
                Some((_, names)) => names.push(key.name),
                None => explained.push((words, vec![key.name])),
            }
        }
        for (words, names) in explained.iter().filter(|(words, _)| words.iter().any(|(_, meaning)| meaning.is_some())) {
            let names = names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
            self.line(&format!("\nWords of {names}:\n"));
            for (word, meaning) in words {
                self.line(&format!("- `\"{word}\"`: {}", meaning.unwrap_or_default().replace('\n', " ")));
            }
        }
    }

    /// The nested table or list of tables of a value; with `[]` for a list.
    fn table_inside(&self, schema: &'a Value) -> Option<(&'static str, &'a Value)> {
        let schema = resolve(schema, self.root);
        if has_keys(schema) || choices(schema).is_some_and(|choices| choices.iter().any(has_keys)) {
            return Some(("", schema));
        }
        let items = resolve(schema.get("items")?, self.root);
        let is_table = has_keys(items) || choices(items).is_some_and(|choices| choices.iter().any(has_keys));
        is_table.then_some(("[]", items))
    }
}

/// The words that a value may take, and their meanings.
type Words<'a> = Vec<(&'a str, Option<&'a str>)>;

/// A key of a table.
struct Key<'a> {
    name: &'a str,
    schema: &'a Value,
    meaning: &'a str,
    required: bool,
}

fn has_keys(schema: &Value) -> bool {
    schema.get("properties").is_some()
}

fn text<'a>(schema: &'a Value, keyword: &str) -> Option<&'a str> {
    schema.get(keyword).and_then(Value::as_str)
}

/// The description without the unit in its first sentence, and the unit.
pub(crate) fn split_unit(meaning: &str) -> (String, &str) {
    let unit = meaning.find(" [").and_then(|open| Some((open, open + meaning[open..].find(']')?)));
    match unit {
        Some((open, close)) if !meaning[..open].contains(". ") && meaning[open..close].len() < 12 => {
            let rest = format!("{}{}", &meaning[..open], &meaning[close + 1..]);
            (in_a_row(&rest), &meaning[open + 2..close])
        }
        _ => (in_a_row(meaning), ""),
    }
}

/// Formats a text for a table cell.
fn in_a_row(text: &str) -> String {
    text.replace('\n', " ").replace('|', "\\|")
}

/// A value in TOML syntax.
pub(crate) fn toml(value: &Value) -> String {
    let list = |items: &[Value]| items.iter().map(toml).collect::<Vec<_>>().join(", ");
    match value {
        Value::Array(items) => format!("[{}]", list(items)),
        Value::Object(table) => {
            let mut text = String::from("{");
            for (place, (key, value)) in table.iter().enumerate() {
                let comma = if place == 0 { "" } else { "," };
                write!(text, "{comma} {key} = {}", toml(value)).expect("a string takes everything");
            }
            text + " }"
        }
        Value::Number(number) => match number.as_f64() {
            Some(large) if large.abs() >= 1e9 => format!("{large:.1e}"),
            _ => number.to_string(),
        },
        plain => plain.to_string(),
    }
}
