//! What cargo builds to test a crate: one binary of integration tests, and nothing that its manifest switches off although there is something to test.

use super::rust;
use super::sources::Source;
use crate::shell;
use anyhow::Result;
use serde_json::Value;

/// Words after the fence of a code block that make it Rust, which is to be tested.
const RUST: [&str; 5] = ["rust", "no_run", "should_panic", "compile_fail", "edition2024"];

/// A library or a program, and what is tested of it.
struct Target {
    /// Folder of the crate, from the root.
    folder: String,
    /// Whether its unit tests run.
    unit_tests: bool,
    /// Whether the examples in its documentation run, if it is a library.
    doc_tests: Option<bool>,
}

/// Each crate links its integration tests once, and no test is out of reach of `cargo test`.
pub fn check(sources: &[Source]) -> Result<Vec<String>> {
    let metadata = shell::output(&mut shell::cargo("metadata --no-deps --format-version 1"))?;
    let metadata: Value = serde_json::from_str(&metadata)?;
    let mut findings = Vec::new();
    for package in metadata["packages"].as_array().into_iter().flatten() {
        let name = package["name"].as_str().unwrap_or_default();
        let folder = if name == "xtask" { name.to_owned() } else { format!("crates/{name}") };
        let targets = || package["targets"].as_array().into_iter().flatten();
        let is =
            |target: &Value, kind: &str| target["kind"].as_array().is_some_and(|kinds| kinds.contains(&kind.into()));
        let tests = targets().filter(|target| is(target, "test")).count();
        if tests > 1 {
            let reason = "each is linked for itself: make them modules of `tests/all/main.rs`";
            findings.push(format!("{folder}/tests: {tests} test binaries; {reason}"));
        }
        for target in targets().filter(|target| is(target, "lib") || is(target, "bin")) {
            let flag = |key: &str| target[key].as_bool().unwrap_or(true);
            let doc_tests = is(target, "lib").then(|| flag("doctest"));
            findings.extend(missed(&Target { folder: folder.clone(), unit_tests: flag("test"), doc_tests }, sources)?);
        }
    }
    Ok(findings)
}

/// Tests in the sources of a target that the manifest switches off.
fn missed(target: &Target, sources: &[Source]) -> Result<Vec<String>> {
    let mut findings = Vec::new();
    let own = |source: &&Source| source.is("rs") && source.path.starts_with(&format!("{}/src/", target.folder));
    for source in sources.iter().filter(own) {
        if !target.unit_tests && !rust::read(source)?.tests.is_empty() {
            findings.push(format!("{}: unit tests, but the manifest has `test = false`", source.path));
        }
        if target.doc_tests == Some(false) && has_doc_test(&source.text) {
            findings.push(format!("{}: an example in Rust, but the manifest has `doctest = false`", source.path));
        }
    }
    Ok(findings)
}

/// Whether a doc comment has a code block that rustdoc takes for Rust.
fn has_doc_test(text: &str) -> bool {
    let fences = text.lines().filter_map(doc_line).filter_map(|line| line.strip_prefix("```"));
    // Every other fence ends a block.
    fences.step_by(2).any(|words| words.split(',').all(|word| word.is_empty() || RUST.contains(&word)))
}

/// Text of a line of a doc comment.
fn doc_line(line: &str) -> Option<&str> {
    let line = line.trim_start();
    line.strip_prefix("///").or_else(|| line.strip_prefix("//!")).map(str::trim)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sources(text: &str) -> [Source; 1] {
        [Source { path: "crates/craton-mesh/src/lib.rs".into(), text: text.into() }]
    }

    #[test]
    fn what_is_switched_off_is_found() {
        let target = |unit_tests, doc_tests| Target { folder: "crates/craton-mesh".into(), unit_tests, doc_tests };
        let sources = sources("/// ```\n/// f();\n/// ```\nfn f() {}\n#[test]\nfn holds() {}\n");
        assert!(missed(&target(true, Some(true)), &sources).unwrap().is_empty());
        assert_eq!(missed(&target(false, Some(true)), &sources).unwrap().len(), 1);
        assert_eq!(missed(&target(false, Some(false)), &sources).unwrap().len(), 2);
        assert!(missed(&target(true, None), &sources).unwrap().is_empty());
    }

    #[test]
    fn formulas_are_no_examples() {
        assert!(!has_doc_test("//! ```text\n//! a = b\n//! ```\n"));
        assert!(has_doc_test("//! ```text\n//! a = b\n//! ```\n//!\n//! ```no_run\n//! f();\n//! ```\n"));
    }
}
