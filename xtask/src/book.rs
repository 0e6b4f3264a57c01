//! `cargo xtask book`: checks the manual and builds it as a site with mdBook.

use crate::shell;
use anyhow::{Context, Result, bail};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Folder of the book, from the root.
const BOOK: &str = "docs";
const SUMMARY: &str = "SUMMARY.md";
/// Version of mdBook to install if there is none.
const VERSION: &str = "0.4.52";

/// Checks the pages and builds the site into `target/book`.
pub fn run() -> Result<()> {
    let findings = check(Path::new(BOOK))?;
    if !findings.is_empty() {
        bail!("{}", findings.join("\n"));
    }
    let site = shell::target().join("book");
    shell::run(Command::new(program()?).arg("build").arg(BOOK).arg("--dest-dir").arg(&site))?;
    println!("the manual is in {}", site.join("index.html").display());
    Ok(())
}

/// Lists pages missing from the summary, entries without a page, and links that leave the book or have no target.
fn check(book: &Path) -> Result<Vec<String>> {
    let read = |path: &Path| fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()));
    let summary = read(&book.join(SUMMARY))?;
    let listed: BTreeSet<&str> = inline_targets(&summary).collect();
    let pages = pages(book)?;
    let mut findings: Vec<String> = Vec::new();
    for page in pages.iter().filter(|page| !listed.contains(page.as_str())) {
        findings.push(format!("{BOOK}/{SUMMARY}: lacks {page}"));
    }
    for page in listed.iter().filter(|page| !pages.contains(**page)) {
        findings.push(format!("{BOOK}/{SUMMARY}: {page} does not exist"));
    }
    for page in &pages {
        let text = read(&book.join(page))?;
        for target in inline_targets(&text).chain(reference_targets(&text)) {
            let file = target.split('#').next().unwrap_or_default();
            if file.starts_with("..") || !(file.is_empty() || book.join(file).exists()) {
                findings.push(format!("{BOOK}/{page}: the link to `{target}` leaves the book or has no target"));
            }
        }
        for (file, anchor) in includes(&text) {
            let whole = fs::read_to_string(book.join(file)).unwrap_or_default();
            if whole.is_empty() || anchor.is_some_and(|anchor| !whole.contains(&format!("ANCHOR: {anchor} "))) {
                findings.push(format!("{BOOK}/{page}: nothing to include from `{file}`"));
            }
        }
    }
    Ok(findings)
}

/// Names of all pages except the summary.
fn pages(book: &Path) -> Result<BTreeSet<String>> {
    let mut pages = BTreeSet::new();
    for entry in fs::read_dir(book).with_context(|| format!("cannot read {}", book.display()))? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        if name.ends_with(".md") && name != SUMMARY {
            pages.insert(name);
        }
    }
    Ok(pages)
}

/// Targets of `[text](target)` that are files.
fn inline_targets(text: &str) -> impl Iterator<Item = &str> {
    text.split("](").skip(1).filter_map(|rest| rest.split(')').next()).filter(|target| is_file(target))
}

/// Targets of lines `[name]: target` that are files.
fn reference_targets(text: &str) -> impl Iterator<Item = &str> {
    text.lines()
        .filter_map(|line| line.strip_prefix('[')?.split_once("]: "))
        .map(|(_, target)| target.trim())
        .filter(|target| is_file(target))
}

fn is_file(target: &str) -> bool {
    !target.contains("://") && !target.starts_with("mailto:")
}

/// File and anchor of every `{{#include file:anchor}}`.
fn includes(text: &str) -> impl Iterator<Item = (&str, Option<&str>)> {
    text.split("{{#include ").skip(1).filter_map(|rest| {
        let argument = rest.split("}}").next()?;
        Some(argument.split_once(':').map_or((argument, None), |(file, anchor)| (file, Some(anchor))))
    })
}

/// The mdBook on this machine, or one that is installed once into the target folder.
///
/// An unoptimised build takes two minutes of CPU time once, and still builds the book in a few seconds.
fn program() -> Result<PathBuf> {
    if Command::new("mdbook").arg("--version").output().is_ok_and(|output| output.status.success()) {
        return Ok("mdbook".into());
    }
    let folder = shell::target().join("mdbook");
    let program = folder.join("bin").join("mdbook");
    if !program.exists() {
        let arguments = format!(
            "install mdbook --version {VERSION} --locked --debug --no-default-features --features search --root"
        );
        shell::run(shell::cargo(&arguments).arg(&folder).arg("--target-dir").arg(folder.join("build")))?;
    }
    Ok(program)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_out_of_the_summary_and_links_out_of_the_book_are_found() {
        let root = tempfile::tempdir().unwrap();
        let book = root.path().join(BOOK);
        fs::create_dir(&book).unwrap();
        let write = |name: &str, text: &str| fs::write(book.join(name), text).unwrap();
        fs::write(root.path().join("README.md"), "<!-- ANCHOR: text -->\nText.\n<!-- ANCHOR_END: text -->\n").unwrap();
        write(SUMMARY, "[One](one.md)\n- [Gone](gone.md)\n");
        write(
            "one.md",
            "{{#include ../README.md:text}}\n{{#include ../README.md:other}}\n[a](two.md#part) [b](../README.md)\n[c]: lost.md\n",
        );
        write("two.md", "[web](https://example.org)\n");
        let findings = check(&book).unwrap();
        assert_eq!(
            findings,
            [
                "docs/SUMMARY.md: lacks two.md",
                "docs/SUMMARY.md: gone.md does not exist",
                "docs/one.md: the link to `../README.md` leaves the book or has no target",
                "docs/one.md: the link to `lost.md` leaves the book or has no target",
                "docs/one.md: nothing to include from `../README.md`",
            ]
        );
    }
}
