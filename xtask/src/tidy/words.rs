//! Words that must not occur in the repository.

use super::at;
use super::sources::Source;

/// Marks of unfinished work, written in two halves so that this file does not contain them.
const MARKS: [&str; 3] = [concat!("TO", "DO"), concat!("FIX", "ME"), concat!("XX", "X ")];
/// Beginnings of paths that exist on one machine only.
const PRIVATE_PATHS: [&str; 4] =
    [concat!("/ho", "me/"), concat!("/ro", "ot/"), concat!("/Us", "ers/"), concat!("C:\\", "Users")];

/// Lists every mark and every private path.
pub fn check(sources: &[Source]) -> Vec<String> {
    let mut findings = Vec::new();
    for source in sources {
        for (index, line) in source.text.lines().enumerate() {
            for mark in MARKS.iter().filter(|mark| line.contains(**mark)) {
                findings.push(at(source, index + 1, &format!("`{}`: do it, or leave it out", mark.trim())));
            }
            for path in PRIVATE_PATHS.iter().filter(|path| line.contains(**path)) {
                findings.push(at(source, index + 1, &format!("`{path}` exists on one machine only")));
            }
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_and_private_paths_are_found() {
        let text = format!("fine\n// {} later\nread({:?})\n", MARKS[0], format!("{}me/data", PRIVATE_PATHS[0]));
        let findings = check(&[Source { path: "a.py".into(), text }]);
        assert_eq!(findings.len(), 2);
        assert!(findings[0].starts_with("a.py:2: "), "{}", findings[0]);
        assert!(findings[1].starts_with("a.py:3: "), "{}", findings[1]);
    }
}
