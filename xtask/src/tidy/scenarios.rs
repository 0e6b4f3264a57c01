//! Checks that the scenarios and surveys in documents are valid when pasted.

use super::at;
use super::sources::Source;
use std::path::PathBuf;

/// Parses and checks every complete scenario and survey in a document; fragments are skipped.
pub fn check(sources: &[Source]) -> Vec<String> {
    let documents = sources.iter().filter(|source| source.is("md"));
    documents
        .flat_map(|source| toml_blocks(&source.text).filter_map(|(line, text)| fault(source, line, &text)))
        .collect()
}

fn fault(source: &Source, line: usize, text: &str) -> Option<String> {
    let path = &source.path;
    let (kind, errors) = if text.contains("[acquisition.") && text.contains("[output]") {
        ("survey", craton::survey::SurveyFile::parse(path, text, PathBuf::new(), &[]).err()?)
    } else if text.contains("[domain]") && !text.contains("[acquisition.") {
        ("scenario", craton::Scenario::parse(path, text, PathBuf::new(), &[]).err()?)
    } else {
        return None;
    };
    Some(at(source, line, &format!("the {kind} is not valid: {errors}")))
}

/// Line and content of every block of TOML.
fn toml_blocks(text: &str) -> impl Iterator<Item = (usize, String)> {
    let mut lines = text.lines().enumerate();
    std::iter::from_fn(move || {
        let (start, _) = lines.by_ref().find(|(_, line)| line.trim() == "```toml")?;
        let block: Vec<&str> = lines.by_ref().map(|(_, line)| line).take_while(|line| line.trim() != "```").collect();
        Some((start + 1, block.join("\n")))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scenario_with_an_unknown_key_is_found_and_a_fragment_is_not() {
        let text = "```toml\nsides = \"absorbing\"\n```\n\n```toml\n[domain]\nwidth = 1.0\n```\n";
        let findings = check(&[Source { path: "a.md".into(), text: text.into() }]);
        assert_eq!(findings.len(), 1);
        assert!(findings[0].starts_with("a.md:5: the scenario is not valid"), "{}", findings[0]);
    }
}
