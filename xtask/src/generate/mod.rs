//! `cargo xtask generate`: files that are generated from the code, committed, and never edited by hand.

mod gll;
mod python;

use crate::shell;
use anyhow::{Context, Result, bail};
use craton::reference::{page, schema_json};
use std::fs;

/// A generated file: its path from the root and its text.
struct Generated {
    path: &'static str,
    text: String,
}

fn all() -> Vec<Generated> {
    vec![
        Generated { path: "crates/craton-sem/kernels/laws.cuh", text: craton_physics::cuda::laws_header() },
        Generated { path: "crates/craton-fd/kernels/staggered.cuh", text: craton_physics::cuda::staggered_header() },
        Generated { path: "crates/craton-sem/kernels/gll4.cuh", text: gll::header() },
        Generated { path: "docs/scenario.schema.json", text: schema_json::<craton::Config>() },
        Generated { path: "docs/scenario.md", text: page::<craton::Config>() },
        Generated { path: "docs/survey.schema.json", text: schema_json::<craton::survey::Config>() },
        Generated { path: "docs/survey.md", text: page::<craton::survey::Config>() },
        Generated { path: "docs/gravity.schema.json", text: schema_json::<craton::gravity::Config>() },
        Generated { path: "docs/gravity.md", text: page::<craton::gravity::Config>() },
        Generated {
            path: "python/craton/tables/scenario.py",
            text: python::tables("scenario", &schema_json::<craton::Config>()),
        },
        Generated {
            path: "python/craton/tables/survey.py",
            text: python::tables("survey", &schema_json::<craton::survey::Config>()),
        },
        Generated {
            path: "python/craton/tables/gravity.py",
            text: python::tables("gravity", &schema_json::<craton::gravity::Config>()),
        },
    ]
}

/// Writes every generated file that is stale.
pub fn write() -> Result<()> {
    for Generated { path, text } in stale() {
        let file = shell::root().join(path);
        if let Some(folder) = file.parent() {
            fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
        }
        fs::write(&file, text).with_context(|| format!("cannot write {path}"))?;
        println!("wrote {path}");
    }
    Ok(())
}

/// Fails if a generated file is stale.
pub fn check() -> Result<()> {
    let paths: Vec<&str> = stale().iter().map(|file| file.path).collect();
    if !paths.is_empty() {
        bail!("stale: {}; run `cargo xtask generate` and commit", paths.join(", "));
    }
    println!("generated files are up to date");
    Ok(())
}

fn stale() -> Vec<Generated> {
    let differs =
        |file: &Generated| fs::read_to_string(shell::root().join(file.path)).ok().as_ref() != Some(&file.text);
    all().into_iter().filter(differs).collect()
}
