//! Sizes and habits of the Rust sources, read from their tokens.

use super::at;
use super::exceptions::Exceptions;
use super::sources::Source;
use anyhow::{Result, anyhow};
use proc_macro2::{Delimiter, Group, LexError, TokenStream, TokenTree};

/// Lines of a file.
const FILE_LINES: usize = 400;
/// Lines of a function, from `fn` to its closing brace.
const FUNCTION_LINES: usize = 50;
/// Macros that mark unfinished work or leave traces of a search.
const UNFINISHED: [&str; 3] = ["todo", "unimplemented", "dbg"];

/// What the tokens of one file say.
#[derive(Default)]
pub struct Facts {
    /// Every function with a body.
    pub functions: Vec<Function>,
    /// Every test, by its modules inside the file and its name.
    pub tests: Vec<Vec<String>>,
    /// Modules in files of their own that are compiled for tests only.
    pub test_modules: Vec<String>,
    /// Lines with the keyword `unsafe`.
    pub unsafe_lines: Vec<usize>,
    /// Lines of tests that are switched off.
    pub ignored_tests: Vec<usize>,
    /// Lines with `.unwrap()`, outside tests.
    pub unwraps: Vec<usize>,
    /// Lines that silence a lint.
    pub allowed_lints: Vec<usize>,
    /// Lines with a macro of unfinished work, and its name.
    pub unfinished: Vec<(usize, String)>,
}

/// A function with a body.
pub struct Function {
    /// Its name.
    pub name: String,
    /// Line of `fn`, from 1.
    pub line: usize,
    /// Lines from `fn` to the closing brace.
    pub lines: usize,
}

/// Checks every Rust file.
pub fn check(sources: &[Source], exceptions: &mut Exceptions) -> Result<Vec<String>> {
    let mut findings = Vec::new();
    let files: Vec<&Source> = sources.iter().filter(|source| source.is("rs")).collect();
    let all = files.iter().map(|source| read(source)).collect::<Result<Vec<Facts>>>()?;
    let test_files: Vec<String> =
        files.iter().zip(&all).flat_map(|(source, facts)| test_files(source, facts)).collect();
    for (source, mut facts) in files.into_iter().zip(all) {
        if test_files.contains(&source.path) {
            facts.unwraps.clear();
        }
        check_sizes(source, &facts, exceptions, &mut findings);
        check_habits(source, &facts, exceptions, &mut findings);
        check_root(source, exceptions, &mut findings);
    }
    Ok(findings)
}

/// Reads the tokens of a file.
pub fn read(source: &Source) -> Result<Facts> {
    let stream: Result<TokenStream, LexError> = source.text.parse();
    let stream = stream.map_err(|error| anyhow!("{}: no Rust: {error}", source.path))?;
    let mut facts = Facts::default();
    let in_tests = source.path.contains("/tests/") || source.path.contains("/benches/");
    walk(stream, &Place { modules: Vec::new(), in_tests }, &mut facts);
    Ok(facts)
}

/// Files of the modules that this file compiles for tests only.
fn test_files(source: &Source, facts: &Facts) -> Vec<String> {
    let path = source.path.trim_end_matches(".rs");
    let (folder, stem) = path.rsplit_once('/').unwrap_or(("", path));
    let folder = if matches!(stem, "lib" | "main" | "mod") { folder } else { path };
    facts.test_modules.iter().map(|module| format!("{folder}/{module}.rs")).collect()
}

fn check_sizes(source: &Source, facts: &Facts, exceptions: &mut Exceptions, findings: &mut Vec<String>) {
    let lines = source.text.lines().count();
    let limit = exceptions.file_limit(&source.path, lines, FILE_LINES);
    if lines > limit {
        findings.push(at(source, 1, &format!("{lines} lines, more than {limit}: is it one thing?")));
    }
    for Function { name, line, lines } in &facts.functions {
        let limit = exceptions.function_limit(&source.path, name, *lines, FUNCTION_LINES);
        if *lines > limit {
            findings.push(at(source, *line, &format!("function `{name}` has {lines} lines, more than {limit}")));
        }
    }
}

