//! Types of the tables of a file format for Python: a `TypedDict` for each.

use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Keys that take data instead of the name of a file, as in `python/craton/_inputs.py`.
const DATA: [&str; 19] = [
    "file",
    "topography",
    "stations_file",
    "quakeml",
    "cmtsolution",
    "shots",
    "vp",
    "vs",
    "rho",
    "qp",
    "qs",
    "qkappa",
    "qmu",
    "velocity",
    "density",
    "depth_table",
    "time_function",
    "prisms",
    "list",
];
/// Tables of the top level for which an object may stand.
const OBJECTS: [&str; 2] = ["source", "receivers"];
/// Words that cannot be attributes.
const RESERVED: [&str; 3] = ["from", "in", "is"];

/// The Python module with the types of a format.
///
/// # Arguments
/// * `name` – of the format, such as `scenario`
/// * `schema` – its JSON schema
pub fn tables(name: &str, schema: &str) -> String {
    let schema: Value = serde_json::from_str(schema).expect("a JSON schema");
    let mut classes = BTreeMap::new();
    for (class, definition) in schema["$defs"].as_object().into_iter().flatten() {
        add(class, definition, &mut classes);
    }
    add("Tables", &schema, &mut classes);
    // Classes first: other types name them.
    let (classes, others): (Vec<String>, Vec<String>) =
        classes.into_values().partition(|text| text.contains("TypedDict"));
    let classes = [classes, others].concat();
    format!(
        "\"\"\"Tables of the {name} file. Written by `cargo xtask generate`.\"\"\"\n\nfrom __future__ import annotations\n\n\
         from collections.abc import Sequence\nfrom typing import Any, Literal, TypedDict, Union\n\n\n{}",
        classes.join("\n\n")
    )
}

/// Adds the definition of a type.
fn add(name: &str, definition: &Value, classes: &mut BTreeMap<String, String>) {
    if let Some(properties) = definition["properties"].as_object() {
        let class = table(name, definition, properties, classes);
        classes.insert(name.to_owned(), class);
        return;
    }
    let choices = definition["oneOf"].as_array();
    // The description of a variant is that of its key.
    let variant = |choice: &Value| {
        let mut properties = choice["properties"].as_object().cloned()?;
        properties.values_mut().filter_map(Value::as_object_mut).for_each(|property| {
            property.entry("description").or_insert_with(|| choice["description"].clone());
        });
        Some(properties)
    };
    let tables: Option<Vec<Map<String, Value>>> = choices.and_then(|choices| choices.iter().map(variant).collect());
    let text = match tables {
        // Exactly one of the keys is given.
        Some(tables) => {
            let properties: Map<String, Value> = tables.into_iter().flatten().collect();
            table(name, definition, &properties, classes)
        }
        None => format!("{name} = {}\n", type_of(name, definition, classes)),
    };
    classes.insert(name.to_owned(), text);
}

/// A `TypedDict` with documented keys.
fn table(
    name: &str,
    definition: &Value,
    properties: &Map<String, Value>,
    classes: &mut BTreeMap<String, String>,
) -> String {
    let mut types = Vec::new();
    for (key, property) in properties {
        let own = type_of(&format!("{name}{}", camel(key)), property, classes);
        let takes_data = DATA.contains(&&**key) || (name == "Tables" && OBJECTS.contains(&&**key));
        types.push((key, if takes_data { format!("Union[{own}, Any]") } else { own }, described(property)));
    }
    if types.iter().any(|(key, ..)| RESERVED.contains(&&***key)) {
        let fields: Vec<String> = types.iter().map(|(key, own, _)| format!("    \"{key}\": \"{own}\",\n")).collect();
        return format!("{name} = TypedDict(\"{name}\", {{\n{}}}, total=False)\n", fields.concat());
    }
    let mut text = format!("class {name}(TypedDict, total=False):\n    {}\n", docstring(&described(definition)));
    for (key, own, about) in types {
        let _ = write!(text, "\n    {key}: {own}\n    {}\n", docstring(&about));
    }
    text
}

/// The Python type of a schema.
fn type_of(name: &str, schema: &Value, classes: &mut BTreeMap<String, String>) -> String {
    if let Some(reference) = schema["$ref"].as_str() {
        return reference.rsplit('/').next().unwrap_or_default().to_owned();
    }
    if let Some(choices) = schema["oneOf"].as_array().or(schema["anyOf"].as_array()) {
        let of_choice = |choice: &Value| match choice["properties"].as_object().and_then(|all| all.keys().next()) {
            Some(key) => type_of(&format!("{name}{}", camel(key)), choice, classes),
            None => type_of(name, choice, classes),
        };
        let types: Vec<String> = choices.iter().map(of_choice).collect();
        return if types.len() == 1 { types[0].clone() } else { format!("Union[{}]", types.join(", ")) };
    }
    if let Some(word) = schema["const"].as_str() {
        return format!("Literal[\"{word}\"]");
    }
    match schema["type"].as_str() {
        Some("number") => "float".into(),
        Some("integer") => "int".into(),
        Some("boolean") => "bool".into(),
        Some("string") => "str".into(),
        Some("array") => format!("Sequence[{}]", type_of(name, &schema["items"], classes)),
        Some("object") if schema["properties"].is_object() => {
            add(name, schema, classes);
            name.to_owned()
        }
        _ => "Any".into(),
    }
}

fn described(schema: &Value) -> String {
    schema["description"].as_str().unwrap_or_default().replace('\\', "\\\\").replace("\"\"\"", "'''")
}

/// A docstring within a class.
fn docstring(text: &str) -> String {
    let text = if text.is_empty() { "No description." } else { text };
    let end = if text.ends_with('"') { " " } else { "" };
    format!("\"\"\"{}{end}\"\"\"", text.replace('\n', "\n    ").replace("\n    \n", "\n\n"))
}

/// `depth_table` as `DepthTable`.
fn camel(key: &str) -> String {
    let capital = |word: &str| {
        let mut letters = word.chars();
        letters.next().map(|first| first.to_uppercase().chain(letters).collect::<String>()).unwrap_or_default()
    };
    key.split('_').map(capital).collect()
}
