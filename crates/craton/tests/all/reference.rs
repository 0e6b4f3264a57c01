//! The schema and the reference page of the scenario keys.

use craton::reference::{page, schema_json};

#[test]
fn the_schema_is_closed_and_without_null() {
    let schema: serde_json::Value = serde_json::from_str(&schema_json::<craton::Config>()).expect("JSON");
    let text = schema.to_string();
    // The keywords of the schema, not keys with these names.
    assert!(!text.contains("\"null\"") && !text.contains("\"format\":\""));
    for table in ["Layer", "Slice", "Material", "Source", "Sem"] {
        assert_eq!(schema["$defs"][table]["additionalProperties"], false, "{table}");
    }
    assert_eq!(schema["properties"]["duration"]["exclusiveMinimum"], 0.0);
    assert_eq!(schema["$defs"]["Sem"]["properties"]["degree"]["default"], 4);
}

#[test]
fn the_page_contains_type_unit_default_and_range_of_a_key() {
    let page = page::<craton::Config>();
    for row in [
        "| `duration` | number | s | required | > 0 and <= 1e9 | Simulated time after time 0.",
        "| `degree` | integer |  | `4` | >= 1 and <= 10 | Polynomial degree of the elements. |",
        "| `top` | number or string | m |  |  | Elevation of the top of the layer, or a grid file with the elevations, as for `domain.topography`.",
        "## `source[].time_function.gaussian`",
        "- `\"absorbing\"`: Outgoing waves leave the domain.",
    ] {
        assert!(page.contains(row), "{row}");
    }
}
