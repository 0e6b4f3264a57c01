//! Checks the dependencies of every crate against the table of layers in ARCHITECTURE.md.

use super::exceptions::Exceptions;
use crate::shell;
use anyhow::{Context, Result, bail};
use std::collections::BTreeMap;
use std::fs;

const TABLE: &str = "ARCHITECTURE.md";
/// Layer of the crates that help to develop; anybody may use them in tests.
const DEVELOPMENT: &str = "dev";

/// Row of a crate in the table.
struct Row {
    layer: String,
    allowed: Vec<Allowed>,
}

/// Allowed dependencies of a crate.
#[derive(Debug, PartialEq)]
enum Allowed {
    All,
    Crate(String),
    Layers(u32, u32),
}

/// Every dependency between crates of the workspace must be allowed by the table, and every crate must be in it.
pub fn check(exceptions: &mut Exceptions) -> Result<Vec<String>> {
    let text = fs::read_to_string(TABLE).with_context(|| format!("cannot read {TABLE}"))?;
    let table = read_table(&text)?;
    let mut findings = Vec::new();
    for (from, to, kind) in dependencies()? {
        let Some(row) = table.get(&from) else {
            findings.push(format!("{TABLE}: the table of layers lacks {from}"));
            continue;
        };
        let Some(target) = table.get(&to) else { continue };
        let only_tests = kind == "dev" && target.layer == DEVELOPMENT;
        if !only_tests && !allows(row, &to, target) && !exceptions.allows_arrow(&from, &to) {
            findings.push(format!("{from} uses {to}, which the table of layers in {TABLE} does not allow"));
        }
    }
    findings.dedup();
    Ok(findings)
}

fn allows(row: &Row, to: &str, target: &Row) -> bool {
    row.allowed.iter().any(|allowed| match allowed {
        Allowed::All => true,
        Allowed::Crate(name) => name == to,
        Allowed::Layers(first, last) => target.layer.parse().is_ok_and(|layer: u32| (*first..=*last).contains(&layer)),
    })
}

/// Rows `| layer | crate | what it is | may use |` by crate; a row may name several crates.
fn read_table(text: &str) -> Result<BTreeMap<String, Row>> {
    let mut rows = BTreeMap::new();
    for line in text.lines().filter(|line| line.starts_with('|')) {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        let [layer, crates, _, may_use] = cells[..] else { continue };
        if layer != DEVELOPMENT && layer.parse::<u32>().is_err() {
            continue;
        }
        for name in crates.split(',') {
            let allowed = may_use.split(',').filter_map(|word| read_allowed(word.trim())).collect();
            rows.insert(unquoted(name), Row { layer: layer.to_owned(), allowed });
        }
    }
    if rows.is_empty() {
        bail!("{TABLE} has no table of layers");
    }
    Ok(rows)
}

/// `all`, `2`, `1 to 3`, a crate by its full name in backticks or by what follows `craton-`; a dash is nothing.
fn read_allowed(word: &str) -> Option<Allowed> {
    if matches!(word, "" | "-" | "–") {
        return None;
    }
    let (first, last) = word.split_once(" to ").unwrap_or((word, word));
    if let (Ok(first), Ok(last)) = (first.parse(), last.parse()) {
        return Some(Allowed::Layers(first, last));
    }
    Some(match word {
        "all" => Allowed::All,
        quoted if quoted.starts_with('`') => Allowed::Crate(unquoted(quoted)),
        short => Allowed::Crate(format!("craton-{short}")),
    })
}

fn unquoted(word: &str) -> String {
    word.trim().trim_matches('`').to_owned()
}

/// (from, to, kind) of every dependency between members of the workspace, from `cargo metadata`.
fn dependencies() -> Result<Vec<(String, String, String)>> {
    let metadata = shell::output(&mut shell::cargo("metadata --no-deps --format-version 1"))?;
    let metadata: serde_json::Value = serde_json::from_str(&metadata)?;
    let list = |value: &serde_json::Value| value.as_array().cloned().unwrap_or_default();
    let text = |value: &serde_json::Value| value.as_str().unwrap_or("normal").to_owned();
    let mut arrows = Vec::new();
    for package in list(&metadata["packages"]) {
        for dependency in list(&package["dependencies"]) {
            if dependency["path"].is_string() {
                arrows.push((text(&package["name"]), text(&dependency["name"]), text(&dependency["kind"])));
            }
        }
    }
    Ok(arrows)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
| layer | crate | what it is | may use |
|---|---|---|---|
| 1 | `craton-physics` | laws | – |
| 2 | `craton-model` | models | physics |
| 4 | `craton-sem` | elements | 1 to 3 |
| 6 | `craton-cli` | command | `craton` |
| dev | `craton-testkit`, `xtask` | tools | all |
";

    #[test]
    fn arrows_follow_the_table() {
        let table = read_table(TEXT).unwrap();
        let allowed = |from: &str, to: &str| allows(&table[from], to, &table[to]);
        assert!(allowed("craton-model", "craton-physics"));
        assert!(!allowed("craton-physics", "craton-model"));
        assert!(allowed("craton-sem", "craton-model"));
        assert!(!allowed("craton-sem", "craton-cli"));
        assert!(!allowed("craton-cli", "craton-sem"));
        assert!(!allowed("craton-sem", "xtask"));
        assert!(allowed("xtask", "craton-cli"));
    }

    #[test]
    fn a_dash_allows_nothing() {
        assert_eq!(read_allowed("–"), None);
        assert_eq!(read_allowed("`craton`"), Some(Allowed::Crate("craton".into())));
        assert_eq!(read_allowed("run"), Some(Allowed::Crate("craton-run".into())));
        assert_eq!(read_allowed("2"), Some(Allowed::Layers(2, 2)));
    }
}
