//! The text files of the repository.

use anyhow::{Context, Result};
use std::fs;
use std::path::Path;

/// Folders without sources, at any depth.
const SKIPPED: [&str; 5] = ["target", "results", "node_modules", "__pycache__", "references"];
/// Hidden folders that hold sources.
const HIDDEN: [&str; 3] = [".cargo", ".ci", ".github"];
/// Endings of text files; files without an ending count if they are in a hidden folder.
const ENDINGS: [&str; 12] = ["rs", "toml", "md", "py", "sh", "txt", "cu", "cuh", "h", "json", "yml", "yaml"];

/// One text file.
pub struct Source {
    /// Path relative to the root, with slashes.
    pub path: String,
    /// The whole text.
    pub text: String,
}

impl Source {
    /// Whether the file has an extension, given without the dot.
    pub fn is(&self, ending: &str) -> bool {
        Path::new(&self.path).extension().is_some_and(|own| own == ending)
    }

    /// The crate the file belongs to: its folder under `crates/`, or `xtask`.
    pub fn crate_name(&self) -> Option<&str> {
        match self.path.strip_prefix("crates/") {
            Some(rest) => rest.split('/').next(),
            None => self.path.starts_with("xtask/").then_some("xtask"),
        }
    }
}

/// Reads every text file, in order of path.
pub fn read_all() -> Result<Vec<Source>> {
    let mut sources = Vec::new();
    read_folder(Path::new(""), &mut sources)?;
    sources.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(sources)
}

fn read_folder(folder: &Path, sources: &mut Vec<Source>) -> Result<()> {
    let listed = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    for entry in fs::read_dir(listed).with_context(|| format!("cannot read {}", listed.display()))? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = folder.join(&name);
        if entry.file_type()?.is_dir() {
            let hidden = name.starts_with('.') && !HIDDEN.contains(&name.as_str());
            if !hidden && !SKIPPED.contains(&name.as_str()) && !name.starts_with("target-") {
                read_folder(&path, sources)?;
            }
        } else if is_text(&path) {
            let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
            sources.push(Source { path: path.to_string_lossy().replace('\\', "/"), text });
        }
    }
    Ok(())
}

fn is_text(path: &Path) -> bool {
    match path.extension() {
        Some(ending) => ENDINGS.iter().any(|known| ending == *known),
        None => path.starts_with(".ci"),
    }
}