fn check_habits(source: &Source, facts: &Facts, exceptions: &mut Exceptions, findings: &mut Vec<String>) {
    let owner = source.crate_name().unwrap_or_default();
    if let Some(line) = facts.unsafe_lines.first()
        && !exceptions.allows_unsafe(owner)
    {
        findings.push(at(source, *line, &format!("`unsafe` in {owner}, which may have none")));
    }
    for line in &facts.ignored_tests {
        findings.push(at(source, *line, "a test that is switched off: repair it or remove it"));
    }
    for line in &facts.unwraps {
        findings.push(at(
            source,
            *line,
            "`.unwrap()` outside tests: return the error, or say in `expect` why it cannot be",
        ));
    }
    for line in &facts.allowed_lints {
        if !is_explained(&source.text, *line) {
            findings.push(at(source, *line, "a silenced lint without a comment that says why"));
        }
    }
    for (line, name) in &facts.unfinished {
        findings.push(at(source, *line, &format!("`{name}!` is left in the code")));
    }
}

/// The first file of a crate says what the crate is, and forbids unsafe code where none is allowed.
fn check_root(source: &Source, exceptions: &mut Exceptions, findings: &mut Vec<String>) {
    if !(source.path.ends_with("/src/lib.rs") || source.path.ends_with("/src/main.rs")) {
        return;
    }
    if !source.text.starts_with("//!") {
        findings.push(at(source, 1, "the crate does not say what it is: begin with `//!`"));
    }
    let forbids = source.text.contains("#![forbid(unsafe_code)]");
    if source.path.starts_with("crates/")
        && !forbids
        && !exceptions.allows_unsafe(source.crate_name().unwrap_or_default())
    {
        findings.push(at(source, 1, "`#![forbid(unsafe_code)]` is missing"));
    }
}

/// Whether there is a comment on the line or right above it, or the attribute gives a reason.
fn is_explained(text: &str, line: usize) -> bool {
    let lines: Vec<&str> = text.lines().collect();
    let own = lines[line - 1];
    let above = line.checked_sub(2).map_or("", |index| lines[index]).trim_start();
    own.contains("//") || own.contains("reason = ") || (above.starts_with("//") && !above.starts_with("///"))
}

/// Position of the walk in a file.
struct Place {
    modules: Vec<String>,
    in_tests: bool,
}

/// Attributes before the next item.
#[derive(Default)]
struct Pending {
    test: bool,
    only_in_tests: bool,
}

fn walk(stream: TokenStream, place: &Place, facts: &mut Facts) {
    let tokens: Vec<TokenTree> = stream.into_iter().collect();
    let mut pending = Pending::default();
    let mut module = None;
    for (index, token) in tokens.iter().enumerate() {
        let before = index.checked_sub(1).map(|before| &tokens[before]);
        match token {
            TokenTree::Group(group) => {
                if group.delimiter() == Delimiter::Bracket
                    && before.is_some_and(|token| is_punct(token, '#') || is_punct(token, '!'))
                {
                    read_attribute(group, &mut pending, facts);
                }
                let braces = group.delimiter() == Delimiter::Brace;
                let mut inside =
                    Place { modules: place.modules.clone(), in_tests: place.in_tests || pending.only_in_tests };
                inside.modules.extend(module.take_if(|_| braces));
                walk(group.stream(), &inside, facts);
                if braces {
                    pending = Pending::default();
                }
            }
            TokenTree::Ident(word) => {
                let line = word.span().start().line;
                match word.to_string().as_str() {
                    "unsafe" => facts.unsafe_lines.push(line),
                    "mod" => module = name_after(&tokens, index),
                    "fn" => {
                        note_function(&tokens, index, place, &pending, facts);
                        pending.only_in_tests |= pending.test;
                    }
                    "unwrap" if !place.in_tests && is_empty_call(&tokens, index) => facts.unwraps.push(line),
                    name if UNFINISHED.contains(&name)
                        && tokens.get(index + 1).is_some_and(|next| is_punct(next, '!')) =>
                    {
                        facts.unfinished.push((line, name.to_owned()));
                    }
                    _ => {}
                }
            }
            TokenTree::Punct(punct) if punct.as_char() == ';' => {
                facts.test_modules.extend(module.take_if(|_| pending.only_in_tests));
                (pending, module) = (Pending::default(), None);
            }
            _ => {}
        }
    }
}

/// Notes what the attribute `#[...]` says of the item after it.
fn read_attribute(group: &Group, pending: &mut Pending, facts: &mut Facts) {
    let text = group.stream().to_string();
    let line = group.span_open().start().line;
    let word = text.split([' ', '(']).next().unwrap_or_default();
    match word {
        "test" => pending.test = true,
        "cfg" if text.contains("test") && !text.contains("not") => pending.only_in_tests = true,
        "ignore" => facts.ignored_tests.push(line),
        "allow" | "expect" => facts.allowed_lints.push(line),
        _ => {}
    }
}

