//! `cargo xtask tidy`: checks that the compiler does not do.

mod exceptions;
mod layers;
mod markdown;
mod promises;
mod rust;
mod scenarios;
mod sources;
mod targets;
mod words;

use anyhow::{Result, bail};
use exceptions::Exceptions;
use sources::Source;

/// Runs every check and lists all findings.
pub fn run() -> Result<()> {
    let sources = sources::read_all()?;
    let mut exceptions = Exceptions::read()?;
    let mut findings = layers::check(&mut exceptions)?;
    findings.extend(rust::check(&sources, &mut exceptions)?);
    findings.extend(promises::check(&sources)?);
    findings.extend(targets::check(&sources)?);
    findings.extend(words::check(&sources));
    findings.extend(markdown::check(&sources));
    findings.extend(scenarios::check(&sources));
    findings.extend(exceptions.unused());
    for finding in &findings {
        println!("{finding}");
    }
    if !findings.is_empty() {
        bail!("tidy: {} findings", findings.len());
    }
    println!("tidy: {} files in order", sources.len());
    Ok(())
}

/// Formats a finding at a line of a file as `path:line`, which editors and terminals recognise.
fn at(source: &Source, line: usize, what: &str) -> String {
    format!("{}:{line}: {what}", source.path)
}
