//! Checks that links and paths in documents exist.

use super::at;
use super::sources::Source;
use std::path::Path;

/// Folders whose paths must exist if they are written in backticks.
const FOLDERS: [&str; 6] = ["crates/", "docs/", "examples/", "validation/", "xtask/", ".ci/"];
/// Characters of a pattern or a placeholder rather than of a path.
const PATTERN: [char; 6] = ['*', '<', '{', '$', ' ', '…'];

/// Checks every document.
pub fn check(sources: &[Source]) -> Vec<String> {
    let exists = |path: &Path| path.exists();
    sources.iter().filter(|source| source.is("md")).flat_map(|source| check_document(source, &exists)).collect()
}

fn check_document(source: &Source, exists: &dyn Fn(&Path) -> bool) -> Vec<String> {
    let folder = Path::new(&source.path).parent().unwrap_or(Path::new(""));
    let mut findings = Vec::new();
    let mut in_code = false;
    for (index, line) in source.text.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            in_code = !in_code;
        }
        if in_code {
            continue;
        }
        for target in links(line).chain(definition(line)).filter(|target| !exists(&folder.join(target))) {
            findings.push(at(source, index + 1, &format!("the link to `{target}` leads nowhere")));
        }
        for path in quoted_paths(line).filter(|path| !exists(Path::new(path))) {
            findings.push(at(source, index + 1, &format!("`{path}` does not exist")));
        }
    }
    findings
}

/// Targets of `[text](target)` that are files of the repository, without their anchors.
fn links(line: &str) -> impl Iterator<Item = &str> {
    line.split("](").skip(1).filter_map(|rest| file(rest.split(')').next()?))
}

/// The target of a line `[name]: target` that is a file of the repository, without its anchor.
fn definition(line: &str) -> Option<&str> {
    file(line.strip_prefix('[')?.split_once("]: ")?.1.trim())
}

fn file(target: &str) -> Option<&str> {
    let target = target.split('#').next()?;
    (!target.is_empty() && !target.contains("://") && !target.starts_with("mailto:")).then_some(target)
}

/// Texts in backticks that are paths of the repository, and not patterns such as `crates/NAME`.
fn quoted_paths(line: &str) -> impl Iterator<Item = &str> {
    let quoted = line.split('`').skip(1).step_by(2);
    let is_path = |text: &&str| FOLDERS.iter().any(|folder| text.starts_with(folder)) && !text.contains(PATTERN);
    let is_placeholder = |part: &str| {
        let stem = part.split('.').next().unwrap_or_default();
        stem.len() > 1 && stem.chars().all(|c| c.is_ascii_uppercase()) && part != "README.md"
    };
    quoted.filter(is_path).filter(move |text| !text.split('/').any(is_placeholder))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dead_links_and_paths_are_found_and_patterns_are_not() {
        let text = "See [one](there.md#part), [two](gone.md), [web](https://example.org).\n\
                    `crates/there`, `crates/gone`, `crates/NAME/src`, `examples/*.toml`, `not/ours`.\n\
                    ```\n[three](gone.md)\n```\n[four]: gone.md#part\n";
        let source = Source { path: "docs/a.md".into(), text: text.into() };
        let exists = |path: &Path| path == Path::new("docs/there.md") || path == Path::new("crates/there");
        let findings = check_document(&source, &exists);
        assert_eq!(
            findings,
            [
                "docs/a.md:1: the link to `gone.md` leads nowhere",
                "docs/a.md:2: `crates/gone` does not exist",
                "docs/a.md:6: the link to `gone.md` leads nowhere",
            ]
        );
    }
}
