//! The JSON schemas of the configuration files, which define keys, types, ranges and defaults.

use schemars::transform::{RecursiveTransform, Transform};
use schemars::{Schema, schema_for};
use serde_json::{Value, json};

use crate::written::Format;

/// The schema of a file format, JSON Schema draft 2020-12.
pub fn schema<C: Format>() -> Value {
    let mut schema = schema_for!(C);
    RecursiveTransform(tidy).transform(&mut schema);
    schema.insert("title".to_owned(), json!(format!("Craton {}", C::NAME)));
    schema.to_value()
}

/// Removes what TOML cannot represent (null, widths of numbers) and closes every table.
fn tidy(schema: &mut Schema) {
    let Some(object) = schema.as_object_mut() else { return };
    object.remove("format");
    if let Some(Value::Array(types)) = object.get_mut("type") {
        types.retain(|name| name != "null");
        if let [only] = &types[..] {
            let only = only.clone();
            object.insert("type".to_owned(), only);
        }
    }
    if let Some(Value::Array(choices)) = object.get_mut("anyOf") {
        choices.retain(|choice| choice.get("type") != Some(&json!("null")));
        if let [only] = &choices[..] {
            let only = only.as_object().cloned().unwrap_or_default();
            object.remove("anyOf");
            object.extend(only);
        }
    }
    if object.contains_key("properties") {
        object.entry("additionalProperties").or_insert(json!(false));
        object.entry("type").or_insert(json!("object"));
    }
}

/// The schema behind a `$ref`, or the schema itself.
pub(crate) fn resolve<'a>(schema: &'a Value, root: &'a Value) -> &'a Value {
    match schema.get("$ref").and_then(Value::as_str).and_then(|name| name.strip_prefix('#')) {
        Some(pointer) => root.pointer(pointer).expect("every $ref of a generated schema points into it"),
        None => schema,
    }
}

/// The alternatives of a schema: `oneOf` or `anyOf`.
pub(crate) fn choices(schema: &Value) -> Option<&Vec<Value>> {
    schema.get("oneOf").or_else(|| schema.get("anyOf")).and_then(Value::as_array)
}

/// The words that a schema allows: its `const`, or its `enum` of strings.
pub(crate) fn words(schema: &Value) -> Vec<&str> {
    let listed = schema.get("enum").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    schema.get("const").into_iter().chain(listed).filter_map(Value::as_str).collect()
}
