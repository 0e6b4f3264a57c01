//! Reports of many problems and of long lines stay short.

use std::path::PathBuf;

use craton::{Scenario, ScenarioErrors};
use miette::Diagnostic;

fn refused(text: &str) -> ScenarioErrors {
    Scenario::parse("it.toml", text, PathBuf::new(), &[]).expect_err("unknown keys")
}

#[test]
fn many_problems_and_long_lines_are_cut() {
    let text: String = (0..8000).map(|number| format!("key{number} = {number}\n")).collect();
    let errors = refused(&text);
    assert_eq!((errors.errors.len(), errors.errors[0].line), (20, 1));
    assert!(errors.to_string().contains("errors, of which the first 20 follow"), "{errors}");
    let lines = errors.lines();
    assert!(lines.lines().count() == 21 && lines.contains("it.toml: and 79") && lines.len() < 20_000, "{lines}");

    // One line of 100 kB, with the problem in its middle.
    let (before, after) = ("\u{e9}".repeat(50_000), "y".repeat(50_000));
    let line = format!("domain = {{ \"{before}\" = 1, oops = 2, z = \"{after}\" }}");
    let text = format!("title = \"a\"\n{line}\nduration = 1\n");
    let errors = refused(&text);
    let error = errors.errors.iter().find(|error| error.problem.path == "domain.oops").expect("an unknown key");
    assert_eq!((error.line, error.column), (2, 50_000 + 20));
    let source = error.source_code().expect("an excerpt");
    let label = error.labels().expect("a label").next().expect("one");
    let at = source.read_span(label.inner(), 0, 0).expect("within the excerpt");
    assert_eq!((at.data(), at.line(), at.name()), (&b"oops"[..], 1, Some("it.toml")));
    let shown = source.read_span(label.inner(), 1, 1).expect("within the excerpt");
    let shown = std::str::from_utf8(shown.data()).expect("text");
    assert!(shown.chars().count() < 300 && shown.starts_with("title = \"a\"\n\u{2026}"), "{shown}");
    assert!(errors.lines().lines().all(|line| line.chars().count() < 2000));
    let value = errors.errors.iter().find(|error| error.problem.path == "domain.z").expect("a wrong type").to_string();
    assert!(value.chars().count() < 400, "{value}");
}
