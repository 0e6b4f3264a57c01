//! Checks that the tests named after "Verified by" in the documentation exist.

use super::at;
use super::rust;
use super::sources::Source;
use anyhow::Result;
use std::collections::BTreeMap;

const PHRASE: &str = "Verified by";

/// Every test named in the documentation must exist, in a place that fits the path it is given; a path with slashes must be a file.
pub fn check(sources: &[Source]) -> Result<Vec<String>> {
    let tests = all_tests(sources)?;
    let mut findings = Vec::new();
    for source in sources.iter().filter(|source| source.is("rs") || source.is("md")) {
        for (line, path) in named_tests(&doc_text(source)) {
            let is_file = path.contains('/') && sources.iter().any(|source| source.path == path);
            if !is_file && !exists(&tests, &path) {
                findings.push(at(source, line, &format!("{PHRASE} `{path}`, which is no test and no file")));
            }
        }
    }
    Ok(findings)
}

/// Places of all tests by name: crate, folders, file and modules, as the words a path may use.
fn all_tests(sources: &[Source]) -> Result<BTreeMap<String, Vec<Vec<String>>>> {
    let mut tests: BTreeMap<String, Vec<Vec<String>>> = BTreeMap::new();
    for source in sources.iter().filter(|source| source.is("rs")) {
        let place: Vec<String> =
            source.path.trim_end_matches(".rs").split('/').map(|part| part.replace('-', "_")).collect();
        for mut modules in rust::read(source)?.tests {
            let Some(name) = modules.pop() else { continue };
            tests.entry(name).or_default().push([place.clone(), modules].concat());
        }
    }
    Ok(tests)
}

/// Whether a test of this name is in a file that contains every other word of its path.
fn exists(tests: &BTreeMap<String, Vec<Vec<String>>>, path: &str) -> bool {
    let mut words: Vec<&str> = path.split("::").collect();
    let Some(places) = words.pop().and_then(|name| tests.get(name)) else { return false };
    places.iter().any(|place| words.iter().all(|word| *word == "crate" || place.iter().any(|part| part == word)))
}

/// The text that readers see, line by line: doc comments of Rust without their slashes, or the whole of a document.
fn doc_text(source: &Source) -> Vec<&str> {
    let doc = |line: &'_ str| -> Option<usize> {
        let trimmed = line.trim_start();
        let slashes = ["///", "//!", "//"].into_iter().find(|slashes| trimmed.starts_with(slashes))?;
        Some(line.len() - trimmed.len() + slashes.len())
    };
    let lines = source.text.lines();
    if source.is("md") {
        lines.collect()
    } else {
        lines.map(|line| doc(line).map_or("", |start| &line[start..])).collect()
    }
}

/// Line and path of every name in backticks that follows the phrase, up to the end of the sentence.
fn named_tests(lines: &[&str]) -> Vec<(usize, String)> {
    let mut named = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        for (start, _) in line.match_indices(PHRASE) {
            let first = &line[start + PHRASE.len()..];
            let rest = std::iter::once(first).chain(lines[index + 1..].iter().copied());
            read_sentence(rest, index + 1, &mut named);
        }
    }
    named
}

/// Collects names in backticks until a full stop or an empty line.
fn read_sentence<'a>(lines: impl Iterator<Item = &'a str>, first_line: usize, named: &mut Vec<(usize, String)>) {
    for (offset, line) in lines.enumerate() {
        if offset > 0 && line.trim().is_empty() {
            return;
        }
        for (part, text) in line.split('`').enumerate() {
            let inside = part % 2 == 1;
            if inside {
                named.push((first_line + offset, text.trim_end_matches("()").to_owned()));
            } else if text.contains(['.', ';']) {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(path: &str, text: &str) -> Source {
        Source { path: path.into(), text: text.into() }
    }

    #[test]
    fn a_promise_without_a_test_is_found() {
        let laws = "/// Verified by `laws::holds` and\n/// `laws::fails`. Not `this`.\nfn law() {}\n";
        let sources = [
            source("crates/craton-physics/src/laws.rs", laws),
            source("crates/craton-physics/tests/laws.rs", "#[test]\nfn holds() {}\n"),
            source("crates/craton-mesh/tests/other.rs", "#[test]\nfn fails() {}\n"),
        ];
        let findings = check(&sources).unwrap();
        assert_eq!(
            findings,
            ["crates/craton-physics/src/laws.rs:2: Verified by `laws::fails`, which is no test and no file"]
        );
    }
}