/// Records the function whose keyword `fn` is at `index`, unless it is a type or has no body.
fn note_function(tokens: &[TokenTree], index: usize, place: &Place, pending: &Pending, facts: &mut Facts) {
    let Some(name) = name_after(tokens, index) else { return };
    if pending.test {
        let mut path = place.modules.clone();
        path.push(name.clone());
        facts.tests.push(path);
    }
    let line = tokens[index].span().start().line;
    let body = tokens[index..].iter().find_map(|token| match token {
        TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => Some(Some(group)),
        token if is_punct(token, ';') => Some(None),
        _ => None,
    });
    if let Some(Some(body)) = body {
        let last = body.span_close().end().line;
        facts.functions.push(Function { name, line, lines: last + 1 - line });
    }
}

fn name_after(tokens: &[TokenTree], index: usize) -> Option<String> {
    match tokens.get(index + 1) {
        Some(TokenTree::Ident(name)) => Some(name.to_string()),
        _ => None,
    }
}

/// Whether the word at `index` is called as a method without arguments.
fn is_empty_call(tokens: &[TokenTree], index: usize) -> bool {
    let dot = index.checked_sub(1).is_some_and(|before| is_punct(&tokens[before], '.'));
    let empty = |token: &TokenTree| matches!(token, TokenTree::Group(group) if group.stream().is_empty());
    dot && tokens.get(index + 1).is_some_and(empty)
}

fn is_punct(token: &TokenTree, character: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == character)
}

#[cfg(test)]
mod tests {
    use super::*;

    const CODE: &str = r#"
fn short() -> [u8; 2] { let text = "fn fake() {"; value.unwrap(); [1, 2] }
trait Law { fn no_body(&self); }
fn long(
    pointer: fn(u8),
) {
    unsafe { call() }
}
#[cfg(test)]
mod tests {
    #[test]
    #[ignore]
    fn promise() { value.unwrap(); }
    proptest! {
        #[test]
        fn for_any_x(x in 0..3) { todo!() }
    }
}
#[allow(dead_code)]
const UNUSED: u8 = 0;
"#;

    fn facts(path: &str) -> Facts {
        read(&Source { path: path.into(), text: CODE.into() }).unwrap()
    }

    #[test]
    fn functions_are_measured_from_fn_to_brace() {
        let sizes: Vec<(String, usize)> = facts("a.rs").functions.into_iter().map(|f| (f.name, f.lines)).collect();
        let expected = [("short", 1), ("long", 5), ("promise", 1), ("for_any_x", 1)];
        assert_eq!(sizes, expected.map(|(name, lines)| (name.to_owned(), lines)));
    }

    #[test]
    fn tests_are_found_in_modules_and_macros() {
        assert_eq!(facts("a.rs").tests, [["tests", "promise"], ["tests", "for_any_x"]]);
    }

    #[test]
    fn habits_are_seen_where_they_stand() {
        let facts = facts("crates/x/src/a.rs");
        assert_eq!(facts.unsafe_lines, [7]);
        assert_eq!(facts.unwraps, [2]);
        assert_eq!(facts.ignored_tests, [12]);
        assert_eq!(facts.unfinished, [(16, "todo".to_owned())]);
        assert_eq!(facts.allowed_lints, [19]);
    }

    #[test]
    fn a_file_for_tests_only_is_known_by_its_declaration() {
        let text = "mod print;\n#[cfg(test)]\nmod host;\n".to_owned();
        let source = Source { path: "crates/x/src/cuda/mod.rs".into(), text };
        assert_eq!(test_files(&source, &read(&source).unwrap()), ["crates/x/src/cuda/host.rs"]);
    }

    #[test]
    fn integration_tests_may_unwrap() {
        assert!(facts("crates/x/tests/a.rs").unwraps.is_empty());
    }

    #[test]
    fn a_silenced_lint_needs_a_reason() {
        assert!(is_explained("// it is called by name\n#[allow(dead_code)]", 2));
        assert!(is_explained("#[allow(dead_code, reason = \"called by name\")]", 1));
        assert!(!is_explained("/// Documented.\n#[allow(dead_code)]", 2));
        assert!(!is_explained("#[allow(dead_code)]", 1));
    }
}
